"""An entity on the page: its claims with their evidence and validity, and the events it takes part in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property

from sgraph.records.subgraph import SubgraphClaim, SubgraphData, SubgraphEvent, SubgraphMessage, SubgraphNode
from sgraph.transfer.markup import Markup, el, foreign, join
from sgraph.transfer.timebars import Bar, time_bars
from sgraph.transfer.wording import Standing, count, happened, instant, label, standing, validity, zone_of

_HEADINGS: tuple[tuple[Standing, str], ...] = (
    ("now", "What is true now"),
    ("planned", "Planned"),
    ("disputed", "Disputed: the sources disagree"),
    ("history", "History: no longer true"),
    ("forgotten", "Forgotten"),
)
_EXCERPT = 600  # characters of a message that is shown for want of a quote


@dataclass(frozen=True)
class Sheet:
    """The data of a page by id, and where on the page everything is explained."""

    data: SubgraphData

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone days are shown in."""
        return zone_of(self.data.timezone)

    @property
    def now(self) -> datetime:
        """What counts as now: the instant that was asked about, else the export itself."""
        return self.data.question.as_of or self.data.exported_at

    @cached_property
    def claims(self) -> dict[str, list[SubgraphClaim]]:
        """The claims of each entity, by valid time."""
        found: dict[str, list[SubgraphClaim]] = {node.id: list(node.claims) for node in self.data.nodes}
        for edge in self.data.edges:
            found[edge.entity].append(edge)
        return {entity: sorted(own, key=lambda claim: (claim.valid_from, claim.id)) for entity, own in found.items()}

    @cached_property
    def naming(self) -> dict[str, list[SubgraphClaim]]:
        """The claims of others that name an entity."""
        found: dict[str, list[SubgraphClaim]] = defaultdict(list)
        for edge in self.data.edges:
            if edge.about is not None and edge.about != edge.entity:
                found[edge.about].append(edge)
        return found

    @cached_property
    def anchors(self) -> dict[str, str]:
        """Where an entity or a claim is explained, by id."""
        entities = {node.id: f"e{number}" for number, node in enumerate(self.data.nodes, 1)}
        claims = [claim.id for own in self.claims.values() for claim in own]
        return entities | {claim: f"c{number}" for number, claim in enumerate(claims, 1)}

    @cached_property
    def nodes(self) -> dict[str, SubgraphNode]:
        """The entities by id."""
        return {node.id: node for node in self.data.nodes}

    @cached_property
    def people(self) -> dict[str, str]:
        """The names of entities by id, also of those outside."""
        return {**{stub.id: stub.name for stub in self.data.stubs}, **{node.id: node.name for node in self.data.nodes}}

    @cached_property
    def events(self) -> dict[str, SubgraphEvent]:
        """The events by id."""
        return {event.id: event for event in self.data.events}

    @cached_property
    def messages(self) -> dict[str, SubgraphMessage]:
        """The messages by key."""
        return {message.key: message for message in self.data.messages}


# ------------------------------------------------------------------ an entity
def entity_section(this: Sheet, node: SubgraphNode) -> Markup:
    """Show an entity: its validity bars, its claims by how they stand, what names it, and its further events."""
    claims = this.claims[node.id]
    groups: dict[Standing, list[SubgraphClaim]] = defaultdict(list)
    for claim in claims:
        groups[standing(claim, this.now)].append(claim)
    told = {support.event for claim in claims for support in claim.supports}
    plans = [e for e in _events(this, node) if e.status == "planned" and e.state == "active" and e.id not in told]
    others = [e for e in _events(this, node) if e.id not in told and e not in plans]
    aliases = (
        join(
            "Also: ", *(part for i, alias in enumerate(node.aliases) for part in (", " if i else None, foreign(alias)))
        )
        if node.aliases
        else None
    )
    sections = [
        _section(
            heading,
            [_claim(this, claim, name) for claim in groups[name]]
            + ([_event(this, e) for e in plans] if name == "planned" else []),
        )
        for name, heading in _HEADINGS
    ]
    return el(
        "article",
        el("h2", foreign(node.name), " ", el("span", foreign(node.kind), class_="kind")),
        el("p", aliases, class_="aliases") if aliases else None,
        _bars(this, claims) if claims else None,
        *sections,
        _named(this, node),
        _more(this, others),
        el("p", "Nothing is claimed of it here.", class_="quiet")
        if not claims and not plans and not this.naming[node.id]
        else None,
        id=this.anchors[node.id],
        class_="entity",
        tabindex=-1,
    )


def _events(this: Sheet, node: SubgraphNode) -> list[SubgraphEvent]:
    return [this.events[event] for event in node.events if event in this.events]


def _section(heading: str, items: list[Markup]) -> Markup | None:
    return join(el("h3", heading), *items) if items else None


def _bars(this: Sheet, claims: list[SubgraphClaim]) -> Markup:
    bars = [
        Bar(
            this.anchors[claim.id],
            f"{label(claim)} {_value(this, claim)}",
            claim.valid_from,
            claim.valid_to,
            validity(claim, this.zone),
            standing(claim, this.now),
            claim.negated,
        )
        for claim in claims
    ]
    return time_bars(bars, this.now, this.zone)


def _value(this: Sheet, claim: SubgraphClaim) -> str:
    return this.people[claim.about] if claim.about is not None else claim.value


def _named(this: Sheet, node: SubgraphNode) -> Markup | None:
    """List what others' claims say of the entity."""
    items = [
        el(
            "li",
            el(
                "a",
                foreign(this.people[claim.entity]),
                " ",
                label(claim),
                " ",
                foreign(node.name),
                href=f"#{this.anchors[claim.id]}",
            ),
            el("span", f" {validity(claim, this.zone)}", class_="quiet"),
        )
        for claim in sorted(this.naming[node.id], key=lambda claim: (claim.valid_from, claim.id))
    ]
    return join(el("h3", "Named in"), el("ul", *items)) if items else None


def _more(this: Sheet, events: list[SubgraphEvent]) -> Markup | None:
    if not events:
        return None
    return el("details", el("summary", count(len(events), "further event")), *(_event(this, event) for event in events))


# ------------------------------------------------------------------ a claim and its evidence
def _claim(this: Sheet, claim: SubgraphClaim, stands: Standing) -> Markup:
    value = foreign(_value(this, claim))
    if claim.about is not None:
        value = el("a", value, href=f"#{this.anchors[claim.about]}")
    others = {c.id: c for c in this.claims[claim.entity]}
    pointed = [
        el(
            "li",
            words,
            " ",
            el(
                "a",
                label(others[ref.fact]),
                " ",
                foreign(_value(this, others[ref.fact])),
                href=f"#{this.anchors[ref.fact]}",
            ),
            f": {ref.reason} (decided by {ref.decided_by})",
        )
        for words, refs in (("Replaces", claim.replaces), ("Disputes", claim.disputes))
        for ref in refs
        if ref.fact in others
    ]
    holds = validity(claim, this.zone)
    notes = [
        el("li", holds[:1].upper() + holds[1:]),
        el("li", "Said by ", foreign(", ".join(claim.speakers))) if claim.speakers else None,
        el("li", "Reported by ", foreign(", ".join(claim.reporters)), ": hearsay") if claim.reporters else None,
        el("li", "Only in the session ", foreign(claim.session)) if claim.session is not None else None,
        el("li", f"Recorded {instant(claim.recorded_at, this.zone)}"),
        *pointed,
    ]
    evidence = [_event(this, this.events[support.event]) for support in claim.supports if support.event in this.events]
    return el(
        "section",
        el("h4", foreign(this.people[claim.entity]), " ", el("em", label(claim)), " ", value),
        el("ul", *notes, class_="notes"),
        *evidence,
        el("p", "Claim ", el("code", claim.id), class_="id"),
        id=this.anchors[claim.id],
        class_=f"claim {stands}",
        tabindex=-1,
    )


def _event(this: Sheet, event: SubgraphEvent) -> Markup:
    """Show an event with its words: the quotes, or what was said where nothing is quoted."""
    when = happened(event, this.zone)
    state = "" if event.state == "active" else f", {event.state}"
    notes = [
        f"{event.event_type}, {event.status}{state}",
        f"mentioned {instant(event.mentioned_at, this.zone)}",
        f"happened {when}" if when else "when it happened is not said",
        event.time_note,
    ]
    said = {"", event.title.strip(), *(source.quote.strip() for source in event.sources if source.quote is not None)}
    later = [this.events[link.event].title for link in event.superseded_by if link.event in this.events]
    return el(
        "div",
        el(
            "p",
            el("strong", foreign(event.title)),
            el("span", foreign(" · ".join(note for note in notes if note)), class_="quiet"),
        ),
        el("p", foreign(event.summary)) if event.summary.strip() not in said else None,
        el("p", "Superseded by ", foreign("; ".join(later)), class_="quiet") if later else None,
        *(_quote(this, source.message, source.quote, source.start, source.end) for source in event.sources),
        class_="event",
    )


def _quote(this: Sheet, key: str, quote: str | None, start: int | None, end: int | None) -> Markup:
    message = this.messages[key]
    words = (
        quote if quote is not None else message.content[:_EXCERPT] + ("…" if len(message.content) > _EXCERPT else "")
    )
    span = (
        f", characters {start} to {end}"
        if quote is not None and start is not None
        else ", the whole message"
        if words == message.content
        else ", its beginning"
    )
    return el(
        "blockquote",
        el("p", words, dir="auto"),
        el(
            "footer",
            foreign(message.speaker or message.role),
            ", ",
            el("time", instant(message.sent_at, this.zone), datetime=message.sent_at.isoformat()),
            ", ",
            el("code", foreign(key)),
            span,
        ),
    )
