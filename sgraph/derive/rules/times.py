"""Which time expression belongs to which clause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sgraph.records.timespan import TimeSpan

try:
    from sgraph.chronology import current, find
except ImportError:  # TODO: goes as soon as the room is there
    def find(text: str, said_at: datetime) -> list[TimeSpan]:  # type: ignore[misc]
        """Find nothing."""
        return []

    def current(text: str, said_at: datetime) -> TimeSpan | None:  # type: ignore[misc]
        """Find nothing."""
        return None


def spans_of(text: str, offset: int, said_at: datetime) -> list[TimeSpan]:
    """Return the time expressions of a sentence, placed in the message that it stands in at `offset`."""
    return [span.model_copy(update={"span": (span.span[0] + offset, span.span[1] + offset)}) for span in find(text, said_at)]


def time_of(place: tuple[int, int], others: Sequence[tuple[int, int]], spans: Sequence[TimeSpan]) -> TimeSpan | None:
    """Return the time inside a clause, else the first one of its sentence that stands in no clause at all."""
    inside = [span for span in spans if place[0] <= span.span[0] < place[1]]
    outside = [span for span in spans if not any(start <= span.span[0] < end for start, end in others)]
    return next(iter(inside or outside), None)
