"""What the gate, the record of use and `remember` give back. All instants are aware UTC datetimes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sgraph.records.base import Record

Verdict = Literal["sufficient", "partial", "wrong"]
Strategy = Literal[
    "answer",
    "recall",
    "search_events",
    "search_graph",
    "search_turns",
    "search_raw",
    "expand_event",
    "expand_entity",
    "expand_turn",
    "expand_block",
]
RefReason = Literal["invalid_ref", "duplicate", "not_in_batch", "limit_exceeded", "not_adopted"]
ConcernCode = Literal[
    "quote_gone",
    "subject_missing",
    "undated",
    "neighbour_event",
    "coverage",
    "superseded_only",
    "disputed_only",
    "repeated_search",
]


class RejectedRef(Record):
    """A ref that was not taken: its place in the list given (from 0), why, and the reason in words."""

    index: int
    ref: str
    reason: RefReason
    detail: str


class Concern(Record):
    """Something code found wanting in the evidence.

    `refs` are the pieces of evidence it is about: cited ones that fall short; for `coverage` and `neighbour_event`
    those that are not cited. `next_strategy` is what to do instead of answering. `blocking`: the verdict is not
    sufficient unless the caller overrules the code. `details` are numbers for a program.
    """

    code: ConcernCode
    message: str
    refs: tuple[str, ...] = ()
    next_strategy: Strategy
    blocking: bool = True
    details: dict[str, Any] = {}


class Assessment(Record):
    """What became of a verdict on a batch.

    `verdict` is what holds, `requested` what was asked for. `evidence_refs` are the refs kept, in order; only those of
    a sufficient assessment may be recorded as used. `despite` are the concern codes the caller overruled.
    """

    batch_id: str
    question: str
    verdict: Verdict
    requested: str
    evidence_refs: tuple[str, ...] = ()
    rejected: tuple[RejectedRef, ...] = ()
    concerns: tuple[Concern, ...] = ()
    despite: tuple[str, ...] = ()
    fit: str = ""
    missing: str = ""
    next_strategy: Strategy
    at: datetime


class OpenBatch(Record):
    """A batch whose use was not recorded yet. `verdict` is None until it is assessed."""

    batch_id: str
    question: str
    at: datetime
    refs: int
    verdict: Verdict | None = None


class Use(Record):
    """A record of use. `events` were reinforced, `messages` cited; `duplicates` were given more than once.

    `known`: the receipt stood already, with the same content, and nothing was written. `pending`: another process owns
    the graph and reinforces within a second.
    """

    receipt: str
    batch_id: str
    events: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    known: bool = False
    pending: bool = False


class Remembered(Record):
    """What became of a note.

    `added`: a new event. `conflict`: a new event, marked as in conflict with `conflicts`. `reinforced`: it says what
    `event` says already, which counts as one more use. `echo`: it only repeats what this memory handed out. `known`:
    the receipt stood already. `pending`: another process owns the graph and decides within a second.
    """

    outcome: Literal["added", "conflict", "reinforced", "echo", "known", "pending"]
    seq: int
    note: str
    message: str
    event: str | None = None
    conflicts: tuple[str, ...] = ()
