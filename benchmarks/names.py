"""Precision and recall of `names.relation` on labelled pairs: `python -m benchmarks.names [--data FILE] [--misses]`.

Each line of the file is a pair (kind, a, b, gold, half; `other_kind` when b is of another kind). The pairs were
labelled before the rules were written, and dealt at random into a half to develop on and a half opened at the end.
Exits 1 when the precision of "same" falls below 0.98 in either half.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from sgraph.identity import names

GOAL = 0.98
DATA = Path(__file__).parents[1] / "tests" / "data" / "name_pairs.jsonl"
Pair = dict[str, str]


def judged(pair: Pair) -> str:
    if pair.get("other_kind", pair["kind"]) != pair["kind"]:
        return "same" if names.key(pair["kind"], pair["a"]) == names.key(pair["other_kind"], pair["b"]) else "different"
    return names.relation(pair["a"], pair["b"], pair["kind"])


def scores(pairs: list[Pair], answer: str) -> tuple[float, float]:
    """Return precision and recall of one answer; precision is 1 when it was never given."""
    counts = Counter((judged(pair) == answer, pair["gold"] == answer) for pair in pairs)
    hits, wrong, missed = counts[True, True], counts[True, False], counts[False, True]
    return hits / (hits + wrong) if hits + wrong else 1.0, hits / (hits + missed) if hits + missed else 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--half", choices=["dev", "held"], help="only this half")
    parser.add_argument("--misses", action="store_true", help="list the pairs judged otherwise than labelled")
    options = parser.parse_args()
    pairs: list[Pair] = [json.loads(line) for line in options.data.read_text("utf-8").splitlines()]
    halves = [options.half] if options.half else sorted({pair["half"] for pair in pairs})
    worst = 1.0
    for half in halves:
        chosen = [pair for pair in pairs if pair["half"] == half]
        for answer in ("same", "possible"):
            precision, recall = scores(chosen, answer)
            print(f"{half:5} {answer:9} precision {precision:.3f}  recall {recall:.3f}  of {len(chosen)} pairs")
            if answer == "same":
                worst = min(worst, precision)
        for pair in chosen if options.misses else []:
            if judged(pair) != pair["gold"]:
                print(f"      {pair['kind']}: {pair['a']!r} / {pair['b']!r} is {pair['gold']}, judged {judged(pair)}")
    print(f"precision of same, worse half: {worst:.3f} (goal {GOAL})")
    return 0 if worst >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
