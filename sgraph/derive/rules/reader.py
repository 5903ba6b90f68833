"""From a message to claims: sentence by sentence, clause by clause, the first shape that fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from sgraph.derive.rules import chinese, guards, words
from sgraph.derive.rules.clause import Clause, clauses
from sgraph.derive.rules.making import claims_of, relative_of, whole_sentence
from sgraph.derive.rules.match import LEMMAS, fits
from sgraph.derive.rules.mentions import Scene, remember
from sgraph.derive.rules.shapes import CORRECTION, DATED
from sgraph.derive.rules.text import Sentence, sentences
from sgraph.derive.rules.times import Dating
from sgraph.records.claim import Claim, Context, Mention, SaidMessage, Status
from sgraph.records.timespan import TimeSpan

UNHEARD = frozenset(("assistant", "tool", "system", "developer", "function"))  # roles that state nothing about a person

_ASIDE = ("when", "since", "while")  # "when I was 17", "since we last talked": they tell when, not what
_INTRODUCING = frozenset(("relative", "pet", "child"))  # "my sister is called Ana. She …"
_CORRECTING = frozenset(
    (
        "no",
        "nope",
        "actually",
        "correction",
        "sorry",
        "oops",
        "my mistake",
        "my bad",
        "wait",
        "no wait",
        "no sorry",
        "sorry no",
        "no actually",
    )
)


def read(message: SaidMessage, context: Context) -> list[Claim]:
    """Return what a message asserts, in the order of its words.

    Messages of an assistant or a tool assert nothing about the user and give an empty list, as do code, logs,
    questions, hypotheticals, jokes, fiction and quotations. Nothing is read from the clock: times are worked out
    from `sent_at`.
    """
    if message.role in UNHEARD or guards.void_message(message.content):
        return []
    speaker = Mention(name=message.speaker or context.self_name, kind="person")
    known = frozenset(said.speaker for said in (message, *context.previous) if said.speaker)
    scene, dating = Scene(message, speaker, known), Dating(message.sent_at)
    claims: list[Claim] = []
    runs = list(sentences(message.content))
    for sentence, after in zip_longest(runs, runs[1:]):
        if after is not None and (guards.is_joke(after) or chinese.is_joke(after.text)):
            continue
        if chinese.is_chinese(sentence.text):
            claims += chinese.claims(sentence, message, speaker)
        elif not guards.is_open(sentence):
            claims += _read_sentence(sentence, scene, dating)
    return claims


def _read_sentence(sentence: Sentence, scene: Scene, dating: Dating) -> list[Claim]:
    asked = guards.asked_from(sentence)
    found = (
        []
        if asked == 0
        else [clause for clause in clauses(sentence, LEMMAS, scene.known) if asked is None or clause.verb.at < asked]
    )
    stated = [_until(clause, asked) for clause in found if guards.asserts(clause, sentence)]
    made = [(clause, claims) for clause in stated if (claims := list(_read_clause(clause, sentence, scene)))]
    if not made and asked is None and _is_correction(sentence):
        return [whole_sentence(CORRECTION, sentence, scene, "ongoing")] if _corrects_plainly(sentence) else []
    times = dating.of_sentence(sentence, [_place(clause, sentence) for clause, _ in made])
    if not made and asked is None and times.first is not None and (stated or not found) and guards.reports(sentence):
        return _dated(times.first, stated, sentence, scene)
    scoped = {"scope": "session"} if guards.for_now(sentence) else {}
    corrected = {"change": "correction"} if _is_correction(sentence) else {}
    return [
        claim.model_copy(
            update={"time": times.of(claim, _place(clause, sentence))}
            | scoped
            | (corrected if claim.change == "state" else {})
        )
        for clause, claims in made
        for claim in claims
    ]


def _dated(time: TimeSpan, stated: list[Clause], sentence: Sentence, scene: Scene) -> list[Claim]:
    """Keep a sentence that says when, though no shape reads it; what was told as past does not lie ahead."""
    said_at = scene.message.sent_at
    status: Status = "occurred" if time.end <= said_at else "planned" if time.start > said_at else "ongoing"
    if stated:
        told = all(clause.verb.tense in ("past", "perfect") for clause in stated)
    else:
        told = any(token.low in words.PAST for token in sentence.tokens)
    if status == "planned" and told:
        return []
    return [whole_sentence(DATED, sentence, scene, status).model_copy(update={"time": time})]


def _until(clause: Clause, asked: int | None) -> Clause:
    return clause if asked is None else replace(clause, end=min(clause.end, asked))


def _read_clause(clause: Clause, sentence: Sentence, scene: Scene) -> Iterator[Claim]:
    tokens = sentence.tokens
    remember(clause, tokens, scene)
    yield from relative_of(clause, tokens, scene)
    for match in fits(clause, tokens):
        if clause.link in _ASIDE and (match.shape.name == "state" or "last" in clause.verb.adverbs):
            continue
        if claims := list(claims_of(match, clause, tokens, scene)):
            if match.shape.name in _INTRODUCING and claims[-1].value:
                scene.person = Mention(name=claims[-1].value, kind=claims[-1].value_kind or "person")
            yield from claims
            break


def _place(clause: Clause, sentence: Sentence) -> tuple[int, int]:
    """Return where a clause stands in the message."""
    return sentence.tokens[clause.start].start, sentence.tokens[clause.end - 1].end


def _is_correction(sentence: Sentence) -> bool:
    """Tell whether a sentence sets something right: "No, actually …", "I meant …", "Tess was wrong, …"."""
    tokens = sentence.tokens
    mark = next((at for at, token in enumerate(tokens[:6]) if token.text in (",", ":", "-")), 0)
    head = " ".join(token.low for token in tokens[: mark or 3])
    return (head in _CORRECTING and mark > 0) or _meant(sentence) or (mark > 1 and tokens[mark - 1].low == "wrong")


def _corrects_plainly(sentence: Sentence) -> bool:
    """Tell "No, it's 8443, not 8080" from "No, I didn't", which answers a question."""
    said = {token.low for token in sentence.tokens}
    return len(sentence.tokens) >= 6 and bool(said & {"not", "meant", "mean", "correction"})


def _meant(sentence: Sentence) -> bool:
    lows = [token.low for token in sentence.tokens[:4]]
    return any(pair in (["i", "meant"], ["i", "mean"]) for pair in (lows[:2], lows[2:4]))
