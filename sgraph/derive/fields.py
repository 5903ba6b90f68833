"""What the fields of a reply are made of: text, ids that were given, dates, quotes found in their messages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sgraph.derive.happened import DateSpan, Happened, Precision, interval, read_date
from sgraph.records.base import Record


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply may refer to.

    `messages` holds the messages of the target by id, with their text; `events` the ids of the events that the deriver
    was shown (for a projection: of its batch); `facts` the ids of the fact versions it was shown. Dates without an
    offset are read in `zone`.
    """

    messages: Mapping[str, str] = field(default_factory=dict)
    events: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Words:
    """Text that shows something, trimmed, of at most `limit` characters."""

    limit: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        published = {**handler(schema), "minLength": 1}
        return published | ({"maxLength": self.limit} if self.limit else {})

    def _read(self, text: str) -> str:
        text = text.strip()
        if all(unicodedata.category(char)[0] in "CZ" for char in text):  # controls, zero width
            raise PydanticCustomError("blank", "must hold some text")
        if self.limit is not None and len(text) > self.limit:
            raise PydanticCustomError("text_too_long", "must have at most {limit} characters", {"limit": self.limit})
        return text


def unique(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Drop repeats, keeping the order."""
    return tuple(dict.fromkeys(values))


def _known(field_name: str, what: str) -> Callable[[str, ValidationInfo], str]:
    def check(value: str, info: ValidationInfo) -> str:
        if value not in getattr(info.context, field_name, ()):
            raise PydanticCustomError(f"unknown_{what}", "is none of the {what} ids that were given", {"what": what})
        return value

    return check


def _read_date(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        raise PydanticCustomError("not_text", "must be an ISO date as text")
    try:
        return read_date(value, getattr(info.context, "zone", UTC))
    except ValueError as error:
        raise PydanticCustomError("bad_date", "{reason}", {"reason": str(error)}) from error


def joined(start: DateSpan | None, end: DateSpan | None, precision: Precision | None) -> Happened | None:
    """Join the dates of a reply to an interval; None when it gives none. What cannot be joined breaks the contract."""
    if start is None:
        if end is not None or precision not in (None, "unknown"):
            raise PydanticCustomError("bad_interval", "an end or a precision is given without a start")
        return None
    try:
        return interval(start, end, precision)
    except ValueError as error:
        raise PydanticCustomError("bad_interval", "{reason}", {"reason": str(error)}) from error


def outer_bounds(start: DateSpan | None, end: DateSpan | None) -> tuple[datetime | None, datetime | None]:
    """Give the first instant inside two dates and the first one after them, in UTC; None for a side not given."""
    if start and end:
        both = joined(start, end, None)
        return (both.start, both.end) if both else (None, None)
    first, last = joined(start, None, None), joined(end, None, None)
    stop = None if last is None else last.start if last.precision == "instant" else last.end
    return (first.start if first else None), stop


# A list in JSON arrives as a Python list; everything else about a reply is strict.
AsList = Field(strict=False)
Tags = Annotated[tuple[Annotated[str, Words(80)], ...], Field(strict=False, max_length=12), AfterValidator(unique)]
EventId = Annotated[str, AfterValidator(_known("events", "event"))]
EventIds = Annotated[tuple[EventId, ...], AsList, AfterValidator(unique)]
Evidence = Annotated[tuple[EventId, ...], Field(strict=False, min_length=1), AfterValidator(unique)]
MessageId = Annotated[str, AfterValidator(_known("messages", "message"))]
FactId = Annotated[str, AfterValidator(_known("facts", "fact"))]
Date = Annotated[
    DateSpan,
    BeforeValidator(_read_date),
    WithJsonSchema({"type": "string", "description": "YYYY, YYYY-MM, YYYY-MM-DD, or an ISO 8601 date and time"}),
]


class Quote(Record):
    """Words found in a cited message: its id and the character span `[start, end)` of their first occurrence."""

    text: str
    message_id: str
    start: int
    end: int


# What a deriver was shown has U+FFFD in the place of a lone surrogate: one character for one, so spans stay the same.
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def located(quote: str, texts: Mapping[str, str], index: int) -> Quote:
    """Find the first occurrence of a quote, word for word, in messages by id; in none, it breaks the contract."""
    wanted = quote.translate(_SURROGATES)
    for message_id, text in texts.items():
        start = text.translate(_SURROGATES).find(wanted) if wanted.strip() else -1
        if start >= 0:
            end = start + len(quote)
            return Quote(text=text[start:end], message_id=message_id, start=start, end=end)
    raise PydanticCustomError(
        "quote_not_found", "the quote at index {index} is not in a cited message, word for word", {"index": index}
    )
