"""How many expressions of time are read rightly, beside dateparser and parsedatetime on the same rows.

    python -m benchmarks.times --data time_dev.json [--sentences locomo.json] [--misses]

A row has `anchor` (the speaker's wall clock), `text`, `lang`, `source`, and the right `start` and `end` (exclusive);
`alternatives` are other readings its source accepts, counted apart. The two libraries give instants, not intervals:
for them the day of the start is compared, beside our own "start day". `--sentences`: 200 random sentences of a LoCoMo
file that hold no plain word of time; whatever is found in them is false. Exits 1 when less than 90 % of the rows are
exact (85 % in any language or source), when more than 2 false times are found, or the median is over 300 µs.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from sgraph.chronology import find, resolve

Row = dict[str, Any]
Reader = Callable[[str, datetime, str], datetime | None]

GOAL, GOAL_EACH, GOAL_FALSE, GOAL_MICROSECONDS = 0.90, 0.85, 2, 300
SENTENCES, SEED = 200, 7
PLAIN_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last night|now|ago|weeks?|weekends?|months?|years?|decades?|mornings?|"
    r"evenings?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|april|june|july|september|october|november|december|"
    r"summer|winter|autumn|christmas|halloween|thanksgiving|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def others() -> dict[str, Reader | None]:
    """Give the libraries to compare with; None when one is not installed."""
    readers: dict[str, Reader | None] = {"dateparser": None, "parsedatetime": None}
    try:
        import dateparser

        def by_dateparser(text: str, anchor: datetime, lang: str) -> datetime | None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = dateparser.parse(text, languages=[lang], settings={"RELATIVE_BASE": anchor})
            return found.replace(tzinfo=None) if found else None

        readers["dateparser"] = by_dateparser
    except ImportError:
        pass
    try:
        import parsedatetime

        calendar = parsedatetime.Calendar()

        def by_parsedatetime(text: str, anchor: datetime, lang: str) -> datetime | None:
            found, status = calendar.parseDT(text, anchor)
            return found if status else None

        readers["parsedatetime"] = by_parsedatetime
    except ImportError:
        pass
    return readers


def share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0


def measure(rows: list[Row]) -> tuple[list[dict[str, Any]], float]:
    """Judge every row; give the judgements and the median time of one expression in microseconds."""
    readers = others()
    judged, took = [], []
    for row in rows:
        anchor, start, end = (datetime.fromisoformat(row[name]) for name in ("anchor", "start", "end"))
        began = time.perf_counter()
        span = resolve(row["text"], anchor, language=row["lang"])
        took.append(time.perf_counter() - began)
        got = (span.start, span.end) if span else None
        accepted = [(start, end), *(_bounds(other) for other in row["alternatives"])]
        result: dict[str, Any] = {"row": row, "got": got, "exact": got == (start, end), "accepted": got in accepted}
        result["day"] = got is not None and got[0].date() == start.date()
        for name, read in readers.items():
            result[name] = None if read is None else _same_day(read, row, anchor, start)
        judged.append(result)
    return judged, statistics.median(took) * 1e6


def _bounds(other: Any) -> tuple[datetime, datetime]:
    start, end = (other["start"], other["end"]) if isinstance(other, dict) else other
    return datetime.fromisoformat(start), datetime.fromisoformat(end)


def _same_day(read: Reader, row: Row, anchor: datetime, start: datetime) -> bool:
    try:
        found = read(row["text"], anchor, row["lang"])
    except (ValueError, OverflowError, AttributeError, TypeError):  # the libraries break on some rows
        return False
    return found is not None and found.date() == start.date()


def false_finds(path: Path) -> list[tuple[str, str]]:
    """Give what is found in random sentences without a plain word of time, with the sentence."""
    said_at = datetime(2023, 5, 10, 14, 0)
    data = json.loads(path.read_text(encoding="utf-8"))
    sessions = (
        messages
        for sample in data
        for name, messages in sorted(sample["conversation"].items())
        if re.fullmatch(r"session_\d+", name)
    )
    sentences = sorted(
        {
            sentence.strip()
            for messages in sessions
            for message in messages
            for sentence in re.split(r"(?<=[.!?])\s+", message.get("text", ""))
            if len(sentence.split()) > 2 and not PLAIN_TIME.search(sentence)
        }
    )
    chosen = random.Random(SEED).sample(sentences, min(SENTENCES, len(sentences)))
    return [(span.text, sentence) for sentence in chosen for span in find(sentence, said_at)]


def table(judged: list[dict[str, Any]]) -> tuple[list[str], dict[str, float]]:
    """Lay out the table; give its lines and the exact share of each language and source."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in judged:
        row = result["row"]
        for name in ("all", row["lang"], row["source"], f"{row['lang']} {row['source']}"):
            groups[name].append(result)
    head = ["rows", "n", "exact start and end", "with accepted others", "start day", "dateparser", "parsedatetime"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, results in sorted(groups.items(), key=lambda item: (item[0] != "all", " " in item[0], item[0])):
        columns = [f"{share(r[column] for r in results):.1%}" for column in ("exact", "accepted", "day")]
        for library in ("dateparser", "parsedatetime"):
            known = results[0][library] is not None
            columns.append(f"{share(r[library] for r in results):.1%}" if known else "not installed")
        lines.append(f"| {name} | {len(results)} | " + " | ".join(columns) + " |")
    return lines, {name: share(r["exact"] for r in results) for name, results in groups.items() if " " not in name}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="rows with known answers (JSON)")
    parser.add_argument("--sentences", type=Path, help="a LoCoMo file to count false finds in")
    parser.add_argument("--misses", action="store_true", help="list the rows that were read otherwise")
    options = parser.parse_args()
    judged, median = measure(json.loads(options.data.read_text(encoding="utf-8")))
    lines, exact = table(judged)
    print("\n".join(lines))
    if options.misses:
        for result in judged:
            if not result["exact"]:
                row = result["row"]
                got = " ".join(str(at) for at in result["got"]) if result["got"] else "nothing"
                print(f"{row['anchor']} | {row['text']} | {row['start']} {row['end']} | got {got}")
    print(f"\nmedian {median:.0f} µs per expression")
    false = false_finds(options.sentences) if options.sentences else []
    if options.sentences:
        print(f"{len(false)} false finds in {SENTENCES} sentences")
        for text, sentence in false:
            print(f"  {text!r} in {sentence!r}")
    met = (
        exact["all"] >= GOAL
        and min(exact.values()) >= GOAL_EACH
        and len(false) <= GOAL_FALSE
        and median <= GOAL_MICROSECONDS
    )
    print(f"exact {exact['all']:.4f}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
