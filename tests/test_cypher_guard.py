"""The door for other people's Cypher: what it refuses, what it lets through, and how its errors help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sgraph.errors import CypherError, CypherRefused, CypherTimeout, InvalidInput
from sgraph.graph import write
from sgraph.graph.engine import ENGINES, Engine, open_engine
from sgraph.graph.guard import ask, check

# (query, the word it is refused for)
WRITES = [
    ("MATCH (n) DETACH DELETE n", "DETACH"),
    ("MATCH (n) RETURN count(n); MATCH (n) DETACH DELETE n", ";"),
    ("MATCH (n) /* x */ SET n.a=1", "SET"),
    ("match (n) rEmOvE n.a", "rEmOvE"),
    ("CALL { CREATE (:X) }", "CALL"),
    ("DROP TABLE Node", "DROP"),
    ("MATCH (n) WITH n MERGE (:X {a: n.a})", "MERGE"),
    ("MATCH (n)\nRETURN n\n;\nRETURN 1", ";"),
    ("EXPLAIN CREATE (:X)", "CREATE"),
    ("MATCH (n) WHERE n.a > 1. SET n.a = 2", "SET"),
    ("MATCH (n) WHERE n.a > 1.SET n.a = 2", "SET"),
    ("WITH 1 AS a/**/CREATE (:X)", "CREATE"),
    ("WITH 1 AS a//\rCREATE (:X)", "CREATE"),
    ("RETURN '\\' SET ' SET n.a=1", "SET"),
    ("RETURN `` SET n.a=1", "SET"),
    ("BEGIN TRANSACTION", "BEGIN"),
    ("/* a */ COMMIT", "COMMIT"),
    ("ROLLBACK", "ROLLBACK"),
    ("CHECKPOINT", "CHECKPOINT"),
    ("ALTER TABLE Thing ADD a INT64", "ALTER"),
    ("PROFILE MATCH (n) RETURN n", "PROFILE"),
    ("EXPLAIN PROFILE MATCH (n) RETURN n", "PROFILE"),
]
OUTSIDE = [
    ('COPY (MATCH (n) RETURN n) TO "leak.csv"', "COPY"),
    ("EXPLAIN COPY (MATCH (n) RETURN n) TO 'leak.csv'", "COPY"),
    ('LOAD FROM "/etc/passwd" RETURN *', "LOAD"),
    ("WITH 1 AS a LOAD FROM '/etc/passwd' RETURN *", "LOAD"),
    ("MATCH (n) WHERE n.a > 1.LOAD FROM '/etc/passwd' RETURN *", "LOAD"),
    ("load with headers (a STRING) from '/etc/passwd' RETURN a", "load"),
    ("INSTALL httpfs", "INSTALL"),
    ("LOAD EXTENSION httpfs", "LOAD"),
    ("ATTACH 'other' AS o (dbtype kuzu)", "ATTACH"),
    ("USE other", "USE"),
    ("EXPORT DATABASE 'out'", "EXPORT"),
    ("IMPORT DATABASE 'out'", "IMPORT"),
    ("CALL timeout=1", "CALL"),
    ("CALL threads = 1", "CALL"),
    ("CALL read_csv_serial('/etc/passwd') RETURN *", "CALL"),
    ("WITH 1 AS a CALL `read_csv_serial`('/etc/passwd') RETURN *", "CALL"),
    ("CALL project_graph('g', ['Thing'], [])", "CALL"),
]
ENDLESS = [
    ("RETURN size(range(1, 10000000000))", "range"),
    ("UNWIND range(1, 1000 * 1000 * 1000) AS i RETURN i", "range"),
    ("UNWIND range(1, $n) AS i RETURN i", "range"),
    ("UNWIND range(1, 10000) AS i RETURN range(1, 10000)", "range"),
    ("RETURN lpad('x', 4000000000, 'y')", "lpad"),
    ("RETURN `repeat`('x', 4000000000)", "`repeat`"),
    ("RETURN factorial(100000000000)", "factorial"),
    ("WITH [1] AS s " + "WITH list_concat(s, s) AS s " * 40 + "RETURN s", "list_concat"),
    ("WITH [1] AS s " + "WITH s + s AS s " * 40 + "RETURN s", "+"),
    ("RETURN " + "(" * 60 + "1" + ")" * 60, "("),
    ("RETURN " + "CASE WHEN true THEN " * 60 + "1" + " END" * 60, "CASE"),
    ("MATCH (a) " + "MATCH (a)-[:R]->() " * 20 + "RETURN a", "-"),
    ("RETURN [" + "1," * 5_000 + "1]", "1"),
    ("RETURN '" + "x" * 1_000_001 + "'", ""),
]
CRASHES = [  # each ends the process of at least one engine
    ("RETURN initcap(x -> x)", "-"),
    ("RETURN copy_json()", "copy_json"),
    ("RETURN `struct_pack`()", "`struct_pack`"),
    ("RETURN date_trunc()", "date_trunc"),
    ("RETURN right(true)", "right"),
    ("WITH NULL AS p RETURN rels(p)", "NULL"),
    ("RETURN rels(NULL)", "rels"),
    ("MATCH (t:Thing) RETURN t.id IN (NULL)", "NULL"),
    ("MATCH (t:Thing) RETURN string_split(t.number, ',')", "string_split"),
    ("MATCH (t:Thing) RETURN regexp_replace(t.number, '1', '2')", "regexp_replace"),
    ("MATCH (n) RETURN list_filter(n.tags, x -> even(x -> x))", "even"),
    ("MATCH (t:Thing) RETURN cuont(t)", "cuont"),
]
BROKEN = [
    ("", ""),
    (" // only a comment\n/* and another */ ;", ""),
    ("RETURN 'never closed", "'"),
    ("RETURN 1 /* never closed", "/*"),
    ("RETURN `never closed", "`"),
    ("RETURN 1;;", ";"),
]


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize(("query", "word"), WRITES + OUTSIDE + ENDLESS + CRASHES + BROKEN)
def test_what_is_no_plain_read_is_refused_by_its_word(query: str, word: str, engine_name: str) -> None:
    with pytest.raises(CypherRefused) as caught:
        check(query, engine_name)
    details = caught.value.details
    assert details["word"] == word
    if word:
        line = query.split("\n")[details["line"] - 1]
        assert line[details["column"] - 1 :].startswith(word)


HARMLESS = [
    "MATCH (t:Thing) WHERE t.text = 'created_by' RETURN t.text",
    'MATCH (t:Thing) RETURN "please DELETE me"',
    "MATCH (t:Thing) WHERE t.text CONTAINS 'a; DROP TABLE x' RETURN t.id AS `SET; me`",
    "MATCH (t:Thing) RETURN t.id // ; DETACH DELETE t",
    "/* CREATE */ MATCH (t:Thing) /* it's */ RETURN t.id /* \" */ ;  ",
    "MATCH (t:Thing) RETURN t.set, t.load, t.`create`",
    "RETURN 'it\\'s', \"say \\\"CREATE\\\"\", '\\\\'",
    "MATCH (t:Thing) RETURN t.id AS use, t.text AS begin",
    "OPTIONAL MATCH (t:Thing) WITH t UNWIND t.tags AS tag RETURN tag",
    "RETURN 1 AS a UNION ALL RETURN 2 AS a",
    "CALL show_tables() RETURN *",
    "CALL TABLE_INFO('Thing') RETURN *",
    "EXPLAIN MATCH (t:Thing) RETURN t",
    "MATCH (a:Thing)-[r:NEAR* 1..3 (r, n | WHERE n.number > 0)]->(b:Thing) RETURN DISTINCT b.id",
    "UNWIND range(1, 10) AS i RETURN i",
    "MATCH (t:Thing) WHERE size(list_filter(t.tags, x -> x = 'a')) > 0 RETURN t.id",
    "MATCH (t:Thing)\u00a0RETURN\u3000t.id",
    "\ufeffMATCH (größe:Thing) RETURN größe.id AS 名前",
    "MATCH (t:Thing) RETURN CASE WHEN t.number > 1 THEN 'many' ELSE 'one' END",
]


@pytest.fixture
def graph(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)
    graph = open_engine(engine, tmp_path / "graph")
    graph.define(
        """CREATE NODE TABLE Thing
           (id STRING PRIMARY KEY, text STRING, number INT64, tags STRING[], `set` INT64, `load` INT64, `create` INT64)
        """
    )
    graph.define("CREATE REL TABLE NEAR (FROM Thing TO Thing)")
    write.create_nodes(
        graph, "Thing", [{"id": str(n), "text": f"t{n}", "number": n, "tags": ["a"]} for n in range(300)]
    )
    write.create_rels(graph, "NEAR", [{"from": str(n), "to": str(n + 1)} for n in range(299)])
    yield graph
    graph.close()


@pytest.mark.parametrize("query", HARMLESS)
def test_harmless_queries_run(graph: Engine, query: str) -> None:
    ask(graph, query)


def test_nothing_that_is_refused_leaves_a_trace(graph: Engine, tmp_path: Path) -> None:
    before = sorted(file.name for file in tmp_path.iterdir())
    for query, _ in WRITES + OUTSIDE:
        with pytest.raises(CypherRefused):
            ask(graph, query)
    assert ask(graph, "MATCH (t:Thing) RETURN count(t), sum(t.number)").rows == [(300, 44_850)]
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_text_is_never_taken_for_cypher(graph: Engine) -> None:
    odd = [
        'O\'Neil \\ "x" }) DETACH DELETE n //',
        "x` SET n.admin=true //",
        "created_by",
        "$id",
        "\x00",
        "'; RETURN 1; '",
    ]
    write.create_nodes(graph, "Thing", [{"id": name, "text": name} for name in odd])
    for name in odd:
        assert ask(graph, "MATCH (t:Thing {id: $id}) RETURN t.text", {"id": name}).rows == [(name,)]
    assert ask(graph, "MATCH (t:Thing) RETURN count(t)").rows == [(306,)]


QUANTIFIED = [
    "MATCH (t:Thing) WHERE any(x IN t.tags WHERE x = 'a') RETURN count(t)",
    "MATCH (t:Thing) WHERE ALL (x IN t.tags WHERE x = 'a') RETURN count(t)",
    "MATCH (t:Thing) WHERE NOT none/**/(x IN t.tags WHERE x = 'a') RETURN count(t)",
    "MATCH (t:Thing) WHERE single(x IN t.tags WHERE x = 'a') RETURN count(t)",
]


@pytest.mark.parametrize("query", QUANTIFIED)
def test_quantifiers_are_refused_where_they_end_the_process(graph: Engine, query: str) -> None:
    if graph.name == "kuzu":
        with pytest.raises(CypherRefused) as caught:
            ask(graph, query)
        assert "list_filter" in caught.value.message
    else:
        assert ask(graph, query).rows == [(300,)]
    form = "MATCH (t:Thing) WHERE size(list_filter(t.tags, x -> x = 'a')) > 0 RETURN count(t)"
    assert ask(graph, form).rows == [(300,)]
    with pytest.raises(CypherRefused):
        check("MATCH (t:Thing) RETURN `any`(t.tags, x -> x = 'a')", "kuzu")


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (t:Thing) WHERE t.number =~ '1' RETURN t",
        "MATCH (t:Thing) WHERE t.tags =~ 'a' RETURN t",
        "MATCH (t:Thing) WHERE (t.number > 1) =~ 'a' RETURN t",
        "MATCH (t:Thing) WHERE t.text =~ t.number RETURN t",
        "MATCH (t:Thing) WHERE t.text =~ $list RETURN t",
        "WITH {text: 1} AS s RETURN s.text =~ 'a'",
        "UNWIND $list AS s RETURN s.text =~ 'a'",
    ],
)
def test_a_regular_expression_is_for_text(graph: Engine, query: str) -> None:
    with pytest.raises(CypherRefused) as caught:
        ask(graph, query, {"list": [{"text": 1}]})
    assert "regexp_matches" in caught.value.message
    for right in ("=~ 't[12]'", "=~ $pattern"):
        assert ask(graph, f"MATCH (t:Thing) WHERE t.text {right} RETURN count(t)", {"pattern": "t[12]"}).rows == [(2,)]
    assert ask(graph, "MATCH (t:Thing) WHERE toLower(t.text) =~ 't1' RETURN t.id").rows == [("1",)]
    assert ask(graph, "MATCH (t:Thing) WHERE regexp_matches(t.number, '^29.$') RETURN count(t)").rows == [(10,)]


def test_a_struct_beside_label_is_refused_where_it_ends_the_process() -> None:
    with pytest.raises(CypherRefused):
        check("WITH {a: 1} AS s RETURN label(s)", "kuzu")
    check("WITH {a: 1} AS s RETURN s.a", "kuzu")
    check(
        "MATCH (t:Thing {id: '1'})-[r:NEAR {a: 1}]->() WHERE EXISTS { MATCH (t)-[:NEAR]->() } RETURN label(r)", "kuzu"
    )


def test_rows_and_time_are_limited(graph: Engine) -> None:
    result = ask(graph, "MATCH (t:Thing) RETURN t.id")
    assert (len(result.rows), result.more) == (100, True)
    assert not ask(graph, "MATCH (t:Thing) RETURN t.id", limit=300).more
    with pytest.raises(CypherTimeout):
        ask(
            graph,
            "UNWIND range(1, 1000) AS a MATCH (t:Thing), (u:Thing), (v:Thing) RETURN sum(t.number * a)",
            timeout=0.2,
        )
    assert ask(graph, "RETURN $a AS a", {"a": [1, None], "b": 1}).records() == [{"a": [1, None]}]
    with pytest.raises(InvalidInput):
        ask(graph, "RETURN $a")


@pytest.mark.parametrize(
    ("query", "place", "hint"),
    [
        ("MATCH (t:Thimg) RETURN t", (1, 10), "Thing"),
        ("MATCH (t:Thing)\nRETURN t.id, t.txet", (2, 16), "text"),
        ("MATCH (t:Thing)-[r:NERA]->(u) RETURN u", (1, 20), "NEAR"),
        ("MATCH (t:Thing)-[r:NEAR]->(u) RETURN type(r)", (1, 38), "label(r)"),
        ("MATCH (t:Thing) RETURN toInteger(t.text)", (1, 24), "CAST"),
        ("MATCH (t:Thing) /* é */ RETURN other.id", (1, 32), ""),
        ("MATCH (t:Thing RETURN t", (1, 16), ""),
        ("MATCH (t:Thing) RETURN [x IN t.tags | x]", None, "list_transform"),
        ("MATCH (t:Thing) RETURN t.tags[0]", None, "count from 1"),
    ],
)
def test_errors_point_at_the_place_and_say_what_to_write(
    graph: Engine, query: str, place: tuple[int, int] | None, hint: str
) -> None:
    with pytest.raises(CypherError) as caught:
        ask(graph, query)
    error: Any = caught.value
    assert not isinstance(error, CypherRefused)
    assert hint in error.message
    if place:
        assert (error.details["line"], error.details["column"]) == place
        line, caret = error.details["excerpt"].split("\n")
        assert line == query.split("\n")[place[0] - 1]
        assert caret == " " * (place[1] - 1) + "^"
    assert ask(graph, "RETURN 1").rows == [(1,)]


def test_an_error_far_along_a_long_line_is_shown_in_its_neighbourhood(graph: Engine) -> None:
    with pytest.raises(CypherError) as caught:
        ask(graph, "MATCH (t:Thing) WHERE t.text <> '" + "x" * 500 + "' RETURN t.txet, '" + "y" * 500 + "'")
    line, caret = caught.value.details["excerpt"].split("\n")
    assert len(line) == 100
    assert line[caret.index("^") :].startswith("txet")
