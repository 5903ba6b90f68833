"""How well the raw route finds the evidence of questions about long conversations.

    python -m benchmarks.rawroute --data FILE [--out RUN.jsonl]    # recall by category, with and without each signal
    python -m benchmarks.rawroute --data FILE fit                  # fit the weights; leave-one-conversation-out

FILE is a LoCoMo file (a JSON list of conversations with `conversation` and `qa`); it is read, never copied. Only the
raw route is measured here, over the lexicon, without the rest of sgraph. The scores are computed as LoCoMo retrieval
is usually scored: a question's recall is the share of its evidence messages among the first k; recall in 1,000 tokens
counts a message as its rendered length in characters divided by four, rounded up.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgraph.chronology import find
from sgraph.journal.work import IndexDigests, Work
from sgraph.lexicon import Lexicon
from sgraph.recall.finder import Row
from sgraph.recall.raw import RawRoute
from sgraph.recall.weights import FEATURES, SIGNALS
from sgraph.records.hits import Document

GROUPS = {
    "1 multi-hop": (1,),
    "2 temporal": (2,),
    "3 open-domain": (3,),
    "4 single-hop": (4,),
    "1-4": (1, 2, 3, 4),
    "5 adversarial": (5,),
}
METRICS = ("recall@10", "recall@20", "ndcg@10", "recall@1000tok")
DEPTH = 50
#: How much a question of a category weighs in the fit: more where much is missed, less where it names the wrong one.
FIT_SHARE = {1: 1.5, 5: 0.3}
L2 = 3e-3


@dataclass(frozen=True)
class Asked:
    index: int
    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass
class Talk:
    name: str
    rows: dict[str, Row]
    questions: list[Asked]
    route: RawRoute

    @property
    def asked_at(self) -> datetime:
        return max(row.sent_at for row in self.rows.values()) + timedelta(days=1)


def tokens(row: Row) -> int:
    date = f"{row.sent_at.day} {row.sent_at:%B %Y}"
    return math.ceil(len(f"[{date}] {row.speaker}: {row.text}") / 4)


def load(path: Path, work: Path) -> Iterator[Talk]:
    for item in json.loads(path.read_text("utf-8")):
        talk, name = item["conversation"], item["sample_id"]
        rows: dict[str, Row] = {}
        for number in sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key)):
            at = talk[f"session_{number}_date_time"].strip().upper().replace(" ON ", " on ")
            start = datetime.strptime(at, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for place, message in enumerate(talk[f"session_{number}"]):
                caption = message.get("blip_caption")
                text = (message.get("text") or "") + (f" [shares a photo: {caption}]" if caption else "")
                said = start + timedelta(seconds=place)
                spans = tuple((span.start, span.end) for span in find(message.get("text") or "", said))
                rows[message["dia_id"]] = Row(
                    message["dia_id"], name, str(number), message["speaker"], said, text, spans
                )
        questions = []
        for index, asked in enumerate(item["qa"]):
            ids = [
                f"D{int(a)}:{int(b)}"
                for raw in asked.get("evidence") or ()
                for a, b in re.findall(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", str(raw))
            ]
            evidence = tuple(dict.fromkeys(key for key in ids if key in rows))
            if evidence:
                questions.append(Asked(index, asked["question"], int(asked["category"]), evidence))
        lexicon = Lexicon(work / name, IndexDigests(Work(work / f"{name}.db")))
        lexicon.add(
            [Document(kind="message", key=row.key, seq=0, fields={"text": row.text}) for row in rows.values()], 1
        )
        route = RawRoute(lexicon)
        route.add(rows.values())
        yield Talk(name, rows, questions, route)


def score(talk: Talk, asked: Asked, ranked: list[str]) -> dict[str, float]:
    gold = set(asked.evidence)
    places = [place for place, key in enumerate(ranked) if key in gold]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
    spent = within = 0
    for key in ranked:
        spent += tokens(talk.rows[key])
        if spent > 1000:
            break
        within += key in gold
    return {
        "recall@10": sum(place < 10 for place in places) / len(gold),
        "recall@20": sum(place < 20 for place in places) / len(gold),
        "ndcg@10": sum(1 / math.log2(place + 2) for place in places if place < 10) / ideal,
        "recall@1000tok": within / len(gold),
    }


def line(name: str, scored: list[tuple[int, dict[str, float]]]) -> str:
    def mean(metric: str, categories: tuple[int, ...]) -> float:
        values = [found[metric] for category, found in scored if category in categories]
        return 100 * sum(values) / max(1, len(values))

    cells = [
        f"{mean('recall@10', categories):.1f} / {mean('recall@20', categories):.1f}" for categories in GROUPS.values()
    ]
    cells += [f"{mean(metric, (1, 2, 3, 4)):.1f}" for metric in METRICS[2:]]
    return f"| {name} | " + " | ".join(cells) + " |"


def measure(talks: list[Talk], out: Path | None) -> None:
    print("| recall@10 / @20, % | " + " | ".join(GROUPS) + " | nDCG@10 1-4 | in 1,000 tokens 1-4 |")
    print("|" + "---|" * (len(GROUPS) + 3))
    for signal in (None, *SIGNALS):
        scored, lines, started = [], [], time.perf_counter()
        for talk in talks:
            for asked in talk.questions:
                hits = talk.route.search(asked.text, DEPTH, talk.asked_at, without=(signal,) if signal else ())
                ranked = [hit.key for hit in hits]
                scored.append((asked.category, score(talk, asked, ranked)))
                lines.append({"sample_id": talk.name, "question_index": asked.index, "ranked": ranked})
        name = (
            f"without {signal}"
            if signal
            else f"all signals ({1000 * (time.perf_counter() - started) / len(lines):.1f} ms a question)"
        )
        print(line(name, scored), flush=True)
        if out and not signal:
            out.write_text("".join(json.dumps(entry) + "\n" for entry in lines), "utf-8")


Sample = tuple[NDArray[np.float64], list[int], float]


def fit(samples: list[Sample], rounds: int = 25) -> NDArray[np.float64]:
    """Minimise the list-wise softmax loss with an L2 penalty, by Newton's method with halved steps."""
    size = samples[0][0].shape[1]
    total = sum(share for _, _, share in samples)

    def loss(weights: NDArray[np.float64]) -> float:
        value = L2 * float(weights @ weights)
        for features, gold, share in samples:
            scores = features @ weights
            peak = scores.max()
            value += share * float(peak + np.log(np.exp(scores - peak).sum()) - scores[gold].mean()) / total
        return value

    weights = np.zeros(size)
    best = loss(weights)
    for _ in range(rounds):
        slope, curve = 2 * L2 * weights, 2 * L2 * np.eye(size)
        for features, gold, share in samples:
            scores = features @ weights
            odds = np.exp(scores - scores.max())
            odds /= odds.sum()
            mean = odds @ features
            slope = slope + share * (mean - features[gold].mean(axis=0)) / total
            off = features - mean
            curve = curve + share * (off * odds[:, None]).T @ off / total
        step = np.linalg.solve(curve, slope)
        while (value := loss(weights - step)) > best and np.abs(step).max() > 1e-6:
            step = step / 2
        weights, before, best = weights - step, best, value
        if before - best < 1e-7:
            break
    return weights


def fit_all(talks: list[Talk]) -> None:
    looked: list[tuple[Talk, Asked, NDArray[np.intp], NDArray[np.float64]]] = []
    for talk in talks:
        for asked in talk.questions:
            rows, values = talk.route.features(talk.route.read(asked.text, talk.asked_at))
            looked.append((talk, asked, rows, values))
    keys = {talk.name: list(talk.rows) for talk in talks}

    def samples(leave: Talk | None) -> list[Sample]:
        found = []
        for talk, asked, rows, values in looked:
            gold = [place for place, row in enumerate(rows) if keys[talk.name][row] in asked.evidence]
            if talk is not leave and gold:
                found.append((values, gold, FIT_SHARE.get(asked.category, 1.0)))
        return found

    scored = []
    for left in talks:
        weights = fit(samples(left))
        for talk, asked, rows, values in looked:
            if talk is left:
                order = np.lexsort((-rows, -(values @ weights)))[:DEPTH]
                scored.append((asked.category, score(talk, asked, [keys[talk.name][row] for row in rows[order]])))
    print(line("leave one conversation out", scored))
    weights = fit(samples(None))
    for feature, weight in zip(FEATURES, weights, strict=True):
        print(f"  {feature.name:14} {weight:6.2f}   (table: {feature.weight})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", nargs="?", choices=("measure", "fit"), default="measure")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        talks = list(load(arguments.data, Path(work)))
        if arguments.mode == "fit":
            fit_all(talks)
        else:
            measure(talks, arguments.out)


if __name__ == "__main__":
    main()
