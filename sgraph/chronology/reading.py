"""Reading: from text to time spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from sgraph.chronology import (
    rules_calendar,
    rules_chinese,
    rules_clock,
    rules_cycles,
    rules_daypart,
    rules_distance,
    rules_numeric,
    rules_range,
    rules_relative,
)
from sgraph.chronology.grammar import Cell, Edge, Grammar, Rule
from sgraph.chronology.periods import Moment, Period
from sgraph.chronology.tense import tense_around
from sgraph.chronology.tokens import fold, tokenize
from sgraph.records.timespan import Precision, TimeSpan

GRAMMAR = Grammar(
    (
        *rules_numeric.RULES,
        *rules_clock.RULES,
        *rules_daypart.RULES,
        *rules_relative.RULES,
        *rules_distance.RULES,
        *rules_calendar.RULES,
        *rules_cycles.RULES,
        *rules_chinese.RULES,
        *rules_range.RULES,
    )
)
RULES: tuple[Rule, ...] = GRAMMAR.rules
"""Every rule, in the order in which they are tried."""

_PRECISION: dict[str, Precision] = {
    "second": "instant",
    "minute": "instant",
    "hour": "instant",
    "day": "day",
    "week": "week",
    "weekend": "range",
    "month": "month",
    "quarter": "quarter",
    "season": "season",
    "half": "half",
    "year": "year",
    "decade": "decade",
}
_IN_TEXT = ("NOT_TIME", "TIME", "SPAN")
_EXPECTED = ("TIME", "SPAN", "BARE", "ALONE")
_AROUND = " \t\r\n.,;:!?()[]{}\"'。，；：！？（）「」“”"
_GLUE = re.compile(r"[@_\\]")
_GLUE_BEFORE_DIGIT = re.compile(r"[$€£¥#%&=]$|\w[.\-/:,'+]$")
_GLUE_AFTER_DIGIT = re.compile(r"[%$€£¥=]|[.\-/:,+]\d")
_LONGEST = 60
"""Tokens that one expression by itself may have, with the words around it."""


def resolve(text: str, said_at: datetime, *, language: str | None = None) -> TimeSpan | None:
    """Read one expression of time, said at `said_at`.

    `said_at` may be naive (local wall clock) or aware; the span is of the same sort, in the same zone, and counts local
    calendar days. `language` ("en" or "zh") decides the order of day and month in figures; without it the script of the
    text does. Returns None when the words set no time ("recently") or a date does not exist. Around the expression only
    white space and punctuation may stand, or a text in which `find` sees exactly one.
    """
    whole = read_whole(text, said_at, language=language)
    if whole is not None:
        return whole
    found = find(text, said_at, language=language)
    return found[0] if len(found) == 1 else None


def read_whole(text: str, said_at: datetime, *, language: str | None = None) -> TimeSpan | None:
    """Read a text that is one expression of time and nothing else; like `resolve` otherwise."""
    moment = _moment(text, said_at, language)
    start, end = len(text) - len(text.lstrip(_AROUND)), len(text.rstrip(_AROUND))
    tokens = tokenize(text)
    inner = [token for token in tokens if token.start >= start and token.end <= end]
    if not inner or len(tokens) > _LONGEST:
        return None
    for words in (tokens, inner):
        cells = GRAMMAR.chart(words, moment)
        for name in _EXPECTED:
            for edge in cells[0].get(name, ()):
                if edge.end == len(words) and isinstance(edge.value, Period):
                    return _span(text, words[0].start, words[-1].end, edge, edge.value, said_at)
    return None


def find(text: str, said_at: datetime, *, language: str | None = None) -> list[TimeSpan]:
    """Find the expressions of time in running text, in order, without overlap, each as long as possible.

    Conservative: words that are more often something else ("may", "second", bare numbers) count only in company. The
    tense of the clause chooses among the occurrences of a date that names no year or week: "we met on 30 December" lies
    behind, "the fair opens on 20 January" ahead.
    """
    moment = _moment(text, said_at, language)
    spans = []
    tokens = tokenize(text)
    for first, edge in _chosen(GRAMMAR.chart(tokens, moment)):
        start, end = tokens[first].start, tokens[edge.end - 1].end
        if not isinstance(edge.value, Period) or _glued(text, start, end):
            continue
        tense = tense_around(text, start, end)
        if tense < 0 and edge.value.ahead:
            continue
        spans.append(_span(text, start, end, edge, _in_tense(edge.value, tense, moment), said_at))
    return spans


def _moment(text: str, said_at: datetime, language: str | None) -> Moment:
    chinese = language == "zh" if language else any("\u4e00" <= sign <= "\u9fff" for sign in text)
    return Moment(said_at.replace(tzinfo=None), said_at.tzinfo, month_first=not chinese)


def _chosen(cells: list[Cell]) -> Iterator[tuple[int, Edge]]:
    """Yield the longest thing at each place, from left to right; what only looks like a time hides what it covers."""
    at = 0
    while at < len(cells):
        edges = [edge for name in _IN_TEXT for edge in cells[at].get(name, ())]
        if not edges:
            at += 1
            continue
        best = max(edges, key=lambda edge: edge.end)  # the first of the longest
        hidden = (k for k in range(at + 1, best.end) if any(e.end > best.end for e in cells[k].get("NOT_TIME", ())))
        if (other := next(hidden, None)) is None:
            yield at, best
            at = best.end
        else:
            at = other


def _glued(text: str, start: int, end: int) -> bool:
    """Tell whether it is a piece of something longer: "v2.2014-10-12-rc", "$2014", "10.1.2.2014", "@friday"."""
    before, after = fold(text[max(0, start - 2) : start]), fold(text[end : end + 2])
    if _GLUE.match(before[-1:]) or _GLUE.match(after):
        return text[start].isascii()
    return bool(
        (text[start].isdigit() and _GLUE_BEFORE_DIGIT.search(before))
        or (text[end - 1].isdigit() and _GLUE_AFTER_DIGIT.match(after))
    )


def _in_tense(period: Period, tense: int, moment: Moment) -> Period:
    """Choose the occurrence behind (-1) or ahead (1) when the words leave it open; the other is an alternative."""
    other: Period | None = None
    if tense < 0 and period.start > moment.now:
        other = _occurrence(period, -1)
        if other is not None and other.start == moment.day and other.grain == "day":  # people say "today"
            other = _occurrence(period, -2)
    elif tense > 0 and (period.end <= moment.now or (period.grain == "range" and period.start < moment.day)):
        other = _occurrence(period, 1)
    if other is None:
        return period
    return replace(other, turn=None, alternatives=(*other.alternatives, (period.start, period.end)))


def _occurrence(period: Period, k: int) -> Period | None:
    """Give another occurrence, if the words leave it open and the calendar has it."""
    if period.turn is None:
        return None
    with suppress(OverflowError):
        return period.turn(k)
    return None


def _span(text: str, start: int, end: int, edge: Edge, period: Period, said_at: datetime) -> TimeSpan:
    other = _occurrence(period, -1 if period.start > said_at.replace(tzinfo=None) else 1)
    others = (*period.alternatives, *([(other.start, other.end)] if other is not None else []))
    first, last = _in_zone(period.start, period.end, said_at.tzinfo)
    return TimeSpan(
        start=first,
        end=last,
        precision=_PRECISION.get(period.grain, "range"),
        basis=period.basis,
        text=text[start:end],
        span=(start, end),
        rule=edge.rule,
        open_end=period.open_end,
        alternatives=tuple(_in_zone(*bounds, said_at.tzinfo) for bounds in others),
    )


def _in_zone(start: datetime, end: datetime, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Put local times into the zone of the speaker; an interval that a clock change leaves out has no length."""
    if zone is None:
        return start, end
    first, last = start.replace(tzinfo=zone), end.replace(tzinfo=zone)
    with suppress(OverflowError):  # the first and last days of the calendar have no UTC
        if last.astimezone(UTC) < first.astimezone(UTC):
            return first, first
    return first, last
