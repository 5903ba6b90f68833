"""Calendar arithmetic: what the rules compute with.

A `Period` is a naive local interval `[start, end)`. Weeks begin on Monday; a week belongs to the month or year that
holds its Thursday (ISO 8601). Month arithmetic clips to the last day of the month (dateutil's relativedelta): 31
January + 1 month = 28 February.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeAlias

from dateutil.relativedelta import relativedelta

from sgraph.records.timespan import Basis

Duration: TypeAlias = Mapping[str, float]
"""Amounts by unit, e.g. {"year": 2, "day": 21}."""

DAY = timedelta(days=1)
MONTHS_IN = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_DAYS_IN = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7}
_SECONDS_IN = {"hour": 3600, "minute": 60, "second": 1}
CLOCK_UNITS = frozenset(_SECONDS_IN)
"""Units shorter than a day."""
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""First month of each meteorological season of the northern half of the earth; a winter belongs to the year in which it
begins."""


@dataclass(frozen=True, slots=True)
class Period:
    """A local interval and what is known about it.

    `grain` is the unit it was named in. `turn(k)` gives the k-th other occurrence of words that name no year, month or
    week (0 is the one chosen), None when there is none. `ahead`: the words are a time only when they look forward.
    """

    start: datetime
    end: datetime
    grain: str
    basis: Basis = "relative"
    turn: Callable[[int], Period | None] | None = None
    open_end: bool = False
    ahead: bool = False
    alternatives: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """When the words were said: the local wall clock, and its zone if known.

    `month_first`: whether figures put the month before the day when both orders are possible.
    """

    now: datetime
    zone: tzinfo | None = None
    month_first: bool = True

    @property
    def day(self) -> datetime:
        """Midnight at the start of the day of speaking."""
        return floor(self.now, "day")


def floor(at: datetime, unit: str) -> datetime:
    """Give the start of the calendar unit that holds `at`."""
    day = at.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if unit in MONTHS_IN:
        size = MONTHS_IN[unit]
        months = (day.year * 12 + day.month - 1) // size * size
        return day.replace(year=months // 12, month=months % 12 + 1, day=1)
    if unit in ("week", "fortnight", "weekend"):
        return day - day.weekday() * DAY
    if unit == "hour":
        return at.replace(minute=0, second=0, microsecond=0)
    if unit == "minute":
        return at.replace(second=0, microsecond=0)
    return at.replace(microsecond=0) if unit == "second" else day


def shift(at: datetime, unit: str, count: float) -> datetime:
    """Move by whole or half calendar units; half a month is 15 days, half a year six months."""
    if unit in MONTHS_IN:
        months, rest = divmod(count * MONTHS_IN[unit], 1)
        return at + relativedelta(months=int(months)) + round(rest * 30) * DAY
    if unit in _DAYS_IN:
        return at + count * _DAYS_IN[unit] * DAY
    return at + timedelta(seconds=count * _SECONDS_IN[unit])


def moved(moment: Moment, at: datetime, duration: Duration, sign: int) -> datetime:
    """Move `at` by a duration, largest units first. Hours and less are counted in real time, across clock changes."""
    order = (*reversed(MONTHS_IN), "fortnight", "weekend", "week", "day")
    for unit in order:
        if unit in duration:
            at = shift(at, unit, sign * duration[unit])
    for _ in range(int(duration.get("working day", 0))):
        at += sign * DAY
        while at.weekday() > 4:
            at += sign * DAY
    seconds = sum(_SECONDS_IN[unit] * count for unit, count in duration.items() if unit in _SECONDS_IN)
    if not seconds:
        return at
    if moment.zone is None:
        return at + timedelta(seconds=sign * seconds)
    instant = at.replace(tzinfo=moment.zone).astimezone(UTC) + timedelta(seconds=sign * seconds)
    return instant.astimezone(moment.zone).replace(tzinfo=None)


def unit_at(at: datetime, unit: str, offset: int = 0, basis: Basis = "relative") -> Period:
    """Give the calendar unit that holds `at`, or the one `offset` units on."""
    if unit == "weekend":
        saturday = floor(at, "week") + (5 + 7 * offset) * DAY
        return Period(saturday, saturday + 2 * DAY, unit, basis)
    start = shift(floor(at, unit), unit, offset)
    return Period(start, shift(start, unit, 1), unit, basis)


def day_of(year: int, month: int, day: int) -> Period:
    """Give one day of the calendar; ValueError when there is no such day."""
    start = datetime(year, month, day)
    return Period(start, start + DAY, "day", "explicit")


def month_of(year: int, month: int) -> Period:
    """Give one month of the calendar."""
    return Period(datetime(year, month, 1), datetime(year + month // 12, month % 12 + 1, 1), "month", "explicit")


def year_of(year: int) -> Period:
    """Give one year of the calendar."""
    return Period(datetime(year, 1, 1), datetime(year + 1, 1, 1), "year", "explicit")


def season_of(year: int, name: str) -> Period:
    """Give the season that begins in that year."""
    start = datetime(year, SEASONS[name], 1)
    return Period(start, shift(start, "month", 3), "season", "explicit")


def yearly(moment: Moment, make: Callable[[int], Period], *, nearest: bool = False) -> Period | None:
    """Choose the year of something that was named without one.

    The calendar year of speaking, unless that lies eleven months or more away: then the nearest. With `nearest`, what
    is still to come this year gives way to last year's when that lies nearer. A date that the year lacks (29 February)
    is taken from the latest year before that has it.
    """
    this = moment.now.year
    chosen = _existing(make, this, -1) or _existing(make, this, 1)
    if chosen is None:
        return None
    year, period = chosen
    far = abs(period.start - moment.day) > 334 * DAY
    if year == this and (far or (nearest and period.start > moment.day)):
        others = [_existing(make, this - 1, -1), _existing(make, this + 1, 1) if far else None]
        near = [chosen, *(other for other in others if other is not None)]
        year, period = min(near, key=lambda item: abs(item[1].start - moment.day))

    def turn(k: int) -> Period | None:
        found = _existing(make, year + k, 1 if k > 0 else -1)
        return None if found is None else found[1]

    return replace(period, turn=turn)


def _existing(make: Callable[[int], Period], year: int, step: int) -> tuple[int, Period] | None:
    """Give the first year from `year` on, in steps, that has the date; leap days are eight years apart at most."""
    for candidate in range(year, year + 9 * step, step):
        with suppress(ValueError):
            return candidate, make(candidate)
    return None


def monthly(moment: Moment, day: int) -> Period | None:
    """Choose the month of a bare day of the month: the latest month in which that day has come."""
    months = [floor(moment.now, "month") + relativedelta(months=n) for n in range(-4, 5)]
    days = [
        Period(start, start + DAY, "day", "explicit")
        for month in months
        if 1 <= day <= 31 and (start := month + (day - 1) * DAY).month == month.month
    ]
    past = [n for n, period in enumerate(days) if period.start <= moment.now]
    if not past:
        return None
    at = past[-1]

    def turn(k: int) -> Period | None:
        return days[at + k] if 0 <= at + k < len(days) else None

    return replace(days[at], turn=turn)


def weekly(moment: Moment, weekday: int) -> Period:
    """Choose the week of a bare weekday: the coming one, never today (people say "today")."""

    def turn(k: int) -> Period:
        start = moment.day + ((weekday - moment.day.weekday() - 1) % 7 + 1) * DAY + 7 * k * DAY
        return Period(start, start + DAY, "day", "explicit", turn)

    return turn(0)


def weekday_in(period: Period, weekday: int, nth: int) -> Period | None:
    """Give the nth weekday inside a period (1 is the first, -1 the last)."""
    if nth > 0:
        start = period.start + ((weekday - period.start.weekday()) % 7 + 7 * (nth - 1)) * DAY
    else:
        last = period.end - DAY
        start = last - ((last.weekday() - weekday) % 7 + 7 * (-nth - 1)) * DAY
    return Period(start, start + DAY, "day", period.basis) if period.start <= start < period.end else None


def unit_in(period: Period, unit: str, nth: int) -> Period | None:
    """Give the nth unit inside a period (1 is the first, -1 the last); weeks belong where their Thursday lies."""
    if unit == "week" and period.grain != "week":
        thursday = weekday_in(period, 3, nth)
        return None if thursday is None else unit_at(thursday.start, "week", basis=period.basis)
    if unit == "weekend":
        saturday = weekday_in(period, 5, nth)
        return None if saturday is None else unit_at(saturday.start, "weekend", basis=period.basis)
    first = unit_at(period.start if nth > 0 else period.end - DAY, unit, basis=period.basis)
    wanted = unit_at(first.start, unit, nth - 1 if nth > 0 else nth + 1, period.basis)
    return wanted if period.start <= wanted.start and wanted.end <= period.end else None


def within(period: Period, choose: Callable[[Period], Period | None]) -> Period | None:
    """Choose a part of a period; it has its basis, and turns with it when it names no year."""
    part = choose(period)
    if part is None:
        return None
    part = replace(part, basis=period.basis)
    if period.turn is None:
        return part
    turn = period.turn

    def turned(k: int) -> Period | None:
        other = turn(k)
        return None if other is None else choose(other)

    return replace(part, turn=turned)
