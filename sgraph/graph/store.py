"""The graph of a space: entries go in exactly once, in order, whatever is killed when.

`apply` writes the rows of new entries and the number of the last one in one transaction; `replay` loads everything into
an empty graph by COPY. Both fold the same plans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sgraph.errors import EngineError
from sgraph.graph import write
from sgraph.graph.engine import Engine
from sgraph.graph.plan import plan
from sgraph.graph.rows import ENDS, IDENTITY, KEYS, Delta
from sgraph.graph.values import readable, storable
from sgraph.records.entries import Entry
from sgraph.records.parts import MessagePart
from sgraph.resources import resource_dir

Contents = dict[str, dict[tuple[Any, ...], dict[str, Any]]]
META = "graph"
PORTION_TEXT = 4 << 20  # characters that one transaction takes
COPY_TEXT, LARGE_ROW = 8 << 20, 1 << 20  # characters


def meta(engine: Engine) -> dict[str, Any]:
    """Give where the graph stands: space, schema_version, applied, hash; nothing when it is unfinished."""
    if "Meta" not in engine.tables():
        return {}
    found = engine.run(
        "MATCH (m:Meta {key: 'graph'}) "
        "RETURN m.space AS space, m.schema_version AS schema_version, m.applied AS applied, m.hash AS hash"
    )
    return next(iter(found.records()), {})


def applied(engine: Engine) -> int:
    """Give the number of the last entry the graph holds."""
    return int(engine.run("MATCH (m:Meta {key: 'graph'}) RETURN m.applied").rows[0][0])


def portion(entries: Iterable[Entry], most: int, parts: int) -> list[Entry]:
    """Take entries from the front: `most` of them, or fewer when they hold as many `parts`, or much text."""
    taken: list[Entry] = []
    held = text = 0
    for entry in entries:
        taken.append(entry)
        held += len(entry.parts)
        text += sum(
            len(part.content) + len(part.tool_calls or "") for part in entry.parts if isinstance(part, MessagePart)
        )
        if len(taken) == most or held >= parts or text > PORTION_TEXT:
            break
    return taken


def apply(engine: Engine, entries: Iterable[Entry], *, hash_of: Callable[[int], str]) -> int:
    """Bring entries into the graph, in order, in one transaction; give the number of the last entry it then holds.

    Entries it already holds are passed over, so it may be repeated after any error.
    """
    before = applied(engine)
    delta, last = Delta(), before
    for entry in entries:
        if entry.seq > before:
            delta.extend(plan(entry))
            last = entry.seq
    if last > before:
        try:
            with engine.transaction():
                _write(engine, delta)
                write.set_nodes(engine, "Meta", [{"key": META, "applied": last, "hash": hash_of(last)}])
        except EngineError as error:
            if error.details.get("outcome") != "unknown" or applied(engine) != last:
                raise
    return last


def preview(engine: Engine, entry: Entry) -> None:
    """Write the rows of an entry that is not in the journal, into a private copy that is thrown away when it is."""
    delta = Delta()
    delta.extend(plan(entry))
    with engine.transaction():
        _write(engine, delta)


def _write(engine: Engine, delta: Delta) -> None:
    for table, nodes in delta.nodes.items():
        write.create_nodes(engine, table, _node_rows(table, nodes))
    for table, nodes in delta.ensured.items():
        write.ensure_nodes(engine, table, _node_rows(table, nodes))
    for table, changes in delta.changes.items():
        write.set_nodes(engine, table, _node_rows(table, changes))
    for table, sums in delta.sums.items():
        write.add_to_nodes(engine, table, _node_rows(table, sums))
    for table, unlinks in delta.unlinks.items():
        names = IDENTITY.get(table, ())
        rows = [{"from": row.source, "to": row.target, **{n: row.props[n] for n in names}} for row in unlinks.values()]
        write.delete_rels(engine, table, rows)
    for table, links in delta.links.items():
        rows = [{"from": row.source, "to": row.target, **row.props} for row in links.values()]
        if rows:
            write.create_rels(engine, table, rows)


def _node_rows(table: str, nodes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{KEYS[table]: key, **props} for key, props in nodes.items()]


def fold(entries: Iterable[Entry], progress: Callable[[int], None] | None = None) -> tuple[Delta, int]:
    """Fold the plans of entries from the first on; give the fold and the number of the last entry."""
    delta, last = Delta(), 0
    for entry in entries:
        delta.extend(plan(entry))
        last = entry.seq
        if progress is not None and last % 200 == 0:
            progress(last)
    for table, nodes in delta.ensured.items():
        delta.nodes.setdefault(table, {}).update(
            {k: v for k, v in nodes.items() if k not in delta.nodes.get(table, ())}
        )
    return delta, last


def replay(
    engine: Engine, entries: Iterable[Entry], progress: Callable[[int], None] | None = None, *,
    hash_of: Callable[[int], str]
) -> int:
    """Load entries into an empty graph by COPY; give the number of the last one. `hash_of` gives an entry's hash."""
    delta, last = fold(entries, progress)
    for table, nodes in delta.nodes.items():
        for rows, large in _portions(_node_rows(table, nodes)):
            (write.create_nodes if large else write.copy)(engine, table, rows)
    for table, links in delta.links.items():
        write.copy(engine, table, [{"from": row.source, "to": row.target, **row.props} for row in links.values()])
    write.set_nodes(engine, "Meta", [{"key": META, "applied": last, "hash": hash_of(last) if last else None}])
    return last


def _portions(rows: list[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], bool]]:
    """Cut rows into portions that one COPY takes; a large row (then True) stands alone, for COPY chokes on several."""
    portion: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        text = sum(len(value) for value in row.values() if isinstance(value, str))
        if text > LARGE_ROW:
            yield [row], True
            continue
        portion.append(row)
        size += text
        if size > COPY_TEXT:
            yield portion, False
            portion, size = [], 0
    yield portion, False


class StateReader:
    """Reads the queries of queries/state/ in one snapshot."""

    def __init__(self, run: Callable[[str], Any]) -> None:
        self._run = run

    def named(self, name: str) -> Iterator[dict[str, Any]]:
        """Give the rows of one query."""
        text = (resource_dir("queries") / "state" / f"{name}.cypher").read_text("utf-8")
        result = self._run(text)
        for row in result.rows:
            yield dict(zip(result.columns, row, strict=True))


def contents(engine: Engine) -> Contents:
    """Read the whole graph: for each table, the properties by key (nodes) or by ends and identity (relationships)."""
    found: Contents = {}
    for name, table in engine.tables().items():
        if name == "Meta":
            continue
        columns = list(table.columns)
        if name in KEYS:
            returned = ", ".join(f"n.{c}" for c in columns)
            rows = engine.run(f"MATCH (n:{name}) RETURN {returned}").rows
            at = columns.index(KEYS[name])
            found[name] = {(row[at],): _without(dict(zip(columns, row, strict=True)), KEYS[name]) for row in rows}
            continue
        source, target = ENDS[name]
        returned = ", ".join([f"a.{KEYS[source]}", f"b.{KEYS[target]}", *(f"r.{c}" for c in columns)])
        rows = engine.run(f"MATCH (a:{source})-[r:{name}]->(b:{target}) RETURN {returned}").rows
        edges: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in rows:
            props = dict(zip(columns, row[2:], strict=True))
            id = (row[0], row[1], *(props[c] for c in IDENTITY.get(name, ())))
            edges[(*id, "again")[: len(id) + (id in edges)]] = props
        found[name] = edges
    return found


def expected(entries: Iterable[Entry]) -> Contents:
    """Give what the graph of these entries must hold, in the form of `contents`."""
    delta, _ = fold(entries)
    found: Contents = {table: {} for table in (*KEYS, *ENDS) if table != "Meta"}
    for table, nodes in delta.nodes.items():
        found[table] = {(_shown(key),): {n: _shown(v) for n, v in props.items()} for key, props in nodes.items()}
    for table, links in delta.links.items():
        found[table] = {
            tuple(_shown(part) for part in id): {n: _shown(v) for n, v in row.props.items()}
            for id, row in links.items()
        }
    return found


def _shown(value: Any) -> Any:
    """Give a value as the graph gives it back."""
    return readable(storable(value, "value"))


def _without(props: dict[str, Any], name: str) -> dict[str, Any]:
    del props[name]
    return props
