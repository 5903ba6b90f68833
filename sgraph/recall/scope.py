"""What a search may find: filters, applied before limits on every route."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sgraph.chronology import overlaps
from sgraph.graph.state import in_session
from sgraph.journal.capture import thread_of

Window = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class Scope:
    """Threads, people, kinds and times a search is limited to. `session` opens what belongs to one session."""

    threads: frozenset[str] | None = None
    session: str | None = None
    participants: tuple[frozenset[str], ...] = ()
    event_type: str | None = None
    status: str | None = None
    happened: Window = (None, None)
    said: Window = (None, None)
    roles: frozenset[str] | None = None

    @property
    def is_open(self) -> bool:
        """Say whether nothing is filtered."""
        return self == Scope(session=self.session)

    @property
    def asks_events(self) -> bool:
        """Say whether a filter speaks of events: then a message counts for the events it is the source of."""
        named = bool(self.participants) or self.event_type is not None or self.status is not None
        return named or self.happened != (None, None)

    def takes_event(self, card: dict[str, Any]) -> bool:
        """Say whether an event may be found, by what is said of it itself."""
        if card["scope"] == "session" and not in_session(card["session"], self.session):
            return False
        if self.threads is not None and not any(_thread(key) in self.threads for key in card["messages"]):
            return False
        involved = {entity for entity, _ in card["involved"]}
        if not all(group & involved for group in self.participants):
            return False
        if self.event_type is not None and card["event_type"] != self.event_type:
            return False
        if self.status is not None and card["status"] != self.status:
            return False
        happened = _within(card["happened_start"], card["happened_end"], self.happened)
        return happened and _within(card["mentioned_at"], card["mentioned_at"], self.said)

    def takes_message(self, card: dict[str, Any]) -> bool:
        """Say whether a message may be found, by what is said of it itself: thread, role, and when it was said."""
        if self.threads is not None and card["thread"] not in self.threads:
            return False
        if self.roles is not None and card["role"] not in self.roles:
            return False
        return _within(card["sent_at"], card["sent_at"], self.said)


def _thread(key: str) -> str:
    return thread_of(key.partition("/")[0])


def _within(start: str | None, end: str | None, window: Window) -> bool:
    if window == (None, None):
        return True
    if start is None:
        return False  # an unknown date is in no window
    return overlaps(datetime.fromisoformat(start), datetime.fromisoformat(end or start), *window)
