"""Put rows into the graph and take them out: batches, cast to the declared types, in one transaction.

Rows are mappings from column to value; a row of a relationship table also holds `from` and `to`, the keys of its ends.
Every value is cast to the type its column declares, so a column that is None in a whole batch keeps its type. Look-ups
are `UNWIND … MATCH (n) WHERE n.key = row.key`, ten times as fast as the comma form on Ladybug and no slower on Kùzu.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sgraph.errors import EngineError, InvalidInput
from sgraph.graph.engine import Engine
from sgraph.graph.tables import Table
from sgraph.graph.values import storable

Row = Mapping[str, Any]

_CHUNK = 500
# `from` and `to` are reserved words, so rows carry them into a statement under other names.
_ENDS = {"from": "from_", "to": "to_"}


def create_nodes(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Create nodes that do not exist yet: the fastest way to write. A key that exists is an EngineError."""
    declared = engine.table(table)
    with _atomic(engine):
        for columns, chunk in _chunks(declared, rows):
            values = ", ".join(f"{name}: {_cast(declared, name)}" for name in columns)
            engine.run(f"UNWIND $rows AS row CREATE (:{table} {{{values}}})", {"rows": chunk})


def ensure_nodes(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Create the nodes that do not exist; one that does is left as it is. Of two rows with one key the first counts."""
    key = engine.table(table).key
    by_key = {row[key]: row for row in reversed(rows)}
    with _atomic(engine):
        known = existing(engine, table, by_key)
        create_nodes(engine, table, [row for row in reversed(by_key.values()) if row[key] not in known])


def put_nodes(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Create nodes, or set the given columns of those that exist. Of two rows with one key the later counts."""
    key = engine.table(table).key
    by_key = {row[key]: row for row in rows}
    with _atomic(engine):
        known = existing(engine, table, by_key)
        create_nodes(engine, table, [row for row in by_key.values() if row[key] not in known])
        set_nodes(engine, table, [row for row in by_key.values() if row[key] in known])


def existing(engine: Engine, table: str, keys: Iterable[Any]) -> set[Any]:
    """Return those of the keys that exist."""
    declared = engine.table(table)
    found: set[Any] = set()
    for _, chunk in _chunks(declared, [{declared.key: key} for key in keys]):
        found.update(key for (key,) in engine.run(f"{_find(declared)} RETURN n.{declared.key}", {"rows": chunk}).rows)
    return found


def set_nodes(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Set columns of nodes by key. A column a row does not name stays; a key that does not exist is passed over."""
    _change(engine, table, rows, "n.{name} = {value}")


def add_to_nodes(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Add numbers to columns of nodes by key (None counts as 0). One row per key."""
    _change(engine, table, rows, "n.{name} = coalesce(n.{name}, 0) + {value}")


def _change(engine: Engine, table: str, rows: Sequence[Row], form: str) -> None:
    declared = engine.table(table)
    by_key = {row[declared.key]: row for row in rows}
    with _atomic(engine):
        for columns, chunk in _chunks(declared, list(by_key.values())):
            changed = [form.format(name=n, value=_cast(declared, n)) for n in columns if n != declared.key]
            if changed:
                engine.run(f"{_find(declared)} SET {', '.join(changed)}", {"rows": chunk})


def delete_nodes(engine: Engine, table: str, keys: Iterable[Any]) -> None:
    """Delete nodes with all their relationships. A key that does not exist is passed over."""
    declared = engine.table(table)
    with _atomic(engine):
        for _, chunk in _chunks(declared, [{declared.key: key} for key in dict.fromkeys(keys)]):
            engine.run(f"{_find(declared)} DETACH DELETE n", {"rows": chunk})


def create_rels(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Create one relationship per row. Rows equal in everything count once; a missing end is an EngineError."""
    declared = engine.table(table)
    ends = _both_ends(engine, declared)
    distinct = list({repr(sorted(row.items())): row for row in rows}.values())
    with _atomic(engine):
        for columns, chunk in _chunks(declared, distinct):
            values = ", ".join(f"{name}: {_cast(declared, name)}" for name in columns)
            properties = f" {{{values}}}" if values else ""
            matches = " ".join(f"MATCH ({n}:{end.name}) WHERE {condition}" for n, end, condition in ends)
            text = f"UNWIND $rows AS row {matches} CREATE (a)-[r:{table}{properties}]->(b) RETURN count(r)"
            created = engine.run(text, {"rows": chunk}).rows[0][0]
            if created != len(chunk):
                raise EngineError(f"{len(chunk) - created} rows of {table} lack an end in the graph", table=table)


def delete_rels(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Delete the relationships from `from` to `to` that have all the given values (None: that have no value)."""
    declared = engine.table(table)
    (a, source, from_a), (b, target, to_b) = _both_ends(engine, declared)
    by_nulls: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        nulls = tuple(sorted(name for name, value in row.items() if value is None))
        by_nulls.setdefault(nulls, []).append({name: row[name] for name in row if name not in nulls})
    with _atomic(engine):
        for nulls, group in by_nulls.items():
            for columns, chunk in _chunks(declared, group):
                conditions = [from_a, to_b, *(f"r.{name} = {_cast(declared, name)}" for name in columns)]
                conditions += [f"r.{name} IS NULL" for name in nulls]
                pattern = f"({a}:{source.name})-[r:{table}]->({b}:{target.name})"
                text = f"UNWIND $rows AS row MATCH {pattern} WHERE {' AND '.join(conditions)} DELETE r"
                engine.run(text, {"rows": chunk})


def copy(engine: Engine, table: str, rows: Sequence[Row]) -> None:
    """Load rows in bulk into a database that nobody depends on yet (a replay). Columns left out are None.

    Not inside a transaction, and not into a database in use: after a COPY the engine checkpoints by itself.
    Raises EngineError for a key that exists and for an end that is missing.
    """
    import pyarrow

    if not rows:
        return
    declared = engine.table(table)
    types = dict(declared.columns)
    if not declared.key:
        ends = (engine.table(end) for end in declared.ends)
        types = {name: end.columns[end.key] for name, end in zip(_ENDS, ends, strict=True)} | types
    _refuse_unknown(declared, {name for row in rows for name in row}, types)
    columns = {
        name: pyarrow.array([storable(row.get(name), name) for row in rows], _arrow_type(kind))
        for name, kind in types.items()
    }
    engine.load(table, pyarrow.table(columns))


def _arrow_type(column_type: str) -> Any:
    import pyarrow

    if column_type.endswith("[]"):
        return pyarrow.list_(_arrow_type(column_type[:-2]))
    return {
        "STRING": pyarrow.string(),
        "INT64": pyarrow.int64(),
        "DOUBLE": pyarrow.float64(),
        "BOOL": pyarrow.bool_(),
        "TIMESTAMP": pyarrow.timestamp("us"),
    }[column_type]


def _cast(table: Table, column: str, field: str = "") -> str:
    return f"CAST(row.{field or column} AS {table.columns[column]})"


def _find(table: Table) -> str:
    return f"UNWIND $rows AS row MATCH (n:{table.name}) WHERE n.{table.key} = {_cast(table, table.key)}"


def _both_ends(engine: Engine, table: Table) -> list[tuple[str, Table, str]]:
    """Give, for each end: its variable, its table, and the condition that finds it."""
    ends = [engine.table(name) for name in table.ends]
    return [
        (variable, end, f"{variable}.{end.key} = {_cast(end, end.key, field)}")
        for variable, end, field in zip("ab", ends, _ENDS.values(), strict=True)
    ]


def _chunks(table: Table, rows: Sequence[Row]) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """Group rows by the columns they name (a batch must have one shape, and rows) and cut the groups into batches."""
    ends = {} if table.key else _ENDS
    shapes: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        _refuse_unknown(table, row, (*table.columns, *ends))
        shape = tuple(name for name in table.columns if name in row)
        shapes.setdefault(shape, []).append({ends.get(name, name): value for name, value in row.items()})
    for columns, group in shapes.items():
        for start in range(0, len(group), _CHUNK):
            yield list(columns), group[start : start + _CHUNK]


def _refuse_unknown(table: Table, names: Iterable[str], known: Iterable[str]) -> None:
    if unknown := sorted(set(names) - set(known)):
        raise InvalidInput(f"{table.name} has no column {', '.join(unknown)}", field=unknown[0], value=table.name)


def _atomic(engine: Engine) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext() if engine.in_transaction else engine.transaction()
