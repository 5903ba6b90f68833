"""Commands that ask the graph: cypher and query."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.records.results import Table

PANEL = "Ask"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "cypher", panel=PANEL)(cypher)
    command(app, "query", panel=PANEL)(query)


def cypher(
    door: Door,
    text: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="One reading statement; - or nothing: read from stdin.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the query from a file.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; the value is JSON, else text."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many rows (default: 100).")] = None,
    timeout: Annotated[float | None, typer.Option(min=0.001, help="Seconds the query may take (default: 10).")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Show what there is to ask.")] = False,
) -> Shown:
    """Ask the graph in Cypher. Reads only."""
    if schema:
        with door.memory() as memory:
            return _schema(memory.schema())
    statement = _statement(text, file)
    params = dict(_pair(given, as_json=True) for given in param or ())
    with door.memory() as memory:
        return shown_table(memory, memory.cypher(statement, params, limit=limit, timeout=timeout))


def query(
    door: Door,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The query; nothing: list them.")] = None,
    given: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Its parameters.")] = None,
) -> Shown:
    """Run a named query, or list them."""
    if name is None:
        return _catalogue()
    params = dict(_pair(text) for text in given or ())
    with door.memory() as memory:
        return shown_table(memory, memory.query(name, **params))


def shown_table(memory: Memory, table: Table) -> Shown:
    """Show the rows of a query."""
    empty = [Line("no rows")] if not table.rows else None
    hints = [f"there are more rows than these {len(table.rows)}: --limit N"] if table.more else ()
    return Shown(table.model_dump(mode="json"), empty, table.columns, table.rows, hints, memory.zone)


def _statement(text: str | None, file: Path | None) -> str:
    if file is not None and text is not None:
        raise InvalidInput("give the query or --file, not both", field="query")
    if file is not None:
        if not file.is_file():
            raise NotFound(f"there is no file {str(file)!r}", kind="file", id=str(file))
        return file.read_text("utf-8", errors="replace")
    if text is not None and text != "-":
        return text
    if sys.stdin.isatty():
        raise InvalidInput(
            'give a query: sgraph cypher "MATCH (e:Entity) RETURN e.name", --file FILE, or stdin', field="query"
        )
    return sys.stdin.read()


def _pair(given: str, *, as_json: bool = False) -> tuple[str, Any]:
    name, sign, value = given.partition("=")
    if not sign or not name.strip():
        raise InvalidInput(f"{given!r} is not of the form NAME=VALUE", field="param", value=given)
    if as_json:
        try:
            return name.strip(), json.loads(value)
        except (ValueError, RecursionError):
            return name.strip(), value
    return name.strip(), value


def _schema(table: Table) -> Shown:
    lines: list[Line] = []
    for name, ends, properties in table.rows:
        lines += [Line(f"{name}  {ends}", style="bold"), Line(properties, indent=4)]
    return Shown(
        table.model_dump(mode="json"),
        lines,
        table.columns,
        table.rows,
        ['sgraph cypher "MATCH (e:Entity) RETURN e.name, e.kind LIMIT 10"', "sgraph query lists ready-made questions"],
    )


def _catalogue() -> Shown:
    from sgraph.graph.named import catalogue

    queries = catalogue().values()
    rows = [(q.name, q.title, " ".join(_parameters(q.params))) for q in queries]
    lines: list[Line] = []
    for name, title, params in rows:
        lines += [Line(f"{name} {params}".strip(), style="bold"), Line(title, indent=4)]
    data = [q.model_dump(mode="json") for q in queries]
    return Shown(data, lines, ("name", "title", "parameters"), rows, ["sgraph query current_state name=NAME"])


def _parameters(params: tuple[Any, ...]) -> Iterator[str]:
    for param in params:
        yield f"{param.name}=" if param.default is None else f"[{param.name}={param.default}]"
