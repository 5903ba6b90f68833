"""The gate: what is normalised, what is found wanting, and what becomes of batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph.errors import InvalidInput, NotFound, RequestRefused
from sgraph.evidence import questions
from sgraph.records.evidence import Assessment
from sgraph.records.found import Found

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def say(memory: sgraph.Memory, *lines: tuple[str, str, str], thread: str = "talk") -> None:
    memory.add_messages([{"speaker": who, "content": text, "at": at} for who, at, text in lines], thread=thread)


def sufficient(memory: sgraph.Memory, found: Found, refs: Any = None, **more: Any) -> Assessment:
    refs = [found.cards[0].ref] if refs is None else refs
    return memory.assess(found.batch_id, verdict="sufficient", evidence_refs=refs, next_strategy="answer", **more)


def codes(assessed: Assessment) -> set[str]:
    return {concern.code for concern in assessed.concerns}


def ref_of(found: Found, words: str) -> str:
    return next(card.ref for card in found.cards if words in card.text)


@pytest.fixture
def tyre(memory: sgraph.Memory) -> sgraph.Memory:
    memory.add_turn(user="The spare tyre is in bay 2.")
    memory.add_turn(user="The jack is in bay 3.")
    return memory


# ------------------------------------------------------------------ normalisation
def test_sufficient_needs_a_ref_of_the_batch(tyre: sgraph.Memory) -> None:
    found = tyre.recall("Where is the tyre?")
    assert sufficient(tyre, found).verdict == "sufficient"
    for refs in ([], ["event:elsewhere"], ["nonsense"], [None, 7]):
        held = sufficient(tyre, found, refs)
        assert held.verdict == "partial"
        assert held.evidence_refs == ()
        assert held.next_strategy == "search_events"
        assert held.missing == "direct evidence is still missing"


def test_a_ref_of_another_batch_does_not_count(tyre: sgraph.Memory) -> None:
    jack, tyres = tyre.recall("jack", limit=1), tyre.recall("spare tyre", limit=1)
    assert jack.cards[0].ref != tyres.cards[0].ref
    held = sufficient(tyre, tyres, [jack.cards[0].ref])
    assert held.verdict == "partial"
    assert [(r.index, r.reason) for r in held.rejected] == [(0, "not_in_batch")]


@pytest.mark.parametrize(("verdict", "strategy", "holds"), [
    ("sufficient", "search_raw", "partial"), ("sufficient", "", "partial"), ("enough", "answer", "partial"),
    ("wrong", "search_graph", "wrong"), (None, None, "partial"), ("SUFFICIENT", "answer", "partial"),
])  # fmt: skip
def test_what_is_not_plainly_sufficient_is_not(tyre: sgraph.Memory, verdict: Any, strategy: Any, holds: str) -> None:
    found = tyre.recall("Where is the tyre?")
    held = tyre.assess(found.batch_id, verdict=verdict, evidence_refs=[found.cards[0].ref], next_strategy=strategy)
    assert held.verdict == holds
    assert held.next_strategy != "answer"


def test_every_rejected_ref_is_reported_with_its_place(memory: sgraph.Memory) -> None:
    for number in range(12):
        memory.add_turn(user=f"Crate {number} stands in the green shed.")
    found = memory.recall("crate in the green shed", limit=12)
    refs = [card.ref for card in found.cards]
    assert len(refs) >= 10
    held = sufficient(memory, found, ["", refs[0], refs[0], "event:other", *refs[1:10]])
    assert held.evidence_refs == tuple(refs[:8])
    assert [(r.index, r.reason) for r in held.rejected] == [
        (0, "invalid_ref"), (2, "duplicate"), (3, "not_in_batch"), (11, "limit_exceeded"), (12, "limit_exceeded"),
    ]  # fmt: skip
    assert all(r.detail for r in held.rejected)


def test_texts_are_collapsed_and_cut(tyre: sgraph.Memory) -> None:
    found = tyre.recall("Where is the tyre?")
    held = sufficient(tyre, found, fit="  says\n so " + "x" * 300, missing="nothing")
    assert held.fit.startswith("says so xxx")
    assert len(held.fit) == 160
    assert held.missing == ""
    partly = tyre.assess(
        found.batch_id, verdict="partial", evidence_refs=[], missing=" the\tbay ", next_strategy="search_raw_memory"
    )
    assert (partly.missing, partly.next_strategy) == ("the bay", "search_raw")


def test_refs_must_be_a_list(tyre: sgraph.Memory) -> None:
    found = tyre.recall("Where is the tyre?")
    with pytest.raises(InvalidInput):
        sufficient(tyre, found, found.cards[0].ref)


# ------------------------------------------------------------------ batches
def test_batches_are_assessed_and_closed_each_by_its_id(tyre: sgraph.Memory) -> None:
    first, second = tyre.recall("jack"), tyre.recall("spare tyre")
    sufficient(tyre, second)
    sufficient(tyre, first)
    tyre.record_use(second.batch_id, [])
    assert [batch.batch_id for batch in tyre.open_batches()] == [first.batch_id]
    assert tyre.open_batches()[0].verdict == "sufficient"
    with pytest.raises(RequestRefused) as closed:
        sufficient(tyre, second)
    assert closed.value.details["reason"] == "batch_closed"


def test_an_unknown_batch_names_those_there_are(tyre: sgraph.Memory) -> None:
    found = tyre.recall("jack")
    with pytest.raises(NotFound) as unknown:
        tyre.assess("batch_x", verdict="sufficient", evidence_refs=[], next_strategy="answer")
    assert unknown.value.details["unresolved"] == [found.batch_id]
    assert unknown.value.details["latest"] == found.batch_id
    assert tyre.assess(None, verdict="partial", evidence_refs=[]).batch_id == found.batch_id


def test_a_batch_survives_a_restart(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine) as memory:
        memory.add_turn(user="The jack is in bay 3.")
        found = memory.recall("jack", thread="main")
        sufficient(memory, found)
    with sgraph.open(tmp_path / "m.sgraph") as memory:
        assert memory.open_batches()[0].verdict == "sufficient"
        assert memory.record_use(found.batch_id, [found.cards[0].ref]).messages == ("main/1",)
        assert memory.open_batches() == []


def test_a_batch_expires(tyre: sgraph.Memory) -> None:
    found = tyre.recall("jack")
    day_ago = int((datetime.now(UTC) - timedelta(hours=25)).timestamp() * 1_000_000)
    tyre._space.work.run("UPDATE batches SET at = ?", day_ago)
    assert tyre.open_batches() == []
    with pytest.raises(NotFound):
        sufficient(tyre, found)


# ------------------------------------------------------------------ concerns
def test_a_question_of_time_needs_a_date(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-05-08T10:00Z", "The fair was lovely, I bought a lamp there."),
        ("Mara", "2026-05-08T10:01Z", "I went to the fair on 3 May."))  # fmt: skip
    found = memory.recall("When did Mara go to the fair?")
    held = sufficient(memory, found, [ref_of(found, "lamp")])
    assert "undated" in codes(held)
    assert held.verdict == "partial"
    assert held.next_strategy == held.concerns[0].next_strategy
    assert codes(sufficient(memory, found, [ref_of(found, "3 May")])) == set()


def test_a_neighbour_of_another_date_is_noticed(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-03-02T10:00Z", "I won the regional chess tournament last Saturday, my third one!"),
        ("Ivo", "2026-03-02T10:01Z", "Great!"),
        ("Mara", "2026-06-09T10:00Z", "Chess club was fun yesterday."))  # fmt: skip
    found = memory.recall("When did Mara win her third regional chess tournament?")
    held = sufficient(memory, found, [ref_of(found, "club")])
    assert codes(held) == {"neighbour_event"}
    assert held.concerns[0].refs == (ref_of(found, "third"),)
    assert sufficient(memory, found, [ref_of(found, "third")]).verdict == "sufficient"


def test_a_date_in_the_question_binds(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2025-01-10T10:00Z", "I planted two cherry trees today."),
        ("Mara", "2026-03-14T10:00Z", "I planted an old apple tree today."))  # fmt: skip
    found = memory.recall("What did Mara plant in March 2026?")
    assert codes(sufficient(memory, found, [ref_of(found, "cherry")])) == {"neighbour_event"}
    assert codes(sufficient(memory, found, [ref_of(found, "apple")])) == set()


def test_evidence_must_concern_whom_the_question_names(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-05-08T10:00Z", "I keep bees behind the barn."),
        ("Ivo", "2026-05-08T10:01Z", "Thanks, Mara! I keep goats behind the barn."))  # fmt: skip
    found = memory.recall("What does Mara keep behind the barn?")
    assert codes(sufficient(memory, found, [ref_of(found, "goats")])) == {"subject_missing"}
    assert codes(sufficient(memory, found, [ref_of(found, "bees")])) == set()


def test_an_alias_or_a_mention_concerns_them_too(memory: sgraph.Memory) -> None:
    say(
        memory,
        ("Ivo", "2026-05-08T10:00Z", "I met Mara Lind, she keeps bees."),
        ("Ivo", "2026-05-08T10:01Z", "I keep goats."),
    )
    found = memory.recall("What does Mara keep?")
    assert codes(sufficient(memory, found, [ref_of(found, "bees")])) == set()


def test_a_list_is_held_against_what_else_there_is(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-05-08T10:00Z", "I visited Oslo in April."), ("Ivo", "2026-05-08T10:01Z", "Nice."),
        ("Mara", "2026-05-09T10:00Z", "I visited Turin last week."),
        ("Mara", "2026-05-10T10:00Z", "I visited Graz too."))  # fmt: skip
    found = memory.recall("Which cities has Mara visited?")
    held = sufficient(memory, found, [ref_of(found, "Oslo")])
    assert codes(held) == {"coverage"}
    assert held.concerns[0].details == {"matching": 3, "covered": 1}
    assert set(held.concerns[0].refs) == {ref_of(found, "Turin"), ref_of(found, "Graz")}
    whole = [ref_of(found, city) for city in ("Oslo", "Turin", "Graz")]
    assert sufficient(memory, found, whole).verdict == "sufficient"


def test_what_was_superseded_is_no_answer_about_now(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-01-08T10:00Z", "I live in Oslo."), ("Mara", "2026-05-09T10:00Z", "I moved to Turin."))
    found = memory.recall("Where does Mara live?")
    assert "superseded_only" in codes(sufficient(memory, found, [ref_of(found, "Oslo")]))
    assert codes(sufficient(memory, found, [ref_of(found, "Turin")])) == set()
    past = memory.recall("Where did Mara live before she moved to Turin?")
    assert "superseded_only" not in codes(sufficient(memory, past, [ref_of(past, "Oslo")]))


def test_a_quote_that_no_longer_stands_is_noticed(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-01-08T10:00Z", "I live in Oslo."))
    found = memory.search_events("Oslo")
    with memory._space.guard:
        memory._space.engine.run("MATCH (:Event)-[s:SOURCED_FROM]->(:Message) SET s.quote = 'I live in Graz'")
    assert codes(sufficient(memory, found)) == {"quote_gone"}


def test_a_repeated_search_is_sent_elsewhere(tyre: sgraph.Memory) -> None:
    first = tyre.search_raw("spare tyre pressure")
    tyre.assess(first.batch_id, verdict="partial", evidence_refs=[], missing="the pressure", next_strategy="search_raw")
    again = tyre.search_raw("Spare tyre pressure?")
    held = tyre.assess(again.batch_id, verdict="partial", evidence_refs=[], next_strategy="search_raw")
    assert codes(held) == {"repeated_search"}
    assert held.next_strategy not in ("search_raw", "answer")


def test_a_concern_may_be_overruled_and_that_is_kept(memory: sgraph.Memory) -> None:
    say(memory, ("Mara", "2026-05-08T10:00Z", "I keep bees."), ("Ivo", "2026-05-08T10:01Z", "I keep goats."))
    found = memory.recall("What does Mara keep?")
    held = sufficient(memory, found, [ref_of(found, "goats")], despite=["subject_missing", "undated"])
    assert (held.verdict, held.despite) == ("sufficient", ("subject_missing",))
    assert codes(held) == {"subject_missing"}


# ------------------------------------------------------------------ kinds of question
@pytest.mark.parametrize(("question", "kinds"), [
    ("When did she leave?", {"when"}), ("她什么时候离开的？", {"when"}), ("How many dogs does Mara have?", {"count"}),
    ("Mara 有几只狗？", {"count"}), ("What books has Mara read?", {"list"}), ("Mara 读过哪些书？", {"list"}),
    ("Where does Mara live?", set()), ("Mara 住在哪里？", set()), ("What is her status?", set()),
    ("What do Mara and Ivo have in common?", {"list"}),
])  # fmt: skip
def test_kinds_of_question(question: str, kinds: set[str]) -> None:
    assert questions.read(question, NOW).kinds & {"when", "count", "list"} == kinds
