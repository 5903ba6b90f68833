"""The group `jobs`: what asks a model, how it stands, and trying it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.cli.process import PANEL
from sgraph.errors import InvalidInput, NotFound
from sgraph.records.jobs import Job

_COLUMNS = ("id", "state", "attempts", "calls", "tokens", "reason")
_RETRIED = ("failed", "quarantined")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="List, show and retry the jobs that ask a model.", no_args_is_help=True)
    for name, function in (("list", list_jobs), ("show", show), ("retry", retry)):
        command(group, name)(function)
    app.add_typer(group, name="jobs", rich_help_panel=PANEL)


def list_jobs(
    door: Door,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="pending, running, succeeded, skipped, failed or quarantined.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also those that are done.")] = False,
) -> Shown:
    """List the jobs that are not done, oldest first."""
    with door.memory() as memory:
        found = memory.jobs(state)
        spent = memory.status().models
    shown = [job for job in found if everything or state or job.state not in ("succeeded", "skipped")]
    hints = ["sgraph jobs retry ID", "sgraph jobs show ID"] if any(job.state in _RETRIED for job in shown) else []
    if not shown:
        calls = f" ({spent.calls:,} calls so far)" if spent is not None and spent.calls else ""
        return Shown([], [Line(f"no job waits or went wrong{calls}")], _COLUMNS, (), hints)
    return Shown([job.model_dump(mode="json") for job in shown], None, _COLUMNS, [_row(job) for job in shown], hints)


def _row(job: Job) -> Sequence[object]:
    state = "off" if job.off else job.state
    return job.id, state, job.attempts, job.calls, f"{job.tokens_in:,}/{job.tokens_out:,}", job.reason


def show(door: Door, id: Annotated[str, typer.Argument(help="A job.")]) -> Shown:
    """Show a job, and the reply that was refused."""
    with door.memory() as memory:
        job = _find(memory.jobs(), id)
        refused = [one for one in memory.quarantined() if one.id == job.quarantine]
    data = job.model_dump(mode="json")
    lines = [Line(f"{name:<11} {value}") for name, value in data.items() if value is not None and value != ""]
    for one in refused:
        lines += [Line("refused", style="bold")]
        lines += [Line(f"{path}  {code}: {reason}", indent=2) for path, code, reason in one.problems]
        lines += [Line(one.reply, indent=2)]
    data["refused"] = [one.model_dump(mode="json") for one in refused]
    return Shown(data, lines, hints=[f"sgraph jobs retry {job.id}"] if job.state in _RETRIED else [])


def retry(
    door: Door,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Failed or quarantined jobs.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
) -> Shown:
    """Try failed or quarantined jobs once more, now. Exit 6 when one fails again."""
    if bool(ids) == everything:
        raise InvalidInput("name the jobs to retry, or give --all", field="ids", value=ids)
    with door.memory() as memory, door.steps() as step:
        wanted = ids or [job.id for job in memory.jobs() if job.state in _RETRIED]
        done = []
        for number, id in enumerate(wanted, 1):
            done.append(memory.retry_job(id))
            step("retry", number, len(wanted))
    rows = [_row(job) for job in done]
    lines = [Line(f"{job.id}: {job.state}{f' ({job.reason})' if job.reason else ''}") for job in done]
    failed = any(job.state in _RETRIED for job in done)
    return Shown(
        [job.model_dump(mode="json") for job in done],
        lines or [Line("nothing failed")],
        _COLUMNS,
        rows,
        [] if failed else ["sgraph process"],
        exit_code=6 if failed else 0,
    )


def _find(jobs: Sequence[Job], id: str) -> Job:
    for job in jobs:
        if job.id == id:
            return job
    raise NotFound(f"no job has the id {id!r}", kind="job", id=id)
