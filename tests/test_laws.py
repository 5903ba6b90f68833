"""The laws of the record: replay = live, RELATES = visible current relation facts, nothing without its evidence."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sgraph
from sgraph.graph import store
from sgraph.graph.state import State

BASE = datetime(2026, 1, 1, 9, tzinfo=UTC)
PEOPLE = ("Mara", "Ivo", "Petra")
PLACES = ("Brask", "Vell", "Osby")

turns = st.fixed_dictionaries(
    {
        "do": st.just("turn"),
        "thread": st.sampled_from(["a", "b/c"]),
        "text": st.sampled_from(
            ["I live in Vell.", "Mara moved to Brask.", "hello", "I prefer tea.", "The trip is off.", ""]
        ),
        "hours": st.integers(-48, 48),
    }
)
facts = st.fixed_dictionaries(
    {
        "do": st.just("fact"),
        "who": st.sampled_from(PEOPLE),
        "key": st.sampled_from(["lives_in", "knows"]),
        "value": st.sampled_from(PLACES),
        "day": st.one_of(st.none(), st.integers(0, 20)),
        "negated": st.booleans(),
        "correction": st.booleans(),
        "replace": st.booleans(),
    }
)
requests = st.fixed_dictionaries(
    {
        "do": st.sampled_from(["forget", "unforget", "merge", "split", "undo", "pin"]), "pick": st.integers(0, 30),
        "other": st.integers(0, 30),
    }
)
histories = st.lists(st.one_of(turns, facts, requests), min_size=1, max_size=14)


class World:
    """A memory and what it takes to act on it from small numbers."""

    def __init__(self, root: Path, engine: str) -> None:
        self.memory = sgraph.open(root, engine=engine, block_turns=3)
        self.turns = 0
        self.entries: list[int] = []

    def step(self, action: dict[str, Any]) -> None:
        with suppress(sgraph.RequestRefused, sgraph.NotFound, sgraph.InvalidInput, sgraph.ReplyRefused):
            getattr(self, "_" + action["do"], self._request)(action)

    def _turn(self, action: dict[str, Any]) -> None:
        self.turns += 1
        at = BASE + timedelta(hours=self.turns + action["hours"])
        self.memory.add_turn(user=action["text"], assistant="Noted.", thread=action["thread"], at=at, speaker="Mara")

    def _fact(self, action: dict[str, Any]) -> None:
        self.turns += 1
        self.memory.add_messages(
            [{"content": f"About {action['who']}.", "id": f"m{self.turns}"}], thread="facts",
            at=BASE + timedelta(days=self.turns),
        )
        event = self.memory.submit(
            "events", "facts",
            {
                "events": [
                    {
                        "title": f"{action['who']} {action['key']} {action['value']}", "summary": "said",
                        "source_message_ids": [f"m{self.turns}"],
                    }
                ]
            },
        )
        fact = {
            "node": "n", "key": action["key"], "value_ref": "v", "source_event_ids": list(event.ids),
            "negated": action["negated"], "correction": action["correction"],
        }
        if action["day"] is not None:
            fact["valid_from"] = (BASE + timedelta(days=action["day"])).date().isoformat()
        state = self.memory._space.state
        if action["replace"] and state.facts:
            fact["replaces"] = [sorted(state.facts)[-1]]
        nodes = [
            {"ref": "n", "name": action["who"], "kind": "person", "source_event_ids": list(event.ids)},
            {"ref": "v", "name": action["value"], "kind": "place", "source_event_ids": list(event.ids)},
        ]
        done = self.memory.submit("projection", "facts", {"nodes": nodes, "facts": [fact]})
        self.entries.append(done.seq)

    def _request(self, action: dict[str, Any]) -> None:
        state = self.memory._space.state
        verb = action["do"]
        if verb == "undo":
            if self.entries:
                self.memory.undo(self.entries[action["pick"] % len(self.entries)])
            return
        pool = sorted(state.entities if verb in ("merge", "split") else state.events)
        if not pool:
            return
        picked, other = pool[action["pick"] % len(pool)], pool[action["other"] % len(pool)]
        done = self.memory.merge(picked, other) if verb == "merge" else getattr(self.memory, verb)(picked)
        self.entries.append(done.seq)

    def check(self) -> None:
        space = self.memory._space
        space.catch_up()
        found, wanted = store.contents(space.engine), store.expected(space.journal.entries())
        assert found == wanted
        followed, read = space.state, State.read(store.StateReader(space.engine.run))
        assert comparable(followed) == comparable(read)
        relations = {
            (fact.entity, fact.about, fact.key, fact.valid_from, fact.valid_to, fact.id)
            for fact in followed.facts.values()
            if fact.about is not None and fact.visible and fact.session is None and not fact.negated
        }
        edges = {(id[0], id[1], p["relation"], p["since"], p["until"], p["fact"]) for id, p in found["RELATES"].items()}
        assert edges == relations
        assert {id[0] for id in found["SOURCED_FROM"]} == {key for (key,) in found["Event"]}
        assert {id[0] for id in found["SUPPORTED_BY"]} == {key for (key,) in found["Fact"]}
        singles: dict[tuple[str, str], list[Any]] = {}
        for fact in followed.facts.values():
            if fact.visible and fact.cardinality == "one" and not fact.negated and fact.status != "disputed":
                singles.setdefault((followed.canon(fact.entity), fact.key), []).append(fact)
        for group in singles.values():
            spans = sorted(
                {(f.valid_from, f.valid_to) for f in group},
                key=lambda s: (s[0], s[1] or datetime.max.replace(tzinfo=UTC)),
            )
            assert all(end is None or start <= end for start, end in spans)
            assert all(a[1] is not None and a[1] <= b[0] for a, b in pairwise(spans))


def comparable(state: State) -> dict[str, Any]:
    """Everything of a state but the counters that only order what is new."""
    said = {
        slot: {id: (s.value, s.about, s.negated, s.cardinality, s.support) for id, s in by.items()}
        for slot, by in state.said.items()
        if by
    }
    return {
        "entities": state.entities, "members": {k: v for k, v in state.members.items() if v},
        "names": {k: v for k, v in state.names.items() if v},
        "merges": state.merges, "events": state.events, "facts": state.facts, "said": said, "ready": state.ready,
        "blocks": state.blocks, "superseded": {k: v for k, v in state.superseded_by.items() if v},
    }


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories)
def test_replay_equals_live_over_random_histories(engine: str, history: list[dict[str, Any]]) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        world = World(root / "s.sgraph", engine)
        for action in history:
            world.step(action)
            world.check()
        before = store.contents(world.memory._space.engine)
        world.memory.rebuild()
        assert store.contents(world.memory._space.engine) == before
        assert world.memory.verify().ok
        world.memory.close()
    finally:
        shutil.rmtree(root)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=st.lists(turns, min_size=2, max_size=12), cut=st.integers(1, 11))
def test_where_a_batch_ends_does_not_matter(engine: str, history: list[dict[str, Any]], cut: int) -> None:
    root = Path(tempfile.mkdtemp())

    def outcome(name: str, stops: set[int]) -> list[Any]:
        world = World(root / name, engine)
        for number, action in enumerate(history):
            world.step(action)
            if number in stops:
                world.memory._space.catch_up()
        world.memory._space.catch_up()
        state = world.memory._space.state
        names = {id: info.name for id, info in state.entities.items()}
        facts = sorted(
            (names[f.entity], f.key, f.value, f.negated, f.valid_from, str(f.valid_to), f.status, f.visible)
            for f in state.facts.values()
        )
        events = sorted((e.title, e.state, e.status, e.mentioned_at, e.messages) for e in state.events.values())
        world.memory.close()
        return [facts, events]

    try:
        assert outcome("all.sgraph", set()) == outcome("some.sgraph", {cut}) == outcome(
            "each.sgraph", set(range(len(history)))
        )
    finally:
        shutil.rmtree(root)
