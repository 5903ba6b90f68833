"""What readers of conversation files yield, and how the fields of a message are read in every form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from sgraph.chronology import read_instant
from sgraph.errors import InvalidTime
from sgraph.records.base import Record
from sgraph.records.message import NewMessage
from sgraph.records.parts import Role


class Said(Record):
    """A message to record. `place` says where in the file it stands; `message.id` is always set and stable.

    Reading the same file again gives the same ids, so recording it again adds nothing, and an ingest that was
    interrupted goes on where it stopped.
    """

    place: str
    thread: str
    message: NewMessage
    title: str | None = None
    receipt: str | None = None


class Submission(Record):
    """A derivation to hand in after the messages before it. Later ones refer to its events by `name`."""

    place: str
    kind: str
    target: str
    reply: Any
    name: str | None = None


class Skipped(Record):
    """Something in the file that was not taken, or not taken whole: where, a stable code, and the reason in words."""

    place: str
    code: str
    reason: str


Item = Said | Submission | Skipped

_ROLES: dict[str, Role] = {
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "system": "system", "developer": "system",
    "tool": "tool", "function": "tool",
}  # fmt: skip

# What stands in a message's text for a part that is not text, by how the name of its type begins.
_PLACEHOLDERS = (("image", "[image]"), ("input_image", "[image]"), ("audio", "[audio]"), ("input_audio", "[audio]"),
                 ("video", "[video]"), ("file", "[file]"), ("input_file", "[file]"))  # fmt: skip

_LONGEST_TIME = 100
_SURROGATE = re.compile("[\ud800-\udfff]")

def role_of(value: Any) -> Role | None:
    """Read a role, under the names that models' interfaces use; None when it is none of them."""
    return _ROLES.get(value.strip().lower()) if isinstance(value, str) else None


def name_of(value: Any) -> str | None:
    """Read an id or a name: text that is not blank, or a whole number; None for anything else.

    A lone surrogate becomes U+FFFD: a name is a key, and keys are UTF-8.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _SURROGATE.sub("\ufffd", value).strip() or None if isinstance(value, str) else None


def text_of(content: Any) -> str | None:
    """Read a message's content: text, or a list of parts of which the text is joined by line breaks.

    A part that is no text leaves a mark ("[image]", "[audio]", "[video]", "[file]", "[attachment]"). None when the
    content is neither.
    """
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [_part_text(part) for part in content]
    return "\n".join(text for text in texts if text)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    fields = part if isinstance(part, Mapping) else {}
    if isinstance(text := fields.get("text"), str):
        return text
    kind = str(fields.get("type") or fields.get("content_type") or "")
    return next((mark for beginning, mark in _PLACEHOLDERS if kind.startswith(beginning)), "[attachment]")


class Clock:
    """Reads the times of messages; a message without one gets that of the message before it in its thread."""

    def __init__(self, zone: tzinfo, start: datetime) -> None:
        self._zone, self._start = zone, start
        self._last: dict[str, datetime] = {}

    def read(self, value: Any) -> datetime:
        """Read a stated time, in the file's zone when it has no offset; give it in UTC. Raises InvalidTime."""
        if isinstance(value, str) and len(value) > _LONGEST_TIME:
            raise InvalidTime("at: the text is too long to be a time", field="at", value=value[:_LONGEST_TIME])
        return read_instant(value, self._zone, field="at")

    def at(self, thread: str, value: datetime | None) -> datetime:
        """Give the time of a message of a thread, and remember it for those that follow."""
        self._last[thread] = value or self._last.get(thread, self._start)
        return self._last[thread]
