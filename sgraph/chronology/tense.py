"""The tense of a clause, as far as it helps to date it: a few verb forms, no grammar."""

from __future__ import annotations

import re

_PAST = frozenset(
    "was were had did went came got took made saw met said told gave found thought felt left bought brought began became knew ran ate drank "
    "drove wrote read won lost sold built sent spent taught held heard kept paid put sat slept spoke stood swam threw understood woke wore "
    "broke chose fell flew forgot grew hit hung hurt led let rode rose sang set shot shut stuck caught fought ive been since 'd".split())
_FUTURE = frozenset(
    "will 'll gonna shall going plan plans planning planned intend hope hoping want wants schedule scheduled upcoming next opens starts begins "
    "leaves arrives coming booked due soon should can could would let's expect expects expecting looking".split())
_PAST_ZH = re.compile("[了过曾]|已经|刚|时候|当时")
_FUTURE_ZH = re.compile("[将要会想打]|准备|计划|打算|即将")
_CLAUSE_END = re.compile(r"[.!?;\n。！？；]|, (?:and|but|so|then)\b|，")
_WORD = re.compile(r"'[a-z]+|[a-z]+")
_NOT_PAST = frozenset("need speed feed seed indeed bed red wed shed hundred kindred sacred naked wicked".split())


def tense_around(text: str, start: int, end: int) -> int:
    """Tell the tense of the clause around `text[start:end]`: -1 past, 1 future, 0 unknown. The nearest form before it decides."""
    left = max((match.end() for match in _CLAUSE_END.finditer(text, max(0, start - 200), start)), default=max(0, start - 200))
    stop = _CLAUSE_END.search(text, end, end + 200)
    right = stop.start() if stop else end + 200
    before, after = text[left:start], text[end:right]
    for word in reversed(_WORD.findall(before.lower())):
        if (tense := _tense_of(word)):
            return tense
    for word in _WORD.findall(after.lower()):
        if (tense := _tense_of(word)):
            return tense
    clause = before + after
    return 1 if _FUTURE_ZH.search(clause) else -1 if _PAST_ZH.search(clause) else 0


def _tense_of(word: str) -> int:
    if word in _FUTURE:
        return 1
    if word in _PAST or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST):
        return -1
    return 0
