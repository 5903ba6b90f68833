"""Whom a question is about, and whether a message concerns them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sgraph import analysis
from sgraph.graph.state import State
from sgraph.identity.names import is_short_form, key
from sgraph.records.parts import MessagePart

_KINDS = ("person", "pet")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PRONOUN = re.compile(r"\b(?:he|she|they|his|her|hers|him|their|them)\b|[他她]", re.IGNORECASE)
#: What stands before a name that is only being addressed: the start of a sentence, a comma, or a word of greeting.
_ADDRESSED = (
    r"(?:^|[,.!?;:~—-]\s*|\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yep|yes|no|sure|so|oh|congrats|great|dear)\s+)"
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody a question names: the name as asked, all names known for them, and the entities they are."""

    name: str
    names: frozenset[str]
    entities: frozenset[str]

    def concerns(self, message: MessagePart, before: MessagePart | None, state: State) -> bool:
        """Say whether a message is theirs, speaks of them, or answers or goes on about them.

        Being addressed is not enough: "Thanks, Mara!" says nothing about Mara.
        """
        speaker = (message.speaker or "").casefold()
        if speaker in self.names or self._involved(message, state) or self.named_in(message.content):
            return True
        if before is None or not self.named_in(before.content):
            return False
        asked = "?" in before.content or "？" in before.content
        return asked or _PRONOUN.search(message.content) is not None

    def _involved(self, message: MessagePart, state: State) -> bool:
        events = (state.events[id] for id in state.by_message.get(message.key, ()))
        return any(entity in self.entities for event in events for entity, _ in event.involved)

    def named_in(self, text: str) -> bool:
        """Say whether a text speaks of them by name, other than by addressing them."""
        plain = text.casefold()
        for name in self.names:
            if not name.isascii() and name in plain:
                return True
            for found in re.finditer(rf"\b{re.escape(name)}\b", plain):
                before, after = plain[max(0, found.start() - 12) : found.start()], plain[found.end() :]
                addressed = re.search(rf"{_ADDRESSED}$", before) and re.match(r"\s*(?:[,.!?;:~—-]|$)", after)
                if not addressed:
                    return True
        return False


def subjects(question: str, speakers: Iterable[str], state: State) -> list[Subject]:
    """Give the people a question names, in its order: those that speak, and those that are known.

    A question all in lower case may name them so; else a name is capitalised (or of a script without case).
    """
    text = question[:4000]
    cased = text != text.lower()
    words = [found.group() for found in _WORD.finditer(text)]
    words = [re.sub(r"['’]s$", "", word) for word in words if not cased or not word.islower()]
    known = {speaker.casefold(): speaker for speaker in speakers if speaker}
    found: dict[str, Subject] = {}
    for size in (3, 2, 1):
        for at in range(len(words) - size + 1):
            name = " ".join(words[at : at + size])
            if name not in text or any(name.casefold() in taken.name.casefold() for taken in found.values()):
                continue
            subject = _subject(name, known, state)
            if subject is not None:
                found[name] = subject
    for name in _unspaced(text, known, state):
        subject = _subject(name, known, state)
        if subject is not None and name not in found:
            found[name] = subject
    return sorted(found.values(), key=lambda subject: text.find(subject.name))


def _subject(name: str, speakers: dict[str, str], state: State) -> Subject | None:
    if not analysis.query_terms(f"of {name}").terms:  # a word of grammar at the start of a sentence
        return None
    entities = {member for kind in _KINDS for info in state.named(key(kind, name)) for member in state.group(info.id)}
    spoken = {
        folded
        for folded, speaker in speakers.items()
        if folded == name.casefold() or is_short_form(name, speaker, "person")
    }
    if not entities and not spoken:
        return None
    names = {name.casefold(), *spoken}
    for entity in entities:
        names.update(each.casefold() for each in (state.entities[entity].name, *state.full_names(entity)))
    return Subject(name=name, names=frozenset(names), entities=frozenset(entities))


def _unspaced(text: str, speakers: dict[str, str], state: State) -> list[str]:
    """Give the known names of scripts without spaces that stand in a text."""
    if text.isascii():
        return []
    keys = (name.partition(":") for name in state.names)
    names = {name for kind, colon, name in keys if colon and kind in _KINDS and not name.isascii()}
    return sorted(name for name in names | {s for s in speakers if not s.isascii()} if len(name) > 1 and name in text)
