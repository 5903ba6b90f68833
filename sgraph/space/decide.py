"""What is decided on a source entry, whoever recorded it: the rooms that decide, by kind of entry."""

from __future__ import annotations

from datetime import datetime

from sgraph.derive import notes, turns
from sgraph.graph.state import State
from sgraph.journal.log import Journal
from sgraph.records.entries import Entry, Noted, Requested, Said, Used
from sgraph.records.parts import Part
from sgraph.space.settings import DEFAULTS
from sgraph.truth.decision import Decision
from sgraph.truth.requests import decide_requests


def decide_entry(
    entry: Entry, state: State, journal: Journal, at: datetime, echoed: turns.Echoed
) -> tuple[str, list[Part]]:
    """Decide on one source entry; give the kind of the decision and its parts (none when nothing follows)."""
    settings = {**DEFAULTS, **journal.settings(entry.seq)}
    reading, models = turns.reading_of(settings.__getitem__), settings["models"]
    if isinstance(entry, Said):
        decision = Decision(state, at, "rule")
        if settings["rules"]:
            turns.read_entry(entry, decision, journal, reading=reading, models=models, echoed=echoed)
        return "turn_derived", decision.parts
    decision = Decision(state, at, "person")
    if isinstance(entry, Requested):
        decide_requests(entry, decision, journal)
        turns.follow_forgetting(decision, journal, turns.reading_of(settings.__getitem__))
    elif isinstance(entry, Used):
        notes.decide_use(entry, decision)
    elif isinstance(entry, Noted):
        notes.decide_note(entry, decision, journal, reading=reading, models=models, echoed=echoed)
    return "decided", decision.parts
