"""What words of time mean: conventions, calendar arithmetic, zones, and what is no time at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgraph.chronology import RULES, current, find, resolve
from sgraph.chronology.table import rules_table

TUESDAY = datetime(2013, 2, 12, 4, 30)
MONDAY = datetime(2016, 11, 7)


def days(text: str, said_at: datetime, language: str | None = None) -> tuple[str, str] | None:
    span = resolve(text, said_at, language=language)
    return None if span is None else (span.start.isoformat()[:10], span.end.isoformat()[:10])


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("yesterday", "2013-02-11", "2013-02-12"),
        ("the day after tomorrow", "2013-02-14", "2013-02-15"),
        ("last week", "2013-02-04", "2013-02-11"),
        ("the week before last", "2013-01-28", "2013-02-04"),
        ("two weekends ago", "2013-02-02", "2013-02-04"),
        ("this past weekend", "2013-02-09", "2013-02-11"),
        ("a couple of weeks ago", "2013-01-29", "2013-01-30"),
        ("next Tuesday", "2013-02-19", "2013-02-20"),
        ("last Friday", "2013-02-08", "2013-02-09"),
        ("Wednesday of next week", "2013-02-20", "2013-02-21"),
        ("20th of the next month", "2013-03-20", "2013-03-21"),
        ("the first Tuesday of last month", "2013-01-01", "2013-01-02"),
        ("the second last week of October 2018", "2018-10-15", "2018-10-22"),
        ("early next month", "2013-03-01", "2013-03-16"),
        ("mid-July", "2013-07-10", "2013-07-21"),
        ("Q3 2016", "2016-07-01", "2016-10-01"),
        ("the second half of 2016", "2016-07-01", "2017-01-01"),
        ("the 1970s", "1970-01-01", "1980-01-01"),
        ("the 21st century", "2000-01-01", "2100-01-01"),
        ("last summer", "2012-06-01", "2012-09-01"),
        ("winter of 2020", "2020-12-01", "2021-03-01"),
        ("three days after Easter", "2013-04-03", "2013-04-04"),
        ("Thanksgiving last year", "2012-11-22", "2012-11-23"),
        ("the next 3 weeks", "2013-02-13", "2013-03-06"),
        ("within 2 weeks", "2013-02-12", "2013-02-26"),
        ("from 4 to 22 January 2014", "2014-01-04", "2014-01-22"),
        ("week 31 of 2018", "2018-07-30", "2018-08-06"),
        ("2015-03-03", "2015-03-03", "2015-03-04"),
        ("14.4.2015", "2015-04-14", "2015-04-15"),
        ("nineteen eighty four", "1984-01-01", "1985-01-01"),
        ("昨天", "2013-02-11", "2013-02-12"),
        ("大後天", "2013-02-15", "2013-02-16"),
        ("上禮拜天", "2013-02-10", "2013-02-11"),
        ("下下周末", "2013-03-02", "2013-03-04"),
        ("去年5月", "2012-05-01", "2012-06-01"),
        ("二零一五年三月三號", "2015-03-03", "2015-03-04"),
        ("十月的第一个星期一", "2013-10-07", "2013-10-08"),
        ("三个月前", "2012-11-12", "2012-11-13"),
        ("未来两天", "2013-02-13", "2013-02-15"),
        ("上世纪90年代", "1990-01-01", "2000-01-01"),
        ("康熙三年", "1664-01-01", "1665-01-01"),
        ("五月中旬", "2013-05-11", "2013-05-21"),
        ("去年春节", "2012-01-23", "2012-01-24"),
        ("农历八月十五", "2013-09-19", "2013-09-20"),
        ("the week of December 7th", "2013-12-02", "2013-12-09"),
        ("the closest Monday to December 5th", "2013-12-02", "2013-12-03"),
        ("Fri, Nov 22", "2013-11-22", "2013-11-23"),
        ("the 5th next month", "2013-03-05", "2013-03-06"),
        ("20.June.2012", "2012-06-20", "2012-06-21"),
        ("Jun/20/2012", "2012-06-20", "2012-06-21"),
        ("20120620", "2012-06-20", "2012-06-21"),
        ("week 7 of next year", "2014-02-10", "2014-02-17"),
        ("2012 second half", "2012-07-01", "2013-01-01"),
        ("4Q 2012", "2012-10-01", "2013-01-01"),
        ("the seventeen hundreds", "1700-01-01", "1800-01-01"),
        ("next year's June", "2014-06-01", "2014-07-01"),
        ("from June 4 to June 22, 1995", "1995-06-04", "1995-06-22"),
        ("June 4 through 22", "2013-06-04", "2013-06-23"),
        ("from 3 May for 10 days", "2013-05-03", "2013-05-13"),
        ("from today to the end of the month", "2013-02-12", "2013-03-01"),
        ("May 1st next year", "2014-05-01", "2014-05-02"),
        ("2012 Nov 11", "2012-11-11", "2012-11-12"),
        ("Monday after Christmas", "2013-12-30", "2013-12-31"),
        ("the eve of May 1st", "2013-04-30", "2013-05-01"),
        ("until the 20th", "2013-02-12", "2013-02-21"),
        ("a week ago yesterday", "2013-02-04", "2013-02-05"),
        ("a week on Friday", "2013-02-22", "2013-02-23"),
        ("a dozen days ago", "2013-01-31", "2013-02-01"),
        ("all of 2012", "2012-01-01", "2013-01-01"),
        ("Orthodox Easter 2013", "2013-05-05", "2013-05-06"),
        ("2016年1-3月", "2016-01-01", "2016-03-01"),
        ("去年10月至今年2月", "2012-10-01", "2013-02-01"),
        ("2015年正月初一", "2015-02-19", "2015-02-20"),
        ("最后一个星期五", "2013-02-22", "2013-02-23"),
        ("2月16日（星期六）", "2013-02-16", "2013-02-17"),
        ("三个工作日后", "2013-02-15", "2013-02-16"),
        ("国庆节第二天", "2013-10-02", "2013-10-03"),
        ("这 个 月", "2013-02-01", "2013-03-01"),
        ("下半月", "2013-02-16", "2013-03-01"),
        ("从今天到月底", "2013-02-12", "2013-03-01"),
        ("从现在到年底", "2013-02-12", "2014-01-01"),
    ],
)
def test_what_the_words_mean(text: str, start: str, end: str) -> None:
    assert days(text, TUESDAY) == (start, end)


@pytest.mark.parametrize(
    ("text", "said", "start", "end"),
    [
        ("in one month", "2025-01-31", "2025-02-28", "2025-03-01"),
        ("one year from today", "2024-02-29", "2025-02-28", "2025-03-01"),
        ("three months ago", "2025-05-31", "2025-02-28", "2025-03-01"),
        ("February 29", "2025-06-01", "2024-02-29", "2024-03-01"),
        ("December 30", "2026-01-02", "2025-12-30", "2025-12-31"),
        ("last Friday", "2024-05-17", "2024-05-10", "2024-05-11"),
        ("last Friday", "2024-05-18", "2024-05-17", "2024-05-18"),
        ("this week", "2017-01-01", "2016-12-26", "2017-01-02"),
        ("from 10/25 to 01/25", "2018-10-24", "2017-10-25", "2018-01-25"),
    ],
)
def test_month_ends_leap_days_and_years_left_out(text: str, said: str, start: str, end: str) -> None:
    assert days(text, datetime.fromisoformat(said)) == (start, end)


def test_the_language_decides_the_order_of_figures() -> None:
    assert days("3-7-2017", MONDAY, "en") == ("2017-03-07", "2017-03-08")
    assert days("3-7-2017", MONDAY, "zh") == ("2017-07-03", "2017-07-04")
    assert days("21-04-2016", MONDAY, "en") == ("2016-04-21", "2016-04-22")


@pytest.mark.parametrize(
    "text",
    [
        "recently",
        "someday",
        "soon",
        "a while ago",
        "Feb 30",
        "2/30/2020",
        "2025-13-40",
        "2月30日",
        "十几天前",
        "",
        " ",
        "...",
    ],
)
def test_what_sets_no_time_stays_unknown(text: str) -> None:
    assert resolve(text, MONDAY) is None


@pytest.mark.parametrize(
    "text",
    [
        "May I come in?",
        "You may march on, all 5 may come.",
        "Give me a second, I'll be there in a second.",
        "The sun is out and I sat on the sofa.",
        "Version 2.0.1 is out, v3.11.2 too, 1.2.3 is old.",
        "It costs $1,200, or $2014 with tax.",
        "Call 555-1234 or +1 415-555-2671 or 555-2015.",
        "Add 1/2 cup of sugar and 3/4 of the flour.",
        "Room 2014 is free, flight 1984 is late.",
        "The server is at 192.168.1.10, build 10.5.2014.7.",
        "He is 30 years old and has three cats.",
        "We meet every Friday, each month, on Sundays.",
        "Three times a week it keeps us on track.",
        "Rome wasn't built in a day.",
        "We haven't talked in a few days.",
        "It was 18th of 30, first things first.",
        "一周一次，每周一都去，每天都好。",
        "他三十岁，住在12号楼，坐5号线。",
        "三点二公里，百年孤独，一年级。",
        "The score was 3 to 5, we need 2 to 3 people.",
        "It ended 5 to 10, at 1530 Main Street, by the 3 rules.",
        "Her first April in office, all 5 may go.",
        "That week was hard, this season is great, all day long.",
        "公元前200年。第一季很好看，第一周上班。",
    ],
)
def test_what_only_looks_like_a_time_is_not_found(text: str) -> None:
    assert find(text, MONDAY) == []


def test_find_gives_the_exact_words_and_their_place() -> None:
    text = "The barn was built in February 2019, the well in 2011, İ saw it yesterday。我上周五去了。"
    spans = find(text, datetime(2025, 1, 31))
    assert [text[slice(*span.span)] for span in spans] == ["in February 2019", "in 2011", "yesterday", "上周五"]
    assert [span.text for span in spans] == [text[slice(*span.span)] for span in spans]
    assert [span.precision for span in spans] == ["month", "year", "day", "day"]
    assert [span.basis for span in spans] == ["explicit", "explicit", "relative", "relative"]


def test_the_tense_chooses_the_side() -> None:
    met, opens = find("We met on December 30, and the fair opens on January 20.", datetime(2026, 1, 2, 12))
    assert (met.start, opens.start) == (datetime(2025, 12, 30), datetime(2026, 1, 20))
    (saw,) = find("I saw her on Friday.", MONDAY)
    (see,) = find("I will see her on Friday.", MONDAY)
    assert (saw.start, see.start) == (datetime(2016, 11, 4), datetime(2016, 11, 11))
    assert saw.alternatives == ((see.start, see.end),)
    (changed,) = find("The filter must be changed in one month.", datetime(2025, 1, 31))
    assert changed.start == datetime(2025, 2, 28)


def test_an_open_side_is_closed_by_the_moment_of_speaking() -> None:
    (span,) = find("I have lived here since 2016.", MONDAY + timedelta(hours=3))
    assert (span.start, span.end, span.open_end) == (datetime(2016, 1, 1), MONDAY + timedelta(hours=3), True)
    assert find("That was before 2010.", MONDAY) == []


def test_the_end_of_a_range_and_its_other_reading() -> None:
    span = resolve("from 4 to 22 January 2017", MONDAY)
    assert span is not None
    assert (span.end, span.alternatives) == (datetime(2017, 1, 22), ((datetime(2017, 1, 4), datetime(2017, 1, 23)),))
    through = resolve("Monday through Friday", MONDAY)
    assert through is not None
    assert through.end - through.start == timedelta(days=5)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("at 3pm", "15:00", "16:00"),
        ("at half past five", "17:30", "17:31"),
        ("3 in the afternoon", "15:00", "16:00"),
        ("this morning", "04:00", "12:00"),
        ("下午三点", "15:00", "16:00"),
        ("今天早上8点半", "08:30", "08:31"),
        ("half an hour ago", "10:00", "10:01"),
        ("tonight at 8", "20:00", "21:00"),
        ("9:30 this evening", "21:30", "21:31"),
        ("at three thirty", "15:30", "15:31"),
        ("a quarter to noon", "11:45", "11:46"),
        ("ten to three", "14:50", "14:51"),
        ("0730 hours", "07:30", "07:31"),
        ("from 3 to 5 pm", "15:00", "17:00"),
        ("11:30 - 1:30", "11:30", "13:30"),
        ("between 9:30 and 11:00 on Thursday", "09:30", "11:00"),
        ("tomorrow from 9 to 11 am", "09:00", "11:00"),
        ("the day after tomorrow at 5 pm", "17:00", "18:00"),
        ("Monday 3 pm through Friday 5 pm", "15:00", "17:00"),
        ("by 2 pm", "10:30", "14:00"),
        ("later today", "10:30", "00:00"),
        ("last night", "18:00", "00:00"),
        ("今晚八点半", "20:30", "20:31"),
        ("晚上八点到十点", "20:00", "22:00"),
        ("差五分三点", "02:55", "02:56"),
    ],
)
def test_times_of_day(text: str, start: str, end: str) -> None:
    span = resolve(text, datetime(2024, 5, 15, 10, 30))
    assert span is not None
    assert (f"{span.start:%H:%M}", f"{span.end:%H:%M}") == (start, end)


def test_local_days_count_not_those_of_utc() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    just_after_midnight = datetime(2024, 5, 18, 0, 5, tzinfo=berlin)  # still Friday in UTC
    span = resolve("last Friday", just_after_midnight)
    assert span is not None
    assert span.start == datetime(2024, 5, 17, tzinfo=berlin)
    assert span.start.tzinfo is berlin


def test_a_time_in_another_zone_is_turned_to_the_one_of_the_speaker() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    span = resolve("8 am EST tomorrow", datetime(2024, 1, 15, 10, 30, tzinfo=berlin))
    assert span is not None
    assert span.start == datetime(2024, 1, 16, 14, tzinfo=berlin)


def test_a_day_of_a_clock_change_has_23_hours_and_hours_are_real() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    day = resolve("tomorrow", datetime(2024, 3, 30, 12, tzinfo=berlin))
    assert day is not None
    assert day.end.astimezone(UTC) - day.start.astimezone(UTC) == timedelta(hours=23)
    said = datetime(2024, 3, 31, 0, 30, tzinfo=berlin)
    later = resolve("in 3 hours", said)
    assert later is not None
    assert later.start.astimezone(UTC) - said.astimezone(UTC) == timedelta(hours=3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Long time no see! I just launched an ad campaign.", "just launched"),
        ("We're at the station.", "We're at the"),
        ("I'm currently reading a good book.", "I'm currently reading"),
        ("My online store is open!", "is open!"),
        ("我刚刚到家。", "刚刚到"),
        ("他正在开会。", "正在开"),
    ],
)
def test_a_happening_told_as_current_is_dated_to_its_day(text: str, words: str) -> None:
    span = current(text, MONDAY + timedelta(hours=9))
    assert span is not None
    assert (span.start, span.end, span.basis, span.text) == (MONDAY, MONDAY + timedelta(days=1), "inferred", words)
    assert text[slice(*span.span)] == words


@pytest.mark.parametrize(
    "text",
    [
        "I'm here for you.",
        "Did you just finish?",
        "If I just finished early, I could go.",
        "I just wanted to say hi.",
        "I just moved last week.",
        "It is just great.",
        "天气刚刚好。",
    ],
)
def test_what_is_not_told_as_current_stays_undated(text: str) -> None:
    assert current(text, MONDAY) is None


def test_every_rule_reads_its_own_examples() -> None:
    readable = {"TIME", "SPAN", "BARE", "BAREDAY", "DAYDATE", "ALONE", "HOLIDAY"}
    unread = [
        (row.name, example)
        for row in RULES
        if row.builds in readable
        for example in row.examples
        if resolve(example, datetime(2024, 5, 15, 10, 30)) is None
    ]
    assert unread == []
    assert all(row.examples for row in RULES)


_WORDS = sorted({word for row in RULES for example in row.examples for word in example.split()})


@given(
    st.lists(st.sampled_from(_WORDS) | st.text(max_size=4), max_size=12),
    st.datetimes(),
    st.sampled_from([None, UTC, ZoneInfo("America/New_York")]),
)
def test_any_text_at_any_time_gives_ordered_spans_of_the_same_sort(
    words: list[str], said_at: datetime, zone: ZoneInfo | None
) -> None:
    text = " ".join(words)
    said_at = said_at.replace(tzinfo=zone)
    spans = find(text, said_at)
    for span in [*spans, *filter(None, [resolve(text, said_at), current(text, said_at)])]:
        assert span.start <= span.end
        assert span.start.tzinfo is span.end.tzinfo is zone
        assert text[slice(*span.span)] == span.text
    places = [place for span in spans for place in span.span]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "piece", ["1-", "two ", "monday to ", "三月", "2 days and ", "Jan 5 ", "one thousand ", "last "]
)
def test_long_repetitive_text_is_read_to_its_end(piece: str) -> None:
    spans = find(piece * 2000 + "yesterday", MONDAY)
    assert spans[-1].text.endswith("yesterday")


def test_the_documentation_has_the_table_of_the_rules_as_they_are() -> None:
    page = Path(__file__).parents[1] / "docs" / "time.md"
    assert page.read_text(encoding="utf-8").endswith(rules_table() + "\n")
