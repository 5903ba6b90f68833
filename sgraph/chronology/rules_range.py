"""Rules for stretches between, from and up to times, English and Chinese.

"From A to B" ends where B begins, as the public corpora have it; the reading that takes B in is the alternative.
"Through" takes B in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sgraph.chronology.grammar import Rule, rule
from sgraph.chronology.periods import CLOCK_UNITS, DAY, Moment, Period, day_of, floor, within, yearly
from sgraph.chronology.tokens import Number
from sgraph.records.timespan import Basis


def between(_: Moment, first: Period, last: Period) -> Period | None:
    """Span from the first to the last; what names no year or week is taken from the nearest one that fits."""

    def pair(k: int) -> Period | None:
        end = _occurrence(last, k)
        begins = [begin for n in range(-4, 5) if (begin := _occurrence(first, n)) and end and begin.start < end.start]
        return _stretch(max(begins, key=lambda period: period.start), end) if begins and end else None

    chosen = 0
    if first.turn is None and last.turn is not None:  # the nearest end after a fixed beginning, a century off at most
        ends = (k for k in range(-100, 1) if (end := _occurrence(last, k)) and end.start > first.start)
        chosen = next(ends, 0)
    span = pair(chosen) or pair(chosen + 1)
    turns = first.turn is not None and last.turn is not None
    return replace(span, turn=lambda k: pair(chosen + k)) if span and turns else span


def _occurrence(period: Period, k: int) -> Period | None:
    return period if k == 0 else period.turn(k) if period.turn is not None else None


def _stretch(first: Period, last: Period) -> Period:
    others = () if last.grain in CLOCK_UNITS else ((first.start, last.end),)
    basis: Basis = "relative" if "relative" in (first.basis, last.basis) else "explicit"
    return Period(first.start, last.start, "range", basis, alternatives=others)


def through(moment: Moment, first: Period, last: Period) -> Period | None:
    """Span from the first to the end of the last."""
    span = between(moment, first, last)
    return None if span is None else within(span, lambda p: replace(p, end=p.alternatives[0][1], alternatives=()))


def days_of_month(moment: Moment, month: int, first: int, last: int, year: int | None = None) -> Period | None:
    """Read "January 4 to 22"."""

    def make(y: int) -> Period:
        start, end = day_of(y, month, first), day_of(y, month, last)
        if end.start <= start.start:
            raise ValueError("reversed")
        return Period(start.start, end.start, "range", "explicit", alternatives=((start.start, end.end),))

    if not isinstance(first, Number):
        return None
    return yearly(moment, make) if year is None else make(year)


def days_then_month(moment: Moment, first: int, last: int, month: int, year: int | None = None) -> Period | None:
    """Read "from 4 to 22 January"."""
    return days_of_month(moment, month, first, last, year)


def days_of_that_month(_: Moment, first: int, last: int, month: Period) -> Period | None:
    """Read "from 4 to 22 this month"."""
    if month.grain != "month" or not 1 <= first < last:
        return None

    def span(p: Period) -> Period:
        start, end = p.start.replace(day=first), p.start.replace(day=last)
        return Period(start, end, "range", p.basis, alternatives=((start, end + DAY),))

    return within(month, span)


def to_date(unit: str) -> Callable[[Moment], Period]:
    """Make the reading of "year to date": from its beginning to today."""
    return lambda moment: Period(floor(moment.now, unit), moment.day, "range")


def months_of_year(moment: Moment, first: int, last: int, year: int) -> Period | None:
    """Read "from March to May 2015"."""
    if last <= first:
        return None
    start, end = day_of(year, first, 1), day_of(year, last, 1)
    return Period(
        start.start,
        end.start,
        "range",
        "explicit",
        alternatives=((start.start, day_of(year, last, 28).start + 4 * DAY),),
    )


def week_between(_: Moment, week: Period, first: int, last: int) -> Period | None:
    """Read "next week between Wednesday and Friday"."""
    if week.grain != "week" or last <= first:
        return None
    start, end = week.start + first * DAY, week.start + last * DAY
    return Period(start, end, "range", week.basis, alternatives=((start, end + DAY),))


def since(moment: Moment, period: Period) -> Period | None:
    """Read "since 2016": up to the moment of speaking, and on."""
    begun = _turned(period, lambda p: p.start <= moment.now)
    return None if begun is None else Period(begun.start, moment.now, "range", begun.basis, open_end=True)


def after(moment: Moment, period: Period) -> Period | None:
    """Read "after 2016": from its end to the moment of speaking; in the future as long again as the period named."""
    if period.end < moment.now:
        return Period(period.end, moment.now, "range", period.basis, open_end=True)
    return Period(period.end, period.end + (period.end - period.start), "range", period.basis, open_end=True)


def until(moment: Moment, period: Period) -> Period | bool:
    """Read "until Friday" and "by the end of May": from today to its end; of the past the beginning is unknown."""
    ahead = _turned(period, lambda p: p.end > moment.now)
    return True if ahead is None else Period(min(moment.day, ahead.start), ahead.end, "range", ahead.basis)


def before(moment: Moment, period: Period) -> Period | bool:
    """Read "before Friday": from today to its beginning; of the past the beginning is unknown."""
    return Period(moment.day, period.start, "range", period.basis) if period.start > moment.now else True


def _turned(period: Period, fits: object) -> Period | None:
    assert callable(fits)
    for candidate in (period, period.turn(-1) if period.turn else None, period.turn(1) if period.turn else None):
        if candidate is not None and fits(candidate):
            return candidate
    return None


RULES: tuple[Rule, ...] = (
    rule(
        "range",
        "SPAN",
        (
            "from DATE to|till|until|- DATE",
            "between DATE and|to|till|until|through|- DATE",
            "TIME to|till|until|- TIME",
        ),
        between,
        "from 2014 to 2018",
        "January 12, 2016 - 01/22/2016",
    ),
    rule("range", "ALONE", ("DATE to|- DATE",), between, "10/1 - 11/7"),
    rule("range, end included", "SPAN", ("from? DATE through|thru DATE",), through, "Monday through Friday"),
    rule(
        "days of a month",
        "SPAN",
        (
            "from|between? MONTH NTH to|-|and|till|until NTH",
            "from|between? MONTH NTH to|-|and|till|until NTH ,|of? YEAR",
        ),
        days_of_month,
        "January 4 to 22",
    ),
    rule(
        "days of a month",
        "SPAN",
        (
            "from|between? the? NTH to|-|and|till|until the? NTH of? MONTH|LOWMONTH",
            "from|between? the? NTH to|-|and|till|until the? NTH of? MONTH|LOWMONTH ,|of? YEAR",
        ),
        days_then_month,
        "from 4 to 22 January",
    ),
    rule(
        "days of a month",
        "SPAN",
        ("from|between? the? NTH to|-|and|till|until the? NTH ,|of|in? DATE",),
        days_of_that_month,
        "from 4 to 22 this month",
    ),
    rule("from now", "SPAN", ("from|between now to|till|until|and DATE",), until, "from now until Friday"),
    rule("to date", "SPAN", ("year -? to -? date", "ytd"), to_date("year"), "year to date"),
    rule("to date", "SPAN", ("month -? to -? date", "mtd"), to_date("month"), "month to date"),
    rule(
        "months of a year",
        "SPAN",
        ("from|between? MONTH to|-|and|till|until MONTH ,|of|in? YEAR",),
        months_of_year,
        "from March to May 2015",
    ),
    rule(
        "days of a week",
        "SPAN",
        ("DATE ,|between|from? WEEKDAY and|to|-|through WEEKDAY",),
        week_between,
        "next week between Wednesday and Friday",
    ),
    rule("since", "SPAN", ("ever? since DATE", "starting|from DATE on|onwards|onward"), since, "since 2016"),
    rule("after", "SPAN", ("after DATE",), after, "after 2016"),
    rule("until", "SPAN", ("until|till|by DATE", "up to DATE"), until, "until Friday"),
    rule("before", "SPAN", ("before DATE", "prior to DATE"), before, "before Friday"),
    rule(
        "range",
        "SPAN",
        ("从|自? DATE 到|至|- DATE", "从|自|在? DATE 与|和|到|至 DATE 之间|间|期间"),
        between,
        "从7月4日到7月6日",
    ),
    rule("range", "SPAN", ("DATE 之后|以后|后 DATE 之前|以前|前",), between, "2010年之后2018年之前"),
    rule("since", "SPAN", ("自|从|自从? DATE 以来|起|开始",), since, "2016年以来"),
    rule("before", "SPAN", ("DATE 之前|以前",), before, "周五之前"),
    rule("after", "SPAN", ("DATE 之后|以后",), after, "2016年之后"),
)
