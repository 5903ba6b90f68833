"""The door for other people's Cypher: one statement, a read for certain, within limits, with errors that point.

Two locks, one behind the other: the words of the query are checked here, and what passes runs in a READ ONLY
transaction. The second alone would let `COPY … TO` write a file, `LOAD FROM` read one and `CALL` change settings; the
first alone would trust a lexer.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sgraph.errors import CypherError, CypherRefused, EngineError
from sgraph.graph.connection import Result
from sgraph.graph.engine import Engine
from sgraph.graph.tokens import Token, lex, position

_BEGINNINGS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "EXPLAIN"})
_WRITES = frozenset({"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "DROP", "ALTER", "COPY"})
_OUTSIDE = frozenset({"LOAD", "ATTACH", "INSTALL", "UNINSTALL", "EXPORT", "IMPORT"})
_PROCEDURES = frozenset({"SHOW_TABLES", "TABLE_INFO", "SHOW_CONNECTION", "SHOW_FUNCTIONS", "DB_VERSION"})
_QUANTIFIERS = frozenset({"ANY", "ALL", "NONE", "SINGLE"})
_UNBOUNDED = frozenset({"LPAD", "RPAD", "REPEAT"})

# Both engines parse and bind by recursion and, past these, take minutes or overflow the stack.
_MAX_CHARACTERS = 1_000_000
_MAX_TOKENS = 2_000
_MAX_DEPTH = 50
_MAX_RANGE = 1_000_000

_USE_LIST_FILTER = (
    "on this engine it ends the process; write size(list_filter(n.tags, x -> x = 'a')) > 0, or 'a' IN n.tags, "
    "and for paths -[r:R*1..3 (r, n | WHERE r.w > 1)]->"
)

_Refusal = tuple[Token, str]


def check(query: str, engine: str) -> str:
    """Return the query as it may be run: comments blanked (every position stays), the last semicolon gone.

    Raises CypherRefused, with the word and where it stands, for anything but one reading statement and for what is
    known to end or stall the process. Words inside strings, back-quoted names and after a dot are not looked at.
    """
    if len(query) > _MAX_CHARACTERS:
        raise CypherRefused(f"a query may have {_MAX_CHARACTERS:,} characters; pass the data as a parameter", word="")
    tokens = lex(query)
    code = [token for token in tokens if token.kind != "comment"]
    end = len(query)
    if code and code[-1].text == ";":
        end = code.pop().offset
    if not code:
        raise CypherRefused("there is no query", word="", line=1, column=1)
    for rule in _RULES:
        if refusal := rule(code, engine):
            token, reason = refusal
            raise _refused(query, token, reason)
    return _blank(query, [token for token in tokens if token.kind == "comment"])[:end]


def ask(
    engine: Engine, query: str, params: Mapping[str, Any] | None = None, *, timeout: float = 30.0, limit: int = 100
) -> Result:
    """Check a query and run it on its own snapshot: at most `limit` rows, `timeout` seconds.

    `Result.more` tells that there were further rows. Raises CypherRefused, CypherError (with line, column, excerpt and
    a hint), CypherTimeout, and InvalidInput for a parameter that is missing or cannot be passed.
    """
    text = check(query, engine.name)
    try:
        return engine.read(text, params, timeout=timeout, limit=limit)
    except EngineError as error:
        if error.details.get("query") != text[:500]:
            raise
        raise _explained(query, error.message, engine) from error


def _refused(query: str, token: Token, reason: str) -> CypherRefused:
    line, column = position(query, token.offset)
    word = token.text if len(token.text) <= 40 else f"{token.text[:40]}…"
    return CypherRefused(f"{word}: {reason} (line {line}, column {column})", word=word, line=line, column=column)


def _blank(query: str, comments: Iterable[Token]) -> str:
    for token in comments:
        blank = "".join(char if char in "\r\n" else " " for char in token.text)
        query = query[: token.offset] + blank + query[token.offset + len(token.text) :]
    return query


# --- rules: each looks at the tokens and names the first that offends ------------------------------------------------


def _unclosed(code: list[Token], engine: str) -> _Refusal | None:
    return next(((token, "is never closed") for token in code if token.kind == "open"), None)


def _one_statement(code: list[Token], engine: str) -> _Refusal | None:
    return next(((token, "only one statement may be run") for token in code if token.text == ";"), None)


def _beginning(code: list[Token], engine: str) -> _Refusal | None:
    first = code[0]
    if first.text.upper() == "EXPLAIN" and len(code) > 1:
        first = code[2] if code[1].text.upper() == "LOGICAL" and len(code) > 2 else code[1]
    if first.kind == "word" and first.text.upper() in _BEGINNINGS:
        return None
    return first, "a query may only read: it begins with MATCH, OPTIONAL MATCH, WITH, UNWIND, RETURN, CALL or EXPLAIN"


def _forbidden_word(code: list[Token], engine: str) -> _Refusal | None:
    for index, token in _keywords(code):
        word = token.text.upper()
        if word in _WRITES:
            return token, "a query may only read (a name of that spelling goes into back quotes)"
        if word in _OUTSIDE:
            return token, "a query may not reach outside the graph (a name of that spelling goes into back quotes)"
        if word == "CALL" and not _is_call_of(code, index + 1, _PROCEDURES):
            return token, f"only these may be called: {', '.join(sorted(_PROCEDURES)).lower()}"
    return None


def _dangerous_function(code: list[Token], engine: str) -> _Refusal | None:
    for index, token in enumerate(code):
        if engine == "kuzu" and _is_call_of(code, index, _QUANTIFIERS):
            return token, _USE_LIST_FILTER
        if _is_call_of(code, index, _UNBOUNDED):
            return token, "it makes text of any length and no time limit stops it; do it after the query"
        if _is_call_of(code, index, {"RANGE"}) and not _is_small_range(code, index + 2):
            return token, f"no time limit stops it: give whole numbers as bounds, at most {_MAX_RANGE:,}"
    return None


def _too_much(code: list[Token], engine: str) -> _Refusal | None:
    if len(code) > _MAX_TOKENS:
        return code[_MAX_TOKENS], f"a query may have {_MAX_TOKENS:,} words; pass the data as a parameter"
    depth = 0
    for token in code:
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "symbol" else 0
        if depth > _MAX_DEPTH:
            return token, f"brackets may be {_MAX_DEPTH} deep"
    return None


_RULES: tuple[Callable[[list[Token], str], _Refusal | None], ...] = (
    _unclosed,
    _one_statement,
    _beginning,
    _forbidden_word,
    _dangerous_function,
    _too_much,
)


def _keywords(code: list[Token]) -> Iterable[tuple[int, Token]]:
    """Give the words that may be keywords: all but those after a dot that follows a name (`n.set`, not `1.SET`)."""
    for index, token in enumerate(code):
        is_property = (
            index > 1
            and code[index - 1].text == "."
            and (code[index - 2].kind in ("word", "name", "param") or code[index - 2].text in (")", "]", "}"))
        )
        if token.kind == "word" and not is_property:
            yield index, token


def _is_call_of(code: list[Token], index: int, names: Iterable[str]) -> bool:
    if index + 1 >= len(code) or code[index + 1].text != "(":
        return False
    token = code[index]
    return token.kind in ("word", "name") and token.text.strip("`").upper() in names


def _is_small_range(code: list[Token], index: int) -> bool:
    arguments = "".join(token.text for token in code[index : index + 9]).partition(")")[0]
    numbers = re.fullmatch(r"-?(\d{1,9}),-?(\d{1,9})(?:,-?[1-9]\d{0,8})?", arguments)
    return bool(numbers) and all(int(number) <= _MAX_RANGE for number in numbers.groups()) if numbers else False


# --- errors that point ------------------------------------------------------------------------------------------

# What people bring from other dialects, by the function's name there.
_OTHER_DIALECTS: Mapping[str, str] = {
    "TYPE": "label(r) is the type of a relationship",
    "TOINTEGER": "CAST(x AS INT64)",
    "TOFLOAT": "CAST(x AS DOUBLE)",
    "TOSTRING": "CAST(x AS STRING)",
    "TOBOOLEAN": "CAST(x AS BOOL)",
    "DATETIME": "timestamp('2026-05-08 13:56:00'), in UTC",
    "LOCALDATETIME": "timestamp('2026-05-08 13:56:00'), in UTC",
    "SPLIT": "string_split(text, ',')",
    "HEAD": "list[1]: positions count from 1",
    "LAST": "list[-1]",
    "ELEMENTID": "the key of the node, n.id or n.key",
    "SHORTESTPATH": "MATCH p = (a)-[:R* SHORTEST 1..6]-(b)",
    "EXISTS": "n.name IS NOT NULL, or EXISTS { MATCH (n)-[:R]->() }",
    "REPLACE": "regexp_replace(text, 'a', 'b')",
}
_HINTS: tuple[tuple[str, str], ...] = (
    ("1-based", "positions in lists and texts count from 1"),
    ("buffer pool is full", "it needs more memory than it may have: narrow it with WHERE, or shorten the path"),
    (r"expected rule.*\[\w+ IN\b", "a list is mapped by list_transform(l, x -> …), filtered by list_filter(l, x -> …)"),
)
_AT = re.compile(r"\(line: (\d+), offset: (\d+)\)")
_NAMED = re.compile(
    r"(?P<what>Table|property|Variable|function) (?P<name>\S+?)(?: for \S+)?(?: does not exist| is not in scope|\.?$)"
)


def _explained(query: str, message: str, engine: Engine) -> CypherError:
    at, named = _AT.search(message), _NAMED.search(message.partition("\n")[0])
    reason = message.partition("\n")[0]
    reason = _AT.sub("", reason.partition(" exception: ")[2] or reason).strip()
    hint = next((hint for pattern, hint in _HINTS if re.search(pattern, message + query)), "")
    offset = None
    if at:
        lines = query.split("\n")
        offset = sum(len(line) + 1 for line in lines[: int(at[1]) - 1]) + int(at[2])
    elif named:
        offset = _offset_of(named["name"], query)
        hint = _nearest(named["what"], named["name"], engine) or hint
    if offset is None:
        text = f"{reason}\n{hint}" if hint else reason
        return CypherError(text, hint=hint)
    line, column = position(query, offset)
    excerpt = _excerpt(query, line, column)
    text = "\n".join(part for part in (f"{reason} (line {line}, column {column})", excerpt, hint) if part)
    return CypherError(text, line=line, column=column, excerpt=excerpt, hint=hint)


def _offset_of(name: str, query: str) -> int | None:
    wanted = name.casefold()
    found = (t.offset for t in lex(query) if t.kind in ("word", "name") and t.text.strip("`").casefold() == wanted)
    return next(found, None)


def _nearest(what: str, name: str, engine: Engine) -> str:
    if what == "function":
        return _OTHER_DIALECTS.get(name.upper(), "")
    tables = engine.tables()
    known = {"Table": list(tables), "property": [c for table in tables.values() for c in table.columns]}.get(what, [])
    by_fold = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), by_fold, n=1)
    return f"did you mean {by_fold[close[0]]}?" if close else ""


def _excerpt(query: str, line: int, column: int) -> str:
    """Show the line, at most 100 characters of it around the place, and a caret below the place."""
    text = query.split("\n")[line - 1].replace("\t", " ").rstrip("\r")
    start = max(0, column - 61)
    return f"{text[start : start + 100]}\n{' ' * (column - 1 - start)}^"
