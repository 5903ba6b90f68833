"""What deriving needs of a space; the space itself is a room above."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from sgraph.derive.turns import Echo
from sgraph.graph.engine import Engine
from sgraph.graph.state import State
from sgraph.journal.log import Journal
from sgraph.journal.work import Work
from sgraph.records.entries import Entry
from sgraph.records.parts import Part


class Desk(Protocol):
    """The owner's space, as derivations use it: hold `guard` from looking at `state` to recording what follows."""

    guard: threading.RLock
    journal: Journal
    work: Work

    @property
    def state(self) -> State:
        """What is known."""
        ...

    @property
    def engine(self) -> Engine:
        """The open graph."""
        ...

    def catch_up(self, wait: float | None = None) -> int:
        """Decide on every source entry there is."""
        ...

    def record(self, kind: str, parts: list[Part], at: datetime) -> Entry:
        """Append a decision and apply it."""
        ...

    def echoed(self, text: str, said_at: datetime) -> Echo:
        """Give the test of whether a span of a text recorded then only repeats what this memory handed out before."""
        ...

    def state_at_risk(self) -> AbstractContextManager[None]:
        """Throw the state away when a decision fails half-way."""
        ...

    def setting(self, name: str) -> Any:
        """Give a setting in force."""
        ...
