"""From what a person types to an entity, and how it is shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sgraph.chronology import overlaps, read_filter
from sgraph.errors import InvalidInput, NotFound
from sgraph.graph import views
from sgraph.graph.state import EntityInfo, EventInfo, State
from sgraph.graph.views import Moment, Run
from sgraph.identity.names import is_short_form, key, lookup_keys, normalise
from sgraph.records.results import EntityView


def entity(state: State, run: Run, name: str, moment: Moment, *, merged: bool = False) -> str:
    """Give the id of the entity a name or an id means at a moment.

    With `merged`, one that is joined to another means itself. Raises NotFound with near names, and InvalidInput listing
    the candidates when several are meant.
    """
    text = name.strip()
    if text in state.entities:
        return text if merged else views.canon_at(state, run, text, moment)
    found = _named(state, run, text, moment, merged)
    if len(found) == 1:
        return found[0].id
    if found:
        listed = "; ".join(f"{e.name} ({e.kind}) {e.id}" for e in found)
        raise InvalidInput(
            f"{name!r} means several: {listed}. Give the id.", field="name", value=name,
            candidates=[e.id for e in found],
        )
    near = difflib.get_close_matches(text, _near(state, text, moment), n=3, cutoff=0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise NotFound(f"nobody and nothing is known as {name!r}{hint}", kind="entity", id=name, near=near)


def _named(state: State, run: Run, text: str, moment: Moment, merged: bool) -> list[EntityInfo]:
    """Give those who bear the name; where nobody settled does, those whom it may mean as a short form."""
    kinds = sorted(state.kinds)
    found = _led_to(state, run, [key(kind, text) for kind in kinds], moment)
    if not any(not state.entities[id].unresolved for id in found):
        near = _led_to(state, run, [k for kind in kinds for k in lookup_keys(kind, text)], moment)
        found |= {id for id in near if _may_mean(state, run, text, id, moment)}
    if merged:
        found = {id for id in found if state.canon(id) != id} or found
    else:
        found = {views.canon_at(state, run, id, moment) for id in found}
    return [state.entities[id] for id in sorted(found)]


def _led_to(state: State, run: Run, names: Iterable[str], moment: Moment) -> set[str]:
    return {
        id
        for name in names
        for id in views.bearers(state, run, name, moment)
        if is_shown(state, id, moment) and _stands(state, name, id, moment)
    }


def _stands(state: State, name: str, id: str, moment: Moment) -> bool:
    """Say whether a name rests on an event that is shown; the one an entity was made with stands with the entity."""
    info, events = state.entities[id], state.name_events.get((name, id), ())
    own = name == key(info.kind, info.name) or name in lookup_keys(info.kind, info.name)
    return own or not events or any(views.shows(state, event, moment) for event in events)


def _may_mean(state: State, run: Run, text: str, id: str, moment: Moment) -> bool:
    kind = state.entities[id].kind
    given = normalise(text, kind)
    full = {state.entities[id].name, *map(_spelling, filter(_is_full, views.names_of(state, run, id, moment)))}
    return any(is_short_form(text, name, kind) or given in normalise(name, kind).split() for name in full)


def _is_full(name: str) -> bool:
    """Tell the key of a name from one that short forms are looked up by."""
    return "~" not in name.partition(":")[0]


def _spelling(name: str) -> str:
    return name.partition(":")[2]


def _near(state: State, text: str, moment: Moment) -> list[str]:
    """Give names that begin alike, to be compared letter by letter."""
    first = text[:1].casefold()
    return sorted(
        {
            info.name
            for info in state.entities.values()
            if info.name[:1].casefold() == first and is_shown(state, info.id, moment)
        }
    )


def is_shown(state: State, id: str, moment: Moment) -> bool:
    """Say whether anything shown speaks of an entity: one that only forgotten events know is forgotten with them."""
    info = state.entities[id]
    own = state.name_events.get((key(info.kind, info.name), id), ())
    events = [event for event in (*state.by_entity.get(id, ()), *own) if event in state.events]
    return not events or any(views.shows(state, event, moment) for event in events)


def view(state: State, run: Run, id: str, moment: Moment) -> EntityView:
    """Show an entity at a moment: facts and events as known then, in the state they have today."""
    group = views.group_at(state, run, id, moment)
    facts = views.facts(state, run, group, moment)
    info = state.entities[id]
    events = list(dict.fromkeys(e for member in sorted(group) for e in views.events_of(state, run, member, moment)))
    planned = [
        state.events[e] for e in events if state.events[e].status == "planned" and state.events[e].state == "active"
    ]
    return EntityView(
        id=id, name=info.name, kind=info.kind, names=_names(state, run, id, group, moment),
        members=tuple(sorted(group)),
        unresolved=info.unresolved, now=tuple(f for f in facts if f.current and f.status != "disputed"),
        planned=tuple(views.events(state, run, [e.id for e in sorted(planned, key=_order)])),
        disputed=tuple(f for f in facts if f.current and f.status == "disputed"),
        history=tuple(f for f in facts if not f.current), events=len(events), as_of=moment.as_of,
        known_at=moment.known_at,
    )


def _names(state: State, run: Run, id: str, group: set[str], moment: Moment) -> tuple[str, ...]:
    """Give the names of those who are one as first written: the shown one, those of the others, then aliases."""
    own = [state.entities[member].name for member in sorted(group, key=lambda member: (member != id, member))]
    aliases = {
        name
        for member in group
        for name in views.names_of(state, run, member, moment)
        if _is_full(name) and _stands(state, name, member, moment)
    }
    names = [*own, *(state.displays[name] for name in sorted(aliases))]
    return tuple({normalise(name): name for name in reversed(names)}.values())[::-1]


def _order(event: EventInfo) -> tuple[datetime, str]:
    return (event.when, event.id)


def timeline(
    state: State, run: Run, entity_id: str | None, happened_from: Any, happened_to: Any, now: datetime, zone: ZoneInfo,
    limit: int, moment: Moment,
) -> list[str]:
    """Give the ids of events in order of when they happened (else were said), newest last; at most the last `limit`."""
    window = read_filter((happened_from, happened_to), now, zone, field="happened")
    group = [None] if entity_id is None else sorted(views.group_at(state, run, entity_id, moment))
    found = []
    for id in {id for member in group for id in views.events_of(state, run, member, moment)}:
        event = state.events[id]
        start, end = event.happened_start or event.mentioned_at, event.happened_end or event.mentioned_at
        if window == (None, None) or (event.happened_start and overlaps(start, end, *window)):
            found.append(event)
    return [event.id for event in sorted(found, key=_order)][-limit:]
