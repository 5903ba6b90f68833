"""A clause retold in the third person: the speaker's name for "I", the verb to go with it, every other word kept."""

from __future__ import annotations

from collections.abc import Sequence

from sgraph.derive.rules import words
from sgraph.derive.rules.clause import Clause
from sgraph.derive.rules.text import Token

_OTHERS = {
    "me": "{name}",
    "mine": "{name}'s",
    "myself": "themselves",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
}
_AGREES = {"am": "is", "have": "has", "do": "does", "'m": "is", "m": "is", "'ve": "has", "ve": "has", "'ll": "will"}
_LEFT_OUT = {(True, "future"): ["is "], (True, "progressive"): ["has "], (False, "perfect"): ["has "]}
_LONG = {"are": "are", "have": "have", "will": "will", "'d": "would"}
_PLURAL = frozenset(("us", "our", "ours", "ourselves"))
_FIXED = words.AUXILIARIES | words.PREPOSITIONS - {"like"} | words.CONJUNCTIONS | {"'d", "'s"}


def third_person(content: str, tokens: Sequence[Token], clause: Clause, name: str, other: str = "") -> str:
    """Retell a clause; a subject left out or shared with an earlier verb is put in, negation always stays.

    `name` is the speaker's, `other` whom "he" or "she" means when the clause is about them.
    """
    subject = clause.subject
    own = subject.kind in ("speaker", "group")
    teller = name if subject.kind == "speaker" else f"{name} and others"
    elided = subject.start == subject.end
    named = elided or subject.end <= clause.start  # the subject stands before the clause, or nowhere
    pieces: list[str] = []
    if named:
        pieces = [teller if own else other or content[tokens[subject.start].start : tokens[subject.end - 1].end], " "]
        pieces += _LEFT_OUT.get((elided, clause.verb.tense), [])
    agreeing = named and not elided and subject.kind == "speaker"
    place = tokens[clause.start].start
    for at in range(clause.start, clause.end):
        token, low = tokens[at], tokens[at].low
        said: str | None = None
        if elided and at == clause.start:
            said = token.text.lower()
        elif agreeing:
            following = next((t.low for t in tokens[at + 1 : clause.end] if not words.is_adverb(t.low)), "")
            said, agreeing = _agreed(token, at == clause.verb.at and clause.verb.tense != "present", following)
        elif low in ("i", "we") and (own or (low == "i" and tokens[at - 1].low not in words.NUMBERED)):
            said, named, agreeing = (
                (name if low == "i" else teller if at == subject.start else "they"),
                True,
                low == "i",
            )
        elif (
            own
            and subject.kind == "group"
            and at == subject.end
            and (long := _LONG.get(low if token.text[:1] in "'’" else ""))
        ):
            said = long
        elif at == subject.start and subject.kind == "pronoun" and other:
            said = other
        elif low == "my":
            said = "their" if named else f"{name}'s"
        elif low in _OTHERS and (low not in _PLURAL or own):
            said = _OTHERS[low].format(name=name)
        if said is None:
            continue
        gap = content[place : token.start]
        clipped = (
            not gap and pieces and at not in (subject.start, clause.start) and low not in ("i", "we")
        )  # "I'm" becomes "Mara is"
        pieces += [gap, " " if clipped else "", said]
        place = token.end
    pieces.append(content[place : tokens[clause.end - 1].end])
    text = " ".join("".join(pieces).split()).strip(" ,;:-–—")
    return text[:1].upper() + text[1:]


def _agreed(token: Token, told_as_past: bool, following: str) -> tuple[str | None, bool]:
    """Return a verb as it goes with a name, and whether the verb is still to come."""
    low = token.low
    if low in words.NEGATIONS or low == "no" or words.is_adverb(low):
        return None, True
    if low == "'d":
        return ("had" if following in words.PARTICIPLE or following.endswith("ed") else "would"), False
    if agreed := _AGREES.get(token.text.lower().replace("’", "'")):
        return agreed, False
    past = low in words.PAST or low in words.SAME_FORM or (low.endswith("ed") and low not in words.NOT_PAST)
    if token.kind != "word" or past or told_as_past or low in _FIXED:
        return None, False
    return _with_s(token.text), False


def _with_s(verb: str) -> str:
    if len(verb) > 1 and verb.isupper():
        return _with_s(verb.lower()).upper()
    low = verb.lower()
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
