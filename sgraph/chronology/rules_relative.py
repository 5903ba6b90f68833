"""English rules for times counted from the moment of speaking, or from another time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sgraph.chronology.grammar import Rule, rule
from sgraph.chronology.periods import DAY, Duration, Moment, Period, floor, month_of, moved, shift, unit_at, weekly
from sgraph.chronology.rules_calendar import relative_cycle, within
from sgraph.chronology.rules_numeric import nothing
from sgraph.chronology.tokens import Number

_CLOCK_UNITS = frozenset({"hour", "minute", "second"})


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
    return unit_at(moment.now, unit, step)


def two_units(step: int) -> Callable[[Moment, str], Period | None]:
    """Make the reading of "the week after next" and "the week before last"."""
    return lambda moment, unit: relative_unit(moment, step, unit)


def bare_unit(moment: Moment, unit: str) -> Period | None:
    """Read "my week"."""
    return unit_at(moment.now, unit) if unit not in _CLOCK_UNITS else None


def weekend(moment: Moment, unit: str) -> Period | None:
    """Read "the weekend" as the one of this week; of other units nobody says just "the"."""
    return unit_at(moment.now, unit) if unit == "weekend" else None


def spread_units(moment: Moment, step: int, count: int, unit: str) -> Period | None:
    """Read "the next three weeks": so much time from tomorrow on, or up to today; decades and centuries by the calendar."""
    if not step or not 1 <= count <= 10_000:
        return None
    if unit in ("decade", "century"):
        here = floor(moment.now, unit)
        bounds = (shift(here, unit, 1), shift(here, unit, count + 1)) if step > 0 else (shift(here, unit, -count), here)
    elif unit in _CLOCK_UNITS:
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
    coming = weekly(moment, weekday)
    assert coming.turn is not None
    if step < 0:
        found = coming.turn(-1)
        return None if found is None else replace(found, basis="relative", turn=None)
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


def amount(_: Moment, count: float) -> float:
    """Take a number as the count of a duration."""
    return count


def _half_more(_: Moment, count: int) -> float:
    return count + 0.5


def _decimal(_: Moment, whole: Number, part: Number) -> float | None:
    return float(f"{int(whole)}.{'0' * (part.digits - len(str(int(part))))}{int(part)}") if whole.digits and part.digits else None


def _exactly(count: float) -> Callable[[Moment], float]:
    return lambda _: count


def duration(_: Moment, count: float, unit: str) -> Duration:
    """Count units."""
    return {unit: count}


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

    A day when counted in days, weeks or months; a month when counted in years alone; the minute or second when counted in less.
    """
    if length.keys() & _CLOCK_UNITS:
        grain = "second" if length.keys() & {"minute", "second"} else "minute"
        start = floor(moved(moment, moment.now, length, sign), grain)
        return Period(start, shift(start, grain, 1), grain)
    there = moved(moment, moment.day, length, sign)
    return unit_at(there, "month" if length.keys() <= {"year", "decade", "century"} else "day")


def from_now(moment: Moment, length: Duration) -> Period | None:
    """Read "in three weeks"."""
    return at_distance(moment, length, 1)


def ago(moment: Moment, length: Duration) -> Period | None:
    """Read "three weeks ago"."""
    return at_distance(moment, length, -1)


def beyond(sign: int) -> Callable[[Moment, Duration, Period], Period | None]:
    """Make the reading of "three days after Easter" and "a week before Christmas"."""

    def read(moment: Moment, length: Duration, period: Period) -> Period | None:
        def there(p: Period) -> Period:
            start = moved(moment, p.start, length, sign)
            small = bool(length.keys() & _CLOCK_UNITS)
            return Period(start, shift(start, "minute" if small else "day", 1), "minute" if small else "day", p.basis)

        return within(period, there) if period.grain in ("day", *_CLOCK_UNITS) else None

    return read


def next_to(sign: int) -> Callable[[Moment, str, Period], Period | None]:
    """Make the reading of "the day after Christmas" and "the weekend before 3 May"."""

    def read(moment: Moment, unit: str, period: Period) -> Period | None:
        if unit == "weekend":
            offset = sign if sign < 0 or period.start.weekday() >= 5 else 0
            return within(period, lambda p: unit_at(p.start, unit, offset, p.basis))
        if unit not in ("day", "week", "month", "year"):
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


def span_from_now(moment: Moment, length: Duration) -> Period:
    """Read "within two weeks": from today (from now, when counted in hours) to the end of the duration."""
    start = moment.now if length.keys() & _CLOCK_UNITS else moment.day
    return Period(start, moved(moment, start, length, 1), "range")


def lasting(moment: Moment, length: Duration, start: Period) -> Period:
    """Read "for 3 days from today"."""
    return Period(start.start, moved(moment, start.start, length, 1), "range", start.basis)


def span_from_tomorrow(moment: Moment, length: Duration) -> Period | None:
    """Read "4 weeks in the future": so much time from tomorrow on."""
    if length.keys() & _CLOCK_UNITS:
        return span_from_now(moment, length)
    return Period(moment.day + DAY, moved(moment, moment.day + DAY, length, 1), "range")


def span_to_now(moment: Moment, length: Duration) -> Period | None:
    """Read "the past two years and three months": so much time up to today."""
    if length.keys() & _CLOCK_UNITS:
        return Period(moved(moment, moment.now, length, -1), moment.now, "range")
    return Period(moved(moment, moment.day, length, -1), moment.day, "range")


def rest_of(moment: Moment, period: Period | str) -> Period | None:
    """Read "later this month" and "the rest of the year": from today to its end."""
    if isinstance(period, str):
        period = unit_at(moment.now, period)
    return Period(moment.day, period.end, "range") if period.start <= moment.day < period.end and period.grain != "day" else None


def elapsed(moment: Moment, period: Period) -> Period | None:
    """Read "earlier this week": from its beginning to today."""
    if period.grain == "day" or not period.start <= moment.day < period.end:
        return None
    return Period(period.start, max(moment.day, period.start + DAY), "range")


def month_in_years(moment: Moment, month: int, length: Duration) -> Period | None:
    """Read "March in a year"."""
    there = moved(moment, moment.day, length, 1)
    return month_of(there.year, month) if length.keys() == {"year"} else None



RULES: tuple[Rule, ...] = (
    rule("day word", "TIME", "today", _day(0), "today"),
    rule("day word", "TIME", "tomorrow|tmrw|tmr|tomorow|tommorow|tommorrow", _day(1), "tomorrow"),
    rule("day word", "TIME", "yesterday|ystr|yday", _day(-1), "yesterday"),
    rule("day word", "TIME", ("the? day after tomorrow|tmrw|tmr", "overmorrow"), _day(2), "the day after tomorrow"),
    rule("day word", "TIME", ("the? day before yesterday", "ereyesterday"), _day(-2), "the day before yesterday"),
    rule("now", "TIME", "right|just now", now, "right now"),
    rule("now", "ALONE", "now|currently|asap", now, "now"),
    rule("weekday after next", "TIME", ("the? WEEKDAY after the? next",), weekday_after_next, "wednesday after next"),
    rule("weekday before last", "TIME", ("the? WEEKDAY before the? last",), weekday_before_last, "the Friday before last"),
    rule("month after next", "TIME", ("MONTH|LOWMONTH after next",), month_after_next, "March after next"),
    rule("unit after next", "TIME", ("the? UNIT after the? next",), two_units(2), "the week after next"),
    rule("unit before last", "TIME", ("the? UNIT before the? last",), two_units(-2), "the weekend before last"),
    rule("upcoming units", "TIME", ("the? upcoming N UNIT", "N upcoming UNIT"), upcoming_units, "upcoming two weeks"),
    rule("several units", "TIME", ("the|my|our? REL N UNIT", "the? REL AMOUNT UNIT"), spread_units, "the next 3 weeks"),
    rule("relative unit", "TIME", ("the? REL UNIT",), relative_unit, "next week", "the last day"),
    rule("own unit", "OWN", ("the|my|this? UNIT",), bare_unit, "the month"),
    rule("this past", "REL", ("this past|last",), _exactly(-1), "this past"),
    rule("this coming", "REL", ("this coming|upcoming|next",), _exactly(1), "this coming"),
    rule("my unit", "ALONE", ("my|the UNIT",), bare_unit, "my week"),
    rule("recurring", "NOT_TIME", ("every|each|any|most|some WEEKDAYS|UNIT|MONTH|SEASON|HOLIDAY|PART", "every other|second|single WEEKDAYS|UNIT",
                                   "on WEEKDAYS!", "every|each N UNIT", "every|each DATE"), nothing, "every Friday"),
    rule("the weekend", "TIME", ("the|that|on|at|over UNIT", "on|at|over|for the UNIT"), weekend, "the weekend"),
    rule("the weekend", "ALONE", ("UNIT",), weekend, "weekend"),
    rule("coming weekday", "TIME", ("the? coming|upcoming|following WEEKDAY", "WEEKDAY coming"), coming_weekday, "the coming Friday"),
    rule("relative weekday", "TIME", ("the? REL WEEKDAY",), relative_weekday, "last Friday"),
    rule("weekday of a week", "TIME", ("the? WEEKDAY of|in|on|,? DATE",), weekday_in_week, "Wednesday of next week"),
    rule("weekday of a week", "TIME", ("DATE on|'s|,? WEEKDAY", "DATE ' s WEEKDAY"), week_and_weekday, "next week on Friday"),
    rule("counted weekdays", "TIME", ("N WEEKDAYS from now", "in N WEEKDAYS", "N WEEKDAYS later|hence"), counted_weekdays(1), "four Tuesdays from now"),
    rule("counted weekdays", "TIME", ("N WEEKDAYS ago",), counted_weekdays(-1), "two Fridays ago"),
    rule("counted weekends", "TIME", ("AMOUNT UNIT from now", "in AMOUNT UNIT"), counted_weekends(1), "in two weekends"),
    rule("counted weekends", "TIME", ("AMOUNT UNIT ago|back",), counted_weekends(-1), "two weekends ago"),
    rule("amount", "AMOUNT", "N", amount, "three"),
    rule("amount", "AMOUNT", ("a|an",), _exactly(1), "a"),
    rule("amount", "AMOUNT", ("a? couple of?",), _exactly(2), "a couple of"),
    rule("amount", "AMOUNT", ("a? few",), _exactly(3), "a few"),
    rule("amount", "AMOUNT", ("several",), _exactly(4), "several"),
    rule("amount", "AMOUNT", ("half a|an", "a half"), _exactly(0.5), "half a"),
    rule("amount", "AMOUNT", ("N and a? half",), _half_more, "two and a half"),
    rule("amount", "AMOUNT", ("N . N",), _decimal, "1.5"),
    rule("duration", "DURATION", ("AMOUNT UNIT", "AMOUNT more|whole|full|other UNIT"), duration, "three weeks"),
    rule("duration", "DURATION", ("AMOUNT business|working|work UNIT", "AMOUNT weekdays|workdays|workday"), working_days, "four business days"),
    rule("duration", "DURATION", ("AMOUNT UNIT and a half",), duration_and_half, "a year and a half"),
    rule("duration", "DURATION", ("DURATION and|,? DURATION",), longer, "1 month and 21 days"),
    rule("ago", "TIME", ("DURATION ago|back|earlier|previously", "about|around|almost|nearly|over DURATION ago"), ago, "three weeks ago"),
    rule("from now", "TIME", ("in DURATION", "DURATION from now", "DURATION hence|later|ahead", "in DURATION time", "in DURATION ' s? time"), from_now,
         "in three weeks", "2 years 21 days later"),
    rule("after a time", "TIME", ("DURATION from|after|following DATE",), beyond(1), "three days after Easter"),
    rule("before a time", "TIME", ("DURATION before|prior DATE", "DURATION prior to DATE"), beyond(-1), "two weeks before Christmas"),
    rule("unit after", "TIME", ("the? UNIT after|following DATE",), next_to(1), "the day after Christmas"),
    rule("unit before", "TIME", ("the? UNIT before|preceding DATE",), next_to(-1), "the weekend before 3 May"),
    rule("weekday after", "TIME", ("the WEEKDAY after|following DATE",), weekday_next_to(1), "the Monday after 3 May"),
    rule("weekday before", "TIME", ("the WEEKDAY before|preceding DATE",), weekday_next_to(-1), "the Friday before 15 July"),
    rule("within", "SPAN", ("within the|my? REL? DURATION from? now|today?",), lambda m, _rel, length: span_from_now(m, length),
         "within two weeks"),
    rule("for a time", "SPAN", ("for? DURATION ,? starting|beginning DATE", "for DURATION ,? from DATE"), lasting, "for 3 days from today"),
    rule("in the future", "SPAN", ("DURATION in|into the future",), span_from_tomorrow, "4 weeks in the future"),
    rule("past span", "SPAN", ("the? past|last|previous DURATION",), span_to_now, "the past 2 years 3 months"),
    rule("future span", "SPAN", ("the? next|coming|following DURATION",), span_from_tomorrow, "the next 2 weeks and 3 days"),
    rule("rest of", "SPAN", ("the? rest|remainder of? my? WHOLE", "the? rest|remainder of? my UNIT", "later in? WHOLE"), rest_of, "the rest of the week"),
    rule("earlier in", "SPAN", ("earlier in? WHOLE",), elapsed, "earlier this week"),
    rule("month in years", "TIME", ("MONTH|LOWMONTH in DURATION",), month_in_years, "March in a year"),
    rule("in a time", "TIME", ("in|on|during|over|around|throughout|for DATE", "around|during the DATE"), lambda _, period: period, "in 2014"),
)
