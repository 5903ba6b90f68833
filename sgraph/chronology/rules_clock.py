"""Rules for times of day, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

from sgraph.chronology.grammar import Rule, rule
from sgraph.chronology.periods import DAY, Moment, Period, shift, within
from sgraph.chronology.tokens import Number
from sgraph.chronology.words import PARTS

Clock: TypeAlias = tuple[int, int, int, str]
"""Hour, minute, second and the smallest unit that was named."""


def _clock(hour: int, minute: int = 0, second: int = 0, grain: str = "hour") -> Clock | None:
    return (int(hour), int(minute), int(second), grain) if hour < 24 and minute < 60 and second < 60 else None


def digital(_: Moment, hour: Number, minute: Number) -> Clock | None:
    """Read 15:30."""
    return _clock(hour, minute, 0, "minute") if 0 < hour.digits <= 2 and minute.digits == 2 else None


def digital_seconds(_: Moment, hour: Number, minute: Number, second: Number) -> Clock | None:
    """Read 15:30:20."""
    return _clock(hour, minute, second, "second") if hour.digits <= 2 and minute.digits == second.digits == 2 else None


def digital_fraction(moment: Moment, hour: Number, minute: Number, second: Number, _fraction: Number) -> Clock | None:
    """Read 15:30:20.123, leaving the fraction out."""
    return digital_seconds(moment, hour, minute, second)


def half_day(afternoon: bool) -> Callable[[Moment, int, Number | None], Clock | None]:
    """Make the reading of "3 pm" and "3:30 am"."""

    def read(_: Moment, hour: int, minute: int | None = None) -> Clock | None:
        if not 1 <= hour <= 12:
            return None
        return _clock(hour % 12 + (12 if afternoon else 0), minute or 0, 0, "hour" if minute is None else "minute")

    return read


def waking(hour: int) -> int:
    """Take an hour from 1 to 6 without am or pm for the afternoon."""
    return hour + 12 if 1 <= hour <= 6 else hour


def o_clock(_: Moment, hour: int) -> Clock | None:
    """Read "5 o'clock" and, after "at", a bare 5."""
    return _clock(waking(hour)) if 1 <= hour <= 24 else None


def past(minutes: int) -> Callable[[Moment, int], Clock | None]:
    """Make the reading of "half past five" and "quarter to six"."""

    def read(_: Moment, hour: int) -> Clock | None:
        total = waking(hour) * 60 + minutes
        return _clock(total // 60 % 24, total % 60, 0, "minute") if 1 <= hour <= 12 else None

    return read


def minutes_past(_: Moment, minute: int, hour: int) -> Clock | None:
    """Read "ten past five"."""
    return _clock(waking(hour), minute, 0, "minute") if 1 <= hour <= 12 else None


def minutes_to(_: Moment, minute: int, hour: int) -> Clock | None:
    """Read "ten to five"."""
    total = waking(hour) * 60 - minute
    return _clock(total // 60, total % 60, 0, "minute") if 1 <= hour <= 12 and 1 <= minute < 60 else None


def in_part(_: Moment, clock: Clock, part: str) -> Clock | None:
    """Read "3 in the afternoon" and 下午三点."""
    hour, minute, second, grain = clock
    late = part in ("afternoon", "evening") or (part == "night" and hour >= 5) or (part == "noon" and hour < 3)
    if late and hour < 12:
        hour += 12
    elif part in ("morning", "dawn") and 13 <= hour <= 18:
        hour -= 12
    elif part == "midnight" and hour == 12:
        hour = 0
    return _clock(hour, minute, second, grain)


def in_part_first(moment: Moment, part: str, clock: Clock) -> Clock | None:
    """Read 下午三点."""
    return in_part(moment, clock, part)


def hour_in_part(moment: Moment, hour: int, part: str) -> Clock | None:
    """Read "3 in the afternoon"."""
    return in_part(moment, (int(hour), 0, 0, "hour"), part) if 1 <= hour <= 12 else None


def on_day(_: Moment, day: Period, clock: Clock) -> Period | None:
    """Put a time of day on a day."""
    if day.grain != "day":
        return None
    hour, minute, second, grain = clock

    def at(p: Period) -> Period:
        start = p.start + timedelta(hours=hour, minutes=minute, seconds=second)
        return Period(start, shift(start, grain, 1), grain, p.basis)

    return within(day, at)


def clock_first(moment: Moment, clock: Clock, day: Period) -> Period | None:
    """Put a time of day on a day that is named after it."""
    return on_day(moment, day, clock)


def daily(moment: Moment, clock: Clock) -> Period | None:
    """Give a time of day without a day: today's; yesterday's and tomorrow's are its other occurrences."""

    def turn(k: int) -> Period | None:
        start = moment.day + k * DAY
        return on_day(moment, Period(start, start + DAY, "day", "explicit"), clock)

    found = turn(0)
    return None if found is None else Period(found.start, found.end, found.grain, "explicit", turn)


def half_of_today(afternoon: bool) -> Callable[[Moment, int, Number | None], Period | None]:
    """Make the reading of "3 pm" by itself, which is a time of day wherever it stands."""
    read = half_day(afternoon)

    def today(moment: Moment, hour: int, minute: Number | None = None) -> Period | None:
        clock = read(moment, hour, minute)
        return None if clock is None else daily(moment, clock)

    return today


def part_of_day(_: Moment, day: Period, part: str) -> Period | None:
    """Read "tomorrow morning": the hours of the table in `words`."""
    if day.grain != "day":
        return None
    first, last = PARTS[part]
    return within(
        day, lambda p: Period(p.start + timedelta(hours=first), p.start + timedelta(hours=last), "range", p.basis)
    )


def part_first(moment: Moment, part: str, day: Period) -> Period | None:
    """Read "the morning of 3 May"."""
    return part_of_day(moment, day, part)


def relative_part(moment: Moment, step: int, part: str) -> Period | None:
    """Read "this morning" and "last night"."""
    start = moment.day + step * DAY
    return part_of_day(moment, Period(start, start + DAY, "day"), part)


def tonight(moment: Moment) -> Period | None:
    """Read "tonight"."""
    return relative_part(moment, 0, "night")


def named_part(moment: Moment, part: str) -> Period | None:
    """Read "noon" and "in the morning": of today."""
    return relative_part(moment, 0, part)


def _minutes(_: Moment, hour: Number, minute: int) -> Clock | None:
    return _clock(hour, minute, 0, "minute")


def _hours(_: Moment, hour: int) -> Clock | None:
    return _clock(hour)


def _half_past(_: Moment, hour: int) -> Clock | None:
    return _clock(hour, 30, 0, "minute")


def _quarter_past(_: Moment, hour: int, quarters: int) -> Clock | None:
    return _clock(hour, 15 * quarters, 0, "minute") if quarters in (1, 3) else None


RULES: tuple[Rule, ...] = (
    rule("clock", "CLOCK", "N : N", digital, "15:30"),
    rule("clock", "CLOCK", "N : N : N", digital_seconds, "15:30:20"),
    rule("clock", "CLOCK", "N : N : N . N", digital_fraction, "15:30:20.5"),
    rule("clock, am", "CLOCK", ("N am", "N : N am", "N a . m .?", "N : N a . m .?"), half_day(False), "3 am"),
    rule("clock, pm", "CLOCK", ("N pm", "N : N pm", "N p . m .?", "N : N p . m .?"), half_day(True), "3:30 pm"),
    rule("o'clock", "CLOCK", ("N o ' clock", "N oclock"), o_clock, "5 o'clock"),
    rule("past the hour", "CLOCK", ("half past N",), past(30), "half past five"),
    rule("past the hour", "CLOCK", ("a? quarter past|after N",), past(15), "quarter past five"),
    rule("past the hour", "CLOCK", ("a? quarter to|til|before N",), past(-15), "quarter to six"),
    rule("past the hour", "CLOCK", ("N minutes? past N",), minutes_past, "ten past five"),
    rule("past the hour", "CLOCK", ("N minutes to N",), minutes_to, "ten minutes to five"),
    rule(
        "hour in a part of the day",
        "CLOCK",
        ("N in the PART", "N at night"),
        lambda m, hour, part=None: hour_in_part(m, hour, part or "night"),
        "3 in the afternoon",
    ),
    rule("clock in a part of the day", "CLOCK", ("CLOCK in the PART",), in_part, "3:15 in the afternoon"),
    rule("time of day", "TIME", ("at|around|by|about CLOCK", "at around|about|exactly CLOCK"), daily, "at 3:30 pm"),
    rule("time of day", "TIME", ("N am", "N : N am"), half_of_today(False), "8 am"),
    rule("time of day", "TIME", ("N pm", "N : N pm"), half_of_today(True), "3 pm"),
    rule("time of day", "BARE", ("CLOCK",), daily, "15:30"),
    rule("time on a day", "TIME", ("DATE ,|at|around|about|@? CLOCK",), on_day, "tomorrow at 3 pm"),
    rule(
        "hour on a day",
        "TIME",
        ("DATE at|@ N",),
        lambda m, day, hour: (c := o_clock(m, hour)) and on_day(m, day, c),
        "tomorrow at 5",
    ),
    rule("time on a day", "TIME", ("at? CLOCK on|,? DATE",), clock_first, "3 pm on Friday"),
    rule(
        "part of a day",
        "TIME",
        ("DATE ,|at|in? the? EDGE? PART",),
        lambda m, day, _edge, part: part_of_day(m, day, part),
        "tomorrow morning",
    ),
    rule("part of a day", "TIME", ("the? PART of|on? DATE",), part_first, "the morning of 3 May"),
    rule(
        "part of this day",
        "TIME",
        ("EDGE? REL PART",),
        lambda m, _edge, step, part: relative_part(m, step, part),
        "this morning",
        "last night",
    ),
    rule("tonight", "TIME", ("tonight|tonite", "late tonight", "this evening"), tonight, "tonight"),
    rule("part of the day", "ALONE", ("in|at? the? PART",), named_part, "noon"),
    rule("clock", "CLOCK", ("N 点 钟|整?", "N 时"), _hours, "三点"),
    rule("clock", "CLOCK", ("N 点|时 N 分?",), _minutes, "三点二十分"),
    rule("clock", "CLOCK", ("N 点 半",), _half_past, "三点半"),
    rule("clock", "CLOCK", ("N 点 N 刻",), _quarter_past, "三点一刻"),
    rule("clock in a part of the day", "CLOCK", ("ZH_PART 的? CLOCK",), in_part_first, "下午三点"),
    rule("time on a day", "TIME", ("DATE 的? CLOCK",), on_day, "明天下午三点"),
    rule("part of a day", "TIME", ("DATE 的? ZH_PART",), part_of_day, "明天早上"),
    rule("part of this day", "TIME", ("今 ZH_PART",), named_part, "今晚"),
    rule("part of this day", "TIME", ("明 ZH_PART",), lambda m, part: relative_part(m, 1, part), "明早"),
    rule("part of this day", "TIME", ("昨 ZH_PART",), lambda m, part: relative_part(m, -1, part), "昨晚"),
    rule("part of the day", "ALONE", ("ZH_PART",), named_part, "下午"),
)
