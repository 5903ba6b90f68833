"""From claims to decisions: an event for each, and for those with a key what it says of a slot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sgraph import analysis
from sgraph.graph.state import EventInfo, State
from sgraph.identity.aliases import AliasStatement, statements
from sgraph.identity.cast import add_name, candidates, create, identify
from sgraph.identity.names import key, lookup_keys
from sgraph.identity.resolve import resolve
from sgraph.ids import new_id
from sgraph.records.claim import Claim, Mention
from sgraph.records.parts import (
    Change,
    EventLinkPart,
    EventPart,
    EventStatePart,
    Involved,
    MessagePart,
    SourceRef,
    Support,
)
from sgraph.records.timespan import TimeSpan
from sgraph.truth.decision import Decision
from sgraph.truth.slots import confidence_of

TITLE = 80
_PLAN_CHANGES = ("cancellation", "move", "completion")
_CHANGES: dict[str, Change] = {"change": "change", "correction": "correction"}


def session_key(message: MessagePart) -> str:
    """Give the key of a message's session: its thread, and the label the caller gave it, else its number."""
    return f"{message.key.partition('/')[0]}@{message.session_label or message.session}"


def keep(decision: Decision, claim: Claim, message: MessagePart) -> None:
    """Put a claim's event, who is involved, and what it says of a slot."""
    id = new_id()
    thread = message.key.partition("/")[0]

    def who(mention: Mention) -> str:
        return identify(decision, mention.name, mention.kind, thread=thread, events=(id,))

    roles: dict[tuple[str, str], None] = {}
    subject = who(claim.subject)
    roles[subject, "subject"] = None
    roles[who(claim.speaker), "speaker"] = None
    if claim.reporter is not None:
        roles[who(claim.reporter), "reporter"] = None
    about = None
    if claim.value is not None and claim.value_kind is not None:
        about = who(Mention(name=claim.value, kind=claim.value_kind))
        roles[about, "place" if claim.value_kind == "place" else "participant"] = None
    for mention in claim.participants:
        if mention != claim.subject and (about is None or mention.name != claim.value):
            entity = who(mention)
            if not any(known == entity for known, _ in roles):
                roles[entity, "participant"] = None
    event = EventPart(
        id=id, title=claim.title, summary=claim.summary,
        sources=(SourceRef(message=message.key, quote=claim.quote, start=claim.start, end=claim.end),),
        mentioned_at=message.sent_at, **when(claim.time), status=claim.status, event_type=claim.event_type,
        criticality=claim.criticality, scope=claim.scope,
        session=session_key(message) if claim.scope == "session" else None,
        method="rules", involved=tuple(Involved.model_validate({"entity": e, "role": r}) for e, r in roles),
    )
    decision.put(event)
    _supersede(decision, claim, event, subject)
    if claim.key is not None and claim.value is not None and claim.status not in ("planned", "cancelled"):
        decision.assert_fact(
            subject, claim.key, claim.value, support_of(claim, id, message.sent_at), about=about, negated=claim.negated,
            cardinality=claim.cardinality, confidence=confidence_of(decision.state.events[id]),
        )


def when(time: TimeSpan | None) -> dict[str, Any]:
    """Give an event's time fields from a span."""
    if time is None:
        return {}
    return {
        "happened_start": time.start, "happened_end": time.end, "time_precision": time.precision,
        "time_basis": time.basis, "time_text": time.text,
    }


def support_of(claim: Claim, event: str, said_at: datetime) -> Support:
    """Give what an event says of a claim's slot: since when, and whether it reports a change or an end."""
    change: Change = _CHANGES.get(claim.change, "state")
    if claim.negated and claim.status == "occurred" and change == "state":
        change = "end"
    time = claim.time
    if time is None or time.basis == "inferred" or time.start > said_at:
        return Support(event=event, since=said_at, stated=False, change=change)
    until = time.end if time.precision == "range" and not time.open_end and time.end <= said_at else None
    return Support(event=event, since=time.start, until=until, change=change)


def _supersede(decision: Decision, claim: Claim, event: EventPart, subject: str) -> None:
    """Let a cancellation, move or completion retire the plan it speaks of."""
    if claim.change in _PLAN_CHANGES or claim.event_type == "cancellation":
        retire_plan(decision, event, subject, claim.change if claim.change in _PLAN_CHANGES else "cancellation")


def retire_plan(decision: Decision, event: EventPart, subject: str | None, reason: str) -> None:
    """Let an event that says so supersede the standing plan it means, if there is one: it is no longer to be done."""
    plan = _plan_meant(decision, event, subject)
    if plan is not None:
        decision.put(
            EventLinkPart(kind="SUPERSEDES", source=event.id, target=plan.id, reason=reason, decided_by=decision.by),
            EventStatePart(id=plan.id, state="superseded"),
        )


def _plan_meant(decision: Decision, event: EventPart, subject: str | None) -> EventInfo | None:
    """Give the standing plan of somebody involved that shares the most content words; the newest of equals."""
    state = decision.state
    involved = [state.entities[part.entity] for part in event.involved]
    people = " ".join(entity.name for entity in involved if entity.kind == "person")  # whose plan, not what is planned
    words = set(analysis.terms(event.title)) - set(analysis.terms(people))
    own = {member for entity in involved for member in state.group(entity.id)}
    own |= state.group(subject) if subject is not None else set()
    plans = {id: state.events[id] for entity in own for id in state.by_entity.get(entity, ())}
    best: tuple[int, datetime, str] | None = None
    for id, plan in plans.items():
        if id == event.id or (plan.status, plan.state) != ("planned", "active"):
            continue
        if plan.mentioned_at > event.mentioned_at:
            continue
        shared = len(words & set(analysis.terms(plan.title)))
        rank = (shared, plan.mentioned_at, id)
        if shared and (best is None or rank > best):
            best = rank
    return plans[best[2]] if best is not None else None


# ------------------------------------------------------------------ names
def keep_names(
    decision: Decision, message: MessagePart, speaker: str | None, echoed: Callable[[int, int], bool]
) -> None:
    """Let the aliases and renames that a message states lead to the entity they name, if it is known.

    Each rests on an event, as a claim does. What leads to somebody else already is left alone: names never merge.
    """
    thread = message.key.partition("/")[0]
    for statement in statements(message.content, speaker):
        if echoed(statement.start, statement.end):
            continue
        named, other = _known(decision.state, statement.name, thread), _known(decision.state, statement.alias, thread)
        if named is None and other is None and statement.name == speaker:
            named = create(decision, statement.name, "person", ())
        if named is not None and other in (None, named):
            entity, name = named, statement.alias
        elif other is not None and named is None:
            entity, name = other, statement.name
        else:
            continue
        if entity in decision.state.names.get(key(decision.state.entities[entity].kind, name), ()):
            continue
        event = _naming(decision, statement, message, entity)
        add_name(decision, name, decision.state.entities[entity].kind, entity, (event,))


def _known(state: State, name: str, thread: str) -> str | None:
    """Give the one entity, of any kind, that a name means in a thread."""
    near = state.in_thread.get(thread, set())
    found = {
        resolve(
            name, kind, exact=candidates(state, [key(kind, name)]),
            in_thread=candidates(state, lookup_keys(kind, name), near)
        ).entity_id
        for kind in state.kinds
    }
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _naming(decision: Decision, statement: AliasStatement, message: MessagePart, entity: str) -> str:
    """Give the event that a name rests on: the one made of these words already, or one of its own."""
    for part in decision.parts:
        if isinstance(part, EventPart):
            for source in part.sources:
                if source.message != message.key or source.start is None or source.end is None:
                    continue
                if source.start < statement.end and statement.start < source.end:
                    return part.id
    quote = message.content[statement.start : statement.end]
    title = quote if len(quote) <= TITLE else quote[: TITLE - 1] + "…"
    event = EventPart(
        id=new_id(), title=title, summary=quote, mentioned_at=message.sent_at, event_type="fact",
        criticality="identity", status="occurred" if statement.change == "rename" else "ongoing", method="rules",
        sources=(SourceRef(message=message.key, quote=quote, start=statement.start, end=statement.end),),
        involved=(Involved(entity=entity, role="subject"),),
    )
    decision.put(event)
    return event.id
