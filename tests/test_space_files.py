"""The files of a space: repaired, moved, copied, written out and read back."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

import sgraph
from sgraph.graph import store
from sgraph.graph.engine import storage_version
from sgraph.space import layout
from sgraph.space.backup import restore
from sgraph.space.graphs import SpaceRepaired
from sgraph.space.move import move_engine
from sgraph.transfer.dump import json_schema, load

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture
def path(tmp_path: Path, engine: str) -> Path:
    """A closed space with a little of everything."""
    path = tmp_path / "s.sgraph"
    with sgraph.open(path, engine=engine, timezone="Europe/Berlin", block_turns=3) as memory:
        fill(memory)
    return path


def fill(memory: sgraph.Memory) -> None:
    for number in range(7):
        memory.add_turn(
            user=f"I live in Vell {number}.", assistant="Noted \ud83d\x00.", thread="t", receipt=f"r{number}"
        )
    done = memory.submit("events", "t:b1", {"events": [{"title": "x", "summary": "x", "source_message_ids": ["t/1"]}]})
    memory.forget(done.ids[0], reason="wrong")


def everything(path: Path) -> store.Contents:
    with sgraph.open(path) as memory:
        assert memory.verify().ok
        return store.contents(memory._space.engine)


def graph_file(path: Path) -> Path:
    found = layout.read(path)
    assert found is not None
    return found.graph


def left_open(path: Path) -> None:
    (path / "graph.lock").write_text("1 nowhere\n")


# ------------------------------------------------------------------ what does not open
def missing(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)


def text(file: Path) -> None:
    file.write_text("hello, this is no database\n" * 300)


def directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def zeroed(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [missing, empty, cut, text, directory, zeroed], ids=lambda damage: damage.__name__)
def test_a_graph_that_does_not_open_is_put_away_and_replayed(path: Path, damage: Callable[[Path], None]) -> None:
    before = everything(path)
    damage(graph_file(path))
    stray = graph_file(path).with_name(graph_file(path).name + ".wal")
    stray.write_bytes(b"")
    left_open(path)
    with pytest.warns(SpaceRepaired, match="nothing is lost") as seen:
        after = everything(path)
    assert len(seen) == 1
    assert after == before
    (kept,) = (path / "quarantine").iterdir()
    assert (kept / "graph" / stray.name).exists()
    assert everything(path) == before
    assert len(list((path / "quarantine").iterdir())) == 1


def test_a_warning_turned_into_an_error_leaves_a_space_that_opens(path: Path) -> None:
    before = everything(path)
    text(graph_file(path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SpaceRepaired):
            sgraph.open(path)
    assert everything(path) == before


def test_a_graph_of_another_space_or_journal_is_not_taken(path: Path, tmp_path: Path, engine: str) -> None:
    before = everything(path)
    with sgraph.open(tmp_path / "other.sgraph", engine=engine, block_turns=3) as memory:
        fill(memory)
    shutil.rmtree(path / "graph")
    shutil.copytree(tmp_path / "other.sgraph" / "graph", path / "graph")
    with pytest.warns(SpaceRepaired, match="another space"):
        assert everything(path) == before


def test_a_graph_older_than_the_journal_is_brought_to_its_end(path: Path) -> None:
    shutil.copytree(path / "graph", path / "older")
    with sgraph.open(path) as memory:
        memory.add_turn(user="I moved to Brask.", assistant="Fine.", thread="t")
        memory.status()
        memory.cypher("RETURN 1")
    wanted = everything(path)
    shutil.rmtree(path / "graph")
    (path / "older").rename(path / "graph")
    assert everything(path) == wanted


def test_a_graph_newer_than_the_journal_is_put_away(path: Path, tmp_path: Path) -> None:
    with sgraph.open(path) as memory:
        memory.backup(tmp_path / "old")
        memory.add_turn(user="later", thread="t")
        memory.cypher("RETURN 1")
    for file in path.glob("journal.db*"):
        file.unlink()
    shutil.copyfile(tmp_path / "old" / "journal.db", path / "journal.db")
    with pytest.warns(SpaceRepaired, match="the journal ends at"):
        memory = sgraph.open(path)
    assert memory.cypher("MATCH (m:Message {content: 'later'}) RETURN count(*)").rows == ((0,),)
    assert memory.verify().ok
    memory.close()


def test_a_graph_of_a_later_schema_is_refused_and_the_next_attempt_stands_alone(path: Path) -> None:
    with sgraph.open(path) as memory:
        memory._space.engine.run("MATCH (m:Meta) SET m.schema_version = m.schema_version + 1")
    for _ in range(2):
        with pytest.raises(sgraph.SpaceTooNew):
            sgraph.open(path)
    assert not (path / "quarantine").exists()


def test_settings_survive_everything(path: Path) -> None:
    text(graph_file(path))
    with pytest.warns(SpaceRepaired):
        memory = sgraph.open(path)
    memory.rebuild()
    assert memory.status().settings["timezone"] == "Europe/Berlin"
    assert memory.status().settings["block_turns"] == 3
    memory.close()


def test_what_is_no_space_is_left_alone(tmp_path: Path, engine: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("x")
    for name in ("file", "folder"):
        with pytest.raises(sgraph.NotASpace):
            sgraph.open(tmp_path / name, engine=engine)
    assert [file.name for file in (tmp_path / "folder").iterdir()] == ["thesis.txt"]


def test_a_space_of_a_later_format_or_without_sense_is_refused(path: Path) -> None:
    toml = path / "space.toml"
    before = toml.read_text()
    toml.write_text(before.replace("format = 1", "format = 2"))
    with pytest.raises(sgraph.SpaceTooNew):
        sgraph.open(path)
    toml.write_text("id = ")
    with pytest.raises(sgraph.NotASpace):
        sgraph.open(path)
    toml.write_text(before)
    sgraph.open(path).close()


def test_a_space_half_made_opens(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "s.sgraph"
    path.mkdir()
    (path / ".space.toml.123.abc").write_text("half")
    with sgraph.open(path, engine=engine) as memory:
        memory.add_turn(user="x")
        assert memory.verify().ok


# ------------------------------------------------------------------ the end
def test_a_clean_close_leaves_nothing_behind(path: Path) -> None:
    before = set(threading.enumerate())
    with sgraph.open(path) as memory:
        assert (path / "graph.lock").read_text().startswith(f"{os.getpid()} ")
        memory.recall("Where do I live?")
    gc.collect()
    assert set(threading.enumerate()) == before
    assert (path / "graph.lock").read_bytes() == b""
    names = {file.name for file in path.iterdir()}
    assert {"space.toml", "journal.db", "graph", "graph.lock"} <= names
    assert not any(name.endswith(("-wal", "-shm")) or ".new" in name for name in names)
    open_files = [
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{fd}")
    ]
    assert not [name for name in open_files if str(path) in name]


def test_a_rebuild_reports_progress_and_changes_nothing(path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    with sgraph.open(path) as memory:
        for number in range(250):
            memory.add_messages([f"message {number}"], thread="long")
        memory.cypher("RETURN 1")
        before = store.contents(memory._space.engine)
        memory.rebuild(progress=lambda *step: steps.append(step))
        assert store.contents(memory._space.engine) == before
    assert steps
    assert all(0 < done <= total for _, done, total in steps)


# ------------------------------------------------------------------ moving to the other engine
MOVE = """
import sys
from pathlib import Path
from sgraph.space.move import move_engine
move_engine(Path(sys.argv[1]), sys.argv[2])
"""
CHECK = """
import sys, sgraph
with sgraph.open(sys.argv[1]) as memory:
    report = memory.verify()
    print(memory.status().engine, report.ok, report.checked["Message"], report.checked["Event"])
"""


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_space_moves_to_the_other_engine_and_back(path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGRAPH_ENGINE", raising=False)
    before = everything(path)
    other = {"kuzu": "ladybug", "ladybug": "kuzu"}[engine]
    moved = python(MOVE, path, other)
    assert moved.returncode == 0, moved.stderr
    checked = python(CHECK, path)
    assert checked.stdout.split() == [other, "True", "14", str(len(before["Event"]))], checked.stderr
    with pytest.raises(sgraph.EngineError):  # this process has the first engine loaded; nothing is put away for that
        sgraph.open(path)
    assert not (path / "quarantine").exists()
    assert python(MOVE, path, engine).returncode == 0
    assert everything(path) == before
    assert not list((path / "graph").glob(f"graph.{other}*"))


def test_only_a_space_nobody_has_open_can_move(path: Path, tmp_path: Path, engine: str) -> None:
    with sgraph.open(path) as memory:
        with pytest.raises(sgraph.SpaceLocked) as locked:
            move_engine(path, engine)
        assert locked.value.details["pid"] == os.getpid()
        assert memory.verify().ok
    with pytest.raises(sgraph.NotASpace):
        move_engine(tmp_path / "nothing", engine)
    with pytest.raises(sgraph.InvalidInput):
        move_engine(path, "oracle")
    assert everything(path)


def test_another_engine_than_the_spaces_own_is_named_with_the_way_out(path: Path, engine: str) -> None:
    other = {"kuzu": "ladybug", "ladybug": "kuzu"}[engine]
    with pytest.raises(sgraph.InvalidInput, match="space rebuild --engine"):
        sgraph.open(path, engine=other)


# ------------------------------------------------------------------ backup and restore
def test_a_backup_taken_while_others_write_restores_whole(path: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    with sgraph.open(path) as memory:

        def write() -> None:
            while not stop.is_set():
                memory.add_turn(user="more", assistant="and more", thread="busy")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                memory.backup(tmp_path / f"backup{number}")
        finally:
            stop.set()
            writer.join()
    for number in range(3):
        made = restore(tmp_path / f"backup{number}", tmp_path / f"restored{number}")
        found = everything(made)
        assert len(found["Message"]) >= 14
        assert len(found["Turn"]) == len(found["Message"]) / 2


def test_a_backup_never_overwrites_and_a_restore_wants_a_backup(path: Path, tmp_path: Path) -> None:
    with sgraph.open(path) as memory:
        memory.backup(tmp_path / "b")
        with pytest.raises(sgraph.InvalidInput):
            memory.backup(tmp_path / "b")
    with pytest.raises(sgraph.InvalidInput):
        restore(tmp_path / "b", path)
    (tmp_path / "none").mkdir()
    with pytest.raises(sgraph.NotASpace):
        restore(tmp_path / "none", tmp_path / "r")


def test_a_restored_space_goes_on_by_itself(path: Path, tmp_path: Path) -> None:
    with sgraph.open(path) as memory:
        memory.backup(tmp_path / "b")
    with sgraph.open(restore(tmp_path / "b", tmp_path / "r")) as memory:
        assert (
            memory.add_turn(user="I live in Vell 0.", assistant="Noted \ud83d\x00.", thread="t", receipt="r0").new == 0
        )
        assert memory.add_turn(user="on", thread="t").turn == 8
        assert memory.verify().ok


# ------------------------------------------------------------------ dump and load
def dumped(path: Path, target: Path) -> list[str]:
    with sgraph.open(path) as memory:
        count = memory.dump(target)
    lines = target.read_text("utf-8").splitlines()
    assert len(lines) == count + 1
    return lines


def test_every_line_of_a_dump_is_of_the_published_form(path: Path, tmp_path: Path) -> None:
    published = json.loads((DOCS / "dump.schema.json").read_text("utf-8"))
    assert published == json_schema()
    checker = jsonschema.Draft202012Validator(published)
    checker.check_schema(published)
    lines = dumped(path, tmp_path / "d.jsonl")
    for line in lines:
        checker.validate(json.loads(line))
    entry = json.loads(lines[2])
    for broken in ({**entry, "more": 1}, {k: v for k, v in entry.items() if k != "hash"}, {**entry, "seq": "two"}):
        assert not checker.is_valid(broken)


def test_a_loaded_dump_is_the_same_space(path: Path, tmp_path: Path, engine: str) -> None:
    before = everything(path)
    lines = dumped(path, tmp_path / "d.jsonl")
    count = load(io.StringIO("\n".join(lines)), tmp_path / "loaded", engine, storage_version(engine))
    assert count == len(lines) - 1
    assert everything(tmp_path / "loaded") == before
    assert dumped(tmp_path / "loaded", tmp_path / "again.jsonl") == lines


@pytest.mark.parametrize(
    "fault", ["swapped", "lost", "last lost", "reworded", "other hash", "no json", "no dump", "no object"]
)
def test_a_dump_that_is_not_what_was_dumped_makes_no_space(path: Path, tmp_path: Path, engine: str, fault: str) -> None:
    lines = dumped(path, tmp_path / "d.jsonl")
    match fault:
        case "swapped":
            lines[3], lines[4] = lines[4], lines[3]
        case "lost":
            del lines[3]
        case "last lost":
            del lines[-1]
        case "reworded":
            lines[2] = lines[2].replace("Vell", "Osby")
        case "other hash":
            lines[0] = json.dumps({**json.loads(lines[0]), "hash": "00"})
        case "no json":
            lines[3] = "{"
        case "no dump":
            del lines[0]
        case "no object":
            lines[3] = "[]"
    with pytest.raises((sgraph.JournalDamaged, sgraph.InvalidInput)):
        load(io.StringIO("\n".join(lines)), tmp_path / "loaded", engine, storage_version(engine))
    assert not (tmp_path / "loaded").exists()
    assert not list(tmp_path.glob(".loaded*"))
