"""From a shape that fits to the claims it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sgraph.derive.rules import words
from sgraph.derive.rules.clause import Clause
from sgraph.derive.rules.grammar import NO_VERB, Subject
from sgraph.derive.rules.match import Found
from sgraph.derive.rules.mentions import Scene, Tokens, each, kin, participants, person, reporter, thing, words_in
from sgraph.derive.rules.render import third_person
from sgraph.derive.rules.shapes import EVENT_TYPES, MAX_TITLE, PROJECT, Shape
from sgraph.derive.rules.slots import VALUE_SLOTS, Range
from sgraph.derive.rules.text import Sentence
from sgraph.records.claim import Claim, Mention, Status
from sgraph.records.vocabulary import key_of, predicate

_TENSE_STATUS: dict[str, Status] = {"past": "occurred", "perfect": "occurred", "future": "planned"}
_LASTING = words.word_set(
    """
    preference lives_in works_at studies_at knows owns speaks
    """
)  # "I've lived in Ghent for years": still so
_LEAVE_AS_IS = frozenset(("decision", "cancellation", "move", "completion"))  # "we haven't decided yet" decides nothing

# A value that begins so points at something else in the talk; it is no value of its own.
_POINTING = words.word_set(
    """
    it that this these those them him her you your me us so one everything something anything how what when
    where no neither nor here there downstairs upstairs nearby alone
    """
)


def claims_of(match: Found, clause: Clause, tokens: Tokens, scene: Scene) -> Iterator[Claim]:
    """Make the claims of a match: one for each of its subjects and values; none when a needed name is not known."""
    shape = match.shape
    subject = _subject(match, clause, tokens, scene)
    if subject is None or (clause.verb.negated and shape.name in _LEAVE_AS_IS):
        return
    key = _key(match, tokens, scene)
    base = _event(match, clause, tokens, scene, subject)
    negated = clause.verb.negated != shape.ends
    for one in each(subject, clause):
        if key is None:
            yield base.model_copy(update={"negated": negated, "subject": one})
            continue
        row = predicate(key)
        fixed: dict[str, object] = {
            "subject": one,
            "key": key,
            "value_kind": row.value_kind,
            "cardinality": row.cardinality,
        }
        ended = {"change": "state"}  # what ends is not changed into something else
        for text in _values(match, tokens, scene):
            yield base.model_copy(update=fixed | {"value": text, "negated": negated} | (ended if shape.ends else {}))
        for span in match.slots.get("old", ()):
            yield base.model_copy(update=fixed | {"value": words_in(tokens, span, scene), "negated": True} | ended)


def relative_of(clause: Clause, tokens: Tokens, scene: Scene) -> Iterator[Claim]:
    """Read what "my wife Ines …" says besides: who Ines is to the speaker."""
    phrase = tokens[clause.subject.start : clause.subject.end]
    relation = next((words.KIN[token.low] for token in phrase if token.low in words.KIN), None)
    if clause.subject.kind != "kin" or relation is None or not phrase[-1].capital or phrase[0].low not in ("my", "our"):
        return
    start, end = phrase[0].start, phrase[-1].end
    quote, row = scene.message.content[start:end], predicate(relation)
    summary = f"{scene.speaker.name}'s{quote[len(phrase[0].text) :]}"
    yield Claim(
        shape="relative", event_type="fact", status="ongoing", title=short(summary), summary=summary, quote=quote,
        start=start, end=end,
        subject=scene.speaker, key=relation, value=kin(phrase, scene.speaker.name).name, value_kind=row.value_kind,
        cardinality=row.cardinality, speaker=scene.speaker, criticality="identity",
    )  # fmt: skip


def whole_sentence(shape: Shape, sentence: Sentence, scene: Scene, status: Status) -> Claim:
    """Make an event of a whole sentence that states something no other shape reads."""
    tokens = sentence.tokens
    clause = Clause(Subject("thing", 0, 1), NO_VERB, 0, len(tokens))
    return Claim(
        shape=shape.name, event_type=shape.event_type, status=status, quote=sentence.text, start=sentence.start,
        end=sentence.start + len(sentence.text), subject=scene.speaker, speaker=scene.speaker, change=shape.change,
        **_retold(tokens, clause, scene),
    )  # fmt: skip


def short(text: str) -> str:
    """Cut a summary to the length of a title."""
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rsplit(" ", 1)[0] + "…"


# ------------------------------------------------------------------ the parts of a claim
def _subject(match: Found, clause: Clause, tokens: Tokens, scene: Scene) -> Mention | None:
    shape, slots = match.shape, match.slots
    if "subject" in slots:
        return thing(tokens, slots["subject"][0], scene)
    if shape.name in ("cancellation", "move"):
        return thing(tokens, slots["event" if "event" in slots else "object"][0], scene)
    if shape.name == "attribute":
        if shape.subject == "it":
            return scene.thing[0] if scene.thing else None
        return scene.speaker if shape.subject.startswith("my") else PROJECT
    if shape.name == "decision" and "topic" in slots:
        return PROJECT
    if shape.subject.startswith(("my", "something", "it")) or "liked" in slots or "person" in slots:
        return scene.speaker
    if clause.subject.kind == "thing":
        return thing(tokens, (clause.subject.start, clause.subject.end), scene)
    return person(clause, tokens, scene)


def _key(match: Found, tokens: Tokens, scene: Scene) -> str | None:
    shape, slots = match.shape, match.slots
    if shape.name == "attribute":
        if shape.subject == "it":
            return scene.thing[1] if scene.thing else None
        return key_of(words_in(tokens, slots["attribute"][0], scene))
    if shape.name == "relative":
        return words.KIN[tokens[slots["kin"][0][0]].low]
    if "topic" not in slots:
        return shape.key
    topic = key_of(words_in(tokens, slots["topic"][0], scene))
    return "favourite_" + _singular(topic) if shape.name == "favourite" else topic


def _singular(key: str) -> str:
    return key_of(key[:-1]) if key.endswith("s") and not key.endswith(("ss", "us", "series")) else key


def _values(match: Found, tokens: Tokens, scene: Scene) -> list[str]:
    """Return the values of a match; none at all when one of them only points at something else in the talk."""
    spans = next((match.slots[name] for name in VALUE_SLOTS if name in match.slots), ())
    trimmed = [_trimmed_value(tokens, span, match.shape, scene) for span in spans]
    if any(tokens[start].low in _POINTING or tokens[end - 1].low in ("following", "same") for start, end in trimmed):
        return []
    return [text for span in trimmed if (text := words_in(tokens, span, scene))]


def _trimmed_value(tokens: Tokens, span: Range, shape: Shape, scene: Scene) -> Range:
    """Drop the article of a role, the "this" of a favourite, and who is spoken to ("I love the idea Nate")."""
    start, end = span
    if end - start > 1 and shape.name == "role" and tokens[start].low in ("a", "an", "the"):
        start += 1
    if end - start > 2 and shape.name == "favourite" and tokens[start].low == "this":
        start += 1
    if (
        end - start > 2
        and tokens[end - 1].text in scene.known
        and tokens[end - 2].low not in words.PREPOSITIONS | {"and", "or"}
    ):
        end -= 1
    return start, end


def _event(match: Found, clause: Clause, tokens: Tokens, scene: Scene, subject: Mention) -> Claim:
    shape, content = match.shape, scene.message.content
    clause = _trimmed(clause, tokens)
    start, end = tokens[min(clause.start, clause.subject.start)].start, tokens[clause.end - 1].end
    return Claim(
        shape=shape.name, status=_status(shape, clause, tokens), quote=content[start:end], start=start, end=end,
        subject=subject,
        event_type=EVENT_TYPES.get(clause.verb.lemma, "other") if shape.event_type == "other" else shape.event_type,
        participants=() if shape.name == "relative" else tuple(participants(clause, tokens, scene, subject)),
        change=shape.change, speaker=scene.speaker,
        reporter=reporter(clause, tokens, scene), criticality=shape.criticality, scope=shape.scope,
        **_retold(tokens, clause, scene, subject.name),
    )  # fmt: skip


def _retold(tokens: Tokens, clause: Clause, scene: Scene, other: str = "") -> dict[str, str]:
    summary = third_person(scene.message.content, tokens, clause, scene.speaker.name, other)
    return {"summary": summary, "title": short(summary)}


def _status(shape: Shape, clause: Clause, tokens: Tokens) -> Status:
    """Return the status of a claim: "I've lived here for years" and "I've got two" are still so."""
    verb = clause.verb
    if shape.status and not (verb.tense == "perfect" and shape.name == "happening"):
        return shape.status
    if verb.tense == "perfect" and (shape.name in _LASTING or _lasts(clause, tokens)):
        return "ongoing"
    return _TENSE_STATUS.get(verb.tense, "ongoing")


def _lasts(clause: Clause, tokens: Tokens) -> bool:
    after = tokens[clause.verb.rest].low if clause.verb.rest < len(tokens) else ""
    if clause.verb.lemma == "be":
        return after != "to"
    got = (
        clause.verb.lemma == "get"
        and tokens[clause.verb.at].low == "got"
        and after in words.DETERMINERS | {"something", "some"}
    )
    lows = [token.low for token in tokens[clause.verb.rest : clause.end]]
    kept = clause.verb.lemma in ("have", "live", "work") and ("since" in lows or "for" in lows)
    return got or kept


def _trimmed(clause: Clause, tokens: Tokens) -> Clause:
    """Let a clause end before the comma or the "and" that leads to the next."""
    end = clause.end
    while end > clause.verb.at + 1 and _hangs_over(tokens, end - 1):
        end -= 1
    return replace(clause, end=end)


def _hangs_over(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    return token.text not in ')%"' if token.kind == "mark" else token.low in _LEADING_ON


_LEADING_ON = words.CONJUNCTIONS - {"where"} | {"even", "especially", "just", "like"}
