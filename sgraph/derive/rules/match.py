"""The matcher: the rows of the shape table against the clauses of a sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sgraph.derive.rules import words
from sgraph.derive.rules.clause import Clause
from sgraph.derive.rules.grammar import Verb
from sgraph.derive.rules.shapes import SHAPES, Shape
from sgraph.derive.rules.slots import Range, Tokens, read_slot, time_begins

Slots: TypeAlias = dict[str, tuple[Range, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """A shape that fits: the row, and the token ranges of its slots by name."""

    shape: Shape
    slots: Slots


@dataclass(frozen=True, slots=True)
class _Part:
    """One piece of a complement: a slot, or words of which one alternative must stand there."""

    slot: str
    optional: bool
    alternatives: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Row:
    shape: Shape
    lemmas: frozenset[str]
    adverbs: frozenset[str]
    tenses: frozenset[str]
    parts: tuple[_Part, ...]


def _compiled(shape: Shape) -> _Row:
    *adverbs, verb = shape.verb.split()
    parts = []
    for piece in shape.complement.split():
        bare = piece.removeprefix("?")
        slot = bare.strip("{}") if bare.startswith("{") else ""
        parts.append(
            _Part(slot, bare != piece, () if slot else tuple(tuple(word.split("_")) for word in bare.split("|")))
        )
    return _Row(shape, frozenset(verb.split("|")), frozenset(adverbs), frozenset(shape.when.split()), tuple(parts))


_ROWS = tuple(_compiled(shape) for shape in SHAPES)
LEMMAS = (
    frozenset(lemma for row in _ROWS for lemma in row.lemmas if lemma != "*")
    | words.SAYING
    | words.PERSONAL
    | words.word_set("take visit attend run need want think believe")
)
_BY_LEMMA: dict[str, tuple[_Row, ...]] = defaultdict(lambda: _BY_LEMMA["*"])
_BY_LEMMA |= {lemma: tuple(row for row in _ROWS if row.lemmas & {lemma, "*"}) for lemma in LEMMAS | {"*"}}


def fits(clause: Clause, tokens: Tokens) -> Iterator[Found]:
    """Yield the shapes that fit a clause, in the order of the table; the caller takes the first it can use."""
    for row in _BY_LEMMA[clause.verb.lemma]:
        if not _verb_fits(row, clause, tokens):
            continue
        subject = SUBJECTS[row.shape.subject](clause, tokens)
        if subject is None:
            continue
        complement = _complement(row.parts, tokens, clause.verb.rest, clause.end)
        if complement is not None:
            yield Found(row.shape, subject | complement)


# ------------------------------------------------------------------ the verb
def _verb_fits(row: _Row, clause: Clause, tokens: Tokens) -> bool:
    verb = clause.verb
    if not row.adverbs <= verb.adverbs:
        return False
    if "*" in row.lemmas and (verb.lemma in words.STATIVE or (verb.lemma == "be" and not _went(verb, tokens))):
        return False
    return verb.tense in row.tenses or (
        "coming" in row.tenses and verb.tense in ("progressive", "present") and _is_coming(clause, tokens)
    )


def _went(verb: Verb, tokens: Tokens) -> bool:
    """Tell whether a form of "be" reports a deed: "I will be at the fair", "I've never been to Japan"."""
    return verb.tense == "future" or (
        verb.tense == "perfect" and verb.rest < len(tokens) and tokens[verb.rest].low == "to"
    )


_NEXT = frozenset(("release", "sprint", "version", "iteration", "term", "semester", "season"))


def _is_coming(clause: Clause, tokens: Tokens) -> bool:
    """Tell whether "I'm flying" means a time to come: tomorrow, next month, on Friday, this weekend."""
    lows = [token.low for token in tokens[clause.start : clause.end]]
    return any(
        first in ("tomorrow", "tonight", "soon")
        or (first == "next" and second in words.TIME_WORDS | _NEXT)
        or (first == "this" and second in words.TIME_WORDS)
        or (first in ("in", "on") and second in words.CALENDAR)
        or (first in ("in", "this") and {second, third} & words.SEASONS)
        for first, second, third in zip(lows, [*lows[1:], ""], [*lows[2:], "", ""], strict=False)
    )


# ------------------------------------------------------------------ the subject
_PEOPLE = frozenset(("speaker", "group", "named", "kin", "pronoun"))
_OF_OTHERS = frozenset(("your", "his", "her", "their", "its"))
ATTRIBUTES = words.word_set(
    """
    password passcode passphrase port version branch deadline budget owner url email e-mail address phone number
    birthday timezone license database cache framework language queue region limit quota timeout endpoint
    hostname codename date
    """
)
_TWO_WORD_ATTRIBUTES = frozenset(
    ("phone number", "email address", "time zone", "due date", "default branch", "main branch", "web framework")
)
_PLAIN_ADJECTIVES = words.word_set("main new current default primary own actual whole")
_FAVOURITE = words.word_set("favourite favorite favourites favorites fave preferred")

Subjects: TypeAlias = Callable[[Clause, Tokens], Slots | None]


def _of_kinds(*kinds: str) -> Subjects:
    allowed = frozenset(kinds)
    return lambda clause, tokens: {} if clause.subject.kind in allowed else None


def _something(clause: Clause, tokens: Tokens) -> Slots | None:
    low = tokens[clause.subject.start].low
    pointing = clause.subject.kind == "other" and low in ("this", "that")
    return (
        {} if (pointing or clause.subject.kind in ("thing", "named", "kin", "it")) and low not in _OF_OTHERS else None
    )


def _phrase_as(slot: str) -> Subjects:
    def read(clause: Clause, tokens: Tokens) -> Slots | None:
        subject = clause.subject
        if subject.kind not in ("thing", "named", "kin") or tokens[subject.start].low in _OF_OTHERS:
            return None
        return {slot: ((subject.start, subject.end),)}

    return read


def _person(clause: Clause, tokens: Tokens) -> Slots | None:
    subject = clause.subject
    return {"person": ((subject.start, subject.end),)} if subject.kind == "named" else None


def _definite(clause: Clause, tokens: Tokens) -> Slots | None:
    """A thing spoken of as known: "the client", "our landlord"; it becomes the subject."""
    first = tokens[clause.subject.start].low
    return {} if clause.subject.kind == "thing" and first in words.DETERMINERS - _OF_OTHERS else None


def _own(clause: Clause, tokens: Tokens) -> list[str]:
    """Return the words of a subject behind "my" or "our"; none for another subject."""
    subject = clause.subject
    lows = [token.low for token in tokens[subject.start : subject.end]]
    return lows[1:] if lows and lows[0] in ("my", "our") and subject.kind in ("thing", "kin") else []


def _my(name: str) -> Subjects:
    return lambda clause, tokens: {} if _own(clause, tokens) == [name] else None


def _my_thing(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    return {"thing": ((clause.subject.start, clause.subject.end),)} if own and clause.subject.kind == "thing" else None


def _my_favourite(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    return {} if len(own) == 1 and own[0] in _FAVOURITE else None


def _my_favourite_topic(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    if len(own) < 2 or own[0] not in _FAVOURITE or "of" in own:
        return None
    return {"topic": ((clause.subject.start + 2, clause.subject.end),)}


def _my_kin(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    return _kin_slot(clause, own)


def _my_kin_name(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    return _kin_slot(clause, own[:-2]) if own[-2:] == ["'s", "name"] else None


def _kin_slot(clause: Clause, own: list[str]) -> Slots | None:
    at = clause.subject.start + len(own)
    return {"kin": ((at, at + 1),)} if own and own[-1] in words.KIN else None


def attribute_of(start: int, end: int, tokens: Tokens) -> Slots | None:
    """Split "the guest Wi-Fi password" into its bearer (slot subject) and the attribute."""
    pair = " ".join(token.low for token in tokens[max(start, end - 2) : end])
    if end <= start or not (tokens[end - 1].low in ATTRIBUTES or pair in _TWO_WORD_ATTRIBUTES):
        return None
    if tokens[start].low in _OF_OTHERS or tokens[start].low.endswith("ing"):
        return None
    width = 2 if pair in _TWO_WORD_ATTRIBUTES or (pair.startswith("default ") and end - start > 1) else 1
    slots: Slots = {"attribute": ((end - width, end),)}
    bearer = [token.low for token in tokens[start : end - width]]
    if any(low not in words.DETERMINERS and low not in _PLAIN_ADJECTIVES for low in bearer):
        slots["subject"] = ((start, end - width),)
    return slots


def _the_attribute(clause: Clause, tokens: Tokens) -> Slots | None:
    subject = clause.subject
    slots = attribute_of(subject.start, subject.end, tokens) if subject.kind in ("thing", "named") else None
    own = tokens[subject.start].low == "my"
    return slots if slots and ("subject" in slots or not own) else None


def _my_attribute(clause: Clause, tokens: Tokens) -> Slots | None:
    own = _own(clause, tokens)
    slots = attribute_of(clause.subject.start, clause.subject.end, tokens) if own else None
    return slots if slots and "subject" not in slots and tokens[clause.subject.start].low == "my" else None


SUBJECTS: dict[str, Subjects] = {
    "I": _of_kinds(*_PEOPLE),
    "me": _of_kinds(*_PEOPLE - {"named"}),
    "one": _of_kinds(*_PEOPLE, "thing"),
    "it": _of_kinds("it"),
    "something": _something,
    "the {subject}": _phrase_as("subject"),
    "the thing": _definite,
    "a {person}": _person,
    "the {chosen}": _phrase_as("chosen"),
    "the {liked}": _phrase_as("liked"),
    "the {attribute}": _the_attribute,
    "my {attribute}": _my_attribute,
    "my {thing}": _my_thing,
    "my {kin}": _my_kin,
    "my {kin} name": _my_kin_name,
    "my name": _my("name"),
    "my favourite": _my_favourite,
    "my favourite {topic}": _my_favourite_topic,
}


# ------------------------------------------------------------------ the complement
def _complement(parts: tuple[_Part, ...], tokens: Tokens, at: int, end: int) -> Slots | None:
    """Match what follows the verb, part by part; an optional part is passed over when the rest fits only so."""
    if not parts:
        return {}
    part, rest = parts[0], parts[1:]
    for slots, stop in _readings(part, rest, tokens, at, end):
        following = _complement(rest, tokens, stop, end)
        if following is not None:
            return slots | following
    return _complement(rest, tokens, at, end) if part.optional else None


def _readings(part: _Part, rest: tuple[_Part, ...], tokens: Tokens, at: int, end: int) -> Iterator[tuple[Slots, int]]:
    if part.slot == "attribute":
        stop = next((k for k in range(at, end) if tokens[k].low in ("to", "from") or tokens[k].kind == "mark"), end)
        if (slots := attribute_of(at, stop, tokens)) is not None:
            yield slots, stop
    elif part.slot:
        ranges, stop = read_slot(part.slot, tokens, at, _limit(rest, tokens, at, end))
        if ranges:
            yield {part.slot: ranges}, stop
    for words_wanted in part.alternatives:
        if words_wanted == ("$",) and (
            at >= end or tokens[at].kind == "mark" or tokens[at].low in _CLOSING or time_begins(tokens, at, end)
        ):
            yield {}, at
        stop = at + len(words_wanted)
        if stop <= end and all(tokens[at + k].low == word for k, word in enumerate(words_wanted)):
            yield {}, stop


_CLOSING = words.CONJUNCTIONS | {"due", "for", "again", "anyway", "altogether", "entirely", "completely"}


def _limit(rest: tuple[_Part, ...], tokens: Tokens, at: int, end: int) -> int:
    """Return where a slot must end because the next words of the row stand there."""
    if not rest or rest[0].slot:
        return end
    firsts = {alternative[0] for alternative in rest[0].alternatives}
    return next((k for k in range(at + 1, end) if tokens[k].low in firsts), end)
