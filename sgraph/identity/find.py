"""From what a person types to an entity, and how it is shown."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sgraph.chronology import overlaps, read_filter
from sgraph.errors import InvalidInput, NotFound
from sgraph.graph import views
from sgraph.graph.state import EntityInfo, EventInfo, State
from sgraph.graph.views import Moment, Run
from sgraph.identity.names import key, lookup_keys
from sgraph.records.results import EntityView


def entity(state: State, name: str, *, merged: bool = False) -> str:
    """Give the id of the entity a name or an id means. With `merged`, one that is joined to another is meant itself.

    Raises NotFound with near names, and InvalidInput listing the candidates when several are meant.
    """
    text = name.strip()
    if text in state.entities:
        return text if merged else state.canon(text)
    found = _named(state, text, merged)
    if len(found) == 1:
        return found[0].id
    if found:
        listed = "; ".join(f"{e.name} ({e.kind}) {e.id}" for e in found)
        raise InvalidInput(f"{name!r} means several: {listed}. Give the id.", field="name", value=name, candidates=[e.id for e in found])
    near = difflib.get_close_matches(text, sorted({e.name for e in state.entities.values() if state.exists(e.id)}), n=3, cutoff=0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise NotFound(f"nobody and nothing is known as {name!r}{hint}", kind="entity", id=name, near=near)


def _named(state: State, text: str, merged: bool) -> list[EntityInfo]:
    kinds = {info.kind for info in state.entities.values()}
    for keys in ([key(kind, text) for kind in kinds], [k for kind in kinds for k in lookup_keys(kind, text)]):
        ids = {entity for k in keys for entity in state.names.get(k, ())}
        if merged:
            ids = {id for id in ids if any(source == id for source, _ in state.merges)} or ids
            found = [state.entities[id] for id in sorted(ids)]
        else:
            found = [state.entities[id] for id in sorted({state.canon(id) for id in ids}) if state.exists(id)]
        settled = [info for info in found if not info.unresolved]
        if found:
            return settled if len(settled) == 1 and len(found) > 1 else found
    return []


def view(state: State, run: Run, id: str, moment: Moment) -> EntityView:
    """Show an entity at a moment."""
    group = views.group_at(state, run, id, moment)
    facts = views.facts(state, run, group, moment)
    info = state.entities[id]
    ids = [event for member in sorted(group) for event in state.by_entity.get(member, ())]
    planned = [e for e in _known(state, ids, moment) if e.status == "planned" and e.state == "active"]
    return EntityView(
        id=id, name=info.name, kind=info.kind, names=tuple(state.shown_names(id)), members=tuple(sorted(group)), unresolved=info.unresolved,
        now=tuple(f for f in facts if f.current and f.status != "disputed"),
        planned=tuple(views.events(state, run, [e.id for e in sorted(planned, key=_order)])),
        disputed=tuple(f for f in facts if f.current and f.status == "disputed"),
        history=tuple(f for f in facts if not f.current), events=len(set(ids)), as_of=moment.as_of, known_at=moment.known_at,
    )


def _known(state: State, ids: list[str], moment: Moment) -> list[EventInfo]:
    return [state.events[id] for id in dict.fromkeys(ids)]


def _order(event: EventInfo) -> tuple[datetime, str]:
    return (event.when, event.id)


def timeline(
    state: State, entity_id: str | None, happened_from: Any, happened_to: Any, now: datetime, zone: ZoneInfo, limit: int
) -> list[str]:
    """Give the ids of events in order of when they happened (else were said), newest last; at most the last `limit`."""
    window = read_filter((happened_from, happened_to), now, zone, field="happened")
    ids = state.events.keys() if entity_id is None else {e for m in state.group(entity_id) for e in state.by_entity.get(m, ())}
    found = []
    for id in ids:
        event = state.events[id]
        if event.state in ("forgotten", "replaced"):
            continue
        start, end = event.happened_start or event.mentioned_at, event.happened_end or event.mentioned_at
        if window == (None, None) or event.happened_start and overlaps(start, end, *window):
            found.append(event)
    return [event.id for event in sorted(found, key=_order)][-limit:]
