"""Dates in replies: ISO text of any precision becomes an interval `[start, end)`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, TypeAlias

from sgraph.chronology.periods import floor, shift
from sgraph.records.base import Record

Precision: TypeAlias = Literal[
    "instant", "day", "week", "month", "quarter", "season", "half", "year", "decade", "range", "unknown"
]  # fmt: skip

# Grains from fine to coarse; the calendar units among them can widen a finer date.
_FINENESS = ("instant", "day", "week", "month", "quarter", "half", "year", "decade")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_TIME_OF_DAY = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)


class DateSpan(Record):
    """What one date names: `[start, end)`, aware, in the offset it was given in."""

    start: datetime
    end: datetime
    grain: Literal["instant", "day", "month", "year"]


class Happened(Record):
    """When something happened or holds: `[start, end)` in UTC, and how precisely that is known."""

    start: datetime
    end: datetime
    precision: Precision


def read_date(text: str, zone: tzinfo = UTC) -> DateSpan:
    """Read `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or an ISO 8601 date and time, without an offset in `zone`.

    A time of day stands for its last stated digit: a minute, a second or a microsecond. Raises ValueError.
    """
    try:
        if found := _DATE.fullmatch(text):
            year, month, day = found.groups()
            start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=zone)
            grain: Literal["day", "month", "year"] = "day" if day else "month" if month else "year"
            return DateSpan(start=start, end=shift(start, grain, 1), grain=grain)
        if found := _TIME_OF_DAY.fullmatch(text):
            start = datetime.fromisoformat(text)
            start = start if start.tzinfo else start.replace(tzinfo=zone)
            seconds, fraction = found.groups()
            step = timedelta(microseconds=1) if fraction else timedelta(seconds=1 if seconds else 60)
            return DateSpan(start=start, end=start + step, grain="instant")
    except (OverflowError, ValueError) as error:
        raise ValueError("is no date of the calendar") from error
    raise ValueError("is not an ISO date")


def interval(start: DateSpan, end: DateSpan | None, precision: Precision | None = None) -> Happened:
    """Join a first and a last date to an interval in UTC.

    A day, month or year as the end is the last one inside; a time of day as the end is where the interval stops. With
    no end, a coarser `precision` widens the interval to that calendar unit. Raises ValueError when the end lies before
    the start, and when `precision` is finer than the date or cannot be (range or season without an end, unknown).
    """
    first, last = start.start, start.end
    if end is not None:
        last = end.start if end.grain == "instant" and end.start > first else end.end
        known: Precision = precision or (start.grain if start == end else "range")
    else:
        known = precision or start.grain
    try:
        if end is None and known != start.grain:
            if known not in _FINENESS:
                raise ValueError("the precision does not fit a single date")
            if _FINENESS.index(known) < _FINENESS.index(start.grain):
                raise ValueError("the precision is finer than the date")
            first = floor(first, known)
            last = shift(first, known, 1)
        first, last = first.astimezone(UTC), last.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the interval leaves the calendar") from error
    if known == "unknown":
        raise ValueError("a date is given although the precision is unknown")
    if last <= first:
        raise ValueError("the end lies before the start")
    return Happened(start=first, end=last, precision=known)
