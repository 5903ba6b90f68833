"""How fast the lexicon and the raw route are, beside SQLite FTS5 on the same messages and questions in one run.

    python -m benchmarks.search [--sizes 2000 20000 100000 300000] [--questions 300]

    python -m benchmarks.search --profile        # where building an index spends its time: Whoosh as it comes, and ours

Messages are made from a fixed seed: a Zipf vocabulary of made-up words, sessions of twenty in threads of two people.
Questions take three to seven words of a random message. Each size runs in its own process, so that its memory can be
told. "words" is a search of the lexicon, "raw" the raw route; each runs twice, for the first time has postings to read.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from whoosh import analysis as stock
from whoosh import fields, index

from sgraph import analysis
from sgraph.journal.work import IndexDigests, Work
from sgraph.lexicon import Lexicon
from sgraph.recall.finder import Row
from sgraph.recall.raw import RawRoute
from sgraph.records.hits import Document

START = datetime(2024, 1, 1, tzinfo=UTC)
SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "ho",
    "ki",
    "lo",
    "ma",
    "ne",
    "po",
    "qui",
    "ra",
    "se",
    "to",
    "vu",
    "wi",
    "xa",
    "ye",
    "zu",
)
VOCABULARY = 30_000
ASKED_AT = datetime(2027, 1, 1, tzinfo=UTC)


def word(number: int) -> str:
    parts = []
    while True:
        number, part = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[part])
        if not number:
            return "".join(parts) + "n"


def messages(count: int) -> Iterator[Row]:
    chance = random.Random(20240101)
    words = [word(number) for number in range(VOCABULARY)]
    weights = [1 / (rank + 10) for rank in range(VOCABULARY)]
    for first in range(0, count, 1000):
        drawn = iter(chance.choices(words, weights, k=60_000))
        for number in range(first, min(count, first + 1000)):
            text = " ".join(next(drawn) for _ in range(chance.randint(6, 50)))
            speaker = ("Ana", "Bo")[number % 2]
            at = START + timedelta(minutes=number)
            yield Row(f"m{number}", f"t{number // 400}", str(number // 20), speaker, at, text, ())


def questions(rows: list[Row], count: int) -> list[str]:
    chance = random.Random(7)
    asked = []
    for _ in range(count):
        picked = chance.sample(chance.choice(rows).text.split(), k=6)
        asked.append(
            f"What did {chance.choice(('Ana', 'Bo'))} say about " + " ".join(picked[: chance.randint(3, 6)]) + "?"
        )
    return asked


def sqlite(rows: list[Row]) -> Callable[[str], object]:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE messages USING fts5(key UNINDEXED, text, tokenize='porter unicode61')")
    with base:
        base.executemany("INSERT INTO messages VALUES (?, ?)", ((row.key, row.text) for row in rows))

    def search(question: str) -> object:
        match = " OR ".join(f'"{word}"' for word in question.split()[5:])
        return base.execute(
            "SELECT key, bm25(messages) FROM messages WHERE messages MATCH ? ORDER BY bm25(messages) LIMIT 20",
            (match.replace("?", ""),),
        ).fetchall()

    return search


def timed(search: Callable[[str], object], asked: list[str]) -> str:
    took = []
    for question in asked:
        start = time.perf_counter()
        search(question)
        took.append(1000 * (time.perf_counter() - start))
    took.sort()
    return f"{took[len(took) // 2]:7.2f} {took[int(len(took) * 0.99)]:7.2f}"


def rss() -> int:
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * resource.getpagesize() // 2**20


def one(size: int, count: int) -> None:
    rows = list(messages(size))
    asked = questions(rows, count)
    with tempfile.TemporaryDirectory() as work:
        digests, path = IndexDigests(Work(Path(work) / "work.db")), Path(work) / "lexicon"
        start = time.perf_counter()
        lexicon = Lexicon(path, digests)
        lexicon.rebuild(
            (Document(kind="message", key=row.key, seq=n, fields={"text": row.text}) for n, row in enumerate(rows)),
            size,
        )
        built = time.perf_counter() - start
        lexicon.close()
        fts = sqlite(rows)
        before = rss()
        start = time.perf_counter()
        lexicon = Lexicon(path, digests)
        opened = time.perf_counter() - start
        route = RawRoute(lexicon)
        route.add(rows)

        def plain(question: str) -> object:
            return lexicon.search("message", analysis.query_terms(question).terms, 20)

        def raw(question: str) -> object:
            return route.search(question, 20, ASKED_AT)

        print(f"{size} messages: built at {size / built:.0f}/s, opened in {opened:.2f} s")
        print("                   p50     p99 ms")
        for name, search in (("FTS5", fts), ("words", plain), ("words", plain), ("raw", raw), ("raw", raw)):
            print(f"  {name:12} {timed(search, asked)}", flush=True)
        print(f"  memory of lexicon and rows: {rss() - before} MB (process {rss()} MB, test data included)", flush=True)


def stock_build(rows: list[Row], path: Path) -> None:
    schema = fields.Schema(key=fields.ID(stored=True), text=fields.TEXT(analyzer=stock.StemmingAnalyzer()))
    writer = index.create_in(str(path), schema).writer()
    for row in rows:
        writer.add_document(key=row.key, text=row.text)
    writer.commit(merge=False)


def our_build(rows: list[Row], path: Path) -> None:
    documents = (Document(kind="message", key=row.key, seq=1, fields={"text": row.text}) for row in rows)
    Lexicon(path, IndexDigests(Work(path.with_suffix(".db")))).rebuild(documents, 1)


def profile(size: int) -> None:
    """Compare: the stock writer spends most on its analyser's tokens and on a pickled list of positions a posting."""
    rows = list(messages(size))
    for name, build in (("Whoosh as it comes", stock_build), ("sgraph", our_build)):
        with tempfile.TemporaryDirectory() as work:
            profiler = cProfile.Profile()
            start = time.process_time()
            build(rows, Path(work))
            print(f"{name}: {size / (time.process_time() - start):.0f} messages a second of processor time")
        with tempfile.TemporaryDirectory() as work:
            profiler.runcall(build, rows, Path(work))
            pstats.Stats(profiler).sort_stats("tottime").print_stats(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2000, 20_000, 100_000, 300_000])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    if arguments.profile:
        profile(min(arguments.sizes))
        return
    if len(arguments.sizes) == 1:
        one(arguments.sizes[0], arguments.questions)
        return
    for size in arguments.sizes:
        command = [
            sys.executable,
            "-m",
            "benchmarks.search",
            "--sizes",
            str(size),
            "--questions",
            str(arguments.questions),
        ]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
