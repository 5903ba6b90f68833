"""What becomes of one candidate of an import: by comparing words, else by a model, else left for a person."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, ValidationError

from sgraph import analysis
from sgraph.config import Models
from sgraph.derive import prompts
from sgraph.derive.models import routes
from sgraph.derive.models.ask import Answer, Form, ask
from sgraph.records.base import Record
from sgraph.records.imports import Action, Candidate, Verdict

CONFIDENT = 0.85  # below, a person confirms
RESEMBLES = 0.35  # share of the smaller one's words that two must have in common to be held against each other
NEEDS_TARGET = ("MERGE", "SUPERSEDE", "CONFLICT")
Told = dict[str, tuple[str, str]]  # known events with title and summary


class Merged(Record):
    """The one event that says both."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    summary: Annotated[str, Field(min_length=1, max_length=1_000)]


class ImportDecision(Record):
    """What a model says becomes of a candidate."""

    action: Action
    event_ids: tuple[str, ...] = ()
    merged: Merged | None = None
    reason: Annotated[str, Field(max_length=500)] = ""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5


@dataclass(frozen=True)
class _Judged:
    value: ImportDecision | None


def _judge(text: str, known: Iterable[str]) -> _Judged:
    """Read a decision. Ids that were not shown are left out, and an action without its target changes nothing."""
    try:
        found = ImportDecision.model_validate_json(text)
    except ValidationError:
        return _Judged(None)
    legal = tuple(id for id in found.event_ids if id in set(known))
    if found.action in NEEDS_TARGET and not legal:
        return _Judged(found.model_copy(update={"action": "IGNORE", "event_ids": (), "confidence": 0.5}))
    return _Judged(found.model_copy(update={"event_ids": legal}))


FORM = Form("submit_import_decision", ImportDecision.model_json_schema, _judge)


def words_of(candidate: Candidate) -> str:
    """Give the text a candidate is searched for and compared by."""
    return " ".join((candidate.title, candidate.summary, *candidate.tags))


def resembling(candidate: Candidate, told: Told) -> Told:
    """Keep the events that share enough words with a candidate."""
    own = f"{candidate.title} {candidate.summary}"
    return {id: texts for id, texts in told.items() if _containment(own, " ".join(texts)) >= RESEMBLES}


def verdict(
    candidate: Candidate, earlier: Sequence[Candidate], seen: Told, models: Models
) -> tuple[Verdict | None, Answer | None]:
    """Decide on a candidate: (None, the answer) when a model was asked and its provider failed."""
    own, shown = _fingerprint(candidate.title, candidate.summary), tuple(seen)
    if any(own == _fingerprint(one.title, one.summary) for one in earlier):
        return _by_rule("IGNORE", "the same as an earlier candidate", shown), None
    same = [id for id, texts in seen.items() if own == _fingerprint(*texts)]
    if same:
        return _by_rule("IGNORE", "known already, in the same words", shown, same[:1]), None
    if not seen:
        return _by_rule("ADD", "resembles nothing that is known", shown), None
    left = Verdict(action="ADD", reason="resembles what is known", confidence=0.5, by="rule", review=True, seen=shown)
    there = routes.in_order(models, None)
    return _asked(candidate, seen, left, routes.ROTATION.candidates(there)) if there else (left, None)


def _asked(
    candidate: Candidate, seen: Told, left: Verdict, candidates: Sequence[routes.Candidate]
) -> tuple[Verdict | None, Answer]:
    used = candidates[0]
    rows = [{"id": id, "title": title, "summary": summary} for id, (title, summary) in seen.items()]
    sections = {"candidate": [candidate.model_dump(exclude_none=True)], "known": prompts.bounded(rows, what="events")}
    answer = ask(used, FORM, prompts.request("import_decision", sections), tuple(seen))
    if answer.parsed is None:
        routes.ROTATION.failed(used, answer.status)
        return None, answer
    routes.ROTATION.succeeded(used)
    found = getattr(answer.parsed, "value", None)
    if not isinstance(found, ImportDecision):
        return left.model_copy(update={"reason": "the model's reply broke its contract", "by": "model"}), answer
    decided = Verdict(
        action=found.action,
        event_ids=found.event_ids,
        merged=(found.merged.title, found.merged.summary) if found.merged else None,
        reason=found.reason,
        confidence=found.confidence,
        by="model",
        review=found.confidence < CONFIDENT,
        seen=left.seen,
    )
    return decided, answer


def _by_rule(action: Action, reason: str, seen: tuple[str, ...], same: Sequence[str] = ()) -> Verdict:
    return Verdict(
        action=action, event_ids=tuple(same), reason=reason, confidence=1.0, by="rule", review=False, seen=seen
    )


def _fingerprint(title: str, summary: str) -> str:
    text = unicodedata.normalize("NFKC", f"{title}\n{summary}").casefold()
    return "".join(char for char in text if char.isalnum() or char == "\n")


def _containment(a: str, b: str) -> float:
    """Give the share of the smaller one's terms that both have; none below two shared terms, unless it has but one."""
    first, second = set(analysis.terms(a)), set(analysis.terms(b))
    smaller = min(len(first), len(second))
    shared = len(first & second)
    return shared / smaller if smaller and shared >= min(2, smaller) else 0.0
