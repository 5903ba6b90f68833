"""Rules for the parts of a day, and for stretches from one time of day to another, English and Chinese.

DAYPART is a day with the name of its part; CLOCKS are two times of day, the end on the next day when it would lie
before the beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TypeAlias

from sgraph.chronology.grammar import Rule, rule
from sgraph.chronology.periods import DAY, Moment, Period, unit_at, within
from sgraph.chronology.rules_clock import Clock, in_part, on_day
from sgraph.chronology.words import PARTS

DayPart: TypeAlias = tuple[Period, str]
Clocks: TypeAlias = tuple[Clock, Clock]


def part_of_day(_: Moment, day: Period, part: str) -> DayPart | None:
    """Read "tomorrow morning"."""
    return (day, part) if day.grain == "day" else None


def part_first(moment: Moment, part: str, day: Period) -> DayPart | None:
    """Read "the morning of 3 May"."""
    return part_of_day(moment, day, part)


def relative_part(moment: Moment, step: int, part: str) -> DayPart:
    """Read "this morning" and "last night"."""
    return unit_at(moment.day, "day", step), part


def on_other_day(step: int) -> Callable[[Moment, str], DayPart]:
    """Make the reading of 今晚, 明早 and 昨夜."""
    return lambda moment, part: relative_part(moment, step, part)


def tonight(moment: Moment) -> DayPart:
    """Read "tonight"."""
    return relative_part(moment, 0, "night")


def hours_of(_: Moment, told: DayPart) -> Period | None:
    """Give the hours of a part of a day: those of the table in `words`."""
    day, part = told
    first, last = PARTS[part]
    return within(
        day, lambda p: Period(p.start + timedelta(hours=first), p.start + timedelta(hours=last), "range", p.basis)
    )


def part_of_today(moment: Moment, part: str) -> Period | None:
    """Read "in the morning": of today."""
    return hours_of(moment, relative_part(moment, 0, part))


def clock_in(moment: Moment, told: DayPart, clock: Clock) -> Period | None:
    """Read "tonight at 8 o'clock"."""
    day, part = told
    in_its_half = in_part(moment, clock, part)
    return None if in_its_half is None else on_day(moment, day, in_its_half)


def hour_in(moment: Moment, told: DayPart, hour: int) -> Period | None:
    """Read "tonight at 8"."""
    return clock_in(moment, told, (int(hour), 0, 0, "hour")) if 1 <= hour <= 12 else None


def clocks(_: Moment, first: Clock, last: Clock) -> Clocks:
    """Read "9:30 to 11:00"; an end before the beginning is meant twelve hours later if that helps: 晚上八点到十点."""
    later = (last[0] + 12, *last[1:])
    return (first, later) if last <= first < later and later[0] < 24 else (first, last)


def clocks_from_hour(moment: Moment, hour: int, last: Clock) -> Clocks | None:
    """Read "3 to 5 pm": the latest such hour before the end."""
    if not 1 <= hour <= 12:
        return None
    hours = (hour % 12 + 12, hour % 12)
    first = next((h for h in hours if (h, 0, 0) < last[:3]), hours[0])
    return (first, 0, 0, "hour"), last


def clocks_to_hour(moment: Moment, first: Clock, hour: int) -> Clocks | None:
    """Read "from 9 am to 5"."""
    return clocks(moment, first, (int(hour), 0, 0, "hour")) if 1 <= hour <= 12 else None


def hours_on(_: Moment, day: Period, told: Clocks) -> Period | None:
    """Read "Thursday from 9:30 to 11:00"."""
    if day.grain != "day":
        return None
    first, last = (timedelta(hours=h, minutes=m, seconds=s) for h, m, s, _ in told)
    length = last - first if last > first else last - first + DAY
    return within(day, lambda p: Period(p.start + first, p.start + first + length, "range", p.basis))


def hours_first(moment: Moment, told: Clocks, day: Period) -> Period | None:
    """Read "9:30 to 11:00 on Thursday"."""
    return hours_on(moment, day, told)


def hours_in(moment: Moment, part: DayPart, told: Clocks) -> Period | None:
    """Read "tomorrow morning from 9 to 11"."""
    first, last = (in_part(moment, clock, part[1]) for clock in told)
    return None if first is None or last is None else hours_on(moment, part[0], (first, last))


def hours_today(moment: Moment, told: Clocks) -> Period | None:
    """Read "from 3 to 5 pm": of today; yesterday's and tomorrow's are its other occurrences."""

    def day(k: int) -> Period:
        return replace(unit_at(moment.day, "day", k, "explicit"), turn=day)

    return hours_on(moment, day(0), told)


RULES: tuple[Rule, ...] = (
    rule(
        "part of a day",
        "DAYPART",
        ("DATE ,|at|in? the? EDGE? PART",),
        lambda m, day, _edge, part: part_of_day(m, day, part),
        "tomorrow morning",
    ),
    rule("part of a day", "DAYPART", ("the? PART of|on? DATE",), part_first, "the morning of 3 May"),
    rule(
        "part of this day",
        "DAYPART",
        ("EDGE? REL PART",),
        lambda m, _edge, step, part: relative_part(m, step, part),
        "this morning",
        "last night",
    ),
    rule(
        "part of this day",
        "TIME",
        ("EDGE? REL PART",),
        lambda m, _edge, step, part: hours_of(m, relative_part(m, step, part)),
        "last night",
    ),
    rule("tonight", "DAYPART", ("late|later? tonight|tonite",), tonight, "tonight"),
    rule("part of a day", "DAYPART", ("DATE 的? ZH_PART",), part_of_day, "明天早上"),
    rule("part of this day", "DAYPART", ("今 ZH_PART",), on_other_day(0), "今晚"),
    rule("part of this day", "DAYPART", ("明 ZH_PART",), on_other_day(1), "明早"),
    rule("part of this day", "DAYPART", ("昨 ZH_PART",), on_other_day(-1), "昨晚"),
    rule("night of this day", "DAYPART", "今夜", tonight, "今夜"),
    rule("night of this day", "DAYPART", "昨夜", lambda m: relative_part(m, -1, "night"), "昨夜"),
    rule("night of this day", "DAYPART", "前晚|前夜", lambda m: relative_part(m, -2, "night"), "前晚"),
    rule("part of a day", "TIME", ("DAYPART",), hours_of, "tomorrow morning"),
    rule("part of the day", "ALONE", ("in|at? the? PART", "early|late in? the? PART"), part_of_today, "noon"),
    rule("part of this day", "ALONE", "寻|琴 ZH_PART", lambda m, part: hours_of(m, relative_part(m, -1, part)), "寻晚"),
    rule("part of this day", "ALONE", "听 ZH_PART", lambda m, part: hours_of(m, relative_part(m, 1, part)), "听晚"),
    rule("part of the day", "ALONE", "今朝", lambda m: part_of_today(m, "morning"), "今朝"),
    rule("part of the day", "ALONE", "听朝", lambda m: hours_of(m, relative_part(m, 1, "morning")), "听朝"),
    rule("part of the day", "ALONE", ("ZH_PART",), part_of_today, "下午"),
    rule("time in a part of a day", "TIME", ("DAYPART ,|at|around|about|的? CLOCK",), clock_in, "tonight at 8:30"),
    rule("time in a part of a day", "TIME", ("DAYPART at|around|@ N",), hour_in, "tomorrow evening at 6"),
    rule(
        "time in a part of a day",
        "TIME",
        ("at? CLOCK DAYPART",),
        lambda m, clock, told: clock_in(m, told, clock),
        "9:30 tonight",
    ),
    rule(
        "time in a part of a day", "TIME", ("at? N DAYPART",), lambda m, hour, told: hour_in(m, told, hour), "8 tonight"
    ),
    rule(
        "hours",
        "CLOCKS",
        (
            "from CLOCK to|till|until|- CLOCK",
            "between CLOCK and|to|- CLOCK",
            "CLOCK to|till|until|- CLOCK",
            "从|自|在? CLOCK 到|至 CLOCK",
        ),
        clocks,
        "9:30 to 11:00",
    ),
    rule(
        "hours",
        "CLOCKS",
        ("from N to|till|until|- CLOCK", "between N and|to|- CLOCK", "N to|- CLOCK"),
        clocks_from_hour,
        "3 to 5 pm",
    ),
    rule(
        "hours",
        "CLOCKS",
        ("from CLOCK to|till|until|- N", "between CLOCK and|to|- N"),
        clocks_to_hour,
        "from 9 am to 5",
    ),
    rule("hours", "TIME", "CLOCKS", hours_today, "from 3 to 5 pm"),
    rule("hours on a day", "TIME", "DATE ,? CLOCKS", hours_on, "Thursday from 9:30 to 11:00"),
    rule("hours on a day", "TIME", "CLOCKS ,|on|of? DATE", hours_first, "9:30 to 11:00 on Thursday"),
    rule("hours on a day", "TIME", "DAYPART ,? CLOCKS", hours_in, "tomorrow morning from 9:30 to 11:00"),
)
