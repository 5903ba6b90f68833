"""Rules for stretches between, from and up to times, English and Chinese.

"From A to B" ends where B begins, as the public corpora have it; the reading that takes B in is the alternative.
"Through" takes B in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sgraph.chronology.grammar import Rule, rule
from sgraph.chronology.periods import CLOCK_UNITS, DAY, Moment, Period, day_of, floor, month_of, monthly, within, yearly
from sgraph.chronology.rules_numeric import month_day
from sgraph.chronology.tokens import Number
from sgraph.records.timespan import Basis


def between(_: Moment, first: Period, last: Period) -> Period | None:
    """Span from the first to the last; what names no year or week is taken from the nearest one that fits."""

    def pair(k: int) -> Period | None:
        end = _occurrence(last, k)
        apart = end.start.year - first.start.year if end else 0
        turns = sorted({*range(-4, 5), *range(apart - 1, apart + 2)})
        begins = [begin for n in turns if (begin := _occurrence(first, n)) and end and begin.start < end.start]
        return _stretch(max(begins, key=lambda period: period.start), end) if begins and end else None

    chosen = 0
    if first.turn is None and last.turn is not None:  # the nearest end after a fixed beginning, a century off at most
        ends = (k for k in range(-100, 1) if (end := _occurrence(last, k)) and end.start > first.start)
        chosen = next(ends, 0)
    span = pair(chosen) or pair(chosen + 1)
    turns = first.turn is not None and last.turn is not None
    return replace(span, turn=lambda k: pair(chosen + k)) if span and turns else span


def between_month_days(moment: Moment, a: Number, b: Number, c: Number, d: Number) -> Period | None:
    """Read 10.1-11.7."""
    first, last = month_day(moment, a, b), month_day(moment, c, d)
    return between(moment, first, last) if first is not None and last is not None else None


def to_the_end(moment: Moment, first: Period, last: Period) -> Period | None:
    """Read "from today to the end of the month"."""
    span = between(moment, first, replace(last, start=last.end, end=last.end))
    return None if span is None else replace(span, alternatives=())


def _occurrence(period: Period, k: int) -> Period | None:
    return period if k == 0 else period.turn(k) if period.turn is not None else None


def _stretch(first: Period, last: Period) -> Period:
    others = () if last.grain in CLOCK_UNITS else ((first.start, last.end),)
    basis: Basis = "relative" if "relative" in (first.basis, last.basis) else "explicit"
    return Period(first.start, last.start, "range", basis, alternatives=others)


def through(moment: Moment, first: Period, last: Period) -> Period | None:
    """Span from the first to the end of the last."""
    span = between(moment, first, last)
    if span is None or last.grain in CLOCK_UNITS:  # a time of day is an end as it stands
        return span
    return within(span, lambda p: replace(p, end=p.alternatives[0][1], alternatives=()))


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


def days_through(moment: Moment, month: int, first: int, last: int, year: int | None = None) -> Period | None:
    """Read "January 4 through 22"."""
    span = days_of_month(moment, month, first, last, year)
    return None if span is None else within(span, lambda p: replace(p, end=p.end + DAY, alternatives=()))


def days_of_this_month(moment: Moment, first: int, last: int) -> Period | None:
    """Read "from the 13th to the 15th" and 15号到20号."""
    start = monthly(moment, first)
    return days_within_month(moment, start, last) if start is not None else None


def days_within_month(_: Moment, first: Period, last: int) -> Period | None:
    """Read 一月十日到20日."""

    def span(p: Period) -> Period:
        end = p.start.replace(day=last)
        if end <= p.start:
            raise ValueError("reversed")
        return Period(p.start, end, "range", p.basis, alternatives=((p.start, end + DAY),))

    return within(first, span) if first.grain == "day" else None


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


def months_of_year(moment: Moment, first: int, last: int, year: int | None = None) -> Period | None:
    """Read "from March to May 2015" and 1到3月."""
    if not 1 <= first < last:
        return None

    def make(y: int) -> Period:
        return _stretch(month_of(y, first), month_of(y, last))

    return yearly(moment, make) if year is None else make(year)


def months_of_that_year(_: Moment, year: Period, first: int, last: int) -> Period | None:
    """Read 2016年1-3月."""
    fits = year.grain == "year" and 1 <= first < last
    return (
        within(year, lambda y: _stretch(month_of(y.start.year, first), month_of(y.start.year, last))) if fits else None
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
    if ahead is None:
        return True
    if ahead.grain in CLOCK_UNITS:
        return Period(min(moment.now, ahead.start), ahead.start, "range", ahead.basis)
    return Period(min(moment.day, ahead.start), ahead.end, "range", ahead.basis)


def before(moment: Moment, period: Period) -> Period | bool:
    """Read "before Friday": from today to its beginning; of the past the beginning is unknown."""
    if period.start <= moment.now:
        return True
    begun = moment.now if period.grain in CLOCK_UNITS else moment.day
    return Period(begun, period.start, "range", period.basis)


def _turned(period: Period, fits: object) -> Period | None:
    assert callable(fits)
    for candidate in (period, period.turn(-1) if period.turn else None, period.turn(1) if period.turn else None):
        if candidate is not None and fits(candidate):
            return candidate
    return None


RULES: tuple[Rule, ...] = (
    rule(
        "range, to the end",
        "SPAN",
        (
            "from? DATE to|till|until the? end of? WHOLE",
            "从|自? DATE 到|至 WHOLE 底|末",
            "从|自? DATE 到|至 ZH_OWN 底|末",
        ),
        to_the_end,
        "from today to the end of the month",
    ),
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
    rule("range", "ALONE", "N . N - N . N", between_month_days, "10.1-11.7"),
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
    rule(
        "days of a month, end included",
        "SPAN",
        ("from|between? MONTH NTH through|thru NTH", "from|between? MONTH NTH through|thru NTH ,|of? YEAR"),
        days_through,
        "July 13 through 15",
    ),
    rule(
        "days of this month",
        "SPAN",
        ("from the ORD to|till|until|through the? ORD", "between the ORD and the? ORD"),
        days_of_this_month,
        "from the 13th to the 15th",
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
    rule("since", "SPAN", "since the ORD", lambda m, day: (p := monthly(m, day)) and since(m, p), "since the 3rd"),
    rule("after", "SPAN", ("after DATE",), after, "after 2016"),
    rule("until", "SPAN", ("until|till|by DATE", "up to DATE"), until, "until Friday"),
    rule("until", "SPAN", "until|till|by the ORD", lambda m, day: (p := monthly(m, day)) and until(m, p), "by the 3rd"),
    rule("before", "SPAN", ("before DATE", "prior to DATE"), before, "before Friday"),
    rule(
        "range",
        "SPAN",
        (
            "从|自? DATE 到|至|- DATE",
            "从|自|在? DATE 与|和|到|至 DATE 之间|间|期间",
            "介于 DATE 与|和|到|至 DATE 之间?",
        ),
        between,
        "从7月4日到7月6日",
    ),
    rule("range", "SPAN", ("DATE 之后|以后|后 到? DATE 之前|以前|前",), between, "2010年之后2018年之前"),
    rule("months of a year", "SPAN", ("从|自? N 到|至|- ZHMONTH",), months_of_year, "1到3月"),
    rule("months of a year", "SPAN", ("从|自? RELYEAR 的? N 到|至|- ZHMONTH",), months_of_that_year, "2016年1-3月"),
    rule(
        "since",
        "SPAN",
        ("自|从|自从? DATE 以来|起|开始", "自|从? DATE 至 今", "自|从? DATE 到|至 现在|目前"),
        since,
        "2016年以来",
    ),
    rule("until", "SPAN", ("从? 现在|目前|即日 到|至|起至 DATE",), until, "从现在到年底"),
    rule("before", "SPAN", ("DATE 之前|以前",), before, "周五之前"),
    rule("after", "SPAN", ("DATE 之后|以后",), after, "2016年之后"),
)
