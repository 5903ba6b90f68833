"""A subgraph as a networkx graph, and the files made of it: node-link JSON, which reads back, and flat GraphML."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import networkx as nx
from pydantic import ValidationError

from sgraph.errors import InvalidInput
from sgraph.journal.capture import thread_key
from sgraph.records.subgraph import SubgraphClaim, SubgraphData, SubgraphEvent, SubgraphNode
from sgraph.transfer.wording import label, validity

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """Put U+FFFD for what no XML or HTML file may hold: control characters and lone surrogates."""
    return _UNPRINTABLE.sub("\ufffd", text)


def to_graph(data: SubgraphData) -> nx.MultiDiGraph[str]:
    """Give a subgraph as a networkx graph.

    Nodes are entity ids, with the fields of `SubgraphNode`. Edges are relations, keyed by fact id, with the fields of
    `SubgraphClaim`; its `key` is called `relation` there. Graph attributes hold the rest: question, events, messages,
    counts. Instants are aware datetimes.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.graph.update(data.model_dump(exclude={"nodes", "edges"}), counts=data.counts.model_dump())
    for node in data.nodes:
        graph.add_node(node.id, aliases=node.aliases, **node.model_dump(exclude={"id"}))
    for edge in data.edges:
        attributes = edge.model_dump(exclude={"id", "key", "entity", "about"})
        graph.add_edge(edge.entity, edge.about or edge.entity, key=edge.id, relation=edge.key, **attributes)
    return graph


# ------------------------------------------------------------------ node-link JSON
def node_link(data: SubgraphData) -> str:
    """Write networkx's node-link form (`edges="edges"`), ASCII only, so that no character of a message is lost."""
    found = nx.node_link_data(to_graph(data), edges="edges")
    return json.dumps(found, indent=1, default=_plain) + "\n"


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"not storable: {type(value).__name__}")


def parse_node_link(text: bytes | str) -> SubgraphData:
    """Read what `node_link` wrote, checked field by field. Raises InvalidInput, also when an edge lacks an end."""
    try:
        found = json.loads(text)
        top = {name: value for name, value in found["graph"].items() if name != "counts"}
        nodes = [{name: value for name, value in node.items() if name != "aliases"} for node in found["nodes"]]
        data = SubgraphData.model_validate({**top, "nodes": nodes, "edges": [_edge(edge) for edge in found["edges"]]})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else str(error)
        raise InvalidInput(f"this is not a subgraph that sgraph wrote: {reason}", field="subgraph") from error
    _check(data)
    return data


def _edge(edge: dict[str, Any]) -> dict[str, Any]:
    names = {"source": "entity", "target": "about", "key": "id", "relation": "key"}
    return {names.get(name, name): value for name, value in edge.items()}


def _check(data: SubgraphData) -> None:
    """Check that ids are unique and that everything that is pointed at is there."""
    nodes, events, messages = ({n.id for n in data.nodes}, {e.id for e in data.events}, {m.key for m in data.messages})
    claims = [*data.edges, *(claim for node in data.nodes for claim in node.claims)]
    ids = [
        *(n.id for n in data.nodes),
        *(s.id for s in data.stubs),
        *(e.id for e in data.events),
        *(c.id for c in claims),
    ]
    twice = sorted(name for name, times in Counter(ids).items() if times > 1)
    missing = [
        *(end for claim in claims for end in (claim.entity, claim.about) if end is not None and end not in nodes),
        *(edge.id for edge in data.edges if edge.about is None),
        *(message.key for message in data.messages if not message.key.startswith(f"{thread_key(message.thread)}/")),
        *(support.event for claim in claims for support in claim.supports if support.event not in events),
        *(
            name.event
            for node in data.nodes
            for name in node.names
            if name.event is not None and name.event not in events
        ),
        *(source.message for event in data.events for source in event.sources if source.message not in messages),
    ]
    if twice or missing:
        what = f"{twice[0]} is there twice" if twice else f"{missing[0]} is pointed at and not there"
        raise InvalidInput(
            f"the subgraph does not hold together: {what}", field="subgraph", twice=twice[:20], missing=missing[:20]
        )


# ------------------------------------------------------------------ GraphML
def graphml(data: SubgraphData) -> str:
    """Write GraphML for graph viewers: every attribute one line of text, a number or a truth value; nothing is empty.

    Lists are joined by "; ". What does not fit on a line (messages, the question) is in the other formats only.
    """
    events = {event.id: event for event in data.events}
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(sgraph=data.format, exported_at=data.exported_at.isoformat())
    for node in data.nodes:
        graph.add_node(printable(node.id), **_flat(_node_attributes(node)))
    for edge in data.edges:
        ends = printable(edge.entity), printable(edge.about or "")
        graph.add_edge(*ends, key=printable(edge.id), **_flat(_claim_attributes(edge, events)))
    stream = io.BytesIO()
    nx.write_graphml_xml(graph, stream)
    return stream.getvalue().decode("utf-8")


def _node_attributes(node: SubgraphNode) -> dict[str, Any]:
    facts = [f"{label(claim)} {claim.value} ({validity(claim, UTC)}, {claim.status})" for claim in node.claims]
    return {
        "label": node.name,
        "kind": node.kind,
        "aliases": node.aliases,
        "tags": node.tags,
        "hops": node.hops,
        "facts": facts,
    }


def _claim_attributes(claim: SubgraphClaim, events: dict[str, SubgraphEvent]) -> dict[str, Any]:
    evidence = [events[support.event] for support in claim.supports if support.event in events]
    return {
        "label": label(claim),
        "relation": claim.key,
        "negated": claim.negated,
        "status": claim.status,
        "valid_from": claim.valid_from,
        "valid_to": claim.valid_to,
        "recorded_at": claim.recorded_at,
        "confidence": claim.confidence,
        "speakers": claim.speakers,
        "reporters": claim.reporters,
        "events": [event.id for event in evidence],
        "titles": [event.title for event in evidence],
        "mentioned_at": [event.mentioned_at.isoformat() for event in evidence],
        "messages": list(dict.fromkeys(source.message for event in evidence for source in event.sources)),
        "quotes": [source.quote for event in evidence for source in event.sources if source.quote is not None],
    }


def _flat(attributes: dict[str, Any]) -> dict[str, Any]:
    """Bring attributes into what GraphML takes: no None, no list, no instant."""
    flat: dict[str, Any] = {}
    for name, value in attributes.items():
        if isinstance(value, list | tuple):
            value = "; ".join(value)
        elif isinstance(value, datetime):
            value = value.isoformat()
        if value is not None and value != "":
            flat[name] = printable(value) if isinstance(value, str) else value
    return flat
