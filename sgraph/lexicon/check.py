"""Hold the index against the documents it should be made of: what is missing, too much, or wrongly posted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sgraph.lexicon.index import Lexicon
from sgraph.lexicon.segments import Segment, analyse
from sgraph.records.hits import Document

Posting = tuple[str, str]


def faults(lexicon: Lexicon, documents: Iterable[Document]) -> Iterator[tuple[str, str, str]]:
    """Yield (code, document, what is wrong) for every difference. Reads every posting once."""
    places = lexicon.places()
    wanted: dict[Segment, dict[Posting, dict[int, float]]] = {}
    seen: set[tuple[str, str]] = set()
    for document in documents:
        id = (document.kind, document.key)
        seen.add(id)
        if id not in places:
            yield "index_missing", f"{document.kind} {document.key}", "is not in the index"
            continue
        segment, number = places[id]
        for field, tokens in analyse(document).items():
            for term, count in Counter(tokens).items():
                wanted.setdefault(segment, {}).setdefault((field, term), {})[number] = float(count)
    for kind, key in places.keys() - seen:
        yield "index_extra", f"{kind} {key}", "is in the index and should not be found"
    for segment, postings in wanted.items():
        yield from _postings(segment, postings)


def _postings(segment: Segment, wanted: dict[Posting, dict[int, float]]) -> Iterator[tuple[str, str, str]]:
    for (field, term), counts in wanted.items():
        numbers, found = segment.postings(field, term)
        have = {n: c for n, c in zip(numbers.tolist(), found.tolist(), strict=True) if segment.columns.live[n]}
        for number in counts.keys() | have.keys():
            if counts.get(number) != have.get(number):
                what = "lost" if number not in have else "too many" if number not in counts else "changed"
                yield "posting", f"{field} {segment.keys[number]}", f"the posting of {term!r} is {what}"
