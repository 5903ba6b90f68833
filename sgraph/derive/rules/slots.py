"""The slots of the shape table: which words behind a verb belong to a value.

A slot reader takes the tokens, where the slot begins and where its clause ends, and returns where the slot ends;
a reader that returns the beginning found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sgraph.derive.rules import words
from sgraph.derive.rules.text import Token

Tokens: TypeAlias = Sequence[Token]
Range: TypeAlias = tuple[int, int]
Reader: TypeAlias = Callable[[Tokens, int, int], int]


_INNER_MARKS = words.word_set("& / % ' - # + .")
_TRAILING = words.word_set(
    "and or of to as a the very much really with btw lol haha tbh imo rn atm please thanks anyway"
)
_TIGHT_STOPS = (
    (words.PREPOSITIONS - {"of"})
    | (words.PRONOUNS - {"one", "this", "these", "those"})
    | words.word_set("because so when while since though although or but if unless")
)
_LOOSE_STOPS = words.word_set(
    """
    because since when while if though although but which who where more than over unless until rather so 'cause
    cuz after before except
    """
)

_DIETS = words.word_set("vegetarian vegan pescatarian kosher halal coeliac celiac lactose-intolerant gluten-free")
_CONDITIONS = words.word_set(
    """
    asthma diabetes epilepsy migraines migraine arthritis eczema adhd dyslexia hypertension celiac coeliac
    anemia insomnia vertigo tinnitus
    """
)
_POLICIES = words.word_set(
    """
    allowed permitted forbidden prohibited banned required mandatory optional disabled enabled
    """
)
_PETS = frozenset(word for word, relation in words.KIN.items() if relation == "pet") | {"dogs", "cats"}
_BARE = words.word_set("it this that you them so")
_POLITE = words.word_set("you your yours u ya ur that sure")

_ROLE_ENDS = (
    "er", "or", "ist", "ian", "ant", "eer", "man", "woman", "nurse", "chef", "lead", "coach", "clerk",
    "architect", "head", "pilot", "cook", "judge", "vet", "ceo", "cto", "mom", "dad", "parent", "intern",
    "student", "agent", "president", "guide", "analyst", "sre", "dba", "pm", "captain", "monk", "priest",
    "freelance", "veteran",
    "medic", "mechanic", "barista", "surgeon", "actress", "waitress", "teacher", "athlete", "rabbi", "imam", "midwife",
)  # fmt: skip
_NO_ROLE = words.word_set(
    """
    beginner believer reminder number matter letter center summer winter weather order water paper dinner silver
    outlet better former later either rather sucker bummer never ever mirror color honor flavor error favor
    factor disaster monster flower tower corner barrier blocker breather gamechanger game-changer lifesaver
    winner important brilliant instant significant reluctant hesitant pleasant constant reader lover over under
    computer laptop printer server fever cancer offer newcomer woman man giant elephant plant restaurant answer
    motor tractor ladder dealbreaker deal-breaker no-brainer cleaner
    """
)


def time_begins(tokens: Tokens, at: int, end: int) -> bool:
    """Tell whether a time begins at a token ("last week", "on Friday", "in May", "two years ago")."""
    low = tokens[at].low
    following = [token.low for token in tokens[at + 1 : min(at + 4, end)]]
    if (
        low in words.TIME_STARTS
        or (low == "any" and following[:1] in (["longer"], ["more"]))
        or (low == "at" and following[:1] == ["all"])
    ):
        return True
    if low in ("last", "next", "this", "every", "these", "each", "all") and following:
        return following[0] in words.TIME_WORDS or following[0] in words.NUMBER_WORDS
    if low in ("in", "on", "at", "since", "for", "until", "by", "during", "around", "from"):
        head = next((word for word in following if word not in ("the", "my", "a", "about", "early", "late")), "")
        return head in words.TIME_WORDS - {"may"} or head[:1].isdigit() or head in words.NUMBER_WORDS
    return (low in words.NUMBER_WORDS or low.isdigit() or low in ("a", "couple", "few")) and "ago" in following


def _phrase(stops: frozenset[str], *, to_stops: bool = True) -> Reader:
    """Make the reader of a noun phrase that ends at a stop word, a mark or a time."""

    def end_of(tokens: Tokens, at: int, end: int) -> int:
        stop = at
        while stop < end:
            token = tokens[stop]
            if (
                token.kind == "mark"
                and token.text not in _INNER_MARKS
                and not (token.text == "," and _mid_phrase(tokens, at, stop))
            ):
                break
            if token.low in stops or (to_stops and stop > at and token.low == "to") or time_begins(tokens, stop, end):
                break
            stop += 1
        while stop > at and (tokens[stop - 1].low in _TRAILING or tokens[stop - 1].kind == "mark"):
            stop -= 1
        return stop

    return end_of


def _mid_phrase(tokens: Tokens, at: int, comma: int) -> bool:
    """Tell whether a comma stands between two adjectives: "a safe, inviting place"."""
    return (
        comma - 2 >= at
        and tokens[comma - 2].low in ("a", "an")
        and comma + 1 < len(tokens)
        and tokens[comma + 1].low not in words.PRONOUNS | words.CONJUNCTIONS
    )


_tight, _loose = _phrase(_TIGHT_STOPS), _phrase(_LOOSE_STOPS, to_stops=False)


def _tool(tokens: Tokens, at: int, end: int) -> int:
    """A phrase that is no date: "moved from May 3 to May 10" switches no tool."""
    return (
        at
        if at < end and (tokens[at].low in words.CALENDAR or tokens[at].kind == "number")
        else _tight(tokens, at, end)
    )


def _rest(tokens: Tokens, at: int, end: int) -> int:
    return max(at, end)


def _deed(tokens: Tokens, at: int, end: int) -> int:
    """What was done: anything but a bare pronoun, for "we got this" and "I did it" report nothing."""
    rest = [token.low for token in tokens[at:end] if token.kind != "mark"]
    idle = rest == ["your", "back"] or (len(rest) == 1 and rest[0] in _BARE)
    return end if end > at and not idle else at


def _capitalised(tokens: Tokens, at: int, end: int) -> int:
    """Read a run of capitalised words, such as the name of an organization."""
    stop = at
    while stop < end and (
        tokens[stop].capital or tokens[stop].kind == "quote" or (stop > at and tokens[stop].text in ("&", "of"))
    ):
        if tokens[stop].low in words.CALENDAR or tokens[stop].low == "i":
            break
        stop += 1
    return stop


def _word(allowed: frozenset[str]) -> Reader:
    return lambda tokens, at, end: at + 1 if at < end and tokens[at].low in allowed else at


def _years(tokens: Tokens, at: int, end: int) -> int:
    if at >= end:
        return at
    text = tokens[at].text
    fits = (text.isdecimal() and len(text) < 4 and 0 < int(text) < 120) or tokens[at].low in words.NUMBER_WORDS
    return at + 1 if fits else at


def _count(tokens: Tokens, at: int, end: int) -> int:
    counts = at < end and (
        tokens[at].low in words.NUMBER_WORDS or tokens[at].text.isdecimal() or tokens[at].low in ("a", "an")
    )
    return at + 1 if counts else at


_role_phrase = _phrase(_TIGHT_STOPS)


def _role(tokens: Tokens, at: int, end: int) -> int:
    """Read "tech lead of the payments team": a phrase whose head names an occupation."""
    stop = _role_phrase(tokens, at, end)
    head = next((k for k in range(at, stop) if tokens[k].low == "of"), stop) - 1
    if head < at or tokens[at].low == "no":
        return at
    low = tokens[head].low
    return stop if low.endswith(_ROLE_ENDS) and low not in _NO_ROLE else at


def _allergen(tokens: Tokens, at: int, end: int) -> int:
    return at + 1 if at < end and at + 1 < len(tokens) and tokens[at + 1].low in ("allergy", "intolerance") else at


def _event_place(tokens: Tokens, at: int, end: int) -> int:
    if at + 1 >= end or tokens[at].low not in ("at", "in", "on"):
        return at
    after = tokens[at + 1]
    return end if after.capital or after.low in words.DETERMINERS or after.low in ("church", "school") else at


def _telling(tokens: Tokens, at: int, end: int) -> int:
    """What is left of a clause when it is more than a courtesy: three words or more, and none of them "you"."""
    if at < end and tokens[at].kind == "mark":
        return at
    rest = [token.low for token in tokens[at:end] if token.kind != "mark"]
    return end if len(rest) >= 3 and not _POLITE & set(rest) and rest[0] not in words.CONJUNCTIONS else at


def _doing(tokens: Tokens, at: int, end: int) -> int:
    """What somebody does, in two words or more of which one has content: "on Fridays", not "it too"."""
    rest = [token.low for token in tokens[at:end] if token.kind != "mark"]
    content = [
        low for low in rest if low not in _TIGHT_STOPS and low not in words.DETERMINERS and not words.is_adverb(low)
    ]
    return end if len(rest) >= 2 and content and not _POLITE & set(rest) and rest[0] not in words.CONJUNCTIONS else at


def _to_me(tokens: Tokens, at: int, end: int) -> int:
    return _telling(tokens, at, end) if {token.low for token in tokens[at:end]} & {"me", "my"} else at


def _described(tokens: Tokens, at: int, end: int) -> int:
    return _telling(tokens, at, end) if at < end and tokens[at].low in ("a", "an", "the", "my", "our") else at


def _date(tokens: Tokens, at: int, end: int) -> int:
    """What is left of a clause when it begins as a date does: a weekday, a month, "next", a number."""
    if at >= end:
        return at
    low = tokens[at].low
    led = low in ("the", "after", "a") and at + 1 < end and tokens[at + 1].low in words.TIME_WORDS
    return end if led or low in words.TIME_WORDS or tokens[at].kind == "number" or low[:-2].isdecimal() else at


SLOTS: dict[str, Reader] = {
    "value": _loose, "values": _loose, "likings": _loose, "other": _loose, "event": _loose, "object": _tight,
    "thing": _tight, "name": _tight, "tool": _tool, "tools": _tool, "old": _tight, "topic": _tight,
    "languages": _tight, "org": _capitalised, "people": _capitalised, "date": _date, "rest": _rest,
    "deed": _deed, "telling": _telling, "doing": _doing, "described": _described, "to_me": _to_me,
    "event_place": _event_place, "years": _years, "count": _count, "role": _role, "allergen": _allergen,
    "diet": _word(_DIETS), "policy": _word(_POLICIES), "pet": _word(_PETS), "kin": _word(frozenset(words.KIN)),
    "condition": _word(_CONDITIONS),
}  # fmt: skip
VALUE_SLOTS = (
    "value", "values", "likings", "liked", "chosen", "person", "tool", "tools", "name", "org", "people", "languages",
    "years", "role", "diet", "policy", "allergen", "date", "condition", "object",
)  # fmt: skip
_LISTS = frozenset(("values", "likings", "tools", "languages", "people"))


def read_slot(slot: str, tokens: Tokens, at: int, end: int) -> tuple[tuple[Range, ...], int]:
    """Return the ranges a slot holds (a list slot has several) and where it ends; no range when it does not fit."""
    reader = SLOTS[slot]
    if slot in _LISTS and (slot != "likings" or _is_series(tokens, at, end)):
        return _list(tokens, at, end, reader)
    stop = reader(tokens, at, end)
    return (((at, stop),) if stop > at else ()), stop


def _is_series(tokens: Tokens, at: int, end: int) -> bool:
    """Tell "tea, rye and cheese" (three likings) from "mac and cheese" (one)."""
    comma = next((k for k in range(at, end) if tokens[k].text == ","), end)
    return any(tokens[k].low in ("and", "or") for k in range(comma, end)) and not _mid_phrase(tokens, at, comma)


def _list(tokens: Tokens, at: int, end: int, one: Reader) -> tuple[tuple[Range, ...], int]:
    """Read "A, B and some C" as three ranges."""
    ranges: list[Range] = []
    while at < end:
        while (
            at + 1 < end and tokens[at].low in ("some", "a", "an", "the", "little", "also") and not tokens[at].capital
        ):
            at += 1
        stop = one(tokens, at, end)
        stop = next((k for k in range(at, stop) if tokens[k].low in ("and", "or", "as")), stop)
        if stop == at:
            break
        ranges.append((at, stop))
        at = stop
        while at < end and (tokens[at].text == "," or tokens[at].low in ("and", "or")):
            at += 1
        if at == stop:
            break
    return tuple(ranges), (ranges[-1][1] if ranges else at)
