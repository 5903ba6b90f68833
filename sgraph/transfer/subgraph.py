"""Take a part of the graph out: around an entity, or the whole, with the evidence of every claim.

A relation is an edge, keyed by the id of its fact version; what is plain text is a claim of its node. Every edge has
both ends among the nodes. An entity is one node however many it was merged from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sgraph.errors import InvalidInput, NotFound
from sgraph.graph.views import Moment
from sgraph.identity import find
from sgraph.records.parts import FactRef, MessagePart
from sgraph.records.subgraph import (
    Counts,
    Cut,
    Question,
    Stub,
    SubgraphClaim,
    SubgraphData,
    SubgraphEvent,
    SubgraphMessage,
    SubgraphNode,
    SupportingEvent,
)
from sgraph.space.space import Space
from sgraph.transfer import formats
from sgraph.transfer.page import page
from sgraph.transfer.view import View

if TYPE_CHECKING:
    import networkx as nx

_ASKED = ("entity", "names", "name_events", "claims", "replaces", "disputes", "entity_events")
_WRITERS = {".json": formats.node_link, ".graphml": formats.graphml, ".html": page}


@dataclass(frozen=True)
class Subgraph:
    """What was taken out: `data` with everything, and `graph` as a networkx.MultiDiGraph."""

    data: SubgraphData

    @cached_property
    def graph(self) -> nx.MultiDiGraph[str]:
        """Give it as a graph; see `sgraph.transfer.formats.to_graph` for the attributes."""
        return formats.to_graph(self.data)

    @property
    def counts(self) -> Counts:
        """Count nodes, edges, claims, events and messages."""
        return self.data.counts

    def write(self, path: str | Path) -> Path:
        """Write it to a file, replacing one that is there; give its path.

        The suffix decides: `.json` is networkx's node-link form and reads back without loss, `.graphml` is flat text
        for graph viewers, `.html` is one page for review that needs nothing else. Raises InvalidInput for any other.
        """
        target = Path(path)
        writer = _WRITERS.get(target.suffix.lower())
        if writer is None:
            raise InvalidInput(
                f"the file must end in {', '.join(_WRITERS)}; got {target.name!r}", field="path", value=str(path)
            )
        target.write_text(writer(self.data), encoding="utf-8", newline="\n")
        return target


def read_node_link(path: str | Path) -> Subgraph:
    """Read a subgraph from the `.json` file that `Subgraph.write` made. Raises InvalidInput."""
    return Subgraph(formats.parse_node_link(Path(path).read_bytes()))


def build(
    space: Space,
    around: str | None = None,
    *,
    kinds: Iterable[str] | None = None,
    hops: int = 1,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    session: str | None = None,
    include_forgotten: bool = False,
    limit: int = 200,
) -> Subgraph:
    """Take a subgraph out of the space as its graph stands (the caller has it catch up first).

    `around` is a name or an id (a short form of a name will do). Relations are followed both ways, `hops` of them; 0
    gives the start alone. Without `around` it is the whole graph, the most connected entities first. `kinds` keeps only
    entities of these kinds (the start stays); others are not walked through. By default every version that stands is
    there with its validity, so history too; `as_of` keeps what is valid at that instant, `known_at` goes back to what
    was believed then. `limit` bounds the entities, and the further events of each; `data.cut` counts what it left out.
    Raises NotFound with near names, and InvalidInput, also when the name means several (`details`: candidates).
    """
    question = _question(around, kinds, hops, as_of, known_at, session, include_forgotten, limit)
    with space.engine.snapshot() as snapshot:
        start = None
        if around is not None:
            moment = Moment(as_of, known_at, session, include_forgotten)
            with space.guard:
                start = find.entity(
                    space.state, lambda text, given: snapshot.read(text, given).records(), around, moment
                )
        view = View(snapshot, question)
        reached, cut = _reach(view, start)
        return Subgraph(_Assembly(view, space, reached, cut).data())


def _question(
    around: str | None,
    kinds: Iterable[str] | None,
    hops: int,
    as_of: datetime | None,
    known_at: datetime | None,
    session: str | None,
    include_forgotten: bool,
    limit: int,
) -> Question:
    for field, number, least in (("hops", hops, 0), ("limit", limit, 1)):
        if not isinstance(number, int) or isinstance(number, bool) or number < least:
            raise InvalidInput(f"{field} must be a whole number of at least {least}", field=field, value=number)
    for field, instant in (("as_of", as_of), ("known_at", known_at)):
        if instant is not None and instant.tzinfo is None:
            raise InvalidInput(f"{field} must carry an offset or a zone", field=field, value=instant.isoformat())
    if isinstance(kinds, str):
        kinds = (kinds,)
    return Question(
        around=around,
        kinds=tuple(kinds) if kinds is not None else None,
        hops=hops,
        as_of=as_of,
        known_at=known_at,
        session=session,
        include_forgotten=include_forgotten,
        limit=limit,
    )


# ------------------------------------------------------------------ which entities
def _reach(view: View, start: str | None) -> tuple[dict[str, int], int]:
    """Give the entities in reach with their distance, nearest first, and how many more the limit left out."""
    question = view.question
    if start is None:
        found = view.all(question.kinds)
        return dict.fromkeys(found[: question.limit], 0), max(0, len(found) - question.limit)
    if not view.exists(start):
        raise NotFound(
            f"nothing that is known bears the name {question.around!r}", kind="entity", id=question.around, near=[]
        )
    reached = {start: 0}
    left_out: set[str] = set()
    edge = [start]
    for hop in range(1, question.hops + 1):
        near = view.neighbours(edge) - reached.keys() - left_out
        edge = []
        for other in sorted(near):
            if not _is_wanted(view, other):
                continue
            if len(reached) < question.limit:
                reached[other] = hop
                edge.append(other)
            else:
                left_out.add(other)
        if not edge:
            break
    return reached, len(left_out)


def _is_wanted(view: View, entity: str) -> bool:
    row = view.entity(entity)
    return row is not None and (view.question.kinds is None or row["kind"] in view.question.kinds)


# ------------------------------------------------------------------ what is said of them
class _Assembly:
    """The parts of a subgraph under construction."""

    def __init__(self, view: View, space: Space, reached: dict[str, int], cut: int) -> None:
        self.view, self.space, self.reached, self.cut_nodes = view, space, reached, cut
        self.events: dict[str, SubgraphEvent] = {}
        self.messages: dict[str, MessagePart] = {}
        self.stubs: dict[str, Stub] = {}
        view.expect(_ASKED, reached)
        self.nodes = {entity: self._node(entity) for entity in reached}

    def data(self) -> SubgraphData:
        """Give the finished subgraph."""
        question = self.view.question
        claims = {entity: self.view.claims(entity) for entity in self.reached}
        inside = {e: [c for c in own if c.about is None or c.about in self.reached] for e, own in claims.items()}
        leading_out = sum(len(claims[entity]) - len(inside[entity]) for entity in self.reached)
        listed = {entity: self.view.events_of(entity) for entity in self.reached}
        self._gather(self._wanted(inside, listed))
        self._name_strangers()
        told = {entity: self._told(entity, own) for entity, own in inside.items()}
        return SubgraphData(
            question=question,
            starts=() if question.around is None else tuple(e for e, hops in self.reached.items() if hops == 0),
            exported_at=datetime.now(UTC),
            timezone=str(self.space.setting("timezone")),
            nodes=tuple(
                node.model_copy(
                    update={
                        "claims": tuple(claim for claim in told[entity] if claim.about is None),
                        "events": tuple(event for event in reversed(listed[entity]) if event in self.events),
                    }
                )
                for entity, node in self.nodes.items()
            ),
            edges=tuple(claim for own in told.values() for claim in own if claim.about is not None),
            events=tuple(sorted(self.events.values(), key=lambda event: (event.mentioned_at, event.id))),
            messages=tuple(
                _message(part) for part in sorted(self.messages.values(), key=lambda m: (m.thread, m.position))
            ),
            stubs=tuple(self.stubs.values()),
            cut=Cut(
                nodes=self.cut_nodes,
                events=sum(max(0, len(events) - question.limit) for events in listed.values()),
                edges=leading_out,
            ),
        )

    def _wanted(self, claims: dict[str, list[SubgraphClaim]], listed: dict[str, list[str]]) -> list[str]:
        """Give the events to show: what claims rest on, what ended them, what names rest on, and the newest of each."""
        supports = [support for own in claims.values() for claim in own for support in claim.supports]
        return [
            *(support.event for support in supports),
            *(support.ended_by for support in supports if support.ended_by is not None),
            *(name.event for node in self.nodes.values() for name in node.names if name.event is not None),
            *(event for events in listed.values() for event in events[: self.view.question.limit]),
        ]

    def _node(self, entity: str) -> SubgraphNode:
        row, names = self.view.entity(entity), self.view.names(entity)
        assert row is not None
        displays = [name.display for name in names]
        name = row["name"] if row["name"] in displays or not displays else displays[0]
        return SubgraphNode(
            id=entity, name=name, kind=row["kind"], tags=tuple(row["tags"]), names=names, hops=self.reached[entity]
        )

    def _gather(self, wanted: Sequence[str]) -> None:
        """Read events, those that superseded them, and the messages they rest on."""
        waiting = list(dict.fromkeys(wanted))
        while waiting:
            self.view.expect_events(waiting)
            found = [event for event in map(self.view.event, waiting) if event is not None]
            self.events.update({event.id: event for event in found})
            waiting = [link.event for event in found for link in event.superseded_by if link.event not in self.events]
        for key in dict.fromkeys(source.message for event in self.events.values() for source in event.sources):
            message = self.space.journal.message(key)
            if message is not None:
                self.messages[key] = message
        self.events = {name: self._closed(event) for name, event in self.events.items()}

    def _closed(self, event: SubgraphEvent) -> SubgraphEvent:
        """Leave out what points at something that is not in the file: an event that is not seen, an erased message."""
        return event.model_copy(
            update={
                "superseded_by": tuple(link for link in event.superseded_by if link.event in self.events),
                "sources": tuple(source for source in event.sources if source.message in self.messages),
            }
        )

    def _name_strangers(self) -> None:
        """Note, by name only, the entities that take part in events but are not in the subgraph."""
        involved = {part.entity for event in self.events.values() for part in event.involved} - self.reached.keys()
        self.view.expect(("entity",), involved)
        for entity in sorted(involved):
            row = self.view.entity(entity)
            if row is not None:
                self.stubs[entity] = Stub(id=entity, name=row["name"], kind=row["kind"])

    def _told(self, entity: str, claims: list[SubgraphClaim]) -> list[SubgraphClaim]:
        """Complete claims with who said them and with the other claims they point at."""
        inside = {claim.id for claim in claims}
        links = {query: self.view.links(query, entity) if len(claims) > 1 else [] for query in ("replaces", "disputes")}

        def refs(query: str, claim: SubgraphClaim) -> tuple[FactRef, ...]:
            return tuple(
                FactRef(fact=row["fact"], reason=row["reason"], decided_by=row["decided_by"])
                for row in links[query]
                if row["source"] == claim.id and row["fact"] in inside
            )

        return [
            claim.model_copy(
                update={
                    "speakers": self._people(claim, "speaker"),
                    "reporters": self._people(claim, "reporter"),
                    "replaces": refs("replaces", claim),
                    "disputes": refs("disputes", claim),
                    "supports": tuple(map(self._ended, claim.supports)),
                }
            )
            for claim in claims
        ]

    def _ended(self, support: SupportingEvent) -> SupportingEvent:
        """Leave out an end that an event set which is not seen."""
        hidden = support.ended_by is not None and support.ended_by not in self.events
        return support.model_copy(update={"ended_by": None, "ended_at": None}) if hidden else support

    def _people(self, claim: SubgraphClaim, role: str) -> tuple[str, ...]:
        events = [self.events[support.event] for support in claim.supports if support.event in self.events]
        found = [self._display(part.entity) for event in events for part in event.involved if part.role == role]
        if role == "speaker" and not found:
            spoken = [self.messages[source.message] for event in events for source in event.sources]
            found = [message.speaker or message.role for message in spoken]
        return tuple(dict.fromkeys(found))

    def _display(self, entity: str) -> str:
        known = self.nodes.get(entity) or self.stubs.get(entity)
        return known.name if known is not None else entity


def _message(part: MessagePart) -> SubgraphMessage:
    return SubgraphMessage(**{name: getattr(part, name) for name in SubgraphMessage.model_fields})
