"""What a model is shown for each step, and the ids its reply may use: exactly those it was shown.

The size is bounded whatever the size of the space: the messages of the target, the key points of two neighbours, 8 + 4
events of the timeline (SG 2.8), 32 entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import islice
from typing import Any

from sgraph.derive import prompts
from sgraph.derive.contracts import ReplyContext
from sgraph.derive.desk import Desk
from sgraph.derive.prompts import Request, Row
from sgraph.derive.submit import Target, find_target
from sgraph.graph import views
from sgraph.graph.state import State
from sgraph.records.parts import BlockPart, MessagePart
from sgraph.resources import resource_dir

RELEVANT, RECENT = 8, 4  # events of the timeline
EARLIER = 5  # turns whose sentences a turn is read with
KNOWN, NEWEST = 32, 24  # entities shown: at most, and of these the most recently spoken of
FACTS = 12  # current facts of an entity
TURN_LIMIT = 12_000
VISIBLE = ("active", "superseded")  # events that a reply may refer to
_LOOKED_AT = 2_000  # messages looked back at for what was spoken of last

Relevant = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class Input:
    """A request, the ids its reply may use, and the events it is about."""

    request: Request
    legal: ReplyContext
    batch: tuple[str, ...] = ()


def forgotten(state: State, target: Target) -> frozenset[str]:
    """Give the messages of a target that an event was forgotten of: no model is shown them, so nothing revives it."""
    return frozenset(
        message.key
        for message in target.messages
        if any(state.events[id].state == "forgotten" for id in state.by_message.get(message.key, ()))
    )


def gather(desk: Desk, kind: str, target: str, relevant: Relevant, zone: tzinfo) -> Input | None:
    """Put together what a step is shown; None when there is nothing to ask about. Hold the desk's guard."""
    found = find_target(desk.journal, target)
    hidden = forgotten(desk.state, found)
    found = replace(found, messages=tuple(message for message in found.messages if message.key not in hidden))
    block = desk.journal.block(target)
    if kind == "turn_summary":
        return _turn(desk, found, zone)
    if kind == "projection":
        return _projection(desk, found, zone)
    if block is None or not found.messages:
        return None
    if kind == "block_summary":
        rows = prompts.message_rows(found.messages, zone)
        return Input(prompts.request(kind, {"source": rows}), ReplyContext(zone=zone))
    return _events(desk, found, block, relevant, zone)


# ------------------------------------------------------------------ turn_summary
def _turn(desk: Desk, target: Target, zone: tzinfo) -> Input | None:
    question, answer = _pair(target.messages)
    if question is None or answer is None:
        return None
    turn = question.turn
    earlier = _read(desk, "turn_summaries", thread=question.thread, number=turn, first=turn - EARLIER)
    sections = {
        "earlier": prompts.bounded([{"summary": prompts.cut(row["summary"], 400)} for row in earlier], what="turns"),
        "turn": prompts.message_rows([_words_only(question), _words_only(answer)], zone, TURN_LIMIT),
    }
    return Input(prompts.request("turn_summary", sections), ReplyContext(zone=zone))


def _pair(messages: Sequence[MessagePart]) -> tuple[MessagePart | None, MessagePart | None]:
    """Give the question of a turn and its final answer: the last words of another side than the one that asked."""
    said = [message for message in messages if message.content.strip() and message.role in ("user", "assistant")]
    question = next((message for message in said if message.is_question), None)
    if question is None:
        return None, None
    asker = (question.role, question.speaker)
    return question, next((m for m in reversed(said) if (m.role, m.speaker) != asker), None)


def _words_only(message: MessagePart) -> MessagePart:
    return message.model_copy(update={"tool_calls": None})


# ------------------------------------------------------------------ events
def _events(desk: Desk, target: Target, block: BlockPart, relevant: Relevant, zone: tzinfo) -> Input:
    state = desk.state
    summary = _read(desk, "block_summary", id=target.id)[0]
    about = " ".join([summary["title"] or "", summary["summary"] or "", *(summary["keypoints"] or ())])
    own = {id for message in target.messages for id in state.by_message.get(message.key, ())}
    known = [id for id in relevant(about, RELEVANT + len(own)) if _is_shown(state, id, own)][:RELEVANT]
    recent = islice((id for id in spoken_of(desk) if _is_shown(state, id, own)), RECENT)
    timeline = tuple(dict.fromkeys((*known, *recent)))
    neighbours = {
        "previous": _read(desk, "block_before", thread=block.thread, number=block.number),
        "next": _read(desk, "block_after", thread=block.thread, number=block.number),
    }
    sections = {
        "source": prompts.message_rows(target.messages, zone),
        "summary": [{name: summary[name] for name in ("title", "summary", "keypoints")}],
        "neighbours": prompts.bounded([{"which": which, **row} for which, rows in neighbours.items() for row in rows]),
        "timeline": prompts.bounded([_event_row(state, id, zone) for id in timeline], what="events"),
    }
    texts = {message.key: message.content for message in target.messages}
    return Input(
        prompts.request("events", sections), ReplyContext(messages=texts, events=frozenset(timeline), zone=zone)
    )


def _is_shown(state: State, id: str, own: set[str]) -> bool:
    event = state.events.get(id)
    return event is not None and event.state in VISIBLE and event.scope != "session" and id not in own


def spoken_of(desk: Desk) -> Iterator[str]:
    """Give events by the message they rest on, the newest message first, by arrival; each once."""
    keys = desk.journal.rows("SELECT key FROM keys_messages ORDER BY seq DESC, idx DESC LIMIT ?", _LOOKED_AT)
    by_message = desk.state.by_message
    yield from dict.fromkeys(id for (key,) in keys for id in sorted(by_message.get(key, ()), reverse=True))


def _event_row(state: State, id: str, zone: tzinfo) -> Row:
    event = state.events[id]
    row: Row = {"id": id, "title": event.title, "mentioned_at": prompts.dated(event.mentioned_at, zone)}
    for name in ("happened_start", "happened_end"):
        if (at := getattr(event, name)) is not None:
            row[name] = prompts.dated(at, zone)
    return row


# ------------------------------------------------------------------ projection
def _projection(desk: Desk, target: Target, zone: tzinfo) -> Input | None:
    state = desk.state
    spoken = dict.fromkeys(id for message in target.messages for id in state.by_message.get(message.key, ()))
    batch = tuple(id for id in spoken if state.events[id].state == "active" and state.events[id].method != "rules")
    if not batch:
        return None
    rows = [
        _batch_row(event, zone) for event in views.events(state, lambda text, params: _run(desk, text, params), batch)
    ]
    shown = prompts.bounded(rows, prompts.SOURCE_LIMIT, "events")
    batch = tuple(row["id"] for row in shown if "id" in row)
    entities = list(_entities(desk, " ".join(prompts.encode(row) for row in shown)))
    known = prompts.bounded([_entity_row(state, id, zone) for id in entities], what="entities")
    facts = frozenset(fact["id"] for row in known for fact in row.get("facts", ()))
    legal = ReplyContext(events=frozenset(batch), facts=facts, zone=zone)
    return Input(prompts.request("projection", {"events": shown, "known": known}), legal, batch)


def _batch_row(event: Any, zone: tzinfo) -> Row:
    row: Row = {
        "id": event.id,
        "title": event.title,
        "summary": event.summary,
        "status": event.status,
        "type": event.event_type,
        "mentioned_at": prompts.dated(event.mentioned_at, zone),
        "participants": [f"{name} ({role})" for name, role in event.involved[:12]],
        "quotes": [prompts.cut(e.quote, 300) for e in event.evidence if e.quote][:4],
    }
    for name in ("happened_start", "happened_end"):
        if (at := getattr(event, name)) is not None:
            row[name] = prompts.dated(at, zone)
    return row


def _entities(desk: Desk, text: str) -> Iterable[str]:
    """Give the entities named in a text, then those spoken of most recently; each once, as what stands for it."""
    state = desk.state
    folded = text.casefold()
    named = (
        state.canon(info.id)
        for info in state.entities.values()
        if len(info.name) > 1 and info.name.casefold() in folded
    )
    newest = islice(
        dict.fromkeys(state.canon(e) for id in spoken_of(desk) for e, _ in state.events[id].involved), NEWEST
    )
    return islice(dict.fromkeys((*named, *newest)), KNOWN)


def _entity_row(state: State, id: str, zone: tzinfo) -> Row:
    info = state.entities[id]
    standing = [
        fact
        for key in sorted(state.keys_of(id))
        for fact in state.slot_of(id, key)
        if fact.visible and fact.session is None and fact.valid_to is None
    ]
    newest = sorted(standing, key=lambda fact: fact.valid_from)[-FACTS:]
    facts = [
        {
            "id": fact.id,
            "key": fact.key,
            "value": prompts.cut(fact.value, 400),
            "since": prompts.dated(fact.valid_from, zone),
        }
        for fact in newest
    ]
    return {"name": info.name, "kind": info.kind, "names": state.full_names(id)[:12], "facts": facts}


# ------------------------------------------------------------------ reading
def _read(desk: Desk, query: str, **params: Any) -> list[dict[str, Any]]:
    return _run(desk, (resource_dir("queries") / "read" / f"{query}.cypher").read_text("utf-8"), params)


def _run(desk: Desk, text: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    return desk.engine.read(text, params).records()
