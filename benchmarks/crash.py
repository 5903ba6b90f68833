"""Kill a process that records, submits, checkpoints, rebuilds and closes, and see that nothing it acknowledged is lost.

    python -m benchmarks.crash --kills 100 --engine kuzu

A child works on a space and acknowledges, on its standard output, every turn and every derivation once the call has
returned. It is killed with SIGKILL at random instants, inside checkpoints, and at named points (by itself, at the n-th
passage). Then the space is opened as anybody would open it. Must: 0 lost, 0 partial, 0 unopenable; graph = replay.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sgraph

SPACES_EVERY = 20  # kills on one space before the next one is begun
STEPS = 120  # of a child that is not killed


@dataclass
class Report:
    """What became of the kills. `repaired`: spaces whose graph had to be replayed (nothing is lost by that)."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    partial: int = 0
    unopenable: int = 0
    unequal: int = 0
    repaired: int = 0
    points: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Say whether nothing at all went wrong."""
        return not (self.lost or self.partial or self.unopenable or self.unequal)


# ------------------------------------------------------------------ the child
def _points() -> dict[str, tuple[Any, str, bool]]:
    """Name the fault points: where a function lives, its name, and whether death comes after it (else before)."""
    from sgraph.graph import checkpoint, store
    from sgraph.graph.engine import Engine
    from sgraph.journal.log import Journal
    from sgraph.journal.work import IndexDigests
    from sgraph.space import graphs, layout, lock

    return {
        "space.toml written": (layout, "create", True),
        "entry written, not committed": (Journal, "append", True),
        "decisions kept, graph not written": (store, "apply", False),
        "graph written, not committed": (Engine, "_commit", False),
        "graph committed": (Engine, "_commit", True),
        "checkpoint: copy beside the file": (checkpoint, "_make", True),
        "checkpoint done, copy not dropped": (checkpoint, "_drop", False),
        "checkpoint over": (checkpoint, "_drop", True),
        "replay loaded, not in place": (store, "replay", True),
        "replay in place": (graphs, "build", True),
        "index digests kept": (IndexDigests, "set", True),
        "graph closed, lock held": (lock.OwnerLock, "release", False),
        "lock released": (lock.OwnerLock, "release", True),
    }


def _arm(point: str, passage: int) -> None:
    """Let this process kill itself at the n-th passage of a point."""
    owner, name, after = _points()[point]
    wrapped: Callable[..., Any] = getattr(owner, name)
    passed = 0

    def deadly(*args: Any, **named: Any) -> Any:
        nonlocal passed
        passed += 1
        if passed == passage and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = wrapped(*args, **named)
        if passed == passage:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def work(path: Path, engine: str, run: str, seed: int) -> None:
    """Work on a space, acknowledging what is done."""
    dice = random.Random(seed)
    memory = sgraph.open(path, engine=engine, block_turns=4)
    _say("open")
    for step in range(STEPS):
        name = f"{run}.{step}"
        thread = f"t{step % 3}"
        memory.add_turn(
            user=f"I live in Place{step}. {name}",
            assistant=f"Noted {name}.",
            thread=thread,
            receipt=name,
            ids=[name, None],
        )
        _say(f"turn {name}")
        match dice.randrange(12):
            case 0 | 1 | 2:
                memory.cypher("MATCH (m:Message) RETURN count(*)")
            case 3 | 4:
                event = {"title": name, "summary": name, "source_message_ids": [name], "quotes": [name]}
                (id,) = memory.submit("events", thread, {"events": [event]}).ids
                _say(f"event {id}")
            case 5 | 6:
                _say("checkpoint")
                memory._space.engine.checkpoint()
            case 7:
                memory.recall("Where do I live?")
            case 8:
                _say("close")
                memory.close()
                memory = sgraph.open(path)
            case 9 if step % 4 == 0:
                memory.rebuild()
    memory.close()


# ------------------------------------------------------------------ the killer
def _kill_one(path: Path, engine: str, run: str, dice: random.Random, report: Report) -> set[str]:
    """Let a child work, and kill it; give what it acknowledged."""
    command = [sys.executable, "-m", "benchmarks.crash", "--child", str(path), "--engine", engine, "--run", run]
    command += ["--seed", str(dice.randrange(1 << 30))]
    how = dice.choice(["instant", "start", "checkpoint", "close", "point", "point"])
    if how == "point":
        how = dice.choice(sorted(_points()))
        command += ["--point", how, "--passage", str(dice.choice((1, 1, 2, 3, 5, 8)))]
    report.points[how] += 1
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        said = b""
        wanted = {"instant": b"open\n", "checkpoint": b"checkpoint\n", "close": b"close\n"}.get(how)
        deadline = time.monotonic() + 30
        while (wanted or how in _points()) and (wanted is None or wanted not in said) and time.monotonic() < deadline:
            if select.select([child.stdout], [], [], 0.5)[0]:
                if not (more := os.read(child.stdout.fileno(), 65_536)):
                    break
                said += more
        time.sleep(dice.random() * {"instant": 2.0, "start": 1.5, "checkpoint": 0.15, "close": 0.05}.get(how, 0.0))
        child.kill()
        said += child.stdout.read()
    report.kills += 1
    return set(said.decode().splitlines())


def _examine(path: Path, engine: str, acknowledged: set[str], report: Report) -> None:
    """Open a space after a kill, and hold it against what was acknowledged."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with sgraph.open(path, engine=engine) as memory:
                rows = memory.cypher("MATCH (m:Message) RETURN m.content", limit=1_000_000).rows
                events = {id for (id,) in memory.cypher("MATCH (v:Event) RETURN v.id", limit=1_000_000).rows}
                faults = memory.verify().faults
        report.repaired += any(warning.category.__name__ == "SpaceRepaired" for warning in warned)
    except Exception as error:
        report.unopenable += 1
        report.notes.append(f"{path}: {type(error).__name__}: {error}")
        return
    kept = Counter(content.rstrip(".").rpartition(" ")[2] for (content,) in rows)
    partial = {name: times for name, times in kept.items() if times != 2}
    turns = {line.partition(" ")[2] for line in acknowledged if line.startswith("turn ")}
    lost = (turns - kept.keys()) | (
        {line.partition(" ")[2] for line in acknowledged if line.startswith("event ")} - events
    )
    report.partial += len(partial)
    report.lost += len(lost)
    report.unequal += bool(faults)
    report.notes += [f"partial {name}: {times}" for name, times in partial.items()]
    report.notes += [f"lost {name}" for name in lost]
    report.notes += [f"{fault.code} {fault.id}: {fault.message}" for fault in faults[:5]]


def crash(folder: Path, engine: str, kills: int, seed: int, progress: Callable[[Report], None] | None = None) -> Report:
    """Kill `kills` children, a new space every now and then; give what became of it."""
    dice, report, acknowledged, before = random.Random(seed), Report(), set[str](), 0
    for number in range(kills):
        path = folder / f"crash{number // SPACES_EVERY}.sgraph"
        if number % SPACES_EVERY == 0:
            acknowledged, before = set(), report.acknowledged
        acknowledged |= _kill_one(path, engine, str(number), dice, report)
        done = {line for line in acknowledged if line.startswith(("turn ", "event "))}
        report.acknowledged = before + len(done)
        if path.exists():
            _examine(path, engine, done, report)
        if progress is not None:
            progress(report)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--engine", default="kuzu")
    parser.add_argument("--seed", type=int, default=1)
    for name in ("--child", "--run", "--point"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--passage", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        if args.point:
            _arm(args.point, args.passage)
        work(Path(args.child), args.engine, args.run, args.seed)
        return 0

    def show(report: Report) -> None:
        print(f"\r{report.kills} kills", end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        report = crash(Path(folder), args.engine, args.kills, args.seed, show)
    print(file=sys.stderr)
    for name, times in sorted(report.points.items()):
        print(f"{times:4} {name}")
    for note in report.notes[:50]:
        print(note)
    print(
        f"{args.engine}: {report.kills} kills, {report.acknowledged} acknowledged: {report.lost} lost, "
        f"{report.partial} partial, {report.unopenable} unopenable, {report.unequal} unequal to their replay, "
        f"{report.repaired} replayed"
    )
    return 0 if report.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
