"""The clauses of a sentence: each with its range, what it hangs on, and whether it stands as a plain statement."""

from __future__ import annotations

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


def _opens(reader: Grammar, index: int, found: list[Clause]) -> bool:
    """Tell whether a clause with a noun as subject can begin here: after a boundary, "that", fillers or a time."""
    before = index - 1
    if (
        found
        and index in (found[-1].verb.rest, found[-1].verb.rest + 1)
        and found[-1].verb.lemma in words.STATIVE | {"be", "announce", "confirm", "report"}
    ):
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
    plain = (
        follower in words.DETERMINERS or follower[:1].isdigit() or (follower == "it" and len(reader.tokens) > at + 2)
    )
    moved = verb.lemma in (
        "go",
        "fly",
        "drive",
        "run",
        "move",
        "switch",
        "migrate",
        "deploy",
        "sign",
        "start",
        "finish",
    )
    if follower in ("you", "your"):
        return None
    return (subject, verb) if follower and (plain or moved or "just" in verb.adverbs) else None


_FAMILY = {"past": "past", "perfect": "past", "present": "present", "progressive": "progressive"}


def _coordinated(reader: Grammar, index: int, last: Clause) -> tuple[Subject, Verb] | None:
    """Read a second verb of the same subject: "knows Petra and speaks Finnish", "ran a race and raised money"."""
    if reader.low(index) not in ("and", "but", "then", ",") or index <= last.verb.rest - 1:
        return None
    if last.subject.kind == "other" or last.verb.tense not in _FAMILY:
        return None
    if any(reader.low(at) in ("who", "which", "that") for at in range(last.verb.rest, index)):
        return None  # "people who accepted and celebrated me": another subject's verb
    at = index + 1
    while reader.low(at) in ("and", "then", "but"):
        at += 1
    at = reader.skip(at)
    if not reader.is_word(at) or at + 1 >= len(reader.tokens):
        return None
    low = reader.low(at)
    lemma, form = lemma_of(low, reader.known)
    family = _FAMILY[last.verb.tense]
    fits = (
        (family == "past" and form == "past" and reader.low(index) != "," and low not in words.AUXILIARIES
         and (last.verb.lemma != "be" or (low in words.PAST and low not in words.PARTICIPLE)))
        or (
            family == "present" and lemma in reader.known and _parallel(reader, last, lemma, index)
            and form == ("third" if _third(last, reader) else "base")
        )
    )  # fmt: skip
    listed = reader.low(index) == "," and reader.low(index + 1) not in ("and", "then", "but")
    if not fits or listed:
        return None
    verb = reader.verb_group(reader.skip(index + 1) if reader.low(index) != "," else at, free=False)
    if verb is None or verb.at < at:
        verb = reader.verb_group(at, free=False)
    if verb and last.verb.tense == "perfect" and low in words.PARTICIPLE and low not in words.PAST:
        verb = replace(verb, tense="perfect")  # "has made me laugh and given me hope"
    return (last.subject, verb) if verb else None


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
    if previous and subject.start <= previous.subject.start and subject.start != index:
        start = index + 1
        while reader.low(start) in ("and", "then", "but"):
            start += 1
        return Clause(
            subject, verb, start, start, link=reader.low(index), governor=previous.governor, placed=previous.placed
        )
    floor = previous.verb.at if previous else -1
    before = index - 1
    while before > floor and reader.tokens[before].kind != "mark" and reader.low(before) not in words.CONJUNCTIONS:
        before -= 1
    lead = [reader.low(at) for at in range(before + 1, index)]
    if previous and before == floor and index > floor:
        told = [reader.tokens[at] for at in range(before + 1, index)]
        governed = all(token.low in _BETWEEN or token.capital or words.is_adverb(token.low) for token in told)
        if lead and not governed and lead[-1] == "that" and previous.verb.lemma == "be":
            governed = True
        return Clause(
            subject, verb, index, index, link="that", governor=previous if governed else None, placed=governed
        )
    link, at = "", before
    while at >= 0 and at > floor and (reader.low(at) in words.CONJUNCTIONS or reader.low(at) in (",", "even", "as")):
        if reader.low(at) in words.CONJUNCTIONS and link in ("", "and", "but", "so"):
            link = reader.low(at)
        at -= 1
    start = before + 1
    while start < index and (
        reader.low(start) in words.FILLERS - words.TIME_WORDS - words.ADVERBS or reader.tokens[start].kind == "mark"
    ):
        start += 1
    if "that" in lead:
        start = max(at for at in range(before + 1, index) if reader.low(at) == "that") + 1
    placed = _plain_lead(reader, before + 1, index)
    if link in ("which", "who"):  # "pottery, which I use to relax": part of the clause before
        return Clause(subject, verb, start, index, link="that", placed=False)
    if not placed and _is_relative(reader, subject, verb, lead):
        return Clause(subject, verb, start, index, link="that", placed=True)
    return Clause(subject, verb, _with_fronted(reader, start, before, floor), index, link=link, placed=placed)


def _is_relative(reader: Grammar, subject: Subject, verb: Verb, lead: list[str]) -> bool:
    """Tell that a clause stands behind the noun it describes: "one I did last week". It presupposes what it tells."""
    if (
        not lead
        or lead[0].endswith("ing")
        or subject.kind not in ("speaker", "group")
        or verb.tense not in ("past", "perfect")
    ):
        return False
    last = lead[-1]
    closed = (
        last in words.PRONOUNS - {"one"} or last in words.DETERMINERS or last in words.PREPOSITIONS or last in _BETWEEN
    )
    return (
        not closed
        and last not in words.AUXILIARIES
        and not any(lemma_of(low, reader.known)[0] in words.STATIVE | words.SAYING for low in lead)
    )


_BETWEEN = words.word_set(
    """
    that me us him her them you to so very glad happy sorry proud excited thrilled grateful say tell
    """
)


def _plain_lead(reader: Grammar, start: int, end: int) -> bool:
    """Tell whether the words between a boundary and a subject leave the clause a plain statement."""
    lows = [reader.low(at) for at in range(start, end)]
    while lows and lows[0] not in words.PREPOSITIONS and (lows[0] in words.FILLERS or lows[0] in words.ADVERBS):
        lows = lows[1:]
    if (
        not lows
        or lows[0] in words.PREPOSITIONS - {"like", "than", "of"}
        or lows[0] in ("last", "next", "this", "every", "one", "back", "the", "a", "all")
    ):
        return (
            not lows
            or (lows[0] not in ("the", "a", "all") and lows[-1] != "that")
            or lows[-1] in words.TIME_WORDS | {"night", "time", "past"}
        )
    if lows[-1] == "that":
        lows = lows[:-1]
    if " ".join(lows) in (
        "keep in mind",
        "please keep in mind",
        "please note",
        "please remember",
        "do not forget",
        "turns out",
        "it turns out",
        "guess what",
        "please",
    ):
        return True
    return all(
        low in words.FILLERS or low in words.TIME_WORDS or low in words.ADVERBS or low in words.FACTIVE
        or low in words.NUMBER_WORDS or low[:1].isdigit()
        for low in lows
    ) and not set(lows) & {"say", "tell"}  # fmt: skip


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
        last = reader.low(clause.start - 1)
        dangling = last in words.PREPOSITIONS or last in words.DETERMINERS  # "a library for when …": no end at all
        if clause.link != "that" and not dangling:
            end = (
                min(clause.start, clause.subject.start)
                if clause.start <= clause.verb.at and clause.subject.end >= clause.start
                else clause.start
            )
    return done[::-1]
