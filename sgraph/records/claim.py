"""What a deriver reads from messages: the messages it is given, the claims and extracts it returns."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from sgraph.records.base import Record
from sgraph.records.timespan import TimeSpan
from sgraph.records.vocabulary import Cardinality

EventType: TypeAlias = Literal[
    "decision", "release", "task_completed", "plan", "change", "cancellation", "incident", "meeting", "collaboration",
    "migration", "other", "preference", "fact", "task", "skill", "note",
]  # fmt: skip
Status: TypeAlias = Literal["occurred", "planned", "ongoing", "cancelled", "unknown"]
Change: TypeAlias = Literal["state", "change", "correction", "cancellation", "move", "completion"]
Criticality: TypeAlias = Literal["routine", "preference", "identity", "safety"]
Scope: TypeAlias = Literal["user", "project", "session"]
Outcome: TypeAlias = Literal["completed", "partial", "failed", "informational", "unknown"]


class SaidMessage(Record):
    """Hold one message as it was said: its key, who spoke (a display name, if known), the words and when."""

    key: str
    role: str
    speaker: str | None = None
    content: str
    sent_at: datetime
    thread: str = ""


class Context(Record):
    """Hold what a message is read with: the name of a nameless user, and at most four messages before it."""

    self_name: str = "user"
    previous: tuple[SaidMessage, ...] = ()


class Mention(Record):
    """Name one entity as the words name it; `kind` is person, project, organization, tool, place, pet or other."""

    name: str
    kind: str


class Claim(Record):
    """Hold one thing that a message asserts.

    `quote` is exactly `content[start:end]` of the message, `summary` the same words in the third person. A claim
    without a `key` is an event only. `value_kind` names the entity kind of `value` when it is an entity of its
    own, else the value is text. `negated` says that the claim denies the value. `speaker` is who said it,
    `reporter` from whom the speaker has it. `time` is when it happened or will happen, with character offsets
    into the message; None when the words do not say. `status` "occurred" together with a key means that the fact
    began then ("moved to Brask") or, negated, that it ended ("sold the boat").
    """

    shape: str
    event_type: EventType
    status: Status
    title: str
    summary: str
    quote: str
    start: int
    end: int
    subject: Mention
    key: str | None = None
    value: str | None = None
    value_kind: str | None = None
    negated: bool = False
    cardinality: Cardinality = "many"
    change: Change = "state"
    participants: tuple[Mention, ...] = ()
    speaker: Mention
    reporter: Mention | None = None
    time: TimeSpan | None = None
    criticality: Criticality = "routine"
    scope: Scope = "user"


class TurnDigest(Record):
    """Hold what is kept of a turn: a sentence taken from it, how it ended, (subject, predicate, object) triples."""

    summary: str
    outcome: Outcome
    triples: tuple[tuple[str, str, str], ...] = ()


class BlockDigest(Record):
    """Hold the upper levels of a block, all taken from its words: L0 (`title`, `tags`), L1, L2 (`keypoints`)."""

    title: str
    tags: tuple[str, ...]
    summary: str
    keypoints: tuple[str, ...]
