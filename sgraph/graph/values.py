"""What crosses the border between Python and the engine.

Python holds aware instants; a TIMESTAMP column holds the same instant as naive UTC. Text that no engine can store
(a lone surrogate) is stored with U+FFFD in its place; NUL is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sgraph.errors import InvalidInput, InvalidTime

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PLAIN = frozenset({"STRING", "BOOL", "DOUBLE", "INT64", "INT32", "INT16", "INT8", "UUID", "DATE", "INTERVAL", "BLOB"})
_INT64 = range(-(2**63), 2**63)

# Ladybug writes the inner keys of nodes, relationships and paths in capitals; what we hand out never does.
_INNER_KEYS = {key.upper(): key for key in ("_id", "_label", "_src", "_dst", "_nodes", "_rels")}


def storable(value: Any, where: str) -> Any:
    """Make one value storable. A naive datetime is refused: the caller knows its zone. `where` goes into errors."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value) if not value.isascii() else value
        case datetime():
            if value.tzinfo is None:
                raise InvalidTime(f"{where}: a datetime needs a time zone", field=where, value=value.isoformat())
            return value.astimezone(UTC).replace(tzinfo=None)
        case bool() | None:
            return value
        case int():
            if value not in _INT64:
                raise InvalidInput(f"{where}: {value} does not fit in 64 bits", field=where, value=str(value))
            return value
        case list() | tuple():
            return [storable(item, where) for item in value]
        case dict():
            return {key: storable(item, where) for key, item in value.items()}
    return value


def readable(value: Any) -> Any:
    """Turn one value of the engine into what Python code reads: aware instants, inner keys in small letters."""
    match value:
        case datetime():
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        case list():
            return [readable(item) for item in value]
        case dict():
            return {_INNER_KEYS.get(key, key): readable(item) for key, item in value.items()}
    return value


def _readable_list(value: Any) -> Any:
    return [] if value is None else readable(value)


def reader(column_type: str) -> Callable[[Any], Any] | None:
    """Choose how values of a column type are read; None when they need nothing.

    A list column never reads None: one engine collects nothing into NULL and the other into an empty list.
    """
    if column_type in _PLAIN:
        return None
    return _readable_list if column_type.endswith("]") else readable
