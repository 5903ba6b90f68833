"""The contract of the engine adapter. Runs on the engine named by SGRAPH_ENGINE (kuzu); CI runs it once per engine."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from sgraph.errors import CypherTimeout, EngineError, InvalidInput, InvalidTime
from sgraph.graph import write
from sgraph.graph.engine import ENGINES, Engine, is_guarded, open_engine, storage_version
from sgraph.graph.files import database_files, probe, quarantine
from sgraph.graph.tokens import parameters, split

TABLES = (
    """CREATE NODE TABLE Thing
       (id STRING PRIMARY KEY, text STRING, number INT64, share DOUBLE, flag BOOLEAN, at TIMESTAMP, tags STRING[])""",
    "CREATE NODE TABLE Place (id STRING PRIMARY KEY)",
    "CREATE REL TABLE NEAR (FROM Thing TO Thing, why STRING, since TIMESTAMP, until TIMESTAMP)",
    "CREATE REL TABLE LIES_IN (FROM Thing TO Place)",
)
NOON = datetime(2026, 5, 8, 12, 0, 0, 123456, tzinfo=UTC)


def opened(name: str, path: Path, **options: Any) -> Engine:
    graph = open_engine(name, path, **options)
    for statement in TABLES:
        graph.define(statement)
    return graph


@pytest.fixture
def graph(engine: str, tmp_path: Path) -> Iterator[Engine]:
    graph = opened(engine, tmp_path / "graph")
    yield graph
    graph.close()


def script(code: str, *arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh process; it must end by itself."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def things(graph: Engine) -> list[str]:
    return [key for (key,) in graph.run("MATCH (t:Thing) RETURN t.id ORDER BY t.id").rows]


# --- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "given", "read"),
    [
        ("text", "", ""),
        ("text", "naïve 日本語 🎻 'quoted' \"twice\" \\ ` $x // no comment", None),
        ("text", "nul \x00 inside", None),
        ("text", "a lone \ud83d surrogate", "a lone \ufffd surrogate"),
        ("text", "x" * 1_000_000, None),
        ("number", -(2**63), None),
        ("number", 2**63 - 1, None),
        ("share", 0.1, None),
        ("share", float("inf"), None),
        ("flag", False, None),
        ("at", NOON, None),
        ("at", NOON.astimezone(timezone(timedelta(hours=-9, minutes=-30))), NOON),
        ("at", datetime(1850, 1, 1, tzinfo=UTC), None),
        ("tags", ["b", "a", "nul \x00"], None),
        ("tags", [], None),
        ("tags", None, []),
    ],
)
def test_a_value_comes_back_as_it_went_in(graph: Engine, column: str, given: Any, read: Any) -> None:
    write.create_nodes(graph, "Thing", [{"id": "by row", column: given}])
    graph.run("CREATE (:Thing {id: 'by parameter'})")
    write.set_nodes(graph, "Thing", [{"id": "by parameter", column: given}])
    write.copy(graph, "Thing", [{"id": "by copy", column: given}])
    rows = graph.run(f"MATCH (t:Thing) RETURN t.{column}").rows
    assert rows == [(given if read is None and given is not None else read,)] * 3


def test_instants_come_out_aware_wherever_they_stand(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "a", "at": NOON}, {"id": "b", "at": NOON}])
    write.create_rels(graph, "NEAR", [{"from": "a", "to": "b", "since": NOON}])
    row = graph.run(
        """MATCH p = (t:Thing {id: 'a'})-[r:NEAR]->(:Thing)
           RETURN t.at, [t.at], {k: t.at}, t, r, p, collect(t.at), max(t.at)"""
    ).rows[0]
    at, listed, struct, node, edge, path, collected, latest = row
    assert at == listed[0] == struct["k"] == node["at"] == edge["since"] == collected[0] == latest == NOON
    assert path["_nodes"][0]["at"].tzinfo is not None
    assert (node["_label"], edge["_label"], path["_rels"][0]["_label"]) == ("Thing", "NEAR", "NEAR")
    assert {"_id", "_label"} <= node.keys()
    assert {"_src", "_dst", "_id", "_label"} <= edge.keys()


def test_nothing_collects_into_an_empty_list(graph: Engine) -> None:
    assert graph.run("MATCH (t:Thing) RETURN collect(t.id), collect(t.at), count(t)").rows == [([], [], 0)]


def test_a_naive_datetime_and_a_number_too_large_are_refused(graph: Engine) -> None:
    with pytest.raises(InvalidTime):
        graph.run("RETURN $at", {"at": datetime(2026, 1, 1)})
    with pytest.raises(InvalidInput):
        graph.run("RETURN $number", {"number": 2**63})


def test_parameters_are_passed_exactly(graph: Engine) -> None:
    assert graph.run("RETURN $a AS a, '$b' AS b // $c", {"a": 1, "unused": 2}).records() == [{"a": 1, "b": "$b"}]
    with pytest.raises(InvalidInput) as caught:
        graph.run("RETURN $a, $other", {"a": 1})
    assert caught.value.details["value"] == ["other"]


def test_one_statement_serves_values_of_any_width(graph: Engine) -> None:
    rng = random.Random(7)
    numbers = [rng.choice([0, 1, -1, 127, 128, -129, 255, 70_000, 2**31, -(2**40), 2**62]) for _ in range(200)]
    for index, number in enumerate(numbers):
        assert graph.run("RETURN $n AS n, $n + 1 AS m, $list AS l", {"n": number, "list": [number, None]}).rows == [
            (number, number + 1, [number, None])
        ], index
        graph.run("CREATE (:Thing {id: $id, number: $n})", {"id": str(index), "n": number})
    stored = {int(key): number for key, number in graph.run("MATCH (t:Thing) RETURN t.id, t.number").rows}
    assert [stored[index] for index in range(200)] == numbers


# --- transactions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mistake", ["CREATE (:Thing {id: 'old'})", "CREATE (:Thing {id", "CREATE (:Nothing)", None])
def test_an_error_takes_the_whole_transaction_back(graph: Engine, mistake: str | None) -> None:
    write.create_nodes(graph, "Thing", [{"id": "old"}])
    with pytest.raises(EngineError if mistake else KeyError), graph.transaction():  # noqa: PT012
        graph.run("CREATE (:Thing {id: 'new'})")
        graph.run(mistake or {}["nothing"])
    assert things(graph) == ["old"]
    assert not graph.in_transaction


def test_an_error_that_is_swallowed_still_takes_it_back(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "old"}])
    with pytest.raises(EngineError), graph.transaction():  # noqa: PT012
        graph.run("CREATE (:Thing {id: 'new'})")
        with pytest.raises(EngineError):
            graph.run("CREATE (:Thing {id: 'old'})")
        graph.run("CREATE (:Thing {id: 'newer'})")
    assert things(graph) == ["old"]


def test_a_transaction_is_all_and_cannot_be_nested(graph: Engine) -> None:
    with graph.transaction():
        graph.run("CREATE (:Thing {id: 'a'})")
        with pytest.raises(EngineError), graph.transaction():
            pass
        assert things(graph) == ["a"]
        assert graph.read("MATCH (t:Thing) RETURN count(t)").rows == [(0,)]
        write.put_nodes(graph, "Thing", [{"id": "b"}])
    assert things(graph) == ["a", "b"]


def test_threads_write_one_after_the_other(graph: Engine) -> None:
    def work(number: int) -> None:
        for index in range(25):
            with graph.transaction():
                graph.run("CREATE (:Thing {id: $id})", {"id": f"{number}-{index}"})
                write.put_nodes(graph, "Place", [{"id": f"{number}-{index}"}])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(things(graph)) == 100
    assert graph.run("MATCH (p:Place) RETURN count(p)").rows == [(100,)]


def test_a_snapshot_sees_one_state_while_others_write(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "0"}])
    failures: list[object] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            with graph.snapshot() as snapshot:
                first = snapshot.read("MATCH (t:Thing) RETURN count(t)").rows[0][0]
                time.sleep(0.001)
                again = snapshot.read("MATCH (t:Thing) RETURN count(t)").rows[0][0]
                edges = snapshot.read("MATCH (:Thing)-[r:NEAR]->(:Thing) RETURN count(r)").rows[0][0]
            if not first == again == edges + 1:
                failures.append((first, again, edges))

    watchers = [threading.Thread(target=watch) for _ in range(3)]
    for watcher in watchers:
        watcher.start()
    for number in range(1, 80):
        with graph.transaction():
            write.create_nodes(graph, "Thing", [{"id": str(number)}])
            write.create_rels(graph, "NEAR", [{"from": str(number), "to": str(number - 1)}])
        if number % 20 == 0:
            graph.checkpoint()
    done.set()
    for watcher in watchers:
        watcher.join()
    assert not failures


def test_reading_cannot_write_and_goes_on_after_an_error(graph: Engine) -> None:
    for query in (
        "CREATE (:Thing {id: 'x'})",
        "MATCH (t:Thing) SET t.text = 'x'",
        "CREATE NODE TABLE T (id STRING PRIMARY KEY)",
    ):
        with pytest.raises(EngineError):
            graph.read(query)
        assert graph.read("RETURN 1").rows == [(1,)]
    assert things(graph) == []


def test_a_limit_cuts_and_says_so(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": str(number)} for number in range(5)])
    query = "MATCH (t:Thing) RETURN t.id ORDER BY t.id"
    assert graph.read(query, limit=3).rows == [("0",), ("1",), ("2",)]
    assert [graph.read(query, limit=limit).more for limit in (0, 4, 5, 6)] == [True, True, False, False]


def test_a_query_past_its_time_ends(graph: Engine) -> None:
    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)"
    for ask in (graph.read, graph.run):
        with pytest.raises(CypherTimeout) as caught:
            ask(endless, timeout=0.1)
        assert caught.value.details["seconds"] == 0.1
        assert ask("RETURN 1").rows == [(1,)]


def test_defining_forgets_what_was_prepared(graph: Engine) -> None:
    query = "MATCH (t:Thing) RETURN t.*"
    assert "extra" not in graph.tables()["Thing"].columns
    columns = len(graph.run(query).columns)
    graph.define("ALTER TABLE Thing ADD extra STRING DEFAULT 'e'")
    assert graph.tables()["Thing"].columns["extra"] == "STRING"
    assert len(graph.run(query).columns) == columns + 1


# --- rows --------------------------------------------------------------------------------------------------------


def test_nodes_are_created_put_ensured_changed_and_deleted(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "a", "text": "1"}, {"id": "b", "number": 2}, {"id": "c", "tags": []}])
    write.put_nodes(graph, "Thing", [{"id": "a", "number": 9}, {"id": "d", "text": "x"}, {"id": "d", "text": "y"}])
    write.ensure_nodes(graph, "Thing", [{"id": "b", "number": 0}, {"id": "e", "number": 5}, {"id": "e", "number": 6}])
    write.set_nodes(graph, "Thing", [{"id": "c", "text": None}, {"id": "nobody", "text": "z"}])
    write.add_to_nodes(graph, "Thing", [{"id": "b", "number": 40}, {"id": "c", "number": 1}])
    rows = graph.run("MATCH (t:Thing) RETURN t.id, t.text, t.number, t.tags ORDER BY t.id").rows
    assert rows == [
        ("a", "1", 9, []), ("b", None, 42, []), ("c", None, 1, []), ("d", "y", None, []), ("e", None, 5, []),
    ]  # fmt: skip
    write.delete_nodes(graph, "Thing", ["a", "b", "b", "nobody"])
    assert things(graph) == ["c", "d", "e"]
    assert write.existing(graph, "Thing", ["a", "c", "e", "x"]) == {"c", "e"}
    for call in (
        write.create_nodes,
        write.put_nodes,
        write.set_nodes,
        write.create_rels,
        write.delete_rels,
        write.copy,
    ):
        call(graph, "NEAR" if "rels" in call.__name__ else "Thing", [])


def test_a_key_that_exists_is_not_created_again(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "a", "text": "first"}])
    with pytest.raises(EngineError):
        write.create_nodes(graph, "Thing", [{"id": "b"}, {"id": "a"}])
    assert things(graph) == ["a"]


def test_relationships_are_found_by_their_ends_and_values(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": key} for key in "abc"])
    same = {"from": "a", "to": "b", "why": "x", "since": NOON}
    rows = [
        same,
        dict(same),
        {**same, "since": None},
        {**same, "why": "y"},
        {"from": "a", "to": "a", "why": None, "since": None},
    ]
    write.create_rels(graph, "NEAR", rows)
    query = "MATCH (a:Thing)-[r:NEAR]->(b:Thing) RETURN a.id, b.id, r.why, r.since ORDER BY a.id, b.id, r.why, r.since"
    assert graph.run(query).rows == [
        ("a", "a", None, None), ("a", "b", "x", NOON), ("a", "b", "x", None), ("a", "b", "y", NOON),
    ]  # fmt: skip
    write.delete_rels(
        graph, "NEAR", [{"from": "a", "to": "b", "since": None}, {"from": "b", "to": "a"}, {**same, "why": "z"}]
    )
    write.delete_rels(graph, "NEAR", [{**same, "why": "y"}, {"from": "a", "to": "a", "why": None}])
    assert graph.run(query).rows == [("a", "b", "x", NOON)]


def test_rows_that_cannot_be_are_refused_whole(graph: Engine) -> None:
    write.create_nodes(graph, "Thing", [{"id": "a"}, {"id": "b"}])
    with pytest.raises(EngineError):
        write.create_rels(graph, "NEAR", [{"from": "a", "to": "b"}, {"from": "a", "to": "nobody"}])
    with pytest.raises(EngineError):
        write.copy(graph, "NEAR", [{"from": "a", "to": "nobody"}])
    for call, table in ((write.create_nodes, "Thing"), (write.create_rels, "NEAR"), (write.copy, "Thing")):
        with pytest.raises(InvalidInput):
            call(graph, table, [{"id": "c", "from": "a", "to": "b", "colour": "red"}])
    with pytest.raises(InvalidInput):
        write.create_nodes(graph, "Unheard", [{"id": "a"}])
    assert graph.run("MATCH (:Thing)-[r:NEAR]->(:Thing) RETURN count(r)").rows == [(0,)]


def test_many_rows_by_statement_and_by_copy_make_the_same_graph(engine: str, tmp_path: Path) -> None:
    nodes = [
        {
            "id": f"é{number}",
            "text": None,
            "number": number if number % 3 else None,
            "tags": [str(number)] * (number % 3),
        }
        for number in range(1_203)
    ]
    edges = [{"from": f"é{number}", "to": f"é{number // 2}", "since": NOON, "until": None} for number in range(1_203)]
    homes = [{"from": f"é{number}", "to": "p"} for number in range(1_203)]
    seen = []
    for name, writers in (("rows", (write.create_nodes, write.create_rels)), ("copy", (write.copy, write.copy))):
        graph = opened(engine, tmp_path / name)
        writers[0](graph, "Thing", nodes)
        writers[0](graph, "Place", [{"id": "p"}])
        writers[1](graph, "NEAR", edges)
        writers[1](graph, "LIES_IN", homes)
        graph.close()
        graph = open_engine(engine, tmp_path / name)
        pattern = "MATCH (a:Thing)-[r:NEAR]->(b:Thing) MATCH (a)-[l:LIES_IN]->(p:Place)"
        query = f"{pattern} RETURN a.id, a.text, a.number, a.tags, r.since, r.until, b.id, p.id ORDER BY a.id"
        seen.append(graph.run(query).rows)
        graph.close()
    assert len(seen[0]) == 1_203
    assert seen[0] == seen[1]


def test_copy_is_not_part_of_a_transaction(graph: Engine) -> None:
    with pytest.raises(EngineError), graph.transaction():
        write.copy(graph, "Thing", [{"id": "a"}])


# --- opening, closing, checkpoints -------------------------------------------------------------------------------


def test_a_path_is_opened_once_in_a_process(engine: str, tmp_path: Path) -> None:
    first = opened(engine, tmp_path / "graph")
    (tmp_path / "link").symlink_to(tmp_path / "graph")
    for path in (tmp_path / "graph", tmp_path / "link", tmp_path / "x" / ".." / "graph"):
        with pytest.raises(EngineError):
            open_engine(engine, path)
    first.close()
    first.close()
    with pytest.raises(EngineError):
        first.run("RETURN 1")
    with pytest.raises(EngineError), first.snapshot():
        pass
    open_engine(engine, tmp_path / "link").close()


def test_another_process_is_kept_out_with_a_clear_error(graph: Engine, engine: str) -> None:
    code = """
import sys
from pathlib import Path
from sgraph.errors import EngineError
from sgraph.graph.engine import open_engine
try:
    open_engine(sys.argv[1], Path(sys.argv[2]))
except EngineError:
    print("kept out")
"""
    assert script(code, engine, graph.path).stdout.strip() == "kept out"


def test_a_forked_child_is_told_and_ends(engine: str, tmp_path: Path) -> None:
    code = """
import os, sys, threading
from pathlib import Path
from sgraph.errors import EngineError
from sgraph.graph.engine import open_engine
graph = open_engine(sys.argv[1], Path(sys.argv[2]))
graph.define("CREATE NODE TABLE Thing (id STRING PRIMARY KEY)")
graph.read("RETURN 1")
holding, free = threading.Event(), threading.Event()
def hold():
    with graph.transaction():
        holding.set()
        free.wait()
threading.Thread(target=hold).start()
holding.wait()
child = os.fork()
if child == 0:
    for use in (lambda: graph.run("RETURN 1"), lambda: graph.read("RETURN 1"), graph.checkpoint, graph.tables):
        try:
            use()
            os._exit(3)
        except EngineError:
            pass
    graph.close()
    sys.exit(0)
_, status = os.waitpid(child, 0)
free.set()
graph.run("CREATE (:Thing {id: 'parent'})")
print(os.waitstatus_to_exitcode(status), graph.run("MATCH (t:Thing) RETURN t.id").rows)
graph.close()
"""
    done = script(code, engine, tmp_path / "graph")
    assert done.stdout.strip() == "0 [('parent',)]", done.stderr


def test_two_engines_do_not_share_a_process_and_an_absent_one_is_named() -> None:
    code = """
import sys
from pathlib import Path
from sgraph.errors import EngineError, InvalidInput, MissingExtra
from sgraph.graph.engine import open_engine, storage_version
def kind(name):
    try:
        open_engine(name, Path(sys.argv[1]))
    except (EngineError, MissingExtra, InvalidInput) as error:
        return type(error).__name__, error.details.get("extra")
sys.modules["ladybug"] = None  # as if it were not installed
print(kind("ladybug"), kind("sqlite"))
del sys.modules["ladybug"]
storage_version("kuzu")
print(kind("ladybug"))
"""
    done = script(code, "unused")
    assert done.stdout.split("\n")[:2] == [
        "('MissingExtra', 'ladybug') ('InvalidInput', None)", "('EngineError', None)",
    ], done.stderr  # fmt: skip


def test_engines_have_a_storage_version(engine: str) -> None:
    assert engine in ENGINES
    assert storage_version(engine) > 0


def test_a_checkpoint_empties_the_log_and_loses_nothing(graph: Engine, engine: str) -> None:
    write.create_nodes(graph, "Thing", [{"id": str(number)} for number in range(300)])
    assert graph.wal_bytes > 0
    assert graph.checkpoint()
    assert graph.wal_bytes == 0
    with pytest.raises(EngineError), graph.transaction():
        graph.checkpoint()
    path = graph.path
    graph.close()
    again = open_engine(engine, path)
    assert len(things(again)) == 300
    again.close()


def test_the_log_stays_well_below_the_buffer_pool(engine: str, tmp_path: Path) -> None:
    graph = opened(engine, tmp_path / "graph", buffer_pool_mb=64)
    longest = 0
    for batch in range(40):
        write.create_nodes(graph, "Thing", [{"id": f"{batch}-{number}", "text": "x" * 2_000} for number in range(250)])
        longest = max(longest, graph.wal_bytes)
    if is_guarded(engine):
        assert longest < 10 << 20
    assert len(things(graph)) == 10_000
    graph.close()


def test_an_unfinished_checkpoint_is_undone(tmp_path: Path) -> None:
    code = """
import shutil, sys
from pathlib import Path
from sgraph.graph.engine import open_engine
path = Path(sys.argv[1])
graph = open_engine("kuzu", path)
graph.define("CREATE NODE TABLE Thing (id STRING PRIMARY KEY)")
graph.run("CREATE (:Thing {id: 'kept'})")
graph.close()
copy, draft = Path(f"{path}.ckpt"), Path(f"{path}.ckpt.tmp")
copy.mkdir()
draft.mkdir()
for file in (path, Path(f"{path}.wal")):
    shutil.copy(file, copy / file.name)
    file.write_bytes(b"half a checkpoint")
Path(f"{path}.shadow").write_bytes(b"")
for _ in range(2):
    graph = open_engine("kuzu", path)
    print(graph.run("MATCH (t:Thing) RETURN t.id").rows, copy.exists(), draft.exists())
    graph.close()
"""
    done = script(code, tmp_path / "graph")
    assert done.stdout == "[('kept',)] False False\n" * 2, done.stderr


_WRITER = """
import sys
from pathlib import Path
from sgraph.graph import write
from sgraph.graph.engine import open_engine
graph = open_engine(sys.argv[1], Path(sys.argv[2]), buffer_pool_mb=64)
if not graph.tables():
    graph.define("CREATE NODE TABLE Thing (id STRING PRIMARY KEY, number INT64)")
    graph.define("CREATE REL TABLE NEAR (FROM Thing TO Thing)")
    write.create_nodes(graph, "Thing", [{"id": "count", "number": 0}])
number = graph.run("MATCH (t:Thing {id: 'count'}) RETURN t.number").rows[0][0]
print(number, flush=True)
while True:
    number += 1
    with graph.transaction():
        write.create_nodes(graph, "Thing", [{"id": f"{number}-{index}"} for index in range(20)])
        write.create_rels(graph, "NEAR", [{"from": f"{number}-{index}", "to": "count"} for index in range(20)])
        write.set_nodes(graph, "Thing", [{"id": "count", "number": number}])
    print(number, flush=True)
    if number % 3 == 0:
        graph.checkpoint()
"""
_COUNTS = "MATCH (t:Thing) RETURN max(t.number), count(t)"


def test_nothing_acknowledged_is_lost_to_a_kill(engine: str, tmp_path: Path) -> None:
    rng, path, acknowledged = random.Random(5), tmp_path / "graph", 0
    for _ in range(6):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, engine, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(rng.uniform(0.05, 0.35))
        child.send_signal(signal.SIGKILL)
        told = [first, *child.communicate()[0].split()]
        acknowledged = max([acknowledged, *map(int, told)])
        assert probe(engine, path) is None
        graph = open_engine(engine, path)
        written, count = graph.run(_COUNTS).rows[0]
        assert acknowledged <= written <= acknowledged + 1
        assert count == 20 * written + 1
        assert graph.run("MATCH (:Thing)-[r:NEAR]->(:Thing) RETURN count(r)").rows == [(20 * written,)]
        graph.close()
    assert acknowledged > 6


def test_a_reader_in_another_process_has_a_whole_copy_of_its_own(engine: str, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from sgraph.graph.files import drop_private, open_private
for _ in range(6):
    graph = open_private(sys.argv[1], Path(sys.argv[2]))
    written, count = graph.run("MATCH (t:Thing) RETURN max(t.number), count(t)").rows[0]
    edges = graph.run("MATCH (:Thing)-[r:NEAR]->(:Thing) RETURN count(r)").rows[0][0]
    graph.run("CREATE (:Thing {id: 'mine'})")
    folder = graph.path.parent.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    drop_private(graph)
    assert not folder.exists()
    print(count == 20 * written + 1 and edges == 20 * written)
"""
    path = tmp_path / "graph"
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, engine, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.stdout.readline()
        done = script(code, engine, path)
    finally:
        writer.kill()
        writer.communicate()
    assert done.stdout.split() == ["True"] * 6, done.stderr
    assert stat.S_IMODE(os.stat(path).st_mode) & 0o200


# --- damage ------------------------------------------------------------------------------------------------------


def _damage(path: Path, how: str) -> None:
    match how:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "garbage":
            path.write_bytes(b"this is no database" * 1000)
        case "half":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        case "zeroed":
            size = path.stat().st_size
            path.write_bytes(path.read_bytes()[:4096] + bytes(size - 4096))


@pytest.mark.parametrize("how", ["whole", "missing", "empty", "garbage", "half", "zeroed"])
def test_a_damaged_file_is_known_and_can_be_set_aside(engine: str, tmp_path: Path, how: str) -> None:
    path = tmp_path / "graph"
    graph = opened(engine, path)
    write.create_nodes(graph, "Thing", [{"id": str(number), "text": "x" * 100} for number in range(2_000)])
    graph.checkpoint()
    graph.close()
    _damage(path, how)
    reason = probe(engine, path, timeout=10)
    assert (reason is None) == (how == "whole"), reason
    (tmp_path / "other").write_text("not of the set")
    belonging = [file.name for file in database_files(path)]
    first = quarantine(database_files(path), tmp_path / "quarantine")
    (tmp_path / "graph").write_text("another")
    second = quarantine(database_files(path), tmp_path / "quarantine")
    assert first != second
    assert sorted(file.name for file in first.iterdir()) == belonging
    assert not database_files(path)
    assert (tmp_path / "other").exists()
    opened(engine, path).close()


def test_a_database_of_another_kind_is_not_opened(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "graph"
    path.write_bytes(b"SQLite format 3\x00" + bytes(8192))
    with pytest.raises(EngineError):
        open_engine(engine, path)
    shutil.rmtree(path, ignore_errors=True)


# --- the lexer ---------------------------------------------------------------------------------------------------


def test_parameters_in_strings_names_and_comments_do_not_count() -> None:
    query = "MATCH (n {a: $one}) WHERE n.b = '$two' AND n.`$three` = \"it's $four\" // $five\n /* $six */ RETURN $七"
    assert parameters(query) == {"one", "七"}


def test_a_script_is_split_at_its_own_semicolons() -> None:
    text = "// a; comment\nCREATE (:A {t: ';'});\n/* ; */ RETURN 1 ; ; RETURN `;` // end"
    assert split(text) == ["CREATE (:A {t: ';'})", "RETURN 1", "RETURN `;`"]
