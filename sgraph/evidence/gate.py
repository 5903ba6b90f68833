"""The gate: from what a model says of the evidence to what holds.

Sufficient is what was called so, with at least one ref of the batch kept, nothing left to look up, and no blocking
concern of `checks` that the caller did not overrule by its code. Everything else is wrong, where it was called so, or
partial. Verdict, refs, strategy and texts are normalised and never refused; what was not taken is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from sgraph import analysis
from sgraph.evidence import batches
from sgraph.evidence.batches import Batch
from sgraph.evidence.checks import Evidence, check, make
from sgraph.evidence.pieces import resolve
from sgraph.graph import views
from sgraph.graph.views import Run
from sgraph.journal.work import Work
from sgraph.recall.search import Seeker
from sgraph.records.evidence import Assessment, Concern, RefReason, RejectedRef, Strategy, Verdict

MOST = 8  # refs that are kept
TEXT = 160  # characters of fit and missing
QUOTED = 16  # events whose quotes are held against their messages
MISSING = "direct evidence is still missing"
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
DEFAULT: Strategy = "search_events"
#: Other names of a strategy.
ALIASES: dict[str, Strategy] = {
    "search_raw_memory": "search_raw", "search_elements": "search_graph", "expand_element": "expand_entity",
    "expand_graph_node": "expand_entity", "search": "recall", "expand": "expand_event",
}  # fmt: skip
#: The route that looks elsewhere than one whose refs are of this kind.
ELSEWHERE: dict[str, Strategy] = {
    "event": "search_raw",
    "turn": "search_raw",
    "entity": "search_events",
    "message": "search_graph",
}


def normalise_refs(given: Any, batch: Batch) -> tuple[tuple[str, ...], list[RejectedRef]]:
    """Give the refs kept, in order and once each, at most `MOST`, and every other one with the reason."""
    kept: dict[str, None] = {}
    rejected: list[RejectedRef] = []
    for index, ref in enumerate(batches.listed(given)):
        reason = _reason(ref, batch, kept)
        if reason is None:
            kept[ref] = None
        else:
            rejected.append(
                RejectedRef(
                    index=index, ref=str(ref)[:200], reason=reason, detail=_DETAILS[reason].format(batch=batch.id)
                )
            )
    return tuple(kept), rejected


def _reason(ref: Any, batch: Batch, kept: Mapping[str, None]) -> RefReason | None:
    if (reason := batches.unfit(ref, batch)) is not None:
        return reason
    if ref in kept:
        return "duplicate"
    return "limit_exceeded" if len(kept) == MOST else None


_DETAILS: dict[RefReason, str] = {
    "invalid_ref": "a ref is text such as event:… or message:…, copied from a card",
    "duplicate": "it is in the list already",
    "not_in_batch": "{batch} did not hand it out",
    "limit_exceeded": f"at most {MOST} refs are kept",
}


def evidence(batch: Batch, kept: Sequence[str], seeker: Seeker, run: Run) -> Evidence:
    """Give the evidence kept of a batch, with what the graph quotes of its events, for the checks."""
    pieces = resolve(kept, batch.refs, seeker.state, seeker.finder.journal)
    ids = dict.fromkeys(event.id for piece in pieces for event in piece.events)
    return Evidence(seeker, pieces, views.events(seeker.state, run, list(ids)[:QUOTED]))


def assess(
    work: Work,
    batch: Batch,
    evidence: Evidence,
    *,
    verdict: Any,
    rejected: Sequence[RejectedRef],
    fit: Any,
    missing: Any,
    next_strategy: Any,
    despite: Sequence[str],
    at: datetime,
) -> Assessment:
    """Work out what holds, keep it with the batch, and give it."""
    kept = evidence.refs
    requested: Verdict = verdict if verdict in ("sufficient", "wrong") else "partial"
    strategy: Strategy = ALIASES.get(str(next_strategy)) or (next_strategy if next_strategy in STRATEGIES else DEFAULT)
    concerns = check(evidence)
    if (repeated := _repeated(work, batch)) is not None:
        concerns.append(repeated)
    stops = [concern for concern in concerns if concern.blocking and concern.code not in despite]
    holds = requested == "sufficient" and bool(kept) and strategy == "answer" and not stops
    if not holds:
        stops = stops or [concern for concern in concerns if concern.code == "repeated_search"]
        strategy = stops[0].next_strategy if stops else DEFAULT if strategy == "answer" else strategy
    text = "" if holds else _short(missing) or (_short(stops[0].message) if stops else MISSING)
    assessment = Assessment(
        batch_id=batch.id,
        question=batch.question,
        verdict="sufficient" if holds else "wrong" if requested == "wrong" else "partial",
        requested=str(verdict)[:40],
        evidence_refs=kept,
        rejected=tuple(rejected),
        concerns=tuple(concerns),
        despite=tuple(code for code in dict.fromkeys(despite) if any(code == concern.code for concern in concerns)),
        fit=_short(fit),
        missing=text,
        next_strategy="answer" if holds else strategy,
        at=at,
    )
    batches.keep_assessment(work, assessment)
    return assessment


def _short(text: Any) -> str:
    return " ".join(text.split())[:TEXT].rstrip() if isinstance(text, str) else ""


def _repeated(work: Work, batch: Batch) -> Concern | None:
    """Find that the same was asked before, in vain so far, and that this search brought nothing new."""
    words, refs = set(analysis.terms(batch.question)), set(batch.refs)
    asked = [
        earlier
        for earlier in batches.before(work, batch)
        if words == set(analysis.terms(earlier.question))
        and (earlier.assessment is None or earlier.assessment.verdict != "sufficient")
    ]
    if not words or not asked or refs - {ref for earlier in asked for ref in earlier.refs}:
        return None
    strategy, advice = _elsewhere(batch, {ref.partition(":")[0] for ref in refs})
    concern = make("repeated_search", f"the same search brought nothing new: {advice}", (), times=len(asked) + 1)
    return concern.model_copy(update={"next_strategy": strategy})


def _elsewhere(batch: Batch, kinds: set[str]) -> tuple[Strategy, str]:
    """Give what to do instead of the search of a batch whose refs are of these kinds."""
    if any(name.startswith(("happened", "said")) for name in batch.scope):
        return "recall", "widen the time"
    if {"event", "message"} <= kinds:
        return "expand_event", "open the source"
    return ELSEWHERE.get(min(kinds, default=""), "search_raw"), "take another route"
