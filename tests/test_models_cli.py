"""`sgraph process`, `jobs` and `doctor`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sgraph
from sgraph.cli.app import app
from sgraph.testing import Reply, ScriptedModel

SUMMARY = {"title": "A lease", "tags": [], "summary": "A lease.", "keypoints": [], "should_extract": False}
Run = Callable[..., Any]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel({"block_summary": Reply(SUMMARY)}) as server:
        yield server


@pytest.fixture
def run(tmp_path: Path, engine: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> Run:
    config = tmp_path / "config.toml"
    config.write_text(f'[models]\nbackoff = 0\n[models.preset]\nbase_url = "{model.url}"\nmodel = "scripted"\n')
    monkeypatch.setenv("SGRAPH_CONFIG", str(config))
    monkeypatch.setenv("SGRAPH_SPACE", str(tmp_path / "c.sgraph"))
    with sgraph.open(engine=engine, block_turns=1) as memory:
        memory.add_turn(user="I signed the lease.", assistant="Noted.")

    def invoke(*args: str, code: int = 0) -> Any:
        result = CliRunner().invoke(app, list(args), prog_name="sgraph")
        assert result.exit_code == code, (args, result.output, result.exception)
        return json.loads(result.stdout) if "json" in args else result.stdout

    return invoke


def test_an_estimate_sends_nothing(run: Run, model: ScriptedModel) -> None:
    found = run("-o", "json", "process", "--dry-run")
    assert found["calls"] == 4
    assert found["tokens_in"] > 0
    assert "at most 4 calls" in run("process", "--dry-run")
    assert model.requests == []


def test_processing_and_listing(run: Run, model: ScriptedModel) -> None:
    assert "2 succeeded" in run("process")
    assert "nothing was due" in run("process")
    assert "no job waits" in run("jobs", "list")
    assert {job["state"] for job in run("-o", "json", "jobs", "list", "--all")} == {"succeeded"}
    assert run("-o", "json", "status")["models"]["calls"] == 2
    assert "2 calls, 200 tokens in" in " ".join(run("status").split())


def test_a_refused_reply_is_shown_and_retried(run: Run, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply(content="I would rather not.")})
    assert "1 quarantined" in run("process")
    assert "block_summary:main:b1" in run("jobs", "list")
    assert "I would rather not." in run("jobs", "show", "block_summary:main:b1")
    run("jobs", "retry", "block_summary:main:b1", code=6)
    model.say({"block_summary": Reply(SUMMARY)})
    assert "succeeded" in run("jobs", "retry", "--all")
    run("jobs", "retry", code=2)
    run("jobs", "show", "nothing", code=3)


def test_what_fails_ends_with_its_own_code(run: Run, model: ScriptedModel) -> None:
    model.say(Reply(status=403))
    assert "stopped: HTTP 403" in run("process", code=6)


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (Reply(status=401), "the key was refused"),
        (Reply(status=404), "is the model installed"),
        (Reply(status=429), "fewer calls"),
        (Reply(status=500), "try again later"),
        (Reply(content="Sure, it works!"), "try mode = json_schema"),
    ],
)
def test_the_doctor_says_what_to_put_right(reply: Reply, advice: str, run: Run, model: ScriptedModel) -> None:
    assert "ok" in run("doctor")
    assert len(model.requests) == 1
    model.say(reply)
    assert advice in " ".join(run("doctor", code=6).split())
    model.requests.clear()
    run("doctor", "--offline")
    assert model.requests == []


def test_the_doctor_finds_a_missing_key(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGRAPH_MODELS__PRESET__KEY", "env:NOT_SET_ANYWHERE")
    assert "no key at env:NOT_SET_ANYWHERE" in " ".join(run("doctor", code=6).split())


def test_without_a_model_process_says_how_to_configure_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGRAPH_CONFIG")
    run("process", code=6)
    assert "waits for a model" in " ".join(run("doctor", code=6).split())
    assert "the rules stand in" in run("process", "--off")
    assert "none configured" in run("doctor")
