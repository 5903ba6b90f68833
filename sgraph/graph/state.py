"""What is known, in memory: what a decision looks at. It follows decision parts, or is read from the graph at once.

Only live and identifying values are here, no texts but titles; so a hundred thousand facts fit, and a decision costs
the same however large the space is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from sgraph.records import parts as p
from sgraph.records.parts import Support


@dataclass(slots=True)
class EntityInfo:
    """An entity and the one that stands for it."""

    id: str
    name: str
    kind: str
    canon: str
    unresolved: bool = False


@dataclass(slots=True)
class EventInfo:
    """What a decision needs of an event."""

    id: str
    title: str
    state: str
    status: str
    event_type: str
    method: str
    mentioned_at: datetime
    happened_start: datetime | None
    happened_end: datetime | None
    scope: str
    session: str | None
    messages: tuple[str, ...]
    involved: tuple[tuple[str, str], ...]
    pinned: bool = False

    @property
    def when(self) -> datetime:
        """Give the instant that orders events: when it happened, else when it was said."""
        return self.happened_start or self.happened_end or self.mentioned_at


@dataclass(slots=True)
class FactInfo:
    """A standing version of a claim."""

    id: str
    claim: str
    entity: str
    key: str
    value: str
    about: str | None
    cardinality: str
    negated: bool
    valid_from: datetime
    valid_to: datetime | None
    status: str
    visible: bool
    session: str | None
    confidence: float
    supports: dict[str, Support]


@dataclass(slots=True)
class Said:
    """What an event says of a slot (see `Support`), with the claim it says it of. `kept`: a fact version holds it."""

    entity: str
    key: str
    value: str
    about: str | None
    negated: bool
    cardinality: str
    confidence: float
    support: Support
    order: int
    kept: bool = False


Slot = tuple[str, str]
UNRESOLVED = "unresolved"  # tag of an entity whose name several others bear: who is meant was not said


class Reader(Protocol):
    """Where State reads a graph from: columns and rows of a named query."""

    def named(self, name: str) -> Iterable[dict[str, Any]]:
        """Give the rows of one of the queries in queries/state/."""
        ...


@dataclass
class State:
    """The decision-relevant part of the graph. One writer at a time; a failed batch throws it away."""

    entities: dict[str, EntityInfo] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)
    names: dict[str, dict[str, datetime]] = field(default_factory=dict)
    names_of: dict[str, set[str]] = field(default_factory=dict)
    displays: dict[str, str] = field(default_factory=dict)
    name_events: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    resting: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    merges: dict[tuple[str, str], tuple[datetime, str | None]] = field(default_factory=dict)
    events: dict[str, EventInfo] = field(default_factory=dict)
    by_message: dict[str, list[str]] = field(default_factory=dict)
    echoes: set[str] = field(default_factory=set)
    by_entity: dict[str, list[str]] = field(default_factory=dict)
    in_thread: dict[str, set[str]] = field(default_factory=dict)
    superseded_by: dict[str, dict[str, tuple[str | None, str]]] = field(default_factory=dict)
    supersedes: dict[str, set[str]] = field(default_factory=dict)
    facts: dict[str, FactInfo] = field(default_factory=dict)
    slots: dict[Slot, list[str]] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=dict)
    said: dict[Slot, dict[tuple[str, str, bool], Said]] = field(default_factory=dict)
    by_event: dict[str, set[Slot]] = field(default_factory=dict)
    ends: dict[str, set[Slot]] = field(default_factory=dict)
    as_value: dict[str, set[Slot]] = field(default_factory=dict)
    ready: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    triples: dict[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    summarised: set[str] = field(default_factory=set)
    receipts: set[str] = field(default_factory=set)
    counted: int = 0

    # -------------------------------------------------------------- looking up
    def canon(self, entity: str) -> str:
        """Give the entity that stands for this one."""
        return self.entities[entity].canon

    def group(self, entity: str) -> set[str]:
        """Give every entity that the same one stands for."""
        canon = self.canon(entity)
        return self.members.get(canon, {canon})

    def full_names(self, entity: str) -> list[str]:
        """Give the names and aliases of an entity in their normalised spelling (not the keys of short forms)."""
        keys = {key for member in self.group(entity) for key in self.names_of.get(member, ())}
        return sorted(key.partition(":")[2] for key in keys if "~" not in key.partition(":")[0])

    def is_forgotten(self, message: str) -> bool:
        """Say whether all that a message gave rise to is forgotten: then its words are not shown either."""
        states = {self.events[id].state for id in self.by_message.get(message, ())}
        return "forgotten" in states and not states & {"active", "superseded"}

    def is_hidden(self, message: str) -> bool:
        """Say whether a message is not to be found: it is forgotten, or an echo."""
        return message in self.echoes or self.is_forgotten(message)

    def is_spoken_of(self, entity: str) -> bool:
        """Say whether an event that counts, in no one session only, speaks of the entity: else it is not found."""
        group = self.group(entity)
        rest = (
            event
            for member in group
            for name in self.names_of.get(member, ())
            for event in self.name_events.get((name, member), ())
        )
        involved = (event for member in group for event in self.by_entity.get(member, ()))
        return any(
            live(self.events, id) and self.events[id].scope != "session" for ids in (involved, rest) for id in ids
        )

    def named(self, key: str) -> list[EntityInfo]:
        """Give the entities that stand behind a name, each once, in order of id."""
        canons = {self.canon(entity) for entity in self.names.get(key, ())}
        return [self.entities[id] for id in sorted(canons)]

    def slot_of(self, entity: str, key: str) -> list[FactInfo]:
        """Give the standing versions of a slot, over all members of the entity."""
        return [self.facts[id] for member in sorted(self.group(entity)) for id in self.slots.get((member, key), ())]

    def said_of(self, entity: str, key: str) -> list[Said]:
        """Give what has been said of a slot, over all members of the entity."""
        return [said for member in sorted(self.group(entity)) for said in self.said.get((member, key), {}).values()]

    def keys_of(self, entity: str) -> set[str]:
        """Give the keys something was said of, over all members of the entity."""
        return {key for member in self.group(entity) for key in self.keys.get(member, ())}

    # -------------------------------------------------------------- following decisions
    def follow(self, parts: Iterable[p.Part], at: datetime) -> None:
        """Take in the parts of a decision."""
        for part in parts:
            match part:
                case p.EventPart():
                    self._event(part)
                case p.EventStatePart():
                    self.events[part.id].state = part.state
                case p.EventPinPart():
                    self.events[part.id].pinned = part.pinned
                case p.EventLinkPart() if part.kind == "SUPERSEDES":
                    if part.removed:
                        self.superseded_by.get(part.target, {}).pop(part.source, None)
                    else:
                        self._superseded(part.source, part.target, part.reason, part.decided_by)
                case p.EntityPart():
                    self._entity(part.id, part.name, part.kind, UNRESOLVED in part.tags)
                case p.NamePart():
                    self._name(part, at)
                case p.FactPart():
                    self._fact(part)
                case p.FactSupportPart():
                    fact = self.facts[part.fact]
                    self._say(fact, part.support)
                case p.FactRetiredPart():
                    self._retire(part.id)
                case p.MergePart():
                    if part.since is None:
                        self.merges[part.source, part.target] = (at, part.reason)
                    else:
                        self.merges.pop((part.source, part.target), None)
                case p.CanonPart():
                    self._canon(part.entity, part.canon)
                case _:
                    self._other(part)

    def _other(self, part: p.Part) -> None:
        match part:
            case p.EchoPart():
                self.echoes.add(part.message)
            case p.BlockSummaryPart():
                self.blocks.setdefault(part.block, {})["summary"] = part.method
            case p.BlockExtractedPart():
                self.blocks.setdefault(part.block, {})["extracted"] = part.method
            case p.BlockReadyPart():
                self.blocks.setdefault(part.block, {})["ready"] = part.position
                thread = part.block.rpartition(":")[0]
                self.ready[thread] = max(self.ready.get(thread, 0), part.position)
            case p.BlockLevelPart():
                self.blocks.setdefault(part.block, {})["lifted"] = (part.level, part.position)
            case p.TurnSummaryPart():
                self.triples[part.turn] = part.triples
                self.summarised.add(part.turn)
            case p.UsedPart():
                self.receipts.add(part.receipt)

    def _event(self, part: p.EventPart) -> None:
        messages = tuple(sorted({source.message for source in part.sources}))
        involved = tuple(sorted((i.entity, i.role) for i in part.involved))
        self.events[part.id] = EventInfo(
            part.id, part.title, part.state, part.status, part.event_type, part.method, part.mentioned_at,
            part.happened_start, part.happened_end, part.scope, part.session, messages, involved,
        )
        self._index(self.events[part.id])

    def _index(self, event: EventInfo) -> None:
        for message in event.messages:
            self.by_message.setdefault(message, []).append(event.id)
        thread = event.messages[0].partition("/")[0] if event.messages else ""
        for entity in dict.fromkeys(entity for entity, _ in event.involved):
            self.by_entity.setdefault(entity, []).append(event.id)
            self.in_thread.setdefault(thread, set()).add(entity)

    def _superseded(self, newer: str, older: str, reason: str | None, decided_by: str) -> None:
        self.superseded_by.setdefault(older, {})[newer] = (reason, decided_by)
        self.supersedes.setdefault(newer, set()).add(older)

    def _entity(self, id: str, name: str, kind: str, unresolved: bool) -> None:
        self.entities[id] = EntityInfo(id, name, kind, id, unresolved)
        self.kinds.add(kind)
        self.members.setdefault(id, set()).add(id)

    def _canon(self, entity: str, canon: str) -> None:
        info = self.entities[entity]
        self.members.get(info.canon, set()).discard(entity)
        info.canon = canon
        self.members.setdefault(canon, set()).add(entity)

    def _name(self, part: p.NamePart, at: datetime) -> None:
        if part.new_key:
            self.displays[part.key] = part.display
        entities = self.names.setdefault(part.key, {})
        if part.retired:
            entities.pop(part.entity, None)
            self.names_of.get(part.entity, set()).discard(part.key)
        else:
            entities.setdefault(part.entity, part.since or at)
            self.names_of.setdefault(part.entity, set()).add(part.key)
            self._rest(part.key, part.entity, part.events)

    def _rest(self, name: str, entity: str, events: Iterable[str]) -> None:
        for event in events:
            self.name_events.setdefault((name, entity), set()).add(event)
            self.resting.setdefault(event, set()).add((name, entity))

    def _fact(self, part: p.FactPart) -> None:
        fact = FactInfo(
            part.id, part.claim, part.entity, part.key, part.value, part.about, part.cardinality, part.negated,
            part.valid_from, part.valid_to, part.status, part.visible, part.session, part.confidence, {},
        )
        self.facts[part.id] = fact
        self.slots.setdefault((part.entity, part.key), []).append(part.id)
        for support in part.supports:
            self._say(fact, support)

    def _say(self, fact: FactInfo, support: Support) -> None:
        fact.supports[support.event] = support
        said = self.add_said(
            fact.entity, fact.key, fact.value, fact.about, fact.negated, fact.cardinality, fact.confidence, support
        )
        said.kept = True

    def add_said(
        self, entity: str, key: str, value: str, about: str | None, negated: bool, cardinality: str, confidence: float,
        support: Support,
    ) -> Said:
        """Note what an event says of a slot; said again of the same value it replaces what was noted."""
        slot = (entity, key)
        known = self.said.setdefault(slot, {})
        self.keys.setdefault(entity, set()).add(key)
        id = (support.event, about or value, negated)
        order = known[id].order if id in known else self.counted
        self.counted += id not in known
        known[id] = Said(entity, key, value, about, negated, cardinality, confidence, support, order)
        self.by_event.setdefault(support.event, set()).add(slot)
        if support.ended_by is not None:
            self.ends.setdefault(support.ended_by, set()).add(slot)
        if about is not None:
            self.as_value.setdefault(about, set()).add(slot)
        return known[id]

    def _retire(self, id: str) -> None:
        fact = self.facts.pop(id)
        self.slots[fact.entity, fact.key].remove(id)

    # -------------------------------------------------------------- reading a graph
    @classmethod
    def read(cls, graph: Reader) -> State:
        """Read everything from the graph."""
        state = cls()
        entities = list(graph.named("entities"))
        for row in entities:
            state._entity(row["id"], row["name"], row["kind"], UNRESOLVED in row["tags"])
        for row in entities:
            if row["canon"] != row["id"]:
                state._canon(row["id"], row["canon"])
        for row in graph.named("names"):
            state.displays[row["name"]] = row["display"]
            if row["retired_at"] is None:
                state.names.setdefault(row["name"], {})[row["entity"]] = row["recorded_at"]
                state.names_of.setdefault(row["entity"], set()).add(row["name"])
        for row in graph.named("name_events"):
            state._rest(row["name"], row["entity"], (row["event"],))
        for row in graph.named("merges"):
            state.merges[row["source"], row["target"]] = (row["recorded_at"], row["reason"])
        state._read_events(graph)
        state._read_facts(graph)
        for row in graph.named("blocks"):
            state._read_block(row)
        for row in graph.named("triples"):
            known = state.triples.get(row["turn"], ())
            state.triples[row["turn"]] = (*known, (row["subject"], row["predicate"], row["object"]))
        state.echoes = {row["key"] for row in graph.named("echoes")}
        state.summarised = {row["id"] for row in graph.named("turns")}
        state.receipts = {row["id"] for row in graph.named("receipts")}
        return state

    def _read_events(self, graph: Reader) -> None:
        messages: dict[str, dict[str, None]] = {}
        for row in graph.named("event_messages"):
            messages.setdefault(row["event"], {})[row["message"]] = None
        involved: dict[str, list[tuple[str, str]]] = {}
        for row in graph.named("event_entities"):
            involved.setdefault(row["event"], []).append((row["entity"], row["role"]))
        for row in graph.named("events"):
            id = row["id"]
            event = EventInfo(
                **row, messages=tuple(sorted(messages.get(id, ()))), involved=tuple(sorted(involved.get(id, ())))
            )
            self.events[id] = event
            self._index(event)
        for row in graph.named("superseded"):
            self._superseded(row["source"], row["target"], row["reason"], row["decided_by"])

    def _read_facts(self, graph: Reader) -> None:
        supports: dict[str, list[Support]] = {}
        for row in graph.named("supports"):
            fact = row.pop("fact")
            supports.setdefault(fact, []).append(Support(**row))
        for row in graph.named("facts"):
            retired = row.pop("retired_at") is not None
            fact = FactInfo(**row, supports={})
            for support in supports.get(fact.id, ()):
                self._say(fact, support)
            if not retired:
                self.facts[fact.id] = fact
                self.slots.setdefault((fact.entity, fact.key), []).append(fact.id)

    def _read_block(self, row: dict[str, Any]) -> None:
        known = self.blocks.setdefault(row["id"], {})
        if row["method"] is not None:
            known["summary"] = row["method"]
        if row["extracted"] is not None:
            known["extracted"] = row["extracted"]
        if row["ready_position"] is not None:
            known["ready"] = row["ready_position"]
            thread = row["id"].rpartition(":")[0]
            self.ready[thread] = max(self.ready.get(thread, 0), row["ready_position"])
        if row["lifted_by"] is not None:
            known["lifted"] = (row["anchor_level"], row["anchor_position"])


def in_session(stored: str | None, asked: str | None) -> bool:
    """Say whether what belongs to a session is shown in the one asked for, by its key "thread@number" or its label."""
    return asked is not None and stored is not None and (stored == asked or stored.rpartition("@")[2] == asked)


def live(events: dict[str, EventInfo], id: str) -> bool:
    """Say whether an event still counts: what is superseded is history, what is forgotten or replaced is not."""
    event = events.get(id)
    return event is not None and event.state in ("active", "superseded", "archived")
