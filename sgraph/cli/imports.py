"""The group `import`: take over a memory from another assistant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from typer.core import TyperGroup

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.errors import InvalidInput, NotFound
from sgraph.records.imports import Action, Import

_LISTED = 10
Id = Annotated[str, typer.Argument(help="An import (the end of its id is enough).")]


class ImportGroup(TyperGroup):
    """`sgraph import FILE` is `sgraph import file FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `file` before anything that is neither a command nor a call for help."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["file", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        cls=ImportGroup, help="Take over a memory from another assistant (import FILE).", no_args_is_help=True
    )
    for name, function in (
        ("prompt", prompt),
        ("file", take),
        ("list", list_imports),
        ("review", review),
        ("decide", decide),
        ("commit", commit),
        ("undo", undo),
    ):
        command(group, name)(function)
    app.add_typer(group, name="import", rich_help_panel="Record")


def prompt(door: Door) -> Shown:
    """Show what to ask the other assistant; save its answer in a file."""
    from sgraph.derive.prompts import load

    text = load("external_export")[1]
    return Shown({"prompt": text}, [Line(line, whole=True) for line in text.splitlines()], hints=["sgraph import FILE"])


def take(
    door: Door,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The export, or JSON lines; - is stdin.")],
    preview: Annotated[bool, typer.Option("--preview", help="Decide and show; record nothing.")] = False,
) -> Shown:
    """Import a memory: what is new is recorded, what is known is ignored, the rest waits for review.

    The same file again goes on where it stopped, and adds nothing twice.
    """
    if file != "-" and not Path(file).is_file():
        raise NotFound(f"there is no file {file!r}", kind="file", id=file)
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    name = "" if file == "-" else Path(file).name
    with door.memory(create=True) as memory, door.steps() as step:
        one = memory.import_memory(text, name=name, preview=preview, progress=step)
    return _shown(one)


def list_imports(door: Door) -> Shown:
    """List the imports, oldest first."""
    with door.memory() as memory:
        found = memory.imports()
    rows = [(one.id, one.name, one.state, f"{one.progress[0]}/{one.progress[1]}", len(one.to_review)) for one in found]
    data = [one.model_dump(mode="json") for one in found]
    return Shown(data, None if rows else [Line("no import")], ("id", "name", "state", "decided", "to_review"), rows)


def review(
    door: Door, id: Annotated[str | None, typer.Argument(help="An import; nothing: the last one.")] = None
) -> Shown:
    """Show what waits for a person."""
    with door.memory() as memory:
        found = [one for one in memory.imports() if one.to_review and (id is None or one.id.endswith(id))]
        if not found:
            return Shown([], [Line("nothing waits for review")], ("number",), ())
        one = found[-1]
        known = {event for number in one.to_review for event in one.verdicts[number - 1].seen}
        titles = {event: memory.expand_event(event).title for event in sorted(known)}
    lines = [Line(f"{one.name or one.id}: {len(one.to_review)} to decide", style="bold")]
    for number in one.to_review:
        candidate, verdict = one.external.candidates[number - 1], one.verdicts[number - 1]
        lines.append(Line(f"{number}. {candidate.title}"))
        lines += [Line(candidate.summary, indent=3)] if candidate.summary != candidate.title else []
        lines.append(
            Line(f"{verdict.reason} (proposed: {verdict.action}, confidence {verdict.confidence:.2f})", indent=3)
        )
        lines += [Line(f"known: {titles[event]}  {event}", indent=3) for event in verdict.seen]
    actions = "|".join(get_args(Action))
    hints = [f"sgraph import decide {one.id[-12:]} NUMBER {actions} [EVENT...]", f"sgraph import commit {one.id[-12:]}"]
    return Shown(one.model_dump(mode="json"), lines, hints=hints)


def decide(
    door: Door,
    id: Id,
    number: Annotated[int, typer.Argument(min=1, help="The candidate, as `review` counts.")],
    action: Annotated[str, typer.Argument(help="ADD, MERGE, SUPERSEDE, CONFLICT or IGNORE.")],
    events: Annotated[list[str] | None, typer.Argument(metavar="[EVENT...]", help="Known events it concerns.")] = None,
) -> Shown:
    """Decide on a candidate; `commit` then records it."""
    if action.upper() not in get_args(Action):
        raise InvalidInput(f"an action is one of {', '.join(get_args(Action))}", field="action", value=action)
    with door.memory() as memory:
        one = memory.confirm_import(id, number, cast(Action, action.upper()), events or ())
    return _shown(one)


def commit(door: Door, id: Id) -> Shown:
    """Record what was decided."""
    with door.memory() as memory:
        one = memory.commit_import(id)
    return _shown(one)


def undo(door: Door, id: Id) -> Shown:
    """Take an import back: its events are forgotten, what they superseded holds again."""
    with door.memory() as memory:
        one = memory.undo_import(id)
    return _shown(one)


def _shown(one: Import) -> Shown:
    short = one.id[-12:]
    hints = {
        "awaiting_confirmation": [f"sgraph import review {short}"],
        "ready": [f"sgraph import commit {short}"],
        "committed": [f"sgraph import undo {short}"],
        "failed": ["sgraph doctor", "import the same file again to go on"],
    }
    return Shown(
        one.model_dump(mode="json"),
        list(_lines(one)),
        hints=hints.get(one.state, ()),
        exit_code=6 if one.state == "failed" else 0,
    )


def _lines(one: Import) -> Iterator[Line]:
    done, total = one.progress
    added = sum(verdict.event is not None for verdict in one.verdicts)
    ignored = sum(verdict.action == "IGNORE" for verdict in one.verdicts)
    yield Line(f"{one.name or 'import'} {one.id}: {one.state.replace('_', ' ')}", style="bold")
    yield Line(
        f"{total} found, {done} decided: {added} recorded, {ignored} known already, {len(one.to_review)} to review"
    )
    if one.note:
        yield Line(one.note, style="red")
    if one.external.coverage in ("partial", "limited"):
        yield Line(f"the export is {one.external.coverage}: {one.external.coverage_note or 'it does not say why'}")
    left_out = one.external.left_out
    yield from (Line(f"{item.place}: {item.reason}", indent=2) for item in left_out[:_LISTED])
    if len(left_out) > _LISTED:
        yield Line(f"and {len(left_out) - _LISTED} more (-o json lists all)", indent=2)
