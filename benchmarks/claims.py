"""How good the built-in rules are: precision and recall on labelled sentences, on judged claims, and coverage.

    python -m benchmarks.claims --data locomo_dev.json [--half dev|held] [--errors] [--dump FILE]

The labelled sentences are ours (tests/data/claims_*.jsonl). `--data` is a LoCoMo file that is read, never copied: the
hand-judged verdicts (tests/data/claims_judged.jsonl) name its messages by conversation id, dia_id and character span.
Exits with 1 when a precision is under 0.95.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sgraph.derive.rules import read
from sgraph.records.claim import Claim, Context, SaidMessage

LABELS = Path(__file__).parent.parent / "tests" / "data"
GOAL = 0.95
SAID_AT = datetime(2026, 5, 11, 10, 0, tzinfo=UTC)


def share(part: int, whole: int) -> str:
    """Show a share as counts and figure."""
    return f"{part}/{whole} = {part / max(1, whole):.3f}"


def plain(text: str | None) -> str:
    """Compare values without case and a leading article."""
    words = (text or "").casefold().split()
    return " ".join(words[1:] if words and words[0] in ("a", "an", "the") else words)


def signature(subject: str, key: str | None, value: str | None, negated: bool, status: str) -> tuple[Any, ...]:
    """Reduce a claim to what is compared; the words of an event without a key are its quote."""
    return plain(subject), key, plain(value) if key else "", negated, status


def labelled(path: Path, half: str) -> tuple[int, int, int, list[str]]:
    """Return right, claimed and gold counts of one half, and a line for each error."""
    right = claimed = gold = 0
    errors = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] != half:
            continue
        message = SaidMessage(key="t/1", role="user", speaker=row["speaker"], content=row["text"], sent_at=SAID_AT)
        found = Counter(
            signature(c.subject.name, c.key, c.value, c.negated, c.status) for c in read(message, Context())
        )
        wanted = Counter(signature(g["subject"], g["key"], g["value"], g["negated"], g["status"]) for g in row["gold"])
        both = found & wanted
        right, claimed, gold = right + both.total(), claimed + found.total(), gold + wanted.total()
        if found != wanted:
            errors.append(
                f"{row['id']} {row['text']!r}\n      + {list(found - wanted)}\n      - {list(wanted - found)}"
            )
    return right, claimed, gold, errors


def conversations(path: Path) -> Iterator[tuple[str, list[SaidMessage], set[str]]]:
    """Yield (conversation id, messages, dia_ids that are gold evidence of a question) of a LoCoMo file."""
    for sample in json.loads(path.read_text("utf-8")):
        talk, messages = sample["conversation"], []
        for name in sorted(
            (k for k in talk if k.startswith("session_") and not k.endswith("time")), key=lambda k: int(k.split("_")[1])
        ):
            at = datetime.strptime(talk[name + "_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            messages += [
                SaidMessage(
                    key=said["dia_id"],
                    role="user",
                    speaker=said["speaker"],
                    content=said["text"],
                    sent_at=at,
                    thread=name,
                )
                for said in talk[name]
            ]
        keys = {message.key for message in messages}
        yield sample["sample_id"], messages, {e for qa in sample["qa"] for e in qa.get("evidence", ()) if e in keys}


def read_all(messages: list[SaidMessage]) -> list[tuple[SaidMessage, list[Claim]]]:
    """Read a conversation the way the memory does: each message with the four before it."""
    return [
        (
            message,
            read(
                message, Context(previous=tuple(m for m in messages[max(0, at - 4) : at] if m.thread == message.thread))
            ),
        )
        for at, message in enumerate(messages)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a LoCoMo file")
    parser.add_argument("--half", choices=("dev", "held", "both"), default="both")
    parser.add_argument(
        "--errors", action="store_true", help="show every labelled sentence that is not read as labelled"
    )
    parser.add_argument("--dump", type=Path, help="write every claim of --data as JSON lines, for judging")
    options = parser.parse_args()
    precisions = []
    for path in sorted(LABELS.glob("claims_??.jsonl")):
        for half in ("dev", "held") if options.half == "both" else (options.half,):
            right, claimed, gold, errors = labelled(path, half)
            precisions.append(right / max(1, claimed))
            print(f"{path.stem} {half}: precision {share(right, claimed)}  recall {share(right, gold)}")
            if options.errors:
                print("\n".join(errors))
    if options.data:
        precisions.append(conversation_figures(options.data, options.dump))
    figure = min(precisions)
    print(f"lowest precision {figure:.3f}")
    return 0 if figure >= GOAL else 1


def conversation_figures(path: Path, dump: Path | None) -> float:
    """Print coverage and speed on real conversations; return the precision of the judged claims."""
    produced: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    count = claimed = covered = evidence_count = timed = 0
    began = time.process_time()
    loaded = list(conversations(path))
    results = [(name, read_all(messages), evidence) for name, messages, evidence in loaded]
    seconds = time.process_time() - began
    for name, read_messages, evidence in results:
        for message, claims in read_messages:
            produced[name, message.key] = claims
            count, claimed, timed = count + 1, claimed + len(claims), timed + any(c.time for c in claims)
        covered += sum(bool(produced[name, key]) for key in evidence)
        evidence_count += len(evidence)
    print(f"messages {count}, claims per 100 messages {100 * claimed / count:.1f}, with a time {share(timed, count)}")
    print(f"gold evidence messages that are the source of an Event {share(covered, evidence_count)}")
    print(f"{1000 * seconds / count:.2f} ms of CPU per message")
    print("shapes", dict(Counter(c.shape for claims in produced.values() for c in claims).most_common()))
    if dump:
        with dump.open("w", encoding="utf-8") as out:
            for (name, key), claims in produced.items():
                for c in claims:
                    out.write(
                        json.dumps(
                            {"conversation": name, "dia_id": key} | c.model_dump(mode="json"), ensure_ascii=False
                        )
                        + "\n"
                    )
    return judged(produced)


def judged(produced: dict[tuple[str, str], list[Claim]]) -> float:
    """Return the precision over the judged claims that are still made (same message, span and shape)."""
    path = LABELS / "claims_judged.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    still = [
        row for row in rows
        if (row["start"], row["end"], row["shape"])
        in {(c.start, c.end, c.shape) for c in produced[row["conversation"], row["dia_id"]]}
    ]  # fmt: skip
    right = sum(1 for row in still if row["verdict"] == "right")
    right_then = sum(1 for row in rows if row["verdict"] == "right")
    print(f"judged claims: {right_then} right of {len(rows)} as judged; of those still made {share(right, len(still))}")
    return right / max(1, len(still))


if __name__ == "__main__":
    sys.exit(main())
