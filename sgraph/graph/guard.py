"""The door for other people's Cypher: one statement, a read for certain, within limits, with errors that point.

Two locks, one behind the other: the words of the query are checked here, and what passes runs in a READ ONLY
transaction. The second alone would let `COPY … TO` write a file, `LOAD FROM` read one and `CALL` change settings; the
first alone would trust a lexer.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from sgraph.errors import CypherRefused, EngineError
from sgraph.graph.connection import Result
from sgraph.graph.engine import Engine
from sgraph.graph.explain import OTHER_DIALECTS, explained
from sgraph.graph.functions import (
    ARGUMENTS,
    BEFORE_BRACKET,
    GROWING,
    OF_VARIABLE,
    PROCEDURES,
    QUANTIFIERS,
    TAKE_LAMBDA,
    TEXT_FUNCTIONS,
)
from sgraph.graph.tables import Table
from sgraph.graph.tokens import Token, lex, position

_BEGINNINGS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "EXPLAIN"})
_WRITES = frozenset({"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "DROP", "ALTER", "COPY"})
_OUTSIDE = frozenset({"LOAD", "ATTACH", "INSTALL", "UNINSTALL", "EXPORT", "IMPORT"})
# Neither engine looks at its time limit inside one call of a function, nor while it parses and plans.
_MAX_GROWING = 1
_MAX_SUMS = 12  # s + s doubles a list as well
_MAX_RANGE = 1_000_000  # elements, all ranges multiplied
_MAX_CHARACTERS = 1_000_000
_MAX_TOKENS = 2_000
_MAX_DEPTH = 50  # brackets and CASE; both engines recurse
_NESTING = {"(": 1, "[": 1, "{": 1, "CASE": 1, ")": -1, "]": -1, "}": -1, "END": -1}
_MAX_HOPS = 15  # the order of joins is planned by trying

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
    query = query.replace("\ufeff", " ")  # the mark at the head of a file
    tokens = lex(query)
    code = [token for token in tokens if token.kind != "comment"]
    end = len(query)
    if code and code[-1].text == ";":
        end = code.pop().offset
    if not code:
        raise CypherRefused("there is no query", word="", line=1, column=1)
    for rule in _RULES:
        if refusal := rule(code, engine):
            raise _refused(query, *refusal)
    return _blank(query, [token for token in tokens if token.kind == "comment"])[:end]


def ask(
    engine: Engine, query: str, params: Mapping[str, Any] | None = None, *, timeout: float = 30.0, limit: int = 100
) -> Result:
    """Check a query and run it on its own snapshot: at most `limit` rows, `timeout` seconds.

    `Result.more` tells that there were further rows. Raises CypherRefused, CypherError (with line, column, excerpt and
    a hint), CypherTimeout, and InvalidInput for a parameter that is missing or cannot be passed.
    """
    text = check(query, engine.name)
    given = params or {}
    if refusal := _in_nothing(lex(text), given) or _not_text(lex(text), engine.tables(), given):
        raise _refused(query, *refusal)
    try:
        return engine.read(text, params, timeout=timeout, limit=limit)
    except EngineError as error:
        if error.details.get("query") != text[:500]:
            raise
        raise explained(query, error.message, engine.tables()) from error


def _refused(query: str, token: Token, reason: str) -> CypherRefused:
    line, column = position(query, token.offset)
    word = token.text if len(token.text) <= 40 else f"{token.text[:40]}…"
    return CypherRefused(f"{word}: {reason} (line {line}, column {column})", word=word, line=line, column=column)


def _blank(query: str, comments: Iterable[Token]) -> str:
    for token in comments:
        blank = "".join(char if char in "\r\n" else " " for char in token.text)
        query = query[: token.offset] + blank + query[token.offset + len(token.text) :]
    return query


def _in_nothing(code: list[Token], params: Mapping[str, Any]) -> _Refusal | None:
    for before, token in itertools.pairwise(code):
        if before.text.upper() == "IN" and token.kind == "param" and params.get(token.text[1:]) is None:
            return token, "IN needs a list, else it ends the process"
    return None


def _not_text(code: list[Token], tables: Mapping[str, Table], params: Mapping[str, Any]) -> _Refusal | None:
    """Find a `=~` with a side that may be no text: both engines end the process there."""
    columns = [column for table in tables.values() for column in table.columns.items()]
    text_columns = {name.casefold() for name, _ in columns} - {
        name.casefold() for name, kind in columns if kind != "STRING"
    }
    structs = _struct(code) or any(isinstance(value, list | tuple | dict) for value in params.values())
    opened: list[str] = []
    closed = ""  # the function whose bracket was closed last
    for index, token in enumerate(code[:-2]):
        if token.text == "(":
            opened.append(code[index - 1].text.upper() if index else "")
        elif token.text == ")" and opened:
            closed = opened.pop()
        if token.text != "=" or code[index + 1].text != "~":
            continue
        left, right = code[index - 1], code[index + 2]
        is_property = code[index - 2].text == "." and left.text.strip("`").casefold() in text_columns and not structs
        is_text = is_property or left.kind == "string" or (left.text == ")" and closed in TEXT_FUNCTIONS)
        if not is_text or not (right.kind == "string" or isinstance(params.get(right.text[1:]), str)):
            return token, "=~ compares text with text, else it ends the process; write regexp_matches(n.number, '^1')"
    return None


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
        if word == "CALL" and not any(_calls(code[index + 1 : index + 3], PROCEDURES)):
            return token, f"only these may be called: {', '.join(sorted(PROCEDURES)).lower()}"
    return None


def _quantifier(code: list[Token], engine: str) -> _Refusal | None:
    if engine != "kuzu":
        return None
    return next(((token, _USE_LIST_FILTER) for _, token in _calls(code, QUANTIFIERS)), None)


def _function(code: list[Token], engine: str) -> _Refusal | None:
    for index, token in _calls(code):
        name = token.text.strip("`").upper()
        if name in PROCEDURES or name in QUANTIFIERS or name in OTHER_DIALECTS:
            continue
        if name not in ARGUMENTS:
            return token, f"it is not among the functions that may be called{_nearest(name)}"
        if _arguments(code, index + 1) not in ARGUMENTS[name]:
            return token, "it takes another number of arguments"
        if name in OF_VARIABLE and not _is_variable(code[index + 2 :]):
            return token, "it takes a node, a relationship or a path by its variable"
    return None


def _is_variable(argument: list[Token]) -> bool:
    first, following = argument[0], argument[1]
    if following.text == "(":
        return first.text.upper() in ("NODES", "RELS", "RELATIONSHIPS")
    is_name = first.kind == "name" or (first.kind == "word" and first.text.upper() not in ("NULL", "TRUE", "FALSE"))
    return is_name and following.text in (")", ",")


def _arguments(code: list[Token], opening: int) -> int:
    """Count the arguments between the bracket at `opening` and the one that closes it."""
    depth, commas = 0, 0
    for index, token in enumerate(code[opening:]):
        depth += _NESTING.get(token.text, 0)
        commas += token.text == "," and depth == 1
        if depth == 0:
            return 0 if index == 1 else commas + 1
    return 0


def _nearest(name: str) -> str:
    close = difflib.get_close_matches(name, ARGUMENTS, n=1)
    return f"; did you mean {close[0].lower()}?" if close else ""


def _lambda(code: list[Token], engine: str) -> _Refusal | None:
    inside: list[str] = []
    for index, token in enumerate(code):
        before = code[index - 1].text.upper() if index else ""
        if token.text in ("(", "[", "{"):
            inside.append(before if token.text == "(" else "")
        elif token.text in (")", "]", "}"):
            inside = inside[:-1]
        is_arrow = (
            token.text == "-"
            and before not in ("]", "-")
            and code[index + 1 : index + 2]
            and code[index + 1].text == ">"
        )
        if is_arrow and (not inside or inside[-1] not in TAKE_LAMBDA):
            return token, "a lambda may only stand in list_filter and list_transform"
    return None


def _null(code: list[Token], engine: str) -> _Refusal | None:
    words = [token.text.upper() for token in code]
    for index, word in enumerate(words):
        if word != "NULL":
            continue
        if words[index + 1 : index + 2] == ["AS"] and words[index - 2 : index] != ["CAST", "("]:
            return code[index], "say of what type it is: CAST(NULL AS STRING)"
        before = list(itertools.dropwhile(lambda text: text == "(", reversed(words[:index])))
        if before[:1] == ["IN"]:
            return code[index], "IN needs a list, else it ends the process"
    return None


def _slice(code: list[Token], engine: str) -> _Refusal | None:
    """Find `x[1:2]`, which ends the process when x is no list; after a hyphen, `[r:R]` is a pattern."""
    indexing: list[bool] = []
    for before, token in itertools.pairwise(code):
        if token.text in ("(", "[", "{"):
            indexing.append(token.text == "[" and (before.kind in ("word", "name") or before.text in (")", "]")))
        elif token.text in (")", "]", "}"):
            indexing = indexing[:-1]
        elif engine == "kuzu" and token.text == ":" and indexing[-1:] == [True]:
            return token, "on this engine a slice of what is no list ends the process; cut the list after the query"
    return None


def _label_of_struct(code: list[Token], engine: str) -> _Refusal | None:
    if engine == "kuzu" and any(_calls(code, {"LABEL", "LABELS"})) and (struct := _struct(code)):
        return struct, "on this engine a struct beside label() can end the process"
    return None


def _struct(code: list[Token]) -> Token | None:
    """Find a brace that does not belong to a pattern or a subquery."""
    for before, token in itertools.pairwise(code):
        is_word = before.kind in ("word", "name") and before.text.upper() not in BEFORE_BRACKET - {"EXISTS"}
        if token.text == "{" and not is_word and before.text != ")":
            return token
    return None


def _endless(code: list[Token], engine: str) -> _Refusal | None:
    if len(growing := list(_calls(code, GROWING))) > _MAX_GROWING:
        return growing[_MAX_GROWING][1], "no time limit stops it: one call that makes lists grow is the most"
    if len(sums := [token for token in code if token.text == "+"]) > _MAX_SUMS:
        return sums[_MAX_SUMS], f"no time limit stops it: {_MAX_SUMS} sums in a query are the most"
    elements = 1.0
    for index, token in _calls(code, {"RANGE"}):
        elements *= _range_size(code[index + 2 : index + 11])
        if elements > _MAX_RANGE:
            return token, f"no time limit stops it: give numbers as bounds, {_MAX_RANGE:,} elements in all at most"
    return None


def _too_much(code: list[Token], engine: str) -> _Refusal | None:
    if len(code) > _MAX_TOKENS:
        return code[_MAX_TOKENS], f"a query may have {_MAX_TOKENS:,} words; pass the data as a parameter"
    depth = hops = 0
    for token, following in itertools.zip_longest(code, code[1:]):
        depth += _NESTING.get(token.text.upper(), 0)
        hops += token.text == "-" and following is not None and following.text in ("[", "-")
        if depth > _MAX_DEPTH:
            return token, f"brackets and CASE may be {_MAX_DEPTH} deep"
        if hops > _MAX_HOPS:
            return token, f"a query may have {_MAX_HOPS} steps; say more than one step as -[:R*1..3]->"
    return None


_RULES: tuple[Callable[[list[Token], str], _Refusal | None], ...] = (
    _unclosed,
    _one_statement,
    _beginning,
    _forbidden_word,
    _quantifier,
    _function,
    _lambda,
    _null,
    _slice,
    _label_of_struct,
    _endless,
    _too_much,
)


def _keywords(code: list[Token]) -> Iterator[tuple[int, Token]]:
    """Give the words that may be keywords: all but those after a dot that follows a name (`n.set`, not `1.SET`)."""
    for index, token in enumerate(code):
        is_property = (
            index > 1
            and code[index - 1].text == "."
            and (code[index - 2].kind in ("word", "name", "param") or code[index - 2].text in (")", "]", "}"))
        )
        if token.kind == "word" and not is_property:
            yield index, token


def _calls(code: list[Token], names: Collection[str] | None = None) -> Iterator[tuple[int, Token]]:
    """Give the calls of functions, all or by these names; a name in back quotes calls the same function."""
    for index, (token, following) in enumerate(itertools.pairwise(code)):
        if following.text != "(" or token.kind not in ("word", "name"):
            continue
        name = token.text.strip("`").upper()
        if name in names if names is not None else token.kind == "name" or name not in BEFORE_BRACKET:
            yield index, token


def _range_size(arguments: list[Token]) -> float:
    text = "".join(token.text for token in arguments).partition(")")[0]
    bounds = re.fullmatch(r"(-?\d{1,18}),(-?\d{1,18})(?:,-?[1-9]\d{0,17})?", text)
    return max(1, abs(int(bounds[2]) - int(bounds[1]))) if bounds else math.inf
