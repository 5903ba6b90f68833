"""What the engine says about a query, turned into an error that points at the place and says what to write instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from sgraph.errors import CypherError
from sgraph.graph.tables import Table
from sgraph.graph.tokens import lex, position

# What people bring from other dialects, by the function's name there.
OTHER_DIALECTS: Mapping[str, str] = {
    "TYPE": "label(r) is the type of a relationship",
    "TOINTEGER": "CAST(x AS INT64)",
    "TOFLOAT": "CAST(x AS DOUBLE)",
    "TOSTRING": "CAST(x AS STRING)",
    "TOBOOLEAN": "CAST(x AS BOOL)",
    "DATETIME": "timestamp('2026-05-08 13:56:00'), in UTC",
    "LOCALDATETIME": "timestamp('2026-05-08 13:56:00'), in UTC",
    "SPLIT": "split the text after the query",
    "HEAD": "list[1]: positions count from 1",
    "LAST": "list[-1]",
    "ELEMENTID": "the key of the node, n.id or n.key",
    "SHORTESTPATH": "MATCH p = (a)-[:R* SHORTEST 1..6]-(b)",
    "EXISTS": "n.name IS NOT NULL, or EXISTS { MATCH (n)-[:R]->() }",
}
_HINTS: tuple[tuple[str, str], ...] = (
    ("1-based", "positions in lists and texts count from 1"),
    ("buffer pool is full", "it needs more memory than it may have: narrow it with WHERE, or shorten the path"),
    (
        r"not in scope.*\[\s*\w+\s+IN\b",
        "a list is mapped by list_transform(l, x -> …), filtered by list_filter(l, x -> …)",
    ),
)
_AT = re.compile(r"\(line: (\d+), offset: (\d+)\)")
_NAMED = re.compile(
    r"(?P<what>Table|property|Variable|function) (?P<name>\S+?)(?: for \S+)?(?: does not exist| is not in scope|\.?$)"
)


def explained(query: str, message: str, tables: Mapping[str, Table]) -> CypherError:
    """Make the error a person can use: what is wrong, where, the line with a caret below the place, and a way out."""
    at, named = _AT.search(message), _NAMED.search(message.partition("\n")[0])
    reason = message.partition("\n")[0]
    reason = _AT.sub("", reason.partition(" exception: ")[2] or reason).strip()
    hint = next(
        (hint for pattern, hint in _HINTS if re.search(pattern, f"{message}\n{query}", re.IGNORECASE | re.DOTALL)), ""
    )
    offset = None
    if at:
        lines = query.split("\n")
        offset = sum(len(line) + 1 for line in lines[: int(at[1]) - 1]) + int(at[2])
    elif named:
        offset = _offset_of(named["name"], query)
        hint = _nearest(named["what"], named["name"], tables) or hint
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


def _nearest(what: str, name: str, tables: Mapping[str, Table]) -> str:
    if what == "function":
        return OTHER_DIALECTS.get(name.upper(), "")
    known = {"Table": list(tables), "property": [c for table in tables.values() for c in table.columns]}.get(what, [])
    by_fold = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), by_fold, n=1)
    return f"did you mean {by_fold[close[0]]}?" if close else ""


def _excerpt(query: str, line: int, column: int) -> str:
    """Show the line, at most 100 characters of it around the place, and a caret below the place."""
    text = query.split("\n")[line - 1].replace("\t", " ").rstrip("\r")
    start = max(0, column - 61)
    return f"{text[start : start + 100]}\n{' ' * (column - 1 - start)}^"
