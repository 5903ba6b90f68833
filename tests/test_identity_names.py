"""Which spellings are one name (case B11), and what a short form may stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgraph.identity.names import is_short_form, key, lookup_keys, normalise, relation

DATA = Path(__file__).with_name("data") / "name_pairs.jsonl"
PAIRS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
KINDS = st.sampled_from(["person", "organization", "project", "tool", "place", "part"])
PARTS = st.sampled_from(
    [
        *("Alex", "María", "Jean-Luc", "Moreau", "Gómez", "A.", "J.R.", "Dr.", "Mr", "Jr.", "de", "O'Brien", "and"),
        *(
            "The",
            "Northgate",
            "Inc.",
            "Ltd",
            "Co.,",
            "Company",
            "有限公司",
            "PX-4410",
            "v2",
            "C++",
            ".NET",
            "@halden/jet",
        ),
        *(
            "Paris,",
            "Osby",
            "graph_store",
            "王小明",
            "老师",
            "田中",
            "さん",
            "김민수",
            "·",
            "'s",
            "“",
            "²",
            "\u200b",
            "İ",
        ),
    ]
)
WRITTEN = st.builds(
    lambda parts, gap: gap.join(parts), st.lists(PARTS, min_size=1, max_size=4), st.sampled_from([" ", ""])
)
NAMES = st.one_of(WRITTEN, st.text(min_size=1, max_size=20))


@pytest.mark.parametrize(
    ("display", "normal"),
    [
        (" qrs ", "qrs"),
        ("ＱＲＳ", "qrs"),
        ("PX-4410", "px-4410"),
        ("PX\u20114410", "px-4410"),
        ("@halden/jet-native", "@halden/jet native"),
        ("jet_native", "jet native"),
        ("C++", "c++"),
        ("C#", "c#"),
        (".NET", ".net"),
        ("v2", "v2"),
        ("Orbit’s", "orbit"),
        ("“Orbit”,", "orbit"),
        ("Orb\u200bit\ufeff", "orbit"),
        ("Orbit™", "orbit"),
        ("José", "josé"),
        ("İstanbul", "istanbul"),
        ("Jose\u0301", "josé"),
        ("王 伟", "王伟"),
        ("Санкт-Петербург", "санкт петербург"),
        ("10²", "10²"),
        ('27"', '27"'),
        ("...", "..."),
        ("\ud83d", "\ufffd"),
    ],
)
def test_normalise(display: str, normal: str) -> None:
    assert normalise(display) == normal


def test_a_person_loses_the_title_of_a_full_name_only() -> None:
    assert key("person", "Dr. Alice Chen, PhD") == "person:alice chen"
    assert key("person", "Mr. Khan") != key("person", "Mrs. Khan")
    assert key("organization", "Dr. Pepper") == "organization:dr pepper"


def test_the_same_name_of_another_kind_is_another_name() -> None:
    assert key("person", "Jordan") != key("place", "Jordan")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['kind']}-{pair['a']}-{pair['b']}")
def test_no_labelled_pair_is_joined_wrongly(pair: dict[str, str]) -> None:
    same = key(pair["kind"], pair["a"]) == key(pair.get("other_kind", pair["kind"]), pair["b"])
    assert not same or pair["gold"] == "same"


@pytest.mark.parametrize(
    "full", ["Alex and Lena", "Alex's mother", "Alexander", "A. Moreau", "Alex2 Moreau", "Alex-Marie Moreau"]
)
def test_a_first_name_is_no_short_form_of(full: str) -> None:
    assert not is_short_form("Alex", full, "person")


def test_a_short_form_says_less_and_never_more() -> None:
    assert is_short_form("Alex", "Alex Moreau", "person")
    assert not is_short_form("Alex Moreau", "Alex", "person")
    assert is_short_form("Northgate", "Northgate, Inc.", "organization")
    assert not is_short_form("Northgate, Inc.", "Northgate", "organization")


@given(NAMES, KINDS)
def test_normalise_is_stable_and_keeps_something(name: str, kind: str) -> None:
    normal = normalise(name, kind)
    assert normalise(normal, kind) == normal
    assert normal or not name.strip()
    normal.encode()  # storable in every engine


@given(NAMES, NAMES, KINDS)
def test_relation_is_symmetric_and_follows_the_key(a: str, b: str, kind: str) -> None:
    found = relation(a, b, kind)
    assert found == relation(b, a, kind)
    assert (found == "same") == (key(kind, a) == key(kind, b))


@given(st.lists(PARTS, min_size=1, max_size=4), st.data(), KINDS)
def test_a_short_form_is_found_through_its_buckets(parts: list[str], data: st.DataObject, kind: str) -> None:
    kept = data.draw(st.lists(st.sampled_from(parts), min_size=1, max_size=len(parts)))
    short, full = " ".join(kept), " ".join(parts)
    asked, registered = set(lookup_keys(kind, short)), set(lookup_keys(kind, full))
    assert not is_short_form(short, full, kind) or asked & registered
    assert len(registered) <= 4
    assert key(kind, full) not in registered
