"""The time-line of a slot: from what events assert to the versions that stand. Pure.

A *slot* is (entity, key). Where its cardinality is *one*, all values share one time-line; where it is *many*, each
value has its own. The rules, in order:

1. **Correction.** An assertion that corrects an error takes out what was said before it and differs: the named value,
   else the one in force. What is taken out is retired without an end: it was never true.
2. **Later valid time replaces.** In order of valid time, a different value ends the one in force at its own start. What
   was said later about an earlier time becomes history in its right place.
3. **The same value said again** supports the version that stands; it starts at the earliest time asserted.
4. **Negation is a value of its own.** "not X" ends X where X is in force and stands beside other values.
5. **Equal time, no order** leaves both standing, *disputed*, until something later is said; a reported change or a
   later superseding event is an order, and what somebody knows first-hand goes before hearsay of the same time.
6. **An end counts for every copy.** What a later event ended or took back is over however often it had been said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sgraph.records.parts import Change, FactStatus

ValueId = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class End:
    """What a later event did to an assertion: it ended it `at` an instant, or (None) took it back."""

    event: str
    said_at: datetime
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """What one event says of a slot.

    `ended`: another event ended it or took it back. `stated`: the words give `since`. `thread` is set when they do not,
    so that `since` is when it was said: then the order of arrival in that thread decides between equal times.
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
    ended: End | None = None
    stated: bool = True
    thread: str | None = None

    @property
    def id(self) -> ValueId:
        """Give what makes two assertions say the same."""
        return (self.value_key, self.negated)


@dataclass(slots=True, eq=False)
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


def _when(assertion: Assertion) -> tuple[datetime, float, datetime, int]:
    return (assertion.since, assertion.confidence, assertion.said_at, assertion.order)


def _said(assertion: Assertion) -> tuple[datetime, int]:
    return (assertion.said_at, assertion.order)


def _version(first: Assertion, group: Sequence[Assertion], end: datetime | None, *, visible: bool = True) -> Version:
    return Version(
        value=first.value, value_key=first.value_key, about=first.about, negated=first.negated, valid_from=first.since,
        valid_to=end, assertions=list(group), visible=visible, session=first.session,
        status="superseded" if end is not None else "active",
    )


def _copied(assertions: list[Assertion]) -> list[Assertion]:
    """Let what ended or took back one copy of what was said hold for every copy said before it."""
    ends: dict[ValueId, list[End]] = {}
    for assertion in assertions:
        if assertion.ended is not None:
            ends.setdefault(assertion.id, []).append(assertion.ended)
    return [replace(a, ended=_first_end(a, ends.get(a.id, ()))) for a in assertions]


def _first_end(assertion: Assertion, ends: Iterable[End]) -> End | None:
    """Give what ends an assertion: a retraction goes first; what is over before it began never was."""
    known = [end for end in ends if end is assertion.ended or assertion.said_at <= end.said_at]
    if assertion.ended is not None and assertion.ended.at is not None and assertion.ended.at < assertion.since:
        return replace(assertion.ended, at=None)
    back = [end for end in known if end.at is None]
    cuts = [end for end in known if end.at is not None and assertion.since <= end.at]
    return min(back or cuts, key=lambda end: (end.at or end.said_at, end.said_at, end.event), default=None)


def _line(assertions: list[Assertion]) -> list[Version]:
    assertions = _copied(assertions)
    taken_back = [a for a in assertions if a.ended is not None and a.ended.at is None]
    live, corrected = _corrections([a for a in assertions if a not in taken_back])
    by_event = {assertion.event: assertion for assertion in live}
    for assertion in taken_back:
        corrected.setdefault(assertion.id, by_event.get(assertion.ended.event) if assertion.ended is not None else None)
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
        if not assertion.negated and not assertion.stated and start < assertion.since:
            live[live.index(assertion)] = fixed = replace(assertion, since=start)
        else:
            fixed = assertion
        gone[wrong[0].id] = fixed
    return live, gone


def _ended(standing: list[Version], done: list[Version], now: datetime) -> None:
    """Put aside what has an end of its own before `now`."""
    over = [version for version in standing if version.valid_to is not None and version.valid_to <= now]
    standing[:] = [version for version in standing if version not in over]
    done.extend(over)


def _close(version: Version, at: datetime, done: list[Version]) -> None:
    """End a version at `at`, if it has not ended before. What was disputed for a while stays marked so."""
    if version.valid_to is None or version.valid_to > at:
        version.valid_to = at
    if version.status == "active" or version.valid_to == version.valid_from:
        version.status = "superseded"
        version.disputes.clear()
    done.append(version)


def _set_aside(aside: dict[str, Version], assertion: Assertion) -> None:
    known = aside.get(assertion.value_key)
    if known is None:
        aside[assertion.value_key] = _version(assertion, [assertion], _end(assertion))
    else:
        _support(known, assertion)


def _end(assertion: Assertion) -> datetime | None:
    cut = None if assertion.ended is None else assertion.ended.at
    ends = [end for end in (assertion.until, cut) if end is not None]
    end = min(ends, default=None)
    return max(end, assertion.since) if end is not None else None


def _support(version: Version, assertion: Assertion) -> None:
    """Let an assertion of the same value support a version: it lasts as long as what was said last of it says."""
    version.assertions.append(assertion)
    version.valid_to = _end(max(version.assertions, key=_said))
    if version.status != "disputed":
        version.status = _status(version)


def _status(version: Version) -> FactStatus:
    return "superseded" if version.valid_to is not None else "active"


def _enter(standing: list[Version], done: list[Version], assertion: Assertion) -> None:
    """Let an assertion take its place: beside what it disputes, in the version it supports, after what it replaces."""
    start = assertion.since
    tied = [v for v in standing if v.id != assertion.id and v.valid_from == start and not _ordered(v, assertion)]
    same = next(
        (v for v in standing if v.id == assertion.id and (v.status != "disputed" or v.valid_from == start)), None
    )
    closed = [v for v in standing if v is not same and v not in tied]
    standing[:] = [v for v in standing if v not in closed]
    for version in closed:
        _close(version, start, done)
    if same is None:
        same = _version(assertion, [assertion], _end(assertion))
        standing.append(same)
    else:
        _support(same, assertion)
    same.replaces.extend((version, "later valid time") for version in closed)
    if tied:
        same.disputes.extend(v for v in tied if v not in same.disputes)
        for version in (*tied, same):
            version.status = "disputed"
    elif same.status == "disputed":
        same.status = _status(same)
        same.disputes.clear()


def _ordered(version: Version, assertion: Assertion) -> bool:
    """Say whether something other than valid time puts the assertion after the version."""
    last = version.assertions[-1]
    arrival = assertion.thread is not None and assertion.thread == last.thread
    better = max(a.confidence for a in version.assertions) < assertion.confidence
    return assertion.change != "state" or last.ended is not None or arrival or better
