"""English rules for durations, and for times that lie a duration from another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sgraph.chronology.grammar import Rule, constant, nothing, rule, same
from sgraph.chronology.periods import (
    CLOCK_UNITS,
    DAY,
    Duration,
    Moment,
    Period,
    floor,
    month_of,
    moved,
    shift,
    unit_at,
    within,
)
from sgraph.chronology.tokens import Number


def _half_more(_: Moment, count: int) -> float:
    return count + 0.5


def _decimal(_: Moment, whole: Number, part: Number) -> float | None:
    return (
        float(f"{int(whole)}.{'0' * (part.digits - len(str(int(part))))}{int(part)}")
        if whole.digits and part.digits
        else None
    )


def duration(_: Moment, count: float, unit: str) -> Duration:
    """Count units."""
    return {unit: count}


def rough_duration(_: Moment, count: float, more: str | int, unit: str | None = None) -> Duration:
    """Read "a week or two" and "2-3 weeks": the smaller count."""
    return {more if isinstance(more, str) else str(unit): count}


def working_days(_: Moment, count: float, unit: str = "day") -> Duration | None:
    """Count days from Monday to Friday."""
    return {"working day": count} if unit == "day" and 1 <= count <= 2000 else None


def duration_and_half(_: Moment, count: float, unit: str) -> Duration:
    """Read "a year and a half"."""
    return {unit: count + 0.5}


def longer(_: Moment, first: Duration, second: Duration) -> Duration | None:
    """Join "two years" and "21 days"."""
    return {**first, **second} if not first.keys() & second.keys() else None


def at_distance(moment: Moment, length: Duration, sign: int) -> Period | None:
    """Give the time that lies a duration from the moment of speaking.

    A day when counted in days, weeks or months; a month when counted in years alone; the minute or second when counted
    in less.
    """
    if length.keys() & CLOCK_UNITS:
        grain = "second" if length.keys() & {"minute", "second"} else "minute"
        start = floor(moved(moment, moment.now, length, sign), grain)
        return Period(start, shift(start, grain, 1), grain)
    there = moved(moment, moment.day, length, sign)
    return unit_at(there, "month" if length.keys() <= {"year", "decade", "century"} else "day")


def from_now(moment: Moment, length: Duration) -> Period | None:
    """Read "three weeks from now"."""
    return at_distance(moment, length, 1)


def in_a_time(moment: Moment, length: Duration) -> Period | None:
    """Read "in three weeks": of the past it tells how long something took."""
    found = at_distance(moment, length, 1)
    return None if found is None else replace(found, ahead=True)


def so_long(moment: Moment, length: Duration) -> Period:
    """Read "for 3 years now": it goes on."""
    return replace(span_to_now(moment, length), end=moment.now, open_end=True)


def ago(moment: Moment, length: Duration) -> Period | None:
    """Read "three weeks ago"."""
    return at_distance(moment, length, -1)


def beyond(sign: int) -> Callable[[Moment, Duration, Period], Period | None]:
    """Make the reading of "three days after Easter" and "a week before Christmas"."""

    def read(moment: Moment, length: Duration, period: Period) -> Period | None:
        def there(p: Period) -> Period:
            start = moved(moment, p.start, length, sign)
            small = bool(length.keys() & CLOCK_UNITS)
            return Period(start, shift(start, "minute" if small else "day", 1), "minute" if small else "day", p.basis)

        return within(period, there) if period.grain in ("day", *CLOCK_UNITS) else None

    return read


def ago_that_day(moment: Moment, length: Duration, day: Period) -> Period | None:
    """Read "a year ago today" and "a week ago yesterday"."""
    return beyond(-1)(moment, length, day) if day.basis == "relative" and day.grain == "day" else None


def week_on(moment: Moment, count: float, unit: str, day: Period) -> Period | None:
    """Read "a week on Friday": so many weeks after it."""
    return beyond(1)(moment, {unit: count}, day) if unit == "week" and day.grain == "day" else None


def span_from_now(moment: Moment, length: Duration) -> Period:
    """Read "within two weeks": from today (from now, when counted in hours) to the end of the duration."""
    start = moment.now if length.keys() & CLOCK_UNITS else moment.day
    return Period(start, moved(moment, start, length, 1), "range")


def lasting(moment: Moment, length: Duration, start: Period) -> Period:
    """Read "for 3 days from today" and "less than 3 days after tomorrow"."""
    return Period(start.start, moved(moment, start.start, length, 1), "range", start.basis)


def span_from_tomorrow(moment: Moment, length: Duration) -> Period | None:
    """Read "4 weeks in the future": so much time from tomorrow on."""
    if length.keys() & CLOCK_UNITS:
        return span_from_now(moment, length)
    return Period(moment.day + DAY, moved(moment, moment.day + DAY, length, 1), "range")


def span_to_now(moment: Moment, length: Duration) -> Period:
    """Read "the past two years and three months": so much time up to today."""
    if length.keys() & CLOCK_UNITS:
        return Period(moved(moment, moment.now, length, -1), moment.now, "range")
    return Period(moved(moment, moment.day, length, -1), moment.day, "range")


def month_in_years(moment: Moment, month: int, length: Duration) -> Period | None:
    """Read "March in a year"."""
    there = moved(moment, moment.day, length, 1)
    return month_of(there.year, month) if length.keys() == {"year"} else None


RULES: tuple[Rule, ...] = (
    rule("amount", "AMOUNT", "N", same, "three"),
    rule("amount", "AMOUNT", ("a|an",), constant(1), "a"),
    rule("amount", "AMOUNT", ("a? couple of?", "a pair of"), constant(2), "a couple of"),
    rule("amount", "AMOUNT", ("a? dozen",), constant(12), "a dozen"),
    rule("amount", "AMOUNT", ("a? quarter of an", "a quarter of a"), constant(0.25), "a quarter of an"),
    rule("amount", "AMOUNT", ("three quarters of an", "three quarters of a"), constant(0.75), "three quarters of an"),
    rule("amount", "AMOUNT", ("a? few",), constant(3), "a few"),
    rule("amount", "AMOUNT", ("several",), constant(4), "several"),
    rule("amount", "AMOUNT", ("half a|an", "a half"), constant(0.5), "half a"),
    rule("amount", "AMOUNT", ("N and a? half",), _half_more, "two and a half"),
    rule("amount", "AMOUNT", ("N . N",), _decimal, "1.5"),
    rule("duration", "DURATION", ("AMOUNT UNIT", "AMOUNT more|whole|full|other UNIT"), duration, "three weeks"),
    rule(
        "duration",
        "DURATION",
        ("AMOUNT business|working|work UNIT", "AMOUNT weekdays|workdays|workday"),
        working_days,
        "four business days",
    ),
    rule("duration", "DURATION", ("AMOUNT UNIT or so|two", "AMOUNT -|to|or N UNIT"), rough_duration, "a week or two"),
    rule("duration", "DURATION", ("AMOUNT UNIT and a half",), duration_and_half, "a year and a half"),
    rule("duration", "DURATION", ("DURATION and|,? DURATION",), longer, "1 month and 21 days"),
    rule(
        "ago",
        "TIME",
        ("DURATION ago|back|earlier|previously", "about|around|almost|nearly|over DURATION ago"),
        ago,
        "three weeks ago",
    ),
    rule(
        "ago, from a day",
        "TIME",
        ("DURATION ago TIME",),
        ago_that_day,
        "a year ago today",
    ),
    rule(
        "in a time",
        "TIME",
        ("in DURATION", "in DURATION '? time", "in DURATION ' s time"),
        in_a_time,
        "in three weeks",
        "in a week's time",
    ),
    rule(
        "from now",
        "TIME",
        ("DURATION from now", "DURATION hence"),
        from_now,
        "two weeks from now",
        "2 years 21 days later",
    ),
    rule("later", "TIME", ("DURATION later|ahead",), in_a_time, "2 years 21 days later"),
    rule("after a time", "TIME", ("DURATION from|after|following DATE",), beyond(1), "three days after Easter"),
    rule(
        "before a time",
        "TIME",
        ("DURATION before|prior DATE", "DURATION prior to DATE"),
        beyond(-1),
        "two weeks before Christmas",
    ),
    rule(
        "within",
        "SPAN",
        ("within the|my? REL? DURATION from? now|today?",),
        lambda m, _rel, length: span_from_now(m, length),
        "within two weeks",
    ),
    rule(
        "less than",
        "SPAN",
        ("less|fewer than DURATION after|from|following DATE",),
        lasting,
        "less than 3 days after tomorrow",
    ),
    rule(
        "less than",
        "SPAN",
        ("less|fewer than DURATION from now", "less|fewer than DURATION later", "in less|fewer than DURATION"),
        span_from_now,
        "in less than 2 weeks",
    ),
    rule("less than", "SPAN", ("less|fewer than DURATION ago",), span_to_now, "less than 2 weeks ago"),
    rule("more than", "NOT_TIME", ("more than DURATION ago",), nothing, "more than 2 years ago"),
    rule(
        "for a time",
        "TIME",
        ("for? DURATION ,? starting|beginning DATE", "for DURATION ,? from DATE"),
        lasting,
        "for 3 days from today",
    ),
    rule(
        "for a time",
        "TIME",
        ("from|starting|beginning DATE for DURATION",),
        lambda m, start, length: lasting(m, length, start),
        "from 16 May for 10 days",
    ),
    rule("a week on a day", "ALONE", ("AMOUNT UNIT on DATE",), week_on, "a week on Friday"),
    rule("a week on a day", "ALONE", ("DATE week",), lambda m, day: week_on(m, 1, "week", day), "Friday week"),
    rule("in the future", "SPAN", ("DURATION in|into the future",), span_from_tomorrow, "4 weeks in the future"),
    rule("past span", "SPAN", ("the? past|last|previous DURATION",), span_to_now, "the past 2 years 3 months"),
    rule(
        "future span",
        "SPAN",
        ("the? next|coming|following DURATION",),
        span_from_tomorrow,
        "the next 2 weeks and 3 days",
    ),
    rule("month in years", "TIME", ("MONTH|LOWMONTH in DURATION",), month_in_years, "March in a year"),
    rule(
        "preposition",
        "TIME",
        ("in|on|during|around|throughout|for DATE", "around|during the DATE"),
        same,
        "in 2014",
    ),
    rule("so long", "SPAN", ("for DURATION now|already",), so_long, "for 3 years now"),
)
