"""plan(entry) → rows. Pure: an entry carries every id, instant and outcome, so nothing is looked up or decided here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from sgraph.graph.rows import Add, Ensure, Link, Put, Row, Set, Unlink
from sgraph.records import parts as p
from sgraph.records.entries import Entry


def plan(entry: Entry) -> Iterator[Row]:
    """Give the rows of an entry, in order."""
    for part in entry.parts:
        planner = PLANNERS.get(type(part))
        if planner is not None:
            yield from planner(part, entry.at)


def content_digest(content: str) -> str:
    """Give the SHA-256 of a message's content as hexadecimal text (lone surrogates are digested as they stand)."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def term_key(text: str) -> str:
    """Give a navigation term's key: case-folded, blanks collapsed."""
    return " ".join(text.casefold().split())


def _thread(part: p.ThreadPart, at: datetime) -> Iterator[Row]:
    yield Put("Thread", part.id, {"title": part.title, "started_at": part.started_at})


def _turn(part: p.TurnPart, at: datetime) -> Iterator[Row]:
    props = {"thread": part.thread, "number": part.number, "started_at": part.started_at}
    yield Put("Turn", part.id, {**props, "summary": None, "outcome": "unknown", "method": None})


def _message(part: p.MessagePart, at: datetime) -> Iterator[Row]:
    turn = f"{part.key.partition('/')[0]}#{part.turn}"
    names = (
        "id", "thread", "role", "speaker", "content", "tool_calls", "sent_at", "session", "turn", "position", "agent",
        "adapter",
    )
    props: dict[str, Any] = {name: getattr(part, name) for name in names}
    yield Put("Message", part.key, {**props, "recorded_at": at, "digest": content_digest(part.content), "echo": None})
    yield Link("IN_THREAD", part.key, part.thread, {})
    if part.previous is not None:
        yield Link("NEXT", part.previous, part.key, {})
    yield Link(
        "HAS_MESSAGE", turn, part.key, {"position": part.position, "is_question": part.is_question, "is_answer": False}
    )


def _turn_closed(part: p.TurnClosedPart, at: datetime) -> Iterator[Row]:
    if part.answer is not None:
        yield Unlink("HAS_MESSAGE", part.id, part.answer, {})
        yield Link(
            "HAS_MESSAGE", part.id, part.answer, {"position": part.position, "is_question": False, "is_answer": True}
        )


def _block(part: p.BlockPart, at: datetime) -> Iterator[Row]:
    props = {name: getattr(part, name) for name in ("thread", "sequence", "number", "first_turn", "last_turn")}
    yield Put("Block", part.id, {
        **props, "state": "pending", "title": None, "tags": [], "summary": None, "keypoints": [], "method": None,
        "extracted": None,
        "ready_position": None, "anchor_level": 5, "anchor_position": None, "lifted_by": None, "sealed_at": at,
    })
    stem = part.id.partition(":")[0]
    for number in range(part.first_turn, part.last_turn + 1):
        yield Link("CONTAINS", part.id, f"{stem}#{number}", {})


EVENT_FIELDS = (
    "title", "summary", "mentioned_at", "happened_start", "happened_end", "time_precision", "time_basis", "time_text",
    "time_note", "status", "event_type", "criticality", "scope", "session", "state", "method",
)


def _event(part: p.EventPart, at: datetime) -> Iterator[Row]:
    props: dict[str, Any] = {name: getattr(part, name) for name in EVENT_FIELDS}
    quotes = list(dict.fromkeys(source.quote for source in part.sources if source.quote is not None))
    yield Put("Event", part.id, {
        **props, "quotes": quotes, "tags": list(part.tags), "recorded_at": at, "pinned": False, "use_count": 0,
        "last_used": None,
    })
    for source in part.sources:
        span = {"quote": source.quote, "quote_start": source.start, "quote_end": source.end}
        yield Link("SOURCED_FROM", part.id, source.message, span)
    if part.block is not None:
        yield Link("FROM_BLOCK", part.id, part.block, {})
    for involved in part.involved:
        yield Link("INVOLVES", part.id, involved.entity, {"role": involved.role})
        yield Add("Entity", involved.entity, "degree", 1)


def _echo(part: p.EchoPart, at: datetime) -> Iterator[Row]:
    yield Set("Message", part.message, {"echo": True})


def _event_state(part: p.EventStatePart, at: datetime) -> Iterator[Row]:
    yield Set("Event", part.id, {"state": part.state})


def _event_link(part: p.EventLinkPart, at: datetime) -> Iterator[Row]:
    props = {"at": at, "reason": part.reason, "decided_by": part.decided_by}
    row = Unlink if part.removed else Link
    yield row(part.kind, part.source, part.target, props)


def _event_pin(part: p.EventPinPart, at: datetime) -> Iterator[Row]:
    yield Set("Event", part.id, {"pinned": part.pinned})


def _event_block(part: p.EventBlockPart, at: datetime) -> Iterator[Row]:
    for event in part.events:
        yield Link("FROM_BLOCK", event, part.block, {})


def _entity(part: p.EntityPart, at: datetime) -> Iterator[Row]:
    yield Put("Entity", part.id, {
        "name": part.name, "kind": part.kind, "canon": part.id, "tags": list(part.tags), "state": None, "degree": 0,
        "recorded_at": at,
    })


def _name(part: p.NamePart, at: datetime) -> Iterator[Row]:
    if part.retired:
        yield Unlink("NAMES", part.key, part.entity, {"recorded_at": part.since})
        yield Link("NAMES", part.key, part.entity, {"recorded_at": part.since, "retired_at": at})
        return
    if part.new_key:
        yield Put("Name", part.key, {"display": part.display, "kind": part.kind, "recorded_at": at, "retired_at": None})
    if part.since is None:
        yield Link("NAMES", part.key, part.entity, {"recorded_at": at, "retired_at": None})
    for event in part.events:
        yield Link("RESTS_ON", part.key, event, {"entity": part.entity, "recorded_at": at})


def _fact(part: p.FactPart, at: datetime) -> Iterator[Row]:
    names = (
        "claim", "key", "value", "cardinality", "negated", "valid_from", "valid_to", "status", "visible", "session",
        "confidence",
    )
    props: dict[str, Any] = {name: getattr(part, name) for name in names}
    yield Put("Fact", part.id, {**props, "recorded_at": at, "retired_at": None})
    yield Link("HAS_FACT", part.entity, part.id, {})
    for support in part.supports:
        yield from _supported(part.id, support, at)
    for kind, refs in (("REPLACES", part.replaces), ("DISPUTES", part.disputes)):
        for ref in refs:
            yield Link(kind, part.id, ref.fact, {"at": at, "reason": ref.reason, "decided_by": ref.decided_by})
    if part.about is not None:
        yield Link("ABOUT", part.id, part.about, {})
        if part.visible and part.session is None and not part.negated:
            edge = {"relation": part.key, "since": part.valid_from, "until": part.valid_to, "fact": part.id}
            yield Link("RELATES", part.entity, part.about, edge)


def _supported(fact: str, support: p.Support, at: datetime) -> Iterator[Row]:
    yield Link("SUPPORTED_BY", fact, support.event, {**support.model_dump(exclude={"event"}), "recorded_at": at})


def _fact_support(part: p.FactSupportPart, at: datetime) -> Iterator[Row]:
    yield from _supported(part.fact, part.support, at)


def _fact_retired(part: p.FactRetiredPart, at: datetime) -> Iterator[Row]:
    yield Set("Fact", part.id, {"retired_at": at})
    if part.about is not None:
        yield Unlink("RELATES", part.entity, part.about, {"fact": part.id})


def _fact_link(part: p.FactLinkPart, at: datetime) -> Iterator[Row]:
    yield Link(
        part.kind, part.fact, part.other.fact,
        {"at": at, "reason": part.other.reason, "decided_by": part.other.decided_by},
    )


def _merge(part: p.MergePart, at: datetime) -> Iterator[Row]:
    since = part.since
    if since is not None:
        yield Unlink("SAME_AS", part.source, part.target, {"recorded_at": since})
    yield Link("SAME_AS", part.source, part.target, {
        "recorded_at": since or at, "retired_at": at if since is not None else None, "reason": part.reason,
        "decided_by": part.decided_by,
    })


def _canon(part: p.CanonPart, at: datetime) -> Iterator[Row]:
    yield Set("Entity", part.entity, {"canon": part.canon})


def _turn_summary(part: p.TurnSummaryPart, at: datetime) -> Iterator[Row]:
    yield Set("Turn", part.turn, {"summary": part.summary, "outcome": part.outcome, "method": part.method})
    for triple in part.replaced:
        yield from _triple(part.turn, triple, Unlink)
    for triple in part.triples:
        for text in (triple[0], triple[2]):
            yield Ensure("Term", term_key(text), {"display": text})
        yield from _triple(part.turn, triple, Link)


def _triple(turn: str, triple: tuple[str, str, str], row: type[Link] | type[Unlink]) -> Iterator[Row]:
    subject, predicate, object_ = term_key(triple[0]), triple[1], term_key(triple[2])
    for term in dict.fromkeys((subject, object_)):
        yield row("MENTIONS", turn, term, {})
    yield row("STATED", subject, object_, {"predicate": predicate, "turn": turn})


def _block_summary(part: p.BlockSummaryPart, at: datetime) -> Iterator[Row]:
    yield Set("Block", part.block, {
        "title": part.title, "tags": list(part.tags), "summary": part.summary, "keypoints": list(part.keypoints),
        "method": part.method,
    })


def _block_extracted(part: p.BlockExtractedPart, at: datetime) -> Iterator[Row]:
    yield Set("Block", part.block, {"extracted": part.method})


def _block_ready(part: p.BlockReadyPart, at: datetime) -> Iterator[Row]:
    yield Set(
        "Block", part.block,
        {"state": "ready", "ready_position": part.position, "anchor_level": 5, "anchor_position": part.position},
    )


def _block_level(part: p.BlockLevelPart, at: datetime) -> Iterator[Row]:
    yield Set("Block", part.block, {"anchor_level": part.level, "anchor_position": part.position, "lifted_by": part.by})


def _used(part: p.UsedPart, at: datetime) -> Iterator[Row]:
    yield Put("Receipt", part.receipt, {"at": at, "verdict": part.verdict, "fit": part.fit, "batch": part.batch})
    for event in part.events:
        yield Link("USED", part.receipt, event, {})
        yield Add("Event", event, "use_count", 1)
        yield Set("Event", event, {"last_used": at})
    for message in part.messages:
        yield Link("CITED", part.receipt, message, {})


PLANNERS: dict[type, Callable[[Any, datetime], Iterator[Row]]] = {
    p.ThreadPart: _thread,
    p.TurnPart: _turn,
    p.MessagePart: _message,
    p.TurnClosedPart: _turn_closed,
    p.BlockPart: _block,
    p.EchoPart: _echo,
    p.EventPart: _event,
    p.EventStatePart: _event_state,
    p.EventLinkPart: _event_link,
    p.EventPinPart: _event_pin,
    p.EventBlockPart: _event_block,
    p.EntityPart: _entity,
    p.NamePart: _name,
    p.FactPart: _fact,
    p.FactRetiredPart: _fact_retired,
    p.FactSupportPart: _fact_support,
    p.FactLinkPart: _fact_link,
    p.MergePart: _merge,
    p.CanonPart: _canon,
    p.TurnSummaryPart: _turn_summary,
    p.BlockSummaryPart: _block_summary,
    p.BlockExtractedPart: _block_extracted,
    p.BlockReadyPart: _block_ready,
    p.BlockLevelPart: _block_level,
    p.UsedPart: _used,
}
