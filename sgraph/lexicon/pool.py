"""The postings of a segment while it is written, by term.

Whoosh's own pool keeps a tuple for each posting, sorts them all, and past its memory limit pickles them one by one
into runs on disk: a third of the time of a large build. Postings arrive in the order of their documents, so only the
terms need sorting, and two arrays a term hold them in a few bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from whoosh.system import pack_uint

Posting = tuple[str, bytes, int, float, bytes]


class PostingPool:
    """What a Whoosh writer asks of its pool; the value of each posting is its frequency, as in `formats.Frequency`."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, bytes], tuple[array[int], array[float]]] = {}

    def add(self, item: Posting) -> None:
        """Take one posting in."""
        field, term, number, weight, _ = item
        found = self._found.get((field, term))
        if found is None:
            found = self._found[field, term] = (array("I"), array("f"))
        found[0].append(number)
        found[1].append(weight)

    def iter_postings(self) -> Iterator[Posting]:
        """Give all postings by field, term and document."""
        for field, term in sorted(self._found):
            for number, weight in zip(*self._found[field, term], strict=True):
                yield field, term, number, weight, pack_uint(int(weight))

    def cleanup(self) -> None:
        """Let go of everything."""
        self._found.clear()
