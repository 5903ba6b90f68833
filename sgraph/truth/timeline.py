"""The time-line of a slot: from what events assert to the versions that stand. Pure.

A *slot* is (entity, key). Where its cardinality is *one*, all values share one time-line; where it is *many*, each value
has its own. The rules, in order:

1. **Correction.** An assertion that corrects an error takes out what was said before it and differs: the named value, else
   the one in force. What is taken out is retired without an end: it was never true.
2. **Later valid time replaces.** In order of valid time, a different value ends the one in force at its own start. What was
   said later about an earlier time becomes history in its right place.
3. **The same value said again** supports the version that stands; it starts at the earliest time asserted.
4. **Negation is a value of its own.** "not X" ends X where X is in force and stands beside other values.
5. **Equal time, no order** leaves both standing, *disputed*; a reported change or a later superseding event is an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sgraph.records.parts import Change, FactStatus

ValueId = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Assertion:
    """What one event says of a slot.

    `cut` is when another event ended it, `corrected` that another event took it back. `thread` is set when `since` is
    merely when it was said: then the order of arrival in that thread decides between equal times.
    """

    event: str
    entity: str
    value: str
    value_key: str
    about: str | None
    negated: bool
    since: datetime
    until: datetime | None
    change: Change
    said_at: datetime
    order: int
    confidence: float = 1.0
    session: str | None = None
    hidden: bool = False
    cut: datetime | None = None
    corrected: bool = False
    thread: str | None = None

    @property
    def id(self) -> ValueId:
        """Give what makes two assertions say the same."""
        return (self.value_key, self.negated)



@dataclass(slots=True)
class Version:
    """A stretch of time in which a claim holds, with everything that says so."""

    value: str
    value_key: str
    about: str | None
    negated: bool
    valid_from: datetime
    valid_to: datetime | None
    assertions: list[Assertion]
    status: FactStatus = "active"
    visible: bool = True
    session: str | None = None
    replaces: list[tuple[Version | ValueId, str]] = field(default_factory=list)
    disputes: list[Version] = field(default_factory=list)

    @property
    def id(self) -> ValueId:
        """Give what the version says."""
        return (self.value_key, self.negated)


def versions(assertions: Iterable[Assertion], *, single: bool) -> list[Version]:
    """Give the versions that should stand, in order of valid time. `single`: the slot's cardinality is one."""
    visible: dict[str | None, list[Assertion]] = {}
    hidden: list[Assertion] = []
    for assertion in assertions:
        if assertion.hidden:
            hidden.append(assertion)
        else:
            visible.setdefault(assertion.session, []).append(assertion)
    standing: list[Version] = []
    for session in sorted(visible, key=lambda name: name or ""):
        for group in _groups(visible[session], single):
            standing.extend(_line(group))
    standing.extend(_hidden(hidden))
    return standing


def _groups(assertions: list[Assertion], single: bool) -> list[list[Assertion]]:
    if single:
        return [assertions]
    groups: dict[str, list[Assertion]] = {}
    for assertion in assertions:
        groups.setdefault(assertion.value_key, []).append(assertion)
    return [groups[key] for key in sorted(groups)]


def _hidden(assertions: list[Assertion]) -> list[Version]:
    """Give one unseen version for each thing that only forgotten events say."""
    groups: dict[tuple[ValueId, str | None], list[Assertion]] = {}
    for assertion in assertions:
        groups.setdefault((assertion.id, assertion.session), []).append(assertion)
    found = []
    for group in groups.values():
        first = min(group, key=_when)
        ends = [assertion.until for assertion in group]
        end = None if None in ends else max(e for e in ends if e is not None)
        found.append(_version(first, group, end, visible=False))
    return found


def _when(assertion: Assertion) -> tuple[datetime, datetime, int]:
    return (assertion.since, assertion.said_at, assertion.order)


def _said(assertion: Assertion) -> tuple[datetime, int]:
    return (assertion.said_at, assertion.order)


def _version(first: Assertion, group: Sequence[Assertion], end: datetime | None, *, visible: bool = True) -> Version:
    return Version(
        value=first.value, value_key=first.value_key, about=first.about, negated=first.negated, valid_from=first.since,
        valid_to=end, assertions=list(group), visible=visible, session=first.session,
        status="superseded" if end is not None else "active",
    )


def _line(assertions: list[Assertion]) -> list[Version]:
    live, corrected = _corrections([a for a in assertions if not a.corrected])
    for assertion in assertions:
        if assertion.corrected:
            corrected.setdefault(assertion.id, None)
    done: list[Version] = []
    standing: list[Version] = []  # in force: one, or several that dispute each other
    aside: dict[str, Version] = {}  # negations of what is not in force
    for assertion in sorted(live, key=_when):
        _ended(standing, done, assertion.since)
        if assertion.negated and not any(v.value_key == assertion.value_key for v in standing):
            _set_aside(aside, assertion)
            continue
        if not assertion.negated and (negation := aside.pop(assertion.value_key, None)) is not None:
            _close(negation, assertion.since, done)
        _enter(standing, done, assertion)
    done.extend(standing)
    done.extend(aside.values())
    for wrong, right in corrected.items():
        target = next((v for v in done if right is not None and right in v.assertions), None)
        if target is not None:
            target.replaces.append((wrong, "correction"))
    return sorted(done, key=lambda v: (v.valid_from, v.value_key, v.negated))


def _corrections(assertions: list[Assertion]) -> tuple[list[Assertion], dict[ValueId, Assertion | None]]:
    """Take out what was corrected: the assertions that remain, and for each thing taken back what took it back."""
    live = sorted(assertions, key=_said)
    gone: dict[ValueId, Assertion | None] = {}
    for assertion in list(live):
        if assertion.change != "correction" or assertion not in live:
            continue
        before = [a for a in live if _said(a) < _said(assertion) and a.id != assertion.id]
        if assertion.negated:
            wrong = [a for a in before if a.value_key == assertion.value_key]
        else:
            last = max(before, key=_when, default=None)
            wrong = [a for a in before if last is not None and a.id == last.id]
        if not wrong:
            continue
        live = [a for a in live if a not in wrong]
        start = min(a.since for a in wrong)
        if not assertion.negated and start < assertion.since:
            live[live.index(assertion)] = fixed = replace(assertion, since=start)
        else:
            fixed = assertion
        gone[wrong[0].id] = fixed
    return live, gone


def _ended(standing: list[Version], done: list[Version], now: datetime) -> None:
    """Close what has an end of its own before `now`."""
    for version in list(standing):
        if version.valid_to is not None and version.valid_to <= now:
            version.status = "superseded"
            standing.remove(version)
            done.append(version)


def _close(version: Version, at: datetime, done: list[Version]) -> None:
    if version.valid_to is None or version.valid_to > at:
        version.valid_to = at
    version.status = "superseded"
    done.append(version)


def _set_aside(aside: dict[str, Version], assertion: Assertion) -> None:
    known = aside.get(assertion.value_key)
    if known is None:
        aside[assertion.value_key] = _version(assertion, [assertion], _end(assertion))
    else:
        known.assertions.append(assertion)


def _end(assertion: Assertion) -> datetime | None:
    ends = [end for end in (assertion.until, assertion.cut) if end is not None]
    end = min(ends, default=None)
    return max(end, assertion.since) if end is not None else None


def _enter(standing: list[Version], done: list[Version], assertion: Assertion) -> None:
    same = next((v for v in standing if v.id == assertion.id), None)
    others = [v for v in standing if v is not same]
    start = assertion.since
    tied = [v for v in others if v.valid_from == start and not _ordered(v, assertion)]
    closed = [v for v in others if v not in tied]
    for version in closed:
        standing.remove(version)
        _close(version, start, done)
    if same is None:
        entering = _version(assertion, [assertion], _end(assertion))
        standing.append(entering)
    else:
        entering = same
        same.assertions.append(assertion)
        end = _end(assertion)
        same.valid_to = end if end is None or same.valid_to is None else max(same.valid_to, end)
        same.status = "superseded" if same.valid_to is not None else same.status
    for version in closed:
        entering.replaces.append((version, "later valid time"))
    if tied:
        for version in [*tied, entering]:
            version.status = "disputed"
        entering.disputes.extend(tied)
    elif entering.status == "disputed":
        entering.status = "active"


def _ordered(version: Version, assertion: Assertion) -> bool:
    """Say whether something other than valid time puts the assertion after the version."""
    last = version.assertions[-1]
    arrival = assertion.thread is not None and assertion.thread == last.thread
    return assertion.change != "state" or last.cut is not None or arrival
