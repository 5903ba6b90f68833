"""Whom and what the words name: the subject of a clause, a relative, a thing, the people and places besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgraph.derive.rules import words
from sgraph.derive.rules.clause import Clause
from sgraph.derive.rules.match import attribute_of
from sgraph.derive.rules.shapes import PROJECT
from sgraph.derive.rules.slots import Range
from sgraph.derive.rules.text import Token
from sgraph.records.claim import Mention, SaidMessage
from sgraph.records.vocabulary import key_of

Tokens = Sequence[Token]

_PERSON_BEFORE = words.word_set("with and met told by friend named called")
_PLACE_BEFORE = words.word_set("in to at from near")
_PROJECT_WORDS = words.word_set("project team repo app codebase")
_PROJECT_HEADS = words.word_set("api service app backend frontend server ci")


@dataclass
class Scene:
    """What is known while a message is read, and what its pronouns can mean."""

    message: SaidMessage
    speaker: Mention
    known: frozenset[str]  # display names of the people who talk
    person: Mention | None = None  # "he", "she": the last person a clause was about
    thing: tuple[Mention, str] | None = None  # "it": bearer and key of the last attribute that was spoken of


def words_in(tokens: Tokens, span: Range, scene: Scene) -> str:
    """Return the words of a token range as they stand in the message, without quotation marks around."""
    text = scene.message.content[tokens[span[0]].start : tokens[span[1] - 1].end]
    return text.strip().strip("\"“”`«»'.,")


def person(clause: Clause, tokens: Tokens, scene: Scene) -> Mention | None:
    """Return the person a clause is about; None when it is none, or when a pronoun leaves open who."""
    kind, (start, end) = clause.subject.kind, (clause.subject.start, clause.subject.end)
    if kind in ("speaker", "group"):
        return scene.speaker
    if kind == "pronoun":
        governor = clause.governor
        told = governor is not None and governor.subject.kind in ("named", "kin")
        return person(governor, tokens, scene) if governor and told else scene.person
    if kind == "kin":
        return kin(tokens[start:end], scene.speaker.name)
    return Mention(name=words_in(tokens, (start, end), scene), kind="person") if kind == "named" else None


def each(subject: Mention, clause: Clause) -> list[Mention]:
    """Tell "Ivo and Petra" apart into two people."""
    if clause.subject.kind != "named" or " and " not in subject.name:
        return [subject]
    names = subject.name.replace(",", " and ").split(" and ")
    return [subject.model_copy(update={"name": name.strip()}) for name in names if name.strip()]


def kin(phrase: Tokens, speaker: str) -> Mention:
    """Name a relative: by the name given ("my brother Jonas"), else from the speaker's side ("Mara's sister")."""
    names = [
        token.text
        for token in phrase
        if token.capital and token.low not in words.KIN and token.low not in words.POSSESSIVES
    ]
    kind = "pet" if any(words.KIN.get(token.low) == "pet" for token in phrase) else "person"
    if names:
        return Mention(name=" ".join(names), kind=kind)
    said = [
        token.low if token.low in words.KIN else token.text for token in phrase if token.low not in words.POSSESSIVES
    ]
    return Mention(name=f"{speaker}'s " + " ".join(said), kind=kind)


def thing(tokens: Tokens, span: Range, scene: Scene) -> Mention:
    """Name a thing without its determiner and its date: "the dentist on May 28" is the dentist."""
    start, end = span
    if tokens[end - 1].low == "'s":  # "my mum's birthday", "Petra's email"
        owner = tokens[start : end - 1]
        if owner[0].low in ("my", "our") and owner[-1].low in words.KIN:
            return kin(owner, scene.speaker.name)
        end -= 1
        if all(_named(token) for token in owner):
            return Mention(name=words_in(tokens, (start, end), scene), kind="person")
    while start < end - 1 and tokens[start].low in words.DETERMINERS:
        start += 1
    for at in range(start + 1, end - 1):
        dated = tokens[at + 1].low in words.TIME_WORDS or tokens[at + 1].kind == "number"
        if tokens[at].low in ("on", "in", "at", "for", "from") and dated:
            end = at
            break
    name = words_in(tokens, (start, end), scene)
    if name.lower() in _PROJECT_WORDS:
        return PROJECT
    return Mention(name=name, kind="project" if tokens[end - 1].low in _PROJECT_HEADS else "other")


def reporter(clause: Clause, tokens: Tokens, scene: Scene) -> Mention | None:
    """Return from whom the speaker has what a clause says: "Tess told me …", "According to Tess, …"."""
    if clause.governor and clause.governor.subject.kind in ("named", "kin", "pronoun"):
        return person(clause.governor, tokens, scene)
    if [token.low for token in tokens[:2]] == ["according", "to"]:
        end = next((at for at, token in enumerate(tokens) if token.text == ","), 0)
        if 2 < end <= 6:
            return Mention(name=words_in(tokens, (2, end), scene), kind="person")
    return None


def remember(clause: Clause, tokens: Tokens, scene: Scene) -> None:
    """Note whom and what the pronouns after a clause can mean."""
    if clause.subject.kind in ("named", "kin"):
        scene.person = person(clause, tokens, scene)
    rest = clause.verb.rest
    end = next(
        (at for at in range(rest, clause.end) if tokens[at].kind == "mark" or tokens[at].low == "to"), clause.end
    )
    slots = attribute_of(rest, end, tokens)
    if slots:
        bearer = thing(tokens, slots["subject"][0], scene) if "subject" in slots else PROJECT
        scene.thing = bearer, key_of(words_in(tokens, slots["attribute"][0], scene))


def participants(clause: Clause, tokens: Tokens, scene: Scene, subject: Mention) -> Iterator[Mention]:
    """Yield the people and places a clause names besides its subject."""
    seen = {subject.name}
    at = clause.verb.at + 1
    while at < clause.end:
        stop, mention = _mention(tokens, at, clause.end, scene)
        at = stop
        if mention is not None and mention.name not in seen:
            seen.add(mention.name)
            yield mention


def _mention(tokens: Tokens, at: int, end: int, scene: Scene) -> tuple[int, Mention | None]:
    """Read the mention that begins at a token; return where to go on."""
    token, before = tokens[at], tokens[at - 1].low
    if token.low in ("my", "our") and at + 1 < end and tokens[at + 1].low in words.KIN:
        stop = at + 2 + (at + 2 < end and tokens[at + 2].capital)
        return stop, kin(tokens[at:stop], scene.speaker.name)
    if not _named(token):
        return at + 1, None
    stop = at + 1
    while stop < end and _named(tokens[stop]):
        stop += 1
    name = words_in(tokens, (at, stop), scene)
    if name in scene.known or before in _PERSON_BEFORE:
        return stop, Mention(name=name, kind="person")
    return stop, Mention(name=name, kind="place") if before in _PLACE_BEFORE else None


def _named(token: Token) -> bool:
    return token.capital and token.kind == "word" and token.low not in words.CALENDAR and token.low != "i"
