"""The application: its commands, one module for each group, and the options that stand before them."""

from __future__ import annotations

from typing import Annotated

import typer

from sgraph.cli import ask, correct, demo, doctor, find, imports, jobs, look, process, record, share, space
from sgraph.cli.door import Debug, Output, Quiet, Space

app = typer.Typer(
    name="sgraph",
    help="Long-term memory for AI agents: evidence kept for good, a graph that can be asked in Cypher.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from sgraph import __version__

        print(f"sgraph {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    *,
    space: Space = None,
    output: Output = None,
    quiet: Quiet = False,
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Keep what was said for good, and ask it."""
    ctx.obj = {"space": space, "output": output, "quiet": quiet, "debug": debug}


for _group in (demo, record, find, ask, look, share, correct, space, process, jobs, imports, doctor):
    _group.register(app)
