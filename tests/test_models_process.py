"""Deriving by a model, end to end: real client, real socket, real space."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph.config import Models, Route
from sgraph.errors import NoRoute
from sgraph.testing import Asked, Reply, ScriptedModel

SUMMARY = {
    "title": "Workshop lease",
    "tags": ["lease"],
    "summary": "Mara signed a lease.",
    "keypoints": ["Mara signed a lease"],
    "should_extract": True,
}
AT = "2023-05-24T10:00:00+00:00"


def event(message: str, title: str = "Lease signed", **more: Any) -> dict[str, Any]:
    return {"title": title, "summary": f"{title}.", "source_message_ids": [message], **more}


def reading(asked: Asked) -> Reply:
    """A model that does its work: one event of each Block, and one claim of it."""
    if asked.step == "block_summary":
        return Reply(SUMMARY)
    if asked.step == "events":
        return Reply({"events": [event(first_id(asked), happened_start="2023-05-23", participants=[{"name": "Mara"}])]})
    if asked.step == "projection":
        id = rows(asked, "events")[0]["id"]
        mara = {"ref": "m", "name": "Mara", "kind": "person", "source_event_ids": [id]}
        fact = {"node": "m", "key": "leases", "value": "a workshop", "source_event_ids": [id]}
        return Reply({"nodes": [mara], "facts": [fact]})
    return Reply({"summary": "Mara signed the lease.", "outcome": "completed", "triples": []})


def rows(asked: Asked, section: str) -> list[dict[str, Any]]:
    body = asked.text.partition(f"<{section}>\n")[2].partition(f"</{section}>")[0]
    return [json.loads(line) for line in body.splitlines()]


def first_id(asked: Asked) -> str:
    return str(rows(asked, "source")[0]["id"])


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(reading) as server:
        yield server


@pytest.fixture
def memory(tmp_path: Path, engine: str, model: ScriptedModel) -> Iterator[sgraph.Memory]:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine, block_turns=1, models=model.models()) as opened:
        yield opened


def talk(memory: sgraph.Memory, *texts: str, thread: str = "t1") -> None:
    for text in texts:
        memory.add_turn(user=text, assistant="Noted.", thread=thread, speaker="Mara", at=AT)


def states(memory: sgraph.Memory) -> dict[str, str]:
    return {job.id: job.state for job in memory.jobs()}


# ------------------------------------------------------------------ the good way
def test_a_block_gets_its_summary_events_and_claims_with_three_calls_and_a_turn_with_one(
    memory: sgraph.Memory, model: ScriptedModel
) -> None:
    talk(memory, "Yesterday I signed the lease for the workshop.")
    assert memory.blocks()[0].state == "pending"
    done = memory.process()
    assert (done.succeeded, done.failed, done.quarantined, done.calls) == (4, 0, 0, 4)
    assert memory.blocks()[0].state == "ready"
    assert memory.blocks()[0].title == "Workshop lease"
    assert memory.expand_block("t1:b1", 1).text == "Mara signed a lease."
    (found,) = [e for e in memory.timeline() if e.method == "model"]
    assert found.happened_start == datetime(2023, 5, 23, tzinfo=UTC)
    assert [fact.value for fact in memory.entity("Mara").now] == ["a workshop"]
    assert len(model.requests) == 4
    assert memory.verify().ok


def test_nothing_is_asked_twice_and_no_read_asks(memory: sgraph.Memory, model: ScriptedModel) -> None:
    talk(memory, "I signed the lease.")
    memory.recall("lease")
    memory.timeline()
    memory.blocks()
    memory.status()
    assert model.requests == []
    memory.process()
    assert memory.process().calls == 0
    assert len(model.requests) == 4


def test_calls_and_tokens_are_stored_and_summed(memory: sgraph.Memory) -> None:
    talk(memory, "I signed the lease.")
    memory.process()
    assert {(job.calls, job.tokens_in, job.tokens_out) for job in memory.jobs()} == {(1, 100, 20)}
    standing = memory.status().models
    assert standing is not None
    assert (standing.calls, standing.tokens_in, standing.tokens_out) == (4, 400, 80)


def test_a_model_that_finds_nothing_worth_keeping_makes_the_block_ready(
    memory: sgraph.Memory, model: ScriptedModel
) -> None:
    model.say({"block_summary": Reply({**SUMMARY, "should_extract": False})})
    talk(memory, "Hello there.")
    memory.process()
    assert memory.blocks()[0].state == "ready"
    assert model.asked("events") == []
    model.say({"block_summary": Reply(SUMMARY), "events": Reply({"events": []})})
    talk(memory, "Hello again.")
    memory.process()
    assert memory.blocks()[1].state == "ready"
    assert model.asked("projection") == []


def test_what_the_rules_made_is_replaced(memory: sgraph.Memory) -> None:
    talk(memory, "I live in Vell.")
    assert [e.method for e in memory.timeline()] == ["rules"]
    memory.process()
    assert [e.method for e in memory.timeline()] == ["model"]
    assert [fact.value for fact in memory.entity("Mara").now] == ["a workshop"]


def test_the_claims_of_the_rules_hold_until_a_model_has_projected(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say(lambda asked: Reply(status=500) if asked.step == "projection" else reading(asked))
    talk(memory, "I live in Vell.")
    memory.process()
    assert states(memory)["projection:t1:b1"] == "failed"
    assert [fact.value for fact in memory.entity("Mara").now] == ["Vell"]
    model.say(reading)
    memory.retry_job("projection:t1:b1")
    assert [fact.value for fact in memory.entity("Mara").now] == ["a workshop"]
    assert [e.method for e in memory.timeline()] == ["model"]
    assert memory.verify().ok


def test_a_model_that_finds_nothing_takes_the_claims_back(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply(SUMMARY), "events": Reply({"events": []})})
    talk(memory, "I live in Vell.")
    memory.process()
    assert memory.timeline() == []
    assert memory.cypher("MATCH (f:Fact) WHERE f.visible AND f.retired_at IS NULL RETURN f.value").rows == ()


def test_what_was_forgotten_is_not_shown_to_a_model_and_not_revived(
    memory: sgraph.Memory, model: ScriptedModel
) -> None:
    talk(memory, "I live in Vell.")
    memory.forget(memory.timeline()[0].id)
    memory.process()
    assert not any("I live in Vell" in asked.text for asked in model.requests)
    assert memory.timeline() == [] or all("Vell" not in e.title for e in memory.timeline())


def test_an_event_forgotten_while_the_model_works_is_neither_linked_nor_revived(
    memory: sgraph.Memory, model: ScriptedModel
) -> None:
    talk(memory, "I signed the lease.")
    memory.process()
    (old,) = memory.timeline()

    def late(asked: Asked) -> Reply:
        if asked.step == "events":
            memory.forget(old.id)
            return Reply({"events": [event(first_id(asked), "Lease ended", supersedes=[old.id])]})
        return reading(asked)

    model.say(late)
    talk(memory, "The lease of the workshop has ended.")
    memory.process()
    assert [e.title for e in memory.timeline()] == ["Lease ended"]
    assert memory.expand_event(old.id, include_forgotten=True).state == "forgotten"


def test_ids_that_were_not_shown_cannot_be_used(memory: sgraph.Memory, model: ScriptedModel) -> None:
    talk(memory, "I signed the lease.", thread="a")
    talk(memory, "I bought a ladder.", thread="b")
    model.say(lambda asked: Reply({"events": [event("a/1")]}) if asked.step == "events" else reading(asked))
    memory.process()
    assert states(memory)["events:b:b1"] == "quarantined"
    assert states(memory)["events:a:b1"] == "succeeded"
    assert memory.quarantined()[0].problems[0][1] == "unknown_message"


# ------------------------------------------------------------------ off, mixed, backlog, hot
def test_without_a_model_process_says_what_to_configure(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine) as memory, pytest.raises(NoRoute):
        memory.process()


def test_older_turns_wait_for_backlog_and_its_estimate(tmp_path: Path, engine: str, model: ScriptedModel) -> None:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine, block_turns=1) as memory:
        talk(memory, "I live in Vell.")
        assert memory.blocks()[0].state == "ready"
        memory.configure(model.models())
        assert memory.process().calls == 0
        asked = memory.process(backlog=True, dry_run=True)
        assert model.requests == []
        assert asked.calls == 4
        assert asked.jobs == {"turn_summary": 1, "block_summary": 1, "events": 1, "projection": 1}
        assert memory.process().calls == 0
        assert memory.process(backlog=True).calls == 4
        assert [e.method for e in memory.timeline()] == ["model"]


def test_steps_that_are_off_are_shown_as_off_and_left_to_the_rules(memory: sgraph.Memory, model: ScriptedModel) -> None:
    memory.configure(model.models(steps=["block_summary", "turn_summary"]))
    talk(memory, "I live in Vell.")
    memory.process()
    assert memory.blocks()[0].state == "ready"
    assert memory.blocks()[0].title == "Workshop lease"
    assert [e.method for e in memory.timeline()] == ["rules"]
    standing = memory.status().models
    assert standing is not None
    assert standing.steps == {"block_summary": "on", "events": "off", "projection": "off", "turn_summary": "on"}
    assert standing.jobs["events"] == {"off": 1}
    memory.configure(model.models())
    memory.process()
    assert [e.method for e in memory.timeline()] == ["model"]


def test_only_events_may_be_a_models(memory: sgraph.Memory, model: ScriptedModel) -> None:
    memory.configure(model.models(steps=["events"]))
    talk(memory, "I live in Vell.")
    memory.process()
    assert memory.blocks()[0].state == "ready"
    assert [asked.step for asked in model.requests] == ["events"]


def test_switching_models_off_lets_the_rules_stand_in(memory: sgraph.Memory) -> None:
    talk(memory, "I live in Vell.")
    assert memory.blocks()[0].state == "pending"
    memory.configure(Models())
    assert memory.blocks()[0].state == "ready"
    talk(memory, "I live in Rowan.")
    assert memory.blocks()[1].state == "ready"


def test_the_route_of_the_session_is_asked(tmp_path: Path, engine: str, model: ScriptedModel) -> None:
    path = tmp_path / "m.sgraph"
    with sgraph.open(path, engine=engine, block_turns=1, models={"source": "session", "backoff": 0.0}) as memory:
        memory.add_turn(user="I live in Vell.", assistant="Noted.", thread="a", route=model.route(model="handed"))
        memory.add_turn(user="I live in Vell.", assistant="Noted.", thread="b")
    with sgraph.open(path, engine=engine, models={"source": "session", "backoff": 0.0}) as memory:
        memory.process()
        assert {asked.body["model"] for asked in model.requests} == {"handed"}
        assert states(memory)["block_summary:a:b1"] == "succeeded"
        assert states(memory)["block_summary:b:b1"] == "pending"


def test_a_route_holds_no_key(memory: sgraph.Memory) -> None:
    for wrong in ({"key": "sk-abc"}, {"base_url": "http://me:pw@127.0.0.1/v1"}, {"base_url": "ftp://x"}):
        with pytest.raises(ValueError) as error:
            Route.model_validate({"base_url": "http://127.0.0.1/v1", "model": "m", **wrong})
        assert "sk-abc" not in str(error.value)
        assert "pw@" not in str(error.value)
