"""What goes into the lexicon and what a search of it gives."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from sgraph.records.base import Record


class Document(Record):
    """One findable thing: what is indexed of it, and the card that is shown of it.

    `kind` and the names in `fields` come from `sgraph.lexicon.fields.FIELDS`. `key` is unique in its kind; a later
    document of the same key takes its place. `seq` is the journal entry that made it. `stored` is JSON-able.
    """

    kind: str
    key: str
    seq: int
    fields: dict[str, str | tuple[str, ...]]
    stored: dict[str, Any] = Field(default_factory=dict)


class Hit(Record):
    """A document that a search found.

    `rank_score` orders the hits of one search; it is not a confidence. `shares` says what it is the sum of, by signal,
    where more than words were scored.
    """

    kind: str
    key: str
    seq: int
    rank_score: float
    shares: dict[str, float] = Field(default_factory=dict)
