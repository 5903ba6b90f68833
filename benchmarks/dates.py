"""What events say about when, on the dated questions of LoCoMo conversations.

    python -m benchmarks.dates --data locomo.json --out NOTED.jsonl

Ingests the conversations with the built-in rules and writes, for each event that is dated, the message it came from and
its interval ({"sample_id", "dia_id", "start", "end"}, end exclusive). A question of category 2 that asks "when" counts
as right when an event from one of its evidence messages overlaps the gold interval and is not much wider (at most 7
days, or twice the gold interval). Must: 85 % right, at most 1.3 intervals a noted message, intervals on at most 25 % of
messages.
"""

from __future__ import annotations

import argparse
import calendar
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import sgraph

Span = tuple[date, date]
DAY = timedelta(days=1)
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
NUMBERS = {"two": 2, "three": 3, "four": 4}


def a_day(text: str) -> date | None:
    words = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", text.replace("janury", "january"))
    found = re.findall(r"\d+|[a-z]+", re.sub(r"[`.,]", " ", words))
    months = [MONTHS[word] for word in found if word in MONTHS]
    numbers = [int(word) for word in found if word.isdigit()]
    if len(found) != 3 or len(months) != 1 or len(numbers) != 2:
        return None
    year, day = max(numbers), min(numbers)
    return date(year, months[0], day)


def gold(answer: Any) -> Span | None:
    """Give the interval that an answer names, None when it is no date."""
    text = " ".join(str(answer).lower().split()).rstrip(".")
    text = re.sub(r"^(in|on|around|about) ", "", text).replace("april.2023", "april 2023")
    if (day := a_day(text)) is not None:
        return day, day + DAY
    if found := re.fullmatch(r"([a-z]+)[ ,.]+(\d{4})", text):
        month = MONTHS.get(found[1])
        if month:
            year = int(found[2])
            return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
    if re.fullmatch(r"\d{4}", text):
        return date(int(text), 1, 1), date(int(text) + 1, 1, 1)
    if found := re.fullmatch(r"the summer of (\d{4})", text):
        return date(int(found[1]), 6, 1), date(int(found[1]), 9, 1)
    if found := re.fullmatch(r"first weekend of ([a-z]+) (\d{4})", text):
        first = date(int(found[2]), MONTHS[found[1]], 1)
        saturday = first + (5 - first.weekday()) % 7 * DAY
        return saturday, saturday + 2 * DAY
    if found := re.fullmatch(r"(two|three|four) (?:weekend|week)s before (.+)", text):
        day = a_day(found[2])
        weeks = NUMBERS[found[1]]
        return None if day is None else (day - 7 * (weeks + 1) * DAY, day - 7 * (weeks - 1) * DAY)
    if found := re.fullmatch(r"the (.+?)s? (before|after|of) (.+)", text):
        day = a_day(found[3])
        return None if day is None else around(found[1], found[2], day)
    return None


def around(unit: str, side: str, day: date) -> Span | None:
    before = side == "before"
    if unit == "few day":
        return (day - 7 * DAY, day) if before else (day + DAY, day + 8 * DAY)
    if unit == "week":
        monday = day - day.weekday() * DAY
        return {
            "before": (day - 14 * DAY, day), "after": (day + DAY, day + 15 * DAY), "of": (monday, monday + 7 * DAY)
        }[side]
    if unit == "weekend":
        return weekend(side, day)
    if unit in WEEKDAYS:
        number = WEEKDAYS[unit]
        back, on = (day.weekday() - number - 1) % 7 + 1, (number - day.weekday() - 1) % 7 + 1
        found = day - back * DAY if before else day + on * DAY
        return found, found + DAY
    return None


def weekend(side: str, day: date) -> Span:
    saturday = day - (day.weekday() - 5) % 7 * DAY
    if side == "before" and day.weekday() >= 5 and saturday + 2 * DAY > day:
        saturday -= 7 * DAY
    elif side == "after":
        saturday = day + ((5 - day.weekday()) % 7 or 7) * DAY
    elif side == "of" and day.weekday() < 5:
        coming = day + (5 - day.weekday()) * DAY
        return coming - 7 * DAY, coming + 2 * DAY
    return saturday, saturday + 2 * DAY


def noted(sample: dict[str, Any], folder: Path) -> tuple[list[dict[str, Any]], int]:
    """Ingest one conversation; give the dated events and the number of messages."""
    id = sample["sample_id"]
    file = folder / f"{id}.json"
    file.write_text(json.dumps([sample]), "utf-8")
    with sgraph.open(folder / f"{id}.sgraph") as memory:
        memory.ingest(file)
        rows = memory.cypher(
            "MATCH (v:Event)-[r:SOURCED_FROM]->(m:Message) "
            "WHERE v.happened_start IS NOT NULL AND v.state <> 'replaced' "
            "RETURN DISTINCT m.id AS dia_id, v.happened_start AS start, v.happened_end AS end_, v.time_basis AS basis "
            "ORDER BY dia_id, start, end_",
            limit=100_000,
        ).records()
        messages = memory.status().counts["messages"]
    return [
        {
            "sample_id": id, "dia_id": r["dia_id"], "start": days(r["start"], r["end_"])[0],
            "end": days(r["start"], r["end_"])[1], "basis": r["basis"],
        }
        for r in rows
    ], messages


def days(start: datetime, end: datetime) -> tuple[str, str]:
    """Give the whole days an interval touches."""
    last = (end - timedelta(microseconds=1)).date() if end > start else start.date()
    return start.date().isoformat(), (last + DAY).isoformat()


def right(wanted: Span, spans: list[Span]) -> bool:
    width = (wanted[1] - wanted[0]).days
    return any(s < wanted[1] and e > wanted[0] and (e - s).days <= max(7, 2 * width) for s, e in spans)


def questions(sample: dict[str, Any]) -> Iterator[tuple[Span, list[str]]]:
    for item in sample["qa"]:
        evidence = [
            f"D{int(s)}:{int(t)}"
            for e in item.get("evidence") or ()
            for s, t in re.findall(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", str(e))
        ]
        if item["category"] == 2 and evidence and item["question"].lower().startswith("when"):
            wanted = gold(item.get("answer"))
            if wanted is not None:
                yield wanted, evidence


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    samples = json.loads(args.data.read_text("utf-8"))
    rows: list[dict[str, Any]] = []
    messages = asked = ok = 0
    with tempfile.TemporaryDirectory() as folder:
        for sample in samples:
            found, count = noted(sample, Path(folder))
            rows += found
            messages += count
            spans: dict[str, list[Span]] = {}
            for row in found:
                spans.setdefault(row["dia_id"], []).append(
                    (date.fromisoformat(row["start"]), date.fromisoformat(row["end"]))
                )
            verdicts = [
                right(wanted, [s for e in evidence for s in spans.get(e, [])]) for wanted, evidence in questions(sample)
            ]
            asked, ok = asked + len(verdicts), ok + sum(verdicts)
            print(
                f"{sample['sample_id']}: {sum(verdicts)}/{len(verdicts)} right, {len(found)} intervals "
                f"on {len(spans)} of {count} messages",
                flush=True,
            )
    distinct = {(r["sample_id"], r["dia_id"], r["start"], r["end"]) for r in rows}
    on = {(r["sample_id"], r["dia_id"]) for r in rows}
    if args.out is not None:
        args.out.write_text(
            "".join(
                json.dumps(dict(zip(("sample_id", "dia_id", "start", "end"), row, strict=True))) + "\n"
                for row in sorted(distinct)
            ),
            "utf-8",
        )
    inferred = sum(r["basis"] == "inferred" for r in rows) / max(1, len(rows))
    share, per = len(on) / messages, len(distinct) / max(1, len(on))
    print(f"intervals on {share:.1%} of messages (≤ 25 %), {per:.2f} a noted message (≤ 1.3), {inferred:.1%} inferred")
    print(f"{ok}/{asked} = {ok / asked:.1%} dated rightly (must 85 %)")
    return 0 if ok / asked >= 0.85 and share <= 0.25 and per <= 1.3 else 1


if __name__ == "__main__":
    sys.exit(main())
