"""From evidence refs to what they stand for: events, messages, and how each of them stands today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sgraph.graph.state import EventInfo, State, live
from sgraph.journal.capture import turn_of
from sgraph.journal.log import Journal
from sgraph.records.parts import MessagePart


@dataclass(frozen=True, slots=True)
class Piece:
    """A ref with the messages it rests on (those that are kept) and the events it stands for.

    `gone` are messages that are kept no longer. Only events of a ref that names one, or a fact or an entity, are
    reinforced by its use; raw evidence is cited.
    """

    ref: str
    messages: tuple[MessagePart, ...]
    events: tuple[EventInfo, ...]
    gone: tuple[str, ...] = ()

    @property
    def is_raw(self) -> bool:
        """Say whether it is the record itself: a message, or a turn of messages."""
        return self.ref.partition(":")[0] in ("message", "turn")


def resolve(refs: Sequence[str], given: Mapping[str, Sequence[str]], state: State, journal: Journal) -> list[Piece]:
    """Give what refs of a batch stand for, in their order; `given` are the messages the batch named for each."""
    return [_piece(ref, given.get(ref, ()), state, journal) for ref in refs]


def _piece(ref: str, given: Sequence[str], state: State, journal: Journal) -> Piece:
    kind, _, id = ref.partition(":")
    keys, ids = list(given), _events(kind, id, given, state)
    if kind == "turn":
        keys = journal.turn_keys(*turn_of(id))
    elif kind == "event" and id in state.events:
        keys = list(state.events[id].messages)
    found = {key: journal.message(key) for key in dict.fromkeys(keys)}
    events = [state.events[event] for event in dict.fromkeys(ids) if live(state.events, event)]
    return Piece(
        ref=ref,
        messages=tuple(message for message in found.values() if message is not None),
        events=tuple(events),
        gone=tuple(key for key, message in found.items() if message is None),
    )


def _events(kind: str, id: str, given: Sequence[str], state: State) -> list[str]:
    if kind == "event":
        return [id] if id in state.events else []
    if kind == "fact" and id in state.facts:
        return sorted(state.facts[id].supports)
    here = [event for key in given for event in state.by_message.get(key, ())]
    if kind == "entity" and id in state.entities:
        own = {event for member in state.group(id) for event in state.by_entity.get(member, ())}
        return [event for event in here if event in own]
    return here


def standing(event: EventInfo, state: State, now: datetime) -> str:
    """Say how what an event states stands: current, superseded (by another event or version), or disputed."""
    if event.state == "superseded":
        return "superseded"
    slots = state.by_event.get(event.id, set())
    if not slots:
        return "current"
    own = [fact for entity, key in slots for fact in state.slot_of(entity, key) if event.id in fact.supports]
    if any(fact.status == "disputed" for fact in own):
        return "disputed"
    holds = any(fact.valid_to is None or fact.valid_to > now for fact in own)
    return "current" if holds else "superseded"
