"""Times that come from outside: a message's instant, and the bounds of a filter."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Any, TypeAlias

from sgraph.chronology.periods import DAY
from sgraph.chronology.reading import read_whole, resolve
from sgraph.chronology.tokens import Number, tokenize
from sgraph.errors import InvalidFilter, InvalidTime

Interval: TypeAlias = tuple[datetime | None, datetime | None]
"""`[start, end)` in UTC; None is an open side."""

_MILLISECONDS = 10_000_000_000
"""Epoch numbers from here on are milliseconds: as seconds they would lie after the year 2286."""
_EARLIEST = 100_000_000
"""Seconds since 1970 that a message may have at least (March 1973): less is a count of something else."""
_ISO = re.compile(r"\d{4}-?\d\d-?\d\d[T ]\d\d.*", re.IGNORECASE)
_OFFSET = re.compile(r" +([+-]\d\d:?\d\d)$")
_LONGEST = 200
"""Characters that a time may have; the longest dates in words have about fifty."""
_EPOCH = re.compile(r"\d{9,}(\.\d+)?")


def read_instant(value: Any, zone: tzinfo, *, field: str) -> datetime:
    """Read the instant of a message; give it in UTC.

    Takes a datetime, an ISO 8601 text (with `Z`, an offset, or none), seconds or milliseconds since 1970 as a number,
    or a date and time in words ("1:56 pm on 8 May, 2023"). What has no offset is read in `zone`; a date without a time
    is its midnight. Raises InvalidTime with `field` when it cannot be read: nothing is ever filled in from the clock.
    """
    try:
        found = _instant(value, zone)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidTime(f"{field}: {value!r} is no time ({error})", field=field, value=_shown(value)) from error
    if found is None:
        raise InvalidTime(f"{field}: {value!r} is no time", field=field, value=_shown(value))
    return found


def _instant(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, datetime):
        return _utc(value, zone)
    if isinstance(value, date):
        return _utc(datetime(value.year, value.month, value.day), zone)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        text = value.strip()
        if len(text) > _LONGEST:
            return None
        if _ISO.fullmatch(text):
            return _utc(
                datetime.fromisoformat(_OFFSET.sub(r"\1", text.upper().replace(" UTC", "Z").replace(" GMT", "Z"))), zone
            )
        if not _EPOCH.fullmatch(text):
            return _worded(text, zone)
        value = float(text)
    seconds = value / 1000 if value >= _MILLISECONDS else value
    return datetime.fromtimestamp(seconds, UTC) if _EARLIEST <= seconds < _MILLISECONDS else None


def _worded(text: str, zone: tzinfo) -> datetime | None:
    """Read a date in words that stands by itself: the same whenever it is read."""
    early, late = (resolve(text, datetime(year, 7, 2, 12)) for year in (1990, 2010))
    if early is None or late is None or early.start != late.start or early.precision not in ("day", "instant"):
        return None
    return _utc(early.start, zone)


def read_filter(value: Any, now: datetime, zone: tzinfo, *, field: str, side: str = "both") -> Interval:
    """Read a filter on time; give `[start, end)` in UTC.

    Takes a datetime (an instant), a date, an ISO 8601 text, words as a person types them ("yesterday", "last month",
    "August 2026"), or a pair of those. Words are counted from `now`, in `zone`. `side` says what one value stands for:
    the interval itself ("both"), a lower bound ("from": `end` stays open) or an upper bound ("to": `start` stays open,
    the whole day or month named is inside). None is open. Raises InvalidFilter with `field` when a value cannot be
    read, or the end lies before the start.
    """
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise InvalidFilter(
                f"{field}: a pair of times is needed, not {len(value)}", field=field, value=_shown(value)
            )
        start = read_filter(value[0], now, zone, field=field, side="from")[0]
        end = read_filter(value[1], now, zone, field=field, side="to")[1]
        return check_order(start, end, field=field, value=value)
    if value is None:
        return None, None
    try:
        found = _bounds(value, now, zone)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidFilter(f"{field}: {value!r} is no time ({error})", field=field, value=_shown(value)) from error
    if found is None:
        raise InvalidFilter(f"{field}: {value!r} is no time", field=field, value=_shown(value))
    return {"from": (found[0], None), "to": (None, found[1]), "both": found}[side]


def _spelt_out(text: str) -> bool:
    """Tell whether a calendar date has a number in English words: "Jan twenty" may mean a day or a year."""
    return text.isascii() and any(
        isinstance(value, Number) and not value.digits for token in tokenize(text) for _, value in token.classes
    )


def check_order(start: datetime | None, end: datetime | None, *, field: str, value: Any = None) -> Interval:
    """Give both bounds back; InvalidFilter when nothing lies between them."""
    if start is not None and end is not None and end <= start:
        raise InvalidFilter(f"{field}: ends before anything of it has begun", field=field, value=_shown(value))
    return start, end


def _bounds(value: Any, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        start = datetime(value.year, value.month, value.day)
        return _utc(start, zone), _utc(start + DAY, zone)
    if isinstance(value, str) and len(value) > _LONGEST:
        return None
    if isinstance(value, str) and not _ISO.fullmatch(value.strip()) and not _EPOCH.fullmatch(value.strip()):
        span = read_whole(value, _utc(now, zone).astimezone(zone))
        if span is None or (span.basis == "explicit" and _spelt_out(value)):
            return None
        return span.start.astimezone(UTC), span.end.astimezone(UTC)
    instant = _instant(value, zone)
    return None if instant is None else (instant, instant)


def overlaps(
    a_start: datetime | None, a_end: datetime | None, b_start: datetime | None, b_end: datetime | None
) -> bool:
    """Tell whether `[a_start, a_end)` and `[b_start, b_end)` share an instant; None is an open side.

    An interval of no length is its one instant. What is unknown is not open: the caller keeps it apart.
    """
    return _begins_before(a_start, b_start, b_end) and _begins_before(b_start, a_start, a_end)


def _begins_before(start: datetime | None, other_start: datetime | None, other_end: datetime | None) -> bool:
    if start is None or other_end is None:
        return True
    return start < other_end or (start == other_end == other_start)


def _utc(at: datetime, zone: tzinfo) -> datetime:
    return (at if at.tzinfo is not None else at.replace(tzinfo=zone)).astimezone(UTC)


def _shown(value: Any) -> Any:
    """Give a value that JSON can hold."""
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
