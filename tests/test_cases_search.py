"""Search cases from real reports, through the verbs a person calls: B12, B25, B26, B27, B29, B39."""

from __future__ import annotations

from pathlib import Path

import pytest

import sgraph

LANGUAGES = {
    "zh": "周五把备份脚本迁移到新服务器",
    "ja": "来週の会議は大阪で開かれます",
    "ko": "회의는 부산에서 열립니다",
    "th": "ย้ายเครื่องสำรองข้อมูลไปห้องใหม่",
    "ar": "نقلنا الخادم إلى الغرفة الجديدة",
    "he": "העברנו את השרת לחדר החדש",
    "mix": "use the GPU节点 for training",
}
NOTES = {
    "d1": "Never run rm -rf on the build host.",
    "d2": "The parser is written in C++ and C#.",
    "d3": "Docs live at http://intra.example/wiki:page and C:\\repo\\src\\main.py.",
    "d4": "Rollback of release (blue) went fine.",
    "d5": "The body field holds the text and nobody is the author.",
}


def keep(memory: sgraph.Memory, notes: dict[str, str], thread: str = "t1") -> None:
    memory.add_messages([{"id": id, "content": text} for id, text in notes.items()], thread=thread)


def ids(found: object) -> list[str]:
    return [card.ref.rpartition("/")[2] for card in found.cards if card.kind == "message"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("备份脚本", "zh"), ("迁移", "zh"), ("服务器", "zh"), ("会議", "ja"), ("大阪", "ja"),
        ("회의", "ko"), ("부산", "ko"),
        ("สำรองข้อมูล", "th"), ("الخادم", "ar"), ("الخَادِم", "ar"), ("השרת", "he"), ("节点", "mix"), ("GPU", "mix"),
        ("打印机", None), ("東京", None), ("서울", None), ("แมว", None), ("طابعة", None),
    ],
)  # fmt: skip
def test_b25_a_part_of_a_sentence_is_found_in_any_script(memory: sgraph.Memory, query: str, first: str | None) -> None:
    keep(memory, LANGUAGES)
    for found in (memory.search_raw(query), memory.recall(query)):
        assert ids(found)[:1] == ([first] if first else []), query
        assert first or found.empty_reason == "nothing_matched"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("rm -rf", "d1"), ("C++", "d2"), ("C#", "d2"), ("http://intra.example/wiki:page", "d3"),
        ("C:\\repo\\src\\main.py", "d3"), ("release (blue", "d4"), ('"release', "d4"),
    ],
)  # fmt: skip
def test_b26_signs_are_words_and_never_syntax(memory: sgraph.Memory, query: str, first: str) -> None:
    keep(memory, NOTES)
    assert ids(memory.search_raw(query))[0] == first
    assert ids(memory.recall(query))[0] == first


@pytest.mark.parametrize("query", ["NOT rollback", "rollback AND", "release^9"])
def test_b26_operators_do_not_widen(memory: sgraph.Memory, query: str) -> None:
    keep(memory, NOTES)
    assert set(ids(memory.search_raw(query))) <= {"d4"}


@pytest.mark.parametrize("query", ["*", "*:*", "?!", "the and of", "   ", "", "...?!", "\u200b"])
def test_b27_a_query_without_words_says_so(memory: sgraph.Memory, query: str) -> None:
    keep(memory, NOTES)
    for found in (
        memory.search_raw(query), memory.recall(query), memory.search_events(query), memory.search_turns(query),
        memory.search_graph(query),
    ):
        assert not found.cards
        assert found.empty_reason == "no_usable_terms"


@pytest.mark.parametrize("query", ["can you tell me what happened with the rollback?", "why did the cache matter"])
def test_b27_a_plain_question_finds_its_words(memory: sgraph.Memory, query: str) -> None:
    keep(memory, {"d1": "The rollback on Tuesday went fine after we cleared the cache.", "d2": "Lunch is at noon."})
    assert ids(memory.recall(query))[0] == "d1"


def test_b29_long_queries_answer_and_say_that_they_were_cut(memory: sgraph.Memory) -> None:
    keep(memory, {"d1": "The needle is in the blue drawer.", **{f"n{i}": f"note number {i}" for i in range(50)}})
    long = memory.search_raw(" ".join(f"lorem{i}" for i in range(1500)) + " needle")
    assert ids(long)[:1] == ["d1"] or long.cut_terms > 0
    assert ids(memory.search_raw("(" * 5000 + "needle" + ")" * 5000))[0] == "d1"
    assert ids(memory.search_raw("needle " * 20_000))[0] == "d1"
    for query in ("x OR " * 5000, "NOT " * 500, "*" + "a*" * 500, "一" * 10_000):
        assert memory.recall(query).cards == ()


def test_b39_spaces_and_threads_stay_apart(tmp_path: Path, engine: str) -> None:
    pins = {"user": "1001", "user1": "2002", "user'; x": "3003", "user-1 甲": "4004"}
    memories = {name: sgraph.open(tmp_path / name / "m.sgraph", engine=engine) for name in pins}
    for name, pin in pins.items():
        memories[name].add_messages([{"id": "a1", "content": f"My pin is {pin}.", "speaker": "Ana"}], thread="team")
    for name, pin in pins.items():
        memory = memories[name]
        shown = [
            *(card.text for found in (memory.recall("pin"), memory.search_raw("pin"), memory.search_events("pin"),
                                      memory.search_turns("pin"), memory.search_graph("Ana")) for card in found.cards),
            *(str(row) for row in memory.query("timeline", name="Ana").rows),
        ]  # fmt: skip
        assert any(pin in text for text in shown)
        assert not any(other in text for other in pins.values() if other != pin for text in shown)
    one = memories["user"]
    one.add_messages([{"id": "b1", "content": "My pin is 9009.", "speaker": "Ana"}], thread="team2")
    for found in (one.recall("pin", thread="team"), one.search_raw("pin", thread="team")):
        assert found.cards
        assert not any("9009" in card.text for card in found.cards)
    for found in (one.search_events("pin", thread="team"), one.search_turns("pin", thread="team")):
        assert not any("9009" in card.text for card in found.cards)
    for memory in memories.values():
        memory.close()


def test_b12_what_was_replaced_comes_below_and_says_so(memory: sgraph.Memory) -> None:
    memory.add_messages([{"content": "I live in Oslo.", "speaker": "Mara", "at": "2026-01-01"}], thread="t")
    memory.add_messages([{"content": "I moved to Paris.", "speaker": "Mara", "at": "2026-02-01"}], thread="t")
    cards = memory.recall("Where does Mara live?").cards
    state = {card.text: card.state for card in cards}
    assert state["I live in Oslo."] == "superseded"
    assert cards[0].text == "I moved to Paris."
