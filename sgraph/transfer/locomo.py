"""LoCoMo: long talks between two named people, in dated sessions.

A file is one sample, a list of samples, or the conversation of one sample alone. A sample holds `conversation` with
`session_<n>` (a list of {speaker, dia_id, text}) and `session_<n>_date_time` ("1:56 pm on 8 May, 2023", read in the
space's time zone). The thread is `sample_id`, else the file's name; the message id is `dia_id`; every message of a
session has the session's time. A shared picture is rendered after the text as ` [shares a photo: <caption>]`.
Questions, summaries and annotations of a sample are no conversation and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sgraph.errors import InvalidTime
from sgraph.records.message import NewMessage
from sgraph.transfer.items import Clock, Item, Said, Skipped, name_of

_SESSION = re.compile(r"session_([0-9]{1,6})")


def is_sample(entry: Any) -> bool:
    """Tell whether a JSON value is a sample, or the conversation of one."""
    if not isinstance(entry, Mapping):
        return False
    conversation = entry.get("conversation", entry)
    return isinstance(conversation, Mapping) and any(_SESSION.fullmatch(key) for key in conversation)


def read_samples(data: Any, stem: str, clock: Clock) -> Iterator[Item]:
    """Read every sample of a file, in its order."""
    samples = data if isinstance(data, list) else [data]
    for number, sample in enumerate(samples, 1):
        if is_sample(sample):
            thread = name_of(sample.get("sample_id")) or (stem if len(samples) == 1 else f"{stem}-{number}")
            yield from _conversation(sample.get("conversation", sample), thread, clock)
        else:
            yield Skipped(place=f"sample {number}", code="no_messages", reason="the sample holds no sessions")


def _conversation(conversation: Mapping[str, Any], thread: str, clock: Clock) -> Iterator[Item]:
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        place = f"{thread}, {session}"
        messages = conversation[session]
        if not isinstance(messages, list):
            yield Skipped(place=place, code="no_messages", reason="the session is no list of messages")
            continue
        began = None
        try:
            began = clock.read(conversation.get(f"{session}_date_time"))
        except InvalidTime:
            yield Skipped(place=place, code="bad_time", reason="the session's date is missing or cannot be read")
        for index, fields in enumerate(messages, 1):
            where = f"{place}, message {index}"
            content = _rendered(fields) if isinstance(fields, Mapping) else ""
            if not content:
                yield Skipped(place=where, code="empty", reason="the message has neither text nor a picture")
                continue
            yield Said(
                place=where,
                thread=thread,
                message=NewMessage(
                    content=content, sent_at=clock.at(thread, began), speaker=name_of(fields.get("speaker")),
                    id=name_of(fields.get("dia_id")) or f"{session}-{index}", session=session,
                ),
            )  # fmt: skip


def _rendered(fields: Mapping[str, Any]) -> str:
    text = fields.get("text")
    parts = [text] if isinstance(text, str) and text else []
    caption = name_of(fields.get("blip_caption"))
    if caption:
        parts.append(f"[shares a photo: {caption}]")
    elif fields.get("img_url"):
        parts.append("[shares a photo]")
    return " ".join(parts)
