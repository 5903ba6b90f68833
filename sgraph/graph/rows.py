"""Rows: what an entry puts into, changes in and takes out of the graph; and their fold.

`Delta` folds rows until they are written: a change of a node that is not written yet changes the node, a link that is
taken out again disappears. One fold, two small writers: statements for the living graph, COPY for an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Props = dict[str, Any]

ENDS: dict[str, tuple[str, str]] = {
    "IN_THREAD": ("Message", "Thread"),
    "NEXT": ("Message", "Message"),
    "HAS_MESSAGE": ("Turn", "Message"),
    "CONTAINS": ("Block", "Turn"),
    "FROM_BLOCK": ("Event", "Block"),
    "SOURCED_FROM": ("Event", "Message"),
    "SUPERSEDES": ("Event", "Event"),
    "CONFLICTS_WITH": ("Event", "Event"),
    "FOLLOWS": ("Event", "Event"),
    "SAME_EVENT": ("Event", "Event"),
    "INVOLVES": ("Event", "Entity"),
    "NAMES": ("Name", "Entity"),
    "RESTS_ON": ("Name", "Event"),
    "HAS_FACT": ("Entity", "Fact"),
    "ABOUT": ("Fact", "Entity"),
    "SUPPORTED_BY": ("Fact", "Event"),
    "REPLACES": ("Fact", "Fact"),
    "DISPUTES": ("Fact", "Fact"),
    "RELATES": ("Entity", "Entity"),
    "SAME_AS": ("Entity", "Entity"),
    "MENTIONS": ("Turn", "Term"),
    "STATED": ("Term", "Term"),
    "USED": ("Receipt", "Event"),
    "CITED": ("Receipt", "Message"),
}
KEYS: dict[str, str] = {
    "Thread": "id", "Message": "key", "Turn": "id", "Block": "id", "Event": "id", "Entity": "id", "Name": "key",
    "Fact": "id", "Term": "key", "Receipt": "id", "Meta": "key",
}
# What tells parallel edges between the same two nodes apart.
IDENTITY: dict[str, tuple[str, ...]] = {
    "SOURCED_FROM": ("quote_start", "quote_end"),
    "INVOLVES": ("role",),
    "NAMES": ("recorded_at",),
    "RESTS_ON": ("entity",),
    "RELATES": ("fact",),
    "SAME_AS": ("recorded_at",),
    "STATED": ("predicate", "turn"),
}


@dataclass(frozen=True, slots=True)
class Put:
    """A new node with all its properties."""

    table: str
    key: str
    props: Props


@dataclass(frozen=True, slots=True)
class Ensure:
    """A node that may be there already; then nothing changes."""

    table: str
    key: str
    props: Props


@dataclass(frozen=True, slots=True)
class Set:
    """Some properties of a node that is there."""

    table: str
    key: str
    props: Props


@dataclass(frozen=True, slots=True)
class Add:
    """A number to add to a property of a node that is there."""

    table: str
    key: str
    prop: str
    amount: int


@dataclass(frozen=True, slots=True)
class Link:
    """An edge; one with the same ends and identity is replaced."""

    table: str
    source: str
    target: str
    props: Props


@dataclass(frozen=True, slots=True)
class Unlink:
    """An edge to take out; `props` holds at least its identity."""

    table: str
    source: str
    target: str
    props: Props


Row = Put | Ensure | Set | Add | Link | Unlink
EdgeId = tuple[Any, ...]


def edge_id(row: Link | Unlink) -> EdgeId:
    """Give what makes an edge the same edge within its table."""
    return (row.source, row.target, *(row.props[name] for name in IDENTITY.get(row.table, ())))


@dataclass
class Delta:
    """The fold of rows: by table, in order of first appearance."""

    nodes: dict[str, dict[str, Props]] = field(default_factory=dict)
    ensured: dict[str, dict[str, Props]] = field(default_factory=dict)
    changes: dict[str, dict[str, Props]] = field(default_factory=dict)
    sums: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    links: dict[str, dict[EdgeId, Link]] = field(default_factory=dict)
    unlinks: dict[str, dict[EdgeId, Unlink]] = field(default_factory=dict)
    count: int = 0

    def extend(self, rows: Iterable[Row]) -> None:
        """Fold more rows in, in order."""
        for row in rows:
            self.count += 1
            match row:
                case Put():
                    self.nodes.setdefault(row.table, {})[row.key] = dict(row.props)
                case Ensure():
                    if row.key not in self.nodes.get(row.table, ()):
                        self.ensured.setdefault(row.table, {}).setdefault(row.key, dict(row.props))
                case Set():
                    fresh = self.nodes.get(row.table, {}).get(row.key)
                    if fresh is None:
                        fresh = self.changes.setdefault(row.table, {}).setdefault(row.key, {})
                    fresh.update(row.props)
                case Add():
                    self._sum(row)
                case Link():
                    self.links.setdefault(row.table, {})[edge_id(row)] = row
                case Unlink():
                    id = edge_id(row)
                    self.links.get(row.table, {}).pop(id, None)
                    self.unlinks.setdefault(row.table, {})[id] = row

    def _sum(self, row: Add) -> None:
        fresh = self.nodes.get(row.table, {}).get(row.key)
        if fresh is not None:
            fresh[row.prop] = (fresh[row.prop] or 0) + row.amount
        else:
            sums = self.sums.setdefault(row.table, {}).setdefault(row.key, {})
            sums[row.prop] = sums.get(row.prop, 0) + row.amount
