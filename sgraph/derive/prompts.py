"""Requests to models: prompts from files, and what they are about as data of bounded size.

Source text is JSON in which no `<` or `>` is left, one row a line between tags, so it cannot close its own section.
Rows carry id, speaker, role and time of what was said. Nothing is cut silently: where something is left out a mark
says how much, and the beginning and the end of a long text both stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from sgraph.blocks.levels import boundary
from sgraph.records.parts import MessagePart

SOURCE_LIMIT = 24_000  # characters of messages in one request
CONTEXT_LIMIT = 8_000  # characters of each section beside them
TEXT_LIMIT = 6_000  # characters of one message
PASTE_LIMIT = 600  # characters of tool output, tool calls and pasted code
NAME_LIMIT = 160
_SMALLEST = 60  # a text is never cut shorter; rows are left out instead
_FENCE = re.compile(r"(```|~~~)[^\n]*\n(.*?)(?:\n\1|\Z)", re.DOTALL)
_HEADER = re.compile(r"---\nname: (?P<name>\w+)\nversion: (?P<version>\d+)\n---\n(?P<text>.+)", re.DOTALL)
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
Row = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What a model is sent: the prompt, and the data it is about."""

    name: str
    version: int
    system: str
    user: str

    def messages(self) -> list[dict[str, str]]:
        """Give the two chat messages."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]

    @property
    def size(self) -> int:
        """Count its characters."""
        return len(self.system) + len(self.user)


@cache
def load(name: str) -> tuple[int, str]:
    """Read a prompt file: its version and its text."""
    found = _HEADER.fullmatch((Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8"))
    if found is None or found["name"] != name:
        raise ValueError(f"prompts/{name}.md lacks its header")
    return int(found["version"]), found["text"].strip()


def request(name: str, sections: Mapping[str, Sequence[Row]]) -> Request:
    """Put a prompt and its data together; a section without rows is shown empty."""
    version, system = load(name)
    user = "\n\n".join(
        f"<{tag}>\n{''.join(encode(row) + chr(10) for row in rows)}</{tag}>" for tag, rows in sections.items()
    )
    return Request(name, version, system, user)


def encode(row: Row) -> str:
    """Write a row as one line of JSON that holds no angle bracket and no lone surrogate."""
    text = json.dumps(row, ensure_ascii=False, default=str).translate(_SURROGATES)
    return (
        text.replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


# ------------------------------------------------------------------ rows
def message_rows(messages: Sequence[MessagePart], zone: tzinfo = UTC, limit: int = SOURCE_LIMIT) -> list[Row]:
    """Give messages as rows of together at most `limit` characters, the longest texts cut first.

    When even short beginnings do not fit, messages in the middle are left out and a row says how many.
    """
    rows = [_message_row(message, zone) for message in messages]
    cap = TEXT_LIMIT
    shown = rows
    while (size := _size(shown)) > limit and cap > _SMALLEST:
        cap = max(_SMALLEST, min(cap * limit // (size + 1), cap * 3 // 4))
        shown = [{**row, "text": cut(row["text"], cap)} for row in rows]
    return bounded(shown, limit, "messages")


def bounded(rows: Sequence[Row], limit: int = CONTEXT_LIMIT, what: str = "rows") -> list[Row]:
    """Keep the rows that fit, from both ends towards the middle, where a row says how many were left out."""
    sizes = [len(encode(row)) + 1 for row in rows]
    if sum(sizes) <= limit:
        return list(rows)
    room, head, tail = limit - 80, 0, 0
    while head + tail < len(rows):
        at = head if head <= tail else len(rows) - 1 - tail
        if (room := room - sizes[at]) < 0:
            break
        head, tail = (head + 1, tail) if head <= tail else (head, tail + 1)
    gone = {"left_out": f"{len(rows) - head - tail} {what}"}
    return [*rows[:head], gone, *rows[len(rows) - tail :]]


def dated(at: datetime, zone: tzinfo = UTC) -> str:
    """Write an instant with its weekday, as relative dates are read from it."""
    local = at.astimezone(zone)
    return f"{local.isoformat(timespec='seconds')} {local:%A}"


def _message_row(message: MessagePart, zone: tzinfo) -> Row:
    row: Row = {"id": message.key, "role": message.role}
    if message.speaker:
        row["speaker"] = cut(message.speaker, NAME_LIMIT)
    row["sent_at"] = dated(message.sent_at, zone)
    text = message.content if message.role != "tool" else cut(message.content, PASTE_LIMIT)
    row["text"] = cut(_FENCE.sub(_cut_fence, text), TEXT_LIMIT)
    if message.tool_calls:
        row["tool_calls"] = cut(message.tool_calls, PASTE_LIMIT)
    return row


def _cut_fence(found: re.Match[str]) -> str:
    return found[0].replace(found[2], cut(found[2], PASTE_LIMIT), 1) if len(found[2]) > PASTE_LIMIT else found[0]


def cut(text: str, limit: int) -> str:
    """Leave out the middle of a text of more than `limit` characters; three fifths of what stays is its beginning.

    The mark says how much is gone. No visible character is cut apart.
    """
    if len(text) <= limit:
        return text
    head, tail = boundary(text, limit * 3 // 5), boundary(text, len(text) - limit * 2 // 5)
    return f"{text[:head]} […{tail - head:,} characters left out…] {text[tail:]}"


def _size(rows: Iterable[Row]) -> int:
    return sum(len(encode(row)) + 1 for row in rows)
