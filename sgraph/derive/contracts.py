"""The contracts: what any deriver (rules, a model, an agent, a person) must return.

A reply is checked and never repaired: no code fence is taken off, nothing missing is filled in, no message is cited in
a deriver's place. It is refused whole when it is not one JSON object of the kind's form, and item by item otherwise;
every refusal has a path, a code and a reason, and never repeats the reply's own text. An empty list is a legal reply; a
list of which nothing was left is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NoReturn, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from sgraph.derive.fields import (
    AsList,
    Date,
    EventIds,
    Evidence,
    FactId,
    MessageId,
    Quote,
    Tags,
    Words,
    joined,
    located,
    outer_bounds,
    unique,
)
from sgraph.derive.fields import ReplyContext as ReplyContext
from sgraph.derive.happened import Happened, Precision
from sgraph.derive.labels import CriticalityLabel, EventTypeLabel, OutcomeLabel, ScopeLabel, StatusLabel
from sgraph.errors import InvalidInput
from sgraph.records.base import Record
from sgraph.records.vocabulary import Cardinality

Kind: TypeAlias = Literal["block_summary", "events", "projection", "turn_summary"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_EVENTS = 64
MAX_NODES = 24
MAX_FACTS = 128


class _Contract(Record):
    model_config = ConfigDict(strict=True)


# ------------------------------------------------------------------ block_summary, turn_summary
class BlockSummary(_Contract):
    """L0 to L2 of a Block, and whether it may hold anything worth an event (true when unsure).

    `{"title": "Choosing the database", "tags": ["database"], "summary": "Mara and Ivo settled on Postgres.",
    "keypoints": ["Mara prefers Postgres"], "should_extract": true}`
    """

    title: Annotated[str, Words(120)]
    tags: Tags
    summary: Annotated[str, Words(2_000)]
    keypoints: Annotated[tuple[Annotated[str, Words(1_000)], ...], Field(strict=False, max_length=20)]
    should_extract: bool


class Triple(_Contract):
    """A relation stated by a turn's summary: `{"subject": "Mara", "predicate": "chose", "object": "Postgres"}`."""

    subject: Annotated[str, Words()]
    predicate: Annotated[str, Words()]
    object: Annotated[str, Words()]


class TurnSummary(_Contract):
    """One self-contained sentence about a turn, how it ended, and its triples.

    `{"summary": "Mara chose Postgres.", "outcome": "completed",
    "triples": [{"subject": "Mara", "predicate": "chose", "object": "Postgres"}]}`
    """

    summary: Annotated[str, Words()]
    outcome: OutcomeLabel
    triples: Annotated[tuple[Triple, ...], AsList]


# ------------------------------------------------------------------ events
class Participant(_Contract):
    """Who or what took part: `{"name": "Ivo", "kind": "person", "role": "participant"}`."""

    name: Annotated[str, Words(160)]
    kind: Annotated[str, Words(40)] = "person"
    role: Literal["subject", "speaker", "reporter", "participant", "place"] = "participant"


class EventItem(_Contract):
    """Something that happened, is planned, was decided, is preferred or is noted.

    `{"title": "Postgres chosen", "summary": "Mara chose Postgres for Heron.", "quotes": ["let's use Postgres"],
    "source_message_ids": ["planning/7"], "happened_start": "2026-05-08", "status": "occurred",
    "event_type": "decision", "participants": [{"name": "Mara", "kind": "person", "role": "subject"}]}`

    Only title, summary and at least one message are required. Quotes are exact words of the cited messages. An unknown
    date is left out. A date as `happened_end` is the last one inside, a time of day is where it stops. The links name
    events that the deriver was shown: those this one supersedes, contradicts, follows, or tells again.
    """

    title: Annotated[str, Words(200)]
    summary: Annotated[str, Words(1_000)]
    source_message_ids: Annotated[tuple[MessageId, ...], Field(strict=False, min_length=1), AfterValidator(unique)]
    quotes: Annotated[
        tuple[Quote, ...],
        Field(strict=False, max_length=12),
        WithJsonSchema({"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 12}),
    ] = ()
    tags: Tags = ()
    happened_start: Date | None = None
    happened_end: Date | None = None
    precision: Precision | None = None
    basis: Literal["explicit", "relative", "inferred", "unknown"] = "unknown"
    time_text: Annotated[str, Words(200)] | None = None
    status: StatusLabel = "unknown"
    event_type: EventTypeLabel = "other"
    criticality: CriticalityLabel = "routine"
    scope: ScopeLabel = "user"
    participants: Annotated[tuple[Participant, ...], Field(strict=False, max_length=24)] = ()
    reporter: Annotated[str, Words(160)] | None = None
    supersedes: EventIds = ()
    conflicts_with: EventIds = ()
    follows: EventIds = ()
    same_event: EventIds = ()

    @field_validator("quotes", mode="before")
    @classmethod
    def _locate(cls, quotes: Any, info: ValidationInfo) -> Any:
        cited = info.data.get("source_message_ids")
        if info.context is None or cited is None or not isinstance(quotes, list):
            return quotes
        if not all(isinstance(quote, str) for quote in quotes):
            raise PydanticCustomError("not_text", "must be a list of texts")
        texts = {message_id: info.context.messages[message_id] for message_id in cited}
        return [located(quote, texts, index) for index, quote in enumerate(quotes)]

    @model_validator(mode="after")
    def _dated(self) -> Self:
        _ = self.happened
        return self

    @property
    def happened(self) -> Happened | None:
        """When it happened, in UTC; None when that is not known."""
        return joined(self.happened_start, self.happened_end, self.precision)


class Events(_Contract):
    """The events of a Block: `{"events": []}` is legal and says that nothing is worth keeping."""

    events: Annotated[tuple[EventItem, ...], Field(strict=False, max_length=MAX_EVENTS)]


# ------------------------------------------------------------------ projection
class Alias(_Contract):
    """Another name of a node, with the events it rests on: `{"value": "PG", "source_event_ids": ["e1"]}`."""

    value: Annotated[str, Words(160)]
    source_event_ids: Evidence


class NodeItem(_Contract):
    """An entity that events speak of; `ref` names it inside this reply. Kinds are an open list.

    `{"ref": "n1", "name": "Mara", "kind": "person", "source_event_ids": ["e1"],
    "aliases": [{"value": "Mara Lind", "source_event_ids": ["e1"]}], "tags": ["lead"]}`
    """

    ref: Annotated[str, Words(80)]
    name: Annotated[str, Words(160)]
    kind: Annotated[str, Words(40)]
    source_event_ids: Evidence
    aliases: Annotated[tuple[Alias, ...], Field(strict=False, max_length=40)] = ()
    tags: Tags = ()


class FactItem(_Contract):
    """A claim about a node: text as `value`, or another node as `value_ref`, which makes it a relation.

    `{"node": "n1", "key": "lives_in", "value_ref": "n2", "valid_from": "2026-03", "source_event_ids": ["e1"]}`
    `{"node": "n1", "key": "role", "value": "data lead", "cardinality": "one", "source_event_ids": ["e1"]}`

    Without a `cardinality` the vocabulary decides by the key. `negated` denies the claim. `valid_to` is read as
    `happened_end` is. `correction` says that the older versions were wrong, not that the world changed; `replaces`
    names them.
    """

    node: Annotated[str, Words(80)]
    key: Annotated[str, Words(160)]
    source_event_ids: Evidence
    value: Annotated[str, Words(1_200)] | None = None
    value_ref: Annotated[str, Words(80)] | None = None
    cardinality: Cardinality | None = None
    negated: bool = False
    valid_from: Date | None = None
    valid_to: Date | None = None
    correction: bool = False
    replaces: Annotated[tuple[FactId, ...], AsList, AfterValidator(unique)] = ()

    @model_validator(mode="after")
    def _one_value(self) -> Self:
        if (self.value is None) == (self.value_ref is None):
            raise PydanticCustomError("value_or_ref", "give either value or value_ref")
        _ = self.valid
        return self

    @property
    def valid(self) -> tuple[datetime | None, datetime | None]:
        """From when, and until when exclusively, the claim holds, in UTC; None where the reply does not say."""
        return outer_bounds(self.valid_from, self.valid_to)


class Projection(_Contract):
    """What events say of entities: `{"nodes": [], "facts": []}` is legal."""

    nodes: Annotated[tuple[NodeItem, ...], Field(strict=False, max_length=MAX_NODES)]
    facts: Annotated[tuple[FactItem, ...], Field(strict=False, max_length=MAX_FACTS)]


Reply: TypeAlias = BlockSummary | Events | Projection | TurnSummary


# ------------------------------------------------------------------ reading a reply
class Problem(Record):
    """Why a reply, or one item of it, was refused: where, a stable code, and a reason in words."""

    path: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was accepted of a reply; `value` is None when all of it was refused."""

    value: Reply | None
    problems: tuple[Problem, ...] = ()


MAX_PROBLEMS = 50

_MODELS: dict[str, type[Reply]] = {
    "block_summary": BlockSummary, "events": Events, "projection": Projection, "turn_summary": TurnSummary,
}  # fmt: skip

# The lists whose items are accepted or refused one by one, and how long they may be.
_ITEMS: dict[str, dict[str, tuple[type[_Contract], int]]] = {
    "events": {"events": (EventItem, MAX_EVENTS)},
    "projection": {"nodes": (NodeItem, MAX_NODES), "facts": (FactItem, MAX_FACTS)},
}

# Our codes and words for what Pydantic calls by the name of a Python type; without words, its own.
_CODES: dict[str, tuple[str, str | None]] = {
    "literal_error": ("not_in_list", None),
    "missing": ("missing", "is required"),
    "extra_forbidden": ("unknown_field", "is no field of this contract"),
    "invalid_key": ("unknown_field", "is no field of this contract"),
    "model_type": ("not_an_object", "must be an object"),
    "tuple_type": ("not_a_list", "must be a list"),
    "string_type": ("not_text", "must be text"),
    "string_unicode": ("not_in_list", "must be one of the listed words"),
    "bool_type": ("not_a_boolean", "must be true or false"),
    "too_short": ("too_few", "must have at least one entry"),
    "too_long": ("too_many", "has too many entries"),
}


def json_schema(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema of a reply of that kind. Raises `InvalidInput` for an unknown kind."""
    return _model(kind).model_json_schema()


def parse(kind: Kind, reply: Any, context: ReplyContext) -> Parsed:
    """Check a reply against the contract of its kind and against what it may refer to.

    `reply` is a mapping, or text that is exactly one JSON object. Never raises for a reply, whatever it is; raises
    `InvalidInput` for an unknown kind.
    """
    model = _model(kind)
    try:
        fields = _object(reply)
    except ValueError as error:
        return Parsed(None, (Problem(path="$", code="not_one_json_object", reason=str(error)),))
    problems: list[Problem] = []
    accepted: dict[str, dict[int, Any]] = {}
    for name, (item_model, limit) in _ITEMS.get(kind, {}).items():
        given = fields.get(name)
        if isinstance(given, list):
            if len(given) > limit:
                return Parsed(None, (Problem(path=name, code="too_many", reason=f"must have at most {limit} entries"),))
            accepted[name] = _accepted(name, item_model, given, context, problems)
    if "nodes" in accepted and "facts" in accepted:
        _drop_unlinked(accepted["nodes"], accepted["facts"], problems)
    fields |= {name: list(items.values()) for name, items in accepted.items()}
    try:
        value = model.model_validate(fields, context=context)
    except ValidationError as error:
        return Parsed(None, (*_problems(error), *problems)[:MAX_PROBLEMS])
    nothing_left = bool(problems) and not any(accepted.values())
    return Parsed(None if nothing_left else value, tuple(problems[:MAX_PROBLEMS]))


def _model(kind: str) -> type[Reply]:
    if kind not in _MODELS:
        raise InvalidInput(f"the kind of a reply is one of {', '.join(KINDS)}", field="kind", value=kind)
    return _MODELS[kind]


def _object(reply: Any) -> dict[str, Any]:
    """Return the fields of a reply; ValueError when it is not exactly one JSON object."""
    if isinstance(reply, str):
        try:
            reply = json.loads(reply, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ValueError("must be exactly one JSON object, without fences, tags or prose") from error
    if not isinstance(reply, Mapping):
        raise ValueError("must be a JSON object")
    return dict(reply)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _accepted(
    name: str, item_model: type[_Contract], given: list[Any], context: ReplyContext, problems: list[Problem]
) -> dict[int, Any]:
    """Return the items that keep the contract, by position; the others become problems."""
    items = {}
    for index, item in enumerate(given):
        try:
            items[index] = item_model.model_validate(item, context=context)
        except ValidationError as error:
            problems += _problems(error, f"{name}[{index}]")
    return items


def _drop_unlinked(nodes: dict[int, NodeItem], facts: dict[int, FactItem], problems: list[Problem]) -> None:
    """Refuse nodes whose ref is taken, and facts about nodes that are not there."""
    first: dict[str, int] = {}
    for index, node in list(nodes.items()):
        if first.setdefault(node.ref, index) != index:
            problems.append(Problem(path=f"nodes[{index}].ref", code="ref_taken", reason="is taken by an earlier node"))
            del nodes[index]
    for index, fact in list(facts.items()):
        for field, ref in (("node", fact.node), ("value_ref", fact.value_ref)):
            if ref is not None and ref not in first:
                path = f"facts[{index}].{field}"
                problems.append(Problem(path=path, code="unknown_node", reason="is no accepted node of this reply"))
                facts.pop(index, None)


def _problems(error: ValidationError, at: str = "") -> Iterator[Problem]:
    """Say what broke the contract; field names that it does not know are the reply's own text and are not repeated."""
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        code, reason = _CODES.get(detail["type"], (detail["type"], None))
        steps = [*detail["loc"][:-1], "*"] if code == "unknown_field" else detail["loc"]
        path = at + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        yield Problem(path=path.lstrip(".") or "$", code=code, reason=reason or detail["msg"])
