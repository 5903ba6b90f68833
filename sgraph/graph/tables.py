"""The tables a database declares, read from the database itself: the one source for columns, types, keys and ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sgraph.errors import EngineError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Table:
    """Columns in order with their types; `key` for nodes, `ends` (from, to) for relationships."""

    name: str
    columns: Mapping[str, str]
    key: str = ""
    ends: tuple[str, str] = ("", "")


def declared(rows: Callable[[str], list[tuple[Any, ...]]]) -> dict[str, Table]:
    """Read every table, in order of definition. `rows` runs a query and returns its rows."""
    return {name: _table(name, kind, rows) for _, name, kind, *_ in rows("CALL show_tables() RETURN *")}


def _table(name: str, kind: str, rows: Callable[[str], list[tuple[Any, ...]]]) -> Table:
    if not _NAME.fullmatch(name):  # names cannot be quoted the same way in both engines
        raise EngineError(f"unusable table name {name!r}", table=name)
    info = rows(f"CALL table_info('{name}') RETURN *")
    columns = {row[1]: row[2] for row in info}
    if kind == "NODE":
        return Table(name, columns, key=next(row[1] for row in info if row[4]))
    source, target, *_ = rows(f"CALL show_connection('{name}') RETURN *")[0]
    return Table(name, columns, ends=(source, target))
