"""Who is meant: from a mention to an entity, by key look-ups only; new entities and names are put into the decision."""

from __future__ import annotations

from collections.abc import Iterable

from sgraph.graph.state import UNRESOLVED, State, live
from sgraph.identity.names import key, lookup_keys
from sgraph.identity.resolve import Candidate, resolve
from sgraph.ids import new_id
from sgraph.records.parts import EntityPart, NamePart
from sgraph.truth.decision import Decision


def candidates(state: State, keys: Iterable[str], among: set[str] | None = None) -> list[Candidate]:
    """Give what names lead to, one candidate for each name and alias; those whose identity is open are left out.

    With `among`, only entities that are one with one of those.
    """
    found = {entity.id: entity for name in keys for entity in state.named(name) if not entity.unresolved}
    return [
        Candidate(entity_id=entity.id, name=name, kind=entity.kind)
        for entity in found.values()
        if among is None or not among.isdisjoint(state.group(entity.id))
        for name in (entity.name, *state.full_names(entity.id))
    ]


def identify(decision: Decision, name: str, kind: str, *, thread: str, events: tuple[str, ...]) -> str:
    """Give the entity a mention means in a thread (its key form), making one where none is known.

    Where entities are joined it is the one that bears the name, so that what was said of each comes apart again when
    they are split. What several entities could mean is not guessed: such a mention gets an entity of its own, tagged
    unresolved.
    """
    state = decision.state
    near = candidates(state, lookup_keys(kind, name), among=state.in_thread.get(thread, set()))
    found = resolve(name, kind, exact=candidates(state, [key(kind, name)]), in_thread=near)
    if found.entity_id is not None:
        bearers = state.group(found.entity_id) & state.names.get(key(kind, name), {}).keys()
        return min(bearers, default=found.entity_id)
    if found.how == "ambiguous":
        return _unresolved(decision, name, kind, events)
    return create(decision, name, kind, events)


def create(decision: Decision, name: str, kind: str, events: tuple[str, ...], tags: tuple[str, ...] = ()) -> str:
    """Make an entity with its name and the keys its short forms are looked up by."""
    entity = EntityPart(id=new_id(), name=name, kind=kind, tags=tags)
    decision.put(entity)
    add_name(decision, name, kind, entity.id, events)
    return entity.id


def add_name(decision: Decision, display: str, kind: str, entity: str, events: tuple[str, ...]) -> None:
    """Let a name and its short forms lead to an entity, resting on events; what is known already is not put again."""
    state = decision.state
    for name_key in (key(kind, display), *lookup_keys(kind, display)):
        since = state.names.get(name_key, {}).get(entity)
        fresh = tuple(event for event in events if event not in state.name_events.get((name_key, entity), ()))
        if since is None or fresh:
            decision.put(
                NamePart(
                    key=name_key, display=display, kind=kind, entity=entity, events=fresh,
                    new_key=name_key not in state.displays, since=since,
                )
            )


def _unresolved(decision: Decision, name: str, kind: str, events: tuple[str, ...]) -> str:
    for entity in decision.state.named(key(kind, name)):
        if entity.unresolved:
            return entity.id
    return create(decision, name, kind, events, tags=(UNRESOLVED,))


def follow_names(decision: Decision, events: Iterable[str]) -> None:
    """Let aliases follow the events they rest on: without a live one they no longer lead anywhere.

    The name an entity was made with stays: it only leads to what else is known.
    """
    state = decision.state
    for name, entity in sorted({pair for event in events for pair in state.resting.get(event, ())}):
        info, since = state.entities[entity], state.names.get(name, {}).get(entity)
        stands = any(live(state.events, event) for event in state.name_events[name, entity])
        stands = stands or name in (key(info.kind, info.name), *lookup_keys(info.kind, info.name))
        if stands == (since is None):
            decision.put(
                NamePart(key=name, display=name, kind=info.kind, entity=entity, since=since, retired=not stands)
            )
