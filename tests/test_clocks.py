"""As of and known at: what was true, and what was believed, on every read."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sgraph
import sgraph.transfer.dump
from sgraph import Memory, NotFound
from sgraph.graph.engine import storage_version
from sgraph.transfer.dump import load


def now(memory: Memory) -> datetime:
    """The instant of the last entry: what is known then is everything so far."""
    memory.status()
    memory._space.catch_up()
    entry = memory._space.journal.entry(memory._space.journal.last_seq())
    return entry.at


def facts(memory: Memory, name: str, **moment: Any) -> set[tuple[Any, ...]]:
    view = memory.entity(name, **moment)
    return {
        (
            part, f.id, f.key, f.value, f.negated, f.valid_from, f.valid_to, f.status, f.corrected,
            tuple(sorted(e.event for e in f.evidence)),
        )
        for part in ("now", "disputed", "history") for f in getattr(view, part)
    }


# ------------------------------------------------------------------ as of
def test_as_of_follows_the_intervals_on_every_read(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Mara", "Brask", 10)
    for at, place in ((0, set()), (1, {"Vell"}), (9.9, {"Vell"}), (10, {"Brask"}), (400, {"Brask"})):
        instant = story.day(at)
        assert {value for _, value in story.now("Mara", as_of=instant)} == place
        assert {
            row["value"] for row in story.memory.query("state_as_of", name="Mara", as_of=instant).records()
        } == place
        assert {
            row["value"] for row in story.memory.query("current_state", name="Mara", now=instant).records()
        } == place
        assert {row["object"] for row in story.memory.query("neighbours", name="Mara", now=instant).records()} == place
        data = story.memory.subgraph("Mara", as_of=instant).data
        assert {edge.value for edge in data.edges} == place


def test_a_dispute_is_shown_as_such_for_as_long_as_it_lasted(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Mara", "Brask", 2, valid_from=story.day(1).isoformat())
    story.lives("Mara", "Osby", 9)
    then = story.memory.entity("Mara", as_of=story.day(5))
    assert (then.now, {f.value for f in then.disputed}) == ((), {"Vell", "Brask"})
    assert {f.value for f in story.memory.entity("Mara").now} == {"Osby"}


# ------------------------------------------------------------------ known at
def test_known_at_shows_what_was_believed_on_every_read(story: Any) -> None:
    story.lives("Mara", "Vell", 10)
    before = now(story.memory)
    story.lives("Mara", "Brask", 1)
    story.lives("Mara", "Osby", 20)
    assert {f.value for f in story.memory.entity("Mara").history} == {"Brask", "Vell"}
    view = story.memory.entity("Mara", known_at=before)
    assert ([f.value for f in view.now], view.history) == (["Vell"], ())
    asked = story.memory.query("state_as_of", name="Mara", as_of=story.day(99), known_at=before)
    assert [row["value"] for row in asked.records()] == ["Vell"]
    assert [edge.value for edge in story.memory.subgraph("Mara", known_at=before).data.edges] == ["Vell"]
    assert len(story.memory.timeline(known_at=before)) == 1


def test_known_at_between_shows_a_merge_that_was_taken_back(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Marushka", "Brask", 5)
    apart = now(story.memory)
    story.memory.merge("Marushka", "Mara")
    one = now(story.memory)
    story.memory.split("Marushka")
    assert story.now("Mara", known_at=apart) == {("lives_in", "Vell")}
    assert story.now("Mara", known_at=one) == story.now("Marushka", known_at=one) == {("lives_in", "Brask")}
    assert set(story.memory.entity("Marushka", known_at=one).names) == {"Mara", "Marushka"}
    assert story.now("Mara") == {("lives_in", "Vell")}
    assert story.now("Marushka") == {("lives_in", "Brask")}


def test_a_name_leads_nowhere_before_it_was_known(story: Any) -> None:
    event = story.lives("Mara Lind", "Vell", 1)
    before = now(story.memory)
    alias = {"value": "Marushka", "source_event_ids": [event]}
    node = {"ref": "n", "name": "Mara Lind", "kind": "person", "source_event_ids": [event], "aliases": [alias]}
    story.memory.submit("projection", None, {"nodes": [node], "facts": []})
    assert story.memory.entity("Marushka").name == "Mara Lind"
    assert story.memory.entity("Mara Lind", known_at=before).names == ("Mara Lind",)
    with pytest.raises(NotFound):
        story.memory.entity("Marushka", known_at=before)


def test_what_is_forgotten_now_is_hidden_at_every_time_unless_asked_for(story: Any) -> None:
    gone = story.lives("Mara", "Vell", 1)
    known = now(story.memory)
    story.lives("Mara", "Brask", 5)
    story.memory.forget(gone)
    assert story.now("Mara", known_at=known) == set()
    assert story.now("Mara", known_at=known, include_forgotten=True) == {("lives_in", "Vell")}
    assert story.memory.query("state_as_of", name="Mara", as_of=story.day(3), known_at=known).rows == ()
    assert story.memory.timeline(known_at=known) == []
    assert [e.id for e in story.memory.timeline(known_at=known, include_forgotten=True)] == [gone]


def test_words_that_came_later_are_no_evidence_then(story: Any) -> None:
    first = story.lives("Mara", "Vell", 1)
    then = now(story.memory)
    second = story.lives("Mara", "Vell", 5)
    (fact,) = story.memory.entity("Mara").now
    assert [e.event for e in fact.evidence] == [first, second]
    (fact,) = story.memory.entity("Mara", known_at=then).now
    assert [e.event for e in fact.evidence] == [first]


def test_a_correction_is_known_from_when_it_was_made(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    then = now(story.memory)
    story.lives("Mara", "Brask", 5, correction=True)
    view = story.memory.entity("Mara", known_at=then)
    assert ([f.value for f in view.now], view.history) == (["Vell"], ())


# ------------------------------------------------------------------ known at = the journal cut there
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["lives", "lives", "lives", "knows", "alias", "merge", "split", "forget", "unforget", "undo"]),
        st.integers(0, 9), st.integers(0, 9), st.integers(0, 20), st.sampled_from(["", "negated", "correction"]),
    ),
    min_size=2, max_size=8,
)  # fmt: skip
PEOPLE = ("Mara", "Ivo", "Petra")
PLACES = ("Vell", "Brask", "Osby")


def step(story: Any, action: tuple[str, int, int, int, str], done: list[int]) -> None:
    verb, a, b, at, how = action
    memory, who, other = story.memory, PEOPLE[a % 3], PEOPLE[b % 3]
    events = sorted(memory._space.state.events)
    try:
        match verb:
            case "lives" | "knows":
                value, kind, key = (
                    PLACES[b % 3], "place", "lives_in"
                ) if verb == "lives" else (other, "person", "knows")
                event = story.tell(f"{who} {verb} {value}", at)
                done.append(story.claim(event, who, key, value, about=kind, **({how: True} if how else {})).seq)
            case "alias":
                event = story.tell(f"{who} goes by {who}-{b}", at)
                alias = {"value": f"{who}-{b}", "source_event_ids": [event]}
                node = {"ref": "n", "name": who, "kind": "person", "source_event_ids": [event], "aliases": [alias]}
                done.append(memory.submit("projection", None, {"nodes": [node], "facts": []}).seq)
            case "merge":
                done.append(memory.merge(who, other).seq)
            case "split":
                done.append(memory.split(who).seq)
            case "undo":
                memory.undo(done[a % len(done)] if done else 1)
            case _:
                done.append(getattr(memory, verb)(events[a % len(events)] if events else "none").seq)
    except (sgraph.RequestRefused, sgraph.NotFound, sgraph.InvalidInput, sgraph.ReplyRefused):
        pass


def seen(memory: Memory, hidden: set[str], **moment: Any) -> dict[str, Any]:
    """What is shown of everybody, without what rests on hidden events alone."""
    found: dict[str, Any] = {}
    for name in PEOPLE:
        try:
            view = memory.entity(name, **moment)
        except sgraph.NotFound:
            continue
        kept = {(*row[:-1], tuple(e for e in row[-1] if e not in hidden)) for row in facts(memory, name, **moment)}
        if rows := {row for row in kept if row[-1]}:
            found[name] = (rows, view.id, view.members, None if hidden else view.names)
    return found


def cut(memory: Memory, at: datetime, root: Path, engine: str) -> Memory:
    """A space that was dumped at an instant and loaded again."""
    text = io.StringIO()
    sgraph.transfer.dump.dump(memory._space.journal, memory._space.layout.id, text)
    head, *lines = [json.loads(line) for line in text.getvalue().splitlines()]
    kept = [line for line in lines if line["at"] <= round(at.timestamp() * 1_000_000)]
    head |= {"entries": len(kept), "hash": kept[-1]["hash"]}
    load(io.StringIO("\n".join(map(json.dumps, [head, *kept]))), root, engine, storage_version(engine))
    return sgraph.open(root)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=STEPS, where=st.integers(0, 100))
def test_known_at_equals_the_journal_cut_there(engine: str, telling: Any, history: list[Any], where: int) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        with sgraph.open(root / "whole.sgraph", engine=engine, rules=False) as memory:
            story, done, instants = telling(memory), [], []
            for action in history:
                step(story, action, done)
                instants.append(now(memory))
            at = instants[where % len(instants)]
            forgotten = {id for id, event in memory._space.state.events.items() if event.state == "forgotten"}
            with cut(memory, at, root / "cut.sgraph", engine) as then:
                assert seen(memory, forgotten, known_at=at) == seen(then, forgotten)
                if not forgotten:
                    assert seen(memory, set(), known_at=at, include_forgotten=True) == seen(then, set())
    finally:
        shutil.rmtree(root)
