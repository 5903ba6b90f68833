"""A part of the graph taken out: what is in it, what is hidden, and that it comes back the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import sgraph
from sgraph import InvalidInput, Memory, NotFound, RequestRefused
from sgraph.graph import store
from sgraph.transfer.load import load_into
from sgraph.transfer.subgraph import Subgraph, build, read_node_link

START = datetime(2026, 2, 24, 10, tzinfo=UTC)
NASTY = 'O\'Neil \\ "x" }) DETACH DELETE n //'


@pytest.fixture
def memory(tmp_path: Path, engine: str) -> Iterator[Memory]:
    with sgraph.open(tmp_path / "memory.sgraph", engine=engine, rules=False) as opened:
        yield opened


@pytest.fixture
def fresh(tmp_path: Path, engine: str) -> Iterator[Memory]:
    with sgraph.open(tmp_path / "fresh.sgraph", engine=engine) as opened:
        yield opened


def cut(memory: Memory, around: str | None = None, **question: Any) -> Subgraph:
    memory._space.catch_up()
    return build(memory._space, around, **question)


def say(memory: Memory, text: str, *, who: str = "Tom", thread: str = "t1", **event: Any) -> str:
    """Record a message and the event it gives rise to; give the event's id."""
    count = sum(1 for entry in memory._space.journal.entries() if entry.kind == "said")
    at = START + timedelta(hours=count)
    (key,) = memory.add_messages([{"content": text, "speaker": who, "at": at}], thread=thread).messages
    item = {"title": text[:60], "summary": text, "source_message_ids": [key], "quotes": [text], **event}
    (id_,) = memory.submit("events", thread, {"events": [item]}).ids
    return id_


def relate(
    memory: Memory, event: str, subject: str, key: str, target: str | None, kind: str = "place", **fact: Any
) -> None:
    """Claim something: a relation to `target`, or with `value=` what is plain text."""
    nodes = [{"ref": "a", "name": subject, "kind": kind, "source_event_ids": [event]}]
    claim: dict[str, Any] = {"node": "a", "key": key, "source_event_ids": [event], **fact}
    if target is not None:
        nodes.append({"ref": "b", "name": target, "kind": kind, "source_event_ids": [event]})
        claim["value_ref"] = "b"
    memory.submit("projection", None, {"nodes": nodes, "facts": [claim]})


def places(memory: Memory) -> dict[str, str]:
    """Build the graph of case B48; give the event behind each relation."""
    pairs = ["Hub-North", "Hub-South", "Hub-East", "Hub-West", "North-Far", "Far-Hub", "Hub-Centre"]
    events = {}
    for pair in pairs:
        a, b = pair.split("-")
        events[pair] = say(memory, f"{a} is next to {b}.")
        relate(memory, events[pair], a, "next_to", b)
    memory.merge("Centre", "Hub")  # the relation between the two becomes one of Hub to itself
    return events


def names(subgraph: Subgraph) -> set[str]:
    return {node.name for node in subgraph.data.nodes}


def edges(subgraph: Subgraph) -> list[tuple[str, str, str]]:
    known = {node.id: node.name for node in subgraph.data.nodes}
    return sorted((known[e.entity], e.key, known[e.about or ""]) for e in subgraph.data.edges)


def comparable(subgraph: Subgraph) -> dict[str, Any]:
    """Give everything but when it was exported, when a space came to know it, and what else there was."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(v) for name, v in value.items() if name not in ("recorded_at", "exported_at", "cut")}
        return [without(v) for v in value] if isinstance(value, list | tuple) else value

    plain: dict[str, Any] = without(subgraph.data.model_dump())
    return plain


# ------------------------------------------------------------------ B48
def test_hops_and_direction(memory: Memory) -> None:
    events = places(memory)
    memory.forget(events["Hub-East"])
    assert names(cut(memory, "Hub", hops=0)) == {"Hub"}
    near = cut(memory, "Hub", hops=1)
    assert names(near) == {"Hub", "North", "South", "West", "Far"}  # Far by "Far is next to Hub": direction is ignored
    assert edges(near).count(("Hub", "next_to", "Hub")) == 1
    assert len(edges(near)) == 6
    assert names(cut(memory, "Hub", hops=2)) == names(near)
    assert cut(memory, "North", hops=1).data.cut.edges == 2  # from Hub to South and to West
    assert cut(memory, "West", hops=0).counts.edges == 0


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize("around", ["Hub", "North", None])
def test_every_edge_has_both_ends(memory: Memory, hops: int, around: str | None) -> None:
    places(memory)
    found = cut(memory, around, hops=hops)
    inside = {node.id for node in found.data.nodes}
    assert all({edge.entity, edge.about} <= inside for edge in found.data.edges)


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_comes_back_the_same(memory: Memory, fresh: Memory, tmp_path: Path, hops: int) -> None:
    events = places(memory)
    memory.forget(events["Hub-East"])
    first = cut(memory, "Hub", hops=hops)
    counts = load_into(fresh._space, read_node_link(first.write(tmp_path / "hub.json")))
    assert counts == first.counts
    again = cut(fresh, "Hub", hops=hops)
    assert comparable(again) == comparable(first)
    whole = cut(fresh)
    assert {node.id for node in whole.data.nodes} == {node.id for node in first.data.nodes}
    assert {edge.id for edge in whole.data.edges} == {edge.id for edge in first.data.edges}
    held = fresh.cypher("MATCH (e:Entity)-[r:RELATES]->(o:Entity) RETURN r.fact")
    assert {row[0] for row in held.rows} == {edge.id for edge in first.data.edges}
    assert store.contents(fresh._space.engine) == store.expected(fresh._space.journal.entries())


def test_an_unknown_start(memory: Memory) -> None:
    events = places(memory)
    with pytest.raises(NotFound) as caught:
        cut(memory, "Nort")
    assert "North" in caught.value.details["near"]
    memory.forget(events["Hub-East"])
    with pytest.raises(NotFound):
        cut(memory, "East")
    with pytest.raises(NotFound):
        cut(memory, NASTY)


# ------------------------------------------------------------------ what is hidden
def test_forgotten_claims_are_out_and_come_on_request(memory: Memory) -> None:
    events = places(memory)
    memory.forget(events["Hub-East"])
    found = cut(memory)
    assert "East" not in json.dumps(found.data.model_dump(), default=str)
    shown = cut(memory, include_forgotten=True)
    assert "East" in names(shown)
    (claim,) = [edge for edge in shown.data.edges if not edge.visible]
    assert claim.supports[0].event == events["Hub-East"]


def test_forgotten_is_hidden_at_every_known_time(memory: Memory) -> None:
    events = places(memory)
    before = datetime.now(UTC)
    memory.forget(events["Hub-East"])
    assert "East" not in names(cut(memory, known_at=before))
    assert names(cut(memory, known_at=START)) == set()


def test_as_of_and_known_at(memory: Memory) -> None:
    kind = {"kind": "person", "cardinality": "one"}
    first = say(memory, "Pia works at Lumen.", happened_start="2024-03-05")
    relate(memory, first, "Pia", "works_at", "Lumen", **kind)
    middle = datetime.now(UTC)
    second = say(memory, "Pia works at Northgate.", happened_start="2026-01-02")
    relate(memory, second, "Pia", "works_at", "Northgate", **kind)
    both = cut(memory, "Pia")
    assert [(e.value, e.status) for e in sorted(both.data.edges, key=lambda e: e.valid_from)] == [
        ("Lumen", "superseded"), ("Northgate", "active"),
    ]  # fmt: skip
    newer = next(edge for edge in both.data.edges if edge.value == "Northgate")
    assert [ref.fact for ref in newer.replaces] == [edge.id for edge in both.data.edges if edge.value == "Lumen"]
    in_2025 = cut(memory, "Pia", as_of=datetime(2025, 1, 1, tzinfo=UTC))
    assert [edge.value for edge in in_2025.data.edges] == ["Lumen"]
    as_known = cut(memory, "Pia", known_at=middle)
    assert [(edge.value, edge.valid_to) for edge in as_known.data.edges] == [("Lumen", None)]


def test_a_merge_is_one_node_and_known_at_shows_the_two(memory: Memory) -> None:
    relate(memory, say(memory, "Robert likes tea."), "Robert", "likes", None, "person", value="tea")
    relate(memory, say(memory, "Bob lives in Brask."), "Bob", "lives_in", "Brask", "person")
    apart = datetime.now(UTC)
    memory.merge("Bob", "Robert")
    found = cut(memory, "Robert")
    (robert,) = [node for node in found.data.nodes if node.name == "Robert"]
    assert robert.aliases == ("Bob",)
    assert [claim.value for claim in robert.claims] == ["tea"]
    assert edges(found) == [("Robert", "lives_in", "Brask")]
    assert {"Robert", "Bob"} <= names(cut(memory, known_at=apart))


def test_what_belongs_to_a_session_stays_there(memory: Memory) -> None:
    relate(memory, say(memory, "Ada uses Vim today.", scope="session"), "Ada", "uses", "Vim", "person")
    relate(memory, say(memory, "Ada knows Ben."), "Ada", "knows", "Ben", "person")
    assert names(cut(memory)) == {"Ada", "Ben", "Tom"}
    (session,) = memory.cypher("MATCH (v:Event) WHERE v.scope = 'session' RETURN v.session").rows[0]
    assert names(cut(memory, session=session)) == {"Ada", "Ben", "Tom", "Vim"}
    assert names(cut(memory, session="another")) == {"Ada", "Ben", "Tom"}
    assert edges(cut(memory, "Ada")) == [("Ada", "knows", "Ben")]


# ------------------------------------------------------------------ evidence, kinds, limits
def test_every_claim_carries_its_evidence(memory: Memory) -> None:
    text = "I heard that Pia lives in Brask."
    event = say(memory, text, who="Tom", quotes=["Pia lives in Brask"], reporter="Lena", happened_start="2025-06-01")
    relate(memory, event, "Pia", "lives_in", "Brask", "person")
    found = cut(memory, "Pia")
    (claim,) = found.data.edges
    assert (claim.speakers, claim.reporters) == (("Tom",), ("Lena",))
    (kept,) = [e for e in found.data.events if e.id == claim.supports[0].event]
    assert kept.title == text
    assert kept.mentioned_at == START
    assert kept.happened_start == datetime(2025, 6, 1, tzinfo=UTC)
    (source,) = kept.sources
    (message,) = found.data.messages
    assert source.message == message.key
    assert message.content[source.start : source.end] == source.quote == "Pia lives in Brask"
    assert {stub.name for stub in found.data.stubs} == {"Tom", "Lena"}
    edge = next(iter(found.graph.edges(keys=True, data=True)))
    assert edge[2] == claim.id
    assert edge[3]["relation"] == "lives_in"
    assert edge[3]["valid_from"] == claim.valid_from


def test_kinds_and_limit(memory: Memory) -> None:
    event = say(memory, "Ann, Bea and Cy know each other.")
    for a, b in (("Ann", "Bea"), ("Ann", "Cy"), ("Bea", "Cy")):
        relate(memory, event, a, "knows", b, "person")
    relate(memory, event, "Ann", "near", "Brask", "place")
    assert names(cut(memory, kinds=["place"])) == {"Ann", "Brask"}  # Ann, the place; Ann the person stays out
    few = cut(memory, limit=2)
    assert few.counts.nodes == 2
    assert few.data.cut.nodes > 0
    around = cut(memory, next(n.id for n in cut(memory).data.nodes if n.name == "Bea"), limit=2)
    assert around.counts.nodes == 2
    assert around.data.cut.nodes == 1
    assert around.data.cut.edges == 2
    assert cut(memory, limit=1, hops=0).counts.nodes == 1


@pytest.mark.parametrize(
    "question",
    [{"hops": -1}, {"hops": True}, {"limit": 0}, {"as_of": datetime(2026, 1, 1)}, {"known_at": datetime(2026, 1, 1)}],
)
def test_a_question_that_makes_no_sense(memory: Memory, question: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        cut(memory, **question)


def test_nothing_at_all(memory: Memory, fresh: Memory, tmp_path: Path) -> None:
    found = cut(memory)
    assert found.counts.nodes == 0
    for suffix in ("json", "graphml", "html"):
        assert found.write(tmp_path / f"none.{suffix}").stat().st_size > 0
    assert load_into(fresh._space, read_node_link(tmp_path / "none.json")).nodes == 0


# ------------------------------------------------------------------ files
def strange(memory: Memory) -> None:
    for value in (NASTY, "<script>alert(1)</script>", "R&amp;D", "نور", "🦊 \ud83d", "李娜"):
        text = f"Mara knows {value} \x00\x07 \ud83d."
        relate(memory, say(memory, text, who=value), "Mara", "knows", value, "person")
    relate(memory, say(memory, "Mara is 41 & <b>."), "Mara", "role", None, "person", value="41 & <b>")


def test_strange_text_survives_the_round_trip(memory: Memory, fresh: Memory, tmp_path: Path) -> None:
    strange(memory)
    first = cut(memory, "Mara", hops=2)
    back = read_node_link(first.write(tmp_path / "m.json"))
    assert back.data == first.data
    assert any(
        "\ud83d" in message.content for message in back.data.messages
    )  # the record is kept to the last character
    load_into(fresh._space, back)
    assert comparable(cut(fresh, "Mara", hops=2)) == comparable(first)


def test_what_the_rules_would_read_again_is_not_read_again(memory: Memory, fresh: Memory) -> None:
    relate(memory, say(memory, "I live in Brask."), "Tom", "lives_in", "Brask", "person")
    load_into(fresh._space, cut(memory))
    fresh.add_turn(user="I live in Lund.", speaker="Tom", assistant="Noted.", thread="later")
    assert cut(fresh, kinds=["person"]).counts.events >= 1
    assert [e.method for e in cut(fresh).data.events if e.mentioned_at == START] == ["agent"]
    assert fresh._space.setting("rules") is True


def test_the_loaded_space_goes_on(memory: Memory, fresh: Memory) -> None:
    one = {"kind": "person", "cardinality": "one"}
    event = say(memory, "Pia works at Lumen.", happened_start="2024-03-05")
    relate(memory, event, "Pia", "works_at", "Lumen", **one)
    load_into(fresh._space, cut(memory))
    later = say(fresh, "On the list: Pia, Northgate.", thread="t2", happened_start="2026-01-02")
    relate(fresh, later, "Pia", "works_at", "Northgate", **one)
    claims = sorted(cut(fresh, "Pia").data.edges, key=lambda claim: claim.valid_from)
    assert [(claim.value, claim.status) for claim in claims] == [("Lumen", "superseded"), ("Northgate", "active")]
    fresh.forget(later)
    assert [(claim.value, claim.valid_to) for claim in cut(fresh, "Pia").data.edges] == [("Lumen", None)]


def test_a_space_that_holds_something_is_refused(memory: Memory) -> None:
    places(memory)
    found = cut(memory)
    before = memory._space.journal.last_seq()
    with pytest.raises(RequestRefused):
        load_into(memory._space, found)
    assert memory._space.journal.last_seq() == before


def test_node_link_is_networkx_own(memory: Memory, tmp_path: Path) -> None:
    places(memory)
    found = cut(memory)
    graph = nx.node_link_graph(json.loads(found.write(tmp_path / "g.json").read_text()), edges="edges")
    assert set(graph.nodes) == set(found.graph.nodes)
    assert set(graph.edges(keys=True)) == set(found.graph.edges(keys=True))
    assert graph.graph["counts"]["edges"] == found.counts.edges == graph.number_of_edges()


def test_graphml_reads_back_with_every_edge(memory: Memory, tmp_path: Path) -> None:
    strange(memory)
    found = cut(memory)
    graph = nx.read_graphml(found.write(tmp_path / "g.graphml"), force_multigraph=True)
    assert graph.number_of_nodes() == found.counts.nodes
    assert graph.number_of_edges() == found.counts.edges
    labels = {attributes["label"] for _, attributes in graph.nodes(data=True)}
    assert {NASTY, "<script>alert(1)</script>", "R&amp;D", "🦊 \ufffd"} <= labels
    quotes = [attributes["quotes"] for *_, attributes in graph.edges(data=True)]
    assert all("Mara knows" in quote for quote in quotes)


def test_an_unknown_suffix(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        cut(memory).write(tmp_path / "g.csv")


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.pop("graph"),
        lambda file: file["graph"].update(format="other.v9"),
        lambda file: file["nodes"].pop(),
        lambda file: file["nodes"].append(file["nodes"][0]),
        lambda file: file["edges"].append(file["edges"][0]),
        lambda file: file["graph"]["events"].pop(),
        lambda file: file["graph"]["messages"].clear(),
        lambda file: file["edges"][0].update(valid_from="2026-01-01T00:00:00"),
        lambda file: file["edges"][0].update(surprise=1),
        lambda file: file["graph"]["messages"][0].update(thread="elsewhere"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused(memory: Memory, tmp_path: Path, change: Any) -> None:
    relate(memory, say(memory, "Hub is next to North."), "Hub", "next_to", "North")
    path = cut(memory).write(tmp_path / "g.json")
    file = json.loads(path.read_text())
    change(file)
    path.write_text(json.dumps(file))
    with pytest.raises(InvalidInput):
        read_node_link(path)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", "[" * 100_000, '{"graph": 1, "nodes": [], "edges": []}', "\ud83d"]
)
def test_a_file_that_is_something_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "g.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidInput):
        read_node_link(path)
