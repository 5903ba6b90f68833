"""The one door for derivations that are handed in: checked against their contract, then decided on.

A reply is refused whole or item by item, with path and reason; what was refused is kept in quarantine. Nothing is
repaired, and no message is ever cited in a deriver's place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

from sgraph import analysis
from sgraph.chronology import find
from sgraph.derive import contracts, turns
from sgraph.derive.claims import retire_plan, session_key
from sgraph.errors import InvalidInput, NotFound
from sgraph.graph.plan import term_key
from sgraph.graph.state import EventInfo, FactInfo, State, live
from sgraph.identity.cast import add_name, identify
from sgraph.ids import new_id
from sgraph.journal.capture import turn_of
from sgraph.journal.log import Journal
from sgraph.records.claim import EventType
from sgraph.records.parts import (
    BlockExtractedPart,
    BlockSummaryPart,
    Change,
    EventLinkKind,
    EventLinkPart,
    EventPart,
    EventStatePart,
    Involved,
    MessagePart,
    RefusedPart,
    SourceRef,
    Support,
    TurnSummaryPart,
)
from sgraph.records.vocabulary import key_of, predicate
from sgraph.truth.decision import Decision
from sgraph.truth.requests import follow_events
from sgraph.truth.slots import confidence_of, value_key

Method = Literal["agent", "model", "person", "import"]
ENTRY_KINDS = {
    "block_summary": "block_summarised", "events": "events_derived", "projection": "projected",
    "turn_summary": "turn_summarised",
}


@dataclass(frozen=True)
class Target:
    """What a derivation is about: a Block, a turn or a whole thread, with its messages."""

    id: str
    kind: Literal["block", "turn", "thread", "space"]
    messages: tuple[MessagePart, ...]

    @property
    def keys(self) -> dict[str, str]:
        """Give the message key behind every id a reply may use: the key itself, and the caller's id."""
        own = {message.id: message.key for message in self.messages if message.id is not None}
        return {**own, **{message.key: message.key for message in self.messages}}


def find_target(journal: Journal, target: str | None) -> Target:
    """Find what a target id names: a Block, a turn or a thread; None is the whole space. Raises NotFound."""
    if target is None:
        return Target("", "space", ())
    block = journal.block(target)
    if block is not None:
        return Target(block.id, "block", tuple(journal.turn_messages(block.thread, block.first_turn, block.last_turn)))
    thread, number = turn_of(target)
    turn = journal.turn_messages(thread, number, number)
    if turn:
        return Target(target, "turn", tuple(turn))
    messages = journal.thread_messages(target)
    if messages:
        return Target(target, "thread", tuple(messages))
    raise NotFound(f"no Block, turn or thread has the id {target!r}", kind="target", id=target)


def check(kind: str, target: Target, reply: Any, state: State, zone: tzinfo) -> contracts.Parsed:
    """Check a reply against its contract and against the messages, events and facts there are."""
    events = frozenset(id for id, event in state.events.items() if event.state in ("active", "superseded"))
    if kind == "projection" and target.kind != "space":
        events = frozenset(id for m in target.messages for id in state.by_message.get(m.key, ()) if id in events)
    contents = {message.key: message.content for message in target.messages}
    context = contracts.ReplyContext(
        messages={id: contents[key] for id, key in target.keys.items()}, events=events,
        facts=frozenset(state.facts), zone=zone,
    )
    try:
        return contracts.parse(kind, reply, context)  # type: ignore[arg-type]
    except RecursionError:
        return contracts.Parsed(None, (contracts.Problem(path="$", code="too_deep", reason="is nested too deeply"),))


def refused(kind: str, target: str, reply: Any, parsed: contracts.Parsed) -> RefusedPart:
    """Give what is kept of a refused reply."""
    try:
        text = reply if isinstance(reply, str) else json.dumps(reply, default=str, sort_keys=True)
    except (TypeError, ValueError, RecursionError):  # no JSON: cyclic, too deep, or with keys that are no text
        text = f"<{type(reply).__name__} that is no JSON>"
    return RefusedPart(
        id=new_id(), kind=kind, target=target, whole=parsed.value is None, reply=text,
        problems=tuple((problem.path, problem.code, problem.reason) for problem in parsed.problems),
    )


def decide(decision: Decision, kind: str, target: Target, value: Any, method: Method) -> list[str]:
    """Put what was accepted; give the ids of what is new."""
    deciders: dict[str, Callable[[Decision, Target, Any, Method], list[str]]] = {
        "block_summary": _block_summary, "events": _events, "projection": _projection, "turn_summary": _turn_summary,
    }
    return deciders[kind](decision, target, value, method)


# ------------------------------------------------------------------ summaries
def _block_summary(decision: Decision, target: Target, value: contracts.BlockSummary, method: Method) -> list[str]:
    _require(target, "block")
    decision.put(
        BlockSummaryPart(
            block=target.id, title=value.title, tags=value.tags, summary=value.summary, keypoints=value.keypoints,
            method=method
        )
    )
    if not value.should_extract:
        decision.put(BlockExtractedPart(block=target.id, method=method))
    _ready(decision, target)
    return [target.id]


def _turn_summary(decision: Decision, target: Target, value: contracts.TurnSummary, method: Method) -> list[str]:
    _require(target, "turn")
    triples = tuple((t.subject, t.predicate, t.object) for t in value.triples)
    decision.put(
        TurnSummaryPart(
            turn=target.id, summary=value.summary, outcome=value.outcome, triples=triples,
            replaced=decision.state.triples.get(target.id, ()), method=method,
        )
    )
    return [target.id]


def _require(target: Target, kind: str) -> None:
    if target.kind != kind:
        raise InvalidInput(
            f"the target must be a {kind}; {target.id!r} is a {target.kind}", field="target", value=target.id
        )


def _ready(decision: Decision, target: Target) -> None:
    """A Block is ready once it is summarised and extracted."""
    known = decision.state.blocks.get(target.id, {})
    if known.get("summary") and known.get("extracted") and "ready" not in known:
        turns.make_ready(target.id, decision)


# ------------------------------------------------------------------ events
def _events(decision: Decision, target: Target, value: contracts.Events, method: Method) -> list[str]:
    new = [_event(decision, target, item, method) for item in value.events]
    keep_claims = method == "model" and bool(new)  # they hold until its projection says what takes their place
    _replace_rules(decision, _covered(decision, target, new, method), keep_claims=keep_claims)
    if target.kind == "block":
        decision.put(BlockExtractedPart(block=target.id, method=method))
        _ready(decision, target)
    return new


def _event(decision: Decision, target: Target, item: contracts.EventItem, method: Method) -> str:
    id, keys = new_id(), target.keys
    by_key = {message.key: message for message in target.messages}
    cited = [by_key[keys[message]] for message in item.source_message_ids]
    mentioned_at = max(message.sent_at for message in cited)
    thread = cited[0].key.partition("/")[0]
    quotes = [SourceRef(message=keys[q.message_id], quote=q.text, start=q.start, end=q.end) for q in item.quotes]
    quoted = {quote.message for quote in quotes}
    sources = (*quotes, *(SourceRef(message=m.key) for m in cited if m.key not in quoted))
    roles: dict[tuple[str, str], None] = {}
    for participant in item.participants:
        entity = identify(decision, participant.name, participant.kind, thread=thread, events=(id,))
        roles[entity, participant.role] = None
    if item.reporter is not None:
        roles[identify(decision, item.reporter, "person", thread=thread, events=(id,)), "reporter"] = None
    for message in cited:
        if message.speaker is not None:
            roles[identify(decision, message.speaker, "person", thread=thread, events=(id,)), "speaker"] = None
    happened = item.happened
    time: dict[str, Any] = {"time_text": item.time_text}
    if happened is not None:
        time |= {
            "happened_start": happened.start, "happened_end": happened.end, "time_precision": happened.precision,
            "time_basis": item.basis if item.basis != "unknown" else "explicit",
            "time_note": _disagreement(cited, happened.start, happened.end),
        }
    event = EventPart(
        id=id, title=item.title, summary=item.summary, tags=item.tags, sources=sources,
        block=target.id if target.kind == "block" else None, mentioned_at=mentioned_at, **time, status=item.status,
        event_type=item.event_type, criticality=item.criticality, scope=item.scope,
        session=session_key(cited[0]) if item.scope == "session" else None, method=method,
        state="forgotten" if _retold(decision.state, item, [message.key for message in cited]) else "active",
        involved=tuple(Involved.model_validate({"entity": e, "role": r}) for e, r in roles),
    )
    decision.put(event)
    _links(decision, event, item)
    return id


def _disagreement(cited: list[MessagePart], start: datetime, end: datetime) -> str | None:
    """Check a submitted date against the words: say what they give when no expression in them overlaps it."""
    spans = [span for message in cited for span in find(message.content, message.sent_at)]
    if not spans or any(span.start < end and start < span.end for span in spans):
        return None
    words = "; ".join(f"{span.text!r} is {span.start.date().isoformat()}" for span in spans[:3])
    return f"the words give another date: {words}"


def _retold(state: State, item: contracts.EventItem, messages: list[str]) -> bool:
    """Say whether an item tells again what was forgotten of its messages: it then stays forgotten.

    It does when half of the forgotten event's own words (the names aside) come back in it.
    """
    told = _words(item.title, item.summary, *(quote.text for quote in item.quotes))
    for id in {id for message in messages for id in state.by_message.get(message, ())}:
        event = state.events[id]
        if event.state == "forgotten":
            words = _words(event.title)
            own = words - _words(*(state.entities[entity].name for entity, _ in event.involved)) or words
            if 2 * len(own & told) >= len(own):
                return True
    return False


def _words(*texts: str) -> set[str]:
    return {term for text in texts for term in analysis.terms(text)}


def _links(decision: Decision, event: EventPart, item: contracts.EventItem) -> None:
    kinds: tuple[tuple[EventLinkKind, tuple[str, ...]], ...] = (
        ("CONFLICTS_WITH", item.conflicts_with), ("FOLLOWS", item.follows), ("SAME_EVENT", item.same_event),
    )
    for kind, targets in kinds:
        for older in targets:
            decision.put(EventLinkPart(kind=kind, source=event.id, target=older, decided_by=decision.by))
    for older in item.supersedes:
        _supersede(decision, event.id, older)
    reason = _PLAN_OVER.get((item.status, item.event_type))
    if event.state == "active" and not item.supersedes and reason is not None:
        retire_plan(decision, event, None, reason)


_PLAN_OVER = {
    **{("cancelled", kind): "cancellation" for kind in get_args(EventType)},
    ("occurred", "task_completed"): "completion",
}


def _supersede(decision: Decision, newer: str, older: str) -> None:
    """Let an event supersede another and its copies; what is older in time disagrees with it, and both stand."""
    state = decision.state
    if not _comes_after(state.events[newer], state.events[older]):
        reason = "claimed to supersede a later event"
        decision.put(
            EventLinkPart(kind="CONFLICTS_WITH", source=newer, target=older, reason=reason, decided_by=decision.by)
        )
        return
    slots: list[tuple[str, str]] = []
    for id in (older, *_copies(state, older, newer)):
        decision.put(EventLinkPart(kind="SUPERSEDES", source=newer, target=id, decided_by=decision.by))
        if state.events[id].state == "active" and live(state.events, newer):
            decision.put(EventStatePart(id=id, state="superseded"))
        slots.extend(sorted(state.by_event.get(id, ())))
    decision.settle(slots)


def _comes_after(newer: EventInfo, older: EventInfo) -> bool:
    """Say whether an event is later: in time, or in the telling where one of the two tells of something still ahead."""
    if older.status == "planned" or newer.status == "cancelled":
        return newer.mentioned_at >= older.mentioned_at
    return newer.when >= older.when


def _copies(state: State, event: str, newer: str) -> list[str]:
    """Give the standing events that tell the same as one, in the same words, and were said before the newer one."""
    told = state.events[event]
    lists = [state.by_entity[entity] for entity, _ in told.involved]
    return [
        id for id in min(lists, key=len, default=[])
        if id not in (event, newer) and state.events[id].state == "active"
        and state.events[id].mentioned_at <= state.events[newer].mentioned_at
        and state.events[id].happened_start == told.happened_start
        and term_key(state.events[id].title) == term_key(told.title)
    ]


def _covered(decision: Decision, target: Target, new: list[str], method: Method) -> set[str]:
    """Give the messages that were derived from anew: a model re-derives its whole target, others what they cite."""
    if method == "model":
        return {message.key for message in target.messages}
    return {message for id in new for message in decision.state.events[id].messages}


def _replace_rules(decision: Decision, covered: set[str], *, keep_claims: bool = False) -> None:
    """Replace what the rules made of some messages: never shown, never history; without what claims rest on, if so."""
    state = decision.state
    replaced = [
        id for message in sorted(covered) for id in state.by_message.get(message, ())
        if state.events[id].method == "rules" and state.events[id].state in ("active", "superseded")
        and not (keep_claims and state.by_event.get(id))
    ]
    for id in dict.fromkeys(replaced):
        decision.put(EventStatePart(id=id, state="replaced"))
    follow_events(decision, replaced)


# ------------------------------------------------------------------ projection
def _projection(decision: Decision, target: Target, value: contracts.Projection, method: Method) -> list[str]:
    state = decision.state
    if method == "model":
        _replace_rules(decision, {message.key for message in target.messages})
    entities: dict[str, str] = {}
    for node in value.nodes:
        thread = _thread_of(state, node.source_event_ids)
        entity = identify(decision, node.name, node.kind, thread=thread, events=node.source_event_ids)
        add_name(decision, node.name, node.kind, entity, node.source_event_ids)
        for alias in node.aliases:
            add_name(decision, alias.value, node.kind, entity, alias.source_event_ids)
        entities[node.ref] = entity
    before = set(state.facts)
    for fact in value.facts:
        _project(decision, fact, entities, {node.ref: node.name for node in value.nodes})
    return sorted(set(state.facts) - before) or sorted(set(entities.values()))


def _thread_of(state: State, events: tuple[str, ...]) -> str:
    messages = state.events[events[0]].messages
    return messages[0].partition("/")[0] if messages else ""


def _project(
    decision: Decision, fact: contracts.FactItem, entities: Mapping[str, str], names: Mapping[str, str]
) -> None:
    state = decision.state
    key = key_of(fact.key)
    about = entities[fact.value_ref] if fact.value_ref is not None else None
    value = names[fact.value_ref] if fact.value_ref is not None else fact.value
    assert value is not None
    entity = entities[fact.node]
    since, until = fact.valid
    first = min((state.events[id] for id in fact.source_event_ids), key=lambda event: event.when)
    change: Change = "correction" if fact.correction else "change" if fact.replaces else "state"
    if fact.negated and change == "state":
        change = "end"
    stated = since is not None or first.happened_start is not None
    start = since or first.when
    for id in fact.replaces:
        older = state.facts.get(id)  # only a version of this slot, and only by something later
        if older is None or (state.canon(older.entity), older.key) != (state.canon(entity), key):
            continue
        if fact.correction or older.valid_from <= start:
            _end(state, older, first.id, None if fact.correction else start)
    for id in fact.source_event_ids:
        support = Support(event=id, since=start, stated=stated, until=until, change=change)
        if not _was_forgotten(state, (entity, key), value_key(state, value, about), id):
            cardinality = fact.cardinality or predicate(key).cardinality
            state.add_said(
                entity, key, value, about, fact.negated, cardinality, confidence_of(state.events[id]), support
            )
    decision.settle([(entity, key)])


def _was_forgotten(state: State, slot: tuple[str, str], value: str, event: str) -> bool:
    """Say whether a forgotten event of the same messages said the same: another of theirs does not bring it back."""
    messages = set(state.events[event].messages)
    return any(
        state.events[said.support.event].state == "forgotten"
        and messages <= set(state.events[said.support.event].messages)
        for said in state.said_of(*slot)
        if value_key(state, said.value, said.about) == value
    )


def _end(state: State, fact: FactInfo, by: str, at: datetime | None) -> None:
    """Note that an event ended a version (`at`), or took it back as an error (None)."""
    for said in list(state.said.get((fact.entity, fact.key), {}).values()):
        same = (said.about, said.value, said.negated) == (fact.about, fact.value, fact.negated)
        if same and said.support.event in fact.supports:
            ended = said.support.model_copy(update={"ended_by": by, "ended_at": at})
            state.add_said(
                said.entity, said.key, said.value, said.about, said.negated, said.cardinality, said.confidence, ended
            )
