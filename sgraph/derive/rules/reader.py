"""From a message to claims: sentence by sentence, clause by clause, the first shape that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sgraph.derive.rules import guards, words
from sgraph.derive.rules.clause import Clause, clauses
from sgraph.derive.rules.match import LEMMAS, Found, fits
from sgraph.derive.rules.render import third_person
from sgraph.derive.rules.shapes import EVENT_TYPES, Shape
from sgraph.derive.rules.slots import VALUE_SLOTS, Range
from sgraph.derive.rules.text import Sentence, Token, sentences
from sgraph.derive.rules.times import current, spans_of, time_of
from sgraph.records.claim import Change, Claim, Context, Mention, SaidMessage, Status
from sgraph.records.timespan import TimeSpan
from sgraph.records.vocabulary import key_of, predicate

PROJECT = Mention(name="project", kind="project")  # what "the default branch" belongs to when nothing is named
UNHEARD = frozenset(("assistant", "tool", "system", "developer", "function"))  # roles that state nothing about a person
MAX_TITLE = 80

_TENSE_STATUS: dict[str, Status] = {"past": "occurred", "perfect": "occurred", "future": "planned"}
_CORRECTING = ("no", "nope", "actually", "correction", "sorry", "i meant", "i mean", "oops", "my mistake", "wait")


@dataclass
class _Scene:
    """What is known while a message is read."""

    message: SaidMessage
    speaker: Mention
    known: frozenset[str]
    person: Mention | None = None  # whom "he" or "she" can mean: the last person a clause was about
    thing: tuple[Mention, str] | None = None  # whose attribute "it" can mean: the last attribute that was spoken of
    claims: list[Claim] = field(default_factory=list)


def read(message: SaidMessage, context: Context) -> list[Claim]:
    """Return what a message asserts, in the order of its words.

    Messages of an assistant or a tool assert nothing about the user and give an empty list, as do code, logs, questions,
    hypotheticals, jokes, fiction and quotations. Nothing is read from the clock: times are worked out from `sent_at`.
    """
    if message.role in UNHEARD or guards.void_message(message.content):
        return []
    speaker = Mention(name=message.speaker or context.self_name, kind="person")
    known = frozenset(said.speaker for said in (message, *context.previous) if said.speaker)
    scene = _Scene(message, speaker, known)
    runs = list(sentences(message.content))
    for at, sentence in enumerate(runs):
        taken_back = at + 1 < len(runs) and guards.is_joke(runs[at + 1])
        if not taken_back and not guards.is_open(sentence):
            scene.claims += _read_sentence(sentence, scene)
    return scene.claims


def _read_sentence(sentence: Sentence, scene: _Scene) -> Iterator[Claim]:
    asked = guards.asked_from(sentence)
    if asked == 0:
        return
    found = clauses(sentence, LEMMAS, scene.known)
    if asked is not None:
        found = [replace(clause, end=min(clause.end, asked)) for clause in found if clause.subject.start < asked and clause.verb.at < asked]
    spans: list[TimeSpan] | None = None
    correcting = _is_correction(sentence)
    kept = 0
    for clause in found:
        if not guards.asserts(clause, sentence):
            continue
        reporter = _reporter(clause, sentence, scene)
        for match in fits(clause, sentence.tokens):
            made = list(_claims(match, clause, sentence, scene, reporter))
            if not made:
                continue
            if spans is None:
                spans = spans_of(sentence.text, sentence.start, scene.message.sent_at)
            time = time_of(_place(clause, sentence), [_place(other, sentence) for other in found], spans)
            if time is None and made[0].status in ("occurred", "ongoing"):
                time = current(made[0].quote, scene.message.sent_at)
            change: Change | None = "correction" if correcting and made[0].change == "state" else None
            yield from (claim.model_copy(update={"time": time} | ({"change": change} if change else {})) for claim in made)
            kept += 1
            break
        _remember(clause, sentence, scene)
    if correcting and not kept and asked is None:
        yield from _correction(sentence, scene)


def _is_correction(sentence: Sentence) -> bool:
    head = " ".join(token.low for token in sentence.tokens[:3])
    return head.startswith(_CORRECTING) and any(token.text in (",", ":", "-") for token in sentence.tokens[:3])


def _correction(sentence: Sentence, scene: _Scene) -> Iterator[Claim]:
    """Keep a correction that no other shape reads ("No, it's 8443, not 8080") as an event in its own words."""
    words_said = [token.low for token in sentence.tokens]
    if not {"not", "meant", "mean", "correction"} & set(words_said) and ":" not in words_said:
        return
    end = sentence.start + len(sentence.text)
    summary = f"{scene.speaker.name}: {sentence.text}"
    yield Claim(
        shape="correction", event_type="change", status="ongoing", title=_short(summary), summary=summary, quote=sentence.text,
        start=sentence.start, end=end, subject=scene.speaker, speaker=scene.speaker, change="correction",
    )  # fmt: skip


# ------------------------------------------------------------------ subjects
def _person(clause: Clause, tokens: Sequence[Token], scene: _Scene) -> Mention | None:
    kind, (start, end) = clause.subject.kind, (clause.subject.start, clause.subject.end)
    if kind in ("speaker", "group"):
        return scene.speaker
    if kind == "pronoun":
        governor = clause.governor
        if governor and governor.subject.kind in ("named", "kin"):
            return _person(governor, tokens, scene)
        return scene.person
    if kind == "kin":
        return _kin(tokens[start:end], scene.speaker.name)
    if kind == "named":
        return Mention(name=_text(tokens, (start, end), scene), kind="person")
    return None


def _kin(phrase: Sequence[Token], speaker: str) -> Mention:
    """Name a relative: by the name given ("my brother Jonas"), else from the speaker's side ("Mara's sister")."""
    names = [token.text for token in phrase if token.capital and token.low not in words.KIN and token.low not in words.POSSESSIVES]
    kind = "pet" if any(words.KIN.get(token.low) == "pet" for token in phrase) else "person"
    if names:
        return Mention(name=" ".join(names), kind=kind)
    return Mention(name=f"{speaker}'s " + " ".join(token.text for token in phrase[1:]), kind=kind)


def _thing(tokens: Sequence[Token], span: Range, scene: _Scene) -> Mention:
    start, end = span
    while start < end - 1 and tokens[start].low in words.DETERMINERS:
        start += 1
    for at in range(start + 1, end - 1):
        if tokens[at].low in ("on", "in", "at", "for", "from") and (tokens[at + 1].low in words.TIME_WORDS or tokens[at + 1].kind == "number"):
            end = at
            break
    name = _text(tokens, (start, end), scene)
    if name.lower() in ("project", "team", "repo", "app", "codebase"):
        return PROJECT
    return Mention(name=name, kind="project" if tokens[end - 1].low in ("api", "service", "app", "backend", "frontend", "server") else "other")


def _text(tokens: Sequence[Token], span: Range, scene: _Scene) -> str:
    text = scene.message.content[tokens[span[0]].start : tokens[span[1] - 1].end]
    return text.strip().strip("\"“”`«»'.,")


def _remember(clause: Clause, sentence: Sentence, scene: _Scene) -> None:
    if clause.subject.kind in ("named", "kin"):
        scene.person = _person(clause, sentence.tokens, scene)


def _reporter(clause: Clause, sentence: Sentence, scene: _Scene) -> Mention | None:
    if clause.governor and clause.governor.subject.kind in ("named", "kin", "pronoun"):
        return _person(clause.governor, sentence.tokens, scene)
    tokens = sentence.tokens
    if len(tokens) > 3 and tokens[0].low == "according" and tokens[1].low == "to":
        end = next((at for at, token in enumerate(tokens) if token.text == ","), 0)
        if 2 < end <= 6:
            return Mention(name=_text(tokens, (2, end), scene), kind="person")
    return None


# ------------------------------------------------------------------ claims
def _claims(match: Found, clause: Clause, sentence: Sentence, scene: _Scene, reporter: Mention | None) -> Iterator[Claim]:
    shape, tokens = match.shape, sentence.tokens
    subject = _subject(match, clause, tokens, scene)
    if subject is None:
        return
    key = _key(match, tokens, scene)
    if "topic" in match.slots or shape.name == "attribute" and key and "{subject}" not in match.slots:
        if shape.name != "favourite" and shape.criticality != "identity" and "subject" not in match.slots:
            subject = PROJECT
    base = _base(match, clause, sentence, scene, subject, reporter, key)
    negated = clause.verb.negated != shape.ends
    values = next((match.slots[name] for name in VALUE_SLOTS if name in match.slots), ())
    if shape.key is None and key is None:
        yield base.model_copy(update={"negated": negated, "subject": subject})
        return
    row = predicate(key or "")
    for span in values:
        span = _without_article(tokens, span, shape)
        text = _text(tokens, span, scene)
        if not text or tokens[span[0]].low in _EMPTY_STARTS:
            return
        yield base.model_copy(update={"value": text, "value_kind": row.value_kind, "cardinality": row.cardinality, "negated": negated})
    for span in match.slots.get("old", ()):
        yield base.model_copy(update={"value": _text(tokens, span, scene), "value_kind": row.value_kind, "cardinality": row.cardinality, "negated": True})


# A value that begins so points at something else in the talk; it is no value of its own.
_EMPTY_STARTS = frozenset("it that this these those them him her you your me us so one everything something anything how what when where no".split())


def _without_article(tokens: Sequence[Token], span: Range, shape: Shape) -> Range:
    start, end = span
    if shape.name == "role" and end - start > 1 and tokens[start].low in ("a", "an", "the"):
        return start + 1, end
    if shape.name == "favourite" and end - start > 2 and tokens[start].low == "this":
        return start + 1, end
    return span


def _key(match: Found, tokens: Sequence[Token], scene: _Scene) -> str | None:
    shape = match.shape
    if shape.name == "favourite" and "topic" in match.slots:
        return "favourite_" + key_of(_text(tokens, match.slots["topic"][0], scene))
    if shape.name == "relative":
        return words.KIN[tokens[match.slots["kin"][0][0]].low]
    if "topic" in match.slots:
        return key_of(_text(tokens, match.slots["topic"][0], scene))
    if "attribute" in match.slots:
        return key_of(_text(tokens, match.slots["attribute"][0], scene))
    return shape.key


def _subject(match: Found, clause: Clause, tokens: Sequence[Token], scene: _Scene) -> Mention | None:
    if "subject" in match.slots:
        return _thing(tokens, match.slots["subject"][0], scene)
    if "object" in match.slots and match.shape.name in ("cancellation", "move"):
        return _thing(tokens, match.slots["object"][0], scene)
    if match.shape.subject.startswith(("my", "something", "it")) or "liked" in match.slots:
        return scene.speaker
    if clause.subject.kind == "thing":
        return _thing(tokens, (clause.subject.start, clause.subject.end), scene)
    return _person(clause, tokens, scene)


def _base(match: Found, clause: Clause, sentence: Sentence, scene: _Scene, subject: Mention, reporter: Mention | None, key: str | None) -> Claim:
    shape, tokens, content = match.shape, sentence.tokens, scene.message.content
    clause = _trimmed(clause, tokens)
    start = tokens[min(clause.start, clause.subject.start)].start
    end = tokens[clause.end - 1].end
    summary = third_person(content, tokens, clause, scene.speaker.name)
    event_type = EVENT_TYPES.get(clause.verb.lemma, shape.event_type) if shape.event_type == "other" else shape.event_type
    return Claim(
        shape=shape.name, event_type=event_type, status=shape.status or _TENSE_STATUS.get(clause.verb.tense, "ongoing"),
        title=_short(summary), summary=summary, quote=content[start:end], start=start, end=end, subject=subject, key=key,
        change=shape.change, participants=tuple(_participants(clause, tokens, scene, subject)), speaker=scene.speaker,
        reporter=reporter, criticality=shape.criticality, scope=shape.scope,
    )  # fmt: skip


def _trimmed(clause: Clause, tokens: Sequence[Token]) -> Clause:
    end = clause.end
    while end > clause.verb.at + 1 and (tokens[end - 1].kind == "mark" and tokens[end - 1].text not in ")%\"" or tokens[end - 1].low in words.CONJUNCTIONS - {"where"}):
        end -= 1
    return replace(clause, end=end)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rsplit(" ", 1)[0] + "…"


def _participants(clause: Clause, tokens: Sequence[Token], scene: _Scene, subject: Mention) -> Iterator[Mention]:
    """Yield the people and places a clause names besides its subject."""
    seen = {subject.name}
    at = clause.verb.at + 1
    while at < clause.end:
        token, before = tokens[at], tokens[at - 1].low
        if token.low in ("my", "our") and at + 1 < clause.end and tokens[at + 1].low in words.KIN:
            stop = at + 2 + (at + 2 < clause.end and tokens[at + 2].capital)
            mention = _kin(tokens[at:stop], scene.speaker.name)
            at = stop
        elif token.capital and token.low not in words.CALENDAR and token.low != "i" and token.kind == "word":
            stop = at + 1
            while stop < clause.end and tokens[stop].capital and tokens[stop].low not in words.CALENDAR:
                stop += 1
            name = _text(tokens, (at, stop), scene)
            at = stop
            if name in scene.known or before in ("with", "and", "met", "told", "by", "friend", "named", "called"):
                mention = Mention(name=name, kind="person")
            elif before in ("in", "to", "at", "from", "near"):
                mention = Mention(name=name, kind="place")
            else:
                continue
        else:
            at += 1
            continue
        if mention.name not in seen:
            seen.add(mention.name)
            yield mention


def _place(clause: Clause, sentence: Sentence) -> Range:
    """Return where a clause stands in the message."""
    return sentence.tokens[clause.start].start, sentence.tokens[clause.end - 1].end
