"""Notes: what an agent or a person states on purpose, on its way in, and what became of it.

What the owner of the graph decides on a note is in `sgraph.derive.notes`.
"""

from __future__ import annotations

from datetime import datetime

from sgraph.derive.notes import CATEGORIES, NOTES
from sgraph.errors import InvalidInput
from sgraph.ids import new_id
from sgraph.journal.log import Journal
from sgraph.records.evidence import Remembered
from sgraph.records.message import Captured, NewMessage
from sgraph.records.parts import EventLinkPart, EventPart, NotePart, UsedPart

__all__ = ["CATEGORIES", "NOTES", "note", "outcome"]
LONGEST = 8_000  # characters of a note


def note(
    content: str, category: str, name: str | None, *, thread: str | None, by: str, speaker: str | None, at: datetime
) -> tuple[NotePart, NewMessage]:
    """Give a note with the message that holds its words. Raises InvalidInput for what cannot be one."""
    for field, value in (("content", content), *([("name", name)] if name is not None else [])):
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(f"{field} must be text and not blank", field=field, value=value)
    text = f"{name.strip()}\n{content.strip()}" if name is not None else content.strip()
    if len(text) > LONGEST:
        raise InvalidInput(
            f"a note is at most {LONGEST:,} characters long; record long text as a turn",
            field="content",
            value=len(text),
        )
    if category not in CATEGORIES:
        raise InvalidInput(f"category must be one of {', '.join(CATEGORIES)}", field="category", value=category)
    if by not in ("agent", "person"):
        raise InvalidInput("by must be agent or person", field="by", value=by)
    message = NewMessage(role="user" if by == "person" else "assistant", content=text, sent_at=at, speaker=speaker)
    return NotePart(id=new_id(), content=text, category=category, thread=thread, by=by), message


def outcome(journal: Journal, done: Captured, note: NotePart, *, pending: bool) -> Remembered:
    """Say what became of a note: read from the decision on it."""
    key = done.messages[-1]
    if done.seq is None:
        seq = journal.seq_of(key)
        kept = next((part for part in _parts(journal, seq) if isinstance(part, NotePart)), note)
        return Remembered(outcome="known", seq=seq, note=kept.id, message=key)
    if pending:
        return Remembered(outcome="pending", seq=done.seq, note=note.id, message=key)
    decided = next(
        (entry for entry in journal.entries(done.seq) if entry.kind == "decided" and entry.through == done.seq), None
    )
    parts = decided.parts if decided is not None else ()
    added = next((part.id for part in parts if isinstance(part, EventPart)), None)
    used = next((part.events[0] for part in parts if isinstance(part, UsedPart)), None)
    conflicts = tuple(
        part.target for part in parts if isinstance(part, EventLinkPart) and part.kind == "CONFLICTS_WITH"
    )
    became = "reinforced" if used else "conflict" if conflicts else "added" if added else "echo"
    return Remembered.model_validate(
        {
            "outcome": became,
            "seq": done.seq,
            "note": note.id,
            "message": key,
            "event": added or used,
            "conflicts": conflicts,
        }
    )


def _parts(journal: Journal, seq: int) -> tuple[object, ...]:
    entry = journal.entry(seq)
    return entry.parts if entry is not None else ()
