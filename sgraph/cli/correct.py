"""Commands that correct: forget, unforget, undo, and the group `entity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from sgraph.cli import look
from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown

if TYPE_CHECKING:
    from sgraph.records.results import Outcome

PANEL = "Correct"
_DONE = {
    "forget": "forgotten: it is hidden everywhere, and kept in the journal",
    "unforget": "restored",
    "undo": "undone",
    "merge": "joined: both stay, one stands for both",
    "split": "split again",
}


class EntityGroup(TyperGroup):
    """`sgraph entity NAME` is `sgraph entity show NAME`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `show` before anything that is neither a command nor a call for help."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["show", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "forget", panel=PANEL)(forget)
    command(app, "unforget", panel=PANEL)(unforget)
    command(app, "undo", panel=PANEL)(undo)
    group = typer.Typer(
        cls=EntityGroup,
        help="Show a person, project or thing (entity NAME); merge two, or split them again.",
        no_args_is_help=True,
    )
    command(group, "show")(look.entity)
    command(group, "merge")(merge)
    command(group, "split")(split)
    app.add_typer(group, name="entity", rich_help_panel=look.PANEL)


def forget(
    door: Door,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="An event, a fact version in force, or a message.")],
    reason: Annotated[str | None, typer.Option(help="Why; kept with the request.")] = None,
) -> Shown:
    """Forget: hide from every answer. The record stays, and unforget restores it."""
    with door.memory() as memory:
        return _outcomes([memory.forget(each, reason=reason) for each in ids])


def unforget(
    door: Door,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="An event or message that was forgotten.")],
) -> Shown:
    """Restore what was forgotten, exactly."""
    with door.memory() as memory:
        return _outcomes([memory.unforget(each) for each in ids])


def undo(door: Door, entry: Annotated[int, typer.Argument(min=1, help="The number of the journal entry.")]) -> Shown:
    """Take back what an entry did: a forget, merge, split, or what a derivation replaced."""
    with door.memory() as memory:
        return _outcomes([memory.undo(entry)])


def merge(
    door: Door,
    name: Annotated[str, typer.Argument(help="The one that is joined (name or id).")],
    into: Annotated[str, typer.Argument(help="The one that stands for both.")],
    reason: Annotated[str | None, typer.Option(help="Why; kept with the request.")] = None,
) -> Shown:
    """Say that two are one. Both stay, and split takes it back."""
    with door.memory() as memory:
        return _outcomes([memory.merge(name, into, reason=reason)])


def split(
    door: Door, name: Annotated[str, typer.Argument(help="The one that was joined to another (name or id).")]
) -> Shown:
    """End the joining of one to another."""
    with door.memory() as memory:
        return _outcomes([memory.split(name)])


def _outcomes(done: Sequence[Outcome]) -> Shown:
    lines: list[Line] = []
    for outcome in done:
        said = (
            "handed to the process that holds the space; it decides within a second"
            if outcome.pending
            else _DONE[outcome.verb]
        )
        lines.append(Line(f"{said}  (entry {outcome.seq})"))
    rows = [(o.seq, o.verb, o.pending, o.details) for o in done]
    hints = [f"sgraph undo {o.seq} takes it back" for o in done if not o.pending and o.verb != "undo"]
    return Shown([o.model_dump(mode="json") for o in done], lines, ("seq", "verb", "pending", "details"), rows, hints)
