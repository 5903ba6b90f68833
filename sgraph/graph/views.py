"""Reading views: what is true at an instant (`as_of`), as far as it was known at another (`known_at`).

A version counts at `known_at=t` when `recorded_at <= t < retired_at`; without it, when it is not retired. What only
forgotten events support is hidden at every t unless asked for. What belongs to one session is shown in that session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sgraph.graph.state import State, in_session
from sgraph.records.results import EventView, Evidence, FactView
from sgraph.resources import resource_dir

CORRECTION = "correction"  # why a version replaces one that was never true
Run = Callable[[str, dict[str, Any]], list[dict[str, Any]]]


@dataclass(frozen=True)
class Moment:
    """The two clocks of a read, and the session it is made in."""

    as_of: datetime | None = None
    known_at: datetime | None = None
    session: str | None = None
    include_forgotten: bool = False

    def known(self, recorded_at: datetime, retired_at: datetime | None) -> bool:
        """Say whether something recorded and retired then was believed at `known_at`."""
        if self.known_at is None:
            return retired_at is None
        return recorded_at <= self.known_at and (retired_at is None or self.known_at < retired_at)

    def holds(self, valid_from: datetime, valid_to: datetime | None, now: datetime) -> bool:
        """Say whether an interval holds at `as_of` (by default at `now`)."""
        at = self.as_of or now
        return valid_from <= at and (valid_to is None or at < valid_to)


def group_at(state: State, run: Run, entity: str, moment: Moment) -> set[str]:
    """Give the entities that were one with this one at `known_at` (by default: that are now)."""
    if moment.known_at is None:
        return set(state.group(entity))
    group, new = {entity}, [entity]
    while new:
        for row in _merges(run, new.pop(), moment):
            new.extend({row["source"], row["target"]} - group)
            group |= {row["source"], row["target"]}
    return group


def canon_at(state: State, run: Run, entity: str, moment: Moment) -> str:
    """Give the entity that stood for this one at `known_at` (by default: that does now)."""
    if moment.known_at is None:
        return state.canon(entity)
    while targets := [row["target"] for row in _merges(run, entity, moment) if row["source"] == entity]:
        entity = targets[0]
    return entity


def _merges(run: Run, entity: str, moment: Moment) -> list[dict[str, Any]]:
    rows = run(text("merges_of"), {"id": entity})
    return [row for row in rows if moment.known(row["recorded_at"], row["retired_at"])]


def bearers(state: State, run: Run, name: str, moment: Moment) -> set[str]:
    """Give the entities that a name's key led to at `known_at` (by default: leads to now)."""
    if moment.known_at is None:
        return set(state.names.get(name, ()))
    rows = run(text("bearers"), {"name": name})
    return {row["entity"] for row in rows if moment.known(row["recorded_at"], row["retired_at"])}


def names_of(state: State, run: Run, entity: str, moment: Moment) -> set[str]:
    """Give the keys of the names an entity bore at `known_at` (by default: bears now)."""
    if moment.known_at is None:
        return set(state.names_of.get(entity, ()))
    rows = run(text("names_of"), {"id": entity})
    return {row["name"] for row in rows if moment.known(row["recorded_at"], row["retired_at"])}


def events_of(state: State, run: Run, entity: str | None, moment: Moment) -> list[str]:
    """Give the events that involve an entity (None: all) and are shown: recorded by `known_at`, in today's state."""
    ids: Iterable[str] = state.events if entity is None else state.by_entity.get(entity, ())
    shown = [id for id in ids if shows(state, id, moment)]
    if moment.known_at is None or not shown:
        return shown
    rows = run(text("events"), {}) if entity is None else run(text("events_of"), {"id": entity})
    recorded = {row["event"]: row["recorded_at"] for row in rows}
    return [id for id in shown if recorded[id] <= moment.known_at]


def shows(state: State, event: str, moment: Moment) -> bool:
    """Say whether an event is shown, whenever it was recorded: not forgotten, and of this session if it is of one."""
    info = state.events[event]
    hidden = info.state == "replaced" or (info.state == "forgotten" and not moment.include_forgotten)
    return not hidden and (info.scope != "session" or in_session(info.session, moment.session))


def facts(state: State, run: Run, entities: Iterable[str], moment: Moment) -> list[FactView]:
    """Give the versions known at the moment about some entities, in order of key and valid time.

    With them come those that were taken back as errors by a version that still stands, marked `corrected`.
    """
    now = datetime.now(UTC)
    known: list[dict[str, Any]] = []
    retired: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    evidence: dict[str, list[Evidence]] = {}
    for entity in sorted(entities):
        supported = _evidence_of(state, run, entity, moment)
        evidence |= supported
        links += [row for row in run(text("fact_links"), {"id": entity}) if moment.known(row["at"], None)]
        for row in run(text("facts_of"), {"id": entity}):
            visible, session = row.pop("visible"), row.pop("session")
            if row["id"] in supported and (
                session is None or in_session(session, moment.session)
            ) and (visible or moment.include_forgotten):
                rows = known if moment.known(row["recorded_at"], row["retired_at"]) else retired
                rows.append(row | {"entity": entity})
    standing = {row["claim"]: row for row in known}
    others: dict[tuple[str, str], list[str]] = {}
    for link in links:
        if link["other"] in standing:
            others.setdefault((link["claim"], link["kind"]), []).append(standing[link["other"]]["id"])

    def linked(row: dict[str, Any], kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(others.get((row["claim"], kind), ())))

    found = [
        FactView(
            **row, current=moment.holds(row["valid_from"], row["valid_to"], now), evidence=tuple(evidence[row["id"]]),
            replaced_by=linked(row, "REPLACED") if row["valid_to"] is not None else (),
            disputes=linked(row, "DISPUTES") if row["status"] == "disputed" else (),
        )
        for row in known
    ]
    corrections = [link for link in links if link["reason"] == CORRECTION and link["other"] in standing]
    wrong = {link["fact"]: standing[link["other"]]["id"] for link in corrections}
    stands = {_says(row) for row in known}
    taken_back = {_says(row): row for row in sorted(retired, key=lambda row: row["recorded_at"]) if row["id"] in wrong}
    found += [
        FactView(
            **row, current=False, corrected=True, evidence=tuple(evidence[row["id"]]), replaced_by=(wrong[row["id"]],)
        )
        for says, row in taken_back.items()
        if says not in stands
    ]
    return sorted(found, key=lambda f: (f.key, f.valid_from, f.recorded_at, f.id))


def _says(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("entity", "key", "value", "negated", "valid_from"))


def _evidence_of(state: State, run: Run, entity: str, moment: Moment) -> dict[str, list[Evidence]]:
    """Give the words each version about an entity rests on, as far as they were known and are shown."""
    found: dict[str, list[Evidence]] = {}
    for row in run(text("fact_evidence"), {"id": entity}):
        fact, supported_at = row.pop("fact"), row.pop("supported_at")
        if moment.known(supported_at, None) and shows(state, row["event"], moment):
            found.setdefault(fact, []).append(_evidence(state, row))
    return found


def _evidence(state: State, row: dict[str, Any]) -> Evidence:
    involved = state.events[row["event"]].involved if row["event"] in state.events else ()
    reporter = next((state.entities[e].name for e, role in involved if role == "reporter"), None)
    return Evidence(
        event=row["event"], title=row["title"], state=row["state"], message=row["message"], thread=row["thread"],
        speaker=row["speaker"] or row["role"], sent_at=row["sent_at"], quote=row["quote"], start=row["quote_start"],
        end=row["quote_end"], reporter=reporter,
    )


def events(state: State, run: Run, ids: Iterable[str]) -> list[EventView]:
    """Give events with the words they rest on, in the order of the ids."""
    found: list[EventView] = []
    for id in ids:
        rows = run(text("event"), {"id": id})
        if not rows:
            continue
        evidence = tuple(_evidence(state, row) for row in run(text("event_words"), {"id": id}))
        involved = tuple((state.entities[state.canon(e)].name, role) for e, role in state.events[id].involved)
        found.append(EventView(**rows[0], involved=involved, evidence=evidence))
    return found


@cache
def text(name: str) -> str:
    """Give the text of a query of queries/read/."""
    return (resource_dir("queries") / "read" / f"{name}.cypher").read_text("utf-8")
