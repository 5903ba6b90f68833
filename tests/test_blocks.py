"""Blocks: sealed by counting, pending until understood, shown at a level by age, lifted on request."""

from __future__ import annotations

from pathlib import Path

import pytest

import sgraph
from sgraph.blocks.levels import estimate_tokens

SUMMARY = {
    "title": "A title",
    "tags": ["tag"],
    "summary": "What was said.",
    "keypoints": ["One point"],
    "should_extract": True,
}


def turns(memory: sgraph.Memory, count: int, thread: str = "main") -> None:
    for number in range(count):
        memory.add_turn(user=f"Question {number} of {thread}?", assistant=f"Answer {number}.", thread=thread)


def borders(memory: sgraph.Memory, thread: str = "main") -> list[tuple[int, int, int]]:
    return [(block.number, block.first_turn, block.last_turn) for block in memory.blocks(thread)]


@pytest.fixture
def by_hand(tmp_path: Path, engine: str) -> sgraph.Memory:
    """A memory without rules: Blocks wait for what is handed in."""
    return sgraph.open(tmp_path / "hand.sgraph", engine=engine, rules=False, block_turns=2)


def ready(memory: sgraph.Memory, block: str) -> None:
    memory.submit("block_summary", block, SUMMARY)
    memory.submit("events", block, {"events": []})


def test_the_twelfth_closed_turn_seals_and_the_tail_stays_open(memory: sgraph.Memory) -> None:
    turns(memory, 11)
    assert memory.blocks() == []
    turns(memory, 1)
    assert borders(memory) == [(1, 1, 12)]
    memory.add_messages([{"role": "user", "content": "a thirteenth"}])
    assert borders(memory) == [(1, 1, 12)]
    turns(memory, 12)
    assert borders(memory) == [(1, 1, 12), (2, 13, 24)]


def test_nineteen_turns_of_size_six_without_anybody_to_derive(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "s.sgraph", engine=engine, rules=False, block_turns=6) as memory:
        for number in range(19):
            memory.add_turn(user=f"q{number}", assistant="a", receipt=f"r{number}")
        assert borders(memory) == [(1, 1, 6), (2, 7, 12), (3, 13, 18)]
        assert {block.state for block in memory.blocks()} == {"pending"}
        assert memory.status().undecided == 0
        assert all(memory.add_turn(user=f"q{n}", assistant="a", receipt=f"r{n}").new == 0 for n in range(19))


def test_the_open_tail_survives_a_restart_and_seals_at_the_same_border(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    for _ in range(5):
        with sgraph.open(path, engine=engine) as memory:
            turns(memory, 5)
    with sgraph.open(path) as memory:
        assert borders(memory) == [(1, 1, 12), (2, 13, 24)]
        assert memory.verify().ok


def test_interleaved_threads_seal_by_themselves(memory: sgraph.Memory) -> None:
    for number in range(24):
        turns(memory, 1, "a")
        if number % 2:
            turns(memory, 1, "b/c:1")
    assert borders(memory, "a") == [(1, 1, 12), (2, 13, 24)]
    assert borders(memory, "b/c:1") == [(1, 1, 12)]
    rows = memory.cypher(
        "MATCH (b:Block)-[:CONTAINS]->(t:Turn)-[:HAS_MESSAGE]->(m:Message) WHERE b.thread <> m.thread RETURN count(*)"
    )
    assert rows.rows == ((0,),)
    assert [block.sequence for block in memory.blocks()] == [1, 2, 3]


def test_another_block_size_keeps_what_is_sealed_and_the_tail(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    with sgraph.open(path, engine=engine) as memory:
        turns(memory, 17)
    with sgraph.open(path, block_turns=4) as memory:
        assert borders(memory) == [(1, 1, 12)]
        turns(memory, 1)
        assert borders(memory) == [(1, 1, 12), (2, 13, 18)]
    with sgraph.open(path) as memory:
        assert memory.status().settings["block_turns"] == 4
        turns(memory, 4)
        assert borders(memory)[-1] == (3, 19, 22)
        assert memory.verify().ok


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "twelve"])
def test_a_block_of_no_turns_is_refused_and_no_space_is_made(tmp_path: Path, engine: str, bad: object) -> None:
    with pytest.raises(sgraph.InvalidInput):
        sgraph.open(tmp_path / "s.sgraph", engine=engine, block_turns=bad)  # type: ignore[arg-type]
    assert not (tmp_path / "s.sgraph").exists()


def test_a_pending_block_has_raw_levels_only_and_cannot_be_shown(by_hand: sgraph.Memory) -> None:
    turns(by_hand, 2)
    (block,) = by_hand.blocks()
    assert (block.state, block.level, block.title) == ("pending", None, None)
    with pytest.raises(sgraph.RequestRefused) as refused:
        by_hand.expand_block(block.id)
    assert refused.value.details["reason"] == "pending"
    with pytest.raises(sgraph.RequestRefused):
        by_hand.lift_block(block.id)
    by_hand.submit("block_summary", block.id, SUMMARY)
    assert by_hand.blocks()[0].state == "pending"
    by_hand.submit("events", block.id, {"events": []})
    assert (by_hand.blocks()[0].state, by_hand.blocks()[0].level) == ("ready", 5)
    by_hand.close()


def test_with_nothing_to_extract_the_summary_is_enough(by_hand: sgraph.Memory) -> None:
    turns(by_hand, 2)
    by_hand.submit("block_summary", "main:b1", {**SUMMARY, "should_extract": False})
    assert by_hand.blocks()[0].state == "ready"
    by_hand.close()


def test_levels_sink_with_age_five_five_four_three_three_two_two_one_one_nought(by_hand: sgraph.Memory) -> None:
    seen = []
    for number in range(1, 11):
        turns(by_hand, 2)
        ready(by_hand, f"main:b{number}")
        seen.append(by_hand.blocks()[0].level)
    assert seen == [5, 5, 4, 3, 3, 2, 2, 1, 1, 0]
    turns(by_hand, 1)  # an open tail ages nothing, nor does a Block that is pending or of another thread
    turns(by_hand, 2, "other")
    ready(by_hand, "other:b1")
    assert by_hand.blocks()[0].level == 0
    assert by_hand.blocks("other")[0].level == 5
    by_hand.close()


def test_a_lifted_block_sinks_again_from_where_it_was_lifted_to(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    with sgraph.open(path, engine=engine, rules=False, block_turns=1) as memory:
        for number in range(1, 11):
            turns(memory, 1)
            ready(memory, f"main:b{number}")
        assert memory.blocks()[0].level == 0
        memory.lift_block("main:b1")
        assert memory.blocks()[0].level == 1
        memory.lift_block("main:b1", 3, by="user")
    with sgraph.open(path) as memory:
        assert memory.cypher("MATCH (b:Block {id: 'main:b1'}) RETURN b.lifted_by, b.anchor_level").rows == (
            ("user", 3),
        )
        seen = [memory.blocks()[0].level]
        for number in range(11, 15):
            turns(memory, 1)
            ready(memory, f"main:b{number}")
            seen.append(memory.blocks()[0].level)
        assert seen == [3, 3, 2, 1, 1]
        for target, level in (("raw", 5), (99, 5), (-4, 0), ("L2", 2), ("next", 3)):
            memory.lift_block("main:b1", target)
            assert memory.blocks()[0].level == level


def test_every_level_is_there_and_none_is_longer_than_the_one_below(memory: sgraph.Memory) -> None:
    long = "The same long paragraph stands here twice, word for word, and is more than eighty characters long."
    call = {"name": "scan", "arguments": {"secret_argument": 1}, "result": "open"}
    for number in range(12):
        memory.add_turn(user=f"{long}\n\nOkay. Number {number} matters.", assistant="Done.", tools=[call])
    texts = {level: memory.expand_block("main:b1", level).text or "" for level in range(6)}
    assert all(texts.values())
    assert estimate_tokens(texts[3]) <= estimate_tokens(texts[4]) <= estimate_tokens(texts[5])
    assert texts[5].count(long) == 12
    assert texts[3].count(long) == 1
    assert "secret_argument" in texts[5]
    assert "secret_argument" not in texts[3]
    assert "scan" in texts[3]
    assert "Okay." not in texts[3]
    assert "Number 3 matters." in texts[3]
    with pytest.raises(sgraph.InvalidInput):
        memory.expand_block("main:b1", 6)
    with pytest.raises(sgraph.NotFound):
        memory.expand_block("main:b9")


def test_expanding_changes_nothing(memory: sgraph.Memory) -> None:
    turns(memory, 12)
    memory.blocks()
    before = memory.status().entries
    for level in range(6):
        memory.expand_block("main:b1", level)
    assert memory.status().entries == before
    assert memory.blocks()[0].level == 5
