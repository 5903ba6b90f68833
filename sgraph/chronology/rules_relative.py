"""English rules for times counted from the moment of speaking, or from another time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sgraph.chronology.grammar import Rule, constant, nothing, rule
from sgraph.chronology.periods import (
    CLOCK_UNITS,
    DAY,
    MONTHS_IN,
    Moment,
    Period,
    floor,
    month_of,
    moved,
    shift,
    unit_at,
    weekly,
    within,
)
from sgraph.chronology.rules_cycles import relative_cycle


def _day(offset: int) -> Callable[[Moment], Period]:
    return lambda moment: unit_at(moment.day, "day", offset)


def now(moment: Moment) -> Period:
    """Give the present minute."""
    start = floor(moment.now, "minute")
    return Period(start, shift(start, "minute", 1), "minute")


def relative_unit(moment: Moment, step: int, unit: str) -> Period | None:
    """Read "next week": the calendar unit before, with or after the present one."""
    if unit == "fortnight":
        return spread_units(moment, step, 2, "week") if step else None
    return replace(unit_at(moment.now, unit, step), ahead=unit == "day" and step > 0)


def coming_weekend(moment: Moment, unit: str) -> Period | None:
    """Read "the coming weekend": the first that has not begun."""
    return unit_at(moment.now, unit, int(moment.now.weekday() >= 5)) if unit == "weekend" else None


def two_units(step: int) -> Callable[[Moment, str], Period | None]:
    """Make the reading of "the week after next" and "the week before last"."""
    return lambda moment, unit: relative_unit(moment, step, unit)


def bare_unit(moment: Moment, unit: str) -> Period | None:
    """Read "my week"."""
    return unit_at(moment.now, unit) if unit not in CLOCK_UNITS else None


def weekend(moment: Moment, unit: str) -> Period | None:
    """Read "the weekend" as the one of this week; of other units nobody says just "the"."""

    def turn(k: int) -> Period:
        return replace(unit_at(moment.now, "weekend", k), turn=turn)

    return turn(0) if unit == "weekend" else None


def spread_units(moment: Moment, step: int, count: int, unit: str) -> Period | None:
    """Read "the next three weeks": so much time from tomorrow on, or up to today.

    Decades and centuries are those of the calendar.
    """
    if not step or not 1 <= count <= 10_000:
        return None
    if unit in ("decade", "century"):
        here = floor(moment.now, unit)
        bounds = (shift(here, unit, 1), shift(here, unit, count + 1)) if step > 0 else (shift(here, unit, -count), here)
    elif unit in CLOCK_UNITS:
        bounds = (moment.now, moved(moment, moment.now, {unit: count}, 1))
        if step < 0:
            bounds = (moved(moment, moment.now, {unit: count}, -1), moment.now)
    elif step > 0:
        bounds = (moment.day + DAY, shift(moment.day + DAY, unit, count))
    else:
        bounds = (shift(moment.day, unit, -count), moment.day)
    return Period(*bounds, "range")


def upcoming_units(moment: Moment, count: int, unit: str) -> Period | None:
    """Read "upcoming two weeks": the second one to come; the whole stretch up to it is the other reading."""
    if unit not in ("day", "week", "month", "quarter", "year", "weekend") or not 1 <= count <= 1000:
        return None
    last = unit_at(moment.now, unit, count)
    return replace(last, alternatives=((unit_at(moment.now, unit, 1).start, last.end),))


def relative_weekday(moment: Moment, step: int, weekday: int) -> Period | None:
    """Read "last Friday" (the latest before today), "this Friday" (of this week), "next Friday" (of next week)."""
    if step < 0:
        last = moment.day - ((moment.day.weekday() - weekday - 1) % 7 + 1) * DAY
        return Period(last, last + DAY, "day")
    coming = weekly(moment, weekday)
    start = floor(moment.now, "week") + (weekday + 7 * step) * DAY
    others = ((coming.start, coming.end),) if coming.start != start else ()
    return Period(start, start + DAY, "day", alternatives=others)


def coming_weekday(moment: Moment, weekday: int) -> Period:
    """Read "the coming Friday"."""
    return replace(weekly(moment, weekday), basis="relative", turn=None)


def weekday_after_next(moment: Moment, weekday: int) -> Period:
    """Read "the Wednesday after next": a week after the coming one."""
    coming = weekly(moment, weekday)
    return Period(coming.start + 7 * DAY, coming.end + 7 * DAY, "day")


def weekday_before_last(moment: Moment, weekday: int) -> Period | None:
    """Read "the Friday before last"."""
    last = relative_weekday(moment, -1, weekday)
    return None if last is None else Period(last.start - 7 * DAY, last.end - 7 * DAY, "day")


def month_after_next(moment: Moment, month: int) -> Period | None:
    """Read "March after next"."""
    return relative_cycle(moment, 2, lambda year: month_of(year, month))


def weekday_in_week(_: Moment, weekday: int, week: Period) -> Period | None:
    """Read "Wednesday of next week"."""
    if week.grain != "week":
        return None
    start = week.start + weekday * DAY
    return Period(start, start + DAY, "day", week.basis)


def week_and_weekday(moment: Moment, week: Period, weekday: int) -> Period | None:
    """Read "next week on Friday"."""
    return weekday_in_week(moment, weekday, week)


def counted_weekdays(sign: int) -> Callable[[Moment, int, int], Period | None]:
    """Make the reading of "four Tuesdays from now" and "two Fridays ago"."""

    def read(moment: Moment, count: int, weekday: int) -> Period | None:
        nearest = weekly(moment, weekday) if sign > 0 else relative_weekday(moment, -1, weekday)
        if nearest is None or not 1 <= count <= 1000:
            return None
        start = nearest.start + sign * 7 * (count - 1) * DAY
        return Period(start, start + DAY, "day")

    return read


def counted_weekends(sign: int) -> Callable[[Moment, float, str], Period | None]:
    """Make the reading of "two weekends ago"."""

    def read(moment: Moment, count: float, unit: str) -> Period | None:
        return unit_at(moment.now, "weekend", sign * int(count)) if unit == "weekend" and 1 <= count <= 1000 else None

    return read


def next_to(sign: int) -> Callable[[Moment, str, Period], Period | None]:
    """Make the reading of "the day after Christmas" and "the weekend before 3 May"."""

    def read(moment: Moment, unit: str, period: Period) -> Period | None:
        if unit == "weekend":
            offset = sign if sign < 0 or period.start.weekday() >= 5 else 0
            return within(period, lambda p: unit_at(p.start, unit, offset, p.basis))
        if unit not in ("day", "week", "month", "year") or period.grain in CLOCK_UNITS:
            return None
        return within(period, lambda p: unit_at(p.start if sign < 0 else p.end - DAY, unit, sign, p.basis))

    return read


def weekday_next_to(sign: int) -> Callable[[Moment, int, Period], Period | None]:
    """Make the reading of "the Friday before 15 July"."""

    def nearest(p: Period, weekday: int) -> Period:
        if sign < 0:
            start = p.start - ((p.start.weekday() - weekday - 1) % 7 + 1) * DAY
        else:
            start = p.end + (weekday - p.end.weekday()) % 7 * DAY
        return Period(start, start + DAY, "day", p.basis)

    return lambda _, weekday, period: within(period, lambda p: nearest(p, weekday)) if period.grain == "day" else None


def whole_of(_: Moment, period: Period) -> Period | None:
    """Read "all of 2016"."""
    return period if period.grain in MONTHS_IN or period.grain in ("week", "weekend", "season") else None


def week_from(_: Moment, day: Period) -> Period | None:
    """Read "the week starting on 4 February"."""
    if day.grain != "day":
        return None
    return within(day, lambda p: Period(p.start, p.start + 7 * DAY, "week", p.basis))


def rest_of(moment: Moment, period: Period) -> Period | None:
    """Read "later this month" and "the rest of the year": from today, of a day from now, to its end."""
    if period.grain == "day" and period.start == moment.day:
        return Period(moment.now, period.end, "range")
    return (
        Period(moment.day, period.end, "range")
        if period.start <= moment.day < period.end and period.grain != "day"
        else None
    )


def elapsed(moment: Moment, period: Period) -> Period | None:
    """Read "earlier this week": from its beginning to today."""
    if period.grain == "day" or not period.start <= moment.day < period.end:
        return None
    return Period(period.start, max(moment.day, period.start + DAY), "range")


RULES: tuple[Rule, ...] = (
    rule("day word", "TIME", "today", _day(0), "today"),
    rule("day word", "TIME", "tomorrow|tmrw|tmr|tomorow|tommorow|tommorrow", _day(1), "tomorrow"),
    rule("day word", "TIME", "yesterday|ystr|yday", _day(-1), "yesterday"),
    rule("day word", "TIME", ("the? day after tomorrow|tmrw|tmr", "overmorrow"), _day(2), "the day after tomorrow"),
    rule("day word", "TIME", ("the? day before yesterday", "ereyesterday"), _day(-2), "the day before yesterday"),
    rule("now", "TIME", "right|just now", now, "right now"),
    rule("now", "ALONE", "now|currently|asap", now, "now"),
    rule("weekday after next", "TIME", ("the? WEEKDAY after the? next",), weekday_after_next, "wednesday after next"),
    rule(
        "weekday before last", "TIME", ("the? WEEKDAY before the? last",), weekday_before_last, "the Friday before last"
    ),
    rule("month after next", "TIME", ("MONTH|LOWMONTH after next",), month_after_next, "March after next"),
    rule("unit after next", "TIME", ("the? UNIT after the? next",), two_units(2), "the week after next"),
    rule("unit before last", "TIME", ("the? UNIT before the? last",), two_units(-2), "the weekend before last"),
    rule("upcoming units", "TIME", ("the? upcoming N UNIT", "N upcoming UNIT"), upcoming_units, "upcoming two weeks"),
    rule("several units", "TIME", ("the|my|our? REL N UNIT", "the? REL AMOUNT UNIT"), spread_units, "the next 3 weeks"),
    rule(
        "relative unit",
        "TIME",
        ("the? REL UNIT!", "the? REL calendar UNIT!"),
        relative_unit,
        "next week",
        "the last day",
    ),
    rule("own unit", "OWN", ("the|my|this? UNIT",), bare_unit, "the month"),
    rule("this past", "REL", ("this past|last",), constant(-1), "this past"),
    rule("next but one", "REL", ("next next",), constant(2), "next next"),
    rule("last but one", "REL", ("last last",), constant(-2), "last last"),
    rule("this coming", "REL", ("this coming|upcoming|next",), constant(1), "this coming"),
    rule("coming weekend", "TIME", "the|this? coming|upcoming UNIT!", coming_weekend, "the coming weekend"),
    rule("same unit", "ALONE", ("the|that? same UNIT!", "that UNIT!"), bare_unit, "the same week"),
    rule("whole unit", "ALONE", ("all|the UNIT! long", "all UNIT!", "the? whole|entire UNIT!"), bare_unit, "all week"),
    rule("whole of", "TIME", ("all of? DATE", "the? whole of DATE"), whole_of, "all of 2016"),
    rule("my unit", "ALONE", ("my|the UNIT",), bare_unit, "my week"),
    rule(
        "recurring",
        "NOT_TIME",
        (
            "every|each|any|most|some WEEKDAYS|UNIT|MONTH|SEASON|HOLIDAY|PART",
            "every other|second|single WEEKDAYS|UNIT",
            "on WEEKDAYS!",
            "every|each N UNIT",
            "every|each DATE",
            "WEEKDAY|weekday|weekend mornings|afternoons|evenings|nights",
        ),
        nothing,
        "every Friday",
    ),
    rule("soon", "NOT_TIME", "in a|one second|minute|sec|min|bit|moment|flash", nothing, "in a second"),
    rule("the weekend", "TIME", ("the|that|on|at|over UNIT!", "on|at|over|for the UNIT!"), weekend, "the weekend"),
    rule("the weekend", "ALONE", ("UNIT",), weekend, "weekend"),
    rule(
        "coming weekday",
        "TIME",
        ("the|this? coming|upcoming|following WEEKDAY", "WEEKDAY coming"),
        coming_weekday,
        "the coming Friday",
    ),
    rule("relative weekday", "TIME", ("the? REL WEEKDAY",), relative_weekday, "last Friday"),
    rule(
        "weekday of a week", "TIME", ("the? WEEKDAY of|in|on|from|,? DATE",), weekday_in_week, "Wednesday of next week"
    ),
    rule(
        "weekday of a week",
        "TIME",
        ("DATE on|,? WEEKDAY", "DATE ' s WEEKDAY"),
        week_and_weekday,
        "next week on Friday",
    ),
    rule(
        "counted weekdays",
        "TIME",
        ("N WEEKDAYS from now|today", "in N WEEKDAYS", "N WEEKDAYS later|hence"),
        counted_weekdays(1),
        "four Tuesdays from now",
    ),
    rule("counted weekdays", "TIME", ("N WEEKDAYS ago|back",), counted_weekdays(-1), "two Fridays ago"),
    rule(
        "counted weekends",
        "TIME",
        ("AMOUNT UNIT from now", "in AMOUNT UNIT", "AMOUNT UNIT later"),
        counted_weekends(1),
        "in two weekends",
    ),
    rule("counted weekends", "TIME", ("AMOUNT UNIT ago|back",), counted_weekends(-1), "two weekends ago"),
    rule("unit after", "TIME", ("the? UNIT after|following DATE",), next_to(1), "the day after Christmas"),
    rule("unit before", "TIME", ("the? UNIT before|preceding DATE",), next_to(-1), "the weekend before 3 May"),
    rule(
        "eve",
        "TIME",
        ("the? eve of DATE", "DATE 的? 前夕"),
        lambda m, day: next_to(-1)(m, "day", day),
        "the eve of Christmas",
    ),
    rule("weekday after", "TIME", ("the? WEEKDAY after|following DATE",), weekday_next_to(1), "the Monday after 3 May"),
    rule(
        "weekday before",
        "TIME",
        ("the? WEEKDAY before|preceding DATE",),
        weekday_next_to(-1),
        "the Friday before 15 July",
    ),
    rule(
        "week from a day",
        "TIME",
        ("the? week starting|beginning|commencing on? DATE", "w / c DATE"),
        week_from,
        "the week starting on May 4",
    ),
    rule(
        "rest of",
        "SPAN",
        ("the? rest|remainder of? WHOLE", "later in? WHOLE"),
        rest_of,
        "the rest of the week",
    ),
    rule("earlier in", "SPAN", ("earlier in? WHOLE",), elapsed, "earlier this week"),
    rule(
        "over a time",
        "TIME",
        ("over DATE", "over the DATE"),
        lambda _, period: None if period.grain in ("day", "year", "hour", "minute") else period,
        "over Christmas week",
    ),
)
