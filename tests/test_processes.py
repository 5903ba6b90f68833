"""Several processes on one space: all capture, all read, one owns the graph, and its death hands it on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import sgraph

spawn = multiprocessing.get_context("spawn")
ALL = "MATCH (m:Message) RETURN m.content ORDER BY m.thread, m.position"


def contents(memory: sgraph.Memory) -> list[str]:
    return [content for (content,) in memory.cypher(ALL, limit=10_000).rows]


class Other:
    """Another process with the space open, doing one verb at a time."""

    def __init__(self, path: Path) -> None:
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(path, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, verb: str, *arguments: Any, **named: Any) -> Any:
        """Run a verb there; give what it gives, or raise what it raises."""
        self.pipe.send((verb, arguments, named))
        done, value = self.pipe.recv()
        if not done:
            raise value
        return value

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def close(self) -> None:
        if self.process.is_alive():
            self.ask("close")
            self.process.join(20)
            assert self.process.exitcode == 0


def _serve(path: Path, pipe: Connection) -> None:
    memory = sgraph.open(path)
    verbs: dict[str, Callable[..., Any]] = {
        "contents": lambda: contents(memory),
        "add": lambda text, **named: memory.add_turn(user=text, **named).new,
        "owner": lambda: memory.status().owner,
        "forget": lambda id: memory.forget(id).pending,
        "rows": lambda query: memory.cypher(query).rows,
        "rebuild": memory.rebuild,
        "undecided": lambda: memory.status().undecided,
        "verify": lambda: memory.verify().ok,
        "close": memory.close,
    }
    while True:
        verb, arguments, named = pipe.recv()
        try:
            pipe.send((True, verbs[verb](*arguments, **named)))
        except sgraph.SgraphError as error:
            pipe.send((False, type(error)(error.message, **error.details)))
        if verb == "close":
            return


@pytest.fixture
def path(tmp_path: Path, engine: str) -> Path:
    path = tmp_path / "s.sgraph"
    sgraph.open(path, engine=engine).close()
    return path


@pytest.fixture
def other(path: Path) -> Iterator[Other]:
    """A process that opened the space first, and so owns its graph."""
    other = Other(path)
    assert other.ask("owner")
    yield other
    other.close()


# ------------------------------------------------------------------ capturing and reading beside the owner
def test_a_second_process_captures_and_reads_its_own_copy(path: Path, other: Other) -> None:
    other.ask("add", "from the owner")
    with sgraph.open(path) as memory:
        assert not memory.status().owner
        assert contents(memory) == ["from the owner"]
        memory.add_turn(user="from beside")
        assert contents(memory) == ["from the owner", "from beside"]
        assert other.ask("contents") == ["from the owner", "from beside"]
        other.ask("add", "again")
        assert contents(memory) == ["from the owner", "from beside", "again"]
        assert memory.verify().ok
    assert other.ask("verify")


def test_what_is_captured_beside_an_idle_owner_is_derived_by_it(path: Path, other: Other) -> None:
    with sgraph.open(path) as memory:
        memory.add_turn(user="I live in Vell.")
        deadline = time.monotonic() + 30
        while not (found := memory.cypher("MATCH (f:Fact {key: 'lives_in'}) RETURN f.value").rows):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert found == (("Vell",),)
        ((event,),) = memory.cypher("MATCH (v:Event) RETURN v.id LIMIT 1").rows
        done = memory.forget(event)
        assert done.pending
        while memory.cypher("MATCH (v:Event) RETURN v.state").rows != (("forgotten",),):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_what_needs_the_graph_says_who_holds_it(path: Path, other: Other) -> None:
    with sgraph.open(path) as memory:
        memory.add_turn(user="x")
        for verb in (memory.rebuild, lambda: memory.submit("events", "main", {"events": []})):
            with pytest.raises(sgraph.SpaceLocked) as locked:
                verb()
            assert locked.value.details["pid"] == other.process.pid
            assert str(other.process.pid) in locked.value.message


def test_cypher_typed_while_an_agent_holds_the_space(path: Path, other: Other) -> None:
    other.ask("add", "what the agent heard")
    command = [sys.executable, "-m", "sgraph", "cypher", ALL, "--space", str(path), "-o", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "what the agent heard" in done.stdout
    assert other.ask("owner")


def test_both_read_while_both_write(path: Path, other: Other) -> None:
    with sgraph.open(path) as memory:
        for number in range(15):
            memory.add_turn(user=f"here {number}", thread="here")
            other.ask("add", f"there {number}", thread="there")
            wanted = [f"here {n}" for n in range(number + 1)] + [f"there {n}" for n in range(number + 1)]
            assert contents(memory) == wanted
            assert other.ask("contents") == wanted


def test_a_rebuild_by_the_owner_is_followed(path: Path, other: Other) -> None:
    with sgraph.open(path) as memory:
        memory.add_turn(user="before")
        assert contents(memory) == ["before"]
        other.ask("rebuild")
        other.ask("add", "after")
        assert contents(memory) == ["before", "after"]


# ------------------------------------------------------------------ handing over
def test_the_death_of_the_owner_hands_over(path: Path) -> None:
    other = Other(path)
    assert other.ask("owner")
    other.ask("add", "acknowledged")
    with sgraph.open(path) as memory:
        assert contents(memory) == ["acknowledged"]
        other.kill()
        memory.add_turn(user="after the death")
        assert contents(memory) == ["acknowledged", "after the death"]
        assert memory.status().owner
        memory.rebuild()
        assert memory.verify().ok


def test_a_clean_close_hands_over(path: Path) -> None:
    other = Other(path)
    assert other.ask("owner")
    with sgraph.open(path) as memory:
        assert not memory.status().owner
        other.close()
        memory.add_turn(user="x")
        assert contents(memory) == ["x"]
        assert memory.status().owner


def test_four_processes_write_and_read_at_once(path: Path) -> None:
    writers = [spawn.Process(target=_turns, args=(path, writer, 25)) for writer in range(4)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
        assert process.exitcode == 0
    with sgraph.open(path) as memory:
        assert contents(memory) == [f"writer {w} note {n}" for w in range(4) for n in range(25)]
        shared = memory.cypher(
            "MATCH (b:Block) RETURN b.thread, b.first_turn, b.last_turn ORDER BY b.thread, b.number"
        ).rows
        assert shared == tuple((f"t{w}", a, a + 11) for w in range(4) for a in (1, 13))
        assert memory.verify().ok
    assert not (path / "quarantine").exists()


def _turns(path: Path, writer: int, count: int) -> None:
    with sgraph.open(path) as memory:
        for number in range(count):
            assert memory.add_turn(user=f"writer {writer} note {number}", thread=f"t{writer}").new == 1
            if number % 10 == 0:
                assert f"writer {writer} note {number}" in contents(memory)


def test_two_processes_make_one_space(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "new.sgraph"
    makers = [spawn.Process(target=_make, args=(path, engine, number)) for number in range(3)]
    for process in makers:
        process.start()
    for process in makers:
        process.join()
        assert process.exitcode == 0
    with sgraph.open(path) as memory:
        assert sorted(contents(memory)) == ["0", "1", "2"]
        assert [entry.kind for entry in memory._space.journal.entries()].count("opened") == 1
        assert memory.verify().ok


def _make(path: Path, engine: str, number: int) -> None:
    with sgraph.open(path, engine=engine) as memory:
        memory.add_turn(user=str(number))


# ------------------------------------------------------------------ forked children
def in_child(act: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        act()
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)


def test_a_forked_child_captures_and_reads_and_the_parent_goes_on(path: Path) -> None:
    with sgraph.open(path) as memory:
        memory.add_turn(user="before")
        assert contents(memory) == ["before"]

        def child() -> None:
            assert not memory._space.is_owner
            memory.add_turn(user="child")
            assert contents(memory) == ["before", "child"]
            memory.close()

        assert os.waitpid(in_child(child), 0)[1] == 0
        memory.add_turn(user="after")
        assert contents(memory) == ["before", "child", "after"]
        assert memory.status().owner
        memory.rebuild()
        assert memory.verify().ok
    assert (path / "graph.lock").read_bytes() == b""


def test_a_child_that_outlives_its_parents_memory_loses_nothing(path: Path) -> None:
    memory = sgraph.open(path)
    memory.cypher("RETURN 1")
    ready, go = os.pipe()

    def child() -> None:
        memory.add_turn(user="first")
        os.read(ready, 1)
        memory.add_turn(user="second")
        assert contents(memory) == ["first", "second"]
        memory.close()

    process = in_child(child)
    memory.close()
    os.write(go, b"x")
    assert os.waitpid(process, 0)[1] == 0
    with sgraph.open(path) as again:
        assert contents(again) == ["first", "second"]
        assert again.verify().ok


def test_forks_while_other_threads_write_and_read(path: Path) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []
    with sgraph.open(path) as memory:

        def busy(number: int) -> None:
            try:
                while not stop.is_set():
                    memory.add_turn(user="busy", thread=f"busy {number}")
                    memory.cypher("MATCH (m:Message) RETURN count(*)")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=busy, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        try:
            for number in range(4):
                child = in_child(lambda number=number: memory.add_turn(user=f"child {number}", thread="children"))  # type: ignore[misc]
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert not failures
        rows = memory.cypher("MATCH (m:Message {thread: 'children'}) RETURN m.content ORDER BY m.position").rows
        assert rows == tuple((f"child {number}",) for number in range(4))
        assert memory.verify().ok


def test_a_killed_child_takes_nothing_with_it(path: Path) -> None:
    with sgraph.open(path) as memory:
        child = in_child(lambda: time.sleep(60))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        memory.add_turn(user="x")
        assert contents(memory) == ["x"]
        assert memory.status().owner


# ------------------------------------------------------------------ one process
def test_two_memories_on_one_space_share_it(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path)
    with sgraph.open(path) as first, sgraph.open(tmp_path / "link") as second:
        first.add_turn(user="one")
        second.add_turn(user="two")
        assert contents(first) == contents(second) == ["one", "two"]
        assert first.status().owner
        assert second.status().owner


def test_a_hundred_turns_from_threads_and_objects_all_arrive_in_order(path: Path) -> None:
    with sgraph.open(path) as first, sgraph.open(path) as second:

        def write(memory: sgraph.Memory, writer: int) -> None:
            for number in range(25):
                memory.add_turn(user=f"writer {writer} note {number}", thread=f"t{writer}")

        threads = [threading.Thread(target=write, args=((first, second)[n % 2], n)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert contents(first) == [f"writer {w} note {n}" for w in range(4) for n in range(25)]
        assert first.cypher(
            "MATCH (m:Message)-[:IN_THREAD]->(t:Thread) WHERE m.thread <> t.id RETURN count(*)"
        ).rows == ((0,),)
        assert first.verify().ok
