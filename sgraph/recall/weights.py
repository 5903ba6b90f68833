"""How much each feature of a message counts in the raw route: one table.

Fitted by `benchmarks/rawroute.py fit` (list-wise softmax, L2) on conversations of two people, then rounded. A feature
belongs to a signal, which is what a caller switches off and what an explanation names. Features that only mean
something in a talk between two people count only there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature: its name, the signal it belongs to, its weight, and whether it counts in talks of two only."""

    name: str
    signal: str
    weight: float
    pair: bool = False


FEATURES: tuple[Feature, ...] = (
    Feature("own", "words", 0.15),
    Feature("covered", "words", 2.3),
    Feature("wide", "neighbours", 1.4),
    Feature("near", "neighbours", 1.7),
    Feature("near_share", "neighbours", 3.0),
    Feature("before_asks", "neighbours", 1.0),
    Feature("after", "neighbours", -0.7),
    Feature("class", "class", 1.5),
    Feature("class_near", "class", 0.95),
    Feature("subject", "who", 1.7, pair=True),
    Feature("both", "who", 0.85, pair=True),
    Feature("said_then", "when", 2.4),
    Feature("happened_then", "when", 1.2),
    Feature("when_dated", "when", 1.6),
    Feature("when_opening", "when", 0.4, pair=True),
    Feature("asks", "form", -0.4),
    Feature("answers", "form", 0.6),
    Feature("opening", "form", 1.1, pair=True),
    Feature("first_person", "form", 0.35, pair=True),
    Feature("length", "form", 0.45, pair=True),
    Feature("how_many", "cues", 0.95),
    Feature("how_long", "cues", 0.5),
    Feature("who", "cues", 0.55),
    Feature("why", "cues", 0.4),
    Feature("title", "cues", 0.6),
)

#: What `without=` takes.
SIGNALS = tuple(dict.fromkeys(feature.signal for feature in FEATURES))
