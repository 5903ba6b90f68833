"""Happenings reported as current or just done: dated to the day on which they were said."""

from __future__ import annotations

import re
from datetime import datetime

from sgraph.chronology.periods import DAY, floor
from sgraph.chronology.reading import find
from sgraph.chronology.tense import is_past_form
from sgraph.chronology.words import words_of
from sgraph.records.timespan import TimeSpan

_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_JUST = re.compile(r"\b(?:just|finally)\s+(?:(?:now|recently|also|officially|been)\s+)?([a-z]+)", re.IGNORECASE)
_TOLD = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "we're at the station", "I'm currently reading", "she is here with us"
        (
            r"\b(?:i'm|i am|(?:we|they)(?:'re| are)|s?he(?:'s| is))\s+(?:at\s+(?:the|an?|my|our|his|her|their)\b"
            r"|here\s+(?:at|in|with|on)\b|(?:currently|now|finally)\s+(?:at|in|on|here|[a-z]+ing))"
        ),
        # "the shop is open!"
        r"\b(?:is|are)\s+(?:(?:now|finally|officially)\s+)?(?:open|live|launched|up and running)\s*(?:[!.,]|$)",
        # "I've finished": deeds that are told when they are fresh
        (
            r"\b(?:i|we)(?:'ve| have)\s+(?:(?:now|finally|recently)\s+)?(?:finished|completed|developed|launched|"
            r"opened|signed|submitted|acquired|begun|joined|decided|bought|adopted|published|moved|started)\b"
        ),
        r"刚刚?(?!刚|好|才好|性|强|毅|果)才?\w",
        r"正在\w",
        r"[我他她]们?现在(?:就|正)?在\w",
    )
)
_NO_HAPPENING = frozenset(
    words_of(
        "wanted needed thought liked loved hoped wished felt figured hundred said told like want need supposed kidding"
    )
)
_UNREAL = re.compile(
    r"\b(?:if|when|whenever|imagine|wish|would|could|should|might|not|never)\b|n't\b|如果|要是|假如|每次", re.IGNORECASE
)


def current(text: str, said_at: datetime) -> TimeSpan | None:
    """Read a happening told as current or just done ("we are at", "just finished", 刚, 正在): the day it was said.

    Takes the first sentence that does so; leaves out questions, conditions and denials, and sentences that name a time
    themselves. The span covers the words that tell it; its basis is "inferred".
    """
    for sentence in _SENTENCE.finditer(text.replace("’", "'")):
        words = sentence[0]
        told = _told(words)
        if told is None or words.rstrip().endswith(("?", "？")):
            continue
        if _UNREAL.search(words[: told.end()]) or find(words, said_at):
            continue
        start = floor(said_at, "day")
        first, last = sentence.start() + told.start(), sentence.start() + told.end()
        return TimeSpan(
            start=start, end=start + DAY, precision="day", basis="inferred", text=text[first:last], span=(first, last),
            rule="reported as current",
        )  # fmt: skip
    return None


def _told(words: str) -> re.Match[str] | None:
    """Find the words that tell it as current or just done."""
    for just in _JUST.finditer(words):
        verb = just[1].lower()
        if is_past_form(verb) and verb not in _NO_HAPPENING:
            return just
    return next((match for pattern in _TOLD if (match := pattern.search(words))), None)
