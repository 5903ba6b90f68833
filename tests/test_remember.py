"""What is stated on purpose."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph.derive.notes import containment, says_it
from sgraph.errors import InvalidInput, ReceiptConflict

EVENTS = """MATCH (v:Event) RETURN v.id AS id, v.title AS title, v.event_type AS type, v.method AS method,
v.use_count AS uses ORDER BY v.recorded_at"""


def events(memory: sgraph.Memory) -> list[dict[str, Any]]:
    return memory.cypher(EVENTS).records()


def test_a_note_is_found_at_once_on_every_route(memory: sgraph.Memory) -> None:
    kept = memory.remember("Prefers tabs over spaces", category="preference")
    assert kept.outcome == "added"
    for search in (memory.recall, memory.search_events, memory.search_graph, memory.search_turns, memory.search_raw):
        assert any("tabs" in card.text for card in search("tabs").cards), search
    assert memory.verify().ok
    view = memory.expand_event(kept.event or "")
    assert (view.event_type, view.method, view.evidence[0].quote) == ("preference", "agent", "Prefers tabs over spaces")


@pytest.mark.parametrize(("category", "event_type"), [
    ("preference", "preference"), ("decision", "decision"), ("correction", "change"), ("fact", "fact"),
    ("task", "task"),
    ("skill", "skill"), ("event", "other"), ("note", "note"),
])  # fmt: skip
def test_every_category(memory: sgraph.Memory, category: str, event_type: str) -> None:
    kept = memory.remember("Rotate the backup keys of the river station", category=category, by="person")
    (event,) = events(memory)
    assert (kept.outcome, event["type"], event["method"]) == ("added", event_type, "person")


def test_a_name_heads_a_task_a_skill_or_an_event(memory: sgraph.Memory) -> None:
    memory.remember("Stop the pump, open valve 3, then flush.", category="skill", name="Flushing the filter")
    (event,) = events(memory)
    assert event["title"] == "Flushing the filter"
    assert "valve 3" in memory.search_events("flushing filter").cards[0].text


def test_what_is_said_becomes_a_claim(memory: sgraph.Memory) -> None:
    memory.remember("Mara lives in Oslo.", category="fact")
    assert [(fact.key, fact.value) for fact in memory.entity("Mara").now] == [("lives_in", "Oslo")]
    assert len(events(memory)) == 1


def test_the_same_again_is_a_use_and_no_second_note(memory: sgraph.Memory) -> None:
    first = memory.remember("The ladder is kept in the old barn.", category="fact")
    again = memory.remember("the ladder is kept in the old barn", category="fact")
    assert (again.outcome, again.event) == ("reinforced", first.event)
    assert [event["uses"] for event in events(memory)] == [1]


@pytest.mark.parametrize("other", [
    "The ladder is not kept in the old barn.", "The ladder is kept in the new barn.",
    "The ladder 2 is kept in the old barn.",
    "The old ladder is kept in the barn.", "The ladder is kept in the old barn behind the mill of Tarn.",
])  # fmt: skip
def test_what_is_alike_and_differs_is_kept_and_marked(memory: sgraph.Memory, other: str) -> None:
    first = memory.remember("The ladder is kept in the old barn.", category="fact")
    second = memory.remember(other, category="fact")
    assert (second.outcome, second.conflicts) == ("conflict", (first.event,))
    rows = memory.cypher("MATCH (a:Event)-[:CONFLICTS_WITH]->(b:Event) RETURN a.id, b.id").rows
    assert rows == ((second.event, first.event),)
    assert memory.verify().ok


def test_what_is_new_calls_nothing_alike(memory: sgraph.Memory) -> None:
    memory.remember("The ladder is kept in the old barn.", category="fact")
    assert memory.remember("Deploys happen on Thursdays.", category="decision").outcome == "added"


def test_a_note_rests_on_the_messages_it_was_taken_from(memory: sgraph.Memory) -> None:
    memory.add_turn(user="Is the van back from the garage?", thread="planning")
    memory.add_turn(user="Let us order the goat cheese from Tarn.", thread="planning")
    kept = memory.remember("Order goat cheese from Tarn", category="decision", thread="planning")
    assert {words.message for words in memory.expand_event(kept.event or "").evidence} == {kept.message, "planning/2"}


def test_an_echo_is_not_remembered(memory: sgraph.Memory) -> None:
    memory.add_messages([{"speaker": "Mara", "content": "I prefer green tea in the morning."}])
    before = len(events(memory))
    text = memory.recall("tea").cards[0].text
    assert memory.remember(text, category="preference").outcome == "echo"
    assert len(events(memory)) == before


def test_a_receipt_makes_it_idempotent(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine) as memory:
        first = memory.remember("Prefers tabs", category="preference", receipt="n1")
    with sgraph.open(tmp_path / "m.sgraph") as memory:
        again = memory.remember("Prefers tabs", category="preference", receipt="n1")
        assert (again.outcome, again.note, again.seq) == ("known", first.note, first.seq)
        with pytest.raises(ReceiptConflict):
            memory.remember("Prefers spaces", category="preference", receipt="n1")
        assert [event["uses"] for event in events(memory)] == [0]


def test_of_two_at_once_one_wins_and_the_other_reinforces(memory: sgraph.Memory) -> None:
    outcomes: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: outcomes.append(memory.remember("The gate code changes on Mondays", "fact").outcome)
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["added", "reinforced", "reinforced", "reinforced"]
    assert [event["uses"] for event in events(memory)] == [3]


@pytest.mark.parametrize(("content", "more"), [
    ("  ", {}), ("x" * 9000, {}), ("text", {"category": "gossip"}), ("text", {"name": " "}), ("text", {"by": "model"}),
])  # fmt: skip
def test_what_cannot_be_a_note(memory: sgraph.Memory, content: str, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        memory.remember(content, **more)
    assert events(memory) == []


def test_notes_can_be_forgotten_and_rebuilt(memory: sgraph.Memory) -> None:
    kept = memory.remember("The gate code is 4711", category="fact")
    memory.rebuild()
    assert memory.search_events("gate code").cards[0].ref == f"event:{kept.event}"
    memory.forget(kept.event or "")
    assert memory.recall("gate code").cards == ()


def test_containment() -> None:
    assert containment("tabs", "tabs") == 0.0
    assert containment("green tea", "green tea in the morning") == 1.0
    assert says_it("I prefer tabs over spaces", "prefer tabs over spaces")
    assert not says_it("I prefer tabs over spaces", "prefer spaces over tabs")
