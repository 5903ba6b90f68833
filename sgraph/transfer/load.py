"""Put a subgraph that was written to a file into a fresh space, with the ids it has.

The messages go in as source entries; the rules do not read them again, for what was made of them comes along as one
decision. What the file cannot hold starts anew: `recorded_at` is when this space learned it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby

from sgraph.errors import RequestRefused
from sgraph.identity.cast import add_name
from sgraph.journal.capture import capture
from sgraph.records.message import NewMessage
from sgraph.records.parts import (
    EntityPart,
    EventLinkPart,
    EventPart,
    FactLinkPart,
    FactPart,
    Part,
    SettingPart,
    Support,
)
from sgraph.records.subgraph import Counts, SubgraphClaim, SubgraphData, SubgraphEvent, SubgraphMessage
from sgraph.space.space import Space
from sgraph.transfer.subgraph import Subgraph
from sgraph.transfer.view import OUTSIDE
from sgraph.truth.decision import Decision

_FRESH = frozenset({"opened", "settings"})


def load_into(space: Space, subgraph: Subgraph) -> Counts:
    """Load a subgraph into a space that holds nothing yet; give what is there now. Needs ownership.

    Exporting again with the same question gives the same nodes, edges, names, validity, quotes and messages, under the
    same ids. Raises RequestRefused when the space is not fresh, SpaceLocked.
    """
    space.require_owner("load a subgraph")
    with space.guard:
        if any(entry.kind not in _FRESH for entry in space.journal.entries()):
            raise RequestRefused(
                "a subgraph is loaded into a fresh space; this one holds something already", reason="not_fresh"
            )
        _capture(space, subgraph.data)
        space.catch_up()
        decision = Decision(space.state, datetime.now(UTC), "import")
        with space.state_at_risk():
            _decide(decision, subgraph.data)
        space.record("decided", decision.parts, at=decision.at)
        return _counts(space, subgraph.data)


def _capture(space: Space, data: SubgraphData) -> None:
    rules = space.setting("rules")
    with space.journal.transaction():
        space.journal.append("settings", [SettingPart(name="rules", value=False)])
        for thread, messages in groupby(data.messages, key=lambda message: message.thread):
            capture(space.journal, [_new(message) for message in messages], thread=thread)
        space.journal.append("settings", [SettingPart(name="rules", value=rules)])


def _new(message: SubgraphMessage) -> NewMessage:
    return NewMessage(
        role=message.role,
        content=message.content,
        sent_at=message.sent_at,
        speaker=message.speaker,
        id=message.key.partition("/")[2],
        session=message.session_label,
        tool_calls=message.tool_calls,
        agent=message.agent,
        adapter=message.adapter,
    )


def _decide(decision: Decision, data: SubgraphData) -> None:
    known = {node.id for node in data.nodes} | {stub.id for stub in data.stubs}
    decision.put(*(EntityPart(id=node.id, name=node.name, kind=node.kind, tags=node.tags) for node in data.nodes))
    decision.put(*(EntityPart(id=stub.id, name=stub.name, kind=stub.kind, tags=(OUTSIDE,)) for stub in data.stubs))
    for event in data.events:
        decision.put(_event(event, known))
    for event in data.events:
        for link in event.superseded_by:
            decision.put(
                EventLinkPart(
                    kind="SUPERSEDES",
                    source=link.event,
                    target=event.id,
                    reason=link.reason,
                    decided_by=link.decided_by,
                )
            )
    for node in data.nodes:
        for name in node.names:
            events = (name.event,) if name.event is not None else ()
            add_name(decision, name.display, name.kind, node.id, events)
    claims = sorted((*data.edges, *(claim for node in data.nodes for claim in node.claims)), key=lambda claim: claim.id)
    decision.put(*map(_fact, claims))
    decision.put(*(part for claim in claims for part in _links(claim)))


def _event(event: SubgraphEvent, known: set[str]) -> EventPart:
    fields = event.model_dump(exclude={"involved", "superseded_by", "sources"})
    return EventPart(
        **fields, sources=event.sources, involved=tuple(part for part in event.involved if part.entity in known)
    )


def _fact(claim: SubgraphClaim) -> FactPart:
    fields = claim.model_dump(exclude={"speakers", "reporters", "recorded_at", "supports", "replaces", "disputes"})
    return FactPart(**fields, supports=tuple(Support(**support.model_dump()) for support in claim.supports))


def _links(claim: SubgraphClaim) -> list[Part]:
    links: list[Part] = [FactLinkPart(kind="REPLACES", fact=claim.id, other=ref) for ref in claim.replaces]
    return links + [FactLinkPart(kind="DISPUTES", fact=claim.id, other=ref) for ref in claim.disputes]


def _counts(space: Space, data: SubgraphData) -> Counts:
    """Count, in the graph, what was loaded."""
    state = space.state
    facts = [
        state.facts[claim.id]
        for claim in (*data.edges, *(c for n in data.nodes for c in n.claims))
        if claim.id in state.facts
    ]
    return Counts(
        nodes=sum(node.id in state.entities for node in data.nodes),
        edges=sum(fact.about is not None for fact in facts),
        claims=len(facts),
        events=sum(event.id in state.events for event in data.events),
        messages=sum(space.journal.message(message.key) is not None for message in data.messages),
    )
