"""Rules for dates in figures, and for figures that are no dates."""

from __future__ import annotations

from datetime import timedelta

from sgraph.chronology.grammar import Rule, nothing, rule
from sgraph.chronology.periods import Moment, Period, day_of, month_of, year_of, yearly
from sgraph.chronology.tokens import Number


def full_year(moment: Moment, year: Number) -> int:
    """Give the century to a year in two figures: not more than twenty years ahead of the moment of speaking."""
    if year.digits > 2 or year > 99:
        return int(year)
    century = moment.now.year // 100 * 100
    return century + year if century + year <= moment.now.year + 20 else century - 100 + year


def _is_year(number: Number) -> bool:
    return number.digits == 4 and 1000 <= number <= 2999


def _month_day(moment: Moment, first: int, second: int) -> tuple[int, int]:
    """Tell month and day apart: by the rule of the language, unless only the other order is possible."""
    month, day = (first, second) if moment.month_first else (second, first)
    return (month, day) if month <= 12 else (day, month)


def dated(moment: Moment, a: Number, b: Number, c: Number) -> Period | None:
    """Read three numbers one of which is a year in four figures."""
    if _is_year(a) and b.digits <= 2 and c.digits <= 2:
        return day_of(a, b, c)
    if _is_year(c) and a.digits <= 2 and b.digits <= 2:
        return day_of(c, *_month_day(moment, a, b))
    return None


def dated_short(moment: Moment, a: Number, b: Number, c: Number) -> Period | None:
    """Read three numbers with a year in two figures: at the end, in Chinese at the beginning."""
    if max(a.digits, b.digits, c.digits) > 2 or not min(a.digits, b.digits, c.digits):
        return None
    if not moment.month_first and a > 12:
        return day_of(full_year(moment, a), b, c)
    return day_of(full_year(moment, c), *_month_day(moment, a, b)) if c.digits == 2 else None


def year_month(_: Moment, a: Number, b: Number) -> Period | None:
    """Read a year in four figures and a month, in either order."""
    if _is_year(a) and 0 < b.digits <= 2:
        return month_of(a, b)
    return month_of(b, a) if _is_year(b) and 0 < a.digits <= 2 else None


def month_day(moment: Moment, a: Number, b: Number) -> Period | None:
    """Read a month and a day without a year; the month is first in both languages."""
    if not (0 < a.digits <= 2 and 0 < b.digits <= 2):
        return None
    month, day = (a, b) if a <= 12 else (b, a)
    return yearly(moment, lambda year: day_of(year, month, day), nearest=True)


def month_word_date(moment: Moment, a: Number, month: int, b: Number) -> Period | None:
    """Read 2019-Sep-1 or 1-Sep-2019."""
    if _is_year(a) and b.digits <= 2:
        return day_of(a, month, b)
    return day_of(full_year(moment, b), month, a) if b.digits in (2, 4) and 0 < a.digits <= 2 else None


def word_first_date(moment: Moment, month: int, day: Number, year: Number) -> Period | None:
    """Read Sep-10-2016."""
    return month_word_date(moment, day, month, year)


def dated_alone(moment: Moment, a: Number, b: Number, c: Number) -> Period | None:
    """Read 01.12.16, and 2010，1，29."""
    return dated(moment, a, b, c) or dated_short(moment, a, b, c)


def packed(_: Moment, number: Number) -> Period | None:
    """Read 20160112."""
    year, month, day = number // 10_000, number // 100 % 100, number % 100
    return day_of(year, month, day) if number.digits == 8 and 1900 <= year < 2100 else None


def a_year(_: Moment, number: Number) -> int | None:
    """Take a number in four figures, or in words, for a year of the last or coming centuries."""
    return int(number) if number.digits in (0, 4) and 1500 <= number <= 2199 else None


def spoken_year(_: Moment, century: Number, rest: Number) -> int | None:
    """Read "nineteen eighty" and "twenty sixteen"."""
    spoken = not century.digits and not rest.digits and 13 <= century <= 20 and 10 <= rest <= 99
    return int(century * 100 + rest) if spoken else None


def spoken_year_digit(_: Moment, century: Number, rest: Number) -> int | None:
    """Read "nineteen zero one"."""
    return int(century * 100 + rest) if not century.digits and century in (18, 19, 20) and 1 <= rest <= 9 else None


def hundreds(_: Moment, count: Number, rest: Number | None = None) -> Number | None:
    """Read "seven hundred and eighty nine"."""
    fits = count < 100 and (rest is None or 0 < rest < 100)
    return Number(count * 100 + (rest or 0)) if fits else None


def thousands(_: Moment, count: Number, rest: Number | None = None) -> Number | None:
    """Read "one thousand seven hundred"."""
    fits = count < 1000 and (rest is None or 0 < rest < 1000)
    return Number(count * 1000 + (rest or 0)) if fits else None


def whole_year(_: Moment, year: int) -> Period:
    """Give the whole year."""
    return year_of(year)


def named_year(_: Moment, year: Number) -> Period:
    """Give the year of "the year 247"."""
    return year_of(int(year))


def apostrophe_year(moment: Moment, year: Number) -> Period | None:
    """Read '07."""
    return year_of(full_year(moment, year)) if year.digits == 2 else None


def timestamp(
    moment: Moment,
    day: Period,
    clock: tuple[int, int, int, str],
    offset: tuple[int, int, int, str] | None,
    sign: int = 1,
) -> Period | None:
    """Read an ISO 8601 instant; with an offset it is turned to the zone of the speaker, if that is known."""
    if day.grain != "day":
        return None
    hour, minute, second, grain = clock
    start = day.start + timedelta(hours=hour, minutes=minute, seconds=second)
    if offset is not None and moment.zone is not None:
        utc = (start - sign * timedelta(hours=offset[0], minutes=offset[1])).replace(tzinfo=moment.zone)
        start = utc.replace(tzinfo=None) + (moment.zone.utcoffset(utc) or timedelta())
    return Period(start, start + timedelta(seconds=1 if grain == "second" else 60), grain, "explicit")


def _zulu(moment: Moment, day: Period, clock: tuple[int, int, int, str]) -> Period | None:
    return timestamp(moment, day, clock, (0, 0, 0, ""))


def _local(moment: Moment, day: Period, clock: tuple[int, int, int, str]) -> Period | None:
    return timestamp(moment, day, clock, None)


def _west(
    moment: Moment, day: Period, clock: tuple[int, int, int, str], offset: tuple[int, int, int, str]
) -> Period | None:
    return timestamp(moment, day, clock, offset, -1)


RULES: tuple[Rule, ...] = (
    rule("iso instant", "TIME", "DAYDATE t CLOCK", _local, "2015-03-03T10:00"),
    rule("iso instant", "TIME", "DAYDATE t CLOCK z", _zulu, "2015-03-03T10:00:00Z"),
    rule("iso instant", "TIME", "DAYDATE t CLOCK + CLOCK", timestamp, "2015-03-03T10:00:00+02:00"),
    rule("iso instant", "TIME", "DAYDATE t CLOCK - CLOCK", _west, "2015-03-03T10:00:00-05:00"),
    rule(
        "numeric date", "DAYDATE", ("N - N - N", "N / N / N", "N . N . N"), dated, "2015-03-03", "3/7/2017", "2015.5.13"
    ),
    rule("numeric date, short year", "DAYDATE", "N / N / N", dated_short, "3/3/15"),
    rule("numeric date, short year", "BAREDAY", "N - N - N", dated_short, "3-3-15"),
    rule(
        "date with month name", "DAYDATE", ("N -|/ MONTH|LOWMONTH -|/ N",), month_word_date, "2019-sep-1", "1-Sep-2019"
    ),
    rule("date with month name", "DAYDATE", ("MONTH -|/ N -|/ N",), word_first_date, "Sep-10-2016"),
    rule("numeric date, short year", "ALONE", ("N . N . N", "N , N , N"), dated_alone, "01.12.16"),
    rule("numeric date", "ALONE", "N", packed, "20160112"),
    rule("year and month", "BARE", ("N - N", "N / N"), year_month, "2015-3", "3/2015"),
    rule("year and month", "ALONE", "N . N", year_month, "2015.3"),
    rule("month and day", "BAREDAY", "N / N", month_day, "2/15", "22/04"),
    rule("month and day, year", "BAREDAY", "N / N , N", dated, "10/1, 2015"),
    rule("month and day", "ALONE", ("N . N", "N - N"), month_day, "4.22"),
    rule("number", "N", ("N hundred and? N", "N hundred"), hundreds, "seven hundred and eighty nine"),
    rule("number", "N", ("N thousand and? N", "N thousand"), thousands, "two thousand and nine"),
    rule("numbers apart", "ALONE", ("N N N",), dated, "2010 01 29"),
    rule("year", "YEAR", "N", a_year, "2014"),
    rule("year", "YEAR", "N N", spoken_year, "nineteen eighty four"),
    rule(
        "year",
        "YEAR",
        (
            "N oh|o N",
            "N zero N",
        ),
        spoken_year_digit,
        "nineteen zero one",
    ),
    rule("year", "YEAR", ("YEAR ad|ce", "YEAR a . d .?", "ad YEAR"), lambda _, year: int(year), "2014 AD"),
    rule("year", "BARE", "YEAR", whole_year, "2014"),
    rule("year", "TIME", "the? year of? YEAR", whole_year, "the year two thousand and nine"),
    rule("year", "TIME", "the? year N", named_year, "the year 2000", "year 247"),
    rule("year", "TIME", "in ' N", apostrophe_year, "in '07"),
    rule("year", "ALONE", "' N", apostrophe_year, "'07"),
    rule(
        "price",
        "NOT_TIME",
        ("$|€|£|¥ N", "$|€|£|¥ N , N", "$|€|£|¥ N . N", "N %|$|€|£|°|℃|° ", "N . N %"),
        nothing,
        "$2,014",
    ),
    rule(
        "fraction",
        "NOT_TIME",
        ("N / N cup|cups|of|inch|inches|tsp|tbsp|teaspoon|tablespoon|mile|miles",),
        nothing,
        "1/2 cup",
    ),
    rule(
        "number of a thing",
        "NOT_TIME",
        (
            (
                "room|rooms|version|v|chapter|page|pages|no|number|flight|route|bus|line|model|build|release|rev|apt|unit|suite|gate|case|ticket|item|"
                "section|figure|table|step|level|lot|python|port|extension|ext|code|pin|id|房间|版本|编号|第 N"
            ),
            "# N",
            "v N . N",
            "version N . N",
        ),
        nothing,
        "room 2014",
        "version 3.11",
    ),
)
