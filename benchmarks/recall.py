"""How fast a whole memory recalls as it grows, beside SQLite FTS5 on the same messages and questions in one run.

    python -m benchmarks.recall [--sizes 2000 20000 100000] [--questions 200] [--engine kuzu]

Messages are made (see benchmarks/search.py); one in eight also states a fact that the rules read. Everything goes
through the public API: recorded, derived, indexed, closed, opened again. Each size runs in a process of its own.
Must at 100k on the default engine: search_raw p50 ≤ 2× and p99 ≤ 3× FTS5's, recall (all routes, budget 1,000) p50
≤ 15 ms, at most 600 MB; search_raw ≤ 5 ms at 2k and 20k; p50 grows less than linearly.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import sgraph
from benchmarks.search import Row, messages, questions, sqlite

PLACES = ("Brask", "Vell", "Osby", "Tarn", "Lund")


def text(number: int, row: Row) -> str:
    return f"{row.text}. I moved to {PLACES[number // 8 % 5]} last week." if number % 8 == 0 else row.text


def quantiles(search: Callable[[str], object], asked: list[str]) -> tuple[float, float]:
    took = []
    for question in asked:
        started = time.perf_counter()
        search(question)
        took.append(1000 * (time.perf_counter() - started))
    took.sort()
    return took[len(took) // 2], took[int(len(took) * 0.99)]


def one(size: int, count: int, engine: str) -> None:
    # Two people of their own in each thread, as in the life of a memory: nobody moves a thousand times.
    rows = [
        Row(r.key, r.thread, r.session, f"{r.speaker} {r.thread.upper()}", r.sent_at, text(n, r))
        for n, r in enumerate(messages(size))
    ]
    asked = questions(rows, count)
    figures: dict[str, Any] = {"size": size}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recall.sgraph"
        started = time.perf_counter()
        with sgraph.open(path, engine=engine) as memory:
            for thread, of_thread in groupby(rows, key=lambda row: row.thread):
                batch = [
                    {"id": r.key, "speaker": r.speaker, "at": r.sent_at, "session": r.session, "content": r.text}
                    for r in of_thread
                ]
                memory.add_messages(batch, thread=thread)
            recorded = time.perf_counter()
            memory.recall("first", budget=100)
            figures["record"], figures["derive"] = recorded - started, time.perf_counter() - recorded
        started = time.perf_counter()
        memory = sgraph.open(path, engine=engine)
        figures["open"] = time.perf_counter() - started
        started = time.perf_counter()
        memory.recall(asked[0], budget=1000)
        figures["first"] = time.perf_counter() - started
        quantiles(lambda question: memory.recall(question, budget=1000), asked)  # at first there are postings to read
        figures["raw"] = quantiles(lambda question: memory.search_raw(question, limit=20), asked)
        figures["recall"] = quantiles(lambda question: memory.recall(question, budget=1000), asked)
        figures["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures["counts"] = memory.status().counts
        figures["fts5"] = quantiles(sqlite(rows), asked)
        memory.close()
    print(json.dumps(figures))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 20_000, 100_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--engine", default="kuzu")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one(args.one, args.questions, args.engine)
        return 0
    print("| messages | FTS5 p50 / p99 ms | search_raw | recall | open s | first recall s | derive s | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    ok, last = True, {}
    for size in args.sizes:
        command = [
            sys.executable, "-m", "benchmarks.recall", "--one", str(size), "--questions", str(args.questions),
            "--engine", args.engine,
        ]
        f = last = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        )
        print(
            f"| {size} | {f['fts5'][0]:.1f} / {f['fts5'][1]:.1f} | {f['raw'][0]:.1f} / {f['raw'][1]:.1f} | "
            f"{f['recall'][0]:.1f} / {f['recall'][1]:.1f} | {f['open']:.2f} | {f['first']:.2f} | {f['derive']:.0f} | "
            f"{f['mb']:.0f} |", flush=True,
        )
        if size >= 100_000:
            ok &= f["raw"][0] <= 2 * f["fts5"][0] and f["raw"][1] <= 3 * f["fts5"][1]
            ok &= f["recall"][0] <= 15 and f["mb"] <= 600 * size / 100_000
        else:
            ok &= f["raw"][0] <= 5
    print(
        f"recall p50 {last['recall'][0]:.1f} ms, search_raw p50 {last['raw'][0]:.1f} ms "
        f"at {last['size']} messages: {'met' if ok else 'MISSED'}"
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
