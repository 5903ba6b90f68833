"""From journal entries to documents: what becomes findable, what changes, what is no longer found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sgraph.graph.state import FactInfo, State
from sgraph.graph.values import storable
from sgraph.records import parts as p
from sgraph.records.entries import Entry
from sgraph.records.hits import Document
from sgraph.records.vocabulary import predicate

CARD = 500  # characters of a message on its card


@dataclass
class Changes:
    """What a run of entries does to the index."""

    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    gone: dict[str, dict[str, None]] = field(default_factory=dict)
    entities: dict[str, None] = field(default_factory=dict)
    events: dict[str, p.EventPart] = field(default_factory=dict)
    again: dict[str, None] = field(default_factory=dict)
    echoes: dict[str, None] = field(default_factory=dict)
    through: int = 0


def changes(entries: Iterable[Entry], state: State) -> Changes:
    """Gather what entries change. Entities are made from the state as it is; `again` are older events to re-read."""
    found = Changes()
    touched: dict[str, None] = {}
    for entry in entries:
        found.through = entry.seq
        for part in entry.parts:
            _note(part, entry.seq, found)
            if isinstance(part, p.EventStatePart):
                touched[part.id] = None
    for id in touched.keys() | found.events.keys():
        if state.events[id].state not in ("active", "superseded"):
            found.gone.setdefault("event", {})[id] = None
        elif id in found.events:
            found.documents["event", id] = event_document(found.events[id], found.through, state)
        else:
            found.again[id] = None
    for id in touched:
        found.entities |= dict.fromkeys(entity for entity, _ in state.events[id].involved)
    for entity in dict.fromkeys(state.canon(id) for id in found.entities):
        if state.is_spoken_of(entity):
            found.documents["entity", entity] = entity_document(state, entity, found.through)
        else:
            found.gone.setdefault("entity", {})[entity] = None
        for member in state.group(entity) - {entity}:
            found.gone.setdefault("entity", {})[member] = None
    return found


def _note(part: p.Part, seq: int, found: Changes) -> None:
    match part:
        case p.MessagePart():
            found.documents["message", part.key] = message_document(part, seq)
        case p.EchoPart():
            found.echoes[part.message] = None
        case p.TurnSummaryPart():
            found.documents["turn", part.turn] = turn_document(part, seq)
        case p.EventPart():
            found.events[part.id] = part
            found.entities |= dict.fromkeys(i.entity for i in part.involved)
        case p.FactPart():
            found.entities |= dict.fromkeys(id for id in (part.entity, part.about) if id is not None)
        case p.FactRetiredPart():
            found.entities |= dict.fromkeys(id for id in (part.entity, part.about) if id is not None)
        case p.EntityPart():
            found.entities[part.id] = None
        case p.NamePart() | p.CanonPart():
            found.entities[part.entity] = None
        case p.MergePart():
            found.entities |= {part.source: None, part.target: None}


def message_document(part: p.MessagePart, seq: int) -> Document:
    """Give a message's document: its words, and those of its tool calls."""
    text = part.content if part.tool_calls is None else f"{part.content}\n{_tool_words(part.tool_calls)}"
    stored = {
        "role": part.role, "speaker": shown(part.speaker), "content": shown(part.content[:CARD]),
        "cut": len(part.content) > CARD, "sent_at": part.sent_at.isoformat(), "thread": part.thread,
        "session": part.session,
    }
    return Document(kind="message", key=part.key, seq=seq, fields={"text": text}, stored=stored)


def shown(text: str | None) -> Any:
    """Give text as the graph and the index show it: lone surrogates as U+FFFD."""
    return storable(text, "text")


def _tool_words(calls: str) -> str:
    def words(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for item in value.values():
                yield from words(item)
        elif isinstance(value, list):
            for item in value:
                yield from words(item)
        elif value is not None:
            yield str(value)

    try:
        return "\n".join(words(json.loads(calls)))
    except (ValueError, RecursionError):
        return calls


def turn_document(part: p.TurnSummaryPart, seq: int) -> Document:
    """Give a turn's document: its sentence and its triples."""
    triples = tuple(" ".join(triple) for triple in part.triples)
    terms = tuple(dict.fromkeys(term for s, _, o in part.triples for term in (s, o)))
    fields: dict[str, str | tuple[str, ...]] = {"summary": part.summary, "triples": triples, "terms": terms}
    stored = {"summary": part.summary, "outcome": part.outcome}
    return Document(kind="turn", key=part.turn, seq=seq, fields=fields, stored=stored)


def event_document(part: p.EventPart, seq: int, state: State) -> Document:
    """Give an event's document: its words, who took part, its type and time."""
    quotes = tuple(dict.fromkeys(source.quote for source in part.sources if source.quote))
    names = tuple(dict.fromkeys(state.entities[i.entity].name for i in part.involved))
    dates = tuple(at.date().isoformat() for at in (part.happened_start, part.happened_end) if at is not None)
    fields: dict[str, str | tuple[str, ...]] = {
        "title": part.title, "summary": part.summary, "quotes": quotes, "tags": part.tags, "participants": names,
        "type": part.event_type, "time": (part.time_text or "", *dates),
    }
    return Document(kind="event", key=part.id, seq=seq, fields=fields, stored=_event_card(part))


def _event_card(part: p.EventPart) -> dict[str, Any]:
    def iso(at: Any) -> str | None:
        return None if at is None else at.isoformat()

    return {
        "title": part.title[:240], "summary": part.summary[:800],
        "messages": list(dict.fromkeys(source.message for source in part.sources)), "event_type": part.event_type,
        "status": part.status,
        "mentioned_at": iso(part.mentioned_at), "happened_start": iso(part.happened_start),
        "happened_end": iso(part.happened_end),
        "precision": part.time_precision, "time_text": part.time_text, "scope": part.scope,
        "session": part.session, "involved": [[i.entity, i.role] for i in part.involved],
    }


def entity_document(state: State, id: str, seq: int) -> Document:
    """Give an entity's document: its names, and what is true of it now and was before."""
    info = state.entities[id]
    facts = [
        f
        for member in sorted(state.group(id))
        for key in sorted(state.keys_of(member))
        for f in state.slot_of(member, key)
    ]
    facts = [fact for fact in {f.id: f for f in facts}.values() if fact.visible and fact.session is None]
    now = [fact for fact in facts if fact.valid_to is None]
    past = [fact for fact in facts if fact.valid_to is not None]
    aliases = tuple(n for n in state.full_names(id) if n != info.name.casefold())
    fields: dict[str, str | tuple[str, ...]] = {
        "name": info.name, "aliases": aliases, "type": info.kind,
        "current": tuple(_says(f) for f in now), "historical": tuple(_says(f) for f in past),
        "neighbours": tuple(f.value for f in now if f.about is not None),
        "past_neighbours": tuple(f.value for f in past if f.about is not None),
        "relations": tuple(dict.fromkeys(predicate(f.key).label for f in facts)),
    }
    stored = {
        "name": info.name, "kind": info.kind, "aliases": list(aliases[:12]),
        "now": [_fact_card(f) for f in now[:24]], "past": [_fact_card(f) for f in past[:24]],
        "messages": _sources(state, [*now, *past]),
    }
    return Document(kind="entity", key=id, seq=seq, fields=fields, stored=stored)


def _says(fact: FactInfo) -> str:
    return f"{predicate(fact.key).label} {'not ' if fact.negated else ''}{fact.value}"


def _fact_card(fact: FactInfo) -> dict[str, Any]:
    return {
        "id": fact.id, "key": fact.key, "value": fact.value, "negated": fact.negated, "status": fact.status,
        "valid_from": fact.valid_from.isoformat(), "valid_to": fact.valid_to.isoformat() if fact.valid_to else None,
        "events": sorted(fact.supports),
    }


def _sources(state: State, facts: list[FactInfo]) -> dict[str, list[str]]:
    return {
        fact.id: list(dict.fromkeys(m for event in sorted(fact.supports) for m in state.events[event].messages))[:6]
        for fact in facts[:24]
    }
