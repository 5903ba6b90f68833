"""Capture: durable at once, idempotent, in order, and whatever the text is."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph.journal.capture import TEXT_LIMIT

TURN = [
    {"id": "m1", "role": "user", "at": "2026-02-16T10:00:00Z", "content": "The gate code is 88."},
    {"id": "m2", "role": "assistant", "at": "2026-02-16T10:00:05Z", "content": "Saved."},
]


def messages(memory: sgraph.Memory, columns: str = "m.content") -> list[Any]:
    rows = memory.cypher(f"MATCH (m:Message) RETURN {columns} ORDER BY m.thread, m.position", limit=10_000).rows
    return [row[0] if len(row) == 1 else row for row in rows]


# ------------------------------------------------------------------ again and again
def test_a_replayed_turn_is_stored_once_also_after_reopening_and_from_two_threads(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    for _ in range(2):
        with sgraph.open(path, engine=engine) as memory:
            workers = [
                threading.Thread(target=lambda: [memory.add_messages(TURN, thread="t1") for _ in range(10)])
                for _ in range(2)
            ]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            assert messages(memory) == ["The gate code is 88.", "Saved."]
            assert memory.cypher("MATCH (t:Turn) RETURN count(*)").rows == ((1,),)
            assert memory.verify().ok


def test_a_receipt_again_is_a_no_op_and_with_other_content_an_error(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    with sgraph.open(path, engine=engine) as memory:
        first = memory.add_turn(user="one", assistant="two", receipt="host-42")
    with sgraph.open(path) as memory:
        again = memory.add_turn(user="one", assistant="two", receipt="host-42")
        assert (first.new, again.new, again.seq, again.messages) == (2, 0, None, first.messages)
        with pytest.raises(sgraph.ReceiptConflict) as conflict:
            memory.add_turn(user="one", assistant="three", receipt="host-42")
        assert conflict.value.details["receipt"] == "host-42"
        with pytest.raises(sgraph.ReceiptConflict):
            memory.add_turn(user="one", assistant="two", receipt="host-42", thread="other")
        assert messages(memory) == ["one", "two"]
        assert memory.cypher("MATCH (t:Turn) RETURN count(*)").rows == ((1,),)


def test_a_known_id_with_other_content_stores_nothing_of_the_call(memory: sgraph.Memory) -> None:
    memory.add_messages(TURN, thread="t1")
    with pytest.raises(sgraph.MessageConflict) as conflict:
        memory.add_messages(
            [{"id": "m3", "content": "new"}, {**TURN[0], "content": "The gate code is 99."}], thread="t1"
        )
    assert conflict.value.details["id"] == "m1"
    assert messages(memory) == ["The gate code is 88.", "Saved."]
    memory.add_messages([{**TURN[0], "id": "m9"}], thread="t1")
    memory.add_messages([TURN[0]], thread="t2")
    assert messages(memory).count("The gate code is 88.") == 3


def test_replays_move_no_turn_and_no_border(memory: sgraph.Memory) -> None:
    for number in range(30):
        memory.add_turn(user=f"q{number}", assistant="a", ids=[f"u{number}", f"a{number}"], thread="t")
        memory.add_turn(user=f"q{number // 2}", assistant="a", ids=[f"u{number // 2}", f"a{number // 2}"], thread="t")
    assert memory.cypher("MATCH (b:Block) RETURN b.first_turn, b.last_turn ORDER BY b.sequence").rows == (
        (1, 12),
        (13, 24),
    )
    assert memory.cypher("MATCH (t:Turn) RETURN count(*)").rows == ((30,),)


def test_a_replay_of_an_old_turn_leaves_the_open_one_open(memory: sgraph.Memory) -> None:
    memory.add_turn(user="old", assistant="answer", ids=["u1", "a1"])
    memory.add_messages([{"role": "user", "content": "a new question", "id": "u2"}])
    memory.add_turn(user="old", assistant="answer", ids=["u1", "a1"])
    memory.add_messages([{"role": "assistant", "content": "its answer", "id": "a2"}])
    rows = memory.cypher("MATCH (t:Turn)-[:HAS_MESSAGE]->(m:Message) RETURN t.number, count(m) ORDER BY t.number").rows
    assert rows == ((1, 2), (2, 2))


def test_ids_that_look_like_positions_or_keys_stay_apart(memory: sgraph.Memory) -> None:
    ids = ["2", None, "2~", "1", None, "2", "a/b", "2~~", "1~"]
    for index, id in enumerate(ids):
        memory.add_messages([{"content": f"text {index if id != '2' else 'two'}", "id": id}], thread="t/1")
    kept = messages(memory, "m.id, m.content")
    assert [row[0] for row in kept] == ["2", None, "2~", "1", None, "a/b", "2~~", "1~"]
    again = memory.add_messages([{"content": "text 7", "id": "2~~"}], thread="t/1")
    assert (again.new, again.known) == (0, 1)


# ------------------------------------------------------------------ nothing, and what is no text
def test_an_empty_turn_is_an_error_and_empty_content_is_kept(memory: sgraph.Memory) -> None:
    with pytest.raises(sgraph.EmptyTurn):
        memory.add_turn()
    with pytest.raises(sgraph.EmptyTurn):
        memory.add_messages([])
    memory.add_turn(user="", assistant="")
    assert messages(memory) == ["", ""]


@pytest.mark.parametrize("bad", ["", "  ", "x" * 1_001, "half \ud83d"])
def test_blank_long_or_broken_ids_are_refused_by_name(memory: sgraph.Memory, bad: str) -> None:
    for arguments in ({"thread": bad}, {"receipt": bad}, {"ids": [bad]}):
        with pytest.raises(sgraph.InvalidInput):
            memory.add_turn(user="x", **arguments)  # type: ignore[arg-type]
    assert messages(memory) == []


def test_odd_but_legal_names_work_everywhere(memory: sgraph.Memory) -> None:
    for thread in ("a/b#1:b2", "100%", "团队", "nul\x00inside", "x" * 1_000, "'; DROP", "~"):
        memory.add_turn(user=thread, assistant="ok", thread=thread, ids=[thread, None])
        memory.add_turn(user=thread, assistant="ok", thread=thread, ids=[thread, None])
    assert memory.verify().ok
    assert memory.cypher("MATCH (t:Thread) RETURN count(*)").rows == ((7,),)


# ------------------------------------------------------------------ any text
TEXTS = [
    "W\x00s\x00l\x00: valve error",
    "list cut here \ud83d",
    "\udcff\udcfe bytes",
    "fine \ud83d\udc4d\u200d\ud83d\udd27",
    "\ufeffBOM\r\n\u2028",
]


def test_nul_and_lone_surrogates_come_back_exactly(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    texts = [text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") for text in TEXTS]
    with sgraph.open(path, engine=engine) as memory:
        memory.add_messages(
            [{"role": "tool", "content": text, "id": str(n)} for n, text in enumerate(texts)], thread="t1"
        )
        memory.add_messages(
            [{"role": "tool", "content": text, "id": str(n)} for n, text in enumerate(texts)], thread="t1"
        )
    with sgraph.open(path) as memory:
        kept = [part.content for part in memory._space.journal.thread_messages("t1")]
        assert kept == texts
        shown = messages(memory)
        assert all(a == b or "\ufffd" in a for a, b in zip(shown, texts, strict=True))
        memory.dump(tmp_path / "dump.jsonl")
        assert memory.verify().ok
    for line in (tmp_path / "dump.jsonl").read_bytes().decode("utf-8", "strict").splitlines():
        json.loads(line)


def test_a_megabyte_and_ten_are_kept_byte_for_byte(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    one = "".join(f'{{"host":"10.0.{n % 256}.{n}","port":22,"state":"closed"}}\n' for n in range(21_000))
    ten = "é" * 5_000_000
    with sgraph.open(path, engine=engine) as memory:
        memory.add_messages([{"role": "user", "content": "Run the scan."}, {"role": "tool", "content": one}])
        for _ in range(4):
            memory.add_messages([{"role": "tool", "content": ten}])
        assert messages(memory)[:3] == ["Run the scan.", one, ten]
        memory.rebuild()
    with sgraph.open(path) as memory:
        assert messages(memory, "size(m.content)") == [13, len(one), *[len(ten)] * 4]
        assert memory.verify().ok


def test_more_text_than_a_transaction_takes_is_refused_and_says_so(memory: sgraph.Memory) -> None:
    with pytest.raises(sgraph.InvalidInput) as refused:
        memory.add_turn(user="x" * (TEXT_LIMIT + 1))
    assert refused.value.details["field"] == "content"
    assert messages(memory) == []


# ------------------------------------------------------------------ times
def test_every_form_of_an_instant_is_the_same_instant(tmp_path: Path, engine: str) -> None:
    given = {
        "m5": "2025-10-24T14:00:00",
        "m3": 1_761_307_200,
        "m1": "2025-10-24T10:00:00Z",
        "m4": 1_761_310_800_000,
        "m2": "2025-10-24T13:00:00+02:00",
    }
    path = tmp_path / "s.sgraph"
    with sgraph.open(path, engine=engine) as memory:
        for id, at in given.items():
            memory.add_messages([{"id": id, "at": at, "content": f"{id} apples"}], thread="t1")
    wanted = tuple((f"m{n}", datetime(2025, 10, 24, 9 + n, tzinfo=UTC)) for n in range(1, 6))
    with sgraph.open(path) as memory:
        assert memory.cypher("MATCH (m:Message) RETURN m.id, m.sent_at ORDER BY m.sent_at").rows == wanted
        before = datetime.now(UTC)
        memory.add_messages([{"id": "m6", "at": None, "content": "six apples"}], thread="t1")
        ((_, at),) = memory.cypher("MATCH (m:Message {id: 'm6'}) RETURN m.id, m.sent_at").rows
        assert before <= at <= datetime.now(UTC)


def test_naive_times_are_read_in_the_zone_of_the_space(tmp_path: Path, engine: str) -> None:
    with sgraph.open(tmp_path / "s.sgraph", engine=engine, timezone="Asia/Tokyo") as memory:
        memory.add_turn(user="naive", at=datetime(2026, 3, 1, 9))
        memory.add_turn(user="text", at="2026-03-01 09:00")
        memory.add_turn(user="aware", at=datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=9))))
        assert set(messages(memory, "m.sent_at")) == {datetime(2026, 3, 1, 0, tzinfo=UTC)}


@pytest.mark.parametrize(
    "bad", ["soon", "2026-13-01T00:00:00Z", float("nan"), float("inf"), -5, True, "2026-02-30T10:00"]
)
def test_an_unreadable_time_stores_nothing(memory: sgraph.Memory, bad: Any) -> None:
    with pytest.raises(sgraph.InvalidTime):
        memory.add_turn(user="x", at=bad)
    with pytest.raises(sgraph.InvalidTime):
        memory.add_messages(["fine", {"content": "x", "at": bad}])
    assert messages(memory) == []


def test_order_of_arrival_is_kept_whatever_the_clocks_say(memory: sgraph.Memory) -> None:
    hours = [5, -3, 900, 0, 5, -3000]
    base = datetime(2026, 1, 1, tzinfo=UTC)
    for number, hour in enumerate(hours):
        memory.add_turn(user=f"turn {number}", at=base + timedelta(hours=hour), thread="t")
    assert messages(memory) == [f"turn {number}" for number in range(len(hours))]
    pairs = memory.cypher(
        "MATCH (a:Message)-[:NEXT]->(b:Message) RETURN a.position, b.position ORDER BY a.position"
    ).rows
    assert pairs == tuple((n, n + 1) for n in range(1, len(hours)))
    recorded = messages(memory, "m.recorded_at")
    assert recorded == sorted(recorded)


# ------------------------------------------------------------------ turns and sessions
def test_a_conversation_of_named_people_turns_with_the_one_who_began(memory: sgraph.Memory) -> None:
    said = ["Ana", "Bo", "Cy", "Ana", "Ana", "Bo", "Ana"]
    memory.add_messages([{"speaker": name, "content": f"{n}"} for n, name in enumerate(said)], thread="call")
    rows = memory.cypher(
        "MATCH (t:Turn)-[h:HAS_MESSAGE]->(m:Message) RETURN t.number, m.content ORDER BY m.position"
    ).rows
    assert rows == ((1, "0"), (1, "1"), (1, "2"), (2, "3"), (3, "4"), (3, "5"), (4, "6"))


def test_a_session_begins_after_four_hours_or_when_it_is_named(memory: sgraph.Memory) -> None:
    base = datetime(2026, 1, 1, tzinfo=UTC)
    for hours, session in ((0, None), (4, None), (8.1, None), (8.2, "x"), (20, "x"), (20.1, "y")):
        memory.add_turn(user="hi", at=base + timedelta(hours=hours), session=session)
    assert messages(memory, "m.session") == [1, 1, 2, 3, 3, 4]


def test_tools_are_kept_with_the_assistants_message(memory: sgraph.Memory) -> None:
    call = {"name": "scan", "arguments": {"port": 22}, "result": "closed\x00\ud83d"}
    memory.add_turn(user="scan", tools=[call])
    (part,) = memory._space.journal.thread_messages("main")[1:]
    assert (part.role, part.content, json.loads(part.tool_calls or "")) == ("assistant", "", [call])
    with pytest.raises(sgraph.InvalidInput):
        memory.add_turn(user="x", tools=[{"name": object()}])


def test_a_closed_memory_says_so_and_another_on_the_same_space_goes_on(tmp_path: Path, engine: str) -> None:
    first, second = (sgraph.open(tmp_path / "s.sgraph", engine=engine) for _ in range(2))
    first.close()
    first.close()
    with pytest.raises(sgraph.SpaceClosed):
        first.add_turn(user="x")
    second.add_turn(user="still here")
    assert messages(second) == ["still here"]
    second.close()
    with pytest.raises(sgraph.SpaceClosed):
        second.status()
