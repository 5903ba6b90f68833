"""The command line: real commands on real spaces."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sgraph.cli.app import app
from sgraph.cli.exits import EXITS, exit_code
from sgraph.cli.output import clean
from sgraph.cli.reference import reference
from sgraph.errors import CypherRefused, EngineError, InvalidTime, JournalDamaged, NotASpace, SpaceClosed

LINES = [
    {"id": "1", "speaker": "Mara", "content": "I work at Acme.", "at": "2026-03-02T09:00:00+01:00"},
    {"id": "2", "role": "assistant", "content": "Noted.", "at": "2026-03-02T09:00:10+01:00"},
    {"id": "3", "speaker": "Mara", "content": "I prefer oat milk in coffee.", "at": "2026-03-09T09:00:00+01:00"},
    {"id": "4", "role": "assistant", "content": "Good to know.", "at": "2026-03-09T09:00:10+01:00"},
]
Run = Callable[..., Any]


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "team.sgraph"
    monkeypatch.setenv("SGRAPH_SPACE", str(path))
    monkeypatch.setenv("COLUMNS", "80")
    return path


@pytest.fixture
def run(space: Path) -> Run:
    def invoke(*args: str, code: int = 0, stdin: str | None = None) -> Any:
        result = CliRunner().invoke(app, list(args), input=stdin, prog_name="sgraph")
        assert result.exit_code == code, f"{args}: {result.exit_code}\n{result.output}\n{result.exception!r}"
        return result

    return invoke


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write(tmp_path / "talk.jsonl", LINES)


@pytest.fixture
def known(run: Run, talk: Path) -> Run:
    run("space", "init", "--timezone", "Europe/Berlin")
    run("ingest", str(talk))
    return run


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def claim(run: Run, value: str) -> str:
    """Give the id of the fact that Mara has a value."""
    rows = json.loads(
        run("cypher", "MATCH (f:Fact) WHERE f.value = $value RETURN f.id", "-p", f"value={value}", "-o", "json").stdout
    )
    return str(rows["rows"][0][0])


# ------------------------------------------------------------------ record
def test_ingest_says_what_it_kept_and_reads_on(run: Run, talk: Path) -> None:
    assert "kept 4 messages in 1 thread (talk)" in run("ingest", str(talk)).stdout
    again = run("ingest", str(talk)).stdout
    assert "nothing new, all 4 messages were recorded before" in again
    write(talk, [*LINES, {"id": "5", "speaker": "Mara", "content": "I live in Bremen.", "at": "2026-03-10T09:00:00Z"}])
    more = run("ingest", str(talk)).stdout
    assert "reads on from the last recorded message; 4 were known" in more
    assert "kept 1 message in 1 thread" in more


def test_ingest_lists_ten_of_what_it_left_out_and_json_lists_all(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "bad.jsonl", [*LINES, *["{"] * 13])
    text = run("ingest", str(file)).stdout
    assert text.count("the line is not one JSON value") == 10
    assert "… 3 more; -o json lists all" in text
    (report,) = json.loads(run("ingest", str(file), "-o", "json").stdout)
    assert len(report["skipped"]) == 13
    assert report["skipped"][0]["place"] == "line 5"


def test_a_missing_file_is_not_found_and_makes_no_space(run: Run, space: Path, talk: Path) -> None:
    assert "there is no file" in run("ingest", str(talk), "nowhere.jsonl", code=3).stderr
    assert not space.exists()


def test_derivations_refer_to_the_events_of_those_before(run: Run, tmp_path: Path) -> None:
    event = {
        "title": "Mara joined Acme",
        "summary": "Mara joined Acme.",
        "source_message_ids": ["talk/1"],
        "participants": [{"name": "Mara"}],
    }
    node = {"ref": "m", "name": "Mara", "kind": "person", "source_event_ids": ["@joined.0"]}
    fact = {"node": "m", "key": "team", "value": "blue", "source_event_ids": ["@joined.0"]}
    beyond = {**node, "source_event_ids": ["@joined.7"]}
    lines = [
        *LINES,
        {"submit": "events", "target": "talk", "as": "joined", "reply": {"events": [event]}},
        {"submit": "projection", "target": "talk", "reply": {"nodes": [node], "facts": [fact]}},
        {"submit": "projection", "target": "talk", "reply": {"nodes": [beyond], "facts": []}},
    ]
    file = write(tmp_path / "talk.jsonl", lines)
    (report,) = json.loads(run("ingest", str(file), "-o", "json").stdout)
    assert report["submitted"] == 2
    assert [item["place"] for item in report["refused"]] == ["line 7"]
    assert "team: blue" in run("entity", "Mara").stdout
    (again,) = json.loads(run("ingest", str(file), "-o", "json").stdout)
    assert (again["submitted"], again["kept"]) == (0, 0)


def test_a_run_that_goes_on_still_knows_the_events_of_the_one_before(run: Run, tmp_path: Path) -> None:
    event = {"title": "Mara joined Acme", "summary": "Mara joined Acme.", "source_message_ids": ["talk/1"]}
    first = [*LINES, {"submit": "events", "target": "talk", "as": "joined", "reply": {"events": [event]}}]
    node = {"ref": "a", "name": "Acme", "kind": "organization", "source_event_ids": ["@joined.0"]}
    file = write(tmp_path / "talk.jsonl", first)
    run("ingest", str(file))
    write(file, [*first, {"submit": "projection", "target": "talk", "reply": {"nodes": [node], "facts": []}}])
    (report,) = json.loads(run("ingest", str(file), "-o", "json").stdout)
    assert (report["submitted"], report["refused"]) == (1, [])


# ------------------------------------------------------------------ where there is nothing
@pytest.mark.parametrize(
    "command", [["status"], ["timeline"], ["entity", "Mara"], ["cypher", "RETURN 1"], ["space", "verify"]]
)
def test_looking_makes_no_space(run: Run, space: Path, command: list[str]) -> None:
    result = run(*command, code=3)
    assert "nothing recorded yet: sgraph ingest FILE, or sgraph demo" in result.stderr
    assert not space.exists()


def test_an_empty_space_says_what_to_do_next(run: Run) -> None:
    run("space", "init")
    for command in ("status", "timeline"):
        assert "nothing recorded yet: sgraph ingest FILE, or sgraph demo" in run(command).stdout
    assert "no rows" in run("query", "people").stdout


# ------------------------------------------------------------------ ask
def test_common_options_stand_before_or_after_the_command(known: Run, space: Path) -> None:
    for args in (
        ["-o", "json", "status"],
        ["status", "-o", "json"],
        ["--space", str(space), "status", "--output", "json"],
    ):
        assert json.loads(known(*args).stdout)["counts"]["messages"] == 4


def test_cypher_takes_an_argument_a_file_or_stdin(known: Run, tmp_path: Path) -> None:
    query = "MATCH (m:Message) RETURN count(m) AS messages"
    file = tmp_path / "count.cypher"
    file.write_text(f"// how many\n{query};\n", "utf-8")
    for args, stdin in (([query], None), (["--file", str(file)], None), ([], query), (["-"], query)):
        assert json.loads(known("cypher", *args, "-o", "json", stdin=stdin).stdout)["rows"] == [[4]]
    known("cypher", query, "--file", str(file), code=2)
    known("cypher", "--file", "nowhere.cypher", code=3)


def test_cypher_parameters_are_json_else_text(known: Run) -> None:
    query = "RETURN $n + 1 AS n, $names AS names, $name AS name"
    args = ["-p", "n=41", "-p", 'names=["a", "b"]', "-p", "name=Mara Lind", "-o", "json"]
    assert json.loads(known("cypher", query, *args).stdout)["rows"] == [[42, ["a", "b"], "Mara Lind"]]
    assert "NAME=VALUE" in known("cypher", "RETURN 1", "-p", "n", code=2).stderr


def test_cypher_reads_only_and_errors_point_at_the_place(known: Run) -> None:
    for query in (
        "CREATE (n:Entity {id: 'x'})",
        "MATCH (n) DETACH DELETE n",
        "RETURN 1; RETURN 2",
        "LOAD FROM '/etc/passwd' RETURN *",
    ):
        known("cypher", query, code=2)
    wrong = known("cypher", "MATCH (n:Entty) RETURN n", code=2).stderr
    assert "line 1, column 10" in wrong
    assert "\n         ^" in wrong


def test_cypher_limit_and_schema(known: Run) -> None:
    result = known("cypher", "MATCH (m:Message) RETURN m.id ORDER BY m.id", "--limit", "2")
    assert "there are more rows than these 2: --limit N" in result.stdout
    assert "mentioned_at" in known("cypher", "--schema").stdout


def test_query_lists_and_runs(known: Run) -> None:
    assert "claim_history name= key=" in known("query").stdout
    names = [query["name"] for query in json.loads(known("query", "-o", "json").stdout)]
    assert {"current_state", "conflicts", "unsupported_claims"} <= set(names)
    assert "Acme" in known("query", "current_state", "name=Mara").stdout
    assert "it takes name (text)" in known("query", "claim_history", "name=Mara", code=2).stderr
    assert "there are aliases" in known("query", "nonsense", code=3).stderr


def test_every_form_shows_the_same_rows(known: Run) -> None:
    args = ["cypher", "MATCH (m:Message) RETURN m.id AS id, m.content AS content, m.sent_at AS at ORDER BY id"]
    rows = json.loads(known(*args, "-o", "json").stdout)["rows"]
    assert rows[0] == ["1", "I work at Acme.", "2026-03-02T08:00:00Z"]
    cells = list(csv.reader(io.StringIO(known(*args, "-o", "csv").stdout)))
    assert cells[0] == ["id", "content", "at"]
    assert cells[1] == ["1", "I work at Acme.", "2026-03-02 09:00:00+01:00"]
    for form in ("table", "text"):
        assert "2026-03-02 09:00+01:00" in known(*args, "-o", form).stdout


def test_text_keeps_to_eighty_columns_without_colour(known: Run) -> None:
    for args in (
        ["query", "current_state", "name=Mara"],
        ["entity", "Mara"],
        ["timeline"],
        ["status"],
        ["query"],
        ["space", "verify"],
    ):
        text = known(*args).stdout
        assert max(map(len, text.splitlines())) <= 80, text
        assert "\x1b" not in text


# ------------------------------------------------------------------ find
def test_recall_shows_evidence_and_why(known: Run) -> None:
    text = known("recall", "Where does Mara work?").stdout
    assert "I work at Acme." in text
    assert "message:talk/1; " in text
    found = json.loads(known("recall", "Where does Mara work?", "--limit", "1", "-o", "json").stdout)
    assert [card["messages"] for card in found["cards"]] == [["talk/1"]]
    assert "a larger --limit or --budget" in known("recall", "Mara", "--limit", "1").stdout


def test_what_recall_does_not_find_it_explains(known: Run) -> None:
    assert "nothing matched" in known("recall", "quantum chromodynamics").stdout
    assert "there is no word to look for" in known("recall", "?!").stdout
    assert "outside the filters" in known("recall", "Acme", "--said-from", "2030").stdout
    assert "status must be one of" in known("recall", "Acme", "--status", "maybe", code=2).stderr


@pytest.mark.parametrize("route", ["events", "graph", "turns", "messages"])
def test_search_looks_through_one_route(known: Run, route: str) -> None:
    assert "Acme" in known("search", "Acme", "--in", route).stdout
    assert json.loads(known("search", "Acme", "--in", route, "-o", "json").stdout)["cards"]


# ------------------------------------------------------------------ look
def test_entity_shows_what_holds_and_whose_words_say_so(known: Run) -> None:
    text = known("entity", "mara").stdout
    assert "works_at: Acme  (since 2026-03-02 09:00+01:00)" in text
    assert "Mara, 2026-03-02 09:00+01:00: “I work at Acme" in text
    assert text == known("entity", "show", "mara").stdout
    early = json.loads(known("entity", "Mara", "--as-of", "2026-03-05", "-o", "json").stdout)
    assert [fact["value"] for fact in early["now"]] == ["Acme"]
    assert "did you mean Mara?" in known("entity", "Marra", code=3).stderr
    known("entity", "Mara", "--as-of", "whenever", code=2)


def test_timeline_of_somebody_in_an_interval(known: Run) -> None:
    assert len(json.loads(known("timeline", "Mara", "-o", "json").stdout)) == 2
    assert len(json.loads(known("timeline", "--limit", "1", "-o", "json").stdout)) == 1
    known("timeline", "--from", "2026-04", "--to", "2026-03", code=2)


def test_quiet_shows_results_only(known: Run) -> None:
    assert "→" in known("status").stdout
    assert "→" not in known("status", "--quiet").stdout


# ------------------------------------------------------------------ share
@pytest.mark.parametrize("suffix", ["html", "json", "graphml"])
def test_export_writes_what_is_around_somebody(known: Run, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"mara.{suffix}"
    assert f"{file}:" in "".join(known("export", "--around", "Mara", "-o", str(file)).stdout.split())
    assert "Acme" in file.read_text("utf-8")
    report = json.loads(known("-o", "json", "export", "-o", str(file)).stdout)
    assert report["counts"]["claims"] >= 2
    assert "must end in" in known("export", "-o", str(tmp_path / "mara.txt"), code=2).stderr
    known("export", "--around", "Nobody", "-o", str(file), code=3)


# ------------------------------------------------------------------ correct
def test_forget_unforget_and_undo(known: Run) -> None:
    (outcome,) = json.loads(known("forget", claim(known, "Acme"), "--reason", "private", "-o", "json").stdout)
    (event,) = outcome["details"]["events"]
    assert "Acme" not in known("entity", "Mara").stdout
    assert "it is forgotten already" in known("forget", event, code=1).stderr
    assert "restored" in known("unforget", event).stdout
    assert "works_at: Acme" in known("entity", "Mara").stdout
    (outcome,) = json.loads(known("forget", event, "-o", "json").stdout)
    assert "undone" in known("undo", str(outcome["seq"])).stdout
    assert "works_at: Acme" in known("entity", "Mara").stdout
    assert "nothing has the id" in known("forget", "no-such-id", code=3).stderr


def test_merge_and_split(known: Run, tmp_path: Path) -> None:
    more = [{"id": "9", "speaker": "Marushka", "content": "I live in Bremen.", "at": "2026-03-10T09:00:00Z"}]
    known("ingest", str(write(tmp_path / "more.jsonl", more)))
    known("entity", "merge", "Marushka", "Mara")
    assert "lives_in: Bremen" in known("entity", "Mara").stdout
    known("entity", "split", "Marushka")
    assert "lives_in: Bremen" not in known("entity", "Mara").stdout


# ------------------------------------------------------------------ space
def test_verify_lists_each_fault_and_exits_1(known: Run, space: Path) -> None:
    assert "ok: nothing is wrong" in known("space", "verify").stdout
    import sqlite3

    with sqlite3.connect(space / "journal.db") as journal:
        journal.execute("UPDATE entries SET at = at + 1 WHERE seq = 2")
    journal.close()
    result = known("space", "verify", "-o", "json", code=1)
    report = json.loads(result.stdout)
    assert not report["ok"]
    assert any("2" in fault["id"] for fault in report["faults"])


def test_backup_restore_dump_and_load(known: Run, tmp_path: Path) -> None:
    state = known("query", "current_state", "name=Mara", "-o", "json").stdout
    known("space", "backup", str(tmp_path / "copy"))
    known("space", "restore", str(tmp_path / "copy"), "--space", str(tmp_path / "restored"))
    known("space", "dump", str(tmp_path / "all.jsonl"))
    known("space", "load", str(tmp_path / "all.jsonl"), "--space", str(tmp_path / "loaded"))
    for made in ("restored", "loaded"):
        rows = json.loads(
            known("query", "current_state", "name=Mara", "-o", "json", "--space", str(tmp_path / made)).stdout
        )["rows"]
        assert rows == json.loads(state)["rows"]
    known("space", "backup", str(tmp_path / "copy"), code=2)
    known("space", "dump", str(tmp_path / "all.jsonl"), code=2)
    known("space", "restore", str(tmp_path), "--space", str(tmp_path / "other"), code=5)


def test_rebuild(known: Run) -> None:
    assert "replayed the journal" in known("space", "rebuild").stdout
    assert "ok" in known("space", "verify").stdout


def test_what_is_no_space_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", "utf-8")
    assert "is not a space" in run("status", "--space", str(tmp_path), code=5).stderr


def test_a_damaged_graph_is_repaired_and_says_so_in_one_line(known: Run, space: Path) -> None:
    (graph,) = [
        file for file in (space / "graph").iterdir() if file.name.startswith("graph.") and "wal" not in file.name
    ]
    graph.write_bytes(b"not a database" * 1000)
    result = known("query", "current_state", "name=Mara")
    assert "Acme" in result.stdout
    assert len(result.stderr.strip().splitlines()) == 1
    assert "nothing is lost" in result.stderr


def test_another_process_holds_the_space(known: Run, space: Path) -> None:
    code = "import sys, sgraph; m = sgraph.open(sys.argv[1]); print('held', flush=True); input(); m.close()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(space)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert "Acme" in known("query", "current_state", "name=Mara").stdout
        assert f"held by process {holder.pid}" in known("status").stdout
        assert f"process {holder.pid}" in known("space", "rebuild", code=4).stderr
        holder.communicate("\n")


# ------------------------------------------------------------------ errors
def test_errors_are_one_line_json_too_and_debug_shows_where(known: Run) -> None:
    result = known("entity", "Nobody", "-o", "json", code=3)
    error = json.loads(result.stdout)["error"]
    assert (error["code"], error["details"]["kind"]) == ("not_found", "entity")
    assert result.stderr.startswith("sgraph: nobody and nothing is known as 'Nobody'")
    assert "Traceback" not in result.stderr
    assert "Traceback" in known("entity", "Nobody", "--debug", code=3).stderr


def test_exit_codes_follow_the_error_tree() -> None:
    assert [
        exit_code(kind("x"))
        for kind in (InvalidTime, CypherRefused, NotASpace, JournalDamaged, SpaceClosed, EngineError)
    ] == [2, 2, 5, 5, 5, 6]
    assert len({row.code for row in EXITS}) == len(EXITS)


@pytest.mark.parametrize(
    "args",
    [["nonsense"], ["cypher", "--nonsense"], ["status", "-o", "xml"], ["timeline", "--limit", "0"], ["undo", "x"]],
)
def test_wrong_usage_exits_2(run: Run, args: list[str]) -> None:
    run(*args, code=2)


def test_words_from_the_data_do_not_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    nasty = "I work at \x1b[31mAcme\x1b[0m\u202e [bold]x[/bold] \ud800 end."
    run(
        "ingest",
        str(
            write(tmp_path / "talk.jsonl", [{"speaker": "Ma\x1b[2Jra", "content": nasty, "at": "2026-03-02T09:00:00Z"}])
        ),
    )
    query = "MATCH (m:Message) RETURN m.content, m.speaker"
    for args in (["cypher", query], ["cypher", query, "-o", "table"], ["timeline"], ["entity", "Ma\x1b[2Jra"]):
        text = run(*args).stdout
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[bold]x[/bold]" in run("cypher", query).stdout
    json.loads(run("cypher", query, "-o", "json").stdout)
    assert clean("\x1b\u202e\ud800a\tb\n") == "\\u001b\\u202e\\ud800a\tb\n"


# ------------------------------------------------------------------ as a program
def test_help_and_version_load_no_engine() -> None:
    code = (
        "import sys\nfrom sgraph.cli.app import app\napp([sys.argv[1]], standalone_mode=False)\n"
        "heavy = {'kuzu', 'ladybug', 'whoosh', 'networkx', 'numpy', 'pyarrow', 'openai', 'instructor'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    for option in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "sgraph" in done.stdout


def test_output_survives_a_poor_locale(known: Run) -> None:
    command, env = [sys.executable, "-m", "sgraph", "entity", "Mara"], {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u201cI work at Acme" in done.stdout


def test_a_reader_may_stop_reading(known: Run) -> None:
    command = [
        sys.executable,
        "-m",
        "sgraph",
        "cypher",
        f"UNWIND range(1, 3000) AS n RETURN n, '{'x' * 60}'",
        "--limit",
        "3000",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == ""


# ------------------------------------------------------------------ reference
def test_the_reference_in_docs_is_the_one_of_the_commands() -> None:
    page = Path(__file__).parent.parent / "docs" / "cli.md"
    assert page.read_text("utf-8") == reference(), "python -m sgraph.cli.reference > docs/cli.md"
