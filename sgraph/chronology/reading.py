"""Reading: from text to time spans."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from sgraph.chronology import rules_calendar, rules_chinese, rules_clock, rules_numeric, rules_range, rules_relative
from sgraph.chronology.grammar import Cell, Edge, Grammar, Rule
from sgraph.chronology.periods import Moment, Period
from sgraph.chronology.tense import tense_around
from sgraph.chronology.tokens import Token, fold, tokenize
from sgraph.records.timespan import Precision, TimeSpan

GRAMMAR = Grammar((
    *rules_numeric.RULES, *rules_relative.RULES, *rules_calendar.RULES, *rules_chinese.RULES, *rules_range.RULES, *rules_clock.RULES,
))
RULES: tuple[Rule, ...] = GRAMMAR.rules
"""Every rule, in the order in which they are tried."""

_PRECISION: dict[str, Precision] = {
    "second": "instant", "minute": "instant", "hour": "instant", "day": "day", "week": "week", "weekend": "range", "month": "month",
    "quarter": "quarter", "season": "season", "half": "half", "year": "year", "decade": "decade",
}
_IN_TEXT = ("TIME", "SPAN", "NOT_TIME")
_EXPECTED = ("TIME", "SPAN", "BARE", "ALONE")
_AROUND = " \t\r\n.,;:!?()[]{}\"'。，；：！？（）「」“”"
_CHUNK = 400
"""Tokens that are parsed at once; a longer text is cut where no expression can run across."""


class _Found(NamedTuple):
    first: int
    edge: Edge
    certain: bool


def resolve(text: str, said_at: datetime, *, language: str | None = None) -> TimeSpan | None:
    """Read one expression of time, said at `said_at`.

    `said_at` may be naive (local wall clock) or aware; the span is of the same sort, in the same zone, and counts local calendar days.
    `language` ("en" or "zh") decides the order of day and month in figures; without it the script of the text does. Returns None
    when the words set no time ("recently") or a date does not exist. Around the expression only white space and punctuation may stand,
    or a text in which `find` sees exactly one.
    """
    moment = _moment(text, said_at, language)
    start, end = len(text) - len(text.lstrip(_AROUND)), len(text.rstrip(_AROUND))
    tokens = tokenize(text)
    inner = [token for token in tokens if token.start >= start and token.end <= end]
    if not inner or len(tokens) > _CHUNK:
        return None
    for words in (tokens, inner):
        cells = GRAMMAR.chart(words, moment)
        for name in _EXPECTED:
            for edge in cells[0].get(name, ()):
                if edge.end == len(words) and isinstance(edge.value, Period):
                    return _span(text, words[0].start, words[-1].end, edge, edge.value, said_at)
    found = find(text, said_at, language=language)
    return found[0] if len(found) == 1 else None


def find(text: str, said_at: datetime, *, language: str | None = None) -> list[TimeSpan]:
    """Find the expressions of time in running text, in order, without overlap, each as long as possible.

    Conservative: words that are more often something else ("may", "second", bare numbers) count only in company. The tense of the
    clause chooses among the occurrences of a date that names no year or week: "we met on 30 December" lies behind, "the fair opens
    on 20 January" ahead.
    """
    moment = _moment(text, said_at, language)
    spans = []
    tokens = tokenize(text)
    for first in range(0, len(tokens), _CHUNK):
        chunk = tokens[first:first + _CHUNK]
        for found in _chosen(chunk, GRAMMAR.chart(chunk, moment)):
            start, end = chunk[found.first].start, chunk[found.edge.end - 1].end
            if not found.certain or not _isolated(text, start, end):
                continue
            period = _in_tense(found.edge.value, tense_around(text, start, end), moment)
            spans.append(_span(text, start, end, found.edge, period, said_at))
    return spans


def _moment(text: str, said_at: datetime, language: str | None) -> Moment:
    chinese = language == "zh" if language else any("\u4e00" <= sign <= "\u9fff" for sign in text)
    return Moment(said_at.replace(tzinfo=None), said_at.tzinfo, month_first=not chinese)


def _chosen(tokens: list[Token], cells: list[Cell]) -> Iterator[_Found]:
    """Yield the longest thing at each place, from left to right; what only looks like a time hides what it covers."""
    at = 0
    while at < len(tokens):
        best: _Found | None = None
        for name in _IN_TEXT:
            for edge in cells[at].get(name, ()):
                if best is None or edge.end > best.edge.end:
                    best = _Found(at, edge, isinstance(edge.value, Period))
        if best is None:
            at += 1
        else:
            yield best
            at = best.edge.end


def _isolated(text: str, start: int, end: int) -> bool:
    """Refuse what is a piece of something longer: "v2.2014-10-12-rc", "555-2014", "$2014", "10.1.2.2014"."""
    before, after = fold(text[max(0, start - 2):start]), fold(text[end:end + 2])
    if text[start].isascii() and before and (before[-1] in "$€£#@_%&=\\" or (before[-1] in ".-/:,'+" and before[:1].isalnum() and len(before) == 2)):
        return False
    return not (text[end - 1].isascii() and after and (after[0] in "%_$€£=\\" or (after[0] in ".-/:,+" and after[1:2].isdigit())))


def _in_tense(period: Period, tense: int, moment: Moment) -> Period:
    """Choose the occurrence behind (-1) or ahead (1) when the words leave it open."""
    if period.turn is None or not tense:
        return period
    if tense < 0 and period.start > moment.now:
        return period.turn(-1) or period
    if tense > 0 and period.end <= moment.now:
        return period.turn(1) or period
    return period


def _span(text: str, start: int, end: int, edge: Edge, period: Period, said_at: datetime) -> TimeSpan:
    zone = said_at.tzinfo
    others = list(period.alternatives)
    if period.turn is not None:
        other = period.turn(-1 if period.start > said_at.replace(tzinfo=None) else 1)
        if other is not None:
            others.append((other.start, other.end))

    def local(at: datetime) -> datetime:
        return at if zone is None else at.replace(tzinfo=zone)

    first, last = local(period.start), local(period.end)
    if zone is not None and last.astimezone(UTC) < first.astimezone(UTC):  # an hour that a clock change leaves out
        last = first
    return TimeSpan(start=first, end=last, precision=_PRECISION.get(period.grain, "range"), basis=period.basis, text=text[start:end],
                    span=(start, end), rule=edge.rule, open_end=period.open_end,
                    alternatives=tuple((local(a), local(b)) for a, b in others))
