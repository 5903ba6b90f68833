"""The journal: numbers, times, the chain, the key tables, several processes at once."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sgraph.errors import JournalDamaged, SpaceClosed, SpaceError
from sgraph.journal.capture import capture
from sgraph.journal.log import Journal
from sgraph.records.entries import KINDS, SOURCE_KINDS
from sgraph.records.message import NewMessage
from sgraph.records.parts import BlockPart, MessagePart, NotePart, SettingPart, TurnClosedPart, TurnPart

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


def note(text: str) -> NotePart:
    return NotePart(id=text, content=text, category="x")


def say(journal: Journal, thread: str, text: str) -> None:
    messages = [NewMessage(role=role, content=text, sent_at=NOW) for role in ("user", "assistant")]
    capture(journal, messages, thread=thread, close_turn=True)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / "journal.db")
    journal.append("opened", [SettingPart(name="block_turns", value=12)], at=NOW)
    return journal


def test_every_kind_is_documented_and_of_one_class() -> None:
    assert {"said", "requested", "used", "settings"} <= SOURCE_KINDS
    assert {"turn_derived", "decided", "projected", "refused"} <= KINDS.keys() - SOURCE_KINDS
    assert all(cls.__doc__ for cls in KINDS.values())


def test_numbers_have_no_gap_and_times_never_go_back(journal: Journal) -> None:
    for minutes in (5, -60, 3, 10):
        journal.append("noted", [note("x")], at=NOW + timedelta(minutes=minutes))
    entries = list(journal.entries())
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.at - NOW for entry in entries[1:]] == [timedelta(minutes=m) for m in (5, 5, 5, 10)]
    assert list(journal.faults()) == []


def test_equal_words_have_unequal_digests(journal: Journal) -> None:
    for _ in range(2):
        journal.append("noted", [note("the same")])
    (first,), (second,) = journal.rows("SELECT digest FROM parts WHERE seq > 1")
    assert first != second


def test_a_part_can_be_erased_without_breaking_the_chain(journal: Journal) -> None:
    journal.append("noted", [note("kept"), note("erased")])
    journal.append("noted", [note("after")])
    journal.rows("UPDATE parts SET body = NULL WHERE seq = 2 AND idx = 1")
    assert list(journal.faults()) == []
    entry = journal.entry(2)
    assert entry is not None
    assert [part.content for part in entry.parts] == ["kept"]  # type: ignore[union-attr]


def test_a_transaction_is_whole_or_not_at_all(journal: Journal) -> None:
    def half() -> None:
        with journal.transaction():
            journal.append("noted", [note("x")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert journal.last_seq() == 1
    journal.append("noted", [note("y")])
    assert Journal(journal.path).last_seq() == 2


def test_what_sqlite_cannot_do_is_an_error_of_ours_and_the_next_append_stands_alone(journal: Journal) -> None:
    journal.rows("PRAGMA max_page_count = 20")
    with pytest.raises(SpaceError, match="full"):
        journal.append("noted", [note("x" * 1_000_000)])
    journal.append("noted", [note("small")])
    other = Journal(journal.path)
    assert other.last_seq() == 2
    assert list(other.faults()) == []


def test_a_damaged_file_says_what_to_do_and_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(JournalDamaged, match="Restore a backup"):
        Journal(path)
    assert path.read_bytes() == b"this is no database at all" * 100


def test_a_closed_journal_says_so(journal: Journal) -> None:
    journal.close()
    with pytest.raises(SpaceClosed):
        journal.append("noted", [note("x")])


def test_key_tables_are_made_anew_from_the_entries(journal: Journal) -> None:
    for number in range(30):
        say(journal, f"t{number % 2}", str(number))
    assert list(journal.key_faults()) == []
    for table in ("messages", "threads", "blocks", "settings"):
        journal.rows(f"DELETE FROM keys_{table}")
    assert list(journal.key_faults())
    journal.rebuild_keys()
    assert list(journal.key_faults()) == []
    say(journal, "t0", "on")
    assert list(journal.key_faults()) == []


def test_a_fork_in_the_middle_of_threads_leaves_both_sides_working(journal: Journal) -> None:
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            journal.append("noted", [note("parent thread")])

    worker = threading.Thread(target=busy)
    worker.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                journal.append("noted", [note("child")])
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        worker.join()
    contents = [part.content for entry in journal.entries(1) for part in entry.parts if isinstance(part, NotePart)]
    assert contents.count("child") == 5
    assert list(journal.faults()) == []


def test_a_child_goes_on_after_the_parent_has_closed_the_file(journal: Journal) -> None:
    ready, go = os.pipe()
    child = os.fork()
    if child == 0:
        journal.append("noted", [note("before")])
        os.read(ready, 1)
        journal.append("noted", [note("after")])
        os._exit(0)
    while journal.last_seq() < 2:
        pass
    journal.close()
    os.write(go, b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert Journal(journal.path).last_seq() == 3


def _write(path: Path, writer: int, turns: int) -> None:
    journal = Journal(path)
    for number in range(turns):
        say(journal, "shared", f"{writer}:{number}")
        say(journal, f"own {writer}", f"{writer}:{number}")


def test_four_processes_keep_turn_numbers_borders_and_order(tmp_path: Path) -> None:
    path, turns = tmp_path / "journal.db", 30
    spawn = multiprocessing.get_context("spawn")
    first = Journal(path)
    first.append("opened", [SettingPart(name="block_turns", value=12)])
    writers = [spawn.Process(target=_write, args=(path, writer, turns)) for writer in range(4)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
        assert process.exitcode == 0
    parts = [part for entry in first.entries() for part in entry.parts]
    for thread, total in (("shared", 4 * turns), *((f"own {writer}", turns) for writer in range(4))):
        mine = [part for part in parts if getattr(part, "thread", None) == thread]
        assert [p.number for p in mine if isinstance(p, TurnPart)] == list(range(1, total + 1))
        assert [p.number for p in mine if isinstance(p, TurnClosedPart)] == list(range(1, total + 1))
        said = [p for p in mine if isinstance(p, MessagePart)]
        assert [p.position for p in said] == list(range(1, 2 * total + 1))
        assert [p.previous for p in said] == [None, *(p.key for p in said[:-1])]
        assert all(a.content == b.content for a, b in zip(said[::2], said[1::2], strict=True))
        borders = [(p.number, p.first_turn, p.last_turn) for p in mine if isinstance(p, BlockPart)]
        assert borders == [(n + 1, 12 * n + 1, 12 * n + 12) for n in range(total // 12)]
    for writer in range(4):
        order = [p.content for p in parts if isinstance(p, MessagePart) and p.content.startswith(f"{writer}:")]
        assert [int(text.partition(":")[2]) for text in order] == sorted(4 * list(range(turns)))
    sequences = [part.sequence for part in parts if isinstance(part, BlockPart)]
    assert sequences == list(range(1, len(sequences) + 1))
    assert list(first.faults()) == []
    assert list(first.key_faults()) == []


def test_the_record_is_durable_with_one_commit_a_turn(journal: Journal) -> None:
    assert journal.rows("PRAGMA synchronous") == [(2,)]
    assert journal.rows("PRAGMA journal_mode") == [("wal",)]
    begun: list[str] = []
    db = journal._file.connection
    assert isinstance(db, sqlite3.Connection)
    db.set_trace_callback(lambda sql: begun.append(sql) if sql.startswith(("BEGIN", "COMMIT")) else None)
    for number in range(12):
        say(journal, "t", str(number))
    db.set_trace_callback(None)
    assert begun == ["BEGIN IMMEDIATE", "COMMIT"] * 12
