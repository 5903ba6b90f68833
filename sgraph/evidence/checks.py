"""What code can check of the evidence for an answer, before anything is believed.

Each check looks at the question and the refs that were kept, and asks the memory itself what else there is. A check
that cannot tell stays silent: a concern is a reason to look again, never a verdict on the truth. The thresholds are
set on the development questions of LoCoMo (`benchmarks/gate.py`), in units of the raw route's `rank_score`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from sgraph import analysis
from sgraph.chronology import find
from sgraph.evidence.pieces import Piece, standing
from sgraph.evidence.questions import Asked, read
from sgraph.evidence.subjects import Subject, subjects
from sgraph.graph.state import State
from sgraph.graph.values import storable
from sgraph.journal.log import Journal
from sgraph.recall.search import Seeker
from sgraph.records.evidence import Concern, ConcernCode, Strategy
from sgraph.records.parts import MessagePart
from sgraph.records.results import EventView

DEEP = 40  # messages of the raw route that are looked at for what the refs lack
CLEARER = 1.5  # a message that fits a question of time so much better than every ref
RICHER = 3.0  # the same for a list of which several refs are given already
NEAR = timedelta(days=31)  # what happened on a day is told on it or in the month after
LISTED = 5  # refs named by a concern

#: code → what to do instead of answering, and whether the verdict is withheld.
NEXT: dict[ConcernCode, tuple[Strategy, bool]] = {
    "quote_gone": ("search_raw", True),
    "subject_missing": ("search_graph", True),
    "undated": ("expand_event", True),
    "neighbour_event": ("search_events", True),
    "coverage": ("search_raw", True),
    "superseded_only": ("expand_entity", True),
    "disputed_only": ("expand_entity", True),
    "repeated_search": ("search_raw", False),
}


@dataclass
class Evidence:
    """A question with the evidence kept for it, and what the memory holds beside it."""

    seeker: Seeker
    pieces: Sequence[Piece]
    quotes: Sequence[EventView] = ()
    asked: Asked = field(init=False)

    def __post_init__(self) -> None:
        self.asked = read(self.seeker.question, self.seeker.asked_at)

    @property
    def state(self) -> State:
        """What is known."""
        return self.seeker.state

    @property
    def journal(self) -> Journal:
        """The record."""
        return self.seeker.finder.journal

    @cached_property
    def messages(self) -> dict[str, MessagePart]:
        """The messages behind the refs, by key."""
        return {message.key: message for piece in self.pieces for message in piece.messages}

    @cached_property
    def scores(self) -> dict[str, float]:
        """What the raw route thinks of the messages that fit the question, best first."""
        return {hit.key: hit.rank_score for hit in self.seeker.raw(400)}

    @cached_property
    def best(self) -> float:
        """The score of the best message behind the refs."""
        return max((self.scores.get(key, 0.0) for key in self.messages), default=0.0)

    @cached_property
    def others(self) -> list[MessagePart]:
        """The best messages that no ref rests on, and that concern whom the question names."""
        keys = [key for key in list(self.scores)[: DEEP + len(self.messages)] if key not in self.messages]
        found = [message for key in keys if (message := self.journal.message(key)) is not None]
        return [
            message for message in found if not self.subjects or any(self.concerns(s, message) for s in self.subjects)
        ]

    @cached_property
    def subjects(self) -> list[Subject]:
        """The people the question names."""
        hits = [self.seeker.finder.lexicon.card("message", key) for key in list(self.scores)[:DEEP]]
        speakers = {card["speaker"] for card in hits if card} | {m.speaker for m in self.messages.values()}
        return subjects(self.seeker.question, sorted(s for s in speakers if s), self.state)

    def concerns(self, subject: Subject, message: MessagePart) -> bool:
        """Say whether a message concerns somebody; what was said before it counts."""
        before = self.journal.message(message.previous) if message.previous else None
        return subject.concerns(message, before, self.state)

    def times(self, message: MessagePart) -> list[tuple[datetime, datetime]]:
        """Give the times a message speaks of: those its words name, and those of its events."""
        spans = [(span.start, span.end) for span in find(message.content, message.sent_at)]
        events = (self.state.events[id] for id in self.state.by_message.get(message.key, ()))
        return spans + [
            (e.happened_start, e.happened_end or e.happened_start) for e in events if e.happened_start is not None
        ]

    def refs_of(self, messages: Sequence[MessagePart]) -> tuple[str, ...]:
        """Give the refs that rest on messages, else refs to the messages themselves."""
        keys = {message.key for message in messages}
        cited = [piece.ref for piece in self.pieces if any(message.key in keys for message in piece.messages)]
        return tuple(cited or [f"message:{message.key}" for message in messages])[:LISTED]

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs that were kept."""
        return tuple(piece.ref for piece in self.pieces)


def check(evidence: Evidence) -> list[Concern]:
    """Give the concerns about the evidence kept for a question, the gravest first; none without any evidence."""
    if not evidence.pieces:
        return []
    return [concern for each in CHECKS if (concern := each(evidence)) is not None]


def make(code: ConcernCode, message: str, refs: Sequence[str], **details: int) -> Concern:
    """Make a concern of its row in `NEXT`."""
    strategy, blocking = NEXT[code]
    return Concern(
        code=code, message=message, refs=tuple(refs), next_strategy=strategy, blocking=blocking, details=dict(details)
    )


def quote_gone(evidence: Evidence) -> Concern | None:
    """Find quotes that no longer stand in their message, and messages that are kept no longer."""
    gone = {piece.ref for piece in evidence.pieces if piece.gone}
    for view in evidence.quotes:
        for words in view.evidence:
            message = evidence.journal.message(words.message)
            if words.quote is None or (
                message is not None and _stands(words.quote, message.content, words.start, words.end)
            ):
                continue
            gone |= {piece.ref for piece in evidence.pieces if any(event.id == view.id for event in piece.events)}
    if not gone:
        return None
    refs = [ref for ref in evidence.refs if ref in gone]
    return make("quote_gone", "the words no longer stand in their message", refs)


def _stands(quote: str, content: str, start: int | None, end: int | None) -> bool:
    shown = content[start:end]
    return quote in (shown, storable(shown, "quote"))


def subject_missing(evidence: Evidence) -> Concern | None:
    """A question about somebody needs evidence that concerns them, or an alias of theirs."""
    about = evidence.subjects
    if not about or any(evidence.concerns(subject, m) for subject in about for m in evidence.messages.values()):
        return None
    names = ", ".join(subject.name for subject in about)
    return make("subject_missing", f"no ref concerns {names}", evidence.refs)


def undated(evidence: Evidence) -> Concern | None:
    """A question of time needs a resolved date or the words of the time; what was said when is dated by itself."""
    if "when" not in evidence.asked.kinds or "saying" in evidence.asked.kinds:
        return None
    if any(evidence.times(message) for message in evidence.messages.values()):
        return None
    return make("undated", "no ref says when", evidence.refs)


def neighbour_event(evidence: Evidence) -> Concern | None:
    """Find evidence of another date than is asked for: than the question names, or than what fits it far better."""
    if not evidence.messages:
        return None
    if evidence.asked.dates and not any(map(_of_date(evidence), evidence.messages.values())):
        near = [m for m in evidence.others if _of_date(evidence)(m)]
        if near:
            return make(
                "neighbour_event",
                "the refs are of another date than the question names",
                evidence.refs_of(near[:LISTED]),
            )
        return None
    if "when" not in evidence.asked.kinds:
        return None
    sittings = {(m.thread, m.session) for m in evidence.messages.values()}
    days = {m.sent_at.date() for m in evidence.messages.values()}
    clearer = [
        m
        for m in evidence.others
        if evidence.scores[m.key] > evidence.best + CLEARER
        and (m.thread, m.session) not in sittings
        and m.sent_at.date() not in days
        and evidence.times(m)
    ]
    if not clearer:
        return None
    return make(
        "neighbour_event", "an event of another date fits the question better than any ref", evidence.refs_of(clearer)
    )


def _of_date(evidence: Evidence) -> Callable[[MessagePart], bool]:
    """Give the test of whether a message tells of a date the question names: said then or soon after, or dated so."""

    def test(message: MessagePart) -> bool:
        return any(
            start <= message.sent_at < end + NEAR
            or any((a < end and start < b) or a == start for a, b in evidence.times(message))
            for start, end in evidence.asked.dates
        )

    return test


def coverage(evidence: Evidence) -> Concern | None:
    """Count what else a list, or a count, over all that is known would have to name."""
    if not evidence.asked.wants_all or not evidence.messages:
        return None
    names = {term for subject in evidence.subjects for name in subject.names for term in analysis.terms(name)}
    wanted = set(evidence.asked.terms) - names
    missing = _unsupported_facts(evidence, wanted)
    if len(evidence.messages) == 1:
        missing += [m for m in evidence.others if _shares(m, wanted)]
    else:
        missing += [m for m in evidence.others if evidence.scores[m.key] > evidence.best + RICHER]
    missing = list({message.key: message for message in missing}.values())
    if not missing:
        return None
    covered, total = len(evidence.messages), len(evidence.messages) + len(missing)
    text = f"{covered} of {total} matching messages are among the refs"
    return make("coverage", text, evidence.refs_of(missing), matching=total, covered=covered)


def _shares(message: MessagePart, wanted: set[str]) -> bool:
    return bool(wanted & set(analysis.terms(message.content)))


def _unsupported_facts(evidence: Evidence, wanted: set[str]) -> list[MessagePart]:
    """Give the messages of current claims about the subject that the question asks for and no ref covers."""
    state, found = evidence.state, []
    for subject in evidence.subjects:
        for entity in sorted(subject.entities):
            for name in sorted(state.keys.get(entity, ())):
                if not wanted & set(analysis.terms(name.replace("_", " "))):
                    continue
                for fact in state.slot_of(entity, name):
                    keys = [key for event in fact.supports for key in state.events[event].messages]
                    if fact.valid_to is None and fact.visible and not any(key in evidence.messages for key in keys):
                        found += [message for key in keys[:1] if (message := evidence.journal.message(key)) is not None]
    return found


def superseded_only(evidence: Evidence) -> Concern | None:
    """Find evidence of which everything was superseded; the past may be asked for."""
    return _only(evidence, "superseded", "superseded_only", "everything cited was superseded since")


def disputed_only(evidence: Evidence) -> Concern | None:
    """Find evidence of which everything is disputed."""
    return _only(evidence, "disputed", "disputed_only", "everything cited is disputed")


def _only(evidence: Evidence, how: str, code: ConcernCode, text: str) -> Concern | None:
    if how == "superseded" and (evidence.asked.dates or evidence.asked.kinds & {"past", "when", "list", "count"}):
        return None
    now = evidence.seeker.asked_at
    if any(not piece.events for piece in evidence.pieces):
        return None
    found = {standing(event, evidence.state, now) for piece in evidence.pieces for event in piece.events}
    return make(code, text, evidence.refs) if found == {how} else None


#: Every check of the kept evidence, the gravest first. (`repeated_search` is about the batch; see `gate`.)
CHECKS: tuple[Callable[[Evidence], Concern | None], ...] = (
    quote_gone,
    subject_missing,
    neighbour_event,
    undated,
    superseded_only,
    disputed_only,
    coverage,
)
