"""`sgraph process`: let the configured models derive what is due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.records.jobs import Estimate, Processed

PANEL = "Models"
_FAILED = 6


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "process", panel=PANEL)(process)


def process(
    door: Door,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count the calls and tokens; nothing is sent.")
    ] = False,
    backlog: Annotated[
        bool, typer.Option("--backlog", help="Also what was recorded before a model was first configured.")
    ] = False,
    off: Annotated[
        bool, typer.Option("--off", help="Ask none from now on: the rules stand in for what waits for a model.")
    ] = False,
) -> Shown:
    """Ask the configured models for what is due. Exit 6 when a job failed, or no route answers."""
    if off:
        from sgraph.config import Models

        with door.memory(models=False) as memory:
            memory.configure(Models())
            settings = memory.status().settings
        return Shown(settings, [Line("no model is asked from now on; the rules stand in")])
    with door.memory() as memory, door.steps() as step:
        done = memory.process(backlog=backlog, dry_run=dry_run, progress=step)
    if isinstance(done, Estimate):
        return Shown(done.model_dump(mode="json"), list(_estimate(done)), hints=_next(done))
    failed = bool(done.stopped or done.failed)
    hints = ["sgraph jobs list"] if failed or done.quarantined else []
    hints += ["sgraph doctor"] if done.stopped else []
    return Shown(done.model_dump(mode="json"), list(_processed(done)), hints=hints, exit_code=_FAILED if failed else 0)


def _estimate(found: Estimate) -> Iterator[Line]:
    if not found.calls:
        yield Line("nothing is due" if found.backlog else "nothing is due (--backlog looks at older turns)")
        return
    steps = ", ".join(f"{count:,} {step}" for step, count in found.jobs.items())
    yield Line(f"at most {found.calls:,} calls: {steps}")
    yield Line(f"about {found.tokens_in:,} tokens in, {found.tokens_out:,} out")
    yield Line(f"to {found.route or 'the route of each session'}")


def _next(found: Estimate) -> list[str]:
    return [f"sgraph process{' --backlog' if found.backlog else ''}"] if found.calls else []


def _processed(done: Processed) -> Iterator[Line]:
    if done.stopped:
        yield Line(f"stopped: {done.stopped}", style="red")
    ended = {name: getattr(done, name) for name in ("succeeded", "skipped", "failed", "quarantined")}
    said = ", ".join(f"{count} {name}" for name, count in ended.items() if count)
    yield Line(said or "nothing was due")
    if done.calls:
        yield Line(f"{done.calls:,} calls, {done.tokens_in:,} tokens in, {done.tokens_out:,} out")
    if done.stood_in:
        yield Line(f"the rules stand in for {done.stood_in} Blocks")
    if done.waiting:
        due = f", the next at {done.next_due:%H:%M:%S} UTC" if done.next_due else ""
        yield Line(f"{done.waiting} wait{due}")
