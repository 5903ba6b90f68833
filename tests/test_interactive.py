"""`sgraph recall --interactive` and `sgraph remember`: what a person types, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sgraph
from sgraph.cli.app import app

Run = Callable[..., str]


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Path:
    path = tmp_path / "team.sgraph"
    with sgraph.open(path, engine=engine) as memory:
        memory.add_messages(
            [{"speaker": "Mara", "content": "I keep bees."}, {"speaker": "Ivo", "content": "I keep goats."}]
        )
        memory.remember("The ladder is in the barn.", "fact")
    return path


@pytest.fixture
def run(space: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")

    def invoke(*args: str, stdin: str = "") -> str:
        result = CliRunner().invoke(app, ["--space", str(space), *args], input=stdin, prog_name="sgraph")
        assert result.exit_code == 0, result.output
        return str(result.output)

    return invoke


def number_of(output: str, words: str) -> str:
    lines = output.splitlines()
    at = next(at for at, line in enumerate(lines) if words in line and line.startswith("    "))
    return lines[at - 1].partition("]")[0].removeprefix("[")


def test_from_the_question_to_the_use(run: Run, space: Path) -> None:
    number = number_of(run("recall", "-i", "Where is the ladder?"), "ladder")
    output = run("recall", "-i", "Where is the ladder?", stdin=f"{number}\nopen {number}\nuse\n")
    assert "sufficient" in output
    assert "1 events reinforced" in output
    receipt = output.partition("receipt=")[2].split()[0]
    assert "barn" in run("query", "audit", f"receipt={receipt}")
    with sgraph.open(space) as memory:
        assert memory.open_batches() == []


def test_a_concern_is_shown_with_the_next_step(run: Run) -> None:
    number = number_of(run("recall", "-i", "What does Mara keep?"), "goats")
    output = run("recall", "-i", "What does Mara keep?", stdin=f"{number}\ngraph\ndespite subject_missing\nuse\nquit\n")
    assert "subject_missing" in output
    assert "→ graph" in output
    assert "nothing is adopted yet" in output


def test_wrong_steps_are_answered_and_change_nothing(run: Run, space: Path) -> None:
    output = run("recall", "-i", "bees", stdin="99\nopen x\nfrobnicate\n\nuse\nhelp\n")
    assert "no card has the number" in output
    assert "'frobnicate' is no step" in output
    with sgraph.open(space) as memory:
        assert memory.open_batches() == []
        assert memory.cypher("MATCH (r:Receipt)-[:USED]->(v:Event) RETURN v").rows == ()


def test_remember(run: Run, space: Path) -> None:
    kept: Any = json.loads(run("remember", "Prefers tabs over spaces", "--category", "preference", "-o", "json"))
    assert kept["outcome"] == "added"
    assert "one more use" in run("remember", "prefers tabs over spaces", "--category", "preference")
    assert "tabs" in run("recall", "tabs")
    assert "only repeats" in run("remember", "Prefers tabs over spaces")
