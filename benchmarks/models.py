"""What deriving by a model costs and survives: `python -m benchmarks.models [--data FILE] [--blocks N]`.

Three measurements with a scripted model (no network, no key):

1. calls and tokens for 100 turns of a conversation. `--data` is a conversation file; without it, the one that ships
   with the package is told again until there are enough turns. Tokens are estimated from what was sent.
2. the largest request for events while the space grows to N Blocks (1,000 by default).
3. twenty turns with one fault of each class: what was kept, quarantined, failed, and that no turn was lost.

Exits 1 when a request grows with the space, a turn is lost, or more is called than promised.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import sgraph
from sgraph.blocks.levels import estimate_tokens
from sgraph.resources import resource_dir
from sgraph.testing import Asked, Reply, ScriptedModel

DEFAULT = resource_dir("queries").parent / "sgraph" / "data" / "conversation.jsonl"
TURNS = 100
GROWTH = 1.10  # the largest request of the last tenth may be this much larger than that of the second


def working(asked: Asked) -> Reply:
    """A model that does its work, with as much text as a real one tends to give back."""
    reply: dict[str, object]
    if asked.step == "block_summary":
        reply = {
            "title": "A stretch of the talk",
            "tags": ["talk"],
            "summary": "They talked about their plans. " * 3,
            "keypoints": [f"Point {n}: somebody decided something about a plan." for n in range(5)],
            "should_extract": True,
        }
    elif asked.step == "events":
        ids = [row["id"] for row in rows(asked, "source") if "id" in row]
        reply = {
            "events": [
                {"title": f"Plan settled in {id}", "summary": "A plan was settled by them.", "source_message_ids": [id]}
                for id in ids[::4]
            ]
        }
    elif asked.step == "projection":
        ids = [row["id"] for row in rows(asked, "events") if "id" in row][:4]
        reply = {
            "nodes": [{"ref": "p", "name": "The plan", "kind": "project", "source_event_ids": ids}],
            "facts": [{"node": "p", "key": "stage", "value": f"settled in {ids[0]}", "source_event_ids": ids[:1]}],
        }
    else:
        reply = {"summary": "They settled a part of the plan.", "outcome": "completed", "triples": []}
    return Reply(reply, usage=(estimate_tokens(asked.text), estimate_tokens(json.dumps(reply))))


def rows(asked: Asked, section: str) -> list[dict[str, str]]:
    body = asked.messages[1]["content"].partition(f"<{section}>\n")[2].partition(f"</{section}>")[0]
    return [json.loads(line) for line in body.splitlines()]


def texts(file: Path) -> list[str]:
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder, sgraph.open(Path(folder) / "m.sgraph", rules=False) as memory:
        memory.ingest(file)
        found = [
            row[0]
            for row in memory.cypher(
                "MATCH (m:Message) RETURN m.content ORDER BY m.thread, m.position", limit=100_000
            ).rows
        ]
    return [text for text in found if text.strip()]


def cost(said: list[str]) -> bool:
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedModel(working) as model,
        sgraph.open(Path(folder) / "m.sgraph", models=model.models()) as memory,
    ):
        for turn in range(TURNS):
            at = 2 * turn % len(said)
            memory.add_turn(user=said[at], assistant=said[(at + 1) % len(said)])
        begun = time.perf_counter()
        done = memory.process()
        seconds = time.perf_counter() - begun
        blocks = len(memory.blocks())
        print(
            f"{TURNS} turns, {blocks} Blocks: {done.calls} calls, {done.tokens_in:,} tokens in, "
            f"{done.tokens_out:,} out, {seconds:.1f} s"
        )
        for step, count in Counter(asked.step for asked in model.requests).items():
            sent = [estimate_tokens(asked.text) for asked in model.asked(step)]
            print(f"  {step:13} {count:3} calls, {sum(sent) // count:,} tokens each in the mean, {max(sent):,} at most")
    return done.calls <= 3 * blocks + TURNS and not done.failed


def growth(said: list[str], blocks: int) -> bool:
    steps = ["block_summary", "events", "projection"]
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedModel(working) as model,
        sgraph.open(Path(folder) / "m.sgraph", block_turns=1, models=model.models(steps=steps)) as memory,
    ):
        begun = time.perf_counter()
        for number in range(blocks):
            at = number % 10  # the same ten turns again, so that only the space grows
            memory.add_turn(user=said[2 * at], assistant=said[2 * at + 1], thread=f"t{number % 7}")
            if number % 50 == 49:
                memory.process()
        memory.process()
        sizes = [len(asked.text) for asked in model.asked("events")]
        print(f"{blocks} Blocks in {time.perf_counter() - begun:.0f} s; the largest request for events, in characters:")
        tenth = max(10, len(sizes) // 10)
        for start in range(0, len(sizes), tenth):
            print(f"  Blocks {start + 1:5}-{min(start + tenth, len(sizes)):5} {max(sizes[start : start + tenth]):7,}")
    return max(sizes[-tenth:]) <= GROWTH * max(sizes[tenth : 2 * tenth])


FAULTS = {
    "truncated": Reply('{"events": [{"ti', finish="length"),
    "refusal": Reply(refusal="no"),
    "prose": Reply(content="I cannot."),
    "think tags": Reply(content="<think>x</think>{}"),
    "fenced": Reply("```json\n{}\n```"),
    "wrong tool": Reply(calls=[("other", "{}")]),
    "two calls": Reply(calls=[("submit_block_summary", "{}")] * 2),
    "missing field": Reply({"title": "x"}),
    "a list": Reply([]),
    "unknown field": Reply({"title": "x", "mood": "y"}),
    "empty": Reply(content=""),
    "401": Reply(status=401),
    "404": Reply(status=404),
    "429": Reply(status=429),
    "500": Reply(status=500),
    "503": Reply(status=503),
    "html": Reply(body="<html>"),
    "no choices": Reply(body="{}"),
    "slow": Reply(delay=1.0),
    "closed": Reply(body="", headers={"content-length": "50"}),
}


def faults(said: list[str]) -> bool:
    names = list(FAULTS)

    def faulty(asked: Asked) -> Reply:
        number = next(n for n, name in enumerate(names) if f'"f{n}/' in asked.text)
        return FAULTS[names[number]] if asked.step == "block_summary" else working(asked)

    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedModel(faulty) as model,
        sgraph.open(
            Path(folder) / "m.sgraph", block_turns=1, models=model.models(preset=model.route(timeout=0.5))
        ) as memory,
    ):
        for number in range(len(names)):
            memory.add_turn(user=said[2 * number], assistant=said[2 * number + 1], thread=f"f{number}")
        for _ in range(2 * len(names)):  # a refused route ends a pass, and the next one goes on
            if not memory.process().waiting:
                break
        jobs = {job.target: job for job in memory.jobs() if job.kind == "block_summary"}
        print(f"{len(names)} turns with one fault each:")
        for number, name in enumerate(names):
            job = jobs[f"f{number}:b1"]
            print(f"  {name:14} {job.state:12} {job.calls} calls  {job.reason}")
        states = Counter(job.state for job in jobs.values())
        kept = memory.status().counts["messages"]
        summaries = sum(job.state == "succeeded" for job in memory.jobs() if job.kind == "turn_summary")
        print(f"  kept {kept} of {2 * len(names)} messages; {dict(states)}; {summaries} turn summaries by the model")
    return kept == 2 * len(names) and states["failed"] + states["quarantined"] == len(names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="a conversation file")
    parser.add_argument("--blocks", type=int, default=1000)
    options = parser.parse_args()
    said = texts(options.data)
    said = (said * (40 // len(said) + 1)) if len(said) < 40 else said
    return 0 if all([cost(said), faults(said), growth(said, options.blocks)]) else 1


if __name__ == "__main__":
    sys.exit(main())
