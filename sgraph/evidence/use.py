"""The record of use: the only way in which anything is reinforced.

Only what the batch's own sufficient assessment adopted may be recorded as used. What names an event, a claim or an
entity counts for the events behind it, once each; a message or a turn is cited, word for word, and counts for
nothing. The receipt makes it idempotent: again with the same content it changes nothing, with other content it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sgraph.errors import InvalidInput, ReceiptConflict, RequestRefused
from sgraph.evidence import batches
from sgraph.evidence.batches import Batch
from sgraph.evidence.pieces import resolve
from sgraph.graph.state import State
from sgraph.journal.log import Journal
from sgraph.journal.work import Work
from sgraph.records.evidence import RefReason, RejectedRef, Use
from sgraph.records.parts import ReceiptPart, UsePart

#: Receipts of use and receipts of capture are told apart, so an answer may bear one name for both.
PREFIX = "use:"

_DETAILS: dict[RefReason, str] = {
    "invalid_ref": "a ref is text such as event:… or message:…, copied from a card",
    "not_in_batch": "the batch did not hand it out",
    "not_adopted": "no sufficient assessment of this batch adopted it",
}


def default_receipt(batch_id: str) -> str:
    """Give the receipt of a use that names none: one for each batch."""
    return f"{batch_id}/use"


def record(
    journal: Journal, work: Work, state: State, batch_id: str | None, refs: Any, receipt: str | None, at: datetime
) -> Use:
    """Record the use of refs of a batch under a receipt, and close the batch; with no refs, only close it.

    Raises RequestRefused with all problems at once (`details`: problems, batch_id, available, adopted); then nothing
    is recorded.
    """
    refs = batches.listed(refs)
    if receipt is not None and not receipt.strip():
        raise InvalidInput("receipt must not be blank", field="receipt", value=receipt)
    wanted = tuple(dict.fromkeys(map(str, refs)))
    with journal.transaction():
        name = receipt if receipt is not None else default_receipt(batch_id) if batch_id is not None else None
        if name is not None and (known := _known(journal, name, batch_id, wanted)) is not None:
            batches.close(work, known.batch_id)
            return known
        batch = batches.pick(work, batch_id, at)
        name = name or default_receipt(batch.id)
        _refuse(batch, refs)
        pieces = resolve(wanted, batch.refs, state, journal)
        part = UsePart(
            receipt=name,
            batch=batch.id,
            refs=wanted,
            verdict=batch.assessment.verdict if batch.assessment else None,
            fit=batch.assessment.fit if batch.assessment else None,
            events=tuple(dict.fromkeys(event.id for piece in pieces if not piece.is_raw for event in piece.events)),
            messages=tuple(
                dict.fromkeys(message.key for piece in pieces if piece.is_raw for message in piece.messages)
            ),
        )
        journal.append("used", [part, ReceiptPart(id=PREFIX + name)])
    batches.close(work, batch.id)
    duplicates = tuple(ref for ref in wanted if list(refs).count(ref) > 1)
    return Use(receipt=name, batch_id=batch.id, events=part.events, messages=part.messages, duplicates=duplicates)


def _known(journal: Journal, receipt: str, batch_id: str | None, refs: tuple[str, ...]) -> Use | None:
    """Give what a receipt stands for already, or None. Raises ReceiptConflict when it stands for other content."""
    seq = journal.receipt(PREFIX + receipt)
    entry = journal.entry(seq) if seq is not None else None
    part = next((part for part in (entry.parts if entry else ()) if isinstance(part, UsePart)), None)
    if part is None:
        return None
    if batch_id not in (None, part.batch) or set(refs) != set(part.refs):
        raise ReceiptConflict(
            f"receipt {receipt!r} stands for other evidence (entry {seq}); give the new answer a receipt of its own",
            receipt=receipt,
            seq=seq,
        )
    return Use(receipt=receipt, batch_id=part.batch, events=part.events, messages=part.messages, known=True)


def _refuse(batch: Batch, refs: Sequence[Any]) -> None:
    """Raise RequestRefused for refs that may not be recorded as used, naming all of them."""
    assessment = batch.assessment
    adopted = assessment.evidence_refs if assessment is not None and assessment.verdict == "sufficient" else ()
    problems = [
        RejectedRef(index=index, ref=str(ref)[:200], reason=reason, detail=_DETAILS[reason])
        for index, ref in enumerate(refs)
        if (reason := _problem(ref, batch, adopted)) is not None
    ]
    if problems:
        listed = "; ".join(f"{problem.ref} ({problem.reason})" for problem in problems)
        raise RequestRefused(
            f"nothing was recorded for {batch.id}: {listed}. Assess the batch as sufficient with the refs the answer "
            "rests on, then record those.",
            reason="refs_refused",
            batch_id=batch.id,
            problems=[problem.model_dump() for problem in problems],
            available=list(batch.refs),
            adopted=list(adopted),
        )


def _problem(ref: Any, batch: Batch, adopted: Sequence[str]) -> RefReason | None:
    return batches.unfit(ref, batch) or (None if ref in adopted else "not_adopted")
