"""How fast the journal becomes a graph: live (as it arrives) and by replay, each in a process of its own.

    python -m benchmarks.replay --data locomo.json [--engine kuzu]

The journal is that of the whole file, every message an entry of its own, read by the rules. Live is what the owner
does: entry by entry as messages arrive, in portions when it catches up. Must: replay at least 5 times as fast as live.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC
from pathlib import Path

import sgraph
from sgraph.graph import store
from sgraph.graph.engine import open_engine
from sgraph.graph.migrations import migrate
from sgraph.journal.capture import capture
from sgraph.journal.log import Journal
from sgraph.space.space import BATCH, BATCH_PARTS
from sgraph.transfer.conversations import read
from sgraph.transfer.items import Said

RATIO = 5.0
WAYS = ("as it arrives", "in portions", "replay")


def measure(way: str, journal_path: Path, engine_name: str) -> None:
    """Make a graph of a journal in one way; print its seconds, this process's peak memory in MB, and its rows."""
    with tempfile.TemporaryDirectory() as folder, closing(Journal(journal_path)) as journal:
        engine = open_engine(engine_name, Path(folder) / "graph")
        migrate(engine, "benchmark")
        started = time.perf_counter()
        if way == "replay":
            store.replay(engine, journal.entries(), hash_of=journal.entry_hash)
        else:
            most = (1, 1) if way == "as it arrives" else (4 * BATCH, 4 * BATCH_PARTS)
            end, done = journal.last_seq(), 0
            while done < end:
                done = store.apply(engine, store.portion(journal.entries(done, end), *most), hash_of=journal.entry_hash)
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(seconds, peak, sum(map(len, store.contents(engine).values())))
        engine.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--engine", default="kuzu")
    parser.add_argument("--measure", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--journal", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure, args.journal, args.engine)
        return 0
    if args.data is None:
        parser.error("--data is needed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sgraph"
        with sgraph.open(path, engine=args.engine) as memory:
            kept = 0
            for item in read(args.data, zone=UTC):
                if isinstance(item, Said):
                    capture(memory._space.journal, [item.message], thread=item.thread, title=item.title)
                    kept += 1
            memory.cypher("RETURN 1")
            entries = memory.status().entries
        print(f"{kept} messages, {entries} entries")
        found = {}
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.replay", "--engine", args.engine, "--measure", way]
            done = subprocess.run(
                [*command, "--journal", str(path / "journal.db")], capture_output=True, text=True, check=True
            )
            seconds, peak, rows = map(float, done.stdout.split())
            found[way] = (seconds, rows)
            print(f"{way:13} {seconds:7.2f} s  {rows:8.0f} rows  peak {peak:5.0f} MB")
    if len({rows for _, rows in found.values()}) != 1:
        print("the graphs differ")
        return 1
    ratio = found["as it arrives"][0] / found["replay"][0]
    print(f"{args.engine}: replay is {ratio:.1f} times as fast as live (at least {RATIO:.0f})")
    return 0 if ratio >= RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
