"""Times from outside: instants of messages, and filters."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sgraph.chronology import overlaps, read_filter, read_instant
from sgraph.errors import InvalidFilter, InvalidTime

NOW = datetime(2025, 7, 21, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("value", "hour"),
    [
        ("2025-10-24T10:00:00Z", 10),
        ("2025-10-24T13:00:00+02:00", 11),
        (1761307200, 12),
        (1761310800000, 13),
        ("2025-10-24T14:00:00", 14),
        ("1761307200", 12),
        ("2025-10-24 10:00:00 UTC", 10),
        ("2025-10-24 12:00 +0200", 10),
        (datetime(2025, 10, 24, 13, tzinfo=timezone(timedelta(hours=2))), 11),
        ("10:00 am on 24 October, 2025", 10),
    ],
)
def test_every_usual_form_of_an_instant(value: Any, hour: int) -> None:
    assert read_instant(value, UTC, field="at") == datetime(2025, 10, 24, hour, tzinfo=UTC)


def test_what_has_no_offset_is_read_in_the_zone_of_the_space() -> None:
    assert read_instant("2025-10-24T14:00:00", BERLIN, field="at") == datetime(2025, 10, 24, 12, tzinfo=UTC)
    assert read_instant(date(2025, 10, 24), BERLIN, field="at") == datetime(2025, 10, 23, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "8 May",
        "at 3pm",
        "2025-13-40T10:00",
        "soon",
        None,
        True,
        [],
        2025,
        -5,
        float("nan"),
        float("inf"),
        10**30,
        "May " * 5000,
        "8 May 2023 " + " " * 500 + "at 3pm",
    ],
)
def test_an_instant_that_cannot_be_read_is_refused(value: Any) -> None:
    with pytest.raises(InvalidTime) as caught:
        read_instant(value, UTC, field="at")
    assert caught.value.details["field"] == "at"


@pytest.mark.parametrize(
    ("value", "start", "end"),
    [
        ("yesterday", "2025-07-20", "2025-07-21"),
        ("last month", "2025-06-01", "2025-07-01"),
        ("August 2026", "2026-08-01", "2026-09-01"),
        ("2025-07-20", "2025-07-20", "2025-07-21"),
        (date(2025, 7, 20), "2025-07-20", "2025-07-21"),
        ("上周", "2025-07-14", "2025-07-21"),
        (("2025-07-01", "2025-07-20"), "2025-07-01", "2025-07-21"),
        (("last month", None), "2025-06-01", None),
    ],
)
def test_filters_as_people_write_them(value: Any, start: str, end: str | None) -> None:
    found = read_filter(value, NOW, UTC, field="happened")
    assert found == tuple(at and datetime.fromisoformat(at).replace(tzinfo=UTC) for at in (start, end))


def test_one_bound_leaves_the_other_open_and_takes_the_named_day_in() -> None:
    assert read_filter("2025-07-20", NOW, UTC, field="to", side="to") == (None, datetime(2025, 7, 21, tzinfo=UTC))
    assert read_filter("2025-07-20", NOW, UTC, field="from", side="from") == (datetime(2025, 7, 20, tzinfo=UTC), None)
    assert read_filter(None, NOW, UTC, field="from") == (None, None)


def test_yesterday_is_the_day_of_the_zone() -> None:
    late = datetime(2025, 7, 20, 22, 30, tzinfo=UTC)  # the 21st in Berlin
    start, end = read_filter("yesterday", late, BERLIN, field="from")
    assert (start, end) == (datetime(2025, 7, 19, 22, tzinfo=UTC), datetime(2025, 7, 20, 22, tzinfo=UTC))


@pytest.mark.parametrize(
    "value",
    [
        "2025-13-40",
        "Jan twenty",
        "recently",
        "",
        "yesterday or so, I think",
        12,
        ("today", "yesterday"),
        ("today",),
        object(),
    ],
)
def test_a_filter_that_cannot_be_read_or_runs_backwards_is_refused(value: Any) -> None:
    with pytest.raises(InvalidFilter) as caught:
        read_filter(value, NOW, UTC, field="happened_from")
    assert caught.value.details["field"] == "happened_from"


def test_a_window_takes_what_it_overlaps_and_nothing_on_its_far_edge() -> None:
    start, end = read_filter("2025-07-20", NOW, UTC, field="on")
    at = {
        "before": (datetime(2025, 7, 19, 23, 59, 59, tzinfo=UTC),) * 2,
        "first": (datetime(2025, 7, 20, tzinfo=UTC),) * 2,
        "last": (datetime(2025, 7, 20, 23, 59, 59, tzinfo=UTC),) * 2,
        "after": (datetime(2025, 7, 21, tzinfo=UTC),) * 2,
        "around": (datetime(2025, 7, 18, tzinfo=UTC), datetime(2025, 7, 22, tzinfo=UTC)),
        "open": (datetime(2025, 7, 1, tzinfo=UTC), None),
        "month": (datetime(2025, 8, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)),
    }
    assert [name for name, span in at.items() if overlaps(*span, start, end)] == ["first", "last", "around", "open"]
    assert overlaps(*at["month"], datetime(2025, 8, 15, tzinfo=UTC), None)
