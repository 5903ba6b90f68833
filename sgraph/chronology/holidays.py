"""Holidays with fixed or computable dates.

Easter follows dateutil; the Chinese lunar calendar is computed from the new moons and the sun's longitude (see
`lunar`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from dateutil.easter import EASTER_ORTHODOX, easter

from sgraph.chronology.lunar import lunar_day
from sgraph.chronology.periods import DAY, Period, day_of, month_of, weekday_in

Holiday: TypeAlias = Callable[[int], Period]
"""The day on which a holiday falls in a given year."""


def _fixed(month: int, day: int) -> Holiday:
    return lambda year: day_of(year, month, day)


def _nth(month: int, weekday: int, nth: int, after: int = 0) -> Holiday:
    """The nth weekday of a month (-1: the last), or some days after it."""

    def on(year: int) -> Period:
        found = weekday_in(month_of(year, month), weekday, nth)
        if found is None:
            raise ValueError(f"month {month} has no weekday {weekday} number {nth}")
        return Period(found.start + after * DAY, found.end + after * DAY, "day", "explicit")

    return on


def _from_easter(days: int) -> Holiday:
    def on(year: int) -> Period:
        start = datetime.combine(easter(year), datetime.min.time()) + days * DAY
        return Period(start, start + DAY, "day", "explicit")

    return on


def _orthodox_easter(year: int) -> Period:
    start = datetime.combine(easter(year, EASTER_ORTHODOX), datetime.min.time())
    return Period(start, start + DAY, "day", "explicit")


def lunar(month: int, day: int, after: int = 0) -> Holiday:
    """Give the day of a lunar month, or some days after it."""

    def on(year: int) -> Period:
        start = datetime.combine(lunar_day(year, month, day), datetime.min.time()) + after * DAY
        return Period(start, start + DAY, "day", "explicit")

    return on


def _clear_brightness(year: int) -> Period:
    """Give Qingming, when the sun stands at 15 degrees: 4 or 5 April (the usual formula, for 1900 to 2099)."""
    offset = 4.81 if year >= 2000 else 5.59
    return day_of(year, 4, int(year % 100 * 0.2422 + offset) - year % 100 // 4)


HOLIDAYS: tuple[tuple[str, Holiday], ...] = (
    ("New Year's Day, New Year, New Years, 元旦", _fixed(1, 1)),
    ("Martin Luther King Day, MLK Day, MLK, Martin Luther King Jr Day", _nth(1, 0, 3)),
    ("Groundhog Day", _fixed(2, 2)),
    ("Valentine's Day, Valentine's, Valentine Day, Valentines, 情人节", _fixed(2, 14)),
    ("Presidents' Day, President's Day", _nth(2, 0, 3)),
    ("Epiphany, Three Kings' Day", _fixed(1, 6)),
    ("Australia Day", _fixed(1, 26)),
    ("Pi Day", _fixed(3, 14)),
    ("Women's Day, International Women's Day, 妇女节, 国际妇女节, 三八妇女节, 三八节", _fixed(3, 8)),
    ("植树节", _fixed(3, 12)),
    ("St Patrick's Day, St. Patrick's Day, Saint Patrick's Day, Paddy's Day", _fixed(3, 17)),
    ("April Fools' Day, April Fool's Day, April Fools, 愚人节", _fixed(4, 1)),
    ("Tax Day", _fixed(4, 15)),
    ("ANZAC Day", _fixed(4, 25)),
    ("Arbor Day", _nth(4, 4, -1)),
    ("Earth Day", _fixed(4, 22)),
    ("May Day, International Workers' Day, 劳动节, 国际劳动节, 五一劳动节, 五一", _fixed(5, 1)),
    ("Cinco de Mayo", _fixed(5, 5)),
    ("青年节", _fixed(5, 4)),
    ("Mother's Day, Mothers' Day, 母亲节", _nth(5, 6, 2)),
    ("Memorial Day", _nth(5, 0, -1)),
    ("Children's Day, 儿童节, 六一儿童节, 六一", _fixed(6, 1)),
    ("Father's Day, Fathers' Day, 父亲节", _nth(6, 6, 3)),
    ("Flag Day", _fixed(6, 14)),
    ("Juneteenth", _fixed(6, 19)),
    ("Canada Day", _fixed(7, 1)),
    ("建党节", _fixed(7, 1)),
    ("Independence Day, Fourth of July, 4th of July, July 4th, 独立日", _fixed(7, 4)),
    ("Bastille Day", _fixed(7, 14)),
    ("建军节, 八一建军节", _fixed(8, 1)),
    ("Labor Day, Labour Day", _nth(9, 0, 1)),
    ("教师节", _fixed(9, 10)),
    ("国庆节, 国庆, 十一国庆", _fixed(10, 1)),
    ("Columbus Day, Indigenous Peoples' Day", _nth(10, 0, 2)),
    ("Halloween, Hallowe'en, 万圣节", _fixed(10, 31)),
    ("All Saints' Day, All Saints Day", _fixed(11, 1)),
    ("Guy Fawkes Night, Guy Fawkes Day, Bonfire Night", _fixed(11, 5)),
    ("Veterans Day, Veteran's Day, Armistice Day, Remembrance Day", _fixed(11, 11)),
    ("Singles' Day, 光棍节, 双十一", _fixed(11, 11)),
    ("双十二", _fixed(12, 12)),
    ("Thanksgiving, Thanksgiving Day, Turkey Day, 感恩节", _nth(11, 3, 4)),
    ("Black Friday, 黑色星期五, 黑五", _nth(11, 3, 4, 1)),
    ("Small Business Saturday", _nth(11, 3, 4, 2)),
    ("Cyber Monday", _nth(11, 3, 4, 4)),
    ("Christmas Eve, Xmas Eve, 平安夜, 圣诞夜", _fixed(12, 24)),
    ("Christmas, Christmas Day, Xmas, Xmas Day, 圣诞节, 圣诞", _fixed(12, 25)),
    ("Boxing Day, St Stephen's Day, Saint Stephen's Day", _fixed(12, 26)),
    ("Kwanzaa", _fixed(12, 26)),
    ("New Year's Eve, New Years Eve, NYE, 跨年夜", _fixed(12, 31)),
    ("Mardi Gras, Shrove Tuesday, Pancake Day", _from_easter(-47)),
    ("Ash Wednesday", _from_easter(-46)),
    ("Mothering Sunday", _from_easter(-21)),
    ("Palm Sunday", _from_easter(-7)),
    ("Holy Saturday, Easter Saturday", _from_easter(-1)),
    ("Trinity Sunday", _from_easter(56)),
    ("Maundy Thursday, Holy Thursday", _from_easter(-3)),
    ("Good Friday, 耶稣受难日", _from_easter(-2)),
    ("Easter, Easter Sunday, Easter Day, 复活节", _from_easter(0)),
    ("Orthodox Easter, Orthodox Easter Sunday", _orthodox_easter),
    ("Easter Monday", _from_easter(1)),
    ("Ascension Day", _from_easter(39)),
    ("Pentecost, Whit Sunday", _from_easter(49)),
    ("Whit Monday, Pentecost Monday", _from_easter(50)),
    ("Corpus Christi", _from_easter(60)),
    ("除夕, 大年三十, 年三十, 除夕夜, Chinese New Year's Eve", lunar(1, 1, -1)),
    ("春节, 大年初一, 年初一, Chinese New Year, Lunar New Year, Spring Festival", lunar(1, 1)),
    ("元宵节, 元宵, Lantern Festival", lunar(1, 15)),
    ("清明节, 清明, Tomb Sweeping Day, Qingming", _clear_brightness),
    ("端午节, 端午, Dragon Boat Festival", lunar(5, 5)),
    ("龙抬头", lunar(2, 2)),
    ("小年", lambda year: lunar(12, 23)(year - 1)),
    ("七夕, 七夕节", lunar(7, 7)),
    ("中元节", lunar(7, 15)),
    ("中秋节, 中秋, Mid-Autumn Festival, Mid Autumn Festival, Moon Festival", lunar(8, 15)),
    ("重阳节, 重阳", lunar(9, 9)),
    ("腊八节, 腊八", lambda year: lunar(12, 8)(year - 1)),
)
"""Names, the usual one first, and the day. One pattern of the grammar is made of each name."""
