"""The command `export`: a part of the graph as a file for review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown

if TYPE_CHECKING:
    from sgraph.transfer.subgraph import Subgraph

_CUT = {
    "nodes": "{} nodes over the limit",
    "events": "{} further events over the limit",
    "edges": "relations that lead outside: {}",
}


def register(app: typer.Typer) -> None:
    """Add the command. Its `-o` is the file; the form of the report can be asked for before the command."""
    command(app, "export", panel="Share", without=("output",))(export)


def export(
    door: Door,
    file: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to: .html to read, .json to load, .graphml to draw."
        ),
    ],
    around: Annotated[
        str | None, typer.Option(metavar="NAME", help="Around this person, project or thing; without: all.")
    ] = None,
    hops: Annotated[int, typer.Option(min=0, help="How many relations are followed, both ways.")] = 1,
    kind: Annotated[list[str] | None, typer.Option(help="Only people, places … of this kind; may be repeated.")] = None,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="What held then; without: history too.")] = None,
    known_at: Annotated[str | None, typer.Option(metavar="TIME", help="As this memory knew it then.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many nodes.")] = 200,
) -> Shown:
    """Write a part of the graph, with the words every claim rests on, to a file that a colleague can review."""
    with door.memory() as memory:
        found = memory.subgraph(around, kinds=kind, hops=hops, as_of=as_of, known_at=known_at, limit=limit)
        made = found.write(file)
    counts, cut = found.counts.model_dump(), found.data.cut.model_dump()
    hints = [f"open {made.resolve().as_uri()}"] if made.suffix == ".html" else []
    return Shown({"path": str(made), "counts": counts, "cut": cut}, [Line(written(made, found))], hints=hints)


def written(file: Path, subgraph: Subgraph) -> str:
    """Say what was written, and what was left out."""
    counts = ", ".join(f"{number} {name}" for name, number in subgraph.counts.model_dump().items())
    cut = [_CUT[name].format(number) for name, number in subgraph.data.cut.model_dump().items() if number]
    return "; ".join([f"wrote {file}: {counts}", *cut])
