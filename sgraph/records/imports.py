"""A memory taken over from another assistant: its candidates, and what becomes of each."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sgraph.records.base import Record

Action = Literal["ADD", "MERGE", "SUPERSEDE", "CONFLICT", "IGNORE"]
ImportState = Literal["processing", "failed", "awaiting_confirmation", "ready", "committed", "undone"]


class Candidate(Record):
    """One memory of an export. `place` is where it stands in the text; dates are as written, and None when unknown."""

    place: str
    memory_kind: str | None = None
    category: str | None = None
    title: str
    summary: str
    narrative: str | None = None
    tags: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    happened_start: str | None = None
    happened_end: str | None = None
    precision: str | None = None
    basis: str = "unknown"
    time_text: str | None = None
    scope: Literal["user", "project", "session"] = "user"
    criticality: Literal["routine", "preference", "identity", "safety"] = "routine"
    confidence: float | None = None


class LeftOut(Record):
    """Something of the text that was not taken, or not taken whole: where, a stable code, and the reason."""

    place: str
    code: str
    reason: str


class External(Record):
    """A parsed export."""

    format: str
    source_system: str | None = None
    exported_at: datetime | None = None
    coverage: str | None = None
    coverage_note: str | None = None
    candidates: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...] = ()
    uncertain: tuple[str, ...] = ()


class Verdict(Record):
    """What becomes of a candidate. `review`: a person must confirm it first. `event` is what it was committed as.

    `seen` are the known events that resembled it when this was decided.
    """

    action: Action
    event_ids: tuple[str, ...] = ()
    merged: tuple[str, str] | None = None
    reason: str
    confidence: float
    by: Literal["rule", "model", "person"]
    review: bool
    seen: tuple[str, ...] = ()
    event: str | None = None
    done: bool = False


class Import(Record):
    """How an import stands: `verdicts` are of the first candidates, one each, as far as it has come.

    `note` says why it failed; `audit` lists who did what when.
    """

    id: str
    state: ImportState
    name: str
    digest: str
    external: External
    verdicts: tuple[Verdict, ...] = ()
    note: str | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    audit: tuple[tuple[datetime, str, str], ...] = ()

    @property
    def progress(self) -> tuple[int, int]:
        """Give how many candidates were decided on, of how many."""
        return len(self.verdicts), len(self.external.candidates)

    @property
    def to_review(self) -> tuple[int, ...]:
        """List the candidates that wait for a person, counted from 1."""
        return tuple(n for n, verdict in enumerate(self.verdicts, 1) if verdict.review and not verdict.done)
