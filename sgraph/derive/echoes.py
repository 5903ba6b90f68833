"""Echoes in what is handed in: an event that only repeats what this memory handed out is neither news nor support."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sgraph import analysis
from sgraph.derive.contracts import EventItem, Events, Parsed, Problem
from sgraph.derive.desk import Desk

_SENTENCE = re.compile(r"[^.!?。！？\n]+")


def without_echoes(parsed: Parsed, keys: Mapping[str, str], desk: Desk) -> Parsed:
    """Take echoes out of the events of a reply, each with a problem; what is left, if only an empty list, counts.

    `keys` gives the messages by the ids the reply uses.
    """
    if not isinstance(parsed.value, Events):
        return parsed
    echoes = [e for e in parsed.value.events if all(_repeats(e, id, keys[id], desk) for id in e.source_message_ids)]
    if not echoes:
        return parsed
    reason = "only repeats what was handed out before"
    problems = tuple(
        Problem(path="$.events", code="echo", reason=f"{', '.join(e.source_message_ids)}: {reason}") for e in echoes
    )
    kept = tuple(item for item in parsed.value.events if item not in echoes)
    return replace(parsed, value=Events(events=kept), problems=(*parsed.problems, *problems))


def _repeats(item: EventItem, id: str, key: str, desk: Desk) -> bool:
    """Say whether what an event rests on in a message (its quotes, else the sentences with its words) is an echo."""
    message, entry = desk.journal.message(key), desk.journal.entry(desk.journal.seq_of(key))
    if message is None or entry is None:
        return False
    spans = [(quote.start, quote.end) for quote in item.quotes if quote.message_id == id]
    if not spans:
        words = set(analysis.terms(f"{item.title} {item.summary}"))
        found = _SENTENCE.finditer(message.content)
        spans = [sentence.span() for sentence in found if words & set(analysis.terms(sentence.group()))]
    echo = desk.echoed(message.content, entry.at)
    return bool(spans) and all(echo(start, end) for start, end in spans)
