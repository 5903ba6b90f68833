"""The clauses of a sentence: each with its range, what it hangs on, and whether it stands as a plain statement."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from sgraph.derive.rules import words
from sgraph.derive.rules.grammar import Grammar, Subject, Verb, lemma_of
from sgraph.derive.rules.text import Sentence


@dataclass(frozen=True, slots=True)
class Clause:
    """A finite clause: subject, verb group, token range, the conjunction before it and the clause it is embedded in."""

    subject: Subject
    verb: Verb
    start: int
    end: int
    link: str = ""
    governor: Clause | None = None
    placed: bool = True  # False: the words before the subject leave open how the clause is meant


def clauses(sentence: Sentence, known: frozenset[str], names: frozenset[str] = frozenset()) -> list[Clause]:
    """Return the finite clauses of a sentence, in order, each with its range and what governs it.

    `known` are the lemmas that can be verbs behind a noun, `names` the words known to be names of people.
    """
    reader = Grammar(sentence.tokens, known, names)
    found: list[Clause] = []
    index, count = 0, len(sentence.tokens)
    while index < count:
        opening = _opens(reader, index, found)
        pair = reader.subject_at(index, opening=opening)
        if pair is None and not found and (opening or reader.low(index - 1) in _DASHES):
            pair = _elided(reader, index)
        if pair is None and found:
            pair = _coordinated(reader, index, found[-1])
        if pair is None:
            index += 1
            continue
        subject, verb = pair
        found.append(_placed(reader, subject, verb, found, index))
        index = max(index + 1, verb.at + 1)
    return _with_ends(reader, found, count)


_GOVERNING = words.STATIVE - words.word_set("like love hate prefer need want care matter") | {
    "be",
    "announce",
    "confirm",
    "report",
}


def _opens(reader: Grammar, index: int, found: list[Clause]) -> bool:
    """Tell whether a clause with a noun as subject can begin here: after a boundary, "that", fillers or a time."""
    before = index - 1
    if found and index in (found[-1].verb.rest, found[-1].verb.rest + 1) and found[-1].verb.lemma in _GOVERNING:
        return index == found[-1].verb.rest or reader.low(before) in _BETWEEN
    while before >= 0:
        low, kind = reader.low(before), reader.tokens[before].kind
        if kind == "mark" or low in words.CONJUNCTIONS or low == "that":
            return True
        if found and before <= found[-1].verb.at:
            return False
        if not (low in words.FILLERS or low in words.TIME_WORDS or kind == "number"):
            return False
        before -= 1
    return True


_DASHES = ("-", "–", "—", "...", "…")


def _elided(reader: Grammar, index: int) -> tuple[Subject, Verb] | None:
    """Read "Just finished the draft", "Gonna move", "Been painting": the speaker is left out."""
    segment = max((at for at in range(index) if reader.tokens[at].text in _DASHES), default=-1)
    if any(reader.low(at) not in words.FILLERS and reader.is_word(at) for at in range(segment + 1, index)):
        return None
    at = reader.skip(index)
    low = reader.low(at)
    subject = Subject("speaker", index, index)
    if low == "been" and lemma_of(reader.low(reader.skip(at + 1)), reader.known)[1] == "ing":
        return subject, reader.be(at, ["have"], False, set())
    if low == "going" and reader.low(at + 1) == "to" and reader.infinitive(at + 2) and reader.low(at + 2) != "be":
        return subject, Verb(at + 2, reader.low(at + 2), "future", False, frozenset(), at + 3)
    verb = reader.verb_group(index, free=False)
    if (
        verb is None
        or verb.tense != "past"
        or verb.at != at
        or not (low in words.PAST or low.endswith("ed"))
        or verb.lemma in words.STATIVE | {"be", "leave", "make", "miss"}
    ):
        return None
    follower = reader.low(at + 1)
    more = follower == "it" and len(reader.tokens) > at + 2
    named = at + 1 < len(reader.tokens) and reader.tokens[at + 1].capital
    plain = follower in words.DETERMINERS - {"your"} or follower[:1].isdigit() or more or named
    told = verb.lemma in _TOLD_BARE or "just" in verb.adverbs
    return (subject, verb) if plain or (told and follower not in ("", "you", "your")) else None


_TOLD_BARE = words.word_set("go fly drive run move switch migrate deploy sign start finish")  # "Went to …"


_FAMILY = {"past": "past", "perfect": "past", "present": "present", "progressive": "progressive"}


def _coordinated(reader: Grammar, index: int, last: Clause) -> tuple[Subject, Verb] | None:
    """Read a second verb of the same subject: "knows Petra and speaks Finnish", "ran a race and raised money"."""
    if reader.low(index) not in ("and", "but", "then", ",") or index <= last.verb.rest - 1:
        return None
    if last.subject.kind == "other" or last.verb.tense not in _FAMILY:
        return None
    if any(reader.low(at) in ("who", "which", "that") for at in range(last.verb.rest, index)):
        return None  # "people who accepted and celebrated me": another subject's verb
    listed = reader.low(index) == ","
    at = (
        _behind(reader, index + 1, ("and", "then", "but"))
        if not listed or reader.low(index + 1) in ("and", "but")
        else 0
    )
    verb = reader.verb_group(at, free=False) if at and at + 1 < len(reader.tokens) else None
    if verb is None:
        return None
    low = reader.low(verb.at)
    lemma, form = lemma_of(low, reader.known)
    helped = reader.skip(at) != verb.at  # "but don't like", "and didn't go": the auxiliary carries the tense
    if _FAMILY[last.verb.tense] == "past":
        active = last.verb.lemma != "be" or (low in words.PAST and low not in words.PARTICIPLE)
        fits = verb.tense == "past" and active and not listed and (form == "past" or helped) and low not in words.BE
    else:
        wanted = "third" if _third(last, reader) else "base"
        fits = verb.tense == last.verb.tense == "present" and (form == wanted or helped)
        fits = fits and lemma in reader.known and _parallel(reader, last, lemma, index)
    if last.verb.tense == "perfect" and low in words.PARTICIPLE and low not in words.PAST:
        verb = replace(verb, tense="perfect")  # "has made me laugh and given me hope"
    return (last.subject, verb) if fits else None


def _parallel(reader: Grammar, last: Clause, lemma: str, index: int) -> bool:
    """Tell that a second verb goes with the first, not with an infinitive behind it: "glad to share and give …"."""
    between = {reader.low(at) for at in range(last.verb.rest, index)}
    return (
        lemma != last.verb.lemma
        and (last.verb.lemma == "be" or "to" not in between)
        and (last.verb.lemma != "be" or lemma in _PLAIN_SECOND)
    )


_PLAIN_SECOND = frozenset(("live", "work", "use", "own", "speak", "know"))  # "am a vegan and live in Ghent"


def _third(clause: Clause, reader: Grammar) -> bool:
    return clause.subject.kind not in ("speaker", "group") and reader.low(clause.verb.at).endswith("s")


def _placed(reader: Grammar, subject: Subject, verb: Verb, found: list[Clause], index: int) -> Clause:
    """Work out what stands before a clause: its conjunction, the verb it hangs on, a fronted time."""
    previous = found[-1] if found else None
    if previous and subject == previous.subject:
        start = _behind(reader, index + 1, ("and", "then", "but"))
        describes = previous.link == "that" and previous.governor is None and previous.verb.tense in ("past", "perfect")
        placed = previous.placed or describes  # "a story I've had for ages but just got the guts to write"
        return Clause(subject, verb, start, start, reader.low(index), previous.governor, placed)
    floor = previous.verb.at if previous else -1
    boundary = index - 1
    while boundary > floor and not _is_boundary(reader, boundary):
        boundary -= 1
    if previous and boundary == floor:
        return _hanging(reader, subject, verb, previous, index)
    lead = [reader.low(at) for at in range(boundary + 1, index)]
    link = _link(reader, boundary, floor)
    start = index - lead[::-1].index("that") if "that" in lead else _behind(reader, boundary + 1, _PLAIN_FILLERS)
    if link in ("which", "who"):  # "pottery, which I use to relax": part of the clause before
        return Clause(subject, verb, start, index, "that", placed=False)
    placed = _plain_lead(lead)
    if not placed and _is_relative(reader, subject, verb, lead):
        return Clause(subject, verb, start, index, "that", placed=True)
    return Clause(subject, verb, _with_fronted(reader, start, boundary, floor), index, link, placed=placed)


_PLAIN_FILLERS = words.FILLERS - words.TIME_WORDS - words.ADVERBS - words.PREPOSITIONS


def _is_boundary(reader: Grammar, at: int) -> bool:
    if reader.low(at) in ("since", "until", "till") and reader.low(at + 1) != "":  # "since 2019" is no conjunction
        return reader.tokens[at + 1].kind != "number" and reader.low(at + 1) not in words.TIME_WORDS
    return reader.tokens[at].kind == "mark" or reader.low(at) in words.CONJUNCTIONS


def _behind(reader: Grammar, at: int, passed: Collection[str]) -> int:
    while reader.low(at) in passed or (reader.low(at) and reader.tokens[at].kind == "mark"):
        at += 1
    return at


def _hanging(reader: Grammar, subject: Subject, verb: Verb, previous: Clause, index: int) -> Clause:
    """Place a clause with no boundary before it: "Tess told me (that) Bram …" hangs on *told*; else it is unplaced."""
    told = reader.tokens[previous.verb.at + 1 : index]
    governed = all(token.low in _BETWEEN or token.capital or words.is_adverb(token.low) for token in told)
    governed = governed or (previous.verb.lemma == "be" and reader.low(index - 1) == "that")
    return Clause(subject, verb, index, index, "that", previous if governed else None, governed)


def _link(reader: Grammar, boundary: int, floor: int) -> str:
    """Return the conjunction a clause begins with; of "and if" the one that says how it is meant."""
    link, at = "", boundary
    while at > floor and (reader.low(at) in words.CONJUNCTIONS or reader.low(at) in (",", "even", "as")):
        if reader.low(at) in words.CONJUNCTIONS and link in ("", "and", "but", "so"):
            link = reader.low(at)
        at -= 1
    return link


def _is_relative(reader: Grammar, subject: Subject, verb: Verb, lead: list[str]) -> bool:
    """Tell that a clause stands behind the noun it describes: "one I did last week". It presupposes what it tells."""
    own_deed = subject.kind in ("speaker", "group") and verb.tense in ("past", "perfect")
    if not own_deed or not lead or lead[0].endswith("ing") or not (words.DETERMINERS | {"one", "here"}) & set(lead):
        return False
    last = lead[-1]
    closing = words.PRONOUNS - {"one"} | words.DETERMINERS | words.PREPOSITIONS | words.AUXILIARIES | _BETWEEN
    reported = any(lemma_of(low, reader.known)[0] in words.STATIVE | words.SAYING for low in lead)
    return last not in closing and not reported


_BETWEEN = words.word_set(
    """
    that me us him her them you to so very glad happy sorry proud excited thrilled grateful say tell
    """
)


_INTRODUCED = frozenset(
    (
        "keep in mind", "please keep in mind", "please note", "please remember", "do not forget", "turns out",
        "it turns out", "guess what",
    )
)  # fmt: skip
_DETERMINED = ("the", "a", "all")
_TIMING = frozenset(("last", "next", "this", "every", "one", "back", *_DETERMINED))
_TIMED_ENDS = words.TIME_WORDS | {"night", "time", "past"}
_PLAIN_WORDS = (words.FILLERS | words.TIME_WORDS | words.ADVERBS | words.FACTIVE | words.NUMBER_WORDS) - {"say", "tell"}


def _plain_lead(lead: list[str]) -> bool:
    """Tell whether the words between a boundary and a subject leave the clause a plain statement."""
    first = next((at for at, low in enumerate(lead) if low in words.PREPOSITIONS or not _passing(low)), len(lead))
    rest = lead[first:]
    if not rest:
        return True
    if rest[0] in words.PREPOSITIONS - {"like", "than", "of"} or rest[0] in _TIMING:  # "after two meetings", "the day"
        return (rest[0] not in _DETERMINED and rest[-1] != "that") or rest[-1] in _TIMED_ENDS
    if rest[-1] == "that":
        rest = rest[:-1]
    return " ".join(rest) in _INTRODUCED or all(low in _PLAIN_WORDS or low[:1].isdigit() for low in rest)


def _passing(low: str) -> bool:
    return low in words.FILLERS or low in words.ADVERBS


def _with_fronted(reader: Grammar, start: int, boundary: int, floor: int) -> int:
    """Let a clause begin with the time set off before it: "Last Friday, we …"."""
    if boundary <= floor + 1 or reader.low(boundary) != ",":
        return start
    at = boundary - 1
    while at > floor and reader.tokens[at].kind != "mark" and reader.low(at) not in words.CONJUNCTIONS:
        at -= 1
    segment = [reader.low(index) for index in range(at + 1, boundary)]
    timed = any(low in words.TIME_WORDS or low[:4].isdigit() for low in segment)
    return at + 1 if timed and len(segment) <= 6 and at >= floor and (floor < 0 or at > floor) else start


def _with_ends(reader: Grammar, found: list[Clause], count: int) -> list[Clause]:
    """Give each clause its end: where the next one begins, or behind the ones that hang on it ("the book I read")."""
    done: list[Clause] = []
    end = count
    for clause in reversed(found):
        done.append(replace(clause, end=max(end, clause.verb.at + 1)))
        at = clause.start - 1
        while at > 0 and reader.low(at) in words.CONJUNCTIONS - words.PREPOSITIONS:
            at -= 1
        last = reader.low(at)
        dangling = last in words.PREPOSITIONS or last in words.DETERMINERS  # "a library for when …": no end at all
        if clause.link != "that" and not dangling:
            end = clause.start
    return done[::-1]
