"""Which time expression belongs to which claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sgraph.chronology import current, find
from sgraph.derive.rules import words
from sgraph.derive.rules.text import Sentence
from sgraph.records.claim import Claim
from sgraph.records.timespan import TimeSpan

Place = tuple[int, int]

_BY_SAYING = words.word_set(
    """
    happening progress completion outcome state
    """
)  # "just finished" happened when it was said
_CARRIED_TO = words.word_set("happening outcome effect")
_REACH = 2  # sentences after the one that names a time: "Something happened last Friday. I went …"


@dataclass(frozen=True, slots=True)
class SentenceTimes:
    """The times of one sentence, what is left over from the sentence before, and where claims stand."""

    spans: tuple[TimeSpan, ...]
    carried: TimeSpan | None
    places: tuple[Place, ...]
    said_at: datetime

    @property
    def first(self) -> TimeSpan | None:
        """The first time the sentence names."""
        return self.spans[0] if self.spans else None

    def of(self, claim: Claim, place: Place) -> TimeSpan | None:
        """Return when a claim happened: the time in its clause, one of no claim, one just named, or the saying."""
        if (
            claim.change == "move"
            and claim.value is not None
            and (ahead := coming(claim.value, claim.quote, place[0], self.said_at))
        ):
            return ahead
        named = time_of(place, self.places, self.spans)
        if named is not None:
            return named
        if not self.spans and claim.status == "occurred" and claim.shape in _CARRIED_TO and self.carried is not None:
            return self.carried
        return current(claim.quote, self.said_at) if claim.shape in _BY_SAYING else None


class Dating:
    """The times of a message, read sentence by sentence."""

    def __init__(self, said_at: datetime) -> None:
        self.said_at = said_at
        self._carried: TimeSpan | None = None
        self._age = 0

    def of_sentence(self, sentence: Sentence, places: Sequence[Place]) -> SentenceTimes:
        """Read the times of a sentence whose claims stand at `places`; without claims its time carries on a little."""
        spans = tuple(spans_of(sentence.text, sentence.start, self.said_at))
        self._age += 1
        times = SentenceTimes(spans, self._carried if self._age <= _REACH else None, tuple(places), self.said_at)
        if spans:
            self._carried = spans[0] if not places and spans[0].start <= self.said_at else None
            self._age = 0
        return times


def spans_of(text: str, offset: int, said_at: datetime) -> list[TimeSpan]:
    """Return the time expressions of a sentence, placed in the message that it stands in at `offset`."""
    return [
        span.model_copy(update={"span": (span.span[0] + offset, span.span[1] + offset)}) for span in find(text, said_at)
    ]


def coming(value: str, quote: str, start: int, said_at: datetime) -> TimeSpan | None:
    """Return the time a value names, read as lying ahead: "the demo moved to Tuesday" means the next one."""
    ahead = "it will be on "
    offset = start + max(0, quote.rfind(value)) - len(ahead)
    return next(iter(spans_of(ahead + value, offset, said_at)), None)


def time_of(place: Place, others: Sequence[Place], spans: Sequence[TimeSpan], *, last: bool = False) -> TimeSpan | None:
    """Return the time inside a clause, else the first one of its sentence that stands in no clause of `others`.

    `last`: of several take the last, for "the dentist on May 28 is moved to June 4" takes place in June.
    """
    inside = [span for span in spans if place[0] <= span.span[0] < place[1]][:: -1 if last else 1]
    outside = [span for span in spans if not any(start <= span.span[0] < end for start, end in others)]
    return next(iter(inside or outside), None)
