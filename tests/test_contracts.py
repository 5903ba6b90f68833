"""What a reply must be, and how one that is not is refused."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgraph.derive import contracts
from sgraph.derive.contracts import (
    KINDS,
    BlockSummary,
    Events,
    Kind,
    Parsed,
    Projection,
    ReplyContext,
    TurnSummary,
    json_schema,
    parse,
)
from sgraph.errors import InvalidInput

CONTEXT = ReplyContext(
    messages={
        "m1": "Bought paint. Sold the ladder. 好的。",
        "m2": "Sold the ladder. cut \ud83d here",
        "planning/7": "let's use Postgres",
    },
    events=frozenset({"e1", "e2"}),
    facts=frozenset({"f1"}),
)
EVENT = {"title": "Paint", "summary": "Bought paint", "source_message_ids": ["m1"]}
NODE = {"ref": "n1", "name": "Mara", "kind": "person", "source_event_ids": ["e1"]}
OTHER = {"ref": "n2", "name": "Brask", "kind": "place", "source_event_ids": ["e2"]}
FACT = {"node": "n1", "key": "role", "value": "lead", "source_event_ids": ["e1"]}
SUMMARY = {
    "title": "Paint",
    "tags": ["paint"],
    "summary": "Paint was bought.",
    "keypoints": ["Paint"],
    "should_extract": True,
}
TURN = {
    "summary": "Paint was bought.",
    "outcome": "completed",
    "triples": [{"subject": "A", "predicate": "bought", "object": "paint"}],
}


def codes(parsed: Parsed) -> list[tuple[str, str]]:
    return [(problem.path, problem.code) for problem in parsed.problems]


def events(**changes: Any) -> Parsed:
    return parse("events", {"events": [{**EVENT, **changes}]}, CONTEXT)


def event(**changes: Any) -> contracts.EventItem:
    parsed = events(**changes)
    assert isinstance(parsed.value, Events), parsed.problems
    assert parsed.problems == ()
    return parsed.value.events[0]


# ------------------------------------------------------------------ the whole reply
@pytest.mark.parametrize(
    "reply",
    [
        None,
        5,
        [],
        [[[]]],
        b"{}",
        "",
        "[]",
        "null",
        '"events"',
        "I'm sorry, but I can't help with that request.",
        "I cannot access the conversation, please paste the text.",
        '```json\n{"events": []}\n```',
        'reasoning {"events":[]} </think>{"events":[]}',
        '<think>no</think>\n{"events": []}',
        '{"events": []} Hope this helps!',
        '{"events": []}{"events": []}',
        '{"events":[{"summary":"D1 use oak","source_message_ids":["m1"]},{"summary":"D2 use br',
        '{"events": [], "events": []}',
        '{"events": NaN}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"events": [' + "1" * 5_000 + "]}",
        "\ufeff{}",
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_one_json_object_is_refused_whole(kind: Kind, reply: Any) -> None:
    parsed = parse(kind, reply, CONTEXT)
    assert parsed.value is None
    assert codes(parsed) == [("$", "not_one_json_object")]


@pytest.mark.parametrize(
    ("kind", "reply", "expected"),
    [
        ("events", {}, ("events", "missing")),
        ("events", {"events": None}, ("events", "not_a_list")),
        ("events", {"events": {}}, ("events", "not_a_list")),
        ("events", {"events": {"0": EVENT}}, ("events", "not_a_list")),
        ("events", {"events": "none"}, ("events", "not_a_list")),
        ("events", {"events": [], "note": "x"}, ("*", "unknown_field")),
        ("events", EVENT, ("events", "missing")),
        ("events", {"content": None, "tool_calls": []}, ("events", "missing")),
        ("events", {"events": [EVENT] * 65}, ("events", "too_many")),
        ("projection", {"nodes": []}, ("facts", "missing")),
        ("projection", {"nodes": None, "facts": []}, ("nodes", "not_a_list")),
        ("projection", {"nodes": [NODE] * 25, "facts": []}, ("nodes", "too_many")),
        ("block_summary", {"title": "", "tags": [], "summary": "", "facts": []}, ("title", "blank")),
        ("block_summary", {**SUMMARY, "should_extract": "true"}, ("should_extract", "not_a_boolean")),
        ("block_summary", {**SUMMARY, "title": "x" * 121}, ("title", "text_too_long")),
        ("block_summary", {**SUMMARY, "tags": ["x"] * 13}, ("tags", "too_many")),
        ("block_summary", {**SUMMARY, "keypoints": ["x"] * 21}, ("keypoints", "too_many")),
        ("block_summary", {**SUMMARY, "summary": "x" * 2_001}, ("summary", "text_too_long")),
        ("block_summary", {**SUMMARY, "keypoints": [" "]}, ("keypoints[0]", "blank")),
        ("turn_summary", {**TURN, "outcome": "excellent"}, ("outcome", "not_in_list")),
        ("turn_summary", {"summary": "x", "outcome": "failed"}, ("triples", "missing")),
        ("turn_summary", {**TURN, "extra": 1}, ("*", "unknown_field")),
        ("turn_summary", {**TURN, "triples": [{"subject": "a", "predicate": "b"}]}, ("triples[0].object", "missing")),
        (
            "turn_summary",
            {**TURN, "triples": [{"subject": "a", "predicate": "", "object": "c"}]},
            ("triples[0].predicate", "blank"),
        ),
    ],
)
def test_a_reply_that_breaks_its_form_is_refused_whole(kind: Kind, reply: Any, expected: tuple[str, str]) -> None:
    for given_as in (reply, json.dumps(reply)):
        parsed = parse(kind, given_as, CONTEXT)
        assert parsed.value is None
        assert expected in codes(parsed)


def test_good_replies_as_mapping_and_as_text() -> None:
    for reply in (SUMMARY, json.dumps(SUMMARY), f"  {json.dumps(SUMMARY)}\n"):
        assert isinstance(parse("block_summary", reply, CONTEXT).value, BlockSummary)
    turn = parse("turn_summary", json.dumps(TURN), CONTEXT).value
    assert isinstance(turn, TurnSummary)
    assert turn.triples[0].object == "paint"


def test_empty_lists_are_legal() -> None:
    assert parse("events", {"events": []}, CONTEXT) == Parsed(Events(events=()))
    assert parse("projection", {"nodes": [], "facts": []}, CONTEXT) == Parsed(Projection(nodes=(), facts=()))


def test_a_list_of_which_nothing_is_left_is_refused_not_empty() -> None:
    parsed = parse("events", {"events": [{}, None, "Bought paint", 5]}, CONTEXT)
    assert parsed.value is None
    assert ("events[1]", "not_an_object") in codes(parsed)


def test_one_bad_item_does_not_lose_the_others() -> None:
    bad = {**EVENT, "status": "DONE-ish", "event_type": "zzz_unknown"}
    parsed = parse("events", {"events": [bad, EVENT, {**EVENT, "summary": " "}]}, CONTEXT)
    assert isinstance(parsed.value, Events)
    assert [item.summary for item in parsed.value.events] == ["Bought paint"]
    assert codes(parsed) == [
        ("events[0].status", "not_in_list"),
        ("events[0].event_type", "not_in_list"),
        ("events[2].summary", "blank"),
    ]


def test_an_unknown_kind_is_an_error_of_the_caller() -> None:
    for call in (lambda: parse("poem", {}, CONTEXT), lambda: json_schema("poem")):  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            call()


# ------------------------------------------------------------------ items of events
@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        ({"title": None}, ".title", "not_text"),
        ({"title": 5}, ".title", "not_text"),
        ({"title": "\u200b\x00 "}, ".title", "blank"),
        ({"title": "x" * 201}, ".title", "text_too_long"),
        ({"source_message_ids": []}, ".source_message_ids", "too_few"),
        ({"source_message_ids": None}, ".source_message_ids", "not_a_list"),
        ({"source_message_ids": "m1"}, ".source_message_ids", "not_a_list"),
        ({"source_message_ids": ["m1", "m9"]}, ".source_message_ids[1]", "unknown_message"),
        ({"quotes": ["sold the ladder"]}, ".quotes", "quote_not_found"),
        ({"quotes": ["let's use Postgres"]}, ".quotes", "quote_not_found"),
        ({"quotes": ["Bought  paint"]}, ".quotes", "quote_not_found"),
        ({"quotes": [" "]}, ".quotes", "quote_not_found"),
        ({"quotes": "Bought paint"}, ".quotes", "not_a_list"),
        ({"quotes": [{"text": "Bought paint"}]}, ".quotes", "not_text"),
        ({"quotes": ["paint"] * 13}, ".quotes", "too_many"),
        ({"tags": "not-a-list"}, ".tags", "not_a_list"),
        ({"participants": None}, ".participants", "not_a_list"),
        ({"participants": [{"name": ""}]}, ".participants[0].name", "blank"),
        ({"participants": [{"name": "A", "role": "hero"}]}, ".participants[0].role", "not_in_list"),
        ({"status": "DONE-ish"}, ".status", "not_in_list"),
        ({"status": None}, ".status", "not_in_list"),
        ({"status": "\ud83d"}, ".status", "not_in_list"),
        ({"event_type": "purchase"}, ".event_type", "not_in_list"),
        ({"scope": "world"}, ".scope", "not_in_list"),
        ({"criticality": "high"}, ".criticality", "not_in_list"),
        ({"basis": "guess"}, ".basis", "not_in_list"),
        ({"precision": "exact"}, ".precision", "not_in_list"),
        ({"supersedes": ["e1", "e9"]}, ".supersedes[1]", "unknown_event"),
        ({"same_event": "e1"}, ".same_event", "not_a_list"),
        ({"reporter": ""}, ".reporter", "blank"),
        ({"mood": "happy"}, ".*", "unknown_field"),
        ({"happened_start": "yesterday"}, ".happened_start", "bad_date"),
        ({"happened_start": "2026-13"}, ".happened_start", "bad_date"),
        ({"happened_start": "2026-02-30"}, ".happened_start", "bad_date"),
        ({"happened_start": "9999"}, ".happened_start", "bad_date"),
        ({"happened_start": 1761310800}, ".happened_start", "not_text"),
        ({"happened_start": {"start": "2026"}}, ".happened_start", "not_text"),
        ({"happened_start": "2026-05-05", "happened_end": "2026-05-03"}, "", "bad_interval"),
        ({"happened_end": "2026-05-03"}, "", "bad_interval"),
        ({"precision": "day"}, "", "bad_interval"),
        ({"happened_start": "2026-05", "precision": "day"}, "", "bad_interval"),
        ({"happened_start": "2026", "precision": "unknown"}, "", "bad_interval"),
        ({"happened_start": "2026", "precision": "range"}, "", "bad_interval"),
    ],
)
def test_an_event_that_breaks_the_contract_is_refused_with_its_place(
    changes: dict[str, Any], path: str, code: str
) -> None:
    parsed = events(**changes)
    assert parsed.value is None
    assert codes(parsed) == [(f"events[0]{path}", code)]


def test_defaults_say_that_nothing_is_known() -> None:
    plain = event()
    assert (plain.status, plain.event_type, plain.criticality, plain.scope) == ("unknown", "other", "routine", "user")
    assert (plain.basis, plain.happened, plain.quotes, plain.reporter) == ("unknown", None, (), None)


@pytest.mark.parametrize(
    ("field", "word", "label"),
    [
        ("status", "Completed", "occurred"),
        ("status", "in-progress", "ongoing"),
        ("status", "canceled", "cancelled"),
        ("status", "进行中", "ongoing"),
        ("event_type", "Task Completed", "task_completed"),
        ("event_type", "版本发布", "release"),
        ("event_type", "ｄｅｃｉｄｅｄ", "decision"),
        ("event_type", "preference", "preference"),
        ("scope", "Project", "project"),
    ],
)
def test_other_words_for_a_label(field: str, word: str, label: str) -> None:
    assert getattr(event(**{field: word}), field) == label


def test_quotes_are_located_in_the_first_cited_message_that_holds_them() -> None:
    quotes = event(
        source_message_ids=["m2", "m1"], quotes=["Sold the ladder", "好的", "cut \ufffd here", "Bought paint"]
    ).quotes
    assert [(quote.message_id, quote.start, quote.end) for quote in quotes] == [
        ("m2", 0, 15),
        ("m1", 31, 33),
        ("m2", 17, 27),
        ("m1", 0, 12),
    ]
    for quote in quotes:
        assert CONTEXT.messages[quote.message_id][quote.start : quote.end] == quote.text


def test_repeated_ids_and_tags_count_once() -> None:
    item = event(source_message_ids=["m1", "m1"], tags=["a", " a "], supersedes=["e1", "e1"], follows=["e2"])
    assert (item.source_message_ids, item.tags, item.supersedes, item.follows) == (("m1",), ("a",), ("e1",), ("e2",))


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("given_as", "start", "end", "precision"),
    [
        ({"happened_start": "2026"}, at(2026, 1, 1), at(2027, 1, 1), "year"),
        ({"happened_start": "2024-02"}, at(2024, 2, 1), at(2024, 3, 1), "month"),
        ({"happened_start": "2026-12-31"}, at(2026, 12, 31), at(2027, 1, 1), "day"),
        ({"happened_start": "2026-05-03T10:00+02:00"}, at(2026, 5, 3, 8), at(2026, 5, 3, 8, 1), "instant"),
        ({"happened_start": "2026-05-03 10:00:05Z"}, at(2026, 5, 3, 10, 0, 5), at(2026, 5, 3, 10, 0, 6), "instant"),
        ({"happened_start": "2026-05-03", "happened_end": "2026-05-05"}, at(2026, 5, 3), at(2026, 5, 6), "range"),
        ({"happened_start": "2026-05-03", "happened_end": "2026-05-03"}, at(2026, 5, 3), at(2026, 5, 4), "day"),
        (
            {"happened_start": "2026-05-03T10:00Z", "happened_end": "2026-05-03T12:00Z"},
            at(2026, 5, 3, 10),
            at(2026, 5, 3, 12),
            "range",
        ),
        ({"happened_start": "2026-05-06", "precision": "week"}, at(2026, 5, 4), at(2026, 5, 11), "week"),
        ({"happened_start": "2026-05-06T10:00Z", "precision": "month"}, at(2026, 5, 1), at(2026, 6, 1), "month"),
    ],
)
def test_dates_become_intervals(given_as: dict[str, Any], start: datetime, end: datetime, precision: str) -> None:
    happened = event(**given_as).happened
    assert happened is not None
    assert (happened.start, happened.end, happened.precision) == (start, end, precision)


def test_dates_without_an_offset_are_read_in_the_zone_of_the_context() -> None:
    context = ReplyContext(messages=CONTEXT.messages, zone=ZoneInfo("Europe/Oslo"))
    value = parse("events", {"events": [{**EVENT, "happened_start": "2026-03-29"}]}, context).value
    assert isinstance(value, Events)
    happened = value.events[0].happened
    assert happened is not None
    assert (happened.start, happened.end) == (
        at(2026, 3, 28, 23),
        at(2026, 3, 29, 22),
    )  # the clocks go forward that day


# ------------------------------------------------------------------ items of a projection
def project(*facts: dict[str, Any], nodes: list[dict[str, Any]] | None = None) -> Parsed:
    return parse("projection", {"nodes": nodes or [NODE, OTHER], "facts": list(facts)}, CONTEXT)


def test_a_projection_with_a_relation_and_a_correction() -> None:
    relation = {
        "node": "n1",
        "key": "lives_in",
        "value_ref": "n2",
        "valid_from": "2021",
        "valid_to": "2024-03",
        "source_event_ids": ["e1"],
    }
    parsed = project(
        {**FACT, "cardinality": "one", "correction": True, "replaces": ["f1"]}, relation, {**FACT, "negated": True}
    )
    assert parsed.problems == ()
    assert isinstance(parsed.value, Projection)
    role, lives_in, denied = parsed.value.facts
    assert (role.cardinality, role.correction, role.replaces, role.valid) == ("one", True, ("f1",), (None, None))
    assert (lives_in.value_ref, lives_in.cardinality, lives_in.valid) == ("n2", None, (at(2021, 1, 1), at(2024, 4, 1)))
    assert denied.negated


@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        ({"node": "n9"}, ".node", "unknown_node"),
        ({"value": None, "value_ref": "n9"}, ".value_ref", "unknown_node"),
        ({"value": None}, "", "value_or_ref"),
        ({"value_ref": "n2"}, "", "value_or_ref"),
        ({"value": 42}, ".value", "not_text"),
        ({"value": ["a"]}, ".value", "not_text"),
        ({"key": ""}, ".key", "blank"),
        ({"cardinality": "several"}, ".cardinality", "not_in_list"),
        ({"negated": "false"}, ".negated", "not_a_boolean"),
        ({"replaces": ["f9"]}, ".replaces[0]", "unknown_fact"),
        ({"source_event_ids": []}, ".source_event_ids", "too_few"),
        ({"source_event_ids": ["e1", "e9"]}, ".source_event_ids[1]", "unknown_event"),
        ({"valid_from": "2024", "valid_to": "2021"}, "", "bad_interval"),
    ],
)
def test_a_fact_that_breaks_the_contract_is_refused_alone(changes: dict[str, Any], path: str, code: str) -> None:
    parsed = project({**FACT, **changes}, FACT)
    assert isinstance(parsed.value, Projection)
    assert len(parsed.value.facts) == 1
    assert codes(parsed) == [(f"facts[0]{path}", code)]


def test_nodes_need_evidence_for_every_name_and_a_ref_of_their_own() -> None:
    unproven = {**NODE, "aliases": [{"value": "M", "source_event_ids": []}]}
    parsed = project(FACT, {**FACT, "node": "n2"}, nodes=[unproven, OTHER, {**OTHER, "name": "Brask town"}])
    assert isinstance(parsed.value, Projection)
    assert [node.name for node in parsed.value.nodes] == ["Brask"]
    assert [fact.node for fact in parsed.value.facts] == ["n2"]
    assert codes(parsed) == [
        ("nodes[0].aliases[0].source_event_ids", "too_few"),
        ("nodes[2].ref", "ref_taken"),
        ("facts[0].node", "unknown_node"),
    ]


# ------------------------------------------------------------------ laws
def test_a_refusal_never_repeats_the_reply() -> None:
    secret = "I am sorry, Zanzibar-7"
    replies: list[tuple[Kind, Any]] = [
        ("events", secret),
        ("events", {secret: 1}),
        ("events", {"events": [{**EVENT, "status": secret, secret: 1, "happened_start": secret, "quotes": [secret]}]}),
        ("events", {"events": [{**EVENT, "source_message_ids": [secret], "supersedes": [secret]}]}),
        (
            "projection",
            {"nodes": [NODE], "facts": [{**FACT, "node": secret, "cardinality": secret, "valid_from": secret}]},
        ),
        ("turn_summary", {**TURN, "outcome": secret, "triples": [{secret: secret}]}),
        ("block_summary", {**SUMMARY, "should_extract": secret, "tags": secret}),
    ]
    for kind, reply in replies:
        parsed = parse(kind, reply, CONTEXT)
        assert parsed.problems
        assert secret not in repr(parsed.problems)


KEYS = st.sampled_from(
    [
        "events",
        "nodes",
        "facts",
        "title",
        "summary",
        "tags",
        "quotes",
        "source_message_ids",
        "happened_start",
        "ref",
        "zz",
    ]
)
JSON_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["m1", "2026-05", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(KINDS), JSON_VALUE)
def test_no_reply_raises(kind: Kind, reply: Any) -> None:
    for given_as in (reply, json.dumps(reply)):
        parsed = parse(kind, given_as, CONTEXT)
        assert parsed.value is not None or parsed.problems


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_schema_is_valid_and_admits_what_the_contract_admits(kind: Kind) -> None:
    good: dict[Kind, Any] = {
        "block_summary": SUMMARY,
        "turn_summary": TURN,
        "events": {"events": [{**EVENT, "quotes": ["Bought paint"], "happened_start": "2026-05", "reporter": None}]},
        "projection": {"nodes": [NODE], "facts": [FACT]},
    }
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(good[kind], schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**good[kind], "extra": 1}, schema)
    assert parse(kind, good[kind], CONTEXT).problems == ()


DOCUMENTED = [
    (contract, example)
    for contract in (
        contracts.BlockSummary, contracts.TurnSummary, contracts.Triple, contracts.Participant, contracts.EventItem,
        contracts.Events, contracts.Alias, contracts.NodeItem, contracts.FactItem, contracts.Projection,
    )
    for example in re.findall(r"`(\{.*?\})`", contract.__doc__ or "", re.DOTALL)
]  # fmt: skip


@pytest.mark.parametrize(("contract", "example"), DOCUMENTED)
def test_the_documented_examples_keep_the_contract(contract: type[contracts.Record], example: str) -> None:
    contract.model_validate(json.loads(example), context=CONTEXT)


def test_every_contract_documents_an_example() -> None:
    assert len({contract for contract, _ in DOCUMENTED}) == 10
