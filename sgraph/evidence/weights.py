"""How much an event weighs: it fades with the turns that go by, and slower the oftener it was used.

    w = max(floor, exp(−λ(n)·t)),  λ(n) = 0.15 / (1 + 1.5·ln n),  n = 1 + uses

The clock `t` counts the turns of the *whole space*, in the order they were recorded, since the event was last used, or
else since the turn it was formed from. One clock for all threads: a fresh event of a quiet thread is as fresh as one of
a busy thread, and an event does not age because a batch of derivation ran late. Half-life in turns: 4.6 for n=1, 9.4
for n=2, 15.8 for n=5.

In order of precedence: forgotten, replaced or archived is 0; pinned is 1; superseded is at most 0.1; no less than the
floor of its criticality. A weight orders what is listed without a query (`structured`); it never enters a score.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from sgraph.graph.state import State
from sgraph.graph.views import Run
from sgraph.journal.log import Journal

DECAY = 0.15
SLOWER = 1.5
SUPERSEDED = 0.1
_LAST = 1 << 62  # behind every part of an entry
FLOORS = {"routine": 0.0, "preference": 0.3, "identity": 0.9, "safety": 1.0}

_QUERY = (
    "MATCH (v:Event {id: $id}) OPTIONAL MATCH (r:Receipt)-[:USED]->(v) "
    "RETURN v.criticality AS criticality, v.use_count AS uses, collect(r.id) AS receipts"
)


def weight(*, state: str, pinned: bool, criticality: str, uses: int, turns: int) -> float:
    """Work out a weight, 0 to 1; `turns` went by since the last use or the forming."""
    if state in ("forgotten", "replaced", "archived"):
        return 0.0
    if pinned:
        return 1.0
    rate = DECAY / (1 + SLOWER * math.log(1 + max(0, uses)))
    faded = max(FLOORS.get(criticality, 0.0), math.exp(-rate * max(0, turns)))
    return min(faded, SUPERSEDED) if state == "superseded" else faded


def weights(ids: Iterable[str], state: State, journal: Journal, run: Run) -> dict[str, float]:
    """Give the weights of events, by id; ids that are no event are left out."""
    begun = sorted(
        row[1:] for row in journal.rows("SELECT min(position), seq, idx FROM keys_messages GROUP BY thread, turn")
    )
    found: dict[str, float] = {}
    for id in dict.fromkeys(ids):
        rows = run(_QUERY, {"id": id}) if id in state.events else []
        if not rows:
            continue
        event, row = state.events[id], rows[0]
        places = [journal.rows("SELECT seq, idx FROM keys_messages WHERE key = ?", key) for key in event.messages]
        moments = [place for found_at in places for place in found_at]
        moments += [
            (seq, _LAST) for receipt in row["receipts"] if (seq := journal.receipt(f"use:{receipt}")) is not None
        ]
        found[id] = weight(
            state=event.state,
            pinned=event.pinned,
            criticality=row["criticality"],
            uses=row["uses"],
            turns=len(begun) - bisect_right(begun, max(moments, default=(0, 0))),
        )
    return found


def structured(ids: Iterable[str], state: State, weigh: Mapping[str, float]) -> list[str]:
    """Order events that no query ranks: by weight, then by when they happened (else were said), the latest first."""
    return sorted(ids, key=lambda id: (-weigh.get(id, 0.0), -state.events[id].when.timestamp(), id))
