"""The schema as numbered, inspectable migrations: schema/NNNN_name.cypher, each run once, in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sgraph.errors import SpaceTooNew
from sgraph.graph.engine import Engine
from sgraph.graph.tokens import split
from sgraph.resources import resource_dir


@dataclass(frozen=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Give all migrations in order."""
    found = []
    for path in sorted(resource_dir("schema").glob("[0-9]*.cypher")):
        number, _, name = path.stem.partition("_")
        found.append(Migration(int(number), name, tuple(split(path.read_text("utf-8")))))
    return tuple(found)


def current_version() -> int:
    """Give the version that this code writes."""
    return migrations()[-1].version


def applied_version(engine: Engine) -> int:
    """Give the version a graph has; 0 when it is empty."""
    if "Meta" not in engine.tables():
        return 0
    rows = engine.run("MATCH (m:Meta {key: 'graph'}) RETURN m.schema_version").rows
    return int(rows[0][0]) if rows else 0


def pending(engine: Engine) -> list[Migration]:
    """Give the migrations a graph lacks. Raises SpaceTooNew for a graph of a later version."""
    version = applied_version(engine)
    if version > current_version():
        raise SpaceTooNew(
            f"the graph has schema {version}; this sgraph knows {current_version()}: upgrade sgraph-memory",
            found=version, supported=current_version(),
        )
    return [migration for migration in migrations() if migration.version > version]


def migrate(engine: Engine, space: str) -> None:
    """Bring a graph to the current schema. A kill in between leaves the graph without Meta: it is replayed then."""
    for migration in pending(engine):
        for statement in migration.statements:
            engine.define(statement)
    if applied_version(engine) == 0:
        engine.run(
            "CREATE (m:Meta {key: 'graph', space: $space, schema_version: $version, applied: 0})",
            {"space": space, "version": current_version()},
        )
    else:
        engine.run("MATCH (m:Meta {key: 'graph'}) SET m.schema_version = $version", {"version": current_version()})
