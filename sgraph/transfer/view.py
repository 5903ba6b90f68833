"""What of the graph a question may see: one snapshot, read with the queries of queries/subgraph/.

Visibility is decided in one place. A claim is seen when it was believed at `known_at`, is valid at `as_of`, belongs to
no other session, and rests on at least one event that is seen. An event is seen unless it is replaced, forgotten (both
as things stand now, at every `known_at`) or of another session.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from sgraph.graph.engine import Snapshot
from sgraph.graph.views import Moment
from sgraph.identity.names import lookup_keys
from sgraph.records.parts import Involved, SourceRef
from sgraph.records.subgraph import EntityName, Question, SubgraphClaim, SubgraphEvent, Superseder, SupportingEvent
from sgraph.resources import resource_dir

OUTSIDE = "outside"  # tag of an entity that was loaded by name only, for what it did in an event
_SEEN = frozenset({"active", "superseded", "archived"})
_CLAIM = (
    "id", "claim", "key", "value", "cardinality", "negated", "status", "visible", "confidence",
    "valid_from", "valid_to", "recorded_at",
)  # fmt: skip
_SUPPORT = ("event", "since", "stated", "until", "change", "ended_by", "ended_at")
Row = dict[str, Any]


@cache
def _query(name: str) -> str:
    return (resource_dir("queries") / "subgraph" / f"{name}.cypher").read_text("utf-8")


class View:
    """A snapshot of the graph under a question. Merged entities are one, the one that stands for them."""

    def __init__(self, snapshot: Snapshot, question: Question) -> None:
        self._snapshot, self.question = snapshot, question
        self._moment = Moment(question.as_of, question.known_at, question.session, question.include_forgotten)
        self._kept: dict[tuple[str, str], list[Row]] = {}
        merged = {row["source"]: row["target"] for row in self._all_rows("merges") if self._known(row)}
        self._canon = {source: _root(source, merged) for source in merged}
        self._members: dict[str, list[str]] = {}
        for source, canon in sorted(self._canon.items()):
            self._members.setdefault(canon, [canon]).append(source)
        self._claims: dict[str, list[SubgraphClaim]] = {}

    def _all_rows(self, query: str) -> list[Row]:
        """Give the rows of a query without parameters."""
        return self._snapshot.read(_query(query)).records()

    def _rows(self, query: str, of: str) -> list[Row]:
        """Give the rows of a query for one id."""
        self._fetch(query, [of])
        return self._kept[query, of]

    def _fetch(self, query: str, ids: Iterable[str]) -> None:
        """Read the rows of a query for many ids at once, and keep them: one reading of a table, not one for each id."""
        missing = [of for of in dict.fromkeys(ids) if (query, of) not in self._kept]
        if missing:
            self._kept.update({(query, of): [] for of in missing})
            for row in self._snapshot.read(_query(query), {"ids": missing}).records():
                self._kept[query, row.pop("of")].append(row)

    def expect(self, queries: Iterable[str], canons: Iterable[str]) -> None:
        """Read at once what will be asked about entities."""
        members = [member for canon in canons for member in self.members(canon)]
        for query in queries:
            self._fetch(query, members)

    def expect_events(self, events: Iterable[str]) -> None:
        """Read at once what will be asked about events."""
        wanted = list(events)
        for query in ("event", "event_sources", "event_entities", "superseded_by"):
            self._fetch(query, wanted)

    # -------------------------------------------------------------- what is seen
    def _known(self, row: Row, recorded: str = "recorded_at") -> bool:
        """Say whether a row was believed at `known_at`; what cannot be retired is believed once recorded."""
        return self._moment.known(row[recorded], row.get("retired_at"))

    def _seen(self, row: Row) -> bool:
        """Say whether the event of a row is seen."""
        if row["scope"] == "session" and row["session"] != self.question.session:
            return False
        return row["state"] in _SEEN or (row["state"] == "forgotten" and self.question.include_forgotten)

    def _valid(self, row: Row) -> bool:
        at = self.question.as_of
        return at is None or self._moment.holds(row["valid_from"], row["valid_to"], at)

    # -------------------------------------------------------------- entities
    def canon(self, entity: str) -> str:
        """Give the entity that stands for this one."""
        return self._canon.get(entity, entity)

    def members(self, canon: str) -> list[str]:
        """Give every entity that this one stands for, itself first."""
        return self._members.get(canon, [canon])

    def entity(self, canon: str) -> Row | None:
        """Give an entity's own row; None when there is none or it was not known yet."""
        return next((row for row in self._rows("entity", canon) if self._known(row)), None)

    def names(self, canon: str) -> tuple[EntityName, ...]:
        """Give the names an entity goes by, each with the first event that is seen to use it."""
        found: dict[tuple[str, str], EntityName] = {}
        for member in self.members(canon):
            for row in self._rows("names", member):
                if not self._known(row) or row["key"] in lookup_keys(row["kind"], row["display"]):
                    continue
                resting = [r for r in self._rows("name_events", member) if r["key"] == row["key"]]
                event = next((r["event"] for r in resting if self._known(r) and self._seen(r)), None)
                if event is not None or not resting:
                    name = EntityName(display=row["display"], kind=row["kind"], event=event)
                    found.setdefault((name.display, name.kind), name)
        return tuple(found[id_] for id_ in sorted(found))

    def exists(self, canon: str) -> bool:
        """Say whether something seen names the entity, involves it or claims something of it."""
        row = self.entity(canon)
        if row is None:
            return False
        if any(name.event is not None for name in self.names(canon)) or self.claims(canon):
            return True
        if OUTSIDE not in row["tags"] and self.events_of(canon):
            return True
        return any(canon in self.ends(other) for other in self.claimants(canon))

    def all(self, kinds: tuple[str, ...] | None) -> list[str]:
        """Give every entity that something seen names or involves, the most connected first."""
        rows = self._all_rows("named_entities") + [
            r for r in self._all_rows("present_entities") if OUTSIDE not in r["tags"]
        ]
        seen = {self.canon(row["entity"]) for row in rows if self._known(row) and self._seen(row)}
        wanted = (row for row in self._all_rows("entities") if kinds is None or row["kind"] in kinds)
        return [row["id"] for row in wanted if row["id"] in seen]

    # -------------------------------------------------------------- claims
    def claims(self, canon: str) -> list[SubgraphClaim]:
        """Give the claims about an entity that are seen, in order of recording."""
        if canon not in self._claims:
            rows: dict[str, list[Row]] = {}
            for member in self.members(canon):
                for row in self._rows("claims", member):
                    if self._known(row) and self._valid(row) and self._is_visible(row) and self._is_said(row):
                        rows.setdefault(row["id"], []).append(row)
            self._claims[canon] = [self._claim(canon, found) for _, found in sorted(rows.items())]
        return self._claims[canon]

    def _is_visible(self, row: Row) -> bool:
        return (row["visible"] or self.question.include_forgotten) and row["fact_session"] in (
            None,
            self.question.session,
        )

    def _is_said(self, row: Row) -> bool:
        """Say whether the event of a row is seen, and had come to support the claim by `known_at`."""
        return self._seen(row) and self._moment.known(row["supported_at"], None)

    def _claim(self, canon: str, rows: list[Row]) -> SubgraphClaim:
        row = rows[0]
        return SubgraphClaim(
            **{name: row[name] for name in _CLAIM},
            entity=canon,
            session=row["fact_session"],
            about=self.canon(row["about"]) if row["about"] is not None else None,
            supports=tuple(SupportingEvent(**{name: r[name] for name in _SUPPORT}) for r in rows),
        )

    def links(self, query: str, canon: str) -> list[Row]:
        """Give what the versions of an entity replace or dispute."""
        return [row for member in self.members(canon) for row in self._rows(query, member)]

    def ends(self, canon: str) -> set[str]:
        """Give the entities that claims about this one name."""
        return {claim.about for claim in self.claims(canon) if claim.about is not None}

    def claimants(self, canon: str) -> set[str]:
        """Give the entities that may have claims naming this one."""
        return {
            self.canon(row["entity"]) for member in self.members(canon) for row in self._rows("claims_naming", member)
        }

    def neighbours(self, canons: Iterable[str]) -> set[str]:
        """Give the entities that a claim joins to one of these, whichever way it points."""
        own = list(canons)
        self.expect(("claims", "claims_naming"), own)
        others = {canon: self.claimants(canon) for canon in own}
        self.expect(("claims",), {other for found in others.values() for other in found})
        near = {end for canon in own for end in self.ends(canon)}
        near |= {other for canon in own for other in others[canon] if canon in self.ends(other)}
        self.expect(("entity",), near)
        return near

    # -------------------------------------------------------------- events
    def events_of(self, canon: str) -> list[str]:
        """Give the events an entity takes part in, the newest first."""
        rows = [row for member in self.members(canon) for row in self._rows("entity_events", member)]
        rows.sort(key=lambda row: (row["mentioned_at"], row["event"]), reverse=True)
        return list(dict.fromkeys(row["event"] for row in rows if self._known(row) and self._seen(row)))

    def event(self, event: str) -> SubgraphEvent | None:
        """Give an event with its quotes and who took part; None when it is not seen."""
        found = self._rows("event", event)
        if not found or not self._known(found[0]) or not self._seen(found[0]):
            return None
        row = {name: value for name, value in found[0].items() if name != "recorded_at"}
        later = (
            [r for r in self._rows("superseded_by", event) if self._known(r, "at")] if row["state"] != "active" else []
        )
        return SubgraphEvent(
            **row,
            sources=tuple(
                SourceRef(message=r["message"], quote=r["quote"], start=r["quote_start"], end=r["quote_end"])
                for r in self._rows("event_sources", event)
            ),
            involved=tuple(
                dict.fromkeys(
                    Involved(entity=self.canon(r["entity"]), role=r["role"])
                    for r in self._rows("event_entities", event)
                )
            ),
            superseded_by=tuple(
                Superseder(event=r["event"], reason=r["reason"], decided_by=r["decided_by"]) for r in later
            ),
        )


def _root(entity: str, merged: dict[str, str]) -> str:
    while entity in merged:
        entity = merged[entity]
    return entity
