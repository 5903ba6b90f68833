"""Times and claims in words, for people who read an export."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sgraph.records.subgraph import SubgraphClaim, SubgraphEvent
from sgraph.records.vocabulary import predicate

Standing = Literal["now", "planned", "disputed", "history", "forgotten"]


def zone_of(name: str) -> tzinfo:
    """Give a time zone by its IANA name; UTC when there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def instant(at: datetime, zone: tzinfo) -> str:
    """Write an instant: the day alone when it begins a day, else to the minute with the offset."""
    local = _local(at, zone)
    if (local.hour, local.minute, local.second) == (0, 0, 0):
        return f"{local:%Y-%m-%d}".rjust(10, "0")
    return local.isoformat(" ", "minutes")


def _local(at: datetime, zone: tzinfo) -> datetime:
    try:
        return at.astimezone(zone)
    except OverflowError:  # the first or last day there is
        return at


def validity(claim: SubgraphClaim, zone: tzinfo) -> str:
    """Write from when to when a claim holds; "at the latest" when its start is merely when it was said."""
    stated = any(support.stated for support in claim.supports)
    start = instant(claim.valid_from, zone) + ("" if stated else " at the latest")
    return f"since {start}" if claim.valid_to is None else f"from {start} until {instant(claim.valid_to, zone)}"


def happened(event: SubgraphEvent, zone: tzinfo) -> str | None:
    """Write when an event happened, no finer than it is known; None when the words do not say."""
    start, end = event.happened_start or event.happened_end, event.happened_end
    if start is None:
        return None
    local = _local(start, zone)
    whole = {
        "year": f"{local.year:04}",
        "month": f"{local.year:04}-{local.month:02}",
        "day": f"{local:%Y-%m-%d}",
        "instant": instant(start, zone),
    }
    if event.time_precision in whole:
        return whole[event.time_precision]
    last = end - timedelta(microseconds=1) if end is not None and end > start else start
    days = f"{local:%Y-%m-%d}", f"{_local(last, zone):%Y-%m-%d}"
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"


def label(claim: SubgraphClaim) -> str:
    """Write what a claim says between its entity and its value."""
    return ("not: " if claim.negated else "") + predicate(claim.key).label


def standing(claim: SubgraphClaim, now: datetime) -> Standing:
    """Say how a claim stands at an instant."""
    if not claim.visible:
        return "forgotten"
    if claim.status == "disputed":
        return "disputed"
    if claim.valid_to is not None and claim.valid_to <= now:
        return "history"
    return "planned" if claim.valid_from > now else "now"


def count(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
