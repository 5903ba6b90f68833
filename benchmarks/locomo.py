"""Whether recall finds the evidence of questions about long conversations, message by message.

    python -m benchmarks.locomo --data locomo.json --out RUN.jsonl [--full]

Ingests each conversation into a space of its own through the public API and asks `memory.recall(question, limit=50)`;
a card counts for the messages its refs cite. RUN.jsonl: {"sample_id", "question_index", "ranked": [message ids]}.
Rivals on the same documents are measured in the same run. `--full` adds `search_raw` alone and without each signal, and
all conversations in one space with a thread filter.
Must (categories 1–4): recall@10 / @20 ≥ 82 / 86, nDCG@10 ≥ 67, recall within 1,000 tokens ≥ 85, multi-hop recall@20
≥ 62, category 5 ≥ 81 / 91.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sgraph
from benchmarks.rawroute import GROUPS, SIGNALS, Asked, Talk, line, load, score
from sgraph.records.found import Found

Ranker = Callable[[Talk, Asked], list[str]]
MUST = {"recall@10": 82.0, "recall@20": 86.0, "ndcg@10": 67.0, "recall@1000tok": 85.0}


def run(name: str, talks: list[Talk], rank: Ranker, out: Path | None = None) -> list[tuple[int, dict[str, float]]]:
    scored, lines, started = [], [], time.perf_counter()
    for talk in talks:
        for asked in talk.questions:
            ranked = list(dict.fromkeys(key for key in rank(talk, asked) if key in talk.rows))[:50]
            scored.append((asked.category, score(talk, asked, ranked)))
            lines.append({"sample_id": talk.name, "question_index": asked.index, "ranked": ranked})
    print(line(f"{name} ({1000 * (time.perf_counter() - started) / len(lines):.1f} ms a question)", scored), flush=True)
    if out is not None:
        out.write_text("".join(json.dumps(entry) + "\n" for entry in lines), "utf-8")
    return scored


def cited(found: Found, talk: Talk) -> list[str]:
    return [key.partition("/")[2] for card in found.cards for key in card.messages if key.startswith(f"{talk.name}/")]


def documents(talk: Talk) -> dict[str, str]:
    return {key: f"[{row.sent_at.day} {row.sent_at:%B %Y}] {row.speaker}: {row.text}" for key, row in talk.rows.items()}


def fts5(talks: list[Talk]) -> Ranker:
    bases: dict[str, sqlite3.Connection] = {}
    for talk in talks:
        base = bases[talk.name] = sqlite3.connect(":memory:")
        base.execute("CREATE VIRTUAL TABLE d USING fts5(key UNINDEXED, text, tokenize='porter unicode61')")
        base.executemany("INSERT INTO d VALUES (?,?)", documents(talk).items())

    def rank(talk: Talk, asked: Asked) -> list[str]:
        query = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", asked.text))
        return [
            key
            for (key,) in bases[talk.name].execute("SELECT key FROM d WHERE d MATCH ? ORDER BY rank LIMIT 50", (query,))
        ]

    return rank


def bm25s_rank(talks: list[Talk]) -> Ranker:
    import bm25s

    made = {}
    for talk in talks:
        retriever = bm25s.BM25()
        retriever.index(bm25s.tokenize(list(documents(talk).values()), show_progress=False), show_progress=False)
        made[talk.name] = (retriever, list(talk.rows))

    def rank(talk: Talk, asked: Asked) -> list[str]:
        retriever, keys = made[talk.name]
        found, _ = retriever.retrieve(bm25s.tokenize(asked.text, show_progress=False), k=50, show_progress=False)
        return [keys[number] for number in found[0]]

    return rank


def whoosh_rank(talks: list[Talk], folder: Path) -> Ranker:
    from whoosh import fields, index, qparser

    made = {}
    for talk in talks:
        place = folder / f"whoosh-{talk.name}"
        place.mkdir()
        made[talk.name] = ix = index.create_in(place, fields.Schema(key=fields.ID(stored=True), text=fields.TEXT))
        writer = ix.writer()
        for key, text in documents(talk).items():
            writer.add_document(key=key, text=text)
        writer.commit()

    def rank(talk: Talk, asked: Asked) -> list[str]:
        parser = qparser.QueryParser(
            "text", made[talk.name].schema, plugins=[qparser.WhitespacePlugin()], group=qparser.OrGroup
        )
        with made[talk.name].searcher() as searcher:
            return [
                hit["key"] for hit in searcher.search(parser.parse(" ".join(re.findall(r"\w+", asked.text))), limit=50)
            ]

    return rank


def mean(scored: list[tuple[int, dict[str, float]]], metric: str, categories: tuple[int, ...]) -> float:
    values = [found[metric] for category, found in scored if category in categories]
    return 100 * sum(values) / max(1, len(values))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        talks = list(load(args.data, folder))
        samples = {sample["sample_id"]: sample for sample in json.loads(args.data.read_text("utf-8"))}
        memories: dict[str, sgraph.Memory] = {}
        for talk in talks:
            file = folder / f"{talk.name}.json"
            file.write_text(json.dumps([samples[talk.name]]), "utf-8")
            memories[talk.name] = sgraph.open(folder / f"{talk.name}.sgraph")
            memories[talk.name].ingest(file)
        print("| recall@10 / @20, % | " + " | ".join(GROUPS) + " | nDCG@10 1-4 | in 1,000 tokens 1-4 |")
        print("|" + "---|" * (len(GROUPS) + 3))
        run("SQLite FTS5, porter", talks, fts5(talks))
        try:
            run("bm25s", talks, bm25s_rank(talks))
        except ImportError:
            print("| bm25s: not installed (extra `bench`) |")
        run("Whoosh, plain", talks, whoosh_rank(talks, folder))
        scored = run(
            "recall", talks, lambda talk, asked: cited(memories[talk.name].recall(asked.text, limit=50), talk), args.out
        )
        if args.full:
            run(
                "search_raw", talks,
                lambda talk, asked: cited(memories[talk.name].search_raw(asked.text, limit=50), talk),
            )
            for signal in SIGNALS:
                run(
                    f"search_raw without {signal}", talks,
                    lambda talk, asked, signal=signal: cited(
                        memories[talk.name].search_raw(asked.text, limit=50, without=[signal]), talk
                    ),
                )
            with sgraph.open(folder / "all.sgraph") as together:
                together.ingest(args.data)
                run(
                    "recall, one space, thread filter", talks,
                    lambda talk, asked: cited(together.recall(asked.text, limit=50, thread=talk.name), talk),
                )
        for memory in memories.values():
            memory.close()
    figures = {metric: mean(scored, metric, (1, 2, 3, 4)) for metric in MUST}
    hop, ten, twenty = mean(scored, "recall@20", (1,)), mean(scored, "recall@10", (5,)), mean(scored, "recall@20", (5,))
    ok = all(figures[metric] >= must for metric, must in MUST.items()) and hop >= 62 and ten >= 81 and twenty >= 91
    print(
        f"recall@10/@20 {figures['recall@10']:.1f}/{figures['recall@20']:.1f}, nDCG@10 {figures['ndcg@10']:.1f}, "
        f"in 1,000 tokens {figures['recall@1000tok']:.1f}, multi-hop@20 {hop:.1f}, category 5 {ten:.1f}/{twenty:.1f}: "
        f"{'met' if ok else 'MISSED'}"
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
