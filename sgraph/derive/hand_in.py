"""Handing a derivation in: check it, keep what was refused, record what was accepted, as one step of the owner's."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any

from sgraph.derive import submit
from sgraph.derive.contracts import Parsed
from sgraph.derive.desk import Desk
from sgraph.derive.echoes import without_echoes
from sgraph.errors import ReplyRefused
from sgraph.records.parts import ReceiptPart
from sgraph.records.results import Submitted
from sgraph.truth.decision import Decision


def hand_in(
    desk: Desk,
    kind: str,
    target: str | None,
    reply: Any,
    *,
    method: submit.Method,
    zone: tzinfo,
    receipt: str | None = None,
    parsed: Parsed | None = None,
) -> Submitted:
    """Check a reply, keep what was refused of it in quarantine, and record what was accepted.

    `parsed` is what a reply came to that was checked already, against what its deriver was shown. The same `receipt`
    again is a no-op. Raises ReplyRefused when nothing was accepted.
    """
    with desk.guard:
        desk.catch_up()
        if receipt is not None and (known := desk.journal.receipt(receipt)) is not None:
            return Submitted(seq=known, kind=kind, target=target or "", ids=())
        found = submit.find_target(desk.journal, target)
        parsed = without_echoes(parsed or submit.check(kind, found, reply, desk.state, zone), found.keys, desk)
        refusal = submit.refused(kind, found.id, reply, parsed) if parsed.problems or parsed.value is None else None
        if parsed.value is None and refusal is not None:
            desk.record("refused", [refusal], datetime.now(UTC))
            first = refusal.problems[0] if refusal.problems else ("$", "refused", "refused")
            raise ReplyRefused(
                f"the {kind} for {found.id} were refused: {first[0]} {first[2]}; kept in quarantine as {refusal.id}",
                kind=kind,
                target=found.id,
                quarantine=refusal.id,
                problems=[list(problem) for problem in refusal.problems],
            )
        decision = Decision(desk.state, datetime.now(UTC), method)
        with desk.state_at_risk():
            ids = submit.decide(decision, kind, found, parsed.value, method)
        if refusal is not None:
            decision.put(refusal)
        if receipt is not None:
            decision.put(ReceiptPart(id=receipt))
        entry = desk.record(submit.ENTRY_KINDS[kind], decision.parts, decision.at)
        return Submitted(
            seq=entry.seq,
            kind=kind,
            target=found.id,
            ids=tuple(ids),
            problems=refusal.problems if refusal else (),
            quarantine=refusal.id if refusal else None,
        )
