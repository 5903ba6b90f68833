"""Settling a slot: from everything said of it to the fact versions to put and to retire."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from typing import Literal

from sgraph.graph.plan import term_key
from sgraph.graph.state import EventInfo, FactInfo, Said, State, live
from sgraph.ids import new_id
from sgraph.records.parts import (
    EventLinkPart,
    EventState,
    EventStatePart,
    FactLinkPart,
    FactPart,
    FactRef,
    FactRetiredPart,
    FactSupportPart,
    Part,
    Support,
)
from sgraph.truth.timeline import Assertion, End, ValueId, Version, versions

Saying = tuple[str, str, str | None, str, bool]
Member = tuple[str, str | None]  # whom a version is recorded of, and the entity that is its value: as they were said
Row = tuple[str, str | None, str, bool, datetime, datetime | None, str, bool, str | None, str, float]

HEARSAY = 0.5
OUTDATED = "what it says was replaced"
"""Why an event supersedes another whose claims no longer hold. It follows from the claims, so it ends none of them."""

_LASTING = ("ongoing", "unknown")  # an event that tells of a state; what merely happened stays true
_DETERMINER = re.compile(r"(?:an?|the|my|our|your|his|her|its|their) (?=\S)")


def value_key(state: State, value: str, about: str | None) -> str:
    """Give what makes two values the same: the entity that stands for it, or normalised text ("his boat": the boat)."""
    if about is not None:
        return f"\0{state.canon(about)}"
    return _DETERMINER.sub("", term_key(unicodedata.normalize("NFKC", value)), count=1)


def settle(state: State, entity: str, key: str, decided_by: str) -> list[Part]:
    """Give the parts that bring the standing versions of a slot in line with what is said of it."""
    saids = state.said_of(entity, key)
    owner = {
        (said.support.event, said.entity, said.about, value_key(state, said.value, said.about), said.negated): said
        for said in saids
    }
    desired = versions(
        [_assertion(state, said) for said in saids], single=bool(saids) and all(s.cardinality == "one" for s in saids)
    )
    standing = state.slot_of(entity, key)
    changed = _Diff(state, standing, desired, owner, decided_by)
    return [*changed.parts(), *_events(state, saids, desired, decided_by)]


def _assertion(state: State, said: Said) -> Assertion:
    event = state.events[said.support.event]
    support = said.support
    ended_at, ender = _ended(state, support, event)
    return Assertion(
        event=event.id, value=said.value, value_key=value_key(state, said.value, said.about), about=said.about,
        negated=said.negated, since=support.since, until=support.until, change=support.change,
        said_at=event.mentioned_at,
        order=said.order, confidence=confidence_of(event), session=event.session if event.scope == "session" else None,
        hidden=not live(state.events, event.id), entity=said.entity, stated=support.stated,
        ended=None if ender is None else End(ender.id, ender.mentioned_at, ended_at),
        thread=None if support.stated or not event.messages else event.messages[0].partition("/")[0],
    )


def confidence_of(event: EventInfo) -> float:
    """Give the confidence of what an event says: HEARSAY when the speaker has it from somebody else."""
    return HEARSAY if any(role == "reporter" for _, role in event.involved) else 1.0


def _ended(state: State, support: Support, event: EventInfo) -> tuple[datetime | None, EventInfo | None]:
    """Say which later live event ended an assertion and when; without an instant it was taken back."""
    if support.ended_by is not None and live(state.events, support.ended_by):
        return support.ended_at, state.events[support.ended_by]
    newer = [
        state.events[id] for id, (reason, _) in state.superseded_by.get(event.id, {}).items()
        if reason != OUTDATED and live(state.events, id)
    ]
    first = min(newer, key=lambda found: (found.when, found.id), default=None)
    return (None, None) if first is None else (first.when, first)


def _events(state: State, saids: list[Said], desired: list[Version], decided_by: str) -> list[Part]:
    """Let the events of a slot follow it: one that only tells of what is over is superseded by what replaced it."""
    replaced = _replaced(state, saids, desired)
    holding = {a.event for version in desired for a in version.assertions if version.valid_to is None}
    slots = {(said.entity, said.key) for said in saids}
    parts: list[Part] = []
    for id in sorted({said.support.event for said in saids}):
        links = state.superseded_by.get(id, {})
        derived = next((other for other, (reason, _) in links.items() if reason == OUTDATED), None)
        over = id not in holding and not _holds_elsewhere(state, id, slots)
        newer = replaced.get(id, derived) if over else None
        if derived is not None and derived != newer:
            parts.append(_outdated_by(derived, id, decided_by, removed=True))
        if newer is not None and newer not in links:
            parts.append(_outdated_by(newer, id, decided_by, removed=False))
        others = {*links, *([newer] if newer is not None else ())} - ({derived} if derived != newer else set())
        wanted: EventState = "superseded" if any(live(state.events, other) for other in others) else "active"
        if state.events[id].state in ("active", "superseded") and state.events[id].state != wanted:
            parts.append(EventStatePart(id=id, state=wanted))
    return parts


def _outdated_by(newer: str, older: str, decided_by: str, *, removed: bool) -> EventLinkPart:
    return EventLinkPart(
        kind="SUPERSEDES", source=newer, target=older, reason=OUTDATED, decided_by=decided_by, removed=removed
    )


def _replaced(state: State, saids: list[Said], desired: list[Version]) -> dict[str, str]:
    """Give the events whose claim was replaced in this slot, each with the event that says what came instead."""
    found: dict[str, str] = {}
    for version in desired:
        for older, _ in version.replaces:
            if isinstance(older, Version):
                gone = [a.event for a in older.assertions if state.events[a.event].status in _LASTING]
            else:
                gone = [
                    said.support.event
                    for said in saids
                    if (value_key(state, said.value, said.about), said.negated) == older
                ]
            for event in gone:
                if event != version.assertions[0].event:
                    found.setdefault(event, version.assertions[0].event)
    return found


def _holds_elsewhere(state: State, event: str, slots: set[tuple[str, str]]) -> bool:
    return any(
        event in fact.supports and fact.valid_to is None and fact.visible
        for slot in state.by_event[event] - slots
        for fact in state.slot_of(*slot)
    )


class _Diff:
    """What stands against what should stand."""

    def __init__(
        self, state: State, standing: list[FactInfo], desired: list[Version],
        owner: dict[Saying, Said], decided_by: str,
    ) -> None:
        self.state, self.standing, self.desired, self.owner, self.by = state, standing, desired, owner, decided_by
        self.ids: dict[tuple[int, Member], str] = {}
        self.new: set[str] = set()

    def parts(self) -> list[Part]:
        free: dict[Row, list[FactInfo]] = {}
        for fact in self.standing:
            free.setdefault(self._row_of(fact), []).append(fact)
        wanted: list[tuple[Version, Member, list[Assertion]]] = []
        kept: list[Part] = []
        for version in self.desired:
            for member in dict.fromkeys((a.entity, a.about) for a in version.assertions):
                assertions = [a for a in version.assertions if (a.entity, a.about) == member]
                supports = {a.event: self._support(a) for a in assertions}
                same = free.get(self._row(version, member), [])
                found = next((f for f in same if all(s == f.supports.get(e, s) for e, s in supports.items())), None)
                if found is None:
                    wanted.append((version, member, assertions))
                    continue
                same.remove(found)
                self.ids[id(version), member] = found.id
                kept.extend(
                    FactSupportPart(fact=found.id, support=s) for e, s in supports.items() if e not in found.supports
                )
        retired = [fact for same in free.values() for fact in same]
        claims: dict[tuple[str, ValueId], list[str]] = {}
        for fact in retired:
            claims.setdefault((fact.entity, self._says(fact)), []).append(fact.claim)
        for version, member, _ in wanted:
            self.ids[id(version), member] = fresh = new_id()
            self.new.add(fresh)
        parts: list[Part] = [FactRetiredPart(id=f.id, entity=f.entity, about=f.about) for f in retired]
        parts.extend(self._put(version, member, assertions, claims) for version, member, assertions in wanted)
        parts.extend(kept)
        parts.extend(self._links(retired))
        parts.extend(self._unplaced())
        return parts

    def _unplaced(self) -> list[Part]:
        """Keep what no version stands on, so that it can stand again: a version that is retired as it is recorded."""
        placed = {(a.event, a.entity, a.about, *a.id) for version in self.desired for a in version.assertions}
        parts: list[Part] = []
        for id_, said in self.owner.items():
            if id_ not in placed and not said.kept:
                fact = FactPart(
                    id=new_id(), claim=new_id(), entity=said.entity, key=said.key, value=said.value, about=said.about,
                    cardinality="one" if said.cardinality == "one" else "many", negated=said.negated,
                    valid_from=said.support.since,
                    valid_to=said.support.until, status="superseded", visible=False, confidence=said.confidence,
                    supports=(said.support,),
                )
                parts += [fact, FactRetiredPart(id=fact.id, entity=fact.entity, about=fact.about)]
        return parts

    def _row(self, version: Version, member: Member) -> Row:
        cardinality = self._said(version.assertions[0]).cardinality
        return (
            *member, version.value_key, version.negated, version.valid_from, version.valid_to, version.status,
            version.visible, version.session, cardinality, _confidence(version, member),
        )

    def _row_of(self, fact: FactInfo) -> Row:
        return (
            fact.entity, fact.about, value_key(self.state, fact.value, fact.about), fact.negated, fact.valid_from,
            fact.valid_to, fact.status, fact.visible, fact.session, fact.cardinality, fact.confidence,
        )

    def _says(self, fact: FactInfo) -> ValueId:
        return (value_key(self.state, fact.value, fact.about), fact.negated)

    def _said(self, assertion: Assertion) -> Said:
        return self.owner[assertion.event, assertion.entity, assertion.about, assertion.value_key, assertion.negated]

    def _support(self, assertion: Assertion) -> Support:
        return self._said(assertion).support

    def _put(
        self, version: Version, member: Member, assertions: list[Assertion],
        claims: dict[tuple[str, ValueId], list[str]]
    ) -> FactPart:
        entity, about = member
        known = claims.get((entity, version.id))
        said = self._said(assertions[0])
        return FactPart(
            id=self.ids[id(version), member], claim=known.pop(0) if known else new_id(), entity=entity, key=said.key,
            value=said.value, about=about, cardinality="one" if said.cardinality == "one" else "many",
            negated=version.negated, valid_from=version.valid_from, valid_to=version.valid_to, status=version.status,
            visible=version.visible, session=version.session, confidence=_confidence(version, member),
            supports=tuple(self._support(a) for a in assertions),
        )

    def _links(self, retired: list[FactInfo]) -> list[Part]:
        """Point from each new version, or at each new one, to what it replaces or disputes."""
        rows: dict[int, list[str]] = {}
        for (version_id, _), fact in self.ids.items():
            rows.setdefault(version_id, []).append(fact)
        gone: dict[ValueId, list[str]] = {}
        for info in retired:
            gone.setdefault(self._says(info), []).append(info.id)
        parts: list[Part] = []
        for version in self.desired:
            links: list[tuple[Literal["REPLACES", "DISPUTES"], str, str]] = []
            for older, reason in version.replaces:
                targets = rows[id(older)] if isinstance(older, Version) else gone.get(older, [])
                links.extend(("REPLACES", target, reason) for target in targets)
            links.extend(("DISPUTES", target, "equal time") for other in version.disputes for target in rows[id(other)])
            for source in rows[id(version)]:
                for kind, target, reason in links:
                    if source in self.new or target in self.new:
                        ref = FactRef(fact=target, reason=reason, decided_by=self.by)
                        parts.append(FactLinkPart(kind=kind, fact=source, other=ref))
        return parts


def _confidence(version: Version, member: Member) -> float:
    """Give the confidence of the best witness: repeating hearsay does not strengthen it."""
    return max(a.confidence for a in version.assertions if (a.entity, a.about) == member)
