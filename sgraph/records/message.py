"""Messages on their way in, and what became of them."""

from __future__ import annotations

from datetime import datetime

from sgraph.records.base import Record
from sgraph.records.parts import Role


class NewMessage(Record):
    """A message to record. `sent_at` is an aware datetime; `tool_calls` is JSON text."""

    role: Role = "user"
    content: str
    sent_at: datetime
    speaker: str | None = None
    id: str | None = None
    session: str | None = None
    tool_calls: str | None = None
    agent: str | None = None
    adapter: str | None = None


class Captured(Record):
    """What capture did.

    `seq` is the journal entry, None when everything was known already; `messages` are the keys in the order given;
    `new` and `known` count them; `turn` is the thread's last turn; `blocks` are those sealed by this entry.
    """

    seq: int | None
    thread: str
    messages: tuple[str, ...]
    new: int
    known: int
    turn: int
    blocks: tuple[str, ...]
