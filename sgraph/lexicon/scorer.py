"""BM25F over postings: per-field weight and length normalisation, one saturation over all fields of a document.

For a term t and a document d of a kind with the fields f:

    tf(t, d)    = sum over f of  weight_f * count_f(t, d) / (1 - b_f + b_f * length_f(d) / mean_length_f)
    idf(t)      = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))
    score(q, d) = sum over unique t in q of  idf(t) * (k1 + 1) * tf(t, d) / (k1 + tf(t, d))

This is the formula of S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted fields"
(CIKM 2004, section 4), with the idf kept positive. N, df and mean lengths are taken over the live documents of the
kind, in the index and in the tail together; every sum runs in the same order wherever a document lies. So the scores
are equal, to the bit, for every split of the documents into segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgraph.lexicon.fields import COMMON_FLOOR, COMMON_SHARE, FIELDS, K1, KINDS, index_field
from sgraph.lexicon.segments import Segment
from sgraph.records.hits import Hit

Weighted = tuple[NDArray[np.intp], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the question that some document has: its idf and its field-weighted frequencies, by segment."""

    text: str
    idf: float
    found: list[Weighted]


def weigh(kind: str, terms: Sequence[str], segments: Sequence[Segment]) -> list[Term]:
    """Give the terms that score, in the order of the question.

    Terms in too many documents (`COMMON_SHARE`, `COMMON_FLOOR`) are left out if another is left.
    """
    totals = sum(segment.columns.totals[KINDS.index(kind)] for segment in segments)
    if isinstance(totals, int) or not totals[0]:
        return []
    count, means = int(totals[0]), totals[1:] / totals[0]
    common = max(COMMON_FLOOR, COMMON_SHARE * count)
    terms = list(dict.fromkeys(terms))
    rare = [term for term in terms if _surely(kind, term, segments) <= common]
    weighed = [_weigh(kind, term, segments, count, means) for term in rare or terms]
    kept = [term for term in weighed if 0 < _df(term) <= common]
    return kept or [term for term in weighed if _df(term)]


def score(terms: Sequence[Term], segments: Sequence[Segment]) -> list[NDArray[np.float64]]:
    """Give, by segment, the score of each document number; 0 where nothing matched."""
    scores = [np.zeros(len(segment.columns)) for segment in segments]
    for term in terms:
        for into, (docs, weights) in zip(scores, term.found, strict=True):
            into[docs] += saturate(term.idf, weights)
    return scores


def saturate(idf: float, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what the frequencies of one term are worth."""
    return idf * (K1 + 1) * weights / (K1 + weights)


def idf(count: int, df: float) -> float:
    """Give the inverse document frequency of a term in `df` of `count` documents."""
    return math.log1p((count - df + 0.5) / (df + 0.5))


def top(
    kind: str,
    scores: Sequence[NDArray[np.float64]],
    segments: Sequence[Segment],
    limit: int,
    allow: Callable[[str], bool] | None = None,
) -> list[Hit]:
    """Give the best `limit` documents whose key is allowed, by score, then newest entry, then key."""
    places = [np.flatnonzero(values) for values in scores]
    values = np.concatenate([found[at] for found, at in zip(scores, places, strict=True)])
    seqs = np.concatenate([segment.columns.seqs[at] for segment, at in zip(segments, places, strict=True)])
    numbers = np.concatenate(places)
    owners = np.repeat(np.arange(len(segments)), [len(at) for at in places])
    order = _best(values, seqs, limit) if allow is None and len(values) > limit else np.lexsort((-seqs, -values))
    hits: list[Hit] = []
    for at in order:
        # all that tie with the last one stay in, for the key decides among them
        if len(hits) >= limit and (values[at], seqs[at]) != (hits[-1].rank_score, hits[-1].seq):
            break
        key = segments[owners[at]].keys[numbers[at]]
        if allow is None or allow(key):
            hits.append(Hit(kind=kind, key=key, seq=int(seqs[at]), rank_score=float(values[at])))
    return sorted(hits, key=lambda hit: (-hit.rank_score, -hit.seq, hit.key))[:limit]


def _best(values: NDArray[np.float64], seqs: NDArray[np.int64], limit: int) -> NDArray[np.intp]:
    """Order those that can be among the best `limit`, all that tie with the last one included."""
    least = np.partition(values, -limit)[-limit]
    at = np.flatnonzero(values >= least)
    return at[np.lexsort((-seqs[at], -values[at]))]


def _df(term: Term) -> int:
    return sum(len(docs) for docs, _ in term.found)


def _surely(kind: str, term: str, segments: Sequence[Segment]) -> int:
    """Count the documents that hold a term from below, without reading its postings."""
    return sum(
        max(segment.count(index_field(kind, field), term) for field in FIELDS[kind]) - segment.columns.dead
        for segment in segments
    )


def _weigh(kind: str, term: str, segments: Sequence[Segment], count: int, means: NDArray[np.float64]) -> Term:
    found = [_frequencies(kind, term, segment, means) for segment in segments]
    return Term(term, idf(count, sum(len(docs) for docs, _ in found)), found)


def _frequencies(kind: str, term: str, segment: Segment, means: NDArray[np.float64]) -> Weighted:
    """Give the live documents of one segment that hold the term, with their field-weighted frequency."""
    columns = segment.columns
    parts: list[Weighted] = []
    for slot, field in enumerate(FIELDS[kind]):
        docs, counts = segment.postings(index_field(kind, field), term)
        if columns.dead and len(docs):
            live = columns.live[docs]
            docs, counts = docs[live], counts[live]
        if len(docs):
            norm = 1 - field.b + field.b * columns.lengths[slot][docs] / means[slot]
            parts.append((docs.astype(np.intp), field.weight * counts / norm))
    if len(parts) == 1:
        return parts[0]
    joint = np.zeros(len(columns))
    for at, weights in parts:
        joint[at] += weights
    together = np.flatnonzero(joint) if parts else np.empty(0, np.intp)
    return together, joint[together]
