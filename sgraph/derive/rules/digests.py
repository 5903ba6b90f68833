"""Extracts: the sentence, outcome and triples of a turn, the upper levels of a block. Nothing here is paraphrased."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sgraph.derive.rules import chinese, guards, words
from sgraph.derive.rules.reader import UNHEARD, read
from sgraph.derive.rules.text import Sentence, sentences
from sgraph.records.claim import BlockDigest, Claim, Context, Outcome, SaidMessage, TurnDigest
from sgraph.records.vocabulary import predicate

MAX_TITLE, MAX_SENTENCE, MAX_OBJECT = 60, 240, 80  # characters
MAX_TAGS, MAX_SUMMARY, MAX_KEYPOINTS, MAX_TRIPLES = 6, 3, 8, 12
NEIGHBOURS = 4  # messages before the one that is read

# What a person would look for first: decisions and changes before facts, facts before doings, doings before moods.
RANK = {
    "decision": 0, "cancellation": 1, "move": 1, "correction": 1, "switch": 1, "relocation": 1, "completion": 2,
    "plan": 3, "outcome": 3,
    "happening": 4, "progress": 5, "own": 6, "habit": 6, "effect": 7, "state": 8,
}  # fmt: skip
FACT_RANK = 2  # every shape that states a fact and is not in RANK

_FAILED = re.compile(
    r"\b(?:failed|fails|failing|error|unable to|couldn't|could not|cannot|can't|didn't work|not possible|gave up|"
    r"timed out|blocked)\b|失败|无法|报错|出错|不行",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|completed?|finished|added|created|updated|implemented|deployed|merged|resolved|installed|removed|renamed|wrote|written|"
    r"passes|passing|succeeded|works now)\b|完成|搞定|修好|已经?(?:添加|创建|更新|修复|部署|删除)|成功",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:partial(?:ly)?|partly|remaining|still (?:need|fail|to do)|not yet|except|todo|but (?:one|two|some))\b|"
    r"部分|还没|尚未|仍然",
    re.IGNORECASE,
)


def summarise(messages: Sequence[SaidMessage]) -> TurnDigest:
    """Return the sentence, outcome and triples of one turn, given its messages in order."""
    claims = _claims(messages)
    best = min(claims, key=_rank, default=None)
    summary = best.summary if best else next(iter(_lines(messages, 1)), "") or _any_words(messages)
    return TurnDigest(summary=_cut(summary, MAX_SENTENCE), outcome=_outcome(messages), triples=_triples(claims))


def digest_block(messages: Sequence[SaidMessage]) -> BlockDigest:
    """Return title, tags, summary and keypoints of a run of turns, given all its messages in order.

    Keypoints are the sentences that carry the weightiest claims, in the order of the talk; without claims, what
    was said first.
    """
    claims = _claims(messages)
    keypoints = _weightiest(claims, MAX_KEYPOINTS) or _lines(messages, MAX_SUMMARY) or [_any_words(messages)]
    summary = " ".join(_full_stop(text) for text in _weightiest(claims, MAX_SUMMARY) or keypoints[:1])
    title = min(claims, key=_rank).summary if claims else keypoints[0]
    return BlockDigest(title=_cut(title, MAX_TITLE), tags=_tags(messages), summary=summary, keypoints=tuple(keypoints))


def _claims(messages: Sequence[SaidMessage]) -> list[Claim]:
    return [
        claim
        for at, message in enumerate(messages)
        for claim in read(message, Context(previous=tuple(messages[max(0, at - NEIGHBOURS) : at])))
    ]


def _rank(claim: Claim) -> tuple[int, bool]:
    return RANK.get(claim.shape, FACT_RANK), claim.time is None


def _weightiest(claims: list[Claim], limit: int) -> list[str]:
    """Return the distinct summaries of the weightiest claims, in the order they were said."""
    chosen = set(list(dict.fromkeys(claim.summary for claim in sorted(claims, key=_rank)))[:limit])
    return [_cut(text, MAX_SENTENCE) for text in dict.fromkeys(claim.summary for claim in claims) if text in chosen]


# ------------------------------------------------------------------ words
def _heard(messages: Sequence[SaidMessage]) -> Iterator[tuple[SaidMessage, Sentence]]:
    """Yield the sentences of what people said; of what assistants said when no person said anything."""
    said = [message for message in messages if message.role not in UNHEARD] or [m for m in messages if m.role != "tool"]
    return ((message, sentence) for message in said for sentence in sentences(message.content))


def _lines(messages: Sequence[SaidMessage], limit: int) -> list[str]:
    """Return the first sentences that are more than a greeting, each with who said it."""
    lines: list[str] = []
    for message, sentence in _heard(messages):
        content = [token for token in sentence.tokens if token.low not in words.FILLERS and token.kind != "mark"]
        if len(content) > 2 or chinese.is_chinese(sentence.text):
            mark = sentence.end_mark if sentence.end_mark in ("?", "？") else ""
            lines.append(_cut(f"{message.speaker or message.role}: {sentence.text}{mark}", MAX_SENTENCE))
        if len(lines) == limit:
            break
    return lines


def _any_words(messages: Sequence[SaidMessage]) -> str:
    """Return how the first message with any words begins (code, a log), for there must be a line."""
    text = next((message.content for message in messages if message.content.strip()), "Nothing was said.")
    return _cut(" ".join(text[: 4 * MAX_SENTENCE].split()), MAX_SENTENCE)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head) + "…"


def _full_stop(text: str) -> str:
    return text if text[-1:] in ".!?…。！？" else text + ("。" if chinese.is_chinese(text) else ".")


def _tags(messages: Sequence[SaidMessage]) -> tuple[str, ...]:
    """Return names and the content words said most often; names weigh double, ties go to what was said first."""
    counts: Counter[str] = Counter()
    for _, sentence in _heard(messages):
        for at, token in enumerate(sentence.tokens):
            if token.kind != "word" or len(token.low) < 3 or token.low in _DULL or words.is_adverb(token.low):
                continue
            counts[token.text if token.capital and at else token.low] += 2 if token.capital and at else 1
    found: dict[str, str] = {}
    for word, _ in counts.most_common(3 * MAX_TAGS):
        found.setdefault(word.lower(), word)
    return tuple(list(found.values())[:MAX_TAGS])


_DULL = (
    words.FILLERS | words.AUXILIARIES | words.PRONOUNS | words.DETERMINERS | words.PREPOSITIONS | words.CONJUNCTIONS
    | words.WH | words.NEGATIONS | words.TIME_WORDS | words.INDEFINITE | words.VAGUE | words.STATIVE
    | frozenset(words.PAST) | frozenset(words.PARTICIPLE) | words.NUMBER_WORDS
    | words.word_set(
        """
        him her them us our more much going get make take let lot really good love fun time new big best there
        """
    )
)  # fmt: skip


# ------------------------------------------------------------------ how a turn ended
def _outcome(messages: Sequence[SaidMessage]) -> Outcome:
    """Tell from the last answer how a turn ended; talk between people and answered questions are informational."""
    asked = [message for message in messages if message.role not in UNHEARD]
    answers = [message for message in messages if message.role == "assistant" and message.content.strip()]
    if not answers:
        return "informational" if len(asked) > 1 else "unknown"
    answer = answers[-1].content
    failed, done = bool(_FAILED.search(answer)), bool(_DONE.search(answer))
    if done and (failed or _PARTLY.search(answer)):
        return "partial"
    if failed:
        return "failed"
    questions = any(
        guards.asked_from(sentence) is not None for message in asked for sentence in sentences(message.content)
    )
    if done and not questions:
        return "completed"
    return "informational" if asked else "unknown"


# ------------------------------------------------------------------ triples
def _triples(claims: list[Claim]) -> tuple[tuple[str, str, str], ...]:
    """Return claims as subject, predicate, object: a fact by the label of its key, a happening by its verb."""
    found: dict[tuple[str, str, str], None] = {}
    for claim in claims:
        if claim.key is not None and claim.value is not None:
            label = predicate(claim.key).label
            found[claim.subject.name, f"not: {label}" if claim.negated else label, claim.value] = None
        elif (happened := _verb_and_object(claim)) is not None:
            found[happened] = None
    return tuple(list(found)[:MAX_TRIPLES])


def _verb_and_object(claim: Claim) -> tuple[str, str, str] | None:
    """Split "Mara went to the gym" behind its subject; None when the summary does not begin with it."""
    rest = claim.summary.removeprefix(claim.subject.name).removeprefix(" and others")
    if rest == claim.summary or rest[:1] != " ":
        return None
    said = rest.split()
    verb = 1 + next((at for at, word in enumerate(said) if not _supports_verb(word)), len(said))
    if len(said) <= verb:
        return None
    return claim.subject.name, " ".join(said[:verb]), _cut(" ".join(said[verb:]), MAX_OBJECT)


def _supports_verb(word: str) -> bool:
    low = word.lower().replace("n't", "")
    return (
        low in words.AUXILIARIES
        or low in words.NEGATIONS
        or low in ("gonna", "going", "to", "no")
        or words.is_adverb(low)
    )
