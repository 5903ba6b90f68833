"""What a question asks for, and what the form of a message says: read once, by plain patterns.

English patterns, and for questions Chinese ones; in other languages the words, names and dates still count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sgraph import analysis
from sgraph.chronology import find

Interval = tuple[datetime, datetime]

#: What a message may show, in the order of its bits in `form`.
FORMS: dict[str, re.Pattern[str]] = {
    "question": re.compile(r"[?？]"),
    "first_person": re.compile(r"\b(?:I|I'm|I've|I'd|my|we|our|me)\b", re.IGNORECASE),
    "number": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|couple|few|several)\b",
        re.IGNORECASE,
    ),
    "name": re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}"),
    "reason": re.compile(
        r"\b(?:because|since|so that|cause|reason|helps?|makes? me|wanted to|important|inspir\w+|motivat\w+)\b",
        re.IGNORECASE,
    ),
    "title": re.compile(r"[\"“«「『]|(?<=[a-z,;] )[A-Z][a-z]{2,}"),
    "duration": re.compile(
        r"\b(?:since|ago|for|last|next|past|recently|soon|days?|weeks?|months?|years?|(?:19|20)\d\d)\b", re.IGNORECASE
    ),
}
#: What a question may ask for.
ASKS: dict[str, re.Pattern[str]] = {
    "when": re.compile(
        r"^\W*(?:when\b|(?:in |on |since )?(?:what|which) (?:date|day|week|month|year|time)\b|how long ago\b)"
        r"|什么时候|何时|哪天|几点"
    ),
    "how_long": re.compile(r"\bhow (?:long|old|often)\b|多久|多长"),
    "how_many": re.compile(r"\bhow (?:many|much|often|long|old)\b|\bnumber of\b|多少|几个|几次"),
    "who": re.compile(
        r"\b(?:who|whom|whose|where)\b|\b(?:which|what) (?:city|country|place|state|park|person)\b|谁|哪里|哪儿"
    ),
    "why": re.compile(r"\bwhy\b|\breason|\bhow (?:does|did|do) \w+ feel\b|\binspire|\bmotivat|为什么|为何"),
    "title": re.compile(r"\b(?:book|movie|song|film|title|name|called|band|game|show|series)s?\b|书名|电影"),
}
BIT = {name: 1 << place for place, name in enumerate(FORMS)}
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the raw route reads it.

    `terms` are its content terms without the speakers' names (with them when there is nothing else); `named` are the
    speakers it names, in order, the first being the one it is about; `asks` are keys of `ASKS`.
    """

    terms: tuple[str, ...]
    named: tuple[int, ...]
    dates: tuple[Interval, ...]
    asks: frozenset[str]


def form(text: str) -> int:
    """Give the bits of `FORMS` that a message shows; of a very long one only the start is looked at."""
    return sum(BIT[name] for name, pattern in FORMS.items() if pattern.search(text[:4000]))


def read_question(text: str, speakers: Mapping[str, tuple[int, ...]], asked_at: datetime) -> Question:
    """Read a question; `speakers` gives who is meant by a folded word of a name, `asked_at` is for "last week"."""
    text = text[:4000]
    named: dict[int, None] = {}
    names: set[str] = set()
    for word in _WORD.findall(text):
        folded = analysis.fold(word)
        if folded in speakers and analysis.query_terms(f"of {word}").terms:
            named.update(dict.fromkeys(speakers[folded]))
            names.update(analysis.query_terms(f"of {word}").terms)
    found = find(text, asked_at)
    terms = analysis.query_terms(text).terms
    dates = [(span.start, span.end) for span in found] + [other for span in found for other in span.alternatives]
    lower = text.lower()
    return Question(
        terms=tuple(term for term in terms if term not in names) or terms,
        named=tuple(named),
        dates=tuple(dates),
        asks=frozenset(name for name, pattern in ASKS.items() if pattern.search(lower)),
    )
