"""The group `space`: make, check, rebuild, copy and move a space."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.output import Line, Shown
from sgraph.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from sgraph.records.results import VerifyReport

_ENGINE = typer.Option(metavar="ENGINE", help="kuzu, or ladybug (an extra).")
Target = Annotated[Path, typer.Argument(help="A folder that is new or empty.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Make, check, rebuild, back up and move a space.", no_args_is_help=True)
    for name, function in (
        ("init", init),
        ("verify", verify),
        ("rebuild", rebuild),
        ("backup", backup),
        ("restore", restore),
        ("dump", dump),
        ("load", load),
    ):
        command(group, name)(function)
    app.add_typer(group, name="space", rich_help_panel="Space")


def init(
    door: Door,
    engine: Annotated[str | None, _ENGINE] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE", help="How times without an offset are read, such as Europe/Berlin (default: UTC)."
        ),
    ] = None,
    block_turns: Annotated[int | None, typer.Option(min=1, help="Turns in a Block (default: 12).")] = None,
    self_name: Annotated[str | None, typer.Option(metavar="NAME", help="Who `user` is (default: user).")] = None,
    rules: Annotated[
        bool | None,
        typer.Option("--rules/--no-rules", help="Whether the built-in rules read what is recorded (default: yes)."),
    ] = None,
) -> Shown:
    """Make a space, or change the settings of one."""
    with door.memory(
        create=True, engine=engine, timezone=timezone, block_turns=block_turns, self_name=self_name, rules=rules
    ) as memory:
        found = memory.status()
    settings = ", ".join(f"{name}={value}" for name, value in found.settings.items())
    return Shown(
        found.model_dump(mode="json"),
        [Line(f"{found.path} is ready ({found.engine})"), Line(settings, indent=2)],
        hints=[f"sgraph ingest FILE --space {door.path}"],
    )


def verify(door: Door) -> Shown:
    """Check everything: the record, what points at what, the quotes, graph = replay. Exit 1 on a fault."""
    with door.memory() as memory:
        report = memory.verify()
    rows = [(fault.code, fault.id, fault.message) for fault in report.faults]
    data = {"ok": report.ok, **report.model_dump(mode="json")}
    hints = [] if report.ok else ["sgraph space rebuild replays the graph from the journal"]
    return Shown(data, list(_report(report)), ("code", "id", "message"), rows, hints, exit_code=0 if report.ok else 1)


def _report(report: VerifyReport) -> Iterator[Line]:
    checked = ", ".join(f"{number:,} {name}" for name, number in report.checked.items() if number)
    if report.ok:
        yield Line("ok: nothing is wrong", style="green")
    else:
        yield Line(f"{len(report.faults)} faults", style="red")
        yield from (Line(f"{fault.code}  {fault.id}: {fault.message}", indent=2) for fault in report.faults)
    yield Line(f"checked {checked}", style="dim")


def rebuild(door: Door, engine: Annotated[str | None, _ENGINE] = None) -> Shown:
    """Throw the graph away and replay it from the journal; with --engine, into another engine."""
    from sgraph.space import layout

    found = layout.read(door.path)
    if found is None:
        raise NotFound(f"there is no space at {door.path}", kind="space", id=str(door.path))
    if engine is not None and engine != found.engine:
        from sgraph.space.move import move_engine

        with door.steps() as step:
            move_engine(door.path, engine, step)
    else:
        with door.memory() as memory, door.steps() as step:
            memory.rebuild(progress=step)
    now = engine or found.engine
    return Shown(
        {"path": str(door.path), "engine": now},
        [Line(f"replayed the journal into a new graph ({now})")],
        hints=["sgraph space verify"],
    )


def backup(door: Door, target: Target) -> Shown:
    """Write a consistent copy of the record, while others go on writing."""
    with door.memory() as memory:
        made = memory.backup(target)
    return _made(made, f"sgraph space restore {made} --space NEW", f"backed up to {made}")


def restore(door: Door, source: Annotated[Path, typer.Argument(help="A backup.")]) -> Shown:
    """Make a space (--space) from a backup."""
    from sgraph.space import backup as backups

    made = backups.restore(source, door.path)
    return _made(made, f"sgraph status --space {made}", f"restored to {made}; the graph is replayed when it is opened")


def dump(
    door: Door, file: Annotated[Path, typer.Argument(help="Where to: a new file, or /dev/stdout.")]
) -> Shown | None:
    """Write the whole space as JSON lines."""
    if file.is_file():
        raise InvalidInput(f"{file} exists already; name a new file", field="file", value=str(file))
    with door.memory() as memory:
        count = memory.dump(file)
    if not file.is_file():
        return None
    return _made(file, f"sgraph space load {file} --space NEW", f"wrote {count} entries to {file}", entries=count)


def load(
    door: Door,
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A dump; nothing: stdin.")] = None,
    engine: Annotated[str, _ENGINE] = "kuzu",
) -> Shown:
    """Make a space (--space) from a dump."""
    from sgraph.graph.engine import storage_version
    from sgraph.transfer.dump import load as load_dump

    if file is not None and not file.is_file():
        raise NotFound(f"there is no file {str(file)!r}", kind="file", id=str(file))
    stream = file.open(encoding="utf-8") if file is not None else sys.stdin
    with stream:
        count = load_dump(stream, door.path, engine, storage_version(engine))
    return _made(
        door.path, f"sgraph status --space {door.path}", f"loaded {count} entries into {door.path}", entries=count
    )


def _made(path: Path, step: str, text: str, **more: Any) -> Shown:
    return Shown({"path": str(path), **more}, [Line(text)], hints=[step])
