"""What follows from a note and from a record of use: what an agent or a person reports on purpose.

A note is a message of its own in the thread `NOTES` and becomes one event that rests on it, and on those of the newest
messages of the thread it was taken from that share words with it. Before that it is held against what is known of the
same people. A note that adds nothing counts as a use of what says it already. One that shares much with something, and
still differs, is kept and marked as in conflict with it. The measure is containment: shared words as a share of the
smaller set, 0 below two shared words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sgraph import analysis
from sgraph.derive import rules, turns
from sgraph.derive.claims import support_of, when
from sgraph.graph.state import EventInfo, State
from sgraph.identity.cast import identify
from sgraph.ids import new_id
from sgraph.journal.log import Journal
from sgraph.records.claim import Claim, Context, EventType, Mention
from sgraph.records.entries import Noted, Used
from sgraph.records.parts import (
    BlockPart,
    EventLinkPart,
    EventPart,
    Involved,
    MessagePart,
    NotePart,
    SourceRef,
    Support,
    TurnClosedPart,
    UsedPart,
    UsePart,
)
from sgraph.truth.decision import Decision
from sgraph.truth.slots import confidence_of

NOTES = "notes"  # the thread of the notes
SAME = 0.85  # containment from which two texts say the same
ALIKE = 0.35  # containment from which they may
LOOKED_AT = 5_000  # events a note is held against, the newest
CONTEXT = 6  # messages of the thread a note was taken from
TITLE = 80
SUMMARY = 2_000
VALUE = 1_200
CONFLICTS = 3  # events a note is marked as in conflict with, at most

#: category → the type of the event, and the key of the claim where the words themselves give none.
CATEGORIES: dict[str, tuple[EventType, str]] = {
    "preference": ("preference", "preference"),
    "decision": ("decision", "decision"),
    "correction": ("change", "correction"),
    "fact": ("fact", "fact"),
    "task": ("task", "task"),
    "skill": ("skill", "skill"),
    "event": ("other", "note"),
    "note": ("note", "note"),
}
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|cannot|without|\w+n['’]?t|stopped|longer)\b|[不没沒无無别別]", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|\n|$)", re.DOTALL)


def decide_use(entry: Used, decision: Decision) -> None:
    """Let what was used count: every event that is still there, once for each receipt."""
    events = decision.state.events
    for part in entry.parts:
        if isinstance(part, UsePart) and part.receipt not in decision.state.receipts:
            used = tuple(dict.fromkeys(now for id in part.events for now in _instead(id, events)))
            decision.put(
                UsedPart(
                    receipt=part.receipt,
                    batch=part.batch,
                    verdict=part.verdict,
                    fit=part.fit,
                    events=used,
                    messages=part.messages,
                )
            )


def _instead(id: str, events: dict[str, EventInfo]) -> list[str]:
    """Give the event that a use counts for: for one that was replaced, those that took its place."""
    event = events.get(id)
    if event is None or event.state in ("forgotten", "archived"):
        return []
    if event.state != "replaced":
        return [id]
    return [
        other.id for other in events.values() if other.state == "active" and set(other.messages) & set(event.messages)
    ]


def decide_note(
    entry: Noted, decision: Decision, journal: Journal, *, reading: turns.Reading, models: bool, echoed: turns.Echoed
) -> None:
    """Decide on a note: a new event with what it says of slots, a use of a known one, or, for an echo, nothing."""
    message = next((part for part in entry.parts if isinstance(part, MessagePart)), None)
    for part in entry.parts:
        if isinstance(part, NotePart) and message is not None:
            if not echoed(part.content, entry.at)(0, len(part.content)):
                _keep(part, message, decision, journal, reading)
        elif isinstance(part, TurnClosedPart | BlockPart):
            turns.end(part, decision, journal, reading=reading, models=models)


def _keep(note: NotePart, message: MessagePart, decision: Decision, journal: Journal, reading: turns.Reading) -> None:
    self_name = reading.self_name
    said = turns.said(message, reading).model_copy(update={"role": "user", "speaker": message.speaker or self_name})
    claims = rules.read(said, Context(self_name=self_name))
    id, thread = new_id(), message.key.partition("/")[0]

    def who(mention: Mention) -> str:
        return identify(decision, mention.name, mention.kind, thread=thread, events=(id,))

    about = [claim.subject for claim in claims] or [Mention(name=self_name, kind="person")]
    subjects = {mention.name: who(mention) for mention in about}
    known = _known(note, subjects, decision.state, journal)
    same = next((event for event, text in known if says_it(text, note.content)), None)
    if same is not None:
        decision.put(
            UsedPart(
                receipt=note.id, batch="", verdict=None, fit="stated again", events=(same.id,), messages=(message.key,)
            )
        )
        return
    decision.put(_event(id, note, message, claims, subjects.values(), journal))
    for event, _ in known[:CONFLICTS]:
        decision.put(
            EventLinkPart(
                kind="CONFLICTS_WITH", source=id, target=event.id, reason="alike and not the same", decided_by="rule"
            )
        )
    stated = [
        claim
        for claim in claims
        if claim.key is not None and claim.value and claim.status not in ("planned", "cancelled")
    ]
    for claim in stated:
        value = who(Mention(name=claim.value or "", kind=claim.value_kind)) if claim.value_kind is not None else None
        decision.assert_fact(
            subjects[claim.subject.name],
            claim.key or "",
            claim.value or "",
            support_of(claim, id, message.sent_at),
            about=value,
            negated=claim.negated,
            cardinality=claim.cardinality,
            confidence=confidence_of(decision.state.events[id]),
        )
    if not stated:
        support = Support(event=id, since=message.sent_at, stated=False)
        decision.assert_fact(
            next(iter(subjects.values())),
            CATEGORIES[note.category][1],
            note.content[:VALUE],
            support,
            about=None,
            negated=False,
            cardinality="many",
        )


def _event(
    id: str, note: NotePart, message: MessagePart, claims: list[Claim], subjects: Iterable[str], journal: Journal
) -> EventPart:
    time = next((claim.time for claim in claims if claim.time is not None), None)
    status = "planned" if note.category == "task" else claims[0].status if claims else "unknown"
    own = SourceRef(message=message.key, quote=note.content, start=0, end=len(note.content))
    return EventPart(
        id=id,
        title=title(note.content),
        summary=note.content[:SUMMARY],
        tags=("stated", f"category:{note.category}"),
        sources=(own, *_said_before(note, message, journal)),
        mentioned_at=message.sent_at,
        **when(time),
        status=status,
        event_type=CATEGORIES[note.category][0],
        criticality="preference" if note.category == "preference" else "routine",
        method="person" if note.by == "person" else "agent",
        involved=tuple(Involved(entity=entity, role="subject") for entity in dict.fromkeys(subjects)),
    )


def title(text: str) -> str:
    """Give the first sentence, or line, of a note."""
    found = _SENTENCE.match(text.strip())
    return " ".join((found.group() if found else text).split())[:TITLE]


def _said_before(note: NotePart, message: MessagePart, journal: Journal) -> list[SourceRef]:
    """Give the messages, of the newest in the note's thread, that say something of what the note says."""
    if note.thread is None:
        return []
    rows = journal.rows(
        "SELECT key FROM keys_messages WHERE thread = ? AND seq < ? ORDER BY position DESC LIMIT ?",
        note.thread,
        journal.seq_of(message.key),
        CONTEXT,
    )
    said = [found for (key,) in rows if (found := journal.message(key)) is not None]
    return [SourceRef(message=each.key) for each in reversed(said) if containment(each.content, note.content) >= ALIKE]


# ------------------------------------------------------------------ what is known already
def _known(note: NotePart, subjects: dict[str, str], state: State, journal: Journal) -> list[tuple[EventInfo, str]]:
    """Give the standing events about the same subjects that are alike, with their words; the likest first."""
    names = frozenset(analysis.terms(" ".join(subjects)))
    ids = {
        id for entity in subjects.values() for member in state.group(entity) for id in state.by_entity.get(member, ())
    }
    events = sorted(
        (state.events[id] for id in ids if state.events[id].state == "active"), key=lambda e: (e.mentioned_at, e.id)
    )
    found: list[tuple[float, int, EventInfo, str]] = []
    for age, event in enumerate(reversed(events[-LOOKED_AT:])):
        text = _words(event, journal)
        share = containment(text, note.content, names)
        if share >= ALIKE or says_it(text, note.content):
            found.append((-share, age, event, text))
    return [(event, text) for _, _, event, text in sorted(found, key=lambda each: each[:2])]


def _words(event: EventInfo, journal: Journal) -> str:
    """Give the words of an event: those of a note in full, else the title."""
    own = next((key for key in event.messages if key.startswith(f"{NOTES}/")), None)
    message = journal.message(own) if own is not None else None
    return message.content if message is not None else event.title


def containment(a: str, b: str, without: frozenset[str] = frozenset()) -> float:
    """Give the shared words as a share of the smaller set; 0 below two shared words."""
    first, second = set(analysis.terms(a)) - without, set(analysis.terms(b)) - without
    shared = len(first & second)
    return shared / min(len(first), len(second)) if shared >= 2 else 0.0


def says_it(known: str, new: str) -> bool:
    """Say whether a text says all that a new one does: its words in their order, its numbers, and as many negations."""
    old_terms, new_terms = analysis.terms(known), analysis.terms(new)
    if not new_terms or sorted(_NUMBER.findall(known)) != sorted(_NUMBER.findall(new)):
        return False
    if len(_NEGATION.findall(known)) != len(_NEGATION.findall(new)):
        return False
    if old_terms == new_terms:
        return True
    shared = set(old_terms) & set(new_terms)
    if len(shared) < 2 or len(shared) < SAME * len(set(new_terms)) or containment(known, new) < SAME:
        return False
    return [t for t in dict.fromkeys(old_terms) if t in shared] == [t for t in dict.fromkeys(new_terms) if t in shared]
