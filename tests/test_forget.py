"""Forget, restore, pin and undo: what goes with an event, what comes back, and what refuses with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph import Memory, NotFound, RequestRefused

LIVES = "lives_in"


def surfaces(memory: Memory, name: str) -> dict[str, Any]:
    """Everything that is shown of somebody, without what numbers and dates the versions."""
    view = memory.entity(name)
    facts = [
        (
            part, f.key, f.value, f.negated, f.valid_from, f.valid_to, f.status, f.confidence,
            tuple((e.event, e.quote) for e in f.evidence),
        )
        for part in ("now", "disputed", "history") for f in getattr(view, part)
    ]
    relations = memory.cypher(
        "MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.name, r.relation, b.name, r.since, r.until", limit=1000
    ).rows
    return {
        "facts": sorted(map(repr, facts)),
        "planned": [e.id for e in view.planned],
        "names": view.names,
        "members": view.members,
        "timeline": [(e.id, e.state) for e in memory.timeline()],
        "relations": sorted(map(repr, relations)),
        "current": sorted(map(repr, (row[:5] for row in memory.query("current_state", name=name).rows))),
        "events": memory.cypher("MATCH (v:Event) RETURN v.id, v.state, v.pinned ORDER BY v.id", limit=1000).rows,
    }


def words_anywhere(memory: Memory, word: str, name: str) -> list[str]:
    """Name the surfaces that show a word, the messages themselves aside: they are the evidence and stay."""
    shown = {
        "entity": memory.entity(name).model_dump_json(),
        "timeline": json.dumps([e.model_dump(mode="json") for e in memory.timeline()]),
        "relations": repr(
            memory.cypher("MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.name, r.relation, b.name").rows
        ),
        "visible facts": repr(
            memory.cypher("MATCH (f:Fact) WHERE f.visible AND f.retired_at IS NULL RETURN f.value").rows
        ),
        "live events": repr(memory.cypher("MATCH (v:Event) WHERE v.state = 'active' RETURN v.title").rows),
        "search_events": repr(memory.search_events(word).cards),
        "search_graph": repr(memory.search_graph(f"{name} {word}").cards),
        "subgraph": memory.subgraph(name, hops=2).data.model_dump_json(),
    }
    for query, params in (
        ("current_state", {"name": name}), ("state_as_of", {"name": name, "as_of": "2030-01-01"}),
        ("neighbours", {"name": name}),
        ("claim_history", {"name": name, "key": LIVES}), ("who_said", {"name": name, "key": LIVES}),
        ("timeline", {"name": name}),
        ("open_plans", {}), ("superseded", {}), ("disputed_facts", {}), ("conflicts", {}),
        ("changed_since", {"since": "2020-01-01"}),
    ):
        shown[query] = repr(memory.query(query, **params).rows)
    return [surface for surface, text in shown.items() if word in text]


# ------------------------------------------------------------------ what goes
def test_what_rests_on_the_event_alone_is_out_of_every_surface_and_stays_out(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    gone = story.lives("Mara", "Brask", 5)
    assert "entity" in words_anywhere(story.memory, "Brask", "Mara")
    story.memory.forget(gone)
    assert words_anywhere(story.memory, "Brask", "Mara") == []
    story.memory.rebuild()
    assert words_anywhere(story.memory, "Brask", "Mara") == []
    assert story.memory.verify().ok


def test_what_it_had_replaced_is_current_again(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    gone = story.lives("Mara", "Brask", 5)
    assert story.now("Mara") == {(LIVES, "Brask")}
    story.memory.forget(gone)
    (fact,) = story.memory.entity("Mara").now
    assert (fact.value, fact.valid_from, fact.valid_to) == ("Vell", story.day(1), None)
    assert {e.state for e in story.memory.timeline()} == {"active"}


def test_what_another_event_says_too_stays(story: Any) -> None:
    first, second = story.lives("Mara", "Vell", 1), story.lives("Mara", "Vell", 2)
    story.memory.forget(first)
    (fact,) = story.memory.entity("Mara").now
    assert ([e.event for e in fact.evidence], fact.valid_from) == ([second], story.day(2))


def test_forgetting_in_the_middle_joins_what_was_before_and_after(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    middle = story.lives("Mara", "Brask", 5)
    story.lives("Mara", "Osby", 9)
    story.memory.forget(middle)
    assert [(f.value, f.valid_to) for f in story.memory.entity("Mara").history] == [("Vell", story.day(9))]


def test_a_plan_that_was_called_off_is_a_plan_again_when_the_calling_off_is_forgotten(story: Any) -> None:
    plan = story.tell("Visit the quarry", 1, status="planned", event_type="plan")
    off = story.tell("The quarry visit is off", 2, status="cancelled", event_type="cancellation", supersedes=[plan])
    assert story.memory.query("open_plans").rows == ()
    story.memory.forget(off)
    assert [row["event"] for row in story.memory.query("open_plans").records()] == [plan]


def test_a_name_goes_with_the_last_event_it_rests_on(story: Any) -> None:
    story.lives("Mara Lind", "Vell", 1)
    alias = story.tell("Mara Lind is also called Marushka", 2)
    nodes = [{
        "ref": "n", "name": "Mara Lind", "kind": "person", "source_event_ids": [alias],
        "aliases": [{"value": "Marushka", "source_event_ids": [alias]}],
    }]
    story.memory.submit("projection", None, {"nodes": nodes, "facts": []})
    before = story.memory.entity("Marushka")
    story.memory.forget(alias)
    with pytest.raises(NotFound):
        story.memory.entity("Marushka")
    assert story.memory.entity("Mara Lind").names == ("Mara Lind",)
    story.memory.unforget(alias)
    assert story.memory.entity("Marushka").names == before.names


def test_who_is_known_from_what_is_forgotten_alone_is_not_known(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    event = story.lives("Sorrel", "Osby", 2)
    story.memory.forget(event)
    with pytest.raises(NotFound) as refusal:
        story.memory.entity("Sorel")
    assert refusal.value.details["near"] == []
    with pytest.raises(NotFound):
        story.memory.entity("Sorrel")


def test_a_fact_or_a_message_can_be_named_instead_of_the_event(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    (fact,) = story.memory.entity("Mara").now
    assert story.memory.forget(fact.id).details["events"] == [fact.evidence[0].event]
    other = story.lives("Ivo", "Osby", 2)
    message = story.memory.expand_event(other).evidence[0].message
    assert story.memory.forget(message).details["events"] == [other]


# ------------------------------------------------------------------ what comes back
@pytest.mark.parametrize("history", ["replaced", "disputed", "corrected", "denied", "plan"])
def test_restoring_is_exact(story: Any, history: str) -> None:
    story.lives("Mara", "Vell", 1)
    gone = {
        "replaced": lambda: story.lives("Mara", "Brask", 5),
        "disputed": lambda: story.lives("Mara", "Brask", 5, valid_from=story.day(1).isoformat()),
        "corrected": lambda: story.lives("Mara", "Brask", 5, correction=True),
        "denied": lambda: story.lives("Mara", "Vell", 5, negated=True),
        "plan": lambda: story.tell("Mara visits Osby", 5, status="planned", participants=[{"name": "Mara"}]),
    }[history]()
    before = surfaces(story.memory, "Mara")
    story.memory.forget(gone)
    assert surfaces(story.memory, "Mara") != before
    story.memory.unforget(gone)
    assert surfaces(story.memory, "Mara") == before
    assert story.memory.verify().ok


# ------------------------------------------------------------------ nothing else brings it back
def test_deriving_again_does_not_bring_it_back(memory: Memory) -> None:
    memory.add_turn(
        user="I am allergic to peanuts. I live in Vell.", assistant="Noted.", speaker="Mara", at="2026-01-01T10:00Z"
    )
    memory.forget(next(e.id for e in memory.timeline() if "peanuts" in e.title))
    told = [
        {"title": title, "summary": title, "source_message_ids": ["main/1"], "participants": [{"name": "Mara"}]}
        for title in ("Mara has a peanut allergy", "Mara lives in Vell")
    ]
    for method in ("agent", "model"):
        memory.submit("events", "main", {"events": told}, method=method)  # type: ignore[arg-type]
        titles = {event.title for event in memory.timeline()}
        assert "Mara lives in Vell" in titles
        assert not any("peanut" in title for title in titles)


def test_projecting_another_event_of_the_same_words_does_not_bring_a_claim_back(story: Any) -> None:
    message = story.say("I live in Vell and I like tea.", 1, who="Mara")
    first, other = story.event(message, "Mara lives in Vell"), story.event(message, "Mara likes tea")
    story.claim(first, "Mara", LIVES, "Vell", about="place")
    story.memory.forget(first)
    story.claim(other, "Mara", LIVES, "Vell", about="place")
    story.claim(other, "Mara", "likes", "tea")
    assert story.now("Mara") == {("likes", "tea")}
    story.claim(story.tell("Mara lives in Vell", 9), "Mara", LIVES, "Vell", about="place")
    assert (LIVES, "Vell") in story.now("Mara"), "said anew, it is new evidence"


def test_importing_the_same_file_again_does_not_bring_it_back(memory: Memory, tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        json.dumps(
            {"role": "user", "speaker": "Mara", "content": "I live in Vell.", "at": "2026-01-01T10:00:00Z"}
        ) + "\n"
    )
    memory.ingest(talk)
    (event,) = memory.timeline()
    memory.forget(event.id)
    memory.ingest(talk)
    assert memory.timeline() == []


# ------------------------------------------------------------------ undo
def test_undo_takes_back_a_supersession(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    before = surfaces(story.memory, "Mara")["facts"]
    event = story.tell("Mara lives in Brask", 5)
    done = story.claim(event, "Mara", LIVES, "Brask", about="place")
    story.memory.undo(done.seq)
    assert surfaces(story.memory, "Mara")["facts"] == before
    assert story.memory.verify().ok


def test_undo_takes_back_what_an_event_superseded(story: Any) -> None:
    plan = story.tell("Visit the quarry", 1, status="planned", event_type="plan")
    message = story.say("The quarry visit is off.", 2)
    reply = {
        "title": "Quarry visit off", "summary": "It is off.", "source_message_ids": [message], "status": "cancelled",
        "supersedes": [plan],
    }
    done = story.memory.submit("events", "t", {"events": [reply]})
    story.memory.undo(done.seq)
    assert [row["event"] for row in story.memory.query("open_plans").records()] == [plan]
    with pytest.raises(RequestRefused) as refusal:
        story.memory.undo(done.seq)
    assert refusal.value.details["reason"] == "later_entries"


@pytest.mark.parametrize("verb", ["forget", "unforget", "pin", "merge", "split"])
def test_undo_of_a_request_is_its_inverse(story: Any, verb: str) -> None:
    event = story.lives("Mara", "Vell", 1)
    story.lives("Marushka", "Brask", 2)
    if verb == "unforget":
        story.memory.forget(event)
    if verb == "split":
        story.memory.merge("Marushka", "Mara")
    target = {"merge": ("Marushka", "Mara"), "split": ("Marushka",)}.get(verb, (event,))
    name = "Marushka"
    before = surfaces(story.memory, name)
    done = getattr(story.memory, verb)(*target)
    assert surfaces(story.memory, name) != before
    story.memory.undo(done.seq)
    assert surfaces(story.memory, name) == before
    with pytest.raises(RequestRefused):
        story.memory.undo(done.seq)


def test_undo_is_refused_when_later_entries_rest_on_it(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    event = story.tell("Mara lives in Brask", 5)
    done = story.claim(event, "Mara", LIVES, "Brask", about="place")
    story.lives("Mara", "Osby", 9)
    with pytest.raises(RequestRefused) as refusal:
        story.memory.undo(done.seq)
    assert refusal.value.details["reason"] == "later_entries"


@pytest.mark.parametrize("seq", ["0", "-1", "99999999999999999999999", "one", "²", ""])
def test_undo_of_what_is_no_entry_is_refused_and_blocks_nothing(story: Any, seq: str) -> None:
    story.lives("Mara", "Vell", 1)
    with pytest.raises(sgraph.SgraphError):
        story.memory.undo(seq)
    assert story.now("Mara") == {(LIVES, "Vell")}


def test_asking_twice_is_refused_with_the_reason(story: Any) -> None:
    event = story.lives("Mara", "Vell", 1)
    with pytest.raises(RequestRefused, match="not forgotten"):
        story.memory.unforget(event)
    story.memory.forget(event)
    with pytest.raises(RequestRefused, match="forgotten already"):
        story.memory.forget(event)
    with pytest.raises(NotFound):
        story.memory.forget("nothing")
