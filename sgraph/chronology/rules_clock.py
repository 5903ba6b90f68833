"""Rules for times of day, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, timedelta
from typing import TypeAlias

from sgraph.chronology.grammar import Rule, constant, rule
from sgraph.chronology.periods import CLOCK_UNITS, DAY, Moment, Period, shift, within
from sgraph.chronology.tokens import Number

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


def _whole_hour(hour: int | Clock) -> int | None:
    """Give the hour of a bare number, or of a clock that tells no minutes ("3 pm", "noon")."""
    if isinstance(hour, tuple):
        return hour[0] if hour[3] == "hour" else None
    return waking(hour) if 1 <= hour <= 12 else None


def past(minutes: int) -> Callable[[Moment, int | Clock], Clock | None]:
    """Make the reading of "half past five" and "quarter to noon"."""
    return lambda moment, hour: minutes_past(moment, minutes, hour)


def minutes_past(_: Moment, minute: int, hour: int | Clock) -> Clock | None:
    """Read "ten past five"."""
    whole = _whole_hour(hour)
    if whole is None or not -60 < minute < 60:
        return None
    total = whole * 60 + minute
    return _clock(total // 60 % 24, total % 60, 0, "minute")


def minutes_to(moment: Moment, minute: int, hour: int | Clock) -> Clock | None:
    """Read "ten to five"."""
    return minutes_past(moment, -minute, hour)


def spoken_to(moment: Moment, minute: Number, hour: int | Clock) -> Clock | None:
    """Read "ten to five": only minutes that people say so; "2 to 3" is a count."""
    return minutes_to(moment, minute, hour) if minute in (5, 10, 15, 20, 25) else None


def spoken(_: Moment, hour: Number, minute: Number) -> Clock | None:
    """Read "three thirty", in words."""
    fits = not hour.digits and not minute.digits and 1 <= hour <= 12 and minute >= 10
    return _clock(waking(hour), minute, 0, "minute") if fits else None


def four_figures(_: Moment, number: Number) -> Clock | None:
    """Read "0730 hours"."""
    return _clock(number // 100, number % 100, 0, "minute") if number.digits == 4 else None


def bare_hour(moment: Moment, number: Number) -> Period | None:
    """Read "at 8" and "at 1530"."""
    clock = four_figures(moment, number) or o_clock(moment, number)
    return None if clock is None or number > 2400 else daily(moment, clock)


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


def _minutes(_: Moment, hour: Number, minute: int) -> Clock | None:
    return _clock(hour, minute, 0, "minute")


def _hours(_: Moment, hour: int) -> Clock | None:
    return _clock(hour)


def _half_past(_: Moment, hour: int) -> Clock | None:
    return _clock(hour, 30, 0, "minute")


def _quarter_past(_: Moment, hour: int, quarters: int) -> Clock | None:
    return _clock(hour, 15 * quarters, 0, "minute") if quarters in (1, 3) else None


def in_zone(moment: Moment, at: Period, offset: int) -> Period | None:
    """Turn "4 pm CET" to the zone of the speaker, if that is known; `offset` is in minutes east of UTC."""
    if at.grain not in CLOCK_UNITS:
        return None
    zone = moment.zone
    if zone is None:
        return at

    def here(p: Period) -> Period:
        utc = (p.start - timedelta(minutes=offset)).replace(tzinfo=UTC)
        start = utc.astimezone(zone).replace(tzinfo=None)
        return replace(p, start=start, end=start + (p.end - p.start))

    return within(at, here)


def clock_in_zone(moment: Moment, clock: Clock, offset: int, day: Period | None = None) -> Period | None:
    """Read "8 am PST tomorrow"."""
    at = daily(moment, clock) if day is None else on_day(moment, day, clock)
    return None if at is None else in_zone(moment, at, offset)


RULES: tuple[Rule, ...] = (
    rule("clock", "CLOCK", ("N : N", "N h N"), digital, "15:30", "15h15"),
    rule("clock", "CLOCK", "N : N : N", digital_seconds, "15:30:20"),
    rule("clock", "CLOCK", "N : N : N . N", digital_fraction, "15:30:20.5"),
    rule(
        "clock, am",
        "CLOCK",
        ("N am", "N : N am", "N a . m .?", "N : N a . m .?", "N in the am"),
        half_day(False),
        "3 am",
    ),
    rule(
        "clock, pm",
        "CLOCK",
        ("N pm", "N : N pm", "N p . m .?", "N : N p . m .?", "N in the pm"),
        half_day(True),
        "3:30 pm",
    ),
    rule("clock, am", "CLOCK", ("N N am",), lambda m, h, n: spoken(m, h, n) and half_day(False)(m, h, n), "six ten am"),
    rule("clock, pm", "CLOCK", ("N N pm",), lambda m, h, n: spoken(m, h, n) and half_day(True)(m, h, n), "six ten pm"),
    rule("o'clock", "CLOCK", ("N o ' clock", "N oclock"), o_clock, "5 o'clock"),
    rule("noon", "CLOCK", ("noon|midday", "12 noon", "twelve noon"), constant((12, 0, 0, "hour")), "12 noon"),
    rule("midnight", "CLOCK", ("midnight", "12 midnight"), constant((0, 0, 0, "hour")), "midnight"),
    rule("four figures", "CLOCK", ("N h|hrs|hours",), four_figures, "0730h"),
    rule("past the hour", "CLOCK", ("half past N|CLOCK",), past(30), "half past five"),
    rule("past the hour", "CLOCK", ("a? quarter past|after N|CLOCK",), past(15), "quarter past five"),
    rule("past the hour", "CLOCK", ("a? quarter to|til|till|before|of N|CLOCK",), past(-15), "quarter to noon"),
    rule("past the hour", "CLOCK", ("N minutes? past N|CLOCK",), minutes_past, "ten past five"),
    rule("past the hour", "CLOCK", ("N minutes to|before N|CLOCK",), minutes_to, "ten minutes to five"),
    rule(
        "past the hour", "CLOCK", ("N to noon|midday",), lambda m, n: spoken_to(m, n, (12, 0, 0, "hour")), "5 to noon"
    ),
    rule(
        "hour in a part of the day",
        "CLOCK",
        ("N in the PART", "N at night"),
        lambda m, hour, part=None: hour_in_part(m, hour, part or "night"),
        "3 in the afternoon",
    ),
    rule("clock in a part of the day", "CLOCK", ("CLOCK in the PART",), in_part, "3:15 in the afternoon"),
    rule("time of day", "TIME", ("at|around|about CLOCK", "at around|about|exactly CLOCK"), daily, "at 3:30 pm"),
    rule(
        "time of day",
        "TIME",
        ("at|around N N", "at half N"),
        lambda m, h, n=None: (c := past(30)(m, h) if n is None else spoken(m, h, n)) and daily(m, c),
        "at three thirty",
    ),
    rule(
        "time of day", "TIME", ("at N to N",), lambda m, n, h: (c := spoken_to(m, n, h)) and daily(m, c), "at ten to 3"
    ),
    rule(
        "time of day", "ALONE", ("N to N",), lambda m, n, h: (c := spoken_to(m, n, h)) and daily(m, c), "ten to three"
    ),
    rule("time of day", "ALONE", ("at|around N",), bare_hour, "at 8"),
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
    rule("time in a zone", "TIME", ("TIME ZONE", "TIME ( ZONE )"), in_zone, "at 4 pm CET"),
    rule("time in a zone", "TIME", ("CLOCK ZONE", "CLOCK ZONE on|,? DATE"), clock_in_zone, "15:00 UTC"),
    rule("clock", "CLOCK", ("N 点 钟|整?", "N 时"), _hours, "三点"),
    rule("clock", "CLOCK", ("N 点|时 过? N 分?",), _minutes, "三点二十分"),
    rule("clock", "CLOCK", ("N 点 差 N 分",), lambda m, h, n: minutes_past(m, -n, (h, 0, 0, "hour")), "三点差五分"),
    rule("clock", "CLOCK", ("差 N 分 N 点",), lambda m, n, h: minutes_past(m, -n, (h, 0, 0, "hour")), "差五分三点"),
    rule("clock", "CLOCK", ("N 点 半",), _half_past, "三点半"),
    rule("clock", "CLOCK", ("N 点 N 刻",), _quarter_past, "三点一刻"),
    rule("clock in a part of the day", "CLOCK", ("ZH_PART 的? CLOCK",), in_part_first, "下午三点"),
    rule("time on a day", "TIME", ("DATE 的? CLOCK",), on_day, "明天下午三点"),
)
