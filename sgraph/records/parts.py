"""The parts of journal entries: what is kept, one model per kind of part.

A part is the unit of erasure: it has its own salt and digest, and every word of an entry is in one.
*Source* parts say what came in. *Decision* parts say what was made of it, complete with every id and outcome, so that
bringing them into the graph decides nothing. All instants are aware UTC datetimes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from sgraph.records.base import Record

Role = Literal["user", "assistant", "system", "tool"]
EventState = Literal["active", "superseded", "replaced", "forgotten", "archived"]
EventLinkKind = Literal["SUPERSEDES", "CONFLICTS_WITH", "FOLLOWS", "SAME_EVENT"]
FactStatus = Literal["active", "superseded", "disputed"]
Change = Literal["state", "change", "correction", "end"]
Verb = Literal["forget", "unforget", "pin", "unpin", "merge", "split", "undo", "lift"]


# ------------------------------------------------------------------ source parts
class SpacePart(Record):
    """The space was created."""

    type: Literal["space"] = "space"
    id: str
    format: int


class ThreadPart(Record):
    """The first message of a thread arrived."""

    type: Literal["thread"] = "thread"
    id: str
    title: str | None = None
    started_at: datetime


class TurnPart(Record):
    """A turn began."""

    type: Literal["turn"] = "turn"
    id: str
    thread: str
    number: int
    started_at: datetime


class MessagePart(Record):
    """A message, exactly as received. `position` counts from 1 in its thread, by arrival."""

    type: Literal["message"] = "message"
    key: str
    id: str | None
    thread: str
    turn: int
    session: int
    session_label: str | None = None
    position: int
    previous: str | None
    role: Role
    speaker: str | None
    content: str
    tool_calls: str | None = None
    sent_at: datetime
    is_question: bool
    agent: str | None = None
    adapter: str | None = None


class TurnClosedPart(Record):
    """A turn ended; `answer` is its last assistant (or other side's) message."""

    type: Literal["turn_closed"] = "turn_closed"
    id: str
    thread: str
    number: int
    answer: str | None
    position: int | None = None


class BlockPart(Record):
    """A run of closed turns was sealed. `sequence` counts in the space, `number` in the thread, both from 1."""

    type: Literal["block"] = "block"
    id: str
    thread: str
    sequence: int
    number: int
    first_turn: int
    last_turn: int


class ReceiptPart(Record):
    """The caller's receipt for what this entry holds."""

    type: Literal["receipt"] = "receipt"
    id: str


class SettingPart(Record):
    """A setting of the space took a value."""

    type: Literal["setting"] = "setting"
    name: str
    value: Any


class RequestPart(Record):
    """Somebody asked for a change of what is shown or joined; the owner decides on it."""

    type: Literal["request"] = "request"
    verb: Verb
    targets: tuple[str, ...]
    reason: str | None = None
    by: str = "person"
    value: str | None = None


class NotePart(Record):
    """Something stated on purpose, outside a turn."""

    type: Literal["note"] = "note"
    id: str
    content: str
    category: str
    thread: str | None = None
    by: str = "agent"


class UsePart(Record):
    """What an answer really used: the refs as given, and the events and messages they stood for."""

    type: Literal["use"] = "use"
    receipt: str
    batch: str
    refs: tuple[str, ...] = ()
    verdict: str | None
    fit: str | None
    events: tuple[str, ...]
    messages: tuple[str, ...]


class ImportPart(Record):
    """The text of an imported memory, kept whole."""

    type: Literal["import"] = "import"
    id: str
    format: str
    name: str
    content: str


# ------------------------------------------------------------------ decision parts
class SourceRef(Record):
    """A message an event rests on; with a quote, its character span [start, end) in the content."""

    message: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None


class Involved(Record):
    """An entity's part in an event."""

    entity: str
    role: Literal["subject", "speaker", "reporter", "participant", "place"]


class EchoPart(Record):
    """A message only repeats what this memory handed out: it is kept, and not found again."""

    type: Literal["echo"] = "echo"
    message: str


class EventPart(Record):
    """A new event, complete."""

    type: Literal["event"] = "event"
    id: str
    title: str
    summary: str
    tags: tuple[str, ...] = ()
    sources: tuple[SourceRef, ...]
    block: str | None = None
    mentioned_at: datetime
    happened_start: datetime | None = None
    happened_end: datetime | None = None
    time_precision: str = "unknown"
    time_basis: str = "unknown"
    time_text: str | None = None
    time_note: str | None = None
    status: str
    event_type: str
    criticality: str = "routine"
    scope: str = "user"
    session: str | None = None
    state: EventState = "active"
    method: str
    involved: tuple[Involved, ...] = ()


class EventStatePart(Record):
    """An event's state changed."""

    type: Literal["event_state"] = "event_state"
    id: str
    state: EventState


class EventLinkPart(Record):
    """Two events were linked, the newer (`source`) to the older (`target`); or the link was taken back."""

    type: Literal["event_link"] = "event_link"
    kind: EventLinkKind
    source: str
    target: str
    reason: str | None = None
    decided_by: str
    removed: bool = False


class EventPinPart(Record):
    """An event was pinned or unpinned."""

    type: Literal["event_pin"] = "event_pin"
    id: str
    pinned: bool


class EventBlockPart(Record):
    """Events derived before their Block was sealed now belong to it."""

    type: Literal["event_block"] = "event_block"
    block: str
    events: tuple[str, ...]


class EntityPart(Record):
    """A new entity."""

    type: Literal["entity"] = "entity"
    id: str
    name: str
    kind: str
    tags: tuple[str, ...] = ()


class NamePart(Record):
    """A name leads to an entity, on the evidence of `events`; with `retired` it no longer does."""

    type: Literal["name"] = "name"
    key: str
    display: str
    kind: str
    entity: str
    events: tuple[str, ...] = ()
    new_key: bool = False
    since: datetime | None = None
    retired: bool = False


class Support(Record):
    """What an event says of a claim: since when, until when, and whether it reports a change or corrects an error.

    `stated` is true when `since` was said, false when it is merely the moment of saying. `ended_by` is a later event
    that named this claim: at `ended_at` it came to an end; without `ended_at` it was taken back as an error.
    """

    event: str
    since: datetime
    stated: bool = True
    until: datetime | None = None
    change: Change = "state"
    ended_by: str | None = None
    ended_at: datetime | None = None


class FactRef(Record):
    """Another version of a fact, and why it is pointed at."""

    fact: str
    reason: str
    decided_by: str


class FactPart(Record):
    """A new version of a claim, complete."""

    type: Literal["fact"] = "fact"
    id: str
    claim: str
    entity: str
    key: str
    value: str
    about: str | None = None
    cardinality: Literal["one", "many"]
    negated: bool = False
    valid_from: datetime
    valid_to: datetime | None = None
    status: FactStatus = "active"
    visible: bool = True
    session: str | None = None
    confidence: float = 1.0
    supports: tuple[Support, ...]
    replaces: tuple[FactRef, ...] = ()
    disputes: tuple[FactRef, ...] = ()


class FactRetiredPart(Record):
    """A version is no longer believed. Repeats what identifies its plain edge."""

    type: Literal["fact_retired"] = "fact_retired"
    id: str
    entity: str
    about: str | None = None


class FactSupportPart(Record):
    """One more event supports a version."""

    type: Literal["fact_support"] = "fact_support"
    fact: str
    support: Support


class FactLinkPart(Record):
    """A standing version replaces or disputes another one."""

    type: Literal["fact_link"] = "fact_link"
    kind: Literal["REPLACES", "DISPUTES"]
    fact: str
    other: FactRef


class MergePart(Record):
    """An entity was joined to another, or (with `since`) the joining was ended."""

    type: Literal["merge"] = "merge"
    source: str
    target: str
    reason: str | None = None
    decided_by: str
    since: datetime | None = None


class CanonPart(Record):
    """The entity that stands for another from now on."""

    type: Literal["canon"] = "canon"
    entity: str
    canon: str


class TurnSummaryPart(Record):
    """One sentence about a turn, its outcome, and navigation triples (subject, predicate, object)."""

    type: Literal["turn_summary"] = "turn_summary"
    turn: str
    summary: str
    outcome: Literal["completed", "partial", "failed", "informational", "unknown"]
    triples: tuple[tuple[str, str, str], ...] = ()
    replaced: tuple[tuple[str, str, str], ...] = ()
    method: str


class BlockSummaryPart(Record):
    """L0, L1 and L2 of a Block."""

    type: Literal["block_summary"] = "block_summary"
    block: str
    title: str
    tags: tuple[str, ...]
    summary: str
    keypoints: tuple[str, ...]
    method: str


class BlockExtractedPart(Record):
    """Events were handed in for a Block, or it was found to hold none."""

    type: Literal["block_extracted"] = "block_extracted"
    block: str
    method: str


class BlockReadyPart(Record):
    """A Block is summarised and extracted: the `position`-th ready Block of its thread."""

    type: Literal["block_ready"] = "block_ready"
    block: str
    position: int


class BlockLevelPart(Record):
    """A Block was lifted: shown at `level` from ready position `position` on."""

    type: Literal["block_level"] = "block_level"
    block: str
    level: int
    position: int
    by: str


class UsedPart(Record):
    """A receipt of use, with the events it reinforces and the messages it cites."""

    type: Literal["used"] = "used"
    receipt: str
    batch: str
    verdict: str | None
    fit: str | None
    events: tuple[str, ...]
    messages: tuple[str, ...]


class OutcomePart(Record):
    """What became of a request: done, or refused with a reason."""

    type: Literal["outcome"] = "outcome"
    request: int
    verb: Verb
    done: bool
    reason: str | None = None
    details: dict[str, Any] = {}


class RefusedPart(Record):
    """A derivation that broke its contract, kept with the places and the reasons."""

    type: Literal["refused"] = "refused"
    id: str
    kind: str
    target: str
    whole: bool
    reply: str
    problems: tuple[tuple[str, str, str], ...]


SourcePart = (
    SpacePart | ThreadPart | TurnPart | MessagePart | TurnClosedPart | BlockPart | ReceiptPart | SettingPart
    | RequestPart | NotePart | UsePart | ImportPart
)
DecisionPart = (
    EchoPart | EventPart | EventStatePart | EventLinkPart | EventPinPart | EventBlockPart | EntityPart | NamePart
    | FactPart | FactRetiredPart | FactSupportPart | FactLinkPart | MergePart | CanonPart | TurnSummaryPart
    | BlockSummaryPart | BlockExtractedPart | BlockReadyPart | BlockLevelPart | UsedPart | OutcomePart | RefusedPart
)
Part = Annotated[SourcePart | DecisionPart, Field(discriminator="type")]
