"""The raw route: messages found by their own words and by where they stand in the talk.

A message is scored with its own words, those of the messages around it in its session, who said it, when, and what
its form says (`weights.FEATURES`). The words are in the lexicon; candidates come from them (or from a date the
question names), and the features are worked out for candidates only, so a search costs what its postings cost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgraph.errors import InvalidInput
from sgraph.lexicon import Lexicon
from sgraph.lexicon.scorer import Term, idf, saturate
from sgraph.recall.raw_classes import MEMBERS
from sgraph.recall.raw_rows import MessageRow, MessageRows, Rows
from sgraph.recall.signals import BIT, Question, read_question
from sgraph.recall.weights import FEATURES, SIGNALS, Feature
from sgraph.records.hits import Hit

KIND = "message"
#: Features are worked out for this many messages, chosen by their words and those around them.
CANDIDATES = 400
#: A date wider than this says little about when something happened.
WIDEST_SECONDS = 62 * 86400.0
#: What a word is worth that stands so many messages before (positive) or after the one that is scored.
REACH = {0: 1.0, 1: 0.8, 2: 0.55, 3: 0.35, 4: 0.2, -1: 0.55, -2: 0.4, -3: 0.2}
#: The same for the choice of candidates, and the share of a class word there.
SPREAD = {1: 0.5, 2: 0.25}
CLASS_SHARE = 0.25
# From this idf on, a member of a class is rare enough to count fully as one.
_TELLING_IDF = 4.0

Values = NDArray[np.float64]


Sparse = tuple[Rows, Values]


@dataclass(frozen=True, slots=True)
class Found:
    """A term of the question: its idf, the rows that hold it with its frequency there, and those of its class."""

    idf: float
    own: Sparse
    members: list[Sparse]


class RawRoute:
    """Searches messages. Give it the rows of the messages that the lexicon holds as documents of kind `message`."""

    def __init__(self, lexicon: Lexicon, rows: MessageRows | None = None) -> None:
        self._lexicon = lexicon
        self._rows = rows or MessageRows()
        self._lock = threading.RLock()

    def save(self, file: Path, through: int) -> None:
        """Write the rows, for `MessageRows.load` to take up at the next start; a cache that may be lost."""
        with self._lock:
            self._rows.save(file, through)

    def add(self, messages: Iterable[MessageRow]) -> None:
        """Take messages in, each thread in its order."""
        with self._lock:
            self._rows.add(messages)

    def hide(self, keys: Iterable[str]) -> None:
        """Leave messages, and what their words say about their neighbours, out of every search."""
        with self._lock:
            self._rows.show(keys, shown=False)

    def unhide(self, keys: Iterable[str]) -> None:
        """Let messages be found again."""
        with self._lock:
            self._rows.show(keys, shown=True)

    def search(
        self,
        question: str,
        limit: int,
        asked_at: datetime,
        *,
        threads: Collection[str] | None = None,
        allow: Callable[[str], bool] | None = None,
        without: Collection[str] = (),
    ) -> list[Hit]:
        """Give the best messages for a question, best first, then newest; `seq` counts them in order of arrival.

        `asked_at` is what "last week" counts from. `threads` and `allow` (asked for keys) apply before the limit.
        `without` switches off signals (`weights.SIGNALS`). Each hit says what every signal added. Nothing is given
        that neither has a term of the question in itself or near it, nor meets a date that the question names.
        """
        if unknown := set(without) - set(SIGNALS):
            raise InvalidInput("Unknown signal.", field="without", value=sorted(unknown))
        with self._lock:
            asked = read_question(question, self._rows.speakers, asked_at)
            rows, values = self.features(asked, threads=threads, allow=allow)
        weights = np.array([0.0 if feature.signal in without else feature.weight for feature in FEATURES])
        shares = values * weights
        scores = shares.sum(axis=1)
        hits = []
        for at in np.lexsort((-rows, -scores))[:limit]:
            by_signal: dict[str, float] = {}
            for feature, share in zip(FEATURES, shares[at].tolist(), strict=True):
                if share:
                    by_signal[feature.signal] = by_signal.get(feature.signal, 0.0) + share
            key = self._rows.keys[rows[at]]
            hits.append(Hit(kind=KIND, key=key, seq=int(rows[at]), rank_score=float(scores[at]), shares=by_signal))
        return hits

    def read(self, question: str, asked_at: datetime) -> Question:
        """Say how a question is read."""
        with self._lock:
            return read_question(question, self._rows.speakers, asked_at)

    def features(
        self,
        asked: Question,
        *,
        threads: Collection[str] | None = None,
        allow: Callable[[str], bool] | None = None,
    ) -> tuple[Rows, Values]:
        """Give the candidates for a question and, for each, the values of `FEATURES`."""
        with self._lock:
            found = self._find(asked)
            said = self._rows.said_within(asked.dates)
            happened = self._rows.happened_within(asked.dates, WIDEST_SECONDS)
            rows = self._candidates(found, said | happened, threads, allow)
            columns = self._words(found, rows) | self._talk(asked, rows)
            columns |= {"said_then": said[rows], "happened_then": happened[rows]}
            pairs = self._rows.pairs(rows)
            values = [_in_pairs(feature, columns[feature.name], pairs) for feature in FEATURES]
            return rows, np.stack(values, axis=1).astype(np.float64)

    def _find(self, asked: Question) -> list[Found]:
        """Read the postings of the question's terms and of their classes, by row."""
        count = max(1, self._lexicon.count(KIND))
        own = self._postings(asked.terms)
        members = self._postings([word for term in asked.terms for word in MEMBERS.get(term, ())])
        nothing: Sparse = (np.empty(0, np.intp), np.empty(0))
        found = []
        for term in asked.terms:
            weights, term_idf = own.get(term, (nothing, idf(count, 0)))
            pieces = [members[word] for word in MEMBERS.get(term, ()) if word in members]
            kin = [(rows, np.full(len(rows), min(1.0, rarity / _TELLING_IDF))) for (rows, _), rarity in pieces]
            found.append(Found(term_idf, weights, kin))
        return found

    def _postings(self, terms: Iterable[str]) -> dict[str, tuple[Sparse, float]]:
        segments, weighed = self._lexicon.weigh(KIND, tuple(terms))
        self._rows.forget_places(segments)
        places = [self._rows.place(segment) for segment in segments]
        shown = self._rows.columns["shown"]

        def by_row(term: Term) -> Sparse:
            rows = np.concatenate([place[docs] for place, (docs, _) in zip(places, term.found, strict=True)])
            values = np.concatenate([values for _, values in term.found])
            seen = shown[rows]  # the row of what is no message is never shown
            return rows[seen], values[seen]

        return {term.text: (by_row(term), term.idf) for term in weighed}

    def _blank(self) -> Values:
        return np.zeros(len(self._rows.columns["at"]), np.float64)

    def _candidates(
        self,
        found: list[Found],
        dated: NDArray[np.bool_],
        threads: Collection[str] | None,
        allow: Callable[[str], bool] | None,
    ) -> Rows:
        """Choose the messages to look at: those whose words, or whose neighbours' words, promise most."""
        own = self._blank()
        for term in found:
            holding, weights = term.own
            own[holding] += saturate(term.idf, weights)
            for kin, shares in term.members:
                own[kin] += CLASS_SHARE * term.idf * shares
        promise = own.copy()
        at = np.flatnonzero(own)
        for distance, rows in self._rows.around(at, max(SPREAD)).items():
            if distance:
                promise[rows] += SPREAD[abs(distance)] * own[at]
        promise[dated] += 1.0
        promise *= self._rows.columns["shown"]
        bare = np.flatnonzero((promise > 0) & (own == 0) & ~dated)  # found by its neighbours alone
        promise[bare[~self._rows.talks(bare)]] = 0.0
        if threads is not None:
            wanted = [self._rows.threads[name] for name in threads if name in self._rows.threads]
            promise *= np.isin(self._rows.columns["thread"], wanted)
        at = np.flatnonzero(promise)
        if allow is None and len(at) > CANDIDATES:
            at = at[promise[at] >= np.partition(promise[at], -CANDIDATES)[-CANDIDATES]]
        at = at[np.lexsort((-at, -promise[at]))]
        if allow is None:
            return at[:CANDIDATES]
        chosen: list[int] = []
        for row in at:
            if allow(self._rows.keys[row]):
                chosen.append(int(row))
                if len(chosen) == CANDIDATES:
                    break
        return np.array(chosen, np.intp)

    def _words(self, found: list[Found], rows: Rows) -> dict[str, Values]:
        """Work out what the words of a message and of those around it are worth, as shares of the question's idf."""
        mass = sum(term.idf for term in found) or 1.0
        around = self._rows.around(rows, 4)
        scratch = self._blank()
        names = ("own", "covered", "wide", "near", "pair", "asked", "after", "class", "kin")
        sums = {name: np.zeros(len(rows)) for name in names}
        for term in found:
            share = term.idf / mass
            weights = _gather([term.own], around, scratch)
            worth = {distance: saturate(share, here) for distance, here in weights.items()}
            two = np.sum([weights[distance] for distance in range(-2, 3)], axis=0)
            sums["own"] += worth[0]
            sums["covered"] += (weights[0] > 0) * share
            sums["wide"] += saturate(share, np.sum(list(weights.values()), axis=0))
            sums["pair"] += saturate(share, two)
            sums["near"] += np.max([reach * worth[distance] for distance, reach in REACH.items()], axis=0)
            sums["asked"] += worth[1]
            sums["after"] += worth[-1]
            if term.members:
                kin = _gather(term.members, {distance: around[distance] for distance in (-1, 0, 1, 2)}, scratch)
                sums["class"] += np.where(weights[0] > 0, 0.0, kin[0]) * share
                sums["kin"] += np.where(two > 0, 0.0, np.max(list(kin.values()), axis=0)) * share
        questions = (self._rows.columns["form"][around[1]] & BIT["question"]) > 0
        sums["before_asks"] = sums.pop("asked") * questions
        sums["near_share"] = _shares(sums.pop("pair"))
        sums["class_near"] = _shares(sums.pop("kin"))
        return sums

    def _talk(self, asked: Question, rows: Rows) -> dict[str, NDArray[np.bool_] | NDArray[np.float32]]:
        """Work out what the speaker, the place and the form of each message say."""
        columns = self._rows.columns
        bits = columns["form"][rows]
        shows = {name: (bits & bit) > 0 for name, bit in BIT.items()}
        before = columns["form"][columns["before"][rows]]
        subject = columns["speaker"][rows] == (asked.named[0] if asked.named else -2)
        opening = columns["place"][rows] == 0
        dated = columns["dated"][rows]
        never = np.zeros(len(rows), bool)
        return {
            "subject": subject if len(asked.named) == 1 else never,
            "both": subject if len(asked.named) > 1 else never,
            "when_dated": dated if "when" in asked.asks else never,
            "when_opening": columns["place"][rows] < 2 if "when" in asked.asks else never,
            "asks": shows["question"],
            "answers": (before & BIT["question"]) > 0,
            "opening": opening,
            "first_person": shows["first_person"],
            "length": columns["length"][rows],
            "how_many": shows["number"] if "how_many" in asked.asks else never,
            "how_long": shows["duration"] | dated if "how_long" in asked.asks else never,
            "who": shows["name"] if "who" in asked.asks else never,
            "why": shows["reason"] if "why" in asked.asks else never,
            "title": shows["title"] if "title" in asked.asks else never,
        }


def _in_pairs(feature: Feature, values: NDArray[Any], pairs: NDArray[np.bool_]) -> NDArray[Any]:
    """Let a feature that only fits a talk of two count there only.

    The form of a message says which message of such a talk to prefer; taken from its mean over them, it does not
    prefer the talk to others.
    """
    if not feature.pair:
        return values
    usual = values[pairs].mean() if feature.signal == "form" and pairs.any() else 0.0
    return np.where(pairs, values - usual, 0.0)


def _gather(pieces: list[Sparse], around: dict[int, Rows], scratch: Values) -> dict[int, Values]:
    """Look up sparse values (of several, the greatest) at the given rows; `scratch` is all zero before and after."""
    for rows, values in pieces:
        scratch[rows] = np.maximum(scratch[rows], values)
    found = {distance: scratch[at] for distance, at in around.items()}
    for rows, _ in pieces:
        scratch[rows] = 0.0
    return found


def _shares(values: Values) -> Values:
    """Give values as shares of the greatest."""
    return values / values.max() if len(values) and values.max() > 0 else values
