"""Verify: every kind of planted fault is found, and named by code and id."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import sgraph

Plant = Callable[["World"], str]


@dataclass
class World:
    """A memory with one of everything, and the ids of it."""

    memory: sgraph.Memory
    event: str
    other_event: str
    fact: str
    entity: str
    place: str

    def graph(self, query: str, **params: Any) -> None:
        """Write to the graph behind the journal's back."""
        self.memory._space.engine.run(query, params)

    def journal(self, query: str, *values: Any) -> None:
        """Write to the record itself."""
        self.memory._space.journal.rows(query, *values)


@pytest.fixture
def world(tmp_path: Path, engine: str) -> Any:
    with sgraph.open(tmp_path / "s.sgraph", engine=engine, rules=False, block_turns=2) as memory:
        memory.add_messages(
            [{"id": "m1", "content": "Mara lives in Vell."}, {"id": "m2", "role": "assistant", "content": "Noted."}],
            thread="t",
        )
        memory.add_turn(user="And Mara moved to Brask.", assistant="Fine.", thread="t", ids=["m3", "m4"], receipt="r1")
        done = memory.submit(
            "events",
            "t:b1",
            {
                "events": [
                    {"title": "Lives", "summary": "s", "source_message_ids": ["m1"], "quotes": ["lives in Vell"]},
                    {"title": "Moved", "summary": "s", "source_message_ids": ["m3"], "quotes": ["moved to Brask"]},
                ]
            },
        )
        nodes = [
            {"ref": ref, "name": name, "kind": kind, "source_event_ids": [done.ids[0]]}
            for ref, name, kind in (("n", "Mara", "person"), ("v", "Vell", "place"))
        ]
        facts = [{"node": "n", "key": "lives_in", "value_ref": "v", "source_event_ids": [done.ids[0]]}]
        memory.submit("projection", "t:b1", {"nodes": nodes, "facts": facts})
        memory.submit(
            "turn_summary",
            "t#1",
            {
                "summary": "Mara lives in Vell.",
                "outcome": "informational",
                "triples": [{"subject": "Mara", "predicate": "lives in", "object": "Vell"}],
            },
        )
        ids = dict(memory.cypher("MATCH (e:Entity) RETURN e.name, e.id").rows)
        ((fact,),) = memory.cypher("MATCH (f:Fact) RETURN f.id").rows
        assert memory.verify().ok
        yield World(memory, done.ids[0], done.ids[1], fact, ids["Mara"], ids["Vell"])


# ------------------------------------------------------------------ the graph
def edge_missing(w: World) -> str:
    w.graph("MATCH (e:Event {id: $id})-[r:SOURCED_FROM]->() DELETE r", id=w.event)
    return f"missing SOURCED_FROM {w.event} → t/m1"


def event_without_message(w: World) -> str:
    w.graph("MATCH (e:Event {id: $id})-[r:SOURCED_FROM]->() DELETE r", id=w.event)
    return f"unsupported Event {w.event}"


def fact_without_event(w: World) -> str:
    w.graph("MATCH (f:Fact {id: $id})-[r:SUPPORTED_BY]->() DELETE r", id=w.fact)
    return f"unsupported Fact {w.fact}"


def edge_too_many(w: World) -> str:
    w.graph("MATCH (a:Entity {id: $a}), (b:Entity {id: $b}) CREATE (b)-[:SAME_AS]->(a)", a=w.entity, b=w.place)
    return f"extra SAME_AS {w.place} → {w.entity}"


def edge_doubled(w: World) -> str:
    w.graph("MATCH (a:Message {key: 't/m1'}), (b:Message {key: 't/m2'}) CREATE (a)-[:NEXT]->(b)")
    return "extra NEXT t/m1 → t/m2"


def plain_edge_lost(w: World) -> str:
    w.graph("MATCH (:Entity)-[r:RELATES]->(:Entity) DELETE r")
    return f"missing RELATES {w.entity} → {w.place}"


def plain_edge_of_another_relation(w: World) -> str:
    w.graph("MATCH (:Entity)-[r:RELATES]->(:Entity) SET r.relation = 'hates'")
    return f"changed RELATES {w.entity} → {w.place}"


def node_missing(w: World) -> str:
    w.graph("MATCH (t:Turn {id: 't#2'}) DETACH DELETE t")
    return "missing Turn t#2"


def node_too_many(w: World) -> str:
    w.graph("CREATE (:Entity {id: 'ghost', name: 'Ghost', kind: 'person', canon: 'ghost'})")
    return "extra Entity ghost"


def property_changed(w: World) -> str:
    w.graph("MATCH (e:Event {id: $id}) SET e.title = 'Lies'", id=w.event)
    return f"changed Event {w.event}"


def property_emptied(w: World) -> str:
    w.graph("MATCH (m:Message {key: 't/m1'}) SET m.sent_at = NULL")
    return "changed Message t/m1"


def words_changed(w: World) -> str:
    w.graph("MATCH (m:Message {key: 't/m1'}) SET m.content = 'Mara lives in Osby.'")
    return "digest Message t/m1"


def quote_shifted(w: World) -> str:
    w.graph(
        "MATCH (e:Event {id: $id})-[r:SOURCED_FROM]->() "
        "SET r.quote_start = r.quote_start + 1, r.quote_end = r.quote_end + 1",
        id=w.event,
    )
    return f"extra SOURCED_FROM {w.event} → t/m1"


def quote_reworded(w: World) -> str:
    w.graph("MATCH (e:Event {id: $id})-[r:SOURCED_FROM]->() SET r.quote = 'loves it Vell'", id=w.event)
    return f"changed SOURCED_FROM {w.event} → t/m1"


def fact_hidden(w: World) -> str:
    w.graph("MATCH (f:Fact {id: $id}) SET f.visible = false", id=w.fact)
    return f"changed Fact {w.fact}"


def name_lost(w: World) -> str:
    w.graph("MATCH (n:Name {key: 'person:mara'})-[r:NAMES]->() DELETE r")
    return f"missing NAMES person:mara → {w.entity}"


def entity_redirected(w: World) -> str:
    w.graph("MATCH (e:Entity {id: $a}) SET e.canon = $b", a=w.entity, b=w.place)
    return f"changed Entity {w.entity}"


def block_made_pending(w: World) -> str:
    w.graph("MATCH (b:Block {id: 't:b1'}) SET b.extracted = NULL")
    return "changed Block t:b1"


def term_lost(w: World) -> str:
    w.graph("MATCH (t:Term {key: 'vell'}) DETACH DELETE t")
    return "missing Term vell"


def meta_behind(w: World) -> str:
    w.graph("MATCH (m:Meta) SET m.applied = m.applied - 1")
    return "meta Meta graph"


def meta_ahead(w: World) -> str:
    w.graph("MATCH (m:Meta) SET m.applied = m.applied + 7")
    return "meta Meta graph"


def meta_of_another_space(w: World) -> str:
    w.graph("MATCH (m:Meta) SET m.space = 'another'")
    return "meta Meta graph"


def meta_of_another_journal(w: World) -> str:
    w.graph("MATCH (m:Meta) SET m.hash = 'abc'")
    return "meta Meta graph"


# ------------------------------------------------------------------ the journal
def entry_deleted(w: World) -> str:
    w.journal("DELETE FROM entries WHERE seq = 3")
    return "journal entry 3"


def last_entry_deleted(w: World) -> str:
    w.journal("DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)")
    return f"journal entry {w.memory._space.journal.last_seq() + 1}"


def entries_swapped(w: World) -> str:
    for table in ("parts", "entries"):
        for old, new in ((2, -2), (3, 2), (-2, 3)):
            w.journal(f"UPDATE {table} SET seq = ? WHERE seq = ?", new, old)
    return "journal entry 2"


def body_changed(w: World) -> str:
    w.journal("UPDATE parts SET body = replace(body, 'lives in Vell', 'lives in Osby') WHERE seq = 2")
    return "journal entry 2"


def body_and_digest_changed(w: World) -> str:
    from sgraph.journal.log import digest

    seq, idx, salt, body = w.memory._space.journal.rows(
        "SELECT seq, idx, salt, body FROM parts WHERE body LIKE '%Noted.%' LIMIT 1"
    )[0]
    body = body.replace("Noted.", "Denied.")
    w.journal("UPDATE parts SET body = ?, digest = ? WHERE seq = ? AND idx = ?", body, digest(salt, body), seq, idx)
    return f"journal entry {seq}"


def part_removed(w: World) -> str:
    w.journal("DELETE FROM parts WHERE seq = 2 AND idx = 0")
    return "journal entry 2"


def part_without_entry(w: World) -> str:
    w.journal("INSERT INTO parts SELECT 999, idx, salt, digest, body FROM parts WHERE seq = 2")
    return "journal entry 999"


def instant_moved(w: World) -> str:
    w.journal("UPDATE entries SET at = at - 1 WHERE seq = 2")
    return "journal entry 2"


def salt_changed(w: World) -> str:
    w.journal("UPDATE parts SET salt = randomblob(16) WHERE seq = 2 AND idx = 1")
    return "journal entry 2"


def kind_changed(w: World) -> str:
    w.journal("UPDATE entries SET kind = 'noted' WHERE seq = 2")
    return "journal entry 2"


# ------------------------------------------------------------------ the key tables
def message_key_lost(w: World) -> str:
    w.journal("DELETE FROM keys_messages WHERE key = 't/m2'")
    return "keys messages t/m2"


def receipt_lost(w: World) -> str:
    w.journal("DELETE FROM keys_receipts WHERE id = 'r1'")
    return "keys receipts r1"


def receipt_too_many(w: World) -> str:
    w.journal("INSERT INTO keys_receipts VALUES ('forged', 2)")
    return "keys receipts forged"


def counter_changed(w: World) -> str:
    ((state,),) = w.memory._space.journal.rows("SELECT state FROM keys_threads WHERE id = 't'")
    w.journal("UPDATE keys_threads SET state = ? WHERE id = 't'", json.dumps({**json.loads(state), "turn": 7}))
    return "keys threads t"


def setting_changed(w: World) -> str:
    w.journal("""UPDATE keys_settings SET value = '"Mars/Base"' WHERE name = 'timezone'""")
    return "keys settings timezone"


def block_lost(w: World) -> str:
    w.journal("DELETE FROM keys_blocks")
    return "keys blocks t:b1"


PLANTED: list[Plant] = [
    edge_missing, event_without_message, fact_without_event, edge_too_many, edge_doubled, plain_edge_lost,
    plain_edge_of_another_relation, node_missing, node_too_many, property_changed, property_emptied, words_changed,
    quote_shifted, quote_reworded, fact_hidden, name_lost, entity_redirected, block_made_pending, term_lost,
    meta_behind, meta_ahead, meta_of_another_space, meta_of_another_journal, entry_deleted, last_entry_deleted,
    entries_swapped,
    body_changed, body_and_digest_changed, part_removed, part_without_entry, instant_moved, salt_changed, kind_changed,
    message_key_lost, receipt_lost, receipt_too_many, counter_changed, setting_changed, block_lost,
]  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found_and_named(world: World, plant: Plant) -> None:
    named = plant(world)
    report = world.memory.verify()
    assert not report.ok
    found = [f"{fault.code} {fault.id}" for fault in report.faults]
    assert any(text.startswith(named) for text in found), found
    assert all(fault.message for fault in report.faults)


@pytest.mark.parametrize("shift", [1, -1])
def test_a_decision_whose_quote_does_not_stand_in_its_message_is_named(world: World, shift: int) -> None:
    """As a faulty deriver would write it: the chain is sound, the graph equals its replay, the quote is wrong."""
    from datetime import UTC, datetime

    from sgraph.ids import new_id
    from sgraph.records.parts import EventPart, SourceRef

    sources = (SourceRef(message="t/m1", quote="lives in Vell", start=5 + shift, end=18 + shift),)
    now = datetime.now(UTC)
    part = EventPart(
        id=new_id(),
        title="x",
        summary="x",
        sources=sources,
        mentioned_at=now,
        status="unknown",
        event_type="other",
        method="agent",
    )
    world.memory._space.record("events_derived", [part], now)
    (fault,) = world.memory.verify().faults
    assert (fault.code, fault.id) == ("quote", part.id)


def test_what_can_be_repaired_is_repaired_by_a_rebuild(world: World) -> None:
    for plant in (edge_missing, node_too_many, meta_behind, words_changed):
        plant(world)
    world.memory.rebuild()
    report = world.memory.verify()
    assert report.ok
    assert report.checked["Event"] == 2
    assert report.checked["quotes"] == 2
    assert report.checked["entries"] > 5


def test_verify_writes_nothing(world: World) -> None:
    before = {file: file.read_bytes() for file in world.memory.path.glob("journal.db*")}
    assert world.memory.verify().ok
    assert {
        file: file.read_bytes() for file in world.memory.path.glob("journal.db*") if not file.name.endswith("-shm")
    } == {file: data for file, data in before.items() if not file.name.endswith("-shm")}
