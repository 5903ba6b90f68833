"""English rules for what the calendar names: months, days, weeks, quarters, decades, seasons, holidays."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sgraph.chronology.grammar import Rule, rule, same
from sgraph.chronology.periods import (
    DAY,
    MONTHS_IN,
    Moment,
    Period,
    day_of,
    floor,
    month_of,
    monthly,
    shift,
    unit_at,
    unit_in,
    weekday_in,
    weekly,
    within,
    yearly,
)
from sgraph.chronology.rules_cycles import half_year
from sgraph.chronology.tokens import Number


def day_month(moment: Moment, month: int, day: int, year: int | None = None) -> Period | None:
    """Give the day of a named month."""
    if year is None:
        return yearly(moment, lambda y: day_of(y, month, day), nearest=True)
    return day_of(year, month, day)


def _day_first(moment: Moment, day: int, month: int, year: int | None = None) -> Period | None:
    """Read "15 February": the day in figures, for "one may" is no date."""
    return day_month(moment, month, day, year) if isinstance(day, Number) and day.digits else None


def _ordinal_of(moment: Moment, day: int, month: int, year: int | None = None) -> Period | None:
    return day_month(moment, month, day, year)


def _short_year(moment: Moment, month: int, day: int, year: Number) -> Period | None:
    return day_of(2000 + year, month, day) if year.digits == 2 else None


def named_month(moment: Moment, month: int, year: int | None = None) -> Period | None:
    """Give the named month."""
    if year is None:
        return yearly(moment, lambda y: month_of(y, month))
    return month_of(year, month)


def month_in(_: Moment, month: int, year: Period) -> Period | None:
    """Read "March of next year"."""
    return within(year, lambda y: month_of(y.start.year, month)) if year.grain == "year" else None


def year_and_month(moment: Moment, year: Period, month: int) -> Period | None:
    """Read "next year in May"."""
    return month_in(moment, month, year)


def day_of_month(moment: Moment, day: int) -> Period | None:
    """Read "the 27th"."""
    return monthly(moment, day)


def day_in(_: Moment, day: int, month: Period) -> Period | None:
    """Read "20th of next month"."""
    if month.grain != "month":
        return None
    return within(month, lambda m: day_of(m.start.year, m.start.month, day))


def date_of_year(_: Moment, day: Period, year: Period) -> Period | None:
    """Read "May 1st next year"."""
    if year.grain != "year" or year.basis != "relative":
        return None
    return within(year, lambda y: day_of(y.start.year, day.start.month, day.start.day))


def day_in_that_month(moment: Moment, day: int, month: Period) -> Period | None:
    """Read "the 5th next month"."""
    return day_in(moment, day, month) if month.basis == "relative" else None


def weekday(moment: Moment, number: int) -> Period:
    """Read a bare weekday: the coming one."""
    return weekly(moment, number)


def weekday_date(_: Moment, number: int, day: Period) -> Period:
    """Read "Monday, Feb 18": the date decides; the weekday only, whether the next year is meant."""
    later = day.turn(1) if day.turn is not None and day.start.weekday() != number else None
    return later if later is not None and later.start.weekday() == number else day


def date_weekday(moment: Moment, day: Period, number: int) -> Period:
    """Read "Feb 18, Monday"."""
    return weekday_date(moment, number, day)


def planned(moment: Moment, period: Period) -> Period:
    """Take a date of the calendar year of speaking, where plans are spoken of ("the week of October 7th")."""
    if period.turn is None:
        return period
    around = (period, *(other for k in (1, -1) if (other := period.turn(k)) is not None))
    return next((other for other in around if other.start.year == moment.now.year), period)


def weekday_and_number(moment: Moment, number: int, day: int) -> Period | None:
    """Read "Thursday the 15th": the first day that is both, from this month on."""
    both = [
        period for n in range(-30, 31) if (period := _nth_of_month(moment, n, day)) and period.start.weekday() == number
    ]
    month = floor(moment.now, "month")
    coming = next((n for n, period in enumerate(both) if period.start >= month), None)
    if coming is None:
        return None
    return replace(both[coming], turn=lambda k: both[coming + k] if 0 <= coming + k < len(both) else None)


def _nth_of_month(moment: Moment, months: int, day: int) -> Period | None:
    start = shift(floor(moment.now, "month"), "month", months)
    try:
        return day_of(start.year, start.month, day)
    except ValueError:
        return None


def nth_weekday(_: Moment, nth: int, number: int, period: Period) -> Period | None:
    """Read "the first Tuesday of October"."""
    if not 1 <= nth <= 5 or period.grain in ("day", "week"):
        return None
    return within(period, lambda p: weekday_in(p, number, nth))


def nth_weekday_now(moment: Moment, nth: int, number: int) -> Period | None:
    """Read "second Sunday": of the present month."""
    return nth_weekday(moment, nth, number, unit_at(moment.now, "month"))


def nth_weekday_after(_: Moment, nth: int, number: int, period: Period) -> Period | None:
    """Read "the third Tuesday after Christmas"."""
    return within(period, lambda p: weekday_in(Period(p.end, p.end + 7 * nth * DAY, "range", p.basis), number, nth))


def closest_weekday(moment: Moment, number: int, period: Period) -> Period | None:
    """Read "the closest Monday to October 5th"."""
    return nth_closest_weekday(moment, 1, number, period)


def nth_closest_weekday(moment: Moment, nth: int, number: int, period: Period) -> Period | None:
    """Read "the second closest Monday to October 5th"."""
    if period.grain != "day":
        return None

    def closest(p: Period) -> Period:
        monday = floor(p.start, "week") + number * DAY
        near = sorted((monday + 7 * k * DAY for k in range(-nth, nth + 1)), key=lambda day: abs(day - p.start))
        return Period(near[nth - 1], near[nth - 1] + DAY, "day", p.basis)

    return within(planned(moment, period), closest)


def ides(moment: Moment, month: int) -> Period | None:
    """Read "the ides of March": the 15th of March, May, July and October, else the 13th."""
    return day_month(moment, month, 15 if month in (3, 5, 7, 10) else 13)


def last_weekday(moment: Moment, number: int, period: Period) -> Period | None:
    """Read "the last Friday of October"."""
    return None if period.grain in ("day", "week") else within(period, lambda p: weekday_in(p, number, -1))


def last_weekday_of_month(moment: Moment, number: int, month: int) -> Period | None:
    """Read "last Monday April"."""
    return last_weekday(moment, number, period) if (period := named_month(moment, month)) else None


def nth_unit(_: Moment, nth: int, unit: str, period: Period) -> Period | None:
    """Read "the third week of March"."""
    fits = unit != period.grain and (unit in ("day", "week", "weekend") or unit in MONTHS_IN)
    return within(period, lambda p: unit_in(p, unit, nth)) if fits and 1 <= nth <= 366 else None


def last_unit(moment: Moment, unit: str, period: Period) -> Period | None:
    """Read "the last week of September"."""
    return nth_last_unit(moment, 1, unit, period)


def nth_last_unit(_: Moment, nth: int, unit: str, period: Period) -> Period | None:
    """Read "the second last week of October"."""
    fits = unit != period.grain and (unit in ("day", "week", "weekend") or unit in MONTHS_IN)
    return within(period, lambda p: unit_in(p, unit, -nth)) if fits and 1 <= nth <= 366 else None


def first_units(_: Moment, edge: int, count: int, unit: str, period: Period) -> Period | None:
    """Read "the first two weeks of May" and "the last ten days of June"."""
    if unit not in ("day", "week", *MONTHS_IN) or not 2 <= count <= 400:
        return None
    if edge == 1:
        return within(period, lambda p: Period(p.start, shift(p.start, unit, count), "range", p.basis))
    return within(period, lambda p: Period(shift(p.end, unit, -count), p.end, "range", p.basis)) if edge == -1 else None


def unit_of(moment: Moment, unit: str, period: Period) -> Period | None:
    """Read "the week of October 7th": the unit that holds it."""
    if unit == period.grain:
        return period
    return (
        within(planned(moment, period), lambda p: unit_at(p.start, unit, basis=p.basis))
        if unit in ("week", "weekend", "month")
        else None
    )


def unit_of_day(moment: Moment, unit: str, day: int) -> Period | None:
    """Read "the weekend of the 15th": of the present month."""
    found = day_in(moment, day, unit_at(moment.now, "month"))
    return None if found is None else unit_of(moment, unit, found)


def part_of(_: Moment, edge: str, period: Period) -> Period | None:
    """Read "early", "mid" and "late", which people use loosely.

    A week: Monday to Wednesday, Tuesday to Thursday, Thursday to Sunday. A month: 1st to 15th, 10th to 20th, 16th to
    the end. Longer periods, in whole months: their thirds.
    """
    return within(period, lambda p: _part(edge, p))


def _part(edge: str, p: Period) -> Period | None:
    if p.grain in ("week", "month"):
        bounds = {
            "week": {"early": (0, 3), "mid": (1, 4), "late": (3, 7)},
            "month": {"early": (0, 15), "mid": (9, 20), "late": (15, 31)},
        }
        first, last = bounds[p.grain][edge]
        return Period(p.start + first * DAY, min(p.end, p.start + last * DAY), "range", p.basis)
    if p.grain not in MONTHS_IN and p.grain not in ("season", "range"):
        return None
    months = (p.end.year - p.start.year) * 12 + p.end.month - p.start.month
    if months < 3:
        return None
    thirds = [0, round(months / 3), round(months * 2 / 3), months]
    at = ("early", "mid", "late").index(edge)
    return Period(shift(p.start, "month", thirds[at]), shift(p.start, "month", thirds[at + 1]), "range", p.basis)


def half_of(_: Moment, nth: int, period: Period) -> Period | None:
    """Read "the first half of 2016": six months of a year, else by days."""
    if nth not in (1, 2) or period.grain not in (*MONTHS_IN, "season"):
        return None

    def half(p: Period) -> Period:
        middle = shift(p.start, "month", MONTHS_IN[p.grain] / 2) if p.grain in MONTHS_IN else shift(p.start, "day", 45)
        bounds = (p.start, middle) if nth == 1 else (middle, p.end)
        return Period(*bounds, "half" if p.grain == "year" else "range", p.basis)

    return within(period, half)


def week_of_year(moment: Moment, number: int, year: Period) -> Period | None:
    """Read "week 10 of next year"."""
    return week_number(moment, number, year.start.year) if year.grain == "year" else None


def week_number(moment: Moment, number: int, year: int | None = None) -> Period | None:
    """Read "week 31": weeks are numbered as in ISO 8601."""
    if not 1 <= number <= 53:
        return None

    def make(y: int) -> Period:
        return unit_at(datetime.fromisocalendar(y, number, 1), "week", basis="explicit")

    return yearly(moment, make) if year is None else make(year)


RULES: tuple[Rule, ...] = (
    rule(
        "month day",
        "DAYDATE",
        ("MONTH .? the? NTH", "MONTH .? the? NTH ,|of|in? YEAR", "MONTH -|/ N"),
        day_month,
        "February 15",
        "April 14, 2015",
        "march first",
        "Jan-1",
    ),
    rule(
        "month day",
        "DAYDATE",
        "YEAR ,? MONTH|LOWMONTH NTH",
        lambda m, y, month, d: day_month(m, month, d, y),
        "2016 Nov 11",
    ),
    rule("month day", "ALONE", "MONTH , N", day_month, "Oct, 2"),
    rule("day month", "ALONE", ("N . MONTH", "N . MONTH .? YEAR"), _day_first, "15. February"),
    rule("month day, short year", "DAYDATE", ("MONTH NTH ,? ' N", "MONTH NTH , N"), _short_year, "April 14 '15"),
    rule("month day", "BAREDAY", ("LOWMONTH the? NTH", "LOWMONTH the? NTH ,? YEAR"), day_month, "march first"),
    rule(
        "day month",
        "DAYDATE",
        ("the? NTH MONTH .?", "the? NTH MONTH .? ,|of? YEAR"),
        _day_first,
        "15th February",
        "8 May, 2023",
    ),
    rule("day month", "BAREDAY", ("N -|/ MONTH|LOWMONTH",), _day_first, "10-sep"),
    rule(
        "day month",
        "BAREDAY",
        ("the? ORD MONTH|LOWMONTH", "the? ORD MONTH|LOWMONTH ,? YEAR"),
        _ordinal_of,
        "first March",
    ),
    rule("day month", "BAREDAY", ("the? NTH LOWMONTH", "the? NTH LOWMONTH ,? YEAR"), _day_first, "15 may"),
    rule(
        "day month, short year",
        "BAREDAY",
        ("the? NTH of? MONTH|LOWMONTH ,? '? N",),
        lambda m, day, month, year: _short_year(m, month, day, year),
        "14th April 15",
    ),
    rule(
        "day of month",
        "DAYDATE",
        ("the? NTH day? of MONTH|LOWMONTH", "the? NTH day? of MONTH|LOWMONTH ,|of? YEAR"),
        _ordinal_of,
        "the first of March",
        "4 of July",
    ),
    rule("date", "TIME", "DAYDATE", same, "February 15"),
    rule("date", "BARE", "BAREDAY", same, "2/15"),
    rule(
        "weekday and date", "TIME", ("WEEKDAY .? ,? DAYDATE", "WEEKDAY .? ,? BAREDAY"), weekday_date, "Monday, Feb 18"
    ),
    rule(
        "date and weekday",
        "TIME",
        ("DAYDATE ,? WEEKDAY|ZH_WEEKDAY", "DAYDATE ( WEEKDAY|ZH_WEEKDAY )"),
        date_weekday,
        "Feb 18, Monday",
    ),
    rule(
        "weekday and day", "TIME", ("WEEKDAY .? ,? the? ORD", "WEEKDAY the N"), weekday_and_number, "Thursday the 15th"
    ),
    rule("weekday and day", "ALONE", ("WEEKDAY ,? N",), weekday_and_number, "Wednesday 15"),
    rule("weekday", "TIME", "WEEKDAY!", weekday, "Friday"),
    rule("weekday", "BARE", ("WEEKDAY_", "WEEKDAY_ ."), weekday, "Sun"),
    rule(
        "month and year",
        "TIME",
        ("MONTH .? ,|of|in? YEAR", "LOWMONTH ,|of|in? YEAR", "MONTH|LOWMONTH -|/ YEAR"),
        named_month,
        "October 2014",
    ),
    rule(
        "year and month",
        "TIME",
        ("YEAR ,|-? MONTH|LOWMONTH",),
        lambda m, year, month: named_month(m, month, year),
        "2016, Nov",
    ),
    rule("month", "TIME", "MONTH!", named_month, "September"),
    rule("month", "BARE", ("MONTH_", "LOWMONTH", "MONTH_ ."), named_month, "March"),
    rule("month", "TIME", ("the? month of MONTH|LOWMONTH",), named_month, "the month of May"),
    rule("month of a year", "TIME", ("MONTH|LOWMONTH of|in? DATE",), month_in, "March of next year"),
    rule(
        "month of a year",
        "TIME",
        ("DATE in? MONTH|LOWMONTH", "DATE ' s MONTH|LOWMONTH"),
        year_and_month,
        "next year in May",
    ),
    rule("day of the month", "TIME", "on the ORD", day_of_month, "on the 27th"),
    rule("day of the month", "ALONE", ("the NTH", "ORD", "on the N", "on ORD"), day_of_month, "the 27"),
    rule(
        "date of a year",
        "TIME",
        ("DAYDATE ,|of|in? DATE", "BAREDAY ,|of|in? DATE"),
        date_of_year,
        "May 1st next year",
    ),
    rule("day of a month", "TIME", ("the? NTH of WHOLE", "the? NTH day of WHOLE"), day_in, "20th of next month"),
    rule("day of a month", "TIME", "the? ORD TIME", day_in_that_month, "the 5th next month"),
    rule("day of a month", "ALONE", "the? N TIME", day_in_that_month, "22 this month"),
    rule("nth weekday", "TIME", ("the? ORD WEEKDAY of|in|on? WHOLE",), nth_weekday, "first Tuesday in October"),
    rule("last weekday", "TIME", ("the? last WEEKDAY of|in WHOLE",), last_weekday, "last Friday of October"),
    rule("last weekday", "TIME", ("the? last WEEKDAY of|in? MONTH",), last_weekday_of_month, "last Monday April"),
    rule(
        "nth unit",
        "TIME",
        ("the? NTH UNIT of|in WHOLE",),
        nth_unit,
        "third week of March",
        "the first weekend of June 2023",
    ),
    rule("last unit", "TIME", ("the? last UNIT of|in WHOLE",), last_unit, "the last week of September"),
    rule(
        "nth last unit",
        "TIME",
        ("the? ORD to? last UNIT of|in WHOLE",),
        nth_last_unit,
        "the second last week of October 2018",
    ),
    rule(
        "first units",
        "TIME",
        ("the? ORD N UNIT of|in WHOLE", "the? REL N UNIT of|in WHOLE"),
        first_units,
        "the first two weeks of May",
    ),
    rule("unit of", "TIME", ("the UNIT of DATE", "UNIT! of DATE"), unit_of, "the week of October 7th"),
    rule("unit of a day of the month", "TIME", "the? UNIT! of the NTH", unit_of_day, "the weekend of the 15th"),
    rule(
        "part of period",
        "TIME",
        ("the? EDGE -? of|in? the? WHOLE",),
        part_of,
        "early next month",
        "the end of 2000",
        "mid-July",
    ),
    rule("ides", "DAYDATE", ("the? ides of MONTH|LOWMONTH",), ides, "the ides of March"),
    rule("nth weekday", "ALONE", ("the? ORD WEEKDAY",), nth_weekday_now, "second Sunday"),
    rule(
        "nth weekday after",
        "TIME",
        ("the? ORD WEEKDAY after|following DATE",),
        nth_weekday_after,
        "third Tuesday after Christmas 2014",
    ),
    rule(
        "closest weekday",
        "TIME",
        ("the? closest|nearest WEEKDAY to DATE",),
        closest_weekday,
        "the closest Monday to October 5th",
    ),
    rule(
        "nth closest weekday",
        "TIME",
        ("the? ORD closest|nearest WEEKDAY to DATE",),
        nth_closest_weekday,
        "the second closest Monday to October 5th",
    ),
    rule("week number", "TIME", ("week N|ORD", "week N|ORD ,|of|in? YEAR"), week_number, "week 31 of 2018"),
    rule("week number", "TIME", "week N|ORD of|in? DATE", week_of_year, "week 10 of next year"),
    rule("week number", "TIME", "YEAR -? w N", lambda m, year, n: week_number(m, n, year), "2018-W10"),
    rule("week number", "ALONE", ("the? ORD week", "w N YEAR"), week_number, "the 33rd week"),
    rule("half of period", "TIME", ("the? ORD half of|in? WHOLE",), half_of, "the first half of 2016"),
    rule("half of period", "TIME", "YEAR ,? the? ORD half", lambda m, y, n: half_year(m, n, y), "2016 second half"),
    rule("end of the year", "BARE", "eoy", lambda m: part_of(m, "late", unit_at(m.now, "year")), "eoy"),
    rule("end of the month", "BARE", "eom", lambda m: part_of(m, "late", unit_at(m.now, "month")), "eom"),
)
