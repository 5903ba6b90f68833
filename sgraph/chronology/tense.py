"""The tense of a clause, as far as it helps to date it: a few verb forms, no grammar."""

from __future__ import annotations

import re

from sgraph.chronology.words import words_of

_PAST = frozenset(
    words_of(
        "was were had did went came got took made saw met said told gave found thought felt left bought brought began "
        "became knew ran ate drank drove wrote read won lost sold built sent spent taught held heard kept paid put "
        "sat slept spoke stood swam threw understood woke wore broke chose fell flew forgot grew hit hung hurt led "
        "let rode rose sang set shot shut stuck caught fought ive been done gone become since 'd"
    )
)
_FUTURE = frozenset(
    words_of(
        "will must 'll gonna shall going plan plans planning planned intend hope hoping want wants schedule scheduled "
        "upcoming next opens starts begins leaves arrives coming booked due soon should can could would let's expect "
        "expects expecting looking"
    )
)
_BEFORE_PARTICIPLES = frozenset(words_of("be is are being to get gets 's 're am"))
_PAST_ZH = re.compile("[了过曾]|已经|刚|时候|当时")
_FUTURE_ZH = re.compile("[将要会想打]|准备|计划|打算|即将")
_CLAUSE_END = re.compile(r"[.!?;\n。！？；]|, (?:and|but|so|then)\b|，")
_WORD = re.compile(r"'[a-z]+|[a-z]+")
_NOT_PAST = frozenset(words_of("need speed feed seed indeed bed red wed shed hundred kindred sacred naked wicked"))


def tense_around(text: str, start: int, end: int) -> int:
    """Tell the tense of the clause around `text[start:end]`: -1 past, 1 future, 0 unknown.

    The nearest verb form before it decides, else one shortly after it.
    """
    left = max(
        (match.end() for match in _CLAUSE_END.finditer(text, max(0, start - 200), start)), default=max(0, start - 200)
    )
    stop = _CLAUSE_END.search(text, end, end + 200)
    right = stop.start() if stop else end + 200
    before, after = text[left:start], text[end:right]
    if tense := _last_finite(_WORD.findall(before.lower())) or _last_finite(_WORD.findall(after.lower())[:6]):
        return tense
    clause = before + after
    return 1 if _FUTURE_ZH.search(clause) else -1 if _PAST_ZH.search(clause) else 0


def _last_finite(words: list[str]) -> int:
    """Tell the tense of the last finite verb form; a participle ("must be changed", "is held") is none."""
    for at in range(len(words) - 1, -1, -1):
        if words[at] in _FUTURE:
            return 1
        if is_past_form(words[at]) and not (at and words[at - 1] in _BEFORE_PARTICIPLES):
            return -1
    return 0


def is_past_form(word: str) -> bool:
    """Tell whether an English word, lower case, is likely the past form of a verb."""
    return word in _PAST or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)
