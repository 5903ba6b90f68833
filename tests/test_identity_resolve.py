"""A mention means one entity, a new one, or several: never a guess (cases B09 and B11)."""

from __future__ import annotations

from itertools import permutations

import pytest

from sgraph.identity.names import key, lookup_keys
from sgraph.identity.resolve import Candidate, Resolution, resolve


class Directory:
    """A small stand-in for `Name` nodes: keys lead to entities, threads to those that occur in them."""

    def __init__(self) -> None:
        self.names: dict[str, list[Candidate]] = {}
        self.threads: dict[str, set[str]] = {}

    def mention(self, display: str, kind: str, thread: str = "t1") -> Resolution:
        here = self.threads.setdefault(thread, set())
        near = [c for bucket in lookup_keys(kind, display) for c in self.names.get(bucket, []) if c.entity_id in here]
        found = resolve(display, kind, exact=self.names.get(key(kind, display), []), in_thread=near)
        if found.how == "new":
            entity = Candidate(entity_id=f"{kind}/{display}", name=display, kind=kind)
            for name in (key(kind, display), *lookup_keys(kind, display)):
                self.names.setdefault(name, []).append(entity)
            here.add(entity.entity_id)
        elif found.entity_id is not None:
            here.add(found.entity_id)
        return found

    def entities(self) -> set[str]:
        return {entity.entity_id for found in self.names.values() for entity in found}


def candidate(name: str, kind: str = "person", entity_id: str | None = None) -> Candidate:
    return Candidate(entity_id=entity_id or name, name=name, kind=kind)


def test_two_people_with_one_first_name_stay_two_and_the_first_name_is_open() -> None:
    directory = Directory()
    assert directory.mention("Alex Moreau", "person").how == "new"
    assert directory.mention("Alex Lindqvist", "person").how == "new"
    found = directory.mention("Alex", "person")
    assert (found.entity_id, found.how) == (None, "ambiguous")
    assert [c.name for c in found.candidates] == ["Alex Moreau", "Alex Lindqvist"]


@pytest.mark.parametrize("order", list(permutations(["Alex", "Alex Moreau", "Alex Lindqvist"])))
def test_no_order_of_mentions_joins_the_two(order: tuple[str, ...]) -> None:
    directory = Directory()
    meant = {name: directory.mention(name, "person").entity_id for name in order}
    assert {"person/Alex Moreau", "person/Alex Lindqvist"} <= directory.entities()
    assert meant["Alex Moreau"] is meant["Alex Lindqvist"] is None  # both were new


@pytest.mark.parametrize("short", ["Alex", "alex", "A. Moreau", "Alex M.", "A.M.", "Alex’s"])
def test_a_short_form_means_the_one_who_fits_in_the_thread(short: str) -> None:
    directory = Directory()
    for name in ("Alex Moreau", "Lena Berg"):
        directory.mention(name, "person")
    assert directory.mention(short, "person") == Resolution(
        entity_id="person/Alex Moreau",
        how="short_form",
        candidates=(candidate("Alex Moreau", entity_id="person/Alex Moreau"),),
    )


def test_a_short_form_means_nobody_of_another_thread() -> None:
    directory = Directory()
    directory.mention("Alex Moreau", "person", "t1")
    assert directory.mention("Alex", "person", "t2").how == "new"


def test_an_equal_name_elsewhere_is_not_preferred_to_a_fitting_one_here() -> None:
    directory = Directory()
    directory.mention("Alex", "person", "t1")
    directory.mention("Alex Moreau", "person", "t2")
    assert directory.mention("Alex", "person", "t2").how == "ambiguous"
    assert directory.mention("Alex", "person", "t1").entity_id == "person/Alex"


def test_spellings_of_one_name_make_one_entity_and_near_names_many() -> None:
    directory = Directory()
    for thread, name in enumerate(["QRS", "QRS", " qrs ", "ＱＲＳ"]):
        directory.mention(name, "organization", f"s{thread}")
    apart = [
        ("PX-4410", "part"),
        ("PX-4411", "part"),
        ("@halden/jet-native", "package"),
        ("@halden/net-native", "package"),
    ]
    apart += [("Orbit", "tool"), ("Comet", "tool"), ("Orbit 2", "tool"), ("Orbit", "project")]
    for name, kind in apart:
        directory.mention(name, kind)
    assert directory.entities() == {"organization/QRS", *(f"{kind}/{name}" for name, kind in apart)}


def test_an_alias_is_told_from_a_name() -> None:
    robert = candidate("Robert Stone")
    assert resolve("Bo", "person", exact=[robert], in_thread=[]).how == "alias"
    assert resolve("robert stone", "person", exact=[robert], in_thread=[]).how == "exact"


def test_one_name_of_two_entities_is_ambiguous_even_if_one_is_in_the_thread() -> None:
    both = [candidate("John Smith", entity_id="e1"), candidate("John Smith", entity_id="e2")]
    found = resolve("John Smith", "person", exact=both, in_thread=both[:1])
    assert (found.how, found.candidates) == ("ambiguous", tuple(both))


def test_an_entity_with_several_names_counts_once() -> None:
    names = [candidate("Maria Gomez", entity_id="e1"), candidate("Maria Elena Gomez", entity_id="e1")]
    assert resolve("Maria", "person", exact=[], in_thread=names).entity_id == "e1"


def test_candidates_of_another_kind_do_not_count() -> None:
    place = candidate("Jordan", kind="place")
    assert resolve("Jordan", "person", exact=[place], in_thread=[place]) == Resolution(entity_id=None, how="new")


def test_a_longer_name_is_new_and_says_whom_it_may_extend() -> None:
    alex = candidate("Alex")
    found = resolve("Alex Moreau", "person", exact=[], in_thread=[alex])
    assert (found.entity_id, found.how, found.candidates) == (None, "new", (alex,))
