"""What of the graph a question may see: one snapshot, read entity by entity with the queries of queries/subgraph/.

Visibility is decided in one place. A claim is seen when it was believed at `known_at`, is valid at `as_of`, belongs to
no other session, and rests on at least one event that is seen. An event is seen unless it is replaced, forgotten (both
as things stand now, at every `known_at`) or of another session.
"""

from __future__ import annotations

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
    "id",
    "claim",
    "key",
    "value",
    "cardinality",
    "negated",
    "status",
    "visible",
    "confidence",
    "valid_from",
    "valid_to",
    "recorded_at",
)
_SUPPORT = ("event", "since", "stated", "until", "change", "ended_by", "ended_at")


@cache
def _query(name: str) -> str:
    return (resource_dir("queries") / "subgraph" / f"{name}.cypher").read_text("utf-8")


class View:
    """A snapshot of the graph under a question. Merged entities are one, the one that stands for them."""

    def __init__(self, snapshot: Snapshot, question: Question) -> None:
        self._snapshot, self.question = snapshot, question
        self._moment = Moment(question.as_of, question.known_at, question.session, question.include_forgotten)
        merged = {row["source"]: row["target"] for row in self.rows("merges") if self._known(row)}
        self._canon = {source: _root(source, merged) for source in merged}
        self._members: dict[str, list[str]] = {}
        for source, canon in sorted(self._canon.items()):
            self._members.setdefault(canon, [canon]).append(source)
        self._claims: dict[str, list[SubgraphClaim]] = {}
        self._entities: dict[str, dict[str, Any] | None] = {}

    def rows(self, name: str, **params: Any) -> list[dict[str, Any]]:
        """Give the rows of one of the queries in queries/subgraph/."""
        return self._snapshot.read(_query(name), params).records()

    # -------------------------------------------------------------- what is seen
    def _known(self, row: dict[str, Any], recorded: str = "recorded_at") -> bool:
        """Say whether a row was believed at `known_at`; what cannot be retired is believed once recorded."""
        return self._moment.known(row[recorded], row.get("retired_at"))

    def _seen(self, row: dict[str, Any]) -> bool:
        """Say whether the event of a row is seen."""
        if row["scope"] == "session" and row["session"] != self.question.session:
            return False
        return row["state"] in _SEEN or (row["state"] == "forgotten" and self.question.include_forgotten)

    def _valid(self, row: dict[str, Any]) -> bool:
        at = self.question.as_of
        return at is None or self._moment.holds(row["valid_from"], row["valid_to"], at)

    # -------------------------------------------------------------- entities
    def canon(self, entity: str) -> str:
        """Give the entity that stands for this one."""
        return self._canon.get(entity, entity)

    def members(self, canon: str) -> list[str]:
        """Give every entity that this one stands for, itself first."""
        return self._members.get(canon, [canon])

    def entity(self, canon: str) -> dict[str, Any] | None:
        """Give an entity's own row; None when there is none or it was not known yet."""
        if canon not in self._entities:
            found = self.rows("entity", id=canon)
            self._entities[canon] = found[0] if found and self._known(found[0]) else None
        return self._entities[canon]

    def names(self, canon: str) -> tuple[EntityName, ...]:
        """Give the names an entity goes by, each with the first event that is seen to use it."""
        found: dict[tuple[str, str], EntityName] = {}
        for member in self.members(canon):
            for row in self.rows("names", id=member):
                if not self._known(row) or row["key"] in lookup_keys(row["kind"], row["display"]):
                    continue
                resting = self.rows("name_events", key=row["key"], entity=member)
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
        rows = self.rows("named_entities") + [r for r in self.rows("present_entities") if OUTSIDE not in r["tags"]]
        seen = {self.canon(row["entity"]) for row in rows if self._known(row) and self._seen(row)}
        wanted = (row for row in self.rows("entities") if kinds is None or row["kind"] in kinds)
        return [row["id"] for row in wanted if row["id"] in seen]

    # -------------------------------------------------------------- claims
    def claims(self, canon: str) -> list[SubgraphClaim]:
        """Give the claims about an entity that are seen, in order of recording."""
        if canon not in self._claims:
            rows: dict[str, list[dict[str, Any]]] = {}
            for member in self.members(canon):
                for row in self.rows("claims", id=member):
                    if self._known(row) and self._valid(row) and self._is_visible(row) and self._is_said(row):
                        rows.setdefault(row["id"], []).append(row)
            self._claims[canon] = [self._claim(canon, found) for _, found in sorted(rows.items())]
        return self._claims[canon]

    def _is_visible(self, row: dict[str, Any]) -> bool:
        return (row["visible"] or self.question.include_forgotten) and row["fact_session"] in (
            None,
            self.question.session,
        )

    def _is_said(self, row: dict[str, Any]) -> bool:
        """Say whether the event of a row is seen, and had come to support the claim by `known_at`."""
        return self._seen(row) and self._moment.known(row["supported_at"], None)

    def _claim(self, canon: str, rows: list[dict[str, Any]]) -> SubgraphClaim:
        row = rows[0]
        return SubgraphClaim(
            **{name: row[name] for name in _CLAIM},
            entity=canon,
            session=row["fact_session"],
            about=self.canon(row["about"]) if row["about"] is not None else None,
            supports=tuple(SupportingEvent(**{name: r[name] for name in _SUPPORT}) for r in rows),
        )

    def links(self, query: str, canon: str) -> list[dict[str, Any]]:
        """Give what the versions of an entity replace or dispute."""
        return [row for member in self.members(canon) for row in self.rows(query, id=member)]

    def ends(self, canon: str) -> set[str]:
        """Give the entities that claims about this one name."""
        return {claim.about for claim in self.claims(canon) if claim.about is not None}

    def claimants(self, canon: str) -> set[str]:
        """Give the entities that may have claims naming this one."""
        return {
            self.canon(row["entity"]) for member in self.members(canon) for row in self.rows("claims_naming", id=member)
        }

    def neighbours(self, canon: str) -> set[str]:
        """Give the entities that a claim joins to this one, whichever way it points."""
        return self.ends(canon) | {other for other in self.claimants(canon) if canon in self.ends(other)}

    # -------------------------------------------------------------- events
    def events_of(self, canon: str) -> list[str]:
        """Give the events an entity takes part in, the newest first."""
        rows = [row for member in self.members(canon) for row in self.rows("entity_events", id=member)]
        rows.sort(key=lambda row: (row["mentioned_at"], row["event"]), reverse=True)
        return list(dict.fromkeys(row["event"] for row in rows if self._known(row) and self._seen(row)))

    def event(self, event: str) -> SubgraphEvent | None:
        """Give an event with its quotes and who took part; None when it is not seen."""
        found = self.rows("event", id=event)
        if not found or not self._known(found[0]) or not self._seen(found[0]):
            return None
        row = {name: value for name, value in found[0].items() if name != "recorded_at"}
        later = (
            [r for r in self.rows("superseded_by", id=event) if self._known(r, "at")]
            if row["state"] != "active"
            else []
        )
        return SubgraphEvent(
            **row,
            sources=tuple(
                SourceRef(message=r["message"], quote=r["quote"], start=r["quote_start"], end=r["quote_end"])
                for r in self.rows("event_sources", id=event)
            ),
            involved=tuple(
                dict.fromkeys(
                    Involved(entity=self.canon(r["entity"]), role=r["role"])
                    for r in self.rows("event_entities", id=event)
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
