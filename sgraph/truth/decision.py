"""A decision under construction: its parts, with the state following each so that later ones see earlier ones."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sgraph.graph.state import State
from sgraph.records.parts import Part, Support
from sgraph.truth.slots import settle


class Decision:
    """Collects parts. `by` is who decides: rule, model, agent, person or import."""

    def __init__(self, state: State, at: datetime, by: str) -> None:
        self.state, self.at, self.by = state, at, by
        self.parts: list[Part] = []

    def put(self, *parts: Part) -> None:
        """Add parts, and let the state follow."""
        self.parts.extend(parts)
        self.state.follow(parts, self.at)

    def assert_fact(
        self, entity: str, key: str, value: str, support: Support, *, about: str | None, negated: bool,
        cardinality: str, confidence: float = 1.0,
    ) -> None:
        """Note what an event says of a slot, and settle the slot."""
        self.state.add_said(entity, key, value, about, negated, cardinality, confidence, support)
        self.settle([(entity, key)])

    def settle(self, slots: Iterable[tuple[str, str]]) -> None:
        """Bring the standing versions of slots in line with what is said of them; each slot once, in order."""
        canonical = dict.fromkeys((self.state.canon(entity), key) for entity, key in slots)
        for entity, key in canonical:
            self.put(*settle(self.state, entity, key, self.by))
