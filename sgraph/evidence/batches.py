"""Retrieval batches: what a search handed out, from the moment it was found until its use is recorded.

A search, or an expansion by an agent, opens a batch of its own. Batches are kept in `work.db`: they survive a restart,
and the processes on a space share them; whoever deletes that file loses open batches, never memory. A batch may be
assessed any number of times, the last assessment counts, and is closed by the record of its use. One that is not
closed within `OPEN_FOR` expires; of all batches the newest `KEPT` are kept, to recognise a search that is repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sgraph.errors import InvalidInput, NotFound, RequestRefused
from sgraph.evidence import echo
from sgraph.ids import new_id
from sgraph.journal.log import instant, micros
from sgraph.journal.work import Work
from sgraph.records.evidence import Assessment, OpenBatch, RefReason
from sgraph.records.found import Found

OPEN_FOR = timedelta(hours=24)
KEPT = 2_000
BEFORE = 50  # batches before this one among which a repeated search is looked for


@dataclass(frozen=True)
class Batch:
    """A batch as it is kept: the messages behind each ref, the scope it was searched in, its last assessment."""

    number: int
    id: str
    at: datetime
    question: str
    refs: Mapping[str, Sequence[str]]
    scope: Mapping[str, Any]
    assessment: Assessment | None
    closed: bool


def handed_out(work: Work, found: Found, scope: Mapping[str, Any], at: datetime) -> None:
    """Keep the batch of a search and the fingerprints of its words; drop batches beyond `KEPT`."""
    refs = {ref: card.messages for card in found.cards for ref in (card.ref, *card.also)}
    _keep(work, found.batch_id, found.question, refs, scope, at)
    echo.hand_out(work, echo.texts_of(found), at)
    work.run("DELETE FROM batches WHERE number <= (SELECT max(number) FROM batches) - ?", KEPT)


def open_batch(work: Work, question: str, refs: Mapping[str, Sequence[str]], scope: Mapping[str, Any]) -> str:
    """Open a batch for what was looked up without a search; give its id."""
    id = f"batch_{new_id()}"
    _keep(work, id, question, refs, scope, datetime.now(UTC))
    return id


def _keep(
    work: Work, id: str, question: str, refs: Mapping[str, Sequence[str]], scope: Mapping[str, Any], at: datetime
) -> None:
    body = json.dumps({"question": question, "refs": refs, "scope": dict(scope)}, default=str)
    work.run("INSERT INTO batches (id, at, body) VALUES (?,?,?)", id, micros(at), body)


def unresolved(work: Work, now: datetime) -> list[OpenBatch]:
    """List the batches whose use is not recorded yet and that found something, oldest first."""
    batches = [
        _batch(row)
        for row in work.run(f"{_SELECT} WHERE closed = 0 AND at >= ? ORDER BY number", micros(now - OPEN_FOR))
    ]
    return [
        OpenBatch(
            batch_id=batch.id,
            question=batch.question,
            at=batch.at,
            refs=len(batch.refs),
            verdict=batch.assessment.verdict if batch.assessment else None,
        )
        for batch in batches
        if batch.refs
    ]


def pick(work: Work, id: str | None, now: datetime) -> Batch:
    """Give an open batch, by default the newest of the space.

    Raises NotFound for one that is unknown or expired (`details`: latest, unresolved, available), and RequestRefused
    for one that is closed.
    """
    if id is None:
        rows = work.run(f"{_SELECT} WHERE closed = 0 AND at >= ? ORDER BY number DESC LIMIT 1", micros(now - OPEN_FOR))
    else:
        rows = work.run(f"{_SELECT} WHERE id = ?", str(id))
    batch = _batch(rows[0]) if rows else None
    if batch is not None and batch.closed:
        raise RequestRefused(
            f"the use of {batch.id} is recorded already; search again for new evidence",
            reason="batch_closed",
            batch_id=batch.id,
        )
    if batch is None or batch.at < now - OPEN_FOR:
        why = "has expired" if batch is not None else "is unknown" if id is not None else "there is none"
        waiting = [known.batch_id for known in unresolved(work, now)]
        available = [row[0] for row in work.run("SELECT id FROM batches ORDER BY number DESC LIMIT 20")]
        raise NotFound(
            f"no open batch {id or ''}: it {why}. Open are: {', '.join(waiting[-5:]) or 'none; search first'}",
            kind="batch",
            id=id,
            latest=available[0] if available else None,
            unresolved=waiting,
            available=available,
        )
    return batch


def listed(refs: Any) -> Sequence[Any]:
    """Give refs as a caller lists them. Raises InvalidInput for what is no list."""
    if isinstance(refs, str) or not isinstance(refs, Sequence):
        raise InvalidInput("evidence_refs must be a list of refs", field="evidence_refs", value=type(refs).__name__)
    return refs


def unfit(ref: Any, batch: Batch) -> RefReason | None:
    """Say why something is no ref of a batch; None when it is one."""
    if not isinstance(ref, str) or not all(ref.partition(":")):
        return "invalid_ref"
    return None if ref in batch.refs else "not_in_batch"


def keep_assessment(work: Work, assessment: Assessment) -> None:
    """Keep what became of a verdict."""
    work.run("UPDATE batches SET assessment = ? WHERE id = ?", assessment.model_dump_json(), assessment.batch_id)


def close(work: Work, id: str) -> None:
    """Close a batch: its use is recorded."""
    work.run("UPDATE batches SET closed = 1 WHERE id = ?", id)


def before(work: Work, batch: Batch) -> Iterable[Batch]:
    """Give the batches before one, newest first."""
    return [
        _batch(row) for row in work.run(f"{_SELECT} WHERE number < ? ORDER BY number DESC LIMIT {BEFORE}", batch.number)
    ]


_SELECT = "SELECT number, id, at, body, assessment, closed FROM batches"


def _batch(row: tuple[Any, ...]) -> Batch:
    number, id, at, body, assessment, closed = row
    read = json.loads(body)
    return Batch(
        number=number,
        id=id,
        at=instant(at),
        question=read["question"],
        refs=read["refs"],
        scope=read.get("scope", {}),
        assessment=Assessment.model_validate_json(assessment) if assessment else None,
        closed=bool(closed),
    )
