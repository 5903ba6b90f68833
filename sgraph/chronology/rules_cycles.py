"""English rules for what comes round: quarters, halves, seasons, holidays; and for decades and centuries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sgraph.chronology.grammar import Rule, constant, rule
from sgraph.chronology.holidays import HOLIDAYS, Holiday
from sgraph.chronology.periods import (
    SEASONS,
    Moment,
    Period,
    month_of,
    season_of,
    shift,
    unit_at,
    within,
    year_of,
    yearly,
)
from sgraph.chronology.tokens import Number, tokenize


def quarter(moment: Moment, nth: int, year: int | None = None) -> Period | None:
    """Read "Q3 2016"."""
    if not 1 <= nth <= 4:
        return None

    def make(y: int) -> Period:
        return replace(unit_at(month_of(y, 3 * nth - 2).start, "quarter"), basis="explicit")

    return yearly(moment, make) if year is None else make(year)


def short_year_quarter(moment: Moment, year: Number, nth: int) -> Period | None:
    """Read "18q4"."""
    return quarter(moment, nth, 2000 + year) if year.digits == 2 else None


def quarter_in(moment: Moment, nth: int, year: Period) -> Period | None:
    """Read "the first quarter of this year"."""
    return quarter(moment, nth, year.start.year) if year.grain == "year" else None


def half_year(moment: Moment, nth: int, year: int | None = None) -> Period | None:
    """Read "H2 2016"."""
    if nth not in (1, 2):
        return None

    def make(y: int) -> Period:
        return replace(unit_at(month_of(y, 6 * nth - 5).start, "half"), basis="explicit")

    return yearly(moment, make) if year is None else make(year)


def half_in(moment: Moment, nth: int, year: Period) -> Period | None:
    """Read "H1 of this year"."""
    return half_year(moment, nth, year.start.year) if year.grain == "year" else None


def year_then_quarter(moment: Moment, year: int, nth: int) -> Period | None:
    """Read "2016 Q3"."""
    return quarter(moment, nth, year)


def year_then_half(moment: Moment, year: int, nth: int) -> Period | None:
    """Read "2016 H2"."""
    return half_year(moment, nth, year)


def decade(moment: Moment, first: int) -> Period | None:
    """Read "the 1970s" and "the 70s"; two figures from 30 on belong to the twentieth century."""
    if first % 10 or not (10 <= first <= 99 or 1000 <= first <= 2999):
        return None
    year = first if first > 99 else first + (1900 if first >= 30 else 2000)
    found = unit_at(year_of(year).start, "decade", basis="explicit")
    whole = unit_at(found.start, "century")
    return replace(found, alternatives=((whole.start, whole.end),)) if year % 100 == 0 else found


def hundreds_of(_: Moment, count: Number) -> Period | None:
    """Read "the seventeen hundreds": 1700 to 1799."""
    return century(_, count + 1) if 10 <= count <= 20 else None


def spoken_decade(moment: Moment, hundreds: int, tens: int) -> Period | None:
    """Read "the nineteen seventies"."""
    return (
        decade(moment, hundreds * 100 + tens)
        if 10 <= hundreds <= 21 and tens < 100
        else decade(moment, 2000 + tens % 1000)
        if (hundreds, tens) == (2, 1000) or (hundreds == 2000 and tens < 100)
        else None
    )


def century(_: Moment, nth: int) -> Period | None:
    """Read "the 21st century" the way people count it: 2000 to 2099."""
    start = year_of((nth - 1) * 100).start
    return Period(start, shift(start, "century", 1), "range", "explicit")


def season(moment: Moment, name: str, year: int | None = None) -> Period | None:
    """Read "summer of 2023" (June to August)."""
    return yearly(moment, lambda y: season_of(y, name)) if year is None else season_of(year, name)


def short_year_season(_: Moment, name: str, year: Number) -> Period | None:
    """Read "summer of '22"."""
    return season_of(2000 + year, name) if year.digits == 2 else None


def season_in(_: Moment, name: str, year: Period) -> Period | None:
    """Read "spring of next year"."""
    return within(year, lambda y: season_of(y.start.year, name)) if year.grain == "year" else None


def relative_cycle(moment: Moment, step: int, make: Callable[[int], Period]) -> Period | None:
    """Choose among yearly things: last is over, next has not begun, this is of the year or going on."""
    known = [make(moment.now.year + n) for n in range(-2, 3)]
    if step == 0:
        going = [period for period in known if period.start <= moment.now < period.end]
        return replace(going[0] if going else known[2], basis="relative")
    if step < 0:
        return replace([period for period in known if period.end <= moment.now][step], basis="relative")
    return replace([period for period in known if period.start > moment.now][step - 1], basis="relative")


def relative_season(moment: Moment, step: int, name: str) -> Period | None:
    """Read "last summer"."""
    return relative_cycle(moment, step, lambda year: season_of(year, name))


def season_step(moment: Moment, step: int) -> Period:
    """Read "this season"."""
    known = [season_of(year, name) for year in range(moment.now.year - 2, moment.now.year + 3) for name in SEASONS]
    present = next(n for n, period in enumerate(known) if period.start <= moment.now < period.end)
    return replace(known[present + step], basis="relative")


def relative_month(moment: Moment, step: int, month: int) -> Period | None:
    """Read "last March"."""
    return relative_cycle(moment, step, lambda year: month_of(year, month))


def relative_holiday(moment: Moment, step: int, day: Holiday) -> Period | None:
    """Read "next Christmas"."""
    return relative_cycle(moment, step, day)


def holiday(moment: Moment, day: Holiday, year: int | None = None) -> Period | None:
    """Read a holiday by its name."""
    return yearly(moment, day) if year is None else day(year)


def holiday_unit(moment: Moment, day: Holiday, unit: str) -> Period | None:
    """Read "Thanksgiving weekend" and "Christmas week": the unit that holds the day."""
    found = holiday(moment, day) if unit in ("week", "weekend") else None
    return None if found is None else within(found, lambda p: unit_at(p.start, unit))


def holiday_in(_: Moment, day: Holiday, year: Period) -> Period | None:
    """Read "Easter last year"."""
    return within(year, lambda y: day(y.start.year)) if year.grain == "year" else None


def _spellings(names: str) -> tuple[str, ...]:
    """Turn holiday names into patterns: Chinese ones are one word, English ones may lack the apostrophe."""
    spelt = {form for name in names.split(", ") for form in (name, name.replace("'", ""))}
    return tuple(sorted(" ".join(token.key for token in tokenize(form)) if form.isascii() else form for form in spelt))


_HOLIDAYS = tuple(
    rule("holiday", "HOLIDAY", _spellings(names), constant(day), names.split(", ")[0]) for names, day in HOLIDAYS
)


RULES: tuple[Rule, ...] = (
    *_HOLIDAYS,
    rule(
        "quarter",
        "TIME",
        ("q N", "q N ,|of|in? YEAR", "the? ORD quarter|qtr", "the? ORD quarter|qtr ,|of|in? YEAR"),
        quarter,
        "Q3 2016",
    ),
    rule("quarter, short year", "TIME", ("'? N q N",), short_year_quarter, "'18q4"),
    rule(
        "quarter", "TIME", ("YEAR ,? q N", "YEAR -? q N", "YEAR ,? the? ORD quarter|qtr"), year_then_quarter, "2016 Q3"
    ),
    rule(
        "quarter of a year",
        "TIME",
        ("q N ,|of|in? WHOLE", "the? ORD quarter|qtr of|in? WHOLE"),
        quarter_in,
        "Q1 last year",
    ),
    rule("half-year", "TIME", ("h N ,|of|in? YEAR",), half_year, "H2 2016"),
    rule("half-year", "TIME", ("h N ,|of|in? WHOLE",), half_in, "H2 last year"),
    rule("half-year", "ALONE", ("h N",), half_year, "H2"),
    rule("half-year", "TIME", "N h of? YEAR", half_year, "1H 2017"),
    rule("quarter", "TIME", "N q of? YEAR", quarter, "3Q 2017"),
    rule("half-year", "TIME", ("YEAR -? h N",), year_then_half, "2016 H2"),
    rule("decade", "TIME", ("the '? N '? s", "the DECADE"), decade, "the 1970s", "the nineties"),
    rule("decade", "TIME", ("the? N DECADE",), spoken_decade, "the nineteen seventies"),
    rule("decade", "BARE", ("'? N '? s", "DECADE"), decade, "70's"),
    rule("hundreds", "TIME", ("the N hundreds",), hundreds_of, "the seventeen hundreds"),
    rule("hundreds", "BARE", ("N hundreds",), hundreds_of, "nineteen hundreds"),
    rule("century", "TIME", ("the? ORD century",), century, "the 21st century"),
    rule("season of a year", "TIME", ("the? SEASON of|in? YEAR",), season, "summer of 2023"),
    rule("season of a year", "TIME", ("the? SEASON of|in? DATE",), season_in, "spring of next year"),
    rule("season, short year", "TIME", "the? SEASON of|in? ' N", short_year_season, "summer of '22"),
    rule("season", "TIME", "over the SEASON", season, "over the summer"),
    rule("season", "ALONE", ("the? SEASON",), season, "summer"),
    rule("season", "ALONE", ("the? REL season",), season_step, "this season"),
    rule("season", "TIME", ("REL SEASON",), relative_season, "last summer"),
    rule("relative month", "TIME", ("REL MONTH|LOWMONTH",), relative_month, "last March"),
    rule("holiday", "TIME", ("HOLIDAY", "HOLIDAY day", "HOLIDAY ,|of|in? YEAR"), holiday, "Christmas", "Easter 2014"),
    rule("week of a holiday", "TIME", ("HOLIDAY UNIT!",), holiday_unit, "Christmas week"),
    rule("holiday", "TIME", ("YEAR HOLIDAY",), lambda m, year, day: holiday(m, day, year), "2014 Christmas"),
    rule("holiday", "TIME", ("REL HOLIDAY",), relative_holiday, "next Christmas"),
    rule("holiday", "TIME", ("HOLIDAY of|in? DATE",), holiday_in, "Easter last year"),
)
