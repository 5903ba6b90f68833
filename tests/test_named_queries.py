"""Every named query, on a small graph whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sgraph.errors import InvalidInput, InvalidTime, NotFound
from sgraph.graph import named, write
from sgraph.graph.engine import Engine, open_engine
from sgraph.graph.migrations import migrate

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def day(month: int, number: int, hour: int = 12) -> datetime:
    return datetime(2026, month, number, hour, tzinfo=UTC)


def _fill(graph: Engine) -> None:
    """Mara moved from Postgres to DuckDB in March, knows Ives and Tomas, and cancels nothing.

    "Mara" and "Dr Mara Lind" were two entities and are one now. The claim that she lives in Oslo was forgotten.
    """
    write.create_nodes(graph, "Thread", [{"id": "t", "title": "Planning", "started_at": day(1, 1)}])
    said = [
        ("t/1", "Mara", "I use Postgres and I know Ives.", day(1, 5)),
        ("t/2", "Mara", "I switched to DuckDB. Decided!", day(3, 10)),
        ("t/3", "Ives", "Mara lives in Oslo.", day(3, 11)),
        ("t/4", "Ives", "We meet Tomas on 9 July; Tomas knows me.", day(5, 2)),
        ("t/5", "Mara", "No, it is the 10th.", datetime(2026, 5, 2, 23, 30, tzinfo=UTC)),
    ]
    write.create_nodes(
        graph,
        "Message",
        [
            {
                "key": key,
                "thread": "t",
                "role": "user",
                "speaker": who,
                "content": text,
                "sent_at": at,
                "position": number,
            }
            for number, (key, who, text, at) in enumerate(said)
        ],
    )
    events: list[dict[str, Any]] = [
        {
            "id": "v1",
            "title": "Mara uses Postgres",
            "event_type": "fact",
            "status": "occurred",
            "mentioned_at": day(1, 5),
        },
        {
            "id": "v2",
            "title": "Mara decided on DuckDB",
            "event_type": "decision",
            "status": "occurred",
            "mentioned_at": day(3, 10),
            "happened_start": day(3, 1),
        },
        {
            "id": "v3",
            "title": "Mara lives in Oslo",
            "event_type": "fact",
            "status": "occurred",
            "mentioned_at": day(3, 11),
            "state": "forgotten",
        },
        {
            "id": "v4",
            "title": "Meet Tomas on 9 July",
            "event_type": "meeting",
            "status": "planned",
            "mentioned_at": day(5, 2),
            "happened_start": day(7, 9),
        },
        {
            "id": "v5",
            "title": "Meet Tomas on 10 July",
            "event_type": "meeting",
            "status": "planned",
            "mentioned_at": datetime(2026, 5, 2, 23, 30, tzinfo=UTC),
            "happened_start": day(7, 10),
        },
    ]
    write.create_nodes(
        graph, "Event", [{"state": "active", "scope": "user", "summary": "", **event} for event in events]
    )
    sources = [("v1", "t/1"), ("v2", "t/2"), ("v3", "t/3"), ("v4", "t/4"), ("v5", "t/5")]
    text_of = {key: text for key, _, text, _ in said}
    write.create_rels(
        graph,
        "SOURCED_FROM",
        [{"from": v, "to": m, "quote": text_of[m], "quote_start": 0, "quote_end": len(text_of[m])} for v, m in sources],
    )
    entities = [
        ("mara", "Mara", "person", "mara"),
        ("lind", "Dr Mara Lind", "person", "mara"),
        ("ives", "Ives", "person", "ives"),
        ("tomas", "Tomas", "person", "tomas"),
        ("duckdb", "DuckDB", "tool", "duckdb"),
        ("postgres", "Postgres", "tool", "postgres"),
    ]
    write.create_nodes(
        graph,
        "Entity",
        [
            {"id": key, "name": name, "kind": kind, "canon": canon, "degree": 1, "recorded_at": day(1, 5)}
            for key, name, kind, canon in entities
        ],
    )
    write.create_nodes(
        graph,
        "Name",
        [
            {"key": f"{kind}:{name.casefold()}", "display": name, "kind": kind, "recorded_at": day(1, 5)}
            for _, name, kind, _ in entities
        ],
    )
    write.create_rels(
        graph,
        "NAMES",
        [{"from": f"{kind}:{name.casefold()}", "to": key, "recorded_at": day(1, 5)} for key, name, kind, _ in entities],
    )
    write.create_rels(
        graph,
        "INVOLVES",
        [
            {"from": "v1", "to": "mara", "role": "subject"},
            {"from": "v2", "to": "lind", "role": "subject"},
            {"from": "v3", "to": "mara", "role": "subject"},
            {"from": "v4", "to": "tomas", "role": "participant"},
            {"from": "v5", "to": "mara", "role": "speaker"},
        ],
    )
    facts: list[dict[str, Any]] = [
        {
            "id": "f1",
            "e": "mara",
            "v": "v1",
            "key": "uses",
            "value": "Postgres",
            "valid_from": day(1, 5),
            "recorded_at": day(1, 5),
            "retired_at": day(3, 10),
            "about": "postgres",
        },
        {
            "id": "f2",
            "e": "mara",
            "v": "v1",
            "key": "uses",
            "value": "Postgres",
            "valid_from": day(1, 5),
            "valid_to": day(3, 1),
            "recorded_at": day(3, 10),
            "about": "postgres",
        },
        {
            "id": "f3",
            "e": "lind",
            "v": "v2",
            "key": "uses",
            "value": "DuckDB",
            "valid_from": day(3, 1),
            "recorded_at": day(3, 10),
            "about": "duckdb",
        },
        {
            "id": "f4",
            "e": "mara",
            "v": "v3",
            "key": "lives_in",
            "value": "Oslo",
            "valid_from": day(3, 11),
            "recorded_at": day(3, 11),
            "retired_at": day(3, 12),
        },
        {
            "id": "f5",
            "e": "mara",
            "v": "v1",
            "key": "knows",
            "value": "Ives",
            "valid_from": day(1, 5),
            "recorded_at": day(1, 5),
            "about": "ives",
        },
        {
            "id": "f6",
            "e": "tomas",
            "v": "v4",
            "key": "knows",
            "value": "Ives",
            "valid_from": day(5, 2),
            "recorded_at": day(5, 2),
            "about": "ives",
        },
        {
            "id": "f7",
            "e": "tomas",
            "v": "v4",
            "key": "date",
            "value": "9 July",
            "valid_from": day(5, 2),
            "recorded_at": day(5, 2),
            "status": "disputed",
        },
        {
            "id": "f8",
            "e": "tomas",
            "v": "v5",
            "key": "date",
            "value": "10 July",
            "valid_from": day(5, 3),
            "recorded_at": day(5, 3),
            "status": "disputed",
        },
    ]
    columns = graph.table("Fact").columns
    shared = {"visible": True, "negated": False, "status": "active", "cardinality": "many", "confidence": 1.0}
    write.create_nodes(graph, "Fact", [{**shared, **{n: v for n, v in f.items() if n in columns}} for f in facts])
    write.create_rels(graph, "HAS_FACT", [{"from": f["e"], "to": f["id"]} for f in facts])
    write.create_rels(graph, "SUPPORTED_BY", [{"from": f["id"], "to": f["v"], "since": f["valid_from"]} for f in facts])
    related = [f for f in facts if "about" in f]
    write.create_rels(graph, "ABOUT", [{"from": f["id"], "to": f["about"]} for f in related])
    write.create_rels(
        graph,
        "RELATES",
        [
            {
                "from": f["e"],
                "to": f["about"],
                "relation": f["key"],
                "since": f["valid_from"],
                "until": f.get("valid_to"),
                "fact": f["id"],
            }
            for f in related
            if "retired_at" not in f
        ],
    )
    note = {"at": day(5, 3), "reason": "said later", "decided_by": "rule"}
    write.create_rels(graph, "DISPUTES", [{"from": "f8", "to": "f7", **note}])
    write.create_rels(graph, "CONFLICTS_WITH", [{"from": "v5", "to": "v4", **note}])
    write.create_rels(graph, "SUPERSEDES", [{"from": "v2", "to": "v1", **note}, {"from": "v4", "to": "v3", **note}])
    blocks = [
        {"id": f"b{n}", "thread": "t", "number": n, "state": s, "sealed_at": day(4, n)}
        for n, s in ((1, "ready"), (2, "pending"))
    ]
    write.create_nodes(graph, "Block", blocks)
    write.create_nodes(graph, "Receipt", [{"id": "answer-1", "at": day(5, 4), "verdict": "sufficient"}])
    write.create_rels(graph, "USED", [{"from": "answer-1", "to": "v2"}])
    write.create_rels(graph, "CITED", [{"from": "answer-1", "to": "t/4"}])


@pytest.fixture(scope="module")
def graph(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    graph = open_engine(engine, tmp_path_factory.mktemp("named") / "graph")
    migrate(graph, "a space")
    _fill(graph)
    yield graph
    graph.close()


# query, what is given, the columns looked at, the rows expected
CASES: list[tuple[str, dict[str, Any], str, list[tuple[Any, ...]]]] = [
    ("current_state", {"name": "mara"}, "key value", [("knows", "Ives"), ("uses", "DuckDB")]),
    ("current_state", {"name": "DR MARA  LIND"}, "key value", [("knows", "Ives"), ("uses", "DuckDB")]),
    ("current_state", {"name": "Mara", "now": "2026-02-01"}, "value", [("Ives",), ("Postgres",)]),
    ("current_state", {"name": "nobody"}, "value", []),
    ("state_as_of", {"name": "Mara", "as_of": "2026-02-01"}, "key value", [("knows", "Ives"), ("uses", "Postgres")]),
    ("state_as_of", {"name": "Mara", "as_of": "2026-03-05", "known_at": "2026-03-09"}, "fact", [("f5",), ("f1",)]),
    ("state_as_of", {"name": "Mara", "as_of": "2026-03-05"}, "fact", [("f5",), ("f3",)]),
    (
        "state_as_of",
        {"name": "Mara", "as_of": "2026-03-11T13:00Z", "known_at": "2026-03-11T13:00Z"},
        "key",
        [("knows",), ("uses",)],
    ),
    ("timeline", {"name": "Mara"}, "event role", [("v1", "subject"), ("v2", "subject"), ("v5", "speaker")]),
    ("timeline", {"name": "Mara", "start": "2026-02-01", "finish": "2026-06-30"}, "event", [("v2",)]),
    ("claim_history", {"name": "Mara", "key": "uses"}, "fact", [("f1",), ("f2",), ("f3",)]),
    ("claim_history", {"name": "Mara", "key": "lives_in"}, "fact", []),
    ("who_said", {"name": "Mara", "key": "uses", "value": "duckdb"}, "speaker message", [("Mara", "t/2")]),
    ("who_said", {"name": "Mara", "key": "uses"}, "message fact", [("t/1", "f1"), ("t/1", "f2"), ("t/2", "f3")]),
    ("conflicts", {}, "newer_event older_event", [("v5", "v4")]),
    ("disputed_facts", {}, "entity value other_value", [("Tomas", "10 July", "9 July")]),
    ("open_plans", {}, "event", [("v4",), ("v5",)]),
    ("changed_since", {"since": "2026-03-10"}, "fact", [("f1",), ("f2",), ("f3",), ("f6",), ("f7",), ("f8",)]),
    (
        "neighbours",
        {"name": "Ives"},
        "subject relation object",
        [("Mara", "knows", "Ives"), ("Tomas", "knows", "Ives")],
    ),
    ("neighbours", {"name": "Mara"}, "object", [("Ives",), ("DuckDB",)]),
    ("path_between", {"name": "Mara", "other": "Tomas"}, "names steps", [(["Mara", "Ives", "Tomas"], 2)]),
    ("path_between", {"name": "Mara", "other": "Mara"}, "names", []),
    ("messages_behind", {"fact": "f3"}, "message quote_end", [("t/2", 30)]),
    ("event_evidence", {"event": "v1"}, "message content", [("t/1", "I use Postgres and I know Ives.")]),
    ("event_evidence", {"event": "v3"}, "message", []),
    ("unsupported_claims", {}, "fact", []),
    ("unsourced_events", {}, "event", []),
    ("thread_blocks", {"thread": "t"}, "block state", [("b1", "ready"), ("b2", "pending")]),
    ("blocks_pending", {}, "block", [("b2",)]),
    ("most_connected", {"count": "2"}, "name events", [("Mara", 2), ("DuckDB", 1)]),
    ("people", {}, "name events", [("Mara", 2), ("Ives", 1), ("Tomas", 1)]),
    ("aliases", {"name": "Mara"}, "name entity", [("Dr Mara Lind", "mara"), ("Mara", "mara")]),
    ("decisions", {}, "event", [("v2",)]),
    ("decisions", {"since": "2026-04-01"}, "event", []),
    ("superseded", {}, "newer_event older_event", [("v2", "v1")]),
    ("day", {"day": "2026-05-02"}, "message", [("t/4",), ("t/5",)]),
    ("audit", {"receipt": "answer-1"}, "event message speaker", [("v2", "t/2", "Mara")]),
    ("cited", {"receipt": "answer-1"}, "message", [("t/4",)]),
]


@pytest.mark.parametrize(("name", "given", "columns", "expected"), CASES)
def test_a_named_query_answers(
    graph: Engine, name: str, given: dict[str, Any], columns: str, expected: list[tuple[Any, ...]]
) -> None:
    records = named.run(graph, name, given, now=NOW).records()
    assert [tuple(record[column] for column in columns.split()) for record in records] == expected


def test_an_entity_has_a_card(graph: Engine) -> None:
    card = named.run(graph, "entity_card", {"name": "dr mara lind"}, now=NOW).records()[0]
    assert sorted(card.pop("names")) == ["Dr Mara Lind", "Mara"]
    expected = {
        "name": "Mara",
        "kind": "person",
        "tags": [],
        "events": 2,
        "first_recorded": day(1, 5),
        "entity": "mara",
    }
    assert card == expected


def test_every_query_says_what_it_answers_takes_and_returns(graph: Engine) -> None:
    catalogue = named.catalogue()
    assert {name for name, *_ in CASES} | {"entity_card"} == set(catalogue)
    samples = {"text": "x", "int": 1, "time": NOW, "day": "2026-05-02"}
    for query in catalogue.values():
        given = {param.name: samples[param.type] for param in query.params}
        assert tuple(named.run(graph, query.name, given, now=NOW).columns) == query.columns, query.name
        assert query.title.endswith(".")


def test_a_day_is_a_day_of_the_zone(graph: Engine) -> None:
    zone = ZoneInfo("Europe/Oslo")
    records = named.run(graph, "day", {"day": "2026-05-03"}, now=NOW, zone=zone).records()
    assert [record["message"] for record in records] == ["t/5"]


@pytest.mark.parametrize(
    ("name", "given", "error", "named_in_it"),
    [
        ("current_stat", {}, NotFound, "current_state"),
        ("current_state", {}, InvalidInput, "name"),
        ("current_state", {"name": ""}, InvalidInput, "name"),
        ("current_state", {"name": "Mara", "nmae": "x"}, InvalidInput, "nmae"),
        ("current_state", {"name": "Mara", "now": "soonish"}, InvalidTime, "now"),
        ("most_connected", {"count": "many"}, InvalidInput, "count"),
        ("day", {"day": "2026-13-01"}, InvalidTime, "day"),
    ],
)
def test_a_mistake_in_the_parameters_is_named(
    graph: Engine, name: str, given: dict[str, Any], error: type[Exception], named_in_it: str
) -> None:
    with pytest.raises(error) as caught:
        named.run(graph, name, given, now=NOW)
    assert named_in_it in str(caught.value)


def test_odd_text_is_only_text(graph: Engine) -> None:
    for text in ("'; DROP TABLE Fact; //", "\x00", "`", "\ud800", "$name", "x" * 10_000):
        assert named.run(graph, "current_state", {"name": text}, now=NOW).rows == []


def test_queries_are_found_in_the_checkout() -> None:
    assert (Path(__file__).parent.parent / "queries" / "current_state.cypher").is_file()
    assert len(named.catalogue()) >= 18
