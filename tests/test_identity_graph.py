"""Identity in the graph: names and what they rest on, ambiguity, joining and taking apart, and look-up by key."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NoReturn

import pytest

from sgraph import InvalidInput, Memory, NotFound, RequestRefused
from sgraph.graph.state import State
from sgraph.identity.cast import create, identify
from sgraph.truth.decision import Decision

AT = datetime(2026, 1, 1, tzinfo=UTC)


def hear(memory: Memory, *texts: str, speaker: str = "Mara", thread: str = "t") -> None:
    for text in texts:
        memory.add_turn(user=text, speaker=speaker, thread=thread)


def rests_on(memory: Memory, name: str) -> list[str]:
    """Give the words an alias rests on."""
    rows = memory.cypher(
        "MATCH (n:Name)-[:RESTS_ON]->(v:Event)-[s:SOURCED_FROM]->(m:Message) "
        "WHERE n.display = $name AND n.key CONTAINS ':' RETURN DISTINCT s.quote ORDER BY s.quote", {"name": name},
    ).rows
    return [row[0] for row in rows]


# ------------------------------------------------------------------ what a text says about names
@pytest.mark.parametrize(
    ("said", "known", "alias"),
    [
        ("Kubernetes, also known as k8s, is our platform.", "Kubernetes", "k8s"),
        ("We call Kubernetes K8s. Kubernetes (aka k8s) is fine.", "Kubernetes", "k8s"),
        ("Comet is now called Orbit.", "Comet", "Orbit"),
        ("Comet has been rebranded as Orbit.", "Comet", "Orbit"),
        ("Comet又名彗星。", "Comet", "彗星"),
    ],
)
def test_a_stated_alias_leads_to_the_entity_and_rests_on_its_words(
    memory: Memory, said: str, known: str, alias: str
) -> None:
    hear(memory, f"We use {known}.", said)
    view = memory.entity(alias)
    assert view.name == known
    assert {known, alias} <= set(view.names)
    (quote,) = [words for words in rests_on(memory, alias) if words]
    assert alias in quote
    assert quote in said


def test_who_speaks_may_say_what_they_are_called(memory: Memory) -> None:
    hear(memory, "I live in Vell.", "Everybody calls me Bo.", speaker="Bonnie Lind")
    assert memory.entity("Bo").name == "Bonnie Lind"


def test_an_alias_is_used_for_what_is_said_afterwards(memory: Memory) -> None:
    hear(memory, "I live in Vell.", "Everybody calls me Bo.", speaker="Bonnie Lind")
    hear(memory, "Bo moved to Brask.", speaker="Tom")
    assert {f.value for f in memory.entity("Bonnie Lind").now if f.key == "lives_in"} == {"Brask"}


@pytest.mark.parametrize(
    "said",
    [
        "Is Comet now called Orbit?", "Comet is not called Orbit.", "Unlike Comet, Orbit caches.",
        "If Comet is renamed to Orbit, tell me.",
    ],
)
def test_what_is_not_stated_is_no_alias(memory: Memory, said: str) -> None:
    hear(memory, "We use Comet.", said)
    assert memory.entity("Comet").names == ("Comet",)


def test_a_name_that_leads_to_another_is_left_alone(memory: Memory) -> None:
    hear(memory, "We use Comet. We use Orbit.", "Comet is also known as Orbit.")
    assert memory.entity("Comet").id != memory.entity("Orbit").id
    assert memory.entity("Comet").names == ("Comet",)


def test_an_assistant_names_nobody(memory: Memory) -> None:
    memory.add_turn(user="We use Comet.", assistant="Comet is now called Orbit.", speaker="Mara")
    with pytest.raises(NotFound):
        memory.entity("Orbit")


def test_a_forgotten_statement_takes_its_alias_along(memory: Memory) -> None:
    hear(memory, "We use Comet.", "Comet is now called Orbit.")
    event = next(e for e in memory.timeline() if "Orbit" in e.title)
    memory.forget(event.id)
    with pytest.raises(NotFound):
        memory.entity("Orbit")
    memory.rebuild()
    with pytest.raises(NotFound):
        memory.entity("Orbit")
    memory.unforget(event.id)
    assert memory.entity("Orbit").name == "Comet"


# ------------------------------------------------------------------ names in the graph
def test_ambiguity_is_two_edges(story: Any) -> None:
    event = story.tell("Alex Moreau and Alex Lindqvist met")
    nodes = [
        {
            "ref": name, "name": name, "kind": "person", "source_event_ids": [event],
            "aliases": [{"value": "Alex", "source_event_ids": [event]}],
        }
        for name in ("Alex Moreau", "Alex Lindqvist")
    ]
    story.memory.submit("projection", None, {"nodes": nodes, "facts": []})
    rows = story.memory.cypher(
        "MATCH (n:Name {key: 'person:alex'})-[r:NAMES]->(e:Entity) RETURN e.name ORDER BY e.name"
    ).rows
    assert rows == (("Alex Lindqvist",), ("Alex Moreau",))
    with pytest.raises(InvalidInput) as refusal:
        story.memory.entity("Alex")
    assert len(refusal.value.details["candidates"]) == 2


def test_the_same_name_of_another_kind_is_another(story: Any) -> None:
    event = story.tell("Orbit, the tool and the company")
    nodes = [
        {"ref": kind, "name": "Orbit", "kind": kind, "source_event_ids": [event]} for kind in ("tool", "organization")
    ]
    story.memory.submit("projection", None, {"nodes": nodes, "facts": []})
    with pytest.raises(InvalidInput) as refusal:
        story.memory.entity("orbit")
    assert len(refusal.value.details["candidates"]) == 2


def test_a_letter_in_common_is_no_name(story: Any) -> None:
    story.lives("Bert Mills", "Vell")
    assert {story.memory.entity(name).name for name in ("Bert", "B. Mills", "Mills")} == {"Bert Mills"}
    for name in ("Bo M", "Bert Moss", "Ber"):
        with pytest.raises(NotFound):
            story.memory.entity(name)


# ------------------------------------------------------------------ joined and apart
def state_of(story: Any, *names: str) -> list[Any]:
    found = []
    for name in names:
        view = story.memory.entity(name)
        facts = [
            (p, f.key, f.value, f.valid_from, f.valid_to, f.status, f.entity)
            for p in ("now", "disputed", "history")
            for f in getattr(view, p)
        ]
        found.append((view.id, view.names, view.members, sorted(facts, key=repr)))
    relations = story.memory.cypher(
        "MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.id, r.relation, b.id, r.since, r.until", limit=1000
    ).rows
    people = story.memory.query("people").rows
    return [
        found, sorted(relations, key=repr), people,
        story.memory.cypher("MATCH (e:Entity) RETURN e.id, e.canon ORDER BY e.id", limit=100).rows,
    ]


@pytest.mark.parametrize("how", ["split", "undo"])
def test_after_a_split_or_undo_every_view_is_as_before(story: Any, how: str) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Marushka", "Brask", 5)
    story.claim(story.tell("Ivo knows Marushka", 6), "Ivo", "knows", "Marushka", about="person")
    story.claim(story.tell("Ivo knows Mara", 7), "Ivo", "knows", "Mara", about="person")
    before = state_of(story, "Mara", "Marushka", "Ivo")
    done = story.memory.merge("Marushka", "Mara")
    one = story.memory.entity("Marushka")
    assert ({f.value for f in one.now}, {f.value for f in one.history}, len(one.members)) == ({"Brask"}, {"Vell"}, 2)
    assert story.memory.entity("Mara").id == one.id
    if how == "split":
        story.memory.split("Marushka")
    else:
        story.memory.undo(done.seq)
    assert state_of(story, "Mara", "Marushka", "Ivo") == before
    assert story.memory.verify().ok


def test_what_was_said_of_each_while_they_were_one_comes_apart(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Marushka", "Brask", 5)
    story.memory.merge("Marushka", "Mara")
    story.claim(story.tell("Marushka plays the cello", 6), "Marushka", "plays", "cello")
    story.claim(story.tell("Mara plays chess", 6), "Mara", "plays", "chess")
    assert {v for k, v in story.now("Mara") if k == "plays"} == {"cello", "chess"}
    story.memory.split("Marushka")
    assert story.now("Marushka") == {("lives_in", "Brask"), ("plays", "cello")}
    assert story.now("Mara") == {("lives_in", "Vell"), ("plays", "chess")}


def test_canon_is_kept_flat(story: Any) -> None:
    for number, name in enumerate(("Ana", "Bea", "Cleo", "Dora")):
        story.claim(story.tell(f"{name} plays", number), name, "plays", name)
    story.memory.merge("Ana", "Bea")
    story.memory.merge("Cleo", "Dora")
    story.memory.merge("Bea", "Cleo")
    rows = story.memory.cypher(
        "MATCH (e:Entity) WHERE e.name <> 'Tom' MATCH (c:Entity {id: e.canon}) RETURN e.name, c.name, c.canon = c.id"
    ).rows
    assert sorted(rows) == [(name, "Dora", True) for name in ("Ana", "Bea", "Cleo", "Dora")]
    story.memory.split("Bea")
    rows = story.memory.cypher(
        "MATCH (e:Entity) WHERE e.name <> 'Tom' MATCH (c:Entity {id: e.canon}) RETURN e.name, c.name"
    ).rows
    assert sorted(rows) == [("Ana", "Bea"), ("Bea", "Bea"), ("Cleo", "Dora"), ("Dora", "Dora")]


def test_what_cannot_be_joined_or_split_says_why(story: Any) -> None:
    story.lives("Mara", "Vell", 1)
    story.lives("Ivo", "Brask", 1)
    with pytest.raises(RequestRefused, match="not joined"):
        story.memory.split("Mara")
    story.memory.merge("Ivo", "Mara")
    with pytest.raises(RequestRefused, match="one already"):
        story.memory.merge("Mara", "Ivo")


# ------------------------------------------------------------------ by key
class Keyed(dict[str, Any]):
    """A table that is only ever looked up by key."""

    def _scanned(self, *_: Any) -> NoReturn:
        raise AssertionError("scanned")

    __iter__ = keys = values = items = _scanned  # type: ignore[assignment]


def syllables(number: int) -> str:
    """Spell a number as a name that begins with any letter."""
    return chr(97 + number % 26) + "".join(f"{'bdfgklmnprst'[digit]}a" for digit in map(int, str(number)))


def test_a_mention_is_looked_up_by_key_among_fifty_thousand() -> None:
    state = State()
    decision = Decision(state, AT, "rule")
    names = [f"{syllables(number)} {syllables(number // 7)}" for number in range(50_000)]
    ids = [create(decision, name, "person", ()) for name in names]
    state.entities, state.names, state.names_of = Keyed(state.entities), Keyed(state.names), Keyed(state.names_of)
    state.in_thread = {"t": set(ids)}
    assert identify(decision, names[4321].upper(), "person", thread="u", events=()) == ids[4321]
    assert identify(decision, names[4321].split()[0], "person", thread="t", events=()) == ids[4321]
    assert identify(decision, names[4321].split()[0], "person", thread="u", events=()) not in ids
    assert identify(decision, "Zoe Quux", "person", thread="t", events=()) not in ids
