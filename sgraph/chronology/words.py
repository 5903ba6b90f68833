"""The vocabulary: which classes a word belongs to, and its value in each.

A class written in capitals here may stand in the pattern of a rule. A word may have several classes ("second": an
ordinal and a unit). Classes whose name ends in `_` hold words that are something else more often than a time; the rules
take them only in company.
"""

from __future__ import annotations

from typing import Any


def words_of(text: str) -> tuple[str, ...]:
    """Split a line of words."""
    return tuple(text.split())


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = words_of("january february march april may june july august september october november december")
_UNITS = {
    "day": "day days night nights",
    "week": "week weeks wk wks",
    "fortnight": "fortnight fortnights",
    "month": "month months",
    "quarter": "quarter quarters qtr qtrs",
    "year": "year years yr yrs",
    "decade": "decade decades",
    "century": "century centuries",
    "weekend": "weekend weekends",
    "hour": "hour hours hr hrs h",
    "minute": "minute minutes min mins",
    "second": "second seconds sec secs",
}
_CARDINALS = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ORDINALS = words_of(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
    "thousands": 1000,
    "noughties": 2000,
}

PARTS = {
    "morning": (4, 12),
    "noon": (12, 13),
    "lunch": (12, 14),
    "afternoon": (12, 19),
    "evening": (18, 24),
    "night": (18, 24),
    "midnight": (0, 1),
    "dawn": (4, 7),
}
"""Hours of the parts of a day, end exclusive; a night is named after the day on which it begins and ends with it."""

ZONES = {
    **dict.fromkeys(("utc", "gmt", "wet"), 0),
    **dict.fromkeys(("bst", "cet"), 60),
    **dict.fromkeys(("cest", "eet"), 120),
    **dict.fromkeys(("eest", "msk"), 180),
    "jst": 540,
    "aest": 600,
    "est": -300,
    "edt": -240,
    "cst": -360,
    "cdt": -300,
    "mst": -420,
    "mdt": -360,
    "pst": -480,
    "pdt": -420,
}
"""Minutes east of UTC of the usual abbreviations of time zones (CST: of North America)."""

ERAS = {
    "贞观": 627,
    "开元": 713,
    "洪武": 1368,
    "永乐": 1403,
    "嘉靖": 1522,
    "万历": 1573,
    "崇祯": 1628,
    "顺治": 1644,
    "康熙": 1662,
    "雍正": 1723,
    "乾隆": 1736,
    "嘉庆": 1796,
    "道光": 1821,
    "咸丰": 1851,
    "同治": 1862,
    "光绪": 1875,
    "宣统": 1909,
    "民国": 1912,
}
"""The first year of Chinese reigns and of the Republic's calendar."""

SIMPLIFIED = str.maketrans(
    "個週禮號後來這點兩過當現節聖誕勞動國慶內裡剛從東間時鐘開關麼樣們為萬歷貞觀順豐緒統嘉隆兒婦師親愛關還幾離與陽蘭氣點會結車買進發說見臘無尋聽舊農歷陰嘅晝",
    "个周礼号后来这点两过当现节圣诞劳动国庆内里刚从东间时钟开关么样们为万历贞观顺丰绪统嘉隆儿妇师亲爱关还几离与阳兰气点会结车买进发说见腊无寻听旧农历阴的昼",
)
"""Traditional to simplified, one character for one (offsets stay): the characters of the vocabulary and of common
verbs."""


def _english() -> dict[str, list[tuple[str, Any]]]:
    words: dict[str, list[tuple[str, Any]]] = {}

    def put(cls: str, value: Any, names: str) -> None:
        for name in names.split():
            words.setdefault(name, []).append((cls, value))

    for n, name in enumerate(_WEEKDAYS):
        put("WEEKDAY", n, name)
        put("WEEKDAYS", n, f"{name}s")
        put("WEEKDAY_" if n in (0, 2, 5, 6) else "WEEKDAY", n, name[:3])
    put("WEEKDAY", 1, "tues")
    put("WEEKDAY", 3, "thur thurs")
    put("WEEKDAY", 2, "weds")
    for n, name in enumerate(_MONTHS, 1):
        put("MONTH" if n not in (3, 4, 5, 6, 8) else "MONTH_", n, name)
        if name != "may":
            put("MONTH_", n, name[:3])
    put("MONTH_", 9, "sept")
    for unit, names in _UNITS.items():
        for name in names.split():
            put("UNITS" if name.endswith("s") else "UNIT", unit, name)
    for n, name in enumerate(_CARDINALS):
        put("N", n, name)
    for name, n in _TENS.items():
        put("N", n, name)
    for n, name in enumerate(_ORDINALS, 1):
        put("ORD", n, name)
    put("ORD", 30, "thirtieth")
    put("SEASON", "spring", "spring springtime")
    put("SEASON", "summer", "summer summertime")
    put("SEASON", "autumn", "autumn")
    put("SEASON_", "autumn", "fall")
    put("SEASON", "winter", "winter wintertime")
    for name, n in _DECADES.items():
        put("DECADE", n, name)
    put("REL", 0, "this current present")
    put("REL", 1, "next coming upcoming following nxt")
    put("REL", -1, "last past previous prior preceding lst")
    put("EDGE", "early", "early beginning start")
    put("EDGE", "mid", "mid middle")
    put("EDGE", "late", "late end")
    for part, names in {
        "morning": "morning",
        "noon": "noon midday",
        "lunch": "lunch lunchtime",
        "afternoon": "afternoon",
        "evening": "evening",
        "night": "night",
        "midnight": "midnight",
        "dawn": "dawn sunrise",
    }.items():
        put("PART", part, names)
    for name, minutes in ZONES.items():
        put("ZONE", minutes, name)
    return words


def _chinese() -> dict[str, list[tuple[str, Any]]]:
    words: dict[str, list[tuple[str, Any]]] = {}

    def put(cls: str, value: Any, names: str) -> None:
        for name in names.split():
            words.setdefault(name, []).append((cls, value))

    for n, day in enumerate("一二三四五六"):
        put("ZH_WEEKDAY", n, f"星期{day} 礼拜{day} 周{day}")
    put("ZH_WEEKDAY", 6, "星期日 星期天 礼拜日 礼拜天 周日 周天")
    for unit, names in {
        "day": "天 日",
        "week": "周 星期 礼拜",
        "month": "月",
        "year": "年",
        "quarter": "季度 季",
        "decade": "年代",
        "century": "世纪",
        "weekend": "周末",
        "hour": "小时 钟头",
        "minute": "分钟",
        "second": "秒 秒钟",
    }.items():
        put("ZH_UNIT", unit, names)
    put("ZH_REL", 0, "这 这个 本 今 今个 当前")
    put("ZH_REL", 1, "下 下个 下一个 下一 来")
    put("ZH_REL", 2, "下下 下下个")
    put("ZH_REL", -1, "上 上个 上一个 上一 前一个")
    put("ZH_REL", -2, "上上 上上个")
    put("ZH_SEASON", "spring", "春天 春季")
    for name, sign in zip(("spring", "summer", "autumn", "winter"), "春夏秋冬", strict=True):
        put("ZH_SEASON_", name, sign)
    put("ZH_SEASON", "summer", "夏天 夏季")
    put("ZH_SEASON", "autumn", "秋天 秋季")
    put("ZH_SEASON", "winter", "冬天 冬季")
    for part, names in {
        "dawn": "凌晨 清晨",
        "morning": "早上 上午 早晨 早 朝早 上昼",
        "noon": "中午 正午",
        "afternoon": "下午 午后 下昼 晏昼",
        "evening": "晚上 傍晚 夜里 晚 夜晚",
        "midnight": "半夜 午夜",
    }.items():
        put("ZH_PART", part, names)
    for offset, names in {
        -4: "大大前天 大大前日",
        -3: "大前天 大前日",
        -2: "前天 前日",
        -1: "昨天 昨日 昨儿 寻日 琴日",
        0: "今天 今日 今儿",
        1: "明天 明日 明儿 听日",
        2: "后天 后日",
        3: "大后天 大后日",
        4: "大大后天 大大后日",
    }.items():
        put("ZH_DAY", offset, names)
    for offset, names in {
        -3: "大前年",
        -2: "前年",
        -1: "去年 上年 旧年",
        0: "今年 本年",
        1: "明年 来年 出年",
        2: "后年",
        3: "大后年",
    }.items():
        put("ZH_YEAR", offset, names)
    for name, first in ERAS.items():
        put("ERA", first, name)
    return words


WORDS: dict[str, list[tuple[str, Any]]] = {**_english(), **_chinese()}
"""Every word that has a class, lower case and simplified."""

CJK_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CJK_POWERS = {"十": 10, "百": 100, "千": 1000, "廿": 20, "卅": 30}
TENS = frozenset(_TENS)
