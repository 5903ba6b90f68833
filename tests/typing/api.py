"""How the public interface is used, for the type checker: checked with `mypy --strict`, never run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import sgraph
from sgraph.chronology import find, resolve
from sgraph.records.found import Card, Found
from sgraph.records.message import Captured
from sgraph.records.results import EntityView, EventView, FactView, Outcome, Status, Submitted, Table, VerifyReport
from sgraph.records.timespan import TimeSpan


def capture(memory: sgraph.Memory) -> None:
    turn: Captured = memory.add_turn(user="hello", assistant="hi", at=datetime(2026, 5, 8, tzinfo=UTC), receipt="r1")
    many: Captured = memory.add_messages([{"content": "hello", "speaker": "Mara"}, "plain text"], thread="call")
    given: Submitted = memory.submit("events", "call", {"events": []}, receipt="r2")
    print(turn.seq, many.seq, given.ids)


def ask(memory: sgraph.Memory) -> None:
    found: Found = memory.recall("What database?", budget=1000, participants=["Mara"])
    card: Card = found.cards[0]
    title: str = card.title
    view: EntityView = memory.entity("Mara", as_of="2026-03-01", known_at=datetime(2026, 4, 1, tzinfo=UTC))
    fact: FactView = view.now[0]
    events: list[EventView] = memory.timeline(participant="Mara", happened_from="2026-03-01")
    table: Table = memory.query("current_state", name="Mara")
    rows: Table = memory.cypher("MATCH (e:Entity) RETURN e.name", limit=10, timeout=1.5)
    print(title, fact.value, events, table.rows, rows.records())


def keep(memory: sgraph.Memory) -> None:
    outcome: Outcome = memory.forget("id", reason="asked for")
    status: Status = memory.status()
    report: VerifyReport = memory.verify()
    backup: Path = memory.backup("saved")
    entries: int = memory.dump(Path("dump.jsonl"))
    print(outcome.seq, status.entries, report.ok, backup, entries)


def time() -> None:
    span: TimeSpan | None = resolve("last Friday", datetime(2026, 5, 8))
    spans: list[TimeSpan] = find("We met on Monday.", datetime(2026, 5, 8, tzinfo=UTC))
    print(span.start if span is not None else None, [span.text for span in spans])


def main() -> None:
    with sgraph.open("team.sgraph", engine="ladybug", timezone="Europe/Berlin", block_turns=12) as memory:
        try:
            capture(memory)
        except sgraph.MessageConflict as error:
            code: str = error.code
            raise SystemExit(code) from error
        ask(memory)
        keep(memory)
