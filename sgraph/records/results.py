"""What the verbs give back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sgraph.records.base import Record
from sgraph.records.jobs import ModelsStatus


class Submitted(Record):
    """What became of a derivation: the ids that are new, and what was refused of it.

    `problems` are (path, code, reason); with any, the reply is kept in quarantine under `quarantine`.
    """

    seq: int
    kind: str
    target: str
    ids: tuple[str, ...]
    problems: tuple[tuple[str, str, str], ...] = ()
    quarantine: str | None = None


class Quarantined(Record):
    """A refused derivation: what it was for, the places and reasons, and the reply as it came."""

    id: str
    at: datetime
    kind: str
    target: str
    whole: bool
    problems: tuple[tuple[str, str, str], ...]
    reply: str


class Outcome(Record):
    """What became of a request. `pending`: the owner of the graph, another process, will decide on it."""

    seq: int
    verb: str
    pending: bool = False
    details: dict[str, Any] = {}


class Table(Record):
    """Columns and rows of a query; `more` says that the limit cut rows off."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False
    derived_through: int = 0

    def records(self) -> list[dict[str, Any]]:
        """Give the rows as dicts by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Fault(Record):
    """One thing that verify found wrong: a stable code, the id it is about, and what is the matter."""

    code: str
    id: str
    message: str


class VerifyReport(Record):
    """What verify checked and found."""

    checked: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        """Say whether nothing is wrong."""
        return not self.faults


class Status(Record):
    """Where a space stands."""

    path: str
    id: str
    engine: str
    owner: bool
    holder: str
    entries: int
    derived_through: int
    undecided: int
    counts: dict[str, int]
    quarantined: int
    settings: dict[str, Any]
    bytes: dict[str, int]
    models: ModelsStatus | None = None


class BlockView(Record):
    """A Block as it is shown: `level` by its age, or the one asked for, and the text of that level."""

    id: str
    thread: str
    sequence: int
    number: int
    first_turn: int
    last_turn: int
    state: str
    level: int | None
    title: str | None
    tags: tuple[str, ...]
    text: str | None = None


class Evidence(Record):
    """The words a claim rests on: an event, and what was said in which message."""

    event: str
    title: str
    state: str
    message: str
    thread: str
    speaker: str
    sent_at: datetime
    quote: str | None
    start: int | None
    end: int | None
    reporter: str | None = None


class FactView(Record):
    """One version of a claim with the words it rests on. `current`: it holds at the instant asked for."""

    id: str
    claim: str
    entity: str
    key: str
    value: str
    about: str | None
    negated: bool
    cardinality: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    retired_at: datetime | None
    status: str
    confidence: float
    current: bool
    corrected: bool = False
    replaced_by: tuple[str, ...] = ()
    disputes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class EventView(Record):
    """An event with its participants and the words it rests on."""

    id: str
    title: str
    summary: str
    event_type: str
    status: str
    state: str
    mentioned_at: datetime
    happened_start: datetime | None
    happened_end: datetime | None
    time_precision: str
    time_basis: str
    time_text: str | None
    time_note: str | None
    method: str
    tags: tuple[str, ...] = ()
    involved: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Evidence, ...] = ()


class EntityView(Record):
    """An entity: what is true now, what is planned, what is disputed, then history."""

    id: str
    name: str
    kind: str
    names: tuple[str, ...]
    members: tuple[str, ...]
    unresolved: bool
    now: tuple[FactView, ...]
    planned: tuple[EventView, ...]
    disputed: tuple[FactView, ...]
    history: tuple[FactView, ...]
    events: int
    as_of: datetime | None
    known_at: datetime | None
