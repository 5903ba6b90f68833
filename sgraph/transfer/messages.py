"""Messages as objects: JSON lines in our own form, and lists of messages as models' interfaces use them.

A line of a `.jsonl` file is one object, a message or a derivation:

    {"thread": "planning", "role": "user", "speaker": "Mara", "content": "We should pick a database.",
     "at": "2026-05-08T13:56:00+02:00", "id": "7"}
    {"submit": "events", "target": "planning:b1", "reply": {"events": []}}

| field | meaning | without it |
|---|---|---|
| `content` | text, or a list of parts of which the text is taken | the message is left out, unless it has tools |
| `role` | user, assistant, system or tool (also human, ai, model, bot, developer, function) | user |
| `speaker` or `name` | who speaks, by name | nobody in particular |
| `thread` | the conversation | the file's name without its ending |
| `id` | the message's id, unique in its thread | `line-<n>`, in a list `message-<n>`, counted from 1 |
| `at`, `created_at` or `timestamp` | ISO 8601, or (milli)seconds since 1970 | the time of the message before it |
| `session`, `receipt`, `agent`, `title` | as in `add_messages`; the title is the thread's | none |
| `tools` or `tool_calls` | a list of {name, arguments, result} | none |

Any other field is reported, once for each name, and left out.

A derivation may be called something with `"as": "start"`. In the replies after it, "@start.0" then stands for the id of
its first event, "@start.1" for that of its second, and so on, counted over the events that were taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sgraph.derive.contracts import KINDS
from sgraph.errors import InvalidTime
from sgraph.records.message import NewMessage
from sgraph.transfer.items import Clock, Item, Said, Skipped, Submission, name_of, role_of, text_of

_SURROGATE = re.compile("[\ud800-\udfff]")
_TIMES = ("at", "created_at", "timestamp")
_FIELDS = {
    "content", "role", "speaker", "name", "thread", "id", *_TIMES, "session", "receipt", "agent", "title", "tools",
    "tool_calls", "tool_call_id",
}  # fmt: skip


def read_lines(path: Path, clock: Clock) -> Iterator[Item]:
    """Read a file of JSON lines, one line in memory at a time."""
    reported: set[str] = set()
    # Undecodable bytes become lone surrogates, which raw UTF-8 text cannot hold: they tell a damaged line.
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, raw in enumerate(file, 1):
            place, line = f"line {number}", raw.lstrip("\ufeff").strip()
            if not line:
                continue
            if _SURROGATE.search(line):
                yield Skipped(place=place, code="not_utf8", reason="the line is not UTF-8 text")
                continue
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError):
                yield Skipped(place=place, code="not_json", reason="the line is not one JSON value")
                continue
            yield from _item(fields, place, path.stem, f"line-{number}", clock, reported)


def read_list(data: Any, stem: str, clock: Clock) -> Iterator[Item]:
    """Read one list of messages, an object with `messages`, or a list of such objects (each a thread of its own)."""
    reported: set[str] = set()
    conversations = data if isinstance(data, list) else [data]
    if not any(isinstance(entry, Mapping) and "messages" in entry for entry in conversations):
        conversations = [{"messages": conversations}]
    for number, conversation in enumerate(conversations, 1):
        several = len(conversations) > 1
        place = f"conversation {number}"
        messages = conversation.get("messages") if isinstance(conversation, Mapping) else None
        if not isinstance(messages, list):
            yield Skipped(place=place, code="no_messages", reason="there is no list of messages")
            continue
        thread = name_of(conversation.get("thread")) or name_of(conversation.get("id"))
        thread = thread or (f"{stem}-{number}" if several else stem)
        title = name_of(conversation.get("title"))
        for index, fields in enumerate(messages, 1):
            where = f"{place}, message {index}" if several else f"message {index}"
            yield from _item(fields, where, thread, f"message-{index}", clock, reported, title)


def _item(
    fields: Any, place: str, thread: str, name: str, clock: Clock, reported: set[str], title: str | None = None
) -> Iterator[Item]:
    if not isinstance(fields, Mapping):
        yield Skipped(place=place, code="not_an_object", reason="must be a JSON object")
    elif "submit" in fields:
        yield _submission(fields, place)
    else:
        yield from _message(fields, place, thread, name, clock, title)
        for field in sorted(fields.keys() - _FIELDS - reported):
            reported.add(field)
            yield Skipped(place=place, code="unknown_field", reason=f"the field {field!r} is not read, here or later")


def _submission(fields: Mapping[str, Any], place: str) -> Item:
    kind, target = fields["submit"], name_of(fields.get("target"))
    if kind not in KINDS:
        return Skipped(place=place, code="unknown_kind", reason=f"submit must be one of {', '.join(KINDS)}")
    if target is None or "reply" not in fields:
        return Skipped(place=place, code="no_target", reason="a derivation needs a target and a reply")
    return Submission(place=place, kind=kind, target=target, reply=fields["reply"], name=name_of(fields.get("as")))


def _message(
    fields: Mapping[str, Any], place: str, thread: str, name: str, clock: Clock, title: str | None
) -> Iterator[Item]:
    role = role_of(fields.get("role", "user"))
    if role is None:
        yield Skipped(place=place, code="unknown_role", reason="the role is not user, assistant, system or tool")
        return
    content = text_of(fields.get("content"))
    if content is None and fields.get("content") is not None:
        yield Skipped(place=place, code="no_text", reason="the content is neither text nor a list of parts")
        return
    try:
        tools = tools_text(fields.get("tools") or fields.get("tool_calls"))
    except ValueError as error:
        tools = None
        yield Skipped(place=place, code="bad_tools", reason=str(error))
    if not content and tools is None:
        yield Skipped(place=place, code="empty", reason="the message is empty")
        return
    time = next((fields[field] for field in _TIMES if fields.get(field) is not None), None)
    try:
        stated = None if time is None else clock.read(time)
    except InvalidTime:
        yield Skipped(place=place, code="bad_time", reason="the time cannot be read; the message is left out")
        return
    thread = name_of(fields.get("thread")) or thread
    speaker = name_of(fields.get("speaker")) or (name_of(fields.get("name")) if role != "tool" else None)
    yield Said(
        place=place,
        thread=thread,
        title=name_of(fields.get("title")) or title,
        receipt=name_of(fields.get("receipt")),
        message=NewMessage(
            role=role, speaker=speaker, content=content or "", sent_at=clock.at(thread, stated),
            id=name_of(fields.get("id")) or name, session=name_of(fields.get("session")), tool_calls=tools,
            agent=name_of(fields.get("agent")),
        ),
    )  # fmt: skip


def tools_text(calls: Any) -> str | None:
    """Write tool calls as JSON text of a list of {name, arguments, result}; None without any. Raises ValueError."""
    if not calls:
        return None
    calls = [calls] if isinstance(calls, Mapping) else calls
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise ValueError("the tool calls are not a list of objects; the message is kept without them")
    try:
        return json.dumps([_call(call) for call in calls], sort_keys=True)
    except RecursionError as error:
        raise ValueError("the tool calls are nested too deeply; the message is kept without them") from error


def _call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Bring a call of the form {function: {name, arguments: JSON text}} into ours; others stay as they are."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        return call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # kept as the text it is
            arguments = json.loads(arguments)
    return {"name": function.get("name"), "arguments": arguments}
