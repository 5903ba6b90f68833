"""A part of the graph taken out for review: entities, the claims between and about them, and the evidence of each."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime

from sgraph.records.base import Record
from sgraph.records.parts import Change, EventState, FactRef, FactStatus, Involved, Role, SourceRef


class Question(Record):
    """What was asked for. `around` is a name or an id as given, None for the whole space."""

    around: str | None = None
    kinds: tuple[str, ...] | None = None
    hops: int = 1
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None
    session: str | None = None
    include_forgotten: bool = False
    limit: int = 200


class SupportingEvent(Record):
    """What an event says of a claim (see `sgraph.records.parts.Support`)."""

    event: str
    since: AwareDatetime
    stated: bool = True
    until: AwareDatetime | None = None
    change: Change = "state"
    ended_by: str | None = None
    ended_at: AwareDatetime | None = None


class SubgraphClaim(Record):
    """One version of a claim. With `about` it is an edge from `entity` to `about`, without it a property of `entity`.

    It is valid in `[valid_from, valid_to)`, an open end is None. `speakers` said it and `reporters` told them, by name;
    `replaces` and `disputes` name other claims of the same subgraph.
    """

    id: str
    claim: str
    entity: str
    key: str
    value: str
    about: str | None = None
    cardinality: Literal["one", "many"]
    negated: bool = False
    status: FactStatus
    visible: bool = True
    session: str | None = None
    confidence: float = 1.0
    valid_from: AwareDatetime
    valid_to: AwareDatetime | None = None
    recorded_at: AwareDatetime
    speakers: tuple[str, ...] = ()
    reporters: tuple[str, ...] = ()
    supports: tuple[SupportingEvent, ...]
    replaces: tuple[FactRef, ...] = ()
    disputes: tuple[FactRef, ...] = ()


class EntityName(Record):
    """A name of an entity, and the event that introduced it."""

    display: str
    kind: str
    event: str | None = None


class SubgraphNode(Record):
    """An entity with all it is merged from. `hops` counts from the start; `events` are those it takes part in."""

    id: str
    name: str
    kind: str
    tags: tuple[str, ...] = ()
    names: tuple[EntityName, ...]
    hops: int = 0
    claims: tuple[SubgraphClaim, ...] = ()
    events: tuple[str, ...] = ()

    @property
    def aliases(self) -> tuple[str, ...]:
        """Give the other names, each once."""
        return tuple(dict.fromkeys(name.display for name in self.names if name.display != self.name))


class Stub(Record):
    """An entity outside the subgraph that an event inside it names."""

    id: str
    name: str
    kind: str


class Superseder(Record):
    """A later event that superseded another one."""

    event: str
    reason: str | None = None
    decided_by: str


class SubgraphEvent(Record):
    """The evidence: an event with its quotes, the messages they stand in, and who took part."""

    id: str
    title: str
    summary: str
    tags: tuple[str, ...] = ()
    event_type: str
    status: str
    state: EventState
    criticality: str
    scope: str
    session: str | None = None
    method: str
    mentioned_at: AwareDatetime
    happened_start: AwareDatetime | None = None
    happened_end: AwareDatetime | None = None
    time_precision: str
    time_basis: str
    time_text: str | None = None
    time_note: str | None = None
    sources: tuple[SourceRef, ...] = ()
    involved: tuple[Involved, ...] = ()
    superseded_by: tuple[Superseder, ...] = ()


class SubgraphMessage(Record):
    """A message that an event rests on, exactly as received."""

    key: str
    thread: str
    role: Role
    speaker: str | None = None
    content: str
    tool_calls: str | None = None
    sent_at: AwareDatetime
    session_label: str | None = None
    agent: str | None = None
    adapter: str | None = None


class Counts(Record):
    """How much of each there is."""

    nodes: int
    edges: int
    claims: int
    events: int
    messages: int


class Cut(Record):
    """What was left out: entities over the limit, events of one entity over it, and relations that lead outside."""

    nodes: int = 0
    events: int = 0
    edges: int = 0


class SubgraphData(Record):
    """Everything of a subgraph. Both ends of every edge are among the nodes; `claims` of nodes have no `about`.

    `timezone` is the space's: the one its days are shown in.
    """

    format: Literal["sgraph.subgraph.v1"] = "sgraph.subgraph.v1"
    question: Question
    starts: tuple[str, ...] = ()
    exported_at: AwareDatetime
    timezone: str = "UTC"
    nodes: tuple[SubgraphNode, ...]
    edges: tuple[SubgraphClaim, ...]
    events: tuple[SubgraphEvent, ...]
    messages: tuple[SubgraphMessage, ...]
    stubs: tuple[Stub, ...] = ()
    cut: Cut = Cut()

    @property
    def counts(self) -> Counts:
        """Count what is in it; `claims` are the edges and the properties of nodes together."""
        return Counts(
            nodes=len(self.nodes),
            edges=len(self.edges),
            claims=len(self.edges) + sum(len(n.claims) for n in self.nodes),
            events=len(self.events),
            messages=len(self.messages),
        )
