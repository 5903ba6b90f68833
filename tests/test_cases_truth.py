"""Faults that users of memory systems reported, by a derivation handed in and, where words allow, by the rules."""

from __future__ import annotations

from typing import Any

import pytest

from sgraph import InvalidInput, Memory


def values(memory: Memory, name: str, key: str, **moment: Any) -> set[str]:
    view = memory.entity(name, **moment)
    return {f"not {f.value}" if f.negated else f.value for f in view.now if f.key == key}


def events(memory: Memory) -> dict[str, str]:
    return {event.title: event.state for event in memory.timeline()}


def hear(memory: Memory, *said: tuple[str, str], speaker: str | None = None, thread: str = "t1") -> None:
    for at, text in said:
        memory.add_messages([{"content": text, "at": f"2026-{at}T10:00:00Z", "speaker": speaker}], thread=thread)


# ------------------------------------------------------------------ B06: last in time wins, not last ingested
def test_b06_an_older_talk_imported_later_becomes_history(story: Any) -> None:
    new = story.tell("Pia works at Northgate", 700, thread="new", happened_start="2026-02-10")
    story.claim(new, "Pia", "works_at", "Northgate", about="organization")
    old = story.tell("Pia started at Lumen Labs", 0, thread="old", happened_start="2024-03-05", supersedes=[new])
    (fact,) = story.memory.entity("Pia").now
    story.claim(old, "Pia", "works_at", "Lumen Labs", about="organization", replaces=[fact.id])
    view = story.memory.entity("Pia")
    assert [f.value for f in view.now] == ["Northgate"]
    assert [(f.value, f.valid_from.date().isoformat(), f.valid_to.date().isoformat()) for f in view.history] == [
        ("Lumen Labs", "2024-03-05", "2026-02-10")
    ]
    assert values(story.memory, "Pia", "works_at", as_of="2024-06-01") == {"Lumen Labs"}
    assert story.memory.expand_event(new).state == "active"
    assert [e.message for id in (new, old) for e in story.memory.expand_event(id).evidence] == ["new/1", "old/1"]
    links = story.memory.cypher("MATCH (a:Event)-[c:CONFLICTS_WITH]->(b:Event) RETURN a.id, b.id, c.reason").rows
    assert links == ((old, new, "claimed to supersede a later event"),)


def test_b06_also_when_what_is_older_was_said_later(story: Any) -> None:
    new = story.tell("Pia works at Northgate", 1, happened_start="2026-02-10")
    story.claim(new, "Pia", "works_at", "Northgate", about="organization")
    old = story.tell("Pia worked at Lumen Labs", 9, happened_start="2024-03-05", supersedes=[new])
    story.claim(old, "Pia", "works_at", "Lumen Labs", about="organization")
    assert values(story.memory, "Pia", "works_at", as_of="2026-03-01") == {"Northgate"}


def test_b06_by_the_rules(memory: Memory) -> None:
    hear(memory, ("02-10", "I work at Northgate now."), speaker="Pia", thread="new")
    memory.add_messages(
        [{"content": "I just started at Lumen Labs.", "at": "2024-03-05T09:00Z", "speaker": "Pia"}], thread="old"
    )
    assert values(memory, "Pia", "works_at") == {"Northgate"}
    assert values(memory, "Pia", "works_at", as_of="2024-06-01") == {"Lumen Labs"}


# ------------------------------------------------------------------ B09: two people with one first name
@pytest.fixture
def two(story: Any) -> Any:
    message = story.say(
        "Alex Moreau bakes rye bread and lives in Tarn. Alex Lindqvist surveys bridges and lives in Osby.", who="Tom"
    )
    for name, place in (("Alex Moreau", "Tarn"), ("Alex Lindqvist", "Osby")):
        event = story.event(message, f"{name} lives in {place}", participants=[{"name": name, "role": "subject"}])
        nodes = [
            {"ref": "n", "name": name, "kind": "person", "source_event_ids": [event],
             "aliases": [{"value": "Alex", "source_event_ids": [event]}]},
            {"ref": "v", "name": place, "kind": "place", "source_event_ids": [event]},
        ]  # fmt: skip
        fact = {"node": "n", "key": "lives_in", "value_ref": "v", "source_event_ids": [event]}
        story.memory.submit("projection", "t", {"nodes": nodes, "facts": [fact]})
    return story


def test_b09_two_people_stay_two(two: Any) -> None:
    assert two.now("Alex Moreau") == {("lives_in", "Tarn")}
    assert two.now("Alex Lindqvist") == {("lives_in", "Osby")}


def test_b09_what_the_first_name_alone_means_is_shown_not_guessed(two: Any) -> None:
    event = two.tell("Alex has a new van", participants=[{"name": "Alex", "role": "subject"}])
    two.claim(event, "Alex", "owns", "van")
    with pytest.raises(InvalidInput) as refusal:
        two.memory.entity("Alex")
    shown = [two.memory.entity(id) for id in refusal.value.details["candidates"]]
    assert {(view.name, view.unresolved) for view in shown} == {
        ("Alex Moreau", False), ("Alex Lindqvist", False), ("Alex", True)
    }
    assert {view.name for view in shown if any(f.value == "van" for f in view.now)} == {"Alex"}


def test_b09_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("01-05", "Alex Moreau lives in Tarn. Alex Lindqvist lives in Osby."), ("01-06", "Alex lives in Brask.")
    )
    assert values(memory, "Alex Moreau", "lives_in") == {"Tarn"}
    assert values(memory, "Alex Lindqvist", "lives_in") == {"Osby"}
    with pytest.raises(InvalidInput) as refusal:
        memory.entity("Alex")
    assert len(refusal.value.details["candidates"]) == 3


# ------------------------------------------------------------------ B11: one name, several nodes; near names, one node
def test_b11_one_node_for_one_name_and_no_more(story: Any) -> None:
    words = "about QRS, PX-4410, PX-4411, @halden/jet-native, @halden/net-native, Orbit and Comet"
    sessions = [
        [("QRS", "organization")], [("QRS", "organization")], [(" qrs ", "organization")],
        [
            ("PX-4410", "part"), ("PX-4411", "part"), ("@halden/jet-native", "package"),
            ("@halden/net-native", "package"),
        ],
        [("Orbit", "tool"), ("Comet", "tool")],
    ]
    for number, names in enumerate(sessions):
        event = story.tell(f"turn {number} {words}", thread=f"s{number}")
        nodes = [{"ref": name, "name": name, "kind": kind, "source_event_ids": [event]} for name, kind in names]
        story.memory.submit("projection", None, {"nodes": nodes, "facts": []})
    tom = {("Tom", "person")}
    found = set(story.memory.cypher("MATCH (e:Entity) RETURN e.name, e.kind, e.id", limit=100).rows)
    assert sorted((name, kind) for name, kind, _ in found) == sorted(
        {(n.strip().upper() if "rs" in n.lower() else n, k) for s in sessions for n, k in s} | tom
    )
    for name in ("PX-4410", "@halden/jet-native", "Orbit"):
        assert story.memory.entity(name).names == (name,)


def test_b11_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("02-01", "Unlike Comet, Orbit caches. We use Orbit. We use Comet."),
        ("02-02", "We use PX-4410. We use PX-4411."), speaker="Mara",
    )
    for name in ("Orbit", "Comet"):
        assert memory.entity(name).names == (name,)


# ------------------------------------------------------------------ B12: a correction retires what it corrects
def test_b12_the_old_value_is_history(story: Any) -> None:
    old = story.tell("Guest Wi-Fi password is heron-blue", 1)
    story.claim(old, "guest Wi-Fi", "password", "heron-blue", kind="other")
    new = story.tell("Guest Wi-Fi password is now otter-green", 9, supersedes=[old])
    story.claim(new, "guest Wi-Fi", "password", "otter-green", kind="other")
    assert story.now("guest Wi-Fi") == {("password", "otter-green")}
    assert story.memory.search_events("guest wifi password").cards[0].ref == f"event:{new}"
    (past,) = story.memory.entity("guest Wi-Fi").history
    assert (past.value, past.corrected, [e.message for e in past.evidence]) == ("heron-blue", False, ["t/1"])
    assert story.memory.expand_event(old).state == "superseded"


def test_b12_also_when_only_the_claims_say_so(story: Any) -> None:
    old = story.tell("Guest Wi-Fi password is heron-blue", 1)
    story.claim(old, "guest Wi-Fi", "password", "heron-blue", kind="other")
    new = story.tell("Guest Wi-Fi password is now otter-green", 9)
    story.claim(new, "guest Wi-Fi", "password", "otter-green", kind="other")
    assert events(story.memory) == {
        "Guest Wi-Fi password is heron-blue": "superseded", "Guest Wi-Fi password is now otter-green": "active"
    }
    (link,) = story.memory.query("superseded").records()
    assert (link["newer_event"], link["older_event"]) == (new, old)
    story.memory.forget(new)
    assert events(story.memory) == {"Guest Wi-Fi password is heron-blue": "active"}


def test_b12_an_error_is_told_apart_from_a_change(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Mara", "Brask", 9, correction=True)
    (wrong,) = story.memory.entity("Mara").history
    assert (wrong.value, wrong.corrected, wrong.valid_to) == ("Vell", True, None)
    assert values(story.memory, "Mara", "lives_in", as_of=story.day(3)) == {"Brask"}


def test_b12_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("04-01", "The guest Wi-Fi password is heron-blue."),
        ("04-09", "We changed the guest Wi-Fi password, it is now otter-green."),
    )
    assert values(memory, "guest Wi-Fi", "password") == {"otter-green"}
    assert events(memory)["The guest Wi-Fi password is heron-blue"] == "superseded"
    assert memory._space.journal.message("t1/1").content == "The guest Wi-Fi password is heron-blue."


# ------------------------------------------------------------------ B14: a negation is no duplicate
def test_b14_a_sentence_and_its_negation(story: Any) -> None:
    for at, negated in ((1, False), (2, True)):
        event = story.tell(f"Weekend deploys are {'not ' if negated else ''}allowed", at)
        story.claim(event, "weekend deploys", "policy", "allowed", kind="other", negated=negated)
    assert set(events(story.memory)) == {"Weekend deploys are allowed", "Weekend deploys are not allowed"}
    assert story.now("weekend deploys") == {("policy", "not allowed")}


def test_b14_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("03-01", "Weekend deploys are allowed."), ("03-02", "Weekend deploys are not allowed."),
        ("03-03", "I hate coriander."),
    )
    assert set(events(memory)) >= {"Weekend deploys are allowed", "Weekend deploys are not allowed"}
    assert values(memory, "Weekend deploys", "allowed") == {"not allowed"}
    assert values(memory, "user", "dislikes") == {"coriander"}
    assert values(memory, "user", "likes") == values(memory, "user", "prefers") == set()


# ------------------------------------------------------------------ B16: a new fact retires nothing but its own slot
def test_b16_only_the_slot_is_touched(story: Any) -> None:
    first = story.tell("Nora knows Ivo, speaks Danish, lives in Vell", 1)
    story.claim(first, "Nora", "knows", "Ivo", about="person")
    story.claim(first, "Nora", "speaks", "Danish")
    story.claim(first, "Nora", "lives_in", "Vell", about="place")
    second = story.tell("Nora knows Petra, speaks Finnish", 2)
    story.claim(second, "Nora", "knows", "Petra", about="person")
    story.claim(second, "Nora", "speaks", "Finnish")
    everything = [f.id for f in story.memory.entity("Nora").now]
    third = story.tell("Nora moved to Brask", 3)
    story.claim(third, "Nora", "lives_in", "Brask", about="place", replaces=everything)
    assert story.now("Nora") == {
        ("knows", "Ivo"), ("knows", "Petra"), ("speaks", "Danish"), ("speaks", "Finnish"), ("lives_in", "Brask"),
    }
    (past,) = story.memory.entity("Nora").history
    assert (past.value, past.valid_to) == ("Vell", story.day(3))


def test_b16_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("01-01", "Nora knows Ivo. Nora speaks Danish. Nora lives in Vell."),
        ("01-02", "Nora also knows Petra and speaks Finnish."), ("01-03", "Nora moved to Brask."), speaker="Nora",
    )
    assert {(f.key, f.value) for f in memory.entity("Nora").now} == {
        ("knows", "Ivo"), ("knows", "Petra"), ("speaks", "Danish"), ("speaks", "Finnish"), ("lives_in", "Brask"),
    }


# ------------------------------------------------------------------ B17: plans that are off, moved or done
def planned(memory: Memory) -> list[tuple[str, str]]:
    return [(row["title"], row["at"].date().isoformat()) for row in memory.query("open_plans").records()]


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "not linked"])
@pytest.mark.parametrize("dated", [True, False], ids=["dated", "not dated"])
def test_b17_what_is_off_is_no_plan(story: Any, linked: bool, dated: bool) -> None:
    quarry = story.tell(
        "Visit the quarry", 1, status="planned", happened_start="2026-05-20", participants=[{"name": "Tom"}]
    )
    more = {"supersedes": [quarry]} if linked else {}
    more |= {"happened_start": "2026-05-20"} if dated else {}
    story.tell("Quarry visit cancelled", 9, status="cancelled", participants=[{"name": "Tom"}], **more)
    story.tell("Dentist moved to June 4", 10, status="planned", happened_start="2026-06-04")
    story.tell("Shelf built", 30, status="completed", happened_start="2026-05-30")
    assert planned(story.memory) == [("Dentist moved to June 4", "2026-06-04")]
    assert story.memory.expand_event(quarry).state == "superseded"


@pytest.mark.parametrize("speaker", [None, "Mara"])
def test_b17_by_the_rules(memory: Memory, speaker: str | None) -> None:
    hear(
        memory, ("04-30", "I will build a shelf in May."), ("05-01", "I will visit the quarry on May 20."),
        ("05-10", "The quarry visit is off."), ("05-11", "The dentist on May 28 is moved to June 4."),
        ("05-30", "The shelf is built."), speaker=speaker,
    )
    assert planned(memory) == [("The dentist on May 28 is moved to June 4", "2026-06-04")]


# ------------------------------------------------------------------ B20: hearsay stays hearsay
def hearsay(story: Any, at: float, words: str = "According to Tess, Bram sold his boat", **item: Any) -> str:
    event = story.tell(
        words, at, who="Lio", reporter="Tess",
        participants=[{"name": "Bram", "role": "subject"}], **item
    )
    return str(event)


def test_b20_repeating_hearsay_does_not_strengthen_it(story: Any) -> None:
    story.claim(hearsay(story, 1), "Bram", "owns", "his boat", negated=True)
    (first,) = story.memory.entity("Bram").now
    retold = "Earlier I said that Tess claims Bram sold his boat"
    story.claim(hearsay(story, 2, retold), "Bram", "owns", "the boat", negated=True)
    (again,) = story.memory.entity("Bram").now
    assert first.confidence == again.confidence == 0.5
    assert {(e.speaker, e.reporter) for e in again.evidence} == {("Lio", "Tess")}
    story.claim(story.tell("Bram sold the boat, I was there", 3, who="Lio"), "Bram", "owns", "the boat", negated=True)
    (seen,) = story.memory.entity("Bram").now
    assert seen.confidence == 1.0


@pytest.mark.parametrize("claimed", [True, False], ids=["with claims", "events alone"])
def test_b20_a_correction_retires_every_copy(story: Any, claimed: bool) -> None:
    copies = [hearsay(story, 1), hearsay(story, 2)]
    if claimed:
        for copy in copies:
            story.claim(copy, "Bram", "owns", "his boat", negated=True)
    right = story.tell(
        "Bram still has the boat", 3, who="Lio", participants=[{"name": "Bram", "role": "subject"}],
        supersedes=copies[:1],
    )
    story.claim(right, "Bram", "owns", "the boat")
    assert story.now("Bram") == {("owns", "the boat")}
    assert {story.memory.expand_event(copy).state for copy in copies} == {"superseded"}
    assert story.memory.expand_event(right).state == "active"


def test_b20_by_the_rules(memory: Memory) -> None:
    hear(
        memory, ("03-10", "Tess told me Bram sold his boat. I have not checked."),
        ("03-11", "Earlier I said Tess claims Bram sold his boat."), speaker="Lio",
    )
    (claim,) = memory.entity("Bram").now
    assert (claim.negated, claim.confidence) == (True, 0.5)
    assert {(e.speaker, e.reporter) for e in claim.evidence} == {("Lio", "Tess")}
    hear(memory, ("03-12", "Tess was wrong, Bram still has the boat."), speaker="Lio")
    assert values(memory, "Bram", "owns") == {"the boat"}
    assert [e.title for e in memory.timeline() if e.state == "active"] == ["Bram still has the boat"]
    assert not any(f.key == "owns" for f in memory.entity("Lio").now)
