"""The rules of a slot's time-line, as pure functions, and the laws that hold for any history."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgraph.truth.timeline import Assertion, End, Version, versions

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
Interval = tuple[str, int, int | None, str]


def day(number: int) -> datetime:
    return START + number * DAY


def says(value: str, since: int, said: int | None = None, **more: object) -> Assertion:
    """An assertion: "not X" denies X; `until`, `ended` and the days are numbers."""
    said = since if said is None else said
    until = more.pop("until", None)
    name = value.removeprefix("not ")
    fields: dict[str, object] = {
        "event": f"{value}@{since}/{said}", "entity": "e", "value": name, "value_key": name, "about": None,
        "negated": name != value,
        "since": day(since), "until": day(until) if isinstance(until, int) else None, "change": "state",
        "said_at": day(said), "order": said,
    }
    return Assertion(**{**fields, **more})  # type: ignore[arg-type]


def ended(by: str, said: int, at: int | None) -> End:
    return End(by, day(said), None if at is None else day(at))


def shown(found: list[Version]) -> list[Interval]:
    """Versions as (what, from, until, status), with days as numbers."""
    return [
        (
            f"{'not ' if v.negated else ''}{v.value_key}", (v.valid_from - START).days,
            None if v.valid_to is None else (v.valid_to - START).days, v.status,
        )
        for v in found
    ]


def line(*assertions: Assertion, single: bool = True) -> list[Interval]:
    return shown(versions(assertions, single=single))


# ------------------------------------------------------------------ one value at a time
def test_a_later_value_ends_the_one_before() -> None:
    assert line(says("Vell", 0), says("Brask", 5)) == [("Vell", 0, 5, "superseded"), ("Brask", 5, None, "active")]


def test_what_is_said_later_about_an_earlier_time_becomes_history() -> None:
    late = line(says("Northgate", 50), says("Lumen", 3, said=60))
    assert late == [("Lumen", 3, 50, "superseded"), ("Northgate", 50, None, "active")]


def test_there_and_back_gives_three_intervals() -> None:
    assert line(says("A", 0), says("B", 5), says("A", 9)) == [
        ("A", 0, 5, "superseded"), ("B", 5, 9, "superseded"), ("A", 9, None, "active"),
    ]


def test_saying_it_again_strengthens_the_version_that_stands() -> None:
    (only,) = versions([says("A", 4), says("A", 9), says("A", 0, said=12)], single=True)
    assert (only.valid_from, only.valid_to, len(only.assertions)) == (day(0), None, 3)


def test_the_last_word_on_when_it_ends_counts() -> None:
    assert line(says("A", 0), says("A", 1, said=8, until=7)) == [("A", 0, 7, "superseded")]
    assert line(says("A", 0, until=7), says("A", 1, said=8)) == [("A", 0, None, "active")]


def test_an_end_of_its_own_leaves_nothing_in_force() -> None:
    assert line(says("A", 0, until=4), says("B", 9)) == [("A", 0, 4, "superseded"), ("B", 9, None, "active")]


def test_the_reason_and_what_it_replaced_are_kept() -> None:
    old, new = versions([says("A", 0), says("B", 5)], single=True)
    assert new.replaces == [(old, "later valid time")]
    assert old.replaces == []


# ------------------------------------------------------------------ many values
def test_many_values_stand_side_by_side() -> None:
    assert line(says("Ivo", 0), says("Petra", 5), single=False) == [
        ("Ivo", 0, None, "active"), ("Petra", 5, None, "active")
    ]


def test_a_denial_ends_its_own_value_only() -> None:
    assert set(line(says("tea", 0), says("rye", 1), says("not tea", 5), single=False)) == {
        ("tea", 0, 5, "superseded"), ("rye", 1, None, "active"), ("not tea", 5, None, "active"),
    }


def test_a_denial_is_never_a_copy_of_what_it_denies() -> None:
    assert line(says("allowed", 0), says("not allowed", 0, said=1), single=False) == [
        ("allowed", 0, None, "disputed"), ("not allowed", 0, None, "disputed"),
    ]


def test_a_denial_of_what_is_not_in_force_changes_nothing() -> None:
    assert ("Brask", 0, None, "active") in line(says("Brask", 0), says("not Vell", 5))


# ------------------------------------------------------------------ equal time
def test_equal_time_without_order_is_a_dispute() -> None:
    first, second = versions([says("A", 3), says("B", 3, said=4)], single=True)
    assert {first.status, second.status} == {"disputed"}
    assert second.disputes == [first]


def test_a_later_word_ends_the_dispute_and_it_stays_marked() -> None:
    assert line(says("A", 3), says("B", 3, said=4), says("C", 9)) == [
        ("A", 3, 9, "disputed"), ("B", 3, 9, "disputed"), ("C", 9, None, "active"),
    ]
    assert line(says("A", 3), says("B", 3, said=4), says("A", 9)) == [
        ("A", 3, 9, "disputed"), ("B", 3, 9, "disputed"), ("A", 9, None, "active"),
    ]


@pytest.mark.parametrize(
    "later", [says("B", 3, said=4, change="change"), says("B", 3, said=4, thread="t", stated=False)],
    ids=["a reported change", "the same thread"]
)
def test_an_order_other_than_time_settles_equal_times(later: Assertion) -> None:
    earlier = says("A", 3, thread="t", stated=False)
    assert line(earlier, later) == [("A", 3, 3, "superseded"), ("B", 3, None, "active")]


@pytest.mark.parametrize("hearsay_said", [3, 8])
def test_hearsay_of_equal_time_does_not_dispute_what_is_known_first_hand(hearsay_said: int) -> None:
    found = line(says("A", 3, said=5), says("B", 3, said=hearsay_said, confidence=0.5))
    assert found == [("A", 3, None, "active"), ("B", 3, 3, "superseded")]


# ------------------------------------------------------------------ corrections and ends
def test_a_correction_takes_the_place_of_what_was_wrong() -> None:
    (only,) = versions([says("A", 0), says("B", 5, change="correction", stated=False)], single=True)
    assert shown([only]) == [("B", 0, None, "active")]
    assert only.replaces == [(("A", False), "correction")]


def test_a_correction_with_a_stated_time_keeps_it() -> None:
    assert line(says("A", 0), says("B", 5, said=9, change="correction")) == [("B", 5, None, "active")]


def test_a_correction_that_denies_restores_what_was_before() -> None:
    assert line(says("A", 0), says("B", 5), says("not B", 6, change="correction")) == [
        ("A", 0, None, "active"), ("not B", 6, None, "active"),
    ]


def test_what_was_taken_back_by_name_is_replaced_as_an_error() -> None:
    wrong = says("A", 0, ended=ended("B@5/5", 5, None))
    (only,) = versions([wrong, says("B", 5)], single=True)
    assert only.replaces == [(("A", False), "correction")]


def test_an_end_counts_for_every_copy_said_before_it() -> None:
    copy, again = says("boat", 1), says("boat", 9)
    assert line(says("boat", 0, ended=ended("x", 5, 5)), copy, again, single=False) == [
        ("boat", 0, 5, "superseded"), ("boat", 9, None, "active"),
    ]
    assert line(says("boat", 0, ended=ended("x", 5, None)), copy, single=False) == []


def test_what_is_called_off_before_it_began_never_was() -> None:
    assert line(says("Brask", 20, said=1, ended=ended("x", 10, 10))) == []


def test_what_is_hidden_ends_nothing_and_is_kept_unseen() -> None:
    found = versions([says("A", 0), says("B", 5, hidden=True)], single=True)
    assert [(v.value_key, v.valid_to, v.visible) for v in found] == [("A", None, True), ("B", None, False)]


def test_a_session_has_a_time_line_of_its_own() -> None:
    found = versions([says("A", 0), says("B", 5, session="t@1")], single=True)
    assert {(v.value_key, v.session, v.valid_to) for v in found} == {("A", None, None), ("B", "t@1", None)}


# ------------------------------------------------------------------ laws
VALUES = st.sampled_from(["A", "B", "C", "not A", "not B"])


@st.composite
def assertions(draw: st.DrawFn, distinct: bool = False) -> list[Assertion]:
    count = draw(st.integers(1, 9))
    days = st.lists(st.integers(0, 60), min_size=count, max_size=count, unique=distinct)
    sinces, saids = draw(days), draw(st.lists(st.integers(0, 60), min_size=count, max_size=count, unique=True))
    made = []
    for number, (since, said) in enumerate(zip(sinces, saids, strict=True)):
        more: dict[str, object] = {"change": draw(st.sampled_from(["state", "state", "change", "correction", "end"]))}
        if draw(st.booleans()):
            more["confidence"] = 0.5
        if draw(st.integers(0, 4)) == 0:
            more["until"] = since + draw(st.integers(1, 30))
        if draw(st.integers(0, 4)) == 0:
            more["ended"] = ended("x", draw(st.integers(0, 60)), draw(st.one_of(st.none(), st.integers(0, 60))))
        made.append(says(draw(VALUES), since, said, event=f"e{number}", order=number, **more))
    return made


def overlap(one: Version, other: Version) -> bool:
    starts_before = one.valid_to is None or other.valid_from < one.valid_to
    return starts_before and (other.valid_to is None or one.valid_from < other.valid_to)


@given(assertions())
def test_intervals_of_a_slot_with_one_value_never_overlap(given_: list[Assertion]) -> None:
    affirmed = [v for v in versions(given_, single=True) if not v.negated]
    assert all(v.valid_to is None or v.valid_from <= v.valid_to for v in affirmed)
    for one, other in itertools.combinations(affirmed, 2):
        if overlap(one, other):
            assert one.status == other.status == "disputed"
            assert one.valid_from == other.valid_from


@given(assertions(), st.booleans())
def test_no_value_holds_together_with_its_denial(given_: list[Assertion], single: bool) -> None:
    found = versions(given_, single=single)
    for one, other in itertools.combinations(found, 2):
        if one.value_key == other.value_key and one.negated != other.negated and overlap(one, other):
            assert one.status == other.status == "disputed"


@given(assertions(distinct=True), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_arrival_does_not_matter_when_times_are_distinct(
    given_: list[Assertion], random: object, single: bool
) -> None:
    mixed = list(given_)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    arrived = [
        Assertion(**{**{f: getattr(a, f) for f in Assertion.__slots__}, "order": n}) for n, a in enumerate(mixed)
    ]
    assert shown(versions(arrived, single=single)) == shown(versions(given_, single=single))


@given(assertions(), st.sets(st.integers(0, 8)))
def test_what_is_hidden_might_as_well_not_have_been_said(given_: list[Assertion], hidden: set[int]) -> None:
    marked = [
        Assertion(**{**{f: getattr(a, f) for f in Assertion.__slots__}, "hidden": n in hidden})
        for n, a in enumerate(given_)
    ]
    without = [a for n, a in enumerate(given_) if n not in hidden]
    assert shown([v for v in versions(marked, single=True) if v.visible]) == shown(versions(without, single=True))


@given(assertions(), st.booleans())
def test_every_version_rests_on_what_was_said_and_nothing_is_counted_twice(
    given_: list[Assertion], single: bool
) -> None:
    placed = [a.event for v in versions(given_, single=single) for a in v.assertions]
    assert len(placed) == len(set(placed))
    assert set(placed) <= {a.event for a in given_}
