"""How often the evidence gate is right, on questions whose evidence is known.

    python -m benchmarks.gate --data FILE [--show CODE]

FILE is a LoCoMo file (conversations with `qa`); it is read, never copied. It is recorded in a space in a temporary
folder, with the built-in rules and no model. For each question the messages named as evidence are handed to the checks
of `sgraph.evidence.checks` as a kept assessment would be, whole first, then spoilt in one of three ways:

- *one left out*: of several evidence messages each is left out in turn (a question counts once). The right code is
  `coverage`. Shown for the questions that ask for a list or a count, and for all with several messages.
- *another date*: in a question of time, the evidence is replaced by the message that fits the question best among the
  dated ones of other sessions. The right code is `neighbour_event` (or `undated`, where it says no time).
- *another speaker*: in a question about one person, what that person said is replaced by the nearest message of the
  other speaker. The right code is `subject_missing`.

Questions of category 5 name the wrong person on purpose: there a concern about the whole evidence is right.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sgraph
from sgraph.evidence.checks import Evidence, check
from sgraph.evidence.pieces import resolve
from sgraph.journal.capture import message_key
from sgraph.journal.log import Journal
from sgraph.recall.scope import Scope
from sgraph.recall.search import Seeker
from sgraph.records.parts import MessagePart

ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Question:
    text: str
    thread: str
    category: int
    gold: tuple[str, ...]


@dataclass
class Tally:
    questions: float = 0
    right: float = 0
    codes: Counter[str] | None = None


def questions(data: Sequence[dict[str, Any]], journal: Journal) -> Iterator[Question]:
    for sample in data:
        thread = sample["sample_id"]
        for asked in sample["qa"]:
            ids = re.findall(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", " ".join(map(str, asked.get("evidence") or ())))
            keys = dict.fromkeys(message_key(thread, f"D{int(a)}:{int(b)}") for a, b in ids)
            gold = tuple(key for key in keys if journal.message(key) is not None)
            if gold:
                yield Question(asked["question"], thread, int(asked["category"]), gold)


class Bench:
    def __init__(self, memory: sgraph.Memory) -> None:
        seeker = memory._seeker("", {})
        self.seeker, self.state, self.journal = seeker, seeker.state, seeker.finder.journal

    def evidence(self, question: Question, keys: Sequence[str]) -> Evidence:
        asked = Seeker(
            self.seeker.finder,
            self.state,
            question.text,
            ASKED_AT,
            replace(Scope(), threads=frozenset([question.thread])),
        )
        given = {f"message:{key}": [key] for key in keys}
        return Evidence(asked, resolve(tuple(given), given, self.state, self.journal))

    def codes(self, question: Question, keys: Sequence[str]) -> set[str]:
        return {concern.code for concern in check(self.evidence(question, keys))}

    def message(self, key: str) -> MessagePart:
        found = self.journal.message(key)
        assert found is not None
        return found

    def other_date(self, question: Question, whole: Evidence) -> str | None:
        """The best dated message of another session: the event the asked one is most easily taken for."""
        sessions = {m.session for m in whole.messages.values()}
        for key in whole.scores:
            message = self.message(key)
            if message.session not in sessions and whole.times(message):
                return key
        return None

    def other_speaker(self, key: str) -> str | None:
        said = self.message(key)
        near = self.journal.thread_messages(said.thread, max(1, said.position - 3), said.position + 3)
        found = [m for m in near if m.speaker != said.speaker]
        return min(found, key=lambda m: (abs(m.position - said.position), -m.position)).key if found else None


def measure(bench: Bench, asked: Sequence[Question], show: str | None) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {}

    def note(name: str, question: Question, codes: set[str], right: set[str], share: float = 1.0) -> None:
        tally = tallies.setdefault(name, Tally(codes=Counter()))
        tally.questions += share
        tally.right += share * bool(codes & right)
        assert tally.codes is not None
        tally.codes.update(dict.fromkeys(codes, 1))
        if show in codes and name == "whole":
            print(f"  {show}: {question.text}  {question.gold}")

    every = {
        "coverage",
        "neighbour_event",
        "undated",
        "subject_missing",
        "superseded_only",
        "disputed_only",
        "quote_gone",
    }
    for question in asked:
        whole = bench.evidence(question, question.gold)
        codes = {concern.code for concern in check(whole)}
        if question.category == 5:
            note("whole, category 5", question, codes, every)
            continue
        note("whole", question, codes, every)
        if len(question.gold) > 1:
            for gone in question.gold:
                left = bench.codes(question, [key for key in question.gold if key != gone])
                share = 1 / len(question.gold)
                note("one left out, any question", question, left, {"coverage"}, share)
                if whole.asked.wants_all:
                    note("one left out, list or count", question, left, {"coverage"}, share)
        if "when" in whole.asked.kinds and (other := bench.other_date(question, whole)) is not None:
            note("another date", question, bench.codes(question, [other]), {"neighbour_event", "undated"})
        if len(whole.subjects) == 1:
            subject = whole.subjects[0]
            own = [key for key in question.gold if (bench.message(key).speaker or "").casefold() in subject.names]
            if own:
                swapped = [bench.other_speaker(key) if key in own else key for key in question.gold]
                note("another speaker", question, bench.codes(question, [k for k in swapped if k]), {"subject_missing"})
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", metavar="CODE", help="print the questions whose whole evidence gets this concern")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, sgraph.open(Path(work) / "gate.sgraph") as memory:
        memory.ingest(arguments.data)
        bench = Bench(memory)
        asked = list(questions(json.loads(arguments.data.read_text("utf-8")), bench.journal))
        tallies = measure(bench, asked, arguments.show)
    print(f"{len(asked)} questions with evidence; right: the whole is left in peace, the spoilt gets its code")
    for name, tally in sorted(tallies.items(), key=lambda item: not item[0].startswith("whole")):
        peace = name == "whole"
        right = tally.questions - tally.right if peace else tally.right
        codes = ", ".join(f"{code} {count}" for code, count in (tally.codes or Counter()).most_common())
        print(f"{name:30} {right:5.0f} of {tally.questions:4.0f} = {100 * right / tally.questions:5.1f} %   {codes}")


if __name__ == "__main__":
    main()
