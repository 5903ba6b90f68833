"""`sgraph doctor`: whether the space opens and every configured route answers, and what to put right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.cli.process import PANEL

_COLUMNS = ("what", "ok", "found", "advice")
Row = tuple[str, bool, str, str]


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "doctor", panel=PANEL)(doctor)


def doctor(
    door: Door,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no model.")] = False,
) -> Shown:
    """Check the space, and each configured route with one tiny call a key. Exit 6 when something is wrong."""
    rows = [*_space(door), *_routes(offline)]
    lines = [line for row in rows for line in _lines(row)]
    wrong = not all(ok for _, ok, _, _ in rows)
    data = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    return Shown(data, lines, _COLUMNS, rows, exit_code=6 if wrong else 0)


def _lines(row: Row) -> Iterator[Line]:
    what, ok, found, advice = row
    yield Line(f"{'ok   ' if ok else 'wrong'} {what}: {found}", style="green" if ok else "red")
    if advice:
        yield Line(advice, indent=6)


def _space(door: Door) -> Iterator[Row]:
    from sgraph.space import layout

    found = layout.read(door.path)
    if found is None:
        yield "space", True, f"none at {door.path} yet", "sgraph ingest FILE makes it"
        return
    with door.memory() as memory:
        status = memory.status()
    holder = "" if status.owner else f", held by {status.holder}"
    yield "space", True, f"{status.path} opens ({status.engine}, {status.entries:,} entries{holder})", ""
    for line in status.models.attention if status.models is not None else ():
        yield "jobs", False, line, "sgraph jobs show ID, sgraph jobs retry ID"


def _routes(offline: bool) -> Iterator[Row]:
    from sgraph.config import Config
    from sgraph.derive.models.check import check
    from sgraph.derive.models.routes import label

    models = Config().models
    routes = dict.fromkeys((*models.pool, *((models.preset,) if models.preset else ())))
    if not routes:
        yield "models", True, "none configured; the built-in rules derive", ""
    for route in routes:
        if offline:
            yield label(route), True, "not asked", ""
            continue
        for found in check(route):
            yield f"{found.route} ({found.key})", found.ok, found.found, found.advice
