"""The Chinese lunar calendar: which day of the common calendar is day d of lunar month m.

Months begin on the day of the new moon in China; the month that holds the winter solstice is the eleventh; in a year of
thirteen months the first one without a major solar term is a leap month. New moons and solar longitude after J. Meeus,
"Astronomical Algorithms" (chapters 25 and 49, truncated: good to a few minutes in 1900-2100).
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from math import floor, radians, sin

_CHINA = 8 / 24
_J2000 = 2451545.0
_ORDINAL = 1721424.5  # Julian day of ordinal 0 of datetime.date


def _new_moon(k: int) -> float:
    """Give the Julian day (UTC, ΔT of about a minute left in) of the k-th new moon after January 2000."""
    t = k / 1236.85
    mean = 2451550.09766 + 29.530588861 * k + 0.00015437 * t * t
    sun = radians(2.5534 + 29.10535670 * k - 0.0000014 * t * t)
    moon = radians(201.5643 + 385.81693528 * k + 0.0107582 * t * t)
    node = radians(160.7108 + 390.67050284 * k - 0.0016118 * t * t)
    long = radians(124.7746 - 1.56375588 * k + 0.0020672 * t * t)
    e = 1 - 0.002516 * t
    return (
        mean
        + (
            -0.40720 * sin(moon)
            + 0.17241 * e * sin(sun)
            + 0.01608 * sin(2 * moon)
            + 0.01039 * sin(2 * node)
            + 0.00739 * e * sin(moon - sun)
            - 0.00514 * e * sin(moon + sun)
            + 0.00208 * e * e * sin(2 * sun)
            - 0.00111 * sin(moon - 2 * node)
            - 0.00057 * sin(moon + 2 * node)
            + 0.00056 * e * sin(2 * moon + sun)
            - 0.00042 * sin(3 * moon)
            + 0.00042 * e * sin(sun + 2 * node)
            + 0.00038 * e * sin(sun - 2 * node)
            - 0.00024 * e * sin(2 * moon - sun)
            - 0.00017 * sin(long)
        )
        - 69 / 86400
    )


def _longitude(julian: float) -> float:
    """Give the sun's apparent longitude in degrees."""
    t = (julian - _J2000) / 36525
    anomaly = radians(357.52911 + 35999.05029 * t)
    centre = (1.914602 - 0.004817 * t) * sin(anomaly) + 0.019993 * sin(2 * anomaly) + 0.000289 * sin(3 * anomaly)
    return (280.46646 + 36000.76983 * t + centre - 0.00569 - 0.00478 * sin(radians(125.04 - 1934.136 * t))) % 360


def _day_in_china(julian: float) -> date:
    return date.fromordinal(floor(julian + _CHINA - _ORDINAL))


def _midnight(day: date) -> float:
    """Give the Julian day at which a day begins in China."""
    return day.toordinal() + _ORDINAL - _CHINA


def _term(day: date) -> int:
    """Number the twelfth of the zodiac in which the sun stands when the day begins in China (winter solstice: 9)."""
    return int(_longitude(_midnight(day)) // 30)


@lru_cache(maxsize=64)
def _months(year: int) -> dict[int, date]:
    """Give the first days of the lunar months of the lunar year that begins in `year`, by number."""
    first = floor((year - 2000) * 12.3685) - 3
    starts = [_day_in_china(_new_moon(first + n)) for n in range(21)]
    terms = [_term(start) for start in starts]
    entered = [(after - before) % 12 for before, after in pairwise(terms)]  # major terms inside each month
    eleventh, following = (at for at in range(20) if 1 <= (9 - terms[at]) % 12 <= entered[at])
    numbered: list[date] = []  # from the twelfth month of the year before
    leap = following - eleventh == 13
    for at in range(eleventh + 1, 20):
        if leap and entered[at] == 0:
            leap = False
        else:
            numbered.append(starts[at])
    return dict(enumerate(numbered[:13]))


def lunar_day(year: int, month: int, day: int) -> date:
    """Give the common date of a day of a lunar month; the lunar year is the one that begins in `year`.

    ValueError outside 1900 to 2100. Months 11 and 12 are off by one when a leap month comes right before them (2033).
    """
    if not 1900 <= year <= 2100:
        raise ValueError(f"no lunar calendar for {year}")
    return _months(year)[month] + timedelta(days=day - 1)
