"""What was said for one session is seen in that session, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sgraph import Memory, NotFound

# Names of threads that look alike or like a query; the same message text in each.
THREADS = ("user", "user1", "user'; x", "user-1/甲", "user}) DETACH DELETE n //")


def pin(story: Any, thread: str, value: str, session: str | None = None) -> str:
    """Say a pin for this session only; give the event."""
    message = story.say(f"My pin is {value}.", who="Mara", thread=thread, session=session)
    given = {
        "title": f"Mara's pin is {value}", "summary": f"Mara's pin is {value}.", "source_message_ids": [message],
        "scope": "session", "participants": [{"name": "Mara", "role": "subject"}],
    }  # fmt: skip
    (event,) = story.memory.submit("events", thread, {"events": [given]}).ids
    story.claim(event, "Mara", "pin", value)
    story.claim(event, "Mara", "lives_in", f"Place {value}", about="place")
    return str(event)


def session_of(memory: Memory, event: str) -> str:
    (row,) = memory.cypher("MATCH (v:Event {id: $id}) RETURN v.session", {"id": event}).rows
    return str(row[0])


def shown(memory: Memory, session: str | None) -> dict[str, str]:
    """What each verb shows of derived memory, as text."""
    out = {
        "entity": memory.entity("Mara", session=session).model_dump_json(),
        "timeline": json.dumps([e.model_dump(mode="json") for e in memory.timeline(session=session)]),
        "timeline of": json.dumps(
            [e.model_dump(mode="json") for e in memory.timeline(participant="Mara", session=session)]
        ),
        "search_events": repr(memory.search_events("pin", session=session).cards),
        "search_graph": repr(memory.search_graph("Mara pin", session=session).cards),
        "subgraph": memory.subgraph("Mara", session=session).data.model_dump_json(exclude={"messages"}),
    }
    if session is None:
        out["relates"] = repr(memory.cypher("MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.name, b.name").rows)
        for name, params in (
            ("current_state", {"name": "Mara"}), ("state_as_of", {"name": "Mara", "as_of": "2030-01-01"}),
            ("claim_history", {"name": "Mara", "key": "pin"}), ("who_said", {"name": "Mara", "key": "pin"}),
            ("timeline", {"name": "Mara"}), ("neighbours", {"name": "Mara"}), ("open_plans", {}),
            ("changed_since", {"since": "2020-01-01"}),
        ):
            out[name] = repr(memory.query(name, **params).rows)
    return out


@pytest.fixture
def sessions(story: Any) -> dict[str, tuple[str, str]]:
    """A claim for everybody and a pin in each thread, unlike any hex id: {thread: (session, pin)}."""
    story.lives("Mara", "Vell", 1)
    pins = {thread: f"Z{number}00{number}" for number, thread in enumerate(THREADS, 1)}
    return {thread: (session_of(story.memory, pin(story, thread, value)), value) for thread, value in pins.items()}


def test_each_session_sees_its_own_and_nobody_elses(story: Any, sessions: dict[str, tuple[str, str]]) -> None:
    assert len({session for session, _ in sessions.values()}) == len(THREADS)
    for session, own in sessions.values():
        assert {("pin", own), ("lives_in", "Vell")} <= story.now("Mara", session=session)
        for verb, text in shown(story.memory, session).items():
            assert not [value for _, value in sessions.values() if value != own and value in text], verb


def test_without_a_session_none_of_it_is_seen(story: Any, sessions: dict[str, tuple[str, str]]) -> None:
    for session in (None, "", "user", "user@", "nobody@1"):
        assert story.now("Mara", session=session) == {("lives_in", "Vell")}
    for verb, text in shown(story.memory, None).items():
        assert not [value for _, value in sessions.values() if value in text], verb


def test_it_survives_a_rebuild_and_ends_nothing(story: Any, sessions: dict[str, tuple[str, str]]) -> None:
    story.memory.rebuild()
    test_without_a_session_none_of_it_is_seen(story, sessions)
    test_each_session_sees_its_own_and_nobody_elses(story, sessions)
    (fact,) = story.memory.entity("Mara").now
    assert (fact.value, fact.valid_to) == ("Vell", None)


def test_forgetting_in_one_session_leaves_the_others(story: Any, sessions: dict[str, tuple[str, str]]) -> None:
    session, own = sessions["user1"]
    (gone,) = [e.id for e in story.memory.timeline(session=session) if own in e.title]
    story.memory.forget(gone)
    assert story.now("Mara", session=session) == {("lives_in", "Vell")}
    for thread in ("user", "user'; x", "user-1/甲"):
        other, value = sessions[thread]
        assert ("pin", value) in story.now("Mara", session=other)


def test_another_session_of_the_thread_does_not_see_it(story: Any) -> None:
    first, second = pin(story, "t", "1001", session="mon"), pin(story, "t", "2002", session="tue")
    one, two = session_of(story.memory, first), session_of(story.memory, second)
    assert one != two
    assert ("pin", "1001") in story.now("Mara", session=one)
    assert ("pin", "1001") not in story.now("Mara", session=two)
    assert story.memory.expand_event(first, session=one).id == first
    for session in (None, two):
        with pytest.raises(NotFound):
            story.memory.expand_event(first, session=session)


def test_what_is_said_for_everybody_too_is_seen_by_everybody(story: Any) -> None:
    event = pin(story, "t", "1001")
    story.claim(story.tell("Mara's pin is 1001"), "Mara", "pin", "1001")
    assert story.now("Mara") == {("pin", "1001")}
    assert session_of(story.memory, event)


def test_who_is_named_in_one_session_only_is_known_there_only(story: Any) -> None:
    message = story.say("Call Sorrel.", who="Mara")
    given = {"title": "Call Sorrel", "summary": "Call Sorrel.", "source_message_ids": [message], "scope": "session",
             "participants": [{"name": "Sorrel"}]}  # fmt: skip
    (event,) = story.memory.submit("events", "t", {"events": [given]}).ids
    assert story.memory.entity("Sorrel", session=session_of(story.memory, event)).name == "Sorrel"
    with pytest.raises(NotFound) as refusal:
        story.memory.entity("Sorrell")
    assert refusal.value.details["near"] == []
