"""Commands that record: ingest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.errors import NotFound

if TYPE_CHECKING:
    from sgraph.transfer.incoming import IngestReport
    from sgraph.transfer.items import Skipped

LISTED = 10  # of what was left out; -o json lists all


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "ingest", panel="Record")(ingest)
    command(app, "remember", panel="Record")(remember)


def ingest(
    door: Door,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSON lines, a list of messages, LoCoMo, or a ChatGPT export."),
    ],
    thread: Annotated[str | None, typer.Option(help="Record everything in this thread.")] = None,
) -> Shown:
    """Record conversation files; make the space when there is none.

    What was recorded before is passed over, so after an interruption the same command reads on.
    """
    for file in files:
        if not file.is_file():
            raise NotFound(f"there is no file {str(file)!r}; nothing was recorded", kind="file", id=str(file))
    reports: list[IngestReport] = []
    with door.memory(create=True) as memory, door.steps() as step:
        for file in files:
            reports.append(memory.ingest(file, thread=thread, progress=partial(_read, step, file.name)))
        memory.timeline(limit=1)  # any question reads what is new: do it now, not while somebody waits for an answer
    lines = [line for report in reports for line in report_lines(report)]
    names = ("path", "kept", "known", "submitted", "refused", "skipped", "blocks")
    rows = [[r.path, r.kept, r.known, r.submitted, len(r.refused), len(r.skipped), r.blocks] for r in reports]
    return Shown(
        [report.model_dump(mode="json") for report in reports],
        lines,
        names,
        rows,
        hints=["sgraph status", "sgraph query people", "sgraph timeline"] if any(r.kept for r in reports) else (),
    )


class Category(StrEnum):
    """What a note is."""

    PREFERENCE = "preference"
    DECISION = "decision"
    CORRECTION = "correction"
    FACT = "fact"
    TASK = "task"
    SKILL = "skill"
    EVENT = "event"
    NOTE = "note"


_BECAME = {
    "added": "kept",
    "conflict": "kept, and marked as in conflict with what is alike",
    "reinforced": "known already: it counts as one more use",
    "echo": "only repeats what this memory showed: nothing was added",
    "known": "recorded before",
    "pending": "handed to the process that holds the space; it decides within a second",
}


def remember(
    door: Door,
    content: Annotated[str, typer.Argument(help="One statement that stands by itself.")],
    category: Annotated[Category, typer.Option(help="What it is.")] = Category.NOTE,
    name: Annotated[str | None, typer.Option(help="A heading, for a task, a skill or an event.")] = None,
    thread: Annotated[str | None, typer.Option(help="The thread it was said in.")] = None,
    receipt: Annotated[str | None, typer.Option(help="Your id for it; the same again changes nothing.")] = None,
) -> Shown:
    """Keep a statement on purpose; make the space when there is none."""
    with door.memory(create=True) as memory:
        kept = memory.remember(content, category.value, name=name, thread=thread, by="person", receipt=receipt)
    names = ("outcome", "seq", "note", "message", "event", "conflicts")
    lines = [Line(f"{_BECAME[kept.outcome]}  (entry {kept.seq})")]
    hints = [f"sgraph query event_evidence event={kept.event}"] if kept.event else []
    return Shown(kept.model_dump(mode="json"), lines, names, [[getattr(kept, each) for each in names]], hints)


def _read(step: Callable[[str, int, int], None], name: str, read: int) -> None:
    step(name, read, 0)


def report_lines(report: IngestReport) -> Iterator[Line]:
    """Say what became of a file: what was kept, what was known, and what was left out and why."""
    name = Path(report.path).name
    if report.resumed and report.kept:
        yield Line(f"{name}: reads on from the last recorded message; {report.known} were known")
    if report.kept:
        named = ", ".join(report.threads[:5]) + (", …" if len(report.threads) > 5 else "")
        threads = f"{_counted(len(report.threads), 'thread')} ({named})"
        sealed = f"; {_counted(report.blocks, 'Block')} sealed" if report.blocks else ""
        yield Line(f"{name}: kept {_counted(report.kept, 'message')} in {threads}{sealed}")
    else:
        known = f", all {report.known} messages were recorded before" if report.known else ""
        yield Line(f"{name}: nothing new{known}")
    if report.submitted:
        yield Line(f"took {_counted(report.submitted, 'derivation')}", indent=2)
    yield from _left_out("refused", report.refused)
    yield from _left_out("left out or not whole", report.skipped)


def _left_out(what: str, items: Sequence[Skipped]) -> Iterator[Line]:
    if items:
        yield Line(f"{what}: {len(items)}", indent=2)
        yield from (Line(f"{item.place}: {item.reason}", indent=4) for item in items[:LISTED])
        if len(items) > LISTED:
            yield Line(f"… {len(items) - LISTED} more; -o json lists all", indent=4)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
