"""What a request does: forget, unforget, pin, merge, split, undo, lift. Each outcome is kept, also a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sgraph.blocks.decay import level, lift_target
from sgraph.graph.state import State, live
from sgraph.identity.cast import follow_names
from sgraph.journal.log import Journal
from sgraph.records.entries import Entry, Requested
from sgraph.records.parts import (
    BlockLevelPart,
    CanonPart,
    EventLinkPart,
    EventPinPart,
    EventStatePart,
    FactLinkPart,
    FactPart,
    MergePart,
    OutcomePart,
    RequestPart,
)
from sgraph.truth.decision import Decision
from sgraph.truth.slots import OUTDATED


class _Refused(Exception):
    def __init__(self, reason: str, **details: Any) -> None:
        super().__init__(reason)
        self.reason, self.details = reason, details


def decide_requests(entry: Requested, decision: Decision, journal: Journal) -> None:
    """Decide on every request of an entry, in order."""
    for part in entry.parts:
        if isinstance(part, RequestPart):
            before = len(decision.parts)
            try:
                details = _VERBS[part.verb](decision, part, journal)
                outcome = OutcomePart(request=entry.seq, verb=part.verb, done=True, details=details)
            except _Refused as refusal:
                outcome = OutcomePart(
                    request=entry.seq, verb=part.verb, done=False, reason=refusal.reason, details=refusal.details
                )
            except Exception as error:
                if len(decision.parts) > before:
                    raise
                # A request that cannot be read must not stand in the way of everything behind it.
                outcome = OutcomePart(
                    request=entry.seq, verb=part.verb, done=False, reason="unreadable", details={"error": str(error)}
                )
            decision.put(outcome)


# ------------------------------------------------------------------ events
def _events_of(state: State, target: str) -> list[str]:
    """Give the events an id stands for: itself, what a fact version rests on, or what a message gave rise to."""
    if target in state.events:
        return [target]
    if target in state.facts:
        return sorted(state.facts[target].supports)
    if target in state.by_message:
        return list(state.by_message[target])
    raise _Refused("not_found", id=target)


def _forget(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    state = decision.state
    events = [id for target in request.targets for id in _events_of(state, target)]
    done = [id for id in dict.fromkeys(events) if state.events[id].state in ("active", "superseded", "archived")]
    if not done:
        raise _Refused("already_forgotten", ids=events)
    for id in done:
        decision.put(EventStatePart(id=id, state="forgotten"))
    follow_events(decision, done)
    return {"events": done}


def _unforget(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    state = decision.state
    events = [id for target in request.targets for id in _events_of(state, target)]
    done = [id for id in dict.fromkeys(events) if state.events[id].state == "forgotten"]
    if not done:
        raise _Refused("not_forgotten", ids=events)
    for id in done:
        decision.put(EventStatePart(id=id, state="superseded" if _is_superseded(state, id) else "active"))
    follow_events(decision, done)
    return {"events": done}


def _is_superseded(state: State, event: str) -> bool:
    return any(live(state.events, newer) for newer in state.superseded_by.get(event, ()))


def follow_events(decision: Decision, events: Iterable[str]) -> None:
    """Let what the events superseded, ended and supported, and the names that rest on them, follow their change."""
    state = decision.state
    changed = sorted(events)
    older = sorted({id for newer in changed for id in state.supersedes.get(newer, ())})
    for id in older:
        known = state.events[id].state
        wanted = "superseded" if _is_superseded(state, id) else "active"
        if known in ("active", "superseded") and known != wanted:
            decision.put(EventStatePart(id=id, state="superseded" if wanted == "superseded" else "active"))
    slots = {slot for id in (*changed, *older) for slot in (*state.by_event.get(id, ()), *state.ends.get(id, ()))}
    decision.settle(sorted(slots))
    follow_names(decision, changed)


def _pin(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    pinned = request.verb == "pin"
    events = [id for target in request.targets for id in _events_of(decision.state, target)]
    done = [id for id in events if decision.state.events[id].pinned != pinned]
    for id in done:
        decision.put(EventPinPart(id=id, pinned=pinned))
    return {"events": done}


# ------------------------------------------------------------------ entities
def _entity(state: State, id: str) -> str:
    if id not in state.entities:
        raise _Refused("not_found", id=id)
    return id


def _merge(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    state = decision.state
    source, target = (state.canon(_entity(state, id)) for id in request.targets)
    if source == target:
        raise _Refused("already_one", ids=list(request.targets))
    decision.put(MergePart(source=source, target=target, reason=request.reason, decided_by=request.by))
    for member in sorted(state.group(source)):
        decision.put(CanonPart(entity=member, canon=target))
    _settle_group(decision, [target])
    return {"source": source, "target": target}


def _split(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    state = decision.state
    (id,) = request.targets
    _entity(state, id)
    found = [(pair, since) for pair, since in state.merges.items() if pair[0] == id]
    if not found:
        raise _Refused("not_merged", id=id)
    for (source, target), (since, reason) in found:
        decision.put(MergePart(source=source, target=target, reason=reason, decided_by=request.by, since=since))
    group, targets = sorted(state.group(id)), dict(iter(state.merges))
    for member in group:
        canon = _root(member, targets)
        if canon != state.canon(member):
            decision.put(CanonPart(entity=member, canon=canon))
    _settle_group(decision, sorted({state.canon(member) for member in group}))
    return {"source": id, "target": found[0][0][1]}


def _root(entity: str, targets: Mapping[str, str]) -> str:
    while entity in targets:
        entity = targets[entity]
    return entity


def _settle_group(decision: Decision, canons: Iterable[str]) -> None:
    """Settle every slot the entities have, and every slot they are a value in."""
    state = decision.state
    slots: list[tuple[str, str]] = []
    for canon in canons:
        slots.extend((canon, key) for key in sorted(state.keys_of(canon)))
        slots.extend(sorted(slot for member in state.group(canon) for slot in state.as_value.get(member, ())))
    decision.settle(slots)


# ------------------------------------------------------------------ blocks
def _lift(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    state = decision.state
    (block,) = request.targets
    known = state.blocks.get(block, {})
    if "ready" not in known:
        raise _Refused("pending" if journal.block(block) is not None else "not_found", id=block)
    latest = state.ready[block.rpartition(":")[0]]
    anchor, position = known.get("lifted", (5, known["ready"]))
    lam = float(journal.settings()["block_decay"])
    shown = level(latest - position, anchor, lam)
    target = lift_target(shown, request.value)
    decision.put(BlockLevelPart(block=block, level=target, position=latest, by=request.by))
    return {"block": block, "from": shown, "to": target}


# ------------------------------------------------------------------ undo
def _undo(decision: Decision, request: RequestPart, journal: Journal) -> dict[str, Any]:
    number = request.targets[0]
    known = number.isascii() and number.isdecimal() and 0 < int(number) <= journal.last_seq()
    entry = journal.entry(int(number)) if known else None
    if entry is None:
        raise _Refused("not_found", id=number)
    outcomes = _outcomes(journal, entry)
    if outcomes:
        return _undo_request(decision, request, journal, outcomes)
    return _undo_supersession(decision, entry)


def _outcomes(journal: Journal, entry: Entry) -> list[OutcomePart]:
    """Give the outcomes of a request, named by its own entry or by the one that decided on it."""
    if entry.kind == "requested":
        later = (e for e in journal.entries(entry.seq) if e.kind == "decided")
        parts = [part for e in later for part in e.parts if isinstance(part, OutcomePart) and part.request == entry.seq]
    else:
        parts = [part for part in entry.parts if isinstance(part, OutcomePart)]
    return [part for part in parts if part.done]


_INVERSE: dict[str, str] = {
    "forget": "unforget", "unforget": "forget", "pin": "unpin", "unpin": "pin", "merge": "split", "split": "merge"
}


def _undo_request(
    decision: Decision, request: RequestPart, journal: Journal, outcomes: list[OutcomePart]
) -> dict[str, Any]:
    undone: list[dict[str, Any]] = []
    for outcome in reversed(outcomes):
        verb, details = outcome.verb, outcome.details
        if verb not in _INVERSE:
            raise _Refused("not_undoable", verb=verb)
        targets: tuple[str, ...] = tuple(details.get("events", ()))
        if verb == "merge":
            _check_merge(decision.state, details)
            targets = (details["source"],)
        elif verb == "split":
            targets = (details["source"], details["target"])
        inverse = request.model_copy(update={"verb": _INVERSE[verb], "targets": targets})
        done = _VERBS[inverse.verb](decision, inverse, journal)
        if done.get("events") == []:
            raise _Refused("already_undone", ids=list(targets))
        undone.append({"verb": inverse.verb, **done})
    return {"undone": undone}


def _check_merge(state: State, details: dict[str, Any]) -> None:
    if (details["source"], details["target"]) not in state.merges:
        raise _Refused("already_undone", source=details["source"], target=details["target"])


def _undo_supersession(decision: Decision, entry: Entry) -> dict[str, Any]:
    """Take back what an entry superseded: its events' links, and the fact versions that replaced others."""
    state = decision.state
    links = [
        p
        for p in entry.parts
        if isinstance(p, EventLinkPart) and p.kind == "SUPERSEDES" and not p.removed and p.reason != OUTDATED
    ]
    replacing = {p.fact for p in entry.parts if isinstance(p, FactLinkPart) and p.kind == "REPLACES"}
    facts = [p for p in entry.parts if isinstance(p, FactPart) and p.id in replacing]
    if not links and not facts:
        raise _Refused("nothing_superseded", id=str(entry.seq))
    gone = [fact.id for fact in facts if fact.id not in state.facts]
    missing = [link.target for link in links if link.source not in state.superseded_by.get(link.target, {})]
    if gone or missing:
        raise _Refused("later_entries", facts=gone, events=missing)
    for link in links:
        decision.put(link.model_copy(update={"removed": True, "decided_by": decision.by}))
        if state.events[link.target].state == "superseded" and not _is_superseded(state, link.target):
            decision.put(EventStatePart(id=link.target, state="active"))
    slots = {slot for link in links for slot in state.by_event.get(link.target, ())}
    for fact in facts:
        for support in fact.supports:
            said = state.said[fact.entity, fact.key].get((support.event, fact.about or fact.value, fact.negated))
            if said is not None:  # an assertion that its own event ended is withdrawn
                taken_back = said.support.model_copy(update={"ended_by": support.event, "ended_at": None})
                state.add_said(
                    said.entity, said.key, said.value, said.about, said.negated, said.cardinality, said.confidence,
                    taken_back
                )
        slots.add((fact.entity, fact.key))
    decision.settle(sorted(slots))
    return {"links": [[link.source, link.target] for link in links], "facts": [fact.id for fact in facts]}


_VERBS: dict[str, Callable[[Decision, RequestPart, Journal], dict[str, Any]]] = {
    "forget": _forget, "unforget": _unforget, "pin": _pin, "unpin": _pin, "merge": _merge, "split": _split,
    "undo": _undo, "lift": _lift,
}
