"""What goes wrong with models: every class of failure, through the real client."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sgraph
from sgraph.errors import InvalidInput
from sgraph.testing import Asked, Reply, ScriptedModel

SUMMARY = {"title": "Fuse", "tags": [], "summary": "A fuse.", "keypoints": [], "should_extract": True}
FUSE = {"events": [{"title": "Spare fuse is in drawer 4", "summary": "It is.", "source_message_ids": ["t1/m1"]}]}
CLEVER = {"block_summary": Reply(SUMMARY), "events": Reply(FUSE)}
BLOCK = ("block_summary", "events", "projection")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(CLEVER) as server:
        yield server


@pytest.fixture
def memory(tmp_path: Path, engine: str, model: ScriptedModel) -> Iterator[sgraph.Memory]:
    with sgraph.open(tmp_path / "m.sgraph", engine=engine, block_turns=1, models=model.models(steps=BLOCK)) as opened:
        yield opened


def say(
    memory: sgraph.Memory, text: str = "The spare fuse is in drawer 4.", id: str = "m1", thread: str = "t1"
) -> None:
    memory.add_turn(user=text, assistant="Noted.", thread=thread, ids=[id])


def job(memory: sgraph.Memory, kind: str, target: str = "t1:b1") -> Any:
    (found,) = [job for job in memory.jobs() if job.id == f"{kind}:{target}"]
    return found


# ------------------------------------------------------------------ replies that are none
BROKEN = {
    "truncated": Reply('{"events": [{"title": "D1 use oak", "su', finish="length"),
    "truncated whole": Reply(FUSE, finish="length"),
    "truncated empty": Reply(content="", finish="length"),
    "think tags": Reply(content="<think>maybe {}</think>\n```json\n" + json.dumps(FUSE) + "\n```\nHope this helps!"),
    "half a think tag": Reply(content='reasoning {"events": []} </think>' + json.dumps(FUSE)),
    "prose": Reply(content="I'm sorry, but I can't help with that request."),
    "refusal": Reply(refusal="I can't help with that."),
    "filtered": Reply(content="", finish="content_filter"),
    "other tool": Reply(calls=[("some_other_tool", '{"x": 1}')]),
    "no call": Reply(content=None, calls=[]),
    "two calls": Reply(calls=[("submit_events", json.dumps(FUSE))] * 2),
    "fenced arguments": Reply("```json\n" + json.dumps(FUSE) + "\n```"),
    "a list": Reply([[[]]]),
    "null list": Reply({"events": None}),
    "empty object": Reply({}),
    "single object": Reply(FUSE["events"][0]),
    "a field twice": Reply('{"events": [], "events": []}'),
    "deep": Reply("[" * 20_000),
    "lone surrogate": Reply('{"events": [], "x": "\\ud800"}'),
    "not a number": Reply('{"events": NaN}'),
    "only bad items": Reply({"events": [{"title": "", "summary": ""}]}),
}


@pytest.mark.parametrize("mode", ["tools", "json_schema"])
def test_a_broken_reply_is_quarantined_after_one_call_and_a_good_one_can_be_retried(
    mode: str, memory: sgraph.Memory, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    memory.configure(model.models(steps=BLOCK, preset=model.route(mode=mode)))
    for name, broken in BROKEN.items():
        model.say({"block_summary": Reply(SUMMARY), "events": broken})
        say(memory, thread=name)
        asked = len(model.asked("events"))
        memory.process()
        memory.process()
        assert len(model.asked("events")) == asked + 1, name
        found = job(memory, "events", f"{name}:b1")
        assert (found.state, found.attempts, found.calls) == ("quarantined", 1, 1), name
        assert found.reason, name
        assert found.quarantine == memory.quarantined()[-1].id, name
        assert [block.state for block in memory.blocks(name)] == ["pending"], name
    assert all(event.method == "rules" for event in memory.timeline())
    assert "sorry" not in caplog.text
    assert "maybe" not in caplog.text
    for name in BROKEN:
        fuse = {"events": [{**FUSE["events"][0], "source_message_ids": [f"{name}/m1"]}]}
        model.say({"events": Reply(fuse)})
        assert memory.retry_job(f"events:{name}:b1").state == "succeeded", name
        assert [block.state for block in memory.blocks(name)] == ["ready"], name
    assert len(model.asked("block_summary")) == len(BROKEN)
    assert {event.title for event in memory.timeline(limit=100)} == {"Spare fuse is in drawer 4"}


def test_a_refusal_never_becomes_a_summary(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply(content="I cannot access the conversation.")})
    say(memory)
    memory.process()
    assert job(memory, "block_summary").state == "quarantined"
    assert memory.blocks()[0].title is None
    model.say({"block_summary": Reply({"title": "", "tags": [], "summary": "", "facts": []})})
    assert memory.retry_job("block_summary:t1:b1").state == "quarantined"
    assert memory.blocks()[0].state == "pending"


def test_a_bad_item_is_left_out_and_the_rest_counts(memory: sgraph.Memory, model: ScriptedModel) -> None:
    bad = [{**FUSE["events"][0], "status": "DONE-ish"}, {"summary": "no title", "source_message_ids": ["t1/m1"]}, 7]
    model.say({"block_summary": Reply(SUMMARY), "events": Reply({"events": [*FUSE["events"], *bad]})})
    say(memory)
    memory.process()
    assert job(memory, "events").state == "succeeded"
    assert "refused" in job(memory, "events").reason
    assert [event.title for event in memory.timeline()] == ["Spare fuse is in drawer 4"]
    assert len(memory.quarantined()) == 1


def test_text_beside_the_call_is_passed_over(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply(SUMMARY), "events": Reply(FUSE, content="Here you are: WRONG")})
    say(memory)
    memory.process()
    assert job(memory, "events").state == "succeeded"


# ------------------------------------------------------------------ providers that fail
FAILING = {
    "429": Reply(status=429),
    "500": Reply(status=500),
    "502": Reply(status=502, body="<html>bad gateway"),
    "503": Reply(status=503),
    "408": Reply(status=408),
    "400": Reply(status=400),
    "422": Reply(status=422),
    "html": Reply(body="<html>hello"),
    "empty": Reply(body=""),
    "no choices": Reply(body="{}"),
    "error in 200": Reply(body='{"error": {"message": "overloaded"}}'),
    "redirect": Reply(status=307, headers={"location": "/x"}),
    "choices null": Reply(body='{"choices": null}'),
    "slow": Reply(SUMMARY, delay=0.6),
}


def test_a_provider_that_fails_is_asked_three_times_then_the_rules_stand_in(
    memory: sgraph.Memory, model: ScriptedModel
) -> None:
    memory.configure(model.models(steps=BLOCK, preset=model.route(timeout=0.3)))
    for name, failing in FAILING.items():
        model.say({"block_summary": failing})
        say(memory, thread=name)
        done = memory.process()
        assert (done.failed, done.calls, done.stood_in) == (1, 3, 1), name
        failed = job(memory, "block_summary", f"{name}:b1")
        assert (failed.state, failed.attempts, failed.calls) == ("failed", 3, 3), name
        assert failed.reason, name
        assert [block.state for block in memory.blocks(name)] == ["ready"], name
        assert memory.process().calls == 0, name
        standing = memory.status().models
        assert standing is not None
        assert failed.reason in standing.attention[-1], name
    model.say({"block_summary": Reply(SUMMARY), "events": Reply({"events": []})})
    assert memory.retry_job(failed.id).state == "succeeded"
    assert memory.process().succeeded == 1
    assert memory.blocks(name)[0].title == "Fuse"


def test_nobody_listening(memory: sgraph.Memory) -> None:
    route = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
    memory.configure({"preset": route, "backoff": 0, "steps": BLOCK})
    say(memory)
    assert memory.process().failed == 1
    assert "no connection" in job(memory, "block_summary").reason


def test_the_second_attempt_waits_and_the_server_may_ask_for_more(memory: sgraph.Memory, model: ScriptedModel) -> None:
    memory.configure(model.models(steps=BLOCK, backoff=0.2))
    model.say({"block_summary": [Reply(status=500), Reply(SUMMARY)], "events": Reply(FUSE)})
    say(memory)
    begun = time.monotonic()
    memory.process()
    assert time.monotonic() - begun >= 0.2
    assert memory.blocks()[0].state == "ready"
    model.say({"block_summary": Reply(status=429, headers={"retry-after": "120"})})
    say(memory, id="m2")
    done = memory.process()
    assert (done.waiting, done.calls) == (1, 1)
    waiting = job(memory, "block_summary", "t1:b2")
    assert waiting.state == "pending"
    assert 100 < (waiting.due - waiting.updated_at).total_seconds() <= 121
    assert memory.process().calls == 0


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_route_that_refuses_ends_the_pass_and_says_why(
    status: int, memory: sgraph.Memory, model: ScriptedModel
) -> None:
    model.say(Reply(status=status))
    say(memory)
    say(memory, id="m2")
    done = memory.process()
    assert done.calls == 1
    assert str(status) in (done.stopped or "")
    assert job(memory, "block_summary", "t1:b2").attempts == 0


def test_one_bad_block_stops_no_other(memory: sgraph.Memory, model: ScriptedModel) -> None:
    def choosy(asked: Asked) -> Reply:
        if "poison" in asked.text:
            return Reply(status=500)
        return CLEVER.get(asked.step, Reply({"nodes": [], "facts": []}))

    model.say(choosy)
    say(memory, "poison", id="m0", thread="bad")
    say(memory)
    memory.process()
    assert job(memory, "block_summary", "bad:b1").state == "failed"
    assert job(memory, "events").state == "succeeded"


def test_pending_work_comes_before_retries(memory: sgraph.Memory, model: ScriptedModel) -> None:
    memory.configure(model.models(steps=BLOCK, backoff=0))
    model.say(
        lambda asked: Reply(status=500) if '"t1/m1"' in asked.text else Reply({**SUMMARY, "should_extract": False})
    )
    for number in range(1, 4):
        say(memory, id=f"m{number}")
    memory.process()
    order = ["m1" if '"t1/m1"' in asked.text else "other" for asked in model.requests]
    assert order == ["m1", "other", "other", "m1", "m1"]


def test_projection_fails_alone(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({**CLEVER, "projection": Reply(status=500)})
    say(memory)
    memory.process()
    assert memory.blocks()[0].state == "ready"
    assert (job(memory, "projection").state, job(memory, "projection").attempts) == ("failed", 3)
    memory.configure(model.models(steps=["block_summary", "events"]))
    memory.process()
    standing = memory.status().models
    assert standing is not None
    assert standing.steps["projection"] == "off"
    memory.configure(model.models(steps=BLOCK))
    before = len(model.requests)
    assert memory.retry_job("projection:t1:b1").state == "failed"
    assert len(model.requests) == before + 1
    model.say(CLEVER)
    assert memory.retry_job("projection:t1:b1").state == "succeeded"
    assert len(model.asked("events")) == 1
    assert len(memory.timeline()) == 1


def test_two_retries_at_once_share_one_call(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply(content="no")})
    say(memory)
    memory.process()
    model.say({"block_summary": Reply({**SUMMARY, "should_extract": False}, delay=0.3)})
    before = len(model.requests)
    ends: list[str] = []
    threads = [
        threading.Thread(target=lambda: ends.append(memory.retry_job("block_summary:t1:b1").state)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == ["succeeded"] * 3
    assert len(model.requests) == before + 1


def test_capture_goes_on_while_a_model_is_slow(memory: sgraph.Memory, model: ScriptedModel) -> None:
    model.say({"block_summary": Reply({**SUMMARY, "should_extract": False}, delay=1.0)})
    say(memory)
    runner = threading.Thread(target=memory.process)
    runner.start()
    time.sleep(0.3)
    say(memory, id="m2")
    assert memory.recall("fuse").cards
    assert runner.is_alive()
    runner.join()


def test_several_workers_share_the_queue(memory: sgraph.Memory, model: ScriptedModel) -> None:
    memory.configure(model.models(workers=4))
    model.say({"block_summary": Reply({**SUMMARY, "should_extract": False}, delay=0.02)})
    for number in range(12):
        say(memory, id=f"m{number}", thread=f"t{number % 5}")
    done = memory.process()
    assert (done.succeeded, done.calls) == (24, 24)
    assert len({(asked.step, asked.text) for asked in model.requests}) == 24
    assert all(block.state == "ready" for block in memory.blocks())


def test_the_background_worker_does_it_and_ends_with_the_memory(
    tmp_path: Path, engine: str, model: ScriptedModel
) -> None:
    with sgraph.open(
        tmp_path / "b.sgraph", engine=engine, block_turns=1, models=model.models(), background=True
    ) as memory:
        say(memory)
        until = time.monotonic() + 30
        while memory.status().models.jobs.get("events", {}).get("succeeded") != 1 and time.monotonic() < until:  # type: ignore[union-attr]
            time.sleep(0.05)
        assert memory.blocks()[0].state == "ready"
    assert not [thread for thread in threading.enumerate() if thread.name == "sgraph-worker"]


# ------------------------------------------------------------------ keys
def test_keys_rotate_at_once_and_stay_with_the_good_one(
    memory: sgraph.Memory, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TEST_KEYS", " sk-bad-1111 ,, sk-bad-2222,sk-good-3333 ")
    memory.configure(model.models(steps=BLOCK, backoff=60, preset=model.route(key="env:TEST_KEYS")))

    def picky(asked: Asked) -> Reply:
        if asked.key != "sk-good-3333":
            return Reply(status=401, message=f"Incorrect API key provided: {asked.key}")
        return Reply({**SUMMARY, "should_extract": False})

    model.say(picky)
    say(memory)
    say(memory, id="m2")
    done = memory.process()
    assert (done.succeeded, done.calls) == (2, 4)
    assert [asked.key for asked in model.requests] == ["sk-bad-1111", "sk-bad-2222", "sk-good-3333", "sk-good-3333"]
    monkeypatch.setenv("TEST_KEYS", "sk-bad-4444")
    say(memory, id="m3")
    memory.process()
    kept = b"".join(file.read_bytes() for file in memory.path.rglob("*") if file.is_file())
    shown = caplog.text + memory.status().model_dump_json() + "".join(job.model_dump_json() for job in memory.jobs())
    for key in ("sk-bad", "sk-good", "1111", "3333"):
        assert key not in shown
        assert key.encode() not in kept


def test_all_keys_failing_is_said_so(
    memory: sgraph.Memory, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEYS", "a1,b2,c3,d4")
    memory.configure(model.models(steps=BLOCK, preset=model.route(key="env:TEST_KEYS")))
    model.say(Reply(status=500))
    say(memory)
    memory.process()
    assert job(memory, "block_summary").attempts == 4
    assert "all 4 keys" in job(memory, "block_summary").reason


def test_a_key_may_be_read_from_a_file_and_is_read_anew(
    memory: sgraph.Memory, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("first\n")
    memory.configure(model.models(steps=["block_summary"], preset=model.route(key=f"file:{tmp_path / 'key'}")))
    say(memory)
    memory.process()
    (tmp_path / "key").write_text("second\n")
    say(memory, id="m2")
    memory.process()
    assert [asked.key for asked in model.requests] == ["first", "second"]
    (tmp_path / "key").unlink()
    standing = memory.status().models
    assert standing is not None
    assert "no key" in standing.attention[0]


def test_without_a_key_no_header_is_sent(
    memory: sgraph.Memory, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-elsewhere")
    say(memory)
    memory.process()
    assert {asked.key for asked in model.requests} == {None}


def test_the_pool_falls_through(memory: sgraph.Memory, model: ScriptedModel) -> None:
    with ScriptedModel(Reply(status=503)) as broken:
        memory.configure({"source": "pool", "pool": [broken.route(), model.route()], "backoff": 60, "steps": BLOCK})
        say(memory)
        say(memory, id="m2")
        done = memory.process()
        assert done.failed == 0
        assert memory.blocks()[0].state == "ready"
        assert len(broken.requests) == 1


# ------------------------------------------------------------------ interruptions
KILLED = """
import sys, sgraph
with sgraph.open(sys.argv[1], engine=sys.argv[2], models={"preset": {"base_url": sys.argv[3], "model": "m"}}) as memory:
    print("ready", flush=True)
    memory.process()
"""


def test_what_a_killed_process_was_at_is_taken_up_again(tmp_path: Path, engine: str, model: ScriptedModel) -> None:
    path = tmp_path / "k.sgraph"
    with sgraph.open(path, engine=engine, block_turns=1, models=model.models(steps=BLOCK)) as memory:
        say(memory)
    model.say({"block_summary": [Reply(SUMMARY, delay=20), Reply(SUMMARY)], "events": Reply(FUSE)})
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), engine, model.url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not model.asked("block_summary") and time.monotonic() < until:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    with sgraph.open(path, engine=engine, models=model.models(steps=BLOCK)) as memory:
        assert job(memory, "block_summary").state == "running"
        memory.process()
        assert {one.state for one in memory.jobs() if one.kind in BLOCK} == {"succeeded"}
        assert [event.title for event in memory.timeline()] == ["Spare fuse is in drawer 4"]


def test_work_db_may_be_deleted(tmp_path: Path, engine: str, model: ScriptedModel) -> None:
    path = tmp_path / "w.sgraph"
    model.say({**CLEVER, "projection": Reply(content="no")})
    with sgraph.open(path, engine=engine, block_turns=1, models=model.models(steps=BLOCK)) as memory:
        say(memory)
        memory.process()
        calls = len(model.requests)
    for file in path.glob("work.db*"):
        file.unlink()
    with sgraph.open(path, engine=engine, models=model.models(steps=BLOCK)) as memory:
        memory.process()
        assert len(model.requests) == calls
        assert job(memory, "projection").state == "quarantined"
        assert len(memory.timeline()) == 1


def test_stopping_loses_nothing(memory: sgraph.Memory, model: ScriptedModel) -> None:
    stop = threading.Event()

    def interrupting(asked: Asked) -> Reply:
        stop.set()
        return Reply({**SUMMARY, "should_extract": False})

    model.say(interrupting)
    say(memory)
    say(memory, id="m2")
    assert memory.process(stop=stop).calls == 1
    assert memory.process().calls == 1
    assert all(block.state == "ready" for block in memory.blocks())


def test_retrying_what_is_not_there(memory: sgraph.Memory) -> None:
    with pytest.raises(sgraph.NotFound):
        memory.retry_job("events:nowhere:b1")
    say(memory)
    memory.process()
    assert memory.retry_job("events:t1:b1").calls == 1
    with pytest.raises(InvalidInput):
        memory.submit("nothing", "t1:b1", {})
