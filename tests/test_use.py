"""Use, not retrieval, reinforces; and how much an event weighs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import sgraph
from sgraph.errors import ReceiptConflict, RequestRefused
from sgraph.evidence.weights import structured, weight
from sgraph.records.found import Found

USES = "MATCH (v:Event) RETURN v.title AS title, v.use_count AS uses ORDER BY title"


@pytest.fixture
def bays(memory: sgraph.Memory) -> sgraph.Memory:
    """Two messages with one event each, handed in as a model would."""
    memory.add_turn(user="The spare tyre is in bay 2.", thread="t1", ids=["m1"])
    memory.add_turn(user="The jack is in bay 3.", thread="t1", ids=["m2"])
    events = [
        {"title": "Spare tyre in bay 2", "summary": "The spare tyre is in bay 2.", "source_message_ids": ["t1/m1"]},
        {"title": "Jack in bay 3", "summary": "The jack is in bay 3.", "source_message_ids": ["t1/m2"]},
    ]
    memory.submit("events", "t1", {"events": events})
    return memory


def uses(memory: sgraph.Memory) -> dict[str, int]:
    return {row["title"]: row["uses"] for row in memory.cypher(USES).records()}


def ids(memory: sgraph.Memory) -> dict[str, str]:
    return {
        row["title"]: row["id"]
        for row in memory.cypher("MATCH (v:Event) RETURN v.title AS title, v.id AS id").records()
    }


def adopted(memory: sgraph.Memory, question: str) -> tuple[Found, list[str]]:
    found = memory.search_events(question, limit=1)
    refs = [found.cards[0].ref]
    held = memory.assess(found.batch_id, verdict="sufficient", evidence_refs=refs, next_strategy="answer")
    assert held.verdict == "sufficient"
    return found, refs


def test_searches_change_neither_weights_nor_order(bays: sgraph.Memory) -> None:
    events = list(ids(bays).values())
    before = bays.weights(events), [card.ref for card in bays.recall("bay").cards], uses(bays)
    for _ in range(200):
        bays.recall("tyre")
    assert (bays.weights(events), [card.ref for card in bays.recall("bay").cards], uses(bays)) == before


def test_one_use_raises_what_was_used_and_nothing_else(bays: sgraph.Memory) -> None:
    found, refs = adopted(bays, "jack")
    done = bays.record_use(found.batch_id, refs * 2, receipt="answer-42")
    assert done.duplicates == tuple(refs)
    assert uses(bays) == {"Jack in bay 3": 1, "Spare tyre in bay 2": 0}
    assert bays.open_batches() == []


def test_the_same_receipt_again_changes_nothing_and_other_content_is_refused(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine) as memory:
        kept = memory.remember("The jack is in bay 3.", "fact")
        found, refs = adopted(memory, "jack")
        assert not memory.record_use(found.batch_id, refs, receipt="answer-42").known
    with sgraph.open(tmp_path / "m.sgraph") as memory:
        assert memory.record_use(found.batch_id, refs, receipt="answer-42").known
        assert memory.cypher("MATCH (v:Event) RETURN v.id, v.use_count").rows == ((kept.event, 1),)
        with pytest.raises(ReceiptConflict):
            memory.record_use(found.batch_id, [], receipt="answer-42")
        other, refs = adopted(memory, "jack bay")
        with pytest.raises(ReceiptConflict):
            memory.record_use(other.batch_id, refs, receipt="answer-42")


def test_a_receipt_of_capture_and_one_of_use_may_bear_one_name(bays: sgraph.Memory) -> None:
    bays.add_turn(user="Where is the jack?", assistant="In bay 3.", receipt="answer-42")
    found, refs = adopted(bays, "jack")
    assert bays.record_use(found.batch_id, refs, receipt="answer-42").events == (ids(bays)["Jack in bay 3"],)


def test_all_problems_are_reported_and_nothing_is_recorded(bays: sgraph.Memory) -> None:
    found = bays.search_events("bay", limit=2)
    bays.assess(found.batch_id, verdict="sufficient", evidence_refs=[found.cards[0].ref], next_strategy="answer")
    with pytest.raises(RequestRefused) as refused:
        bays.record_use(found.batch_id, [found.cards[0].ref, found.cards[1].ref, "event:never", ""])
    details = refused.value.details
    assert [(p["index"], p["reason"]) for p in details["problems"]] == [
        (1, "not_adopted"),
        (2, "not_in_batch"),
        (3, "invalid_ref"),
    ]
    assert details["batch_id"] == found.batch_id
    assert details["adopted"] == [found.cards[0].ref]
    assert set(details["available"]) == set(found.refs)
    assert set(uses(bays).values()) == {0}
    assert [batch.batch_id for batch in bays.open_batches()] == [found.batch_id]


def test_refs_of_a_partial_assessment_are_not_adopted(bays: sgraph.Memory) -> None:
    found = bays.search_events("jack", limit=1)
    bays.assess(found.batch_id, verdict="partial", evidence_refs=[found.cards[0].ref], next_strategy="search_raw")
    with pytest.raises(RequestRefused):
        bays.record_use(found.batch_id, [found.cards[0].ref])


def test_an_empty_use_closes_the_batch_with_a_receipt(bays: sgraph.Memory) -> None:
    found = bays.recall("jack")
    done = bays.record_use(found.batch_id, [])
    rows = bays.cypher("MATCH (r:Receipt) RETURN r.id, r.batch").rows
    assert rows == ((done.receipt, found.batch_id),)
    assert set(uses(bays).values()) == {0}
    with pytest.raises(RequestRefused):
        bays.record_use(found.batch_id, [], receipt="another")


def test_raw_evidence_is_cited_and_reinforces_nothing(bays: sgraph.Memory) -> None:
    found = bays.search_raw("jack", limit=1)
    bays.assess(found.batch_id, verdict="sufficient", evidence_refs=["message:t1/m2"], next_strategy="answer")
    done = bays.record_use(found.batch_id, ["message:t1/m2"], receipt="a1")
    assert (done.events, done.messages) == ((), ("t1/m2",))
    assert set(uses(bays).values()) == {0}
    assert [row["content"] for row in bays.query("cited", receipt="a1").records()] == ["The jack is in bay 3."]


def test_graph_evidence_counts_for_its_events(memory: sgraph.Memory) -> None:
    memory.add_messages([{"speaker": "Mara", "content": "I live in Oslo."}])
    found = memory.search_graph("Where does Mara live? Oslo")
    ref = next(card.ref for card in found.cards if "Oslo" in card.text)
    memory.assess(found.batch_id, verdict="sufficient", evidence_refs=[ref], next_strategy="answer")
    assert len(memory.record_use(found.batch_id, [ref]).events) == 1
    assert list(uses(memory).values()) == [1]


def test_the_audit_walks_from_the_answer_to_the_words(bays: sgraph.Memory) -> None:
    found, refs = adopted(bays, "jack")
    bays.record_use(found.batch_id, refs, receipt="answer-42")
    (row,) = bays.query("audit", receipt="answer-42").records()
    assert (row["verdict"], row["title"], row["content"]) == ("sufficient", "Jack in bay 3", "The jack is in bay 3.")
    assert bays.verify().ok


def test_what_was_forgotten_since_is_not_reinforced(bays: sgraph.Memory) -> None:
    found, refs = adopted(bays, "jack")
    bays.forget(refs[0].partition(":")[2])
    assert bays.record_use(found.batch_id, refs).events == ()
    assert set(uses(bays).values()) == {0}


# ------------------------------------------------------------------ weights
@pytest.mark.parametrize(("uses", "half_life"), [(0, 4.6), (1, 9.4), (2, 12.2), (4, 15.8), (9, 20.6), (19, 25.4)])
def test_the_formula(uses: int, half_life: float) -> None:
    turns = math.log(2) * (1 + 1.5 * math.log(uses + 1)) / 0.15
    assert turns == pytest.approx(half_life, abs=0.06)
    whole = weight(state="active", pinned=False, criticality="routine", uses=uses, turns=10)
    assert whole == pytest.approx(0.5 ** (10 / turns))


@pytest.mark.parametrize(("state", "pinned", "criticality", "value"), [
    ("forgotten", True, "safety", 0.0), ("archived", True, "safety", 0.0), ("replaced", False, "safety", 0.0),
    ("superseded", True, "routine", 1.0), ("superseded", False, "safety", 0.1), ("active", False, "safety", 1.0),
    ("active", False, "identity", 0.9), ("active", False, "preference", 0.3),
])  # fmt: skip
def test_precedence(state: str, pinned: bool, criticality: str, value: float) -> None:
    assert weight(state=state, pinned=pinned, criticality=criticality, uses=0, turns=1_000) == value


def test_one_clock_for_all_threads(bays: sgraph.Memory) -> None:
    event = ids(bays)["Jack in bay 3"]
    assert bays.weights([event]) == {event: 1.0}
    for number in range(5):
        bays.add_turn(user=f"Something else, number {number}.", thread=f"other-{number % 2}")
    faded = bays.weights([event])[event]
    assert faded == pytest.approx(math.exp(-0.15 * 5))
    older = ids(bays)["Spare tyre in bay 2"]
    assert bays.weights([older])[older] == pytest.approx(math.exp(-0.15 * 6))
    found, refs = adopted(bays, "jack")
    bays.record_use(found.batch_id, refs)
    assert bays.weights([event])[event] == 1.0
    bays.add_turn(user="And one more.", thread="quiet")
    assert bays.weights([event])[event] > math.exp(-0.15)
    assert bays.weights(["no such event"]) == {}


def test_the_order_without_a_query(bays: sgraph.Memory) -> None:
    events = ids(bays)
    state = bays._space.state
    assert structured(events.values(), state, bays.weights(list(events.values()))) == [
        events["Jack in bay 3"], events["Spare tyre in bay 2"],
    ]  # fmt: skip
    bays.pin(events["Spare tyre in bay 2"])
    for number in range(3):
        bays.add_turn(user=f"Something else, number {number}.")
    order = structured(events.values(), bays._space.state, bays.weights(list(events.values())))
    assert order[0] == events["Spare tyre in bay 2"]
