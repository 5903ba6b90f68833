"""What is true: random histories of claims against a brute-force model in plain Python, on both engines; its growth.

    python -m benchmarks.truth [--steps 10000] [--seed 1] [--engines kuzu,ladybug]
    python -m benchmarks.truth --growth [--facts 1000,10000,100000]

A history says, repeats, corrects, denies, forgets, restores, joins and splits, late and early, with one value or many.
After each step the slots it may touch are compared with the model, which knows nothing of versions or decisions: it
asks, for every instant at which anything could change, what holds. At the end of each history all slots, the plain
edges and the graph's replay are compared. Each engine runs in a child process. Exits with 1 on a difference.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import sgraph
from sgraph.graph import store
from sgraph.identity.cast import create
from sgraph.ids import new_id
from sgraph.records.parts import EventPart, SourceRef, Support
from sgraph.truth.decision import Decision

START = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE = [f"Person {letter}" for letter in "ABCDEF"]
PLACES = [f"Place {letter}" for letter in "JKLMN"]
KEYS = {"lives_in": True, "visits": False}  # does the key hold one value?
HISTORY = 400  # steps of one space


@dataclass
class Said:
    """What the model keeps of a claim: plain facts, in the order in which they were said."""

    event: str
    who: str
    key: str
    value: str
    negated: bool
    since: int
    said: int
    how: str
    hearsay: bool
    stated: bool


@dataclass
class Model:
    """The world by brute force: for each instant, look at everything that was ever said."""

    said: list[Said] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    joined: dict[str, str] = field(default_factory=dict)  # who is joined to whom

    def root(self, who: str) -> str:
        while who in self.joined:
            who = self.joined[who]
        return who

    def holds(self, who: str, key: str, at: int) -> set[tuple[str, bool, bool]]:
        """What holds of somebody at an instant: (value, negated, disputed)."""
        root = self.root(who)
        heard = [s for s in self.said if self.root(s.who) == root and s.key == key and s.event not in self.forgotten]
        if KEYS[key]:
            return self._line(heard, at)
        return {
            found
            for value in {s.value for s in heard}
            for found in self._line([s for s in heard if s.value == value], at)
        }

    def _line(self, heard: list[Said], at: int) -> set[tuple[str, bool, bool]]:
        heard = self._without_errors(sorted(heard, key=lambda s: s.said))
        return _now([s for s in heard if s.since <= at])

    def _without_errors(self, heard: list[Said]) -> list[Said]:
        for claim in list(heard):
            if claim.how != "correction" or claim not in heard:
                continue
            before = [s for s in heard if s.said < claim.said and (s.value, s.negated) != (claim.value, claim.negated)]
            if claim.negated:
                wrong = [s for s in before if s.value == claim.value]
            else:
                last = max(before, key=_rank, default=None)
                wrong = [s for s in before if last is not None and (s.value, s.negated) == (last.value, last.negated)]
            if not wrong:
                continue
            heard = [s for s in heard if s not in wrong]
            if not claim.negated and not claim.stated:
                since = min(claim.since, *(s.since for s in wrong))
                heard = [Said(**{**vars(s), "since": since}) if s is claim else s for s in heard]
        return heard


def _rank(said: Said) -> tuple[int, bool, int]:
    return (said.since, not said.hearsay, said.said)


def _now(heard: list[Said]) -> set[tuple[str, bool, bool]]:
    """What is in force after hearing claims that have all begun, in order of time; best witnesses last among equals."""
    force: dict[tuple[str, bool], int] = {}  # what is in force, since when
    tied: set[tuple[str, bool]] = set()
    aside: set[str] = set()  # denied while not in force
    witness: dict[tuple[str, bool], bool] = {}
    for claim in sorted(heard, key=_rank):
        what = (claim.value, claim.negated)
        if claim.negated and not any(value == claim.value for value, _ in force):
            aside.add(claim.value)
            continue
        if not claim.negated:
            aside.discard(claim.value)
        equals = {
            other for other, since in force.items()
            if other != what and since == claim.since and claim.how in ("state",) and not (
                witness[other] and not claim.hearsay
            )
        }
        keep = force.get(what) if what in force and (what not in tied or force[what] == claim.since) else None
        better = witness.get(what, True) and claim.hearsay if keep is not None else claim.hearsay
        force = {other: since for other, since in force.items() if other in equals}
        force[what] = claim.since if keep is None else keep
        witness[what] = better
        tied = (tied & force.keys() | equals | {what}) if equals else set()
    return {(v, n, (v, n) in tied) for v, n in force} | {(value, True, False) for value in aside}


class Run:
    """One random history in a space and in the model."""

    def __init__(self, root: Path, engine: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.memory = sgraph.open(root / f"{seed}.sgraph", engine=engine, rules=False)
        self.model = Model()
        self.events: list[str] = []
        self.ids: dict[str, str] = {}
        self.count = 0
        self.differences: list[str] = []

    def round(self) -> int:
        """A few claims and a few requests; compare, and give the number of steps."""
        claims = self.random.randint(10, 50)
        self._claims(claims)
        for who, key in self._all():
            self.compare(who, key)
        requests = self.random.choices(
            ("forget", "unforget", "merge", "split", "undo"), (10, 8, 4, 5, 3), k=self.random.randint(2, 6)
        )
        for verb in requests:
            getattr(self, f"_{verb}")()
            for who, key in self.random.sample(self._all(), 3):
                self.compare(who, key)
        return claims + len(requests)

    def _all(self) -> list[tuple[str, str]]:
        return [(who, key) for who in PEOPLE for key in KEYS]

    def _claims(self, count: int) -> None:
        claims = [self._claim() for _ in range(count)]
        said = [
            {"content": f"{c.who} {c.key} {c.value}", "at": START + timedelta(days=c.said), "speaker": "Teller"}
            for c in claims
        ]
        keys = self.memory.add_messages(said, thread="t").messages
        items = [
            {
                "title": f"claim {c.said}", "summary": "said", "source_message_ids": [key],
                **({"reporter": "Rumour"} if c.hearsay else {}),
            }
            for c, key in zip(claims, keys, strict=True)
        ]
        for claim, event in zip(claims, self.memory.submit("events", "t", {"events": items}).ids, strict=True):
            claim.event = event
        kinds = {c.who: "person" for c in claims} | {c.value: "place" for c in claims}
        nodes = [
            {
                "ref": name, "name": name, "kind": kind,
                "source_event_ids": [c.event for c in claims if name in (c.who, c.value)],
            }
            for name, kind in kinds.items()
        ]
        done = self.memory.submit("projection", None, {"nodes": nodes, "facts": [self._fact(c) for c in claims]})
        self.differences += [f"refused: {problem}" for problem in done.problems]
        self.model.said += claims
        self.events += [claim.event for claim in claims]

    def _claim(self) -> Said:
        pick, self.count = self.random, self.count + 1
        negated, correction, stated = pick.random() < 0.2, pick.random() < 0.15, pick.random() < 0.5
        return Said(
            event="", who=pick.choice(PEOPLE), key=pick.choice(list(KEYS)), value=pick.choice(PLACES), negated=negated,
            said=self.count, since=self.count - pick.randrange(-5, 40) if stated else self.count, stated=stated,
            hearsay=pick.random() < 0.2, how="correction" if correction else "end" if negated else "state",
        )

    def _fact(self, claim: Said) -> dict[str, Any]:
        fact: dict[str, Any] = {
            "node": claim.who, "key": claim.key, "value_ref": claim.value, "source_event_ids": [claim.event],
            "negated": claim.negated, "correction": claim.how == "correction",
        }
        return fact | ({"valid_from": (START + timedelta(days=claim.since)).isoformat()} if claim.stated else {})

    def _asked(self, verb: str, *targets: str) -> bool:
        try:
            getattr(self.memory, verb)(*targets)
        except (sgraph.RequestRefused, sgraph.NotFound):
            return False
        return True

    def _forget(self) -> None:
        if not self.events:
            return
        event = self.random.choice(self.events)
        done = self._asked("forget", event)
        if done != (event not in self.model.forgotten):
            self.differences.append(f"forget {event}: {done}")
        self.model.forgotten.add(event)

    def _unforget(self) -> None:
        if not self.model.forgotten:
            return
        event = self.random.choice(sorted(self.model.forgotten))
        self._asked("unforget", event)
        self.model.forgotten.discard(event)

    def _undo(self) -> None:
        """Forget and take it back: nothing may change."""
        left = [event for event in self.events if event not in self.model.forgotten]
        if left:
            done = self.memory.forget(self.random.choice(left))
            self.memory.undo(done.seq)

    def _known(self) -> list[str]:
        known = {info.name: id for id, info in self.memory._space.state.entities.items() if info.name in PEOPLE}
        self.ids |= known
        return sorted(known)

    def _merge(self) -> None:
        known = self._known()
        if len(known) < 2:
            return
        a, b = (self.model.root(who) for who in self.random.sample(known, 2))
        if a != b and self._asked("merge", self.ids[a], self.ids[b]):
            self.model.joined[a] = b

    def _split(self) -> None:
        if self.model.joined:
            who = self.random.choice(sorted(self.model.joined))
            if self._asked("split", self.ids[who]):
                del self.model.joined[who]

    def compare(self, who: str, key: str) -> None:
        """Compare a slot at every instant at which it could change."""
        state = self.memory._space.state
        entity = self.ids.get(who) or next((id for id, info in state.entities.items() if info.name == who), None)
        if entity is None:
            return
        self.ids[who] = entity
        facts = [f for f in state.slot_of(state.canon(entity), key) if f.visible]
        instants = sorted({s.since for s in self.model.said if s.key == key})
        instants = self.random.sample(instants, min(len(instants), 8))
        for at in instants:
            moment = START + timedelta(days=at)
            found = {
                (f.value, f.negated, f.status == "disputed")
                for f in facts if f.valid_from <= moment and (f.valid_to is None or moment < f.valid_to)
            }
            wanted = self.model.holds(who, key, at)
            if found != wanted:
                self.differences.append(
                    f"step {self.count}: {who} {key} on day {at}: {sorted(found)} instead of {sorted(wanted)}"
                )
                return

    def close(self) -> None:
        for who, key in self._all():
            self.compare(who, key)
        space = self.memory._space
        if store.contents(space.engine) != store.expected(space.journal.entries()):
            self.differences.append("the graph is not its replay")
        state = space.state
        edges = {
            (row[0], row[1])
            for row in self.memory.cypher(
                "MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN r.fact, r.relation", limit=10_000
            ).rows
        }
        wanted = {(f.id, f.key) for f in state.facts.values() if f.visible and f.about is not None and not f.negated}
        if edges != wanted:
            self.differences.append(f"{len(edges ^ wanted)} plain edges differ")
        self.memory.close()


def histories(engine: str, steps: int, seed: int) -> int:
    """Run random histories until there are enough steps; give the number of differences."""
    started, done, wrong = time.perf_counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < steps:
            run = Run(Path(folder), engine, seed)
            stop = min(done + HISTORY, steps)
            while done < stop:
                done += run.round()
            run.close()
            for line in run.differences[:3]:
                print(f"  {engine} seed {seed}: {line}", flush=True)
            wrong += len(run.differences)
            seed += 1
    print(f"{engine}: {done} steps, {wrong} differences, {time.perf_counter() - started:.0f} s", flush=True)
    return wrong


# ------------------------------------------------------------------ growth
def claims(decision: Decision, people: list[str], count: int) -> Iterator[float]:
    """Decide on claims, each an event and what it says of a slot; give the seconds each took."""
    pick = random.Random(count)
    for number in range(count):
        started = time.perf_counter()
        event, who = new_id(), pick.choice(people)
        at = START + timedelta(minutes=number)
        decision.put(EventPart(
            id=event, title=f"claim {number}", summary="", sources=(SourceRef(message=f"t/{number}"),), mentioned_at=at,
            status="ongoing", event_type="fact", method="rules",
        ))  # fmt: skip
        decision.assert_fact(
            who, pick.choice(("lives_in", "diet", "editor")), f"value {pick.randrange(40)}",
            Support(event=event, since=at), about=None, negated=False, cardinality="one",
        )
        yield time.perf_counter() - started


def growth(engine: str, sizes: list[int]) -> None:
    """Report the time of a decision and of applying it, as the space grows. About ten claims for each person."""
    print(f"{engine}: facts, median µs to decide, ms to apply 100 decisions")
    with tempfile.TemporaryDirectory() as folder:
        memory = sgraph.open(Path(folder) / "s.sgraph", engine=engine, rules=False)
        space, known = memory._space, 0
        memory.add_messages([{"content": "start"}], thread="t")
        space.catch_up()
        people: list[str] = []
        for size in sizes:
            timed: list[float] = []
            while known < size:
                decision = Decision(space.state, datetime.now(UTC), "rule")
                people += [create(decision, f"P{len(people) + n} Q{n}", "person", ()) for n in range(10)]
                timed += claims(decision, people, batch := min(1_000, size - known))
                known += batch
                space.record("decided", _sourced(decision.parts), decision.at)
            decision = Decision(space.state, datetime.now(UTC), "rule")
            timed = list(claims(decision, people, 100))
            parts, started = _sourced(decision.parts), time.perf_counter()
            space.record("decided", parts, decision.at)
            print(f"  {size:>7}  {1e6 * median(timed):7.0f}  {1e3 * (time.perf_counter() - started):7.0f}", flush=True)
        memory.close()


def _sourced(parts: list[Any]) -> list[Any]:
    """Let every event rest on the one message there is."""
    source = (SourceRef(message="t/1"),)
    return [part.model_copy(update={"sources": source}) if isinstance(part, EventPart) else part for part in parts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", default="kuzu,ladybug")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--facts", default="1000,3000,10000,30000,100000")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        if given.growth:
            growth(given.child, [int(size) for size in given.facts.split(",")])
            return 0
        return int(histories(given.child, given.steps, given.seed) > 0)
    command = [sys.executable, "-m", "benchmarks.truth", *sys.argv[1:]]
    return max(
        subprocess.call([*command, "--child", engine], env=dict(os.environ)) for engine in given.engines.split(",")
    )


if __name__ == "__main__":
    sys.exit(main())
