"""A lexer for the little of Cypher that must be known before the engine sees a query.

It knows strings, back-quoted names, comments, parameters, words and numbers: enough to tell a keyword from the same
letters inside a string. It does not parse; the engine does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LEXEMES = re.compile(
    r"""
      (?P<space>    \s+ )
    | (?P<comment>  /\*.*?\*/ | //[^\r\n]* )
    | (?P<string>   '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
    | (?P<name>     `[^`]*` )
    | (?P<param>    \$\w+ )
    | (?P<number>   \d+(?:\.\d+)?(?:[eE][+-]?\d+)? )
    | (?P<word>     [^\W\d]\w* )
    | (?P<open>     ['"`] | /\* )
    | (?P<symbol>   . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One lexeme. `kind`: comment, string, name (back-quoted), param, number, word, symbol, or open (never closed)."""

    kind: str
    text: str
    offset: int


def lex(query: str) -> list[Token]:
    """Split a query into tokens, in order, without white space."""
    return [
        Token(match.lastgroup or "", match.group(), match.start())
        for match in _LEXEMES.finditer(query)
        if match.lastgroup != "space"
    ]


def parameters(query: str) -> frozenset[str]:
    """Name the parameters a query uses. A `$` inside a string, a back-quoted name or a comment does not count."""
    return frozenset(token.text[1:] for token in lex(query) if token.kind == "param")


def position(query: str, offset: int) -> tuple[int, int]:
    """Turn an offset into (line, column), both from 1."""
    before = query[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def split(script: str) -> list[str]:
    """Split a script into its statements, without their comments and semicolons."""
    statements, start = [""], 0
    for token in lex(script):
        if token.kind == "comment" or token.text == ";":
            statements[-1] += script[start : token.offset]
            start = token.offset + len(token.text)
        if token.text == ";":
            statements.append("")
    statements[-1] += script[start:]
    return [statement.strip() for statement in statements if statement.strip()]
