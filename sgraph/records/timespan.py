"""The record of one time expression: the words, and the interval they stand for."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from sgraph.records.base import Record

Precision: TypeAlias = Literal[
    "instant", "day", "week", "month", "quarter", "season", "half", "year", "decade", "range"
]
Basis: TypeAlias = Literal["explicit", "relative", "inferred"]


class TimeSpan(Record):
    """Hold the interval `[start, end)` that some words stand for.

    `start` and `end` are both set and of one sort: naive local times when the moment of speaking was naive, else aware
    in its zone. `precision` is the grain the words have ("range" when no single calendar unit fits), `basis` says where
    the interval comes from: *explicit* (a calendar names it, perhaps without its year), *relative* (counted from the
    moment of speaking) or *inferred* (no words at all). `text` are the exact words and `span` their `(start, end)`
    character offsets in the text that was read. `rule` names the row of the table that read them. `open_end`: the words
    set no end, `end` is the moment of speaking or the next best bound. `alternatives` are the other intervals people
    commonly mean by the same words, the likeliest first.
    """

    start: datetime
    end: datetime
    precision: Precision
    basis: Basis
    text: str
    span: tuple[int, int]
    rule: str
    open_end: bool = False
    alternatives: tuple[tuple[datetime, datetime], ...] = ()

    @model_validator(mode="after")
    def _forwards(self) -> Self:
        if (self.start.tzinfo is None) != (self.end.tzinfo is None):
            raise ValueError("start and end must both be naive or both be aware")
        if self.end < self.start:
            raise ValueError("end lies before start")
        return self
