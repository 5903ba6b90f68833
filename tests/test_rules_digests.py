"""What is kept of a turn and of a block without a model: extracts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgraph.derive.rules import digest_block, summarise
from sgraph.records.claim import SaidMessage


def turn(*said: tuple[str, str]) -> list[SaidMessage]:
    at = datetime(2026, 5, 11, 10, tzinfo=UTC)
    return [
        SaidMessage(key=f"t/{n}", role=role, speaker="Mara" if role == "user" else None, content=text, sent_at=at)
        for n, (role, text) in enumerate(said, 1)
    ]


@pytest.mark.parametrize(
    ("messages", "outcome"),
    [
        ([("user", "Fix the login test."), ("assistant", "Done. I've fixed the flaky login test.")], "completed"),
        ([("user", "Run the scan."), ("tool", "x"), ("assistant", "The scan failed with a timeout.")], "failed"),
        ([("user", "Fix both."), ("assistant", "The first is fixed, but the second still fails.")], "partial"),
        ([("user", "How do I sort a list?"), ("assistant", "With sorted().")], "informational"),
        ([("user", "Fix it.")], "unknown"),
        ([], "unknown"),
    ],
)
def test_the_outcome_is_read_from_the_answer(messages: list[tuple[str, str]], outcome: str) -> None:
    assert summarise(turn(*messages)).outcome == outcome


def test_the_sentence_of_a_turn_is_its_weightiest_claim() -> None:
    digest = summarise(turn(("user", "It was a lovely day. We settled on Postgres."), ("assistant", "Noted.")))
    assert digest.summary == "Mara and others settled on Postgres"


def test_triples_are_facts_by_their_label_and_happenings_by_their_verb() -> None:
    digest = summarise(turn(("user", "I live in Brask. I don't like rain. I visited the quarry.")))
    assert digest.triples == (
        ("Mara", "lives in", "Brask"),
        ("Mara", "not: likes", "rain"),
        ("Mara", "visited", "the quarry"),
    )


def test_a_turn_without_claims_is_shown_by_its_first_sentence() -> None:
    digest = summarise(turn(("user", "Hi! How do I sort a list?"), ("assistant", "With sorted().")))
    assert digest.summary == "Mara: How do I sort a list?"


def test_a_block_is_extracts_in_the_order_they_were_said() -> None:
    block = digest_block(
        turn(
            ("user", "I live in Brask. We went to the quarry yesterday."),
            ("assistant", "I would move to Lisbon."),
            ("user", "We decided to use Postgres for the database."),
        )
    )
    assert block.title == "Mara and others decided to use Postgres for the database"
    assert block.keypoints == (
        "Mara lives in Brask",
        "Mara and others went to the quarry yesterday",
        "Mara and others decided to use Postgres for the database",
    )
    assert "Lisbon" not in block.summary
    assert {"Postgres", "Brask"} <= set(block.tags)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=80)), max_size=4))
def test_there_is_always_a_line_and_it_is_bounded(said: list[tuple[str, str]]) -> None:
    digest, block = summarise(turn(*said)), digest_block(turn(*said))
    assert 0 < len(digest.summary) <= 240
    assert 0 < len(block.title) <= 60
    assert block.summary
    assert len(block.tags) <= 6
    assert len(block.keypoints) <= 8
    assert all(all(part.strip() for part in triple) for triple in digest.triples)
