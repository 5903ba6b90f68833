"""What a search finds: compact cards with stable evidence refs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sgraph.records.base import Record

EmptyReason = Literal["no_usable_terms", "nothing_matched", "filtered_out", "nothing_stored"]


class Quote(Record):
    """Words of a message; `event` is the event that quotes them."""

    message: str
    speaker: str
    sent_at: datetime
    text: str
    event: str | None = None


class Card(Record):
    """One piece of evidence, small. `ref` is stable; `expand_*` gives the whole.

    `rank_score` orders the cards of one search and is not a confidence. `found_by` gives the rank in each route that
    found it, `shares` what each signal added, `why` both in words. `state` is current, historical, superseded or
    disputed.
    """

    ref: str
    kind: Literal["message", "event", "entity", "turn"]
    title: str
    text: str
    state: str
    source_time: datetime | None = None
    happened_start: datetime | None = None
    happened_end: datetime | None = None
    time_precision: str | None = None
    time_text: str | None = None
    thread: str | None = None
    quotes: tuple[Quote, ...] = ()
    messages: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    match_type: Literal["current", "historical", "both"] | None = None
    rank_score: float
    found_by: dict[str, int] = {}
    shares: dict[str, float] = {}
    why: str = ""
    tokens: int


class Found(Record):
    """The cards of one search, best first, as a batch that evidence may be cited from.

    With no card, `empty_reason` says why. `cut_terms`: how many words of a long question were left out. `left_out`
    counts what did not fit into the budget or the limit. `derived_through` and `indexed_through` are journal entries.
    """

    batch_id: str
    question: str
    cards: tuple[Card, ...]
    empty_reason: EmptyReason | None = None
    tokens: int = 0
    left_out: int = 0
    cut_terms: int = 0
    derived_through: int = 0
    indexed_through: int = 0

    @property
    def refs(self) -> tuple[str, ...]:
        """Give every ref that may be cited, in order."""
        return tuple(dict.fromkeys(ref for card in self.cards for ref in (card.ref, *card.also)))
