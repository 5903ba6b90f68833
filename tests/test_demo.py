"""The conversation that ships with sgraph, and the command that shows it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sgraph.cli.app import app
from sgraph.cli.demo import CONVERSATION, CYPHER


def run(*args: str) -> str:
    result = CliRunner().invoke(app, list(args), prog_name="sgraph")
    assert result.exit_code == 0, f"{args}: {result.output}\n{result.exception!r}"
    return result.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the demo once; give its space and what it showed."""
    folder = tmp_path_factory.mktemp("demo") / "sgraph-demo"
    return folder / "demo.sgraph", run("demo", "--dir", str(folder))


def rows(space: Path, *query: str) -> list[dict[str, Any]]:
    table = json.loads(run("query", *query, "--space", str(space), "-o", "json"))
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def test_the_conversation_is_long_enough_and_in_order() -> None:
    lines = [json.loads(line) for line in CONVERSATION.read_text("utf-8").splitlines()]
    messages = [line for line in lines if "content" in line]
    times = [datetime.fromisoformat(message["at"]) for message in messages]
    assert times == sorted(times)
    assert times[-1] - times[0] > timedelta(weeks=6)
    assert {message["speaker"] for message in messages} == {"Mara", "Ivo"}
    assert max(Counter((m["thread"], m["id"]) for m in messages).values()) == 1


def test_everything_is_kept_and_every_derivation_is_taken(told: tuple[Path, str]) -> None:
    space, text = told
    assert "kept 126 messages in 2 threads" in text
    assert "refused:" not in text
    assert "left out or not whole:" not in text
    status = json.loads(run("status", "--space", str(space), "-o", "json"))
    assert status["quarantined"] == 0
    assert rows(space, "blocks_pending") == []
    assert json.loads(run("space", "verify", "--space", str(space), "-o", "json"))["ok"]
    turns = json.loads(run("cypher", "MATCH (t:Turn) RETURN count(t)", "--space", str(space), "-o", "json"))["rows"][0][
        0
    ]
    assert turns >= 60


def test_the_current_state_a_history_and_a_conflict(told: tuple[Path, str]) -> None:
    space, _ = told
    state = {row["key"]: row["value"] for row in rows(space, "current_state", "name=Mara")}
    assert (state["lives_in"], state["works_at"], state["takes_coffee"]) == ("Hamburg", "Blauwerk", "black")
    history = [row for row in rows(space, "claim_history", "name=Heron", "key=database") if row["retired_at"] is None]
    assert [row["value"] for row in history] == ["PostgreSQL", "SQLite", "PostgreSQL"]
    assert [bool(row["valid_to"]) for row in history] == [True, True, False]
    (conflict,) = rows(space, "conflicts")
    assert {conflict["newer"], conflict["older"]} == {"Ringing data under CC BY", "Ringing data under CC BY-NC"}
    (dispute,) = rows(space, "disputed_facts")
    assert {dispute["value"], dispute["other_value"]} == {"CC BY", "CC BY-NC"}
    (budget,) = [row for row in rows(space, "current_state", "name=Heron") if row["key"] == "budget"]
    assert budget["value"] == "4,000 euros"


def test_what_was_cancelled_or_moved_is_no_plan_any_more(told: tuple[Path, str]) -> None:
    space, _ = told
    plans = {row["title"] for row in rows(space, "open_plans") if row["status"] == "planned"}
    assert {"Release moved to 15 May", "Ivo visits Mara on 2 and 3 May"} <= plans
    assert not plans & {
        "Release planned for 30 April",
        "Ride round Rügen at Easter",
        "Ride round Rügen put off to 25 April",
    }


def test_the_demo_shows_state_past_and_dispute_with_the_words(told: tuple[Path, str]) -> None:
    _, text = told
    for shown in (
        "lives_in: Hamburg", "lives_in: Leipzig", "works_at: Norddatek", "database: SQLite", "license: CC BY-NC",
        "“I still live in Leipzig”", "told by Paula Wenke", "called Ährenkranz",
    ):  # fmt: skip
        assert shown in text
    assert max(len(line) for line in text.splitlines() if str(told[0].parent) not in line) <= 80


def test_what_the_demo_proposes_to_ask_can_be_asked(told: tuple[Path, str]) -> None:
    space, text = told
    assert "Yasmin Okafor" in run("cypher", CYPHER, "--space", str(space))
    for line in (line.removeprefix("$ sgraph ") for line in text.splitlines() if line.startswith("$ sgraph ")):
        if not line.startswith("cypher"):
            run(*shlex.split(line), "--space", str(space))


def test_a_second_run_goes_on(tmp_path: Path, told: tuple[Path, str]) -> None:
    space, text = told
    again = run("demo", "--dir", str(space.parent))
    assert "nothing new, all 126 messages were recorded before" in again
    assert again.partition("What holds")[2] == text.partition("What holds")[2]
    assert {file.name for file in space.parent.iterdir()} == {"demo.sgraph", "review.html"}
    assert "Kirchtwiete 8" in (space.parent / "review.html").read_text("utf-8")
