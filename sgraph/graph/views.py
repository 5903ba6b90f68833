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

from sgraph.graph.state import State
from sgraph.records.results import Evidence, EventView, FactView
from sgraph.resources import resource_dir

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
    joined = [
        (row["source"], row["target"])
        for row in run(text("merge_history"), {})
        if moment.known(row["recorded_at"], row["retired_at"])
    ]
    group, grown = {entity}, True
    while grown:
        more = {end for pair in joined if group & set(pair) for end in pair} - group
        group, grown = group | more, bool(more)
    return group


def facts(state: State, run: Run, entities: Iterable[str], moment: Moment) -> list[FactView]:
    """Give the versions known at the moment about some entities, in order of key and valid time."""
    now = datetime.now(UTC)
    found: list[FactView] = []
    for entity in sorted(entities):
        rows = run(text("facts_of"), {"id": entity})
        links = _links(run(text("fact_links"), {"id": entity}))
        evidence: dict[str, list[Evidence]] = {}
        states: dict[str, set[str]] = {}
        for row in run(text("fact_evidence"), {"id": entity}):
            fact = row.pop("fact")
            states.setdefault(fact, set()).add(row["state"])
            evidence.setdefault(fact, []).append(_evidence(state, row))
        for row in rows:
            visible, session = row.pop("visible"), row.pop("session")
            if not moment.known(row["recorded_at"], row["retired_at"]):
                continue
            hidden = not states.get(row["id"], set()) & {"active", "superseded", "archived"}
            if hidden and not moment.include_forgotten or not hidden and not visible:
                continue
            if session is not None and session != moment.session:
                continue
            kind = links.get(row["id"], {})
            found.append(
                FactView(
                    **row, entity=entity, current=moment.holds(row["valid_from"], row["valid_to"], now),
                    replaced_by=tuple(kind.get("REPLACED", ())), disputes=tuple(kind.get("DISPUTES", ())),
                    evidence=tuple(evidence.get(row["id"], ())),
                )
            )
    return sorted(found, key=lambda f: (f.key, f.valid_from, f.recorded_at, f.id))


def _links(rows: list[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    links: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        links.setdefault(row["fact"], {}).setdefault(row["kind"], []).append(row["other"])
    return links


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
