"""Chinese rules.

The tokenizer has folded traditional characters and full-width signs; times of day stand in `rules_clock`.
"""

from __future__ import annotations

from collections.abc import Callable

from sgraph.chronology.grammar import Rule, constant, nothing, rule, same
from sgraph.chronology.holidays import Holiday, lunar
from sgraph.chronology.periods import (
    DAY,
    Duration,
    Moment,
    Period,
    floor,
    unit_at,
    weekly,
    within,
    year_of,
    yearly,
)
from sgraph.chronology.rules_calendar import (
    day_in,
    day_month,
    day_of_month,
    half_of,
    last_unit,
    last_weekday,
    month_in,
    named_month,
    nth_unit,
    nth_weekday,
    nth_weekday_now,
    part_of,
    unit_of,
    week_number,
    weekday_and_number,
    weekday_date,
)
from sgraph.chronology.rules_cycles import (
    century,
    half_year,
    holiday_in,
    quarter,
    relative_holiday,
    relative_season,
    season,
    season_in,
)
from sgraph.chronology.rules_distance import (
    ago,
    at_distance,
    beyond,
    from_now,
    longer,
    span_from_now,
    span_from_tomorrow,
    span_to_now,
    working_days,
)
from sgraph.chronology.rules_numeric import full_year
from sgraph.chronology.rules_range import between, days_of_this_month, days_within_month
from sgraph.chronology.rules_relative import now, rest_of
from sgraph.chronology.tokens import Number


def relative_day(moment: Moment, offset: int) -> Period:
    """Read 昨天, 今天, 大后天."""
    return unit_at(moment.day, "day", offset)


def relative_year(moment: Moment, offset: int) -> Period:
    """Read 去年, 今年, 后年."""
    return unit_at(moment.day, "year", offset)


def relative_unit(moment: Moment, step: int, unit: str) -> Period | None:
    """Read 上周, 这个月, 下下周末."""
    return unit_at(moment.now, unit, step) if unit != "decade" else None


def relative_weekday(moment: Moment, step: int, weekday: int) -> Period:
    """Read 上周二: the day of the week before, with or after this one."""
    start = floor(moment.now, "week") + (weekday + 7 * step) * DAY
    return Period(start, start + DAY, "day")


def weekday(moment: Moment, number: int) -> Period:
    """Read a bare weekday: the coming one."""
    return weekly(moment, number)


def month_number(_: Moment, number: int) -> int | None:
    """Take 1 to 12 before 月 for a month."""
    return int(number) if 1 <= number <= 12 else None


def year_number(moment: Moment, number: Number) -> int | None:
    """Take four figures, 两千零四, or two figures that can be no count of years (零八, 07, 86) before 年 for a year."""
    if number.digits == 4 or (number >= 1000 and not number.digits):
        return int(number)
    return full_year(moment, number) if number.digits == 2 and (number < 10 or number >= 60) else None


def short_year(moment: Moment, number: Number) -> Period | None:
    """Read 16年 where a time is expected."""
    return year_of(full_year(moment, number)) if number.digits == 2 else None


def reign_year(_: Moment, first: int, number: int) -> int | None:
    """Read 康熙三年 and 民国三年."""
    return first + number - 1 if 1 <= number <= 120 else None


def first_reign_year(_: Moment, first: int) -> int:
    """Read 康熙元年."""
    return first


def month_of_relative_year(moment: Moment, year: Period, month: int) -> Period | None:
    """Read 去年5月."""
    return month_in(moment, month, year)


def day_of_relative_year(moment: Moment, year: Period, month: int, day: int) -> Period | None:
    """Read 明年3月3号."""
    found = month_in(moment, month, year)
    return None if found is None else day_in(moment, day, found)


def day_of_relative_month(moment: Moment, month: Period, day: int) -> Period | None:
    """Read 下个月20号."""
    return day_in(moment, day, month)


def nth_weekday_in(moment: Moment, period: Period, nth: int, number: int) -> Period | None:
    """Read 十月的第一个星期一."""
    return nth_weekday(moment, nth, number, period)


def last_weekday_in(moment: Moment, period: Period, number: int) -> Period | None:
    """Read 十月的最后一个星期一."""
    return last_weekday(moment, number, period)


def last_weekday_now(moment: Moment, number: int) -> Period | None:
    """Read 最后一个星期五: of the present month."""
    return last_weekday(moment, number, unit_at(moment.now, "month"))


def whole_unit(moment: Moment, unit: str) -> Period | None:
    """Read 全年 and 整个月."""
    return unit_at(moment.now, unit) if unit in ("day", "week", "month", "year") else None


def nth_unit_in(moment: Moment, period: Period, nth: int, unit: str) -> Period | None:
    """Read 三月的第二周."""
    return nth_unit(moment, nth, unit, period)


def last_unit_in(moment: Moment, period: Period, unit: str) -> Period | None:
    """Read 九月的最后一周."""
    return last_unit(moment, unit, period)


def tenth_of(number: int) -> Callable[[Moment, Period], Period | None]:
    """Make the reading of 上旬, 中旬 and 下旬: the three ten-day parts of a month."""

    def part(p: Period) -> Period:
        start = p.start + 10 * number * DAY
        return Period(start, p.end if number == 2 else start + 10 * DAY, "range", p.basis)

    return lambda _, period: within(period, part) if period.grain == "month" else None


def edge(name: str) -> Callable[[Moment, Period], Period | None]:
    """Make the reading of 年初, 月底 and their kin."""
    return lambda moment, period: part_of(moment, name, period)


def edge_of(name: str, unit: str) -> Callable[[Moment], Period | None]:
    """Make the reading of a bare 年底 or 月初: of the present year or month."""
    return lambda moment: part_of(moment, name, unit_at(moment.now, unit))


def half_in(nth: int) -> Callable[[Moment, Period], Period | None]:
    """Make the reading of 去年上半年."""
    return lambda moment, period: half_of(moment, nth, period)


def half_now(nth: int) -> Callable[[Moment], Period | None]:
    """Make the reading of 上半年."""
    return lambda moment: half_year(moment, nth)


def quarter_in(moment: Moment, year: Period, nth: int) -> Period | None:
    """Read 去年第三季度."""
    return quarter(moment, nth, year.start.year) if year.grain == "year" else None


def decade(moment: Moment, number: int) -> Period | None:
    """Read 九十年代 (of the twentieth century, from the 30s on)."""
    if number % 10 or not (10 <= number <= 90 or 1000 <= number <= 2990):
        return None
    year = number if number > 99 else number + (1900 if number >= 30 else 2000)
    return unit_at(year_of(year).start, "decade", basis="explicit")


def decade_of_century(_: Moment, nth: int, number: int) -> Period | None:
    """Read 19世纪70年代."""
    fits = number % 10 == 0 and number <= 90
    return unit_at(year_of((nth - 1) * 100 + number).start, "decade", basis="explicit") if fits else None


def decade_of_relative_century(moment: Moment, step: int, number: int) -> Period | None:
    """Read 上世纪90年代."""
    return decade_of_century(moment, moment.now.year // 100 + 1 + step, number)


def season_of_year(moment: Moment, year: Period, name: str) -> Period | None:
    """Read 去年夏天."""
    return season_in(moment, name, year)


def holiday_of_year(moment: Moment, year: Period, day: Holiday) -> Period | None:
    """Read 去年春节."""
    return holiday_in(moment, day, year)


def counted(_: Moment, count: float, unit: str) -> Duration | None:
    """Count units; 三月 and 2008年 name a month and a year instead."""
    return {unit: count} if unit not in ("month", "decade", "century", "weekend") and count < 1000 else None


def counted_each(_: Moment, count: float, unit: str) -> Duration | None:
    """Count units with 个: 三个月."""
    return {unit: count} if unit in ("month", "week", "hour", "quarter", "century", "decade") else None


def half(_: Moment, unit: str) -> Duration | None:
    """Read 半年, 半个月."""
    return {unit: 0.5}


def some(_: Moment, unit: str) -> Duration | None:
    """Read 几天: three."""
    return {unit: 3}


def and_half(_: Moment, count: float, unit: str) -> Duration | None:
    """Read 一个半月 and 两年半."""
    return {unit: count + 0.5}


def after_event(moment: Moment, period: Period, length: Duration) -> Period | None:
    """Read 圣诞节后三天."""
    return beyond(1)(moment, length, period)


def before_event(moment: Moment, period: Period, length: Duration) -> Period | None:
    """Read 圣诞节前三天."""
    return beyond(-1)(moment, length, period)


def week_of(moment: Moment, period: Period, unit: str) -> Period | None:
    """Read 十月七号那周."""
    return unit_of(moment, unit, period)


def years_between(moment: Moment, first: Number, last: Number) -> Period | None:
    """Read 2015到2018年 and 15到18年."""
    start, end = full_year(moment, first), full_year(moment, last)
    fits = first.digits in (2, 4) and last.digits in (2, 4) and start < end
    return between(moment, year_of(start), year_of(end)) if fits else None


def lunar_date(moment: Moment, month: int, day: int) -> Period | None:
    """Read 农历八月十五."""
    return yearly(moment, lunar(month, day)) if 1 <= day <= 30 else None


def lunar_date_of_year(_: Moment, year: Period, month: int, day: int) -> Period | None:
    """Read 2015年农历八月十五."""
    return lunar(month, day)(year.start.year) if 1 <= day <= 30 else None


def day_after(moment: Moment, day: Period | Holiday) -> Period | None:
    """Read 国庆节第二天 and 十月一日次日."""
    period = day if isinstance(day, Period) else yearly(moment, day)
    return None if period is None else within(period, lambda p: unit_at(p.start, "day", 1, p.basis))


def days_later(moment: Moment, length: Duration) -> Period | None:
    """Read 再过三天."""
    return at_distance(moment, length, 1)


def _year(_: Moment, year: int) -> Period:
    return year_of(year)


def _weekend(moment: Moment) -> Period:
    return unit_at(moment.now, "weekend")


RULES: tuple[Rule, ...] = (
    rule("相对日", "TIME", "ZH_DAY", relative_day, "昨天", "大后天"),
    rule("相对年", "TIME", "ZH_YEAR", relative_year, "去年"),
    rule("相对年", "RELYEAR", "ZH_YEAR", relative_year, "去年"),
    rule(
        "相对单位", "TIME", ("ZH_REL ZH_UNIT", "ZH_REL 一 个? ZH_UNIT"), relative_unit, "上周", "下个月", "上上个周末"
    ),
    rule("相对月", "RELMONTH", "ZH_REL 月", lambda m, step: relative_unit(m, step, "month"), "下个月"),
    rule("相对星期", "TIME", ("ZH_REL ZH_WEEKDAY", "ZH_REL 周|星期|礼拜 的? ZH_WEEKDAY"), relative_weekday, "上周二"),
    rule("星期", "TIME", "ZH_WEEKDAY", weekday, "星期四"),
    rule("星期和日", "TIME", ("ZH_WEEKDAY ,? N 日|号",), weekday_and_number, "周六12号"),
    rule("日和星期", "TIME", ("N 日|号 ,? ZH_WEEKDAY",), lambda m, day, n: weekday_and_number(m, n, day), "12号周六"),
    rule("星期和日期", "TIME", ("ZH_WEEKDAY ,? DAYDATE",), weekday_date, "星期天, 二月十号"),
    rule("月份", "ZHMONTH", ("N 月 份?",), month_number, "三月"),
    rule("月份", "ZHMONTH", ("元月 份?",), constant(1), "元月"),
    rule("年份", "ZHYEAR", ("N 年", "公元 N 年"), year_number, "2009年", "零八年"),
    rule("年份", "ZHYEAR", "公元|西元 N 年", lambda _, year: int(year), "公元618年"),
    rule("公元前", "NOT_TIME", "公元前|西元前 N 年", nothing, "公元前200年"),
    rule("年份", "ZHYEAR", "SPELT 年", full_year, "一八年"),
    rule("年号", "ZHYEAR", "ERA N 年", reign_year, "康熙三年", "民国三年"),
    rule("年号", "ZHYEAR", "ERA 元 年", first_reign_year, "康熙元年"),
    rule("年份", "TIME", "ZHYEAR", _year, "2009年"),
    rule("年份", "RELYEAR", "ZHYEAR", _year, "2009年"),
    rule("年份", "BARE", "N 年", short_year, "16年"),
    rule("年份", "RELYEAR", "N 年", short_year, "16年"),
    rule("月", "TIME", "ZHMONTH", named_month, "三月"),
    rule("年月", "TIME", ("RELYEAR 的? ZHMONTH",), month_of_relative_year, "2008年十二月", "去年5月"),
    rule("月日", "DAYDATE", ("ZHMONTH N 日|号?",), day_month, "2月15号", "八月十五"),
    rule("年月日", "DAYDATE", ("RELYEAR 的? ZHMONTH N 日|号?",), day_of_relative_year, "2015年3月3号"),
    rule("月中日", "DAYDATE", ("RELMONTH 的? N 日|号",), day_of_relative_month, "下个月20号"),
    rule("日", "TIME", "N 日|号", day_of_month, "20号"),
    rule("编号", "NOT_TIME", "N 号 线|楼|门|院|房|店|车|机|桌|球|馆|厅|口|位|选手|文件", nothing, "5号线"),
    rule(
        "每",
        "NOT_TIME",
        ("每|每个|每逢 DATE", "每|每个 ZH_UNIT|ZH_WEEKDAY|ZH_SEASON|ZH_PART", "每 N 个? ZH_UNIT"),
        nothing,
        "每周一",
    ),
    rule("农历月", "LUNARMONTH", "正月", constant(1), "正月"),
    rule("农历月", "LUNARMONTH", "冬月", constant(11), "冬月"),
    rule("农历月", "LUNARMONTH", "腊月", constant(12), "腊月"),
    rule("农历月", "LUNARMONTH", "农历|阴历|旧历 ZHMONTH|LUNARMONTH", same, "农历八月"),
    rule("农历", "DAYDATE", ("LUNARMONTH 初? N 日|号?", "ZHMONTH 初 N"), lunar_date, "农历八月十五", "正月初三"),
    rule(
        "农历",
        "DAYDATE",
        ("农历|阴历|旧历? RELYEAR 的? LUNARMONTH 初? N 日|号?", "农历|阴历|旧历? RELYEAR ZHMONTH 初 N"),
        lunar_date_of_year,
        "2015年农历八月十五",
    ),
    rule("农历", "DAYDATE", "大年 初 N", lambda m, day: lunar_date(m, 1, day), "大年初三"),
    rule("概数", "NOT_TIME", ("N 几 个? ZH_UNIT", "N 几 个? ZH_UNIT 前|后|以前|之前|以后|之后"), nothing, "十几天"),
    rule("次数", "NOT_TIME", ("N ZH_WEEKDAY", "N 点 N"), nothing, "一周一次", "三点二"),
    rule("第几个星期", "TIME", ("DATE 的? 第 N 个? ZH_WEEKDAY",), nth_weekday_in, "十月的第一个星期一"),
    rule("第几个星期", "ALONE", ("第 N 个? ZH_WEEKDAY",), nth_weekday_now, "第一个星期一"),
    rule("第几周", "ALONE", ("第 N 周",), week_number, "第十周"),
    rule("最后一个星期", "ALONE", ("最后 一? 个? ZH_WEEKDAY",), last_weekday_now, "最后一个星期五"),
    rule("最后一个星期", "TIME", ("DATE 的? 最后 一? 个? ZH_WEEKDAY",), last_weekday_in, "十月的最后一个星期五"),
    rule("第几个单位", "TIME", ("DATE 的? 第 N 个? ZH_UNIT",), nth_unit_in, "三月的第二周"),
    rule("最后一个单位", "TIME", ("DATE 的? 最后 一? 个? ZH_UNIT",), last_unit_in, "九月的最后一周"),
    rule("所在单位", "TIME", ("DATE 那|这|的 一? 个? ZH_UNIT",), week_of, "十月七号那周"),
    rule("时长", "ZHDURATION", ("N ZH_UNIT", "N 整 ZH_UNIT"), counted, "三天"),
    rule("时长", "ZHDURATION", "N 个 ZH_UNIT", counted_each, "三个月"),
    rule("时长", "ZHDURATION", ("N 个? 工作日",), working_days, "三个工作日"),
    rule("时长", "ZHDURATION", ("半 个? ZH_UNIT",), half, "半年"),
    rule("时长", "ZHDURATION", ("几 个? ZH_UNIT",), some, "几天"),
    rule("时长", "ZHDURATION", ("N 个 半 ZH_UNIT", "N ZH_UNIT 半"), and_half, "一个半月", "两年半"),
    rule("时长", "ZHDURATION", ("ZHDURATION 零|又|加|和? ZHDURATION",), longer, "2年21天"),
    rule("以前", "TIME", ("ZHDURATION 前|之前|以前", "大约|大概|约|差不多 ZHDURATION 前|之前|以前"), ago, "三天前"),
    rule("以后", "TIME", ("ZHDURATION 后|之后|以后",), from_now, "三周后"),
    rule("再过", "TIME", ("再? 过 ZHDURATION", "再 ZHDURATION"), days_later, "再过三天"),
    rule("之内", "SPAN", ("ZHDURATION 内|之内|以内",), span_from_now, "两周内"),
    rule("过去", "SPAN", ("前|过去|上|上个|之前|近|最近 的? ZHDURATION",), span_to_now, "过去三天"),
    rule("未来", "SPAN", ("未来|接下来|今后|将来|后|下|下个|之后 的? ZHDURATION",), span_from_tomorrow, "未来两天"),
    rule(
        "节后",
        "TIME",
        ("DATE 后|之后|以后 的? ZHDURATION", "DATE 后|之后|以后 第? ZHDURATION"),
        after_event,
        "圣诞节后三天",
    ),
    rule("节前", "TIME", ("DATE 前|之前|以前 的? ZHDURATION",), before_event, "圣诞节前三天"),
    rule("第二天", "TIME", ("HOLIDAY 的? 第二天|次日|翌日", "DAYDATE 的? 第二天|次日|翌日"), day_after, "国庆节第二天"),
    rule("季度", "TIME", ("第? N 季度",), quarter, "第三季度"),
    rule("季度", "ALONE", ("第 N 季",), quarter, "第三季"),
    rule("季度", "TIME", ("RELYEAR 的? 第? N 季度|季", "RELYEAR 的? q N"), quarter_in, "2016年第三季度"),
    rule("全部", "ALONE", ("全|整|整个 ZH_UNIT",), whole_unit, "全年"),
    rule("半月", "ALONE", "上半月", lambda m: half_of(m, 1, unit_at(m.now, "month")), "上半月"),
    rule("半月", "ALONE", "下半月", lambda m: half_of(m, 2, unit_at(m.now, "month")), "下半月"),
    rule("半年", "TIME", ("上半年|前半年",), half_now(1), "上半年"),
    rule("半年", "TIME", ("下半年|后半年",), half_now(2), "下半年"),
    rule("半年", "TIME", ("DATE 的? 上半年|前半年|上半|前半",), half_in(1), "去年上半年"),
    rule("半年", "TIME", ("DATE 的? 下半年|后半年|下半|后半",), half_in(2), "去年下半年"),
    rule("年代", "TIME", ("N 年代",), decade, "九十年代"),
    rule("年代", "TIME", ("N 世纪 的? N 年代",), decade_of_century, "19世纪70年代"),
    rule("年代", "TIME", ("ZH_REL 世纪 的? N 年代",), decade_of_relative_century, "上世纪90年代"),
    rule("世纪", "TIME", ("N 世纪",), century, "21世纪"),
    rule("旬", "TIME", ("DATE 的? 上旬",), tenth_of(0), "五月上旬"),
    rule("旬", "TIME", ("DATE 的? 中旬",), tenth_of(1), "五月中旬"),
    rule("旬", "TIME", ("DATE 的? 下旬",), tenth_of(2), "五月下旬"),
    rule("初", "TIME", ("DATE 的? 初|早期|初期", "DATE 年 初"), edge("early"), "明年初"),
    rule("中", "TIME", ("DATE 的? 中|中期", "DATE 年 中"), edge("mid"), "五月中"),
    rule("底", "TIME", ("DATE 的? 底|末|晚期|后期", "DATE 年 底|末"), edge("late"), "五月底"),
    rule("本", "ZH_OWN", "年", lambda m: unit_at(m.now, "year"), "年"),
    rule("本", "ZH_OWN", "月", lambda m: unit_at(m.now, "month"), "月"),
    rule("初", "TIME", "年 初", edge_of("early", "year"), "年初"),
    rule("初", "TIME", "月 初", edge_of("early", "month"), "月初"),
    rule("底", "TIME", "年 底|末", edge_of("late", "year"), "年底"),
    rule("底", "TIME", "月 底|末", edge_of("late", "month"), "月底"),
    rule("季节", "TIME", ("RELYEAR 的? ZH_SEASON|ZH_SEASON_",), season_of_year, "去年夏天"),
    rule("季节", "TIME", ("ZH_REL ZH_SEASON|ZH_SEASON_",), relative_season, "今夏", "这个夏天"),
    rule("季节", "ALONE", ("ZH_SEASON",), season, "夏天"),
    rule("节日", "TIME", ("RELYEAR 的? HOLIDAY",), holiday_of_year, "去年春节"),
    rule("节日", "TIME", ("ZH_REL HOLIDAY",), relative_holiday, "下个春节"),
    rule("周末", "TIME", ("在 周末", "周末 那|这 天"), _weekend, "在周末"),
    rule("周末", "ALONE", ("周末",), _weekend, "周末"),
    rule("现在", "ALONE", ("现在|目前|此刻|此时|如今|刚才|刚刚|而家|依家",), now, "现在"),
    rule("月中几日", "SPAN", ("从|自? DAYDATE 到|至|- N 日|号",), days_within_month, "从一月十日到20日"),
    rule("几日到几日", "SPAN", ("从|自? N 日|号? 到|至|- N 日|号",), days_of_this_month, "15号到20号"),
    rule("几年到几年", "SPAN", ("从|自? N|SPELT 年? 到|至|- N|SPELT 年",), years_between, "2015到2018年"),
    rule("剩余", "SPAN", ("DATE 剩下|剩余|余下 的? 时间|日子?",), rest_of, "这周剩下的时间"),
    rule("在", "TIME", ("在|于 DATE",), same, "在2014年"),
)
