"""What a captured turn costs beside a bare SQLite insert of the same rows, both with one durable commit a turn.

    python -m benchmarks.capture [--turns 1000] [--engine kuzu]

Must: at most 3 times. Both sides take turns in small portions, so that a slow disk or a busy machine meets both.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import sgraph
from sgraph.journal.keys import KEY_TABLES
from sgraph.journal.log import TABLES

PORTION = 50
LIMIT = 3.0


def rows_of(memory: sgraph.Memory, seqs: list[int]) -> list[list[tuple[str, tuple[object, ...]]]]:
    """Give, for each turn, the rows it put into the journal, with their table."""
    journal = memory._space.journal
    turns = []
    for seq in seqs:
        rows = [
            (table, row)
            for table in ("entries", "parts", "keys_messages", "keys_receipts", "keys_blocks")
            for row in journal.rows(f"SELECT * FROM {table} WHERE seq = ?", seq)
        ]
        rows += [("keys_threads", row) for row in journal.rows("SELECT * FROM keys_threads WHERE id = 'main'")]
        turns.append(rows)
    return turns


def insert(db: sqlite3.Connection, turns: list[list[tuple[str, tuple[object, ...]]]]) -> list[float]:
    """Insert rows, one commit a turn; give the seconds of each."""
    seconds = []
    for rows in turns:
        started = time.perf_counter()
        db.execute("BEGIN IMMEDIATE")
        for table, row in rows:
            db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)
        db.execute("COMMIT")
        seconds.append(time.perf_counter() - started)
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--engine", default="kuzu")
    args = parser.parse_args()
    ours: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as folder, sgraph.open(Path(folder) / "s.sgraph", engine=args.engine) as memory:
        db = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.executescript(TABLES + KEY_TABLES)
        for start in range(0, args.turns, PORTION):
            seqs = []
            for number in range(start, start + PORTION):
                text = f"I moved to Place{number}, and the meeting about the project is on Thursday. " * 3
                started = time.perf_counter()
                done = memory.add_turn(user=text, assistant=f"Noted: {text}", receipt=f"r{number}")
                ours.append(time.perf_counter() - started)
                assert done.seq is not None
                seqs.append(done.seq)
            bare += insert(db, rows_of(memory, seqs))
        db.close()
    portions = [slice(start, start + PORTION) for start in range(0, args.turns, PORTION)]
    ratio = statistics.median(statistics.median(ours[at]) / statistics.median(bare[at]) for at in portions)
    for name, seconds in (("captured", ours), ("bare", bare)):
        p99 = statistics.quantiles(seconds, n=100)[98]
        print(f"{name:8} p50 {1000 * statistics.median(seconds):6.2f} ms  p99 {1000 * p99:6.2f} ms a turn")
    print(f"capture: {ratio:.2f} times a bare SQLite insert of the same rows (at most {LIMIT:.0f})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
