"""Where postings come from: documents in memory, and documents in one segment of the Whoosh index.

Both give the same things, so that the scorer cannot tell them apart: postings (ascending document numbers and term
frequencies) and, by document number, the columns (kind, sequence number, exact field lengths, whether it is live).
"""

from __future__ import annotations

import json
import struct
from array import array
from collections import Counter, OrderedDict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgraph import analysis
from sgraph.lexicon.fields import FIELDS, KINDS, SLOTS, index_field
from sgraph.records.hits import Document

Postings = tuple[NDArray[np.int32], NDArray[np.float32]]

#: How many postings of one segment are kept in memory once read (8 bytes each).
CACHED_POSTINGS = 4_000_000
#: How many cards of one segment are kept in memory once read.
CACHED_CARDS = 8_000
_NOTHING: Postings = (np.empty(0, np.int32), np.empty(0, np.float32))
# The fixed part of a document's head column; the key follows it.
_HEAD = struct.Struct(f"<Bq{SLOTS}I")
_HEAD_TYPE = np.dtype([("kind", "u1"), ("seq", "<i8"), ("lengths", "<u4", (SLOTS,))])


class Columns:
    """What is known of each document by its number, and what the live documents of each kind sum up to."""

    def __init__(self, room: int = 64) -> None:
        self._size = 0
        self._kinds = np.zeros(room, np.uint8)
        self._seqs = np.zeros(room, np.int64)
        self._live = np.zeros(room, bool)
        self._lengths = np.zeros((SLOTS, room), np.uint32)
        #: By kind: the number of live documents, then the length of each field over all of them.
        self.totals = np.zeros((len(KINDS), 1 + SLOTS), np.int64)
        self.dead = 0

    def add(self, kind: int, seq: int, lengths: list[int]) -> None:
        """Take in the next document."""
        at = self._size
        if at == len(self._seqs):
            self._kinds, self._seqs, self._live = (
                np.concatenate([column, np.zeros_like(column)]) for column in (self._kinds, self._seqs, self._live)
            )
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)], axis=1)
        self._kinds[at], self._seqs[at], self._live[at], self._lengths[:, at] = kind, seq, True, lengths
        self.totals[kind] += (1, *lengths)
        self._size += 1

    @classmethod
    def read(cls, heads: list[bytes]) -> Columns:
        """Take the columns from the head column of a segment."""
        fixed = np.frombuffer(b"".join(head[: _HEAD.size] for head in heads), _HEAD_TYPE)
        columns = cls(room=0)
        columns._size = len(fixed)
        columns._kinds, columns._seqs = fixed["kind"].copy(), fixed["seq"].copy()
        columns._lengths, columns._live = fixed["lengths"].T.copy(), np.ones(len(fixed), bool)
        for kind in range(len(KINDS)):
            of_kind = columns._kinds == kind
            columns.totals[kind] = (of_kind.sum(), *columns._lengths[:, of_kind].sum(axis=1))
        return columns

    def kill(self, number: int) -> None:
        """Take one live document out of every result and statistic."""
        self._live[number] = False
        self.totals[self._kinds[number]] -= (1, *self._lengths[:, number].astype(np.int64))
        self.dead += 1

    def __len__(self) -> int:
        return self._size

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The place of each document's kind in `KINDS`."""
        return self._kinds[: self._size]

    @property
    def seqs(self) -> NDArray[np.int64]:
        """The journal entry that made each document."""
        return self._seqs[: self._size]

    @property
    def live(self) -> NDArray[np.bool_]:
        """Whether each document is to be found."""
        return self._live[: self._size]

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """The number of terms by field (in the order of `FIELDS`) and document."""
        return self._lengths[:, : self._size]


class Tail:
    """Documents that are not in the index yet."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.documents: list[Document] = []
        self.keys: list[str] = []
        self._tokens: list[dict[str, list[str]]] = []
        self._postings: dict[tuple[str, str], tuple[array[int], array[float]]] = {}

    def add(self, document: Document) -> int:
        """Take one document in and give its number."""
        number = len(self.documents)
        tokens = analyse(document)
        for field, found in tokens.items():
            for term, count in Counter(found).items():
                numbers, counts = self._postings.setdefault((field, term), (array("i"), array("f")))
                numbers.append(number)
                counts.append(count)
        self.columns.add(KINDS.index(document.kind), document.seq, _lengths(document.kind, tokens))
        self.documents.append(document)
        self.keys.append(document.key)
        self._tokens.append(tokens)
        return number

    def stored(self, number: int) -> dict[str, Any]:
        """Give the card of a document."""
        return self.documents[number].stored

    def row(self, number: int) -> dict[str, Any]:
        """Give what Whoosh is handed for a document: analysed fields, head column and card."""
        return _row(self.documents[number], self._tokens[number])

    def count(self, field: str, term: str) -> int:
        """Say how many documents hold the term, dead ones included."""
        return len(self._postings[field, term][0]) if (field, term) in self._postings else 0

    def postings(self, field: str, term: str) -> Postings:
        """Give the documents that hold the term, dead ones included, and how often each does."""
        found = self._postings.get((field, term))
        return (np.array(found[0], np.int32), np.array(found[1], np.float32)) if found else _NOTHING


class Disk:
    """One committed segment, by Whoosh's reader of it.

    Postings are read when first asked for and kept in memory; the longest unused are dropped first.
    """

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.id = segment_id(reader)
        heads = list(reader.column_reader("head"))
        self.columns = Columns.read(heads)
        self.keys = [str(head[_HEAD.size :], "utf-8", "surrogatepass") for head in heads]
        for number in reader.segment().deleted_docs():
            self.columns.kill(number)
        self._kept: OrderedDict[tuple[str, str], Postings] = OrderedDict()
        self._room = CACHED_POSTINGS
        self._card = lru_cache(CACHED_CARDS)(lambda number: json.loads(reader.stored_fields(number)["card"]))

    def stored(self, number: int) -> dict[str, Any]:
        """Give the card of a document; it is shared, so it must not be changed."""
        card: dict[str, Any] = self._card(number)
        return card

    def count(self, field: str, term: str) -> int:
        """Say how many documents hold the term, dead ones included."""
        kept = self._kept.get((field, term))
        return int(self.reader.doc_frequency(field, term)) if kept is None else len(kept[0])

    def postings(self, field: str, term: str) -> Postings:
        """Give the documents that hold the term, dead ones included, and how often each does."""
        kept = self._kept.get((field, term))
        if kept is not None:
            self._kept.move_to_end((field, term))
            return kept
        read = self._kept[field, term] = self._read(field, term)
        self._room -= len(read[0]) + 16  # an empty list takes room as well
        while self._room < 0:
            _, (docs, _) = self._kept.popitem(last=False)
            self._room += len(docs) + 16
        return read

    def _read(self, field: str, term: str) -> Postings:
        if not self.reader.doc_frequency(field, term):
            return _NOTHING
        matcher = self.reader.postings(field, term)
        docs, freqs = array("i"), array("f")
        while matcher.is_active():
            docs.append(matcher.id())
            freqs.append(matcher.weight())
            matcher.next()
        return np.array(docs, np.int32), np.array(freqs, np.float32)


Segment = Tail | Disk


def segment_id(reader: Any) -> str:
    """Name the segment of a Whoosh reader; a segment is never changed but for its deletions."""
    return str(reader.segment().segment_id())


def row(document: Document) -> dict[str, Any]:
    """Give what Whoosh is handed for a document that never was in a tail."""
    return _row(document, analyse(document))


def analyse(document: Document) -> dict[str, list[str]]:
    """Give the terms of each index field of a document that has any."""
    tokens = {}
    for field in FIELDS[document.kind]:
        value = document.fields.get(field.name, ())
        texts = (value,) if isinstance(value, str) else value
        if found := [term for text in texts for term in analysis.terms(text)]:
            tokens[index_field(document.kind, field)] = found
    return tokens


def _lengths(kind: str, tokens: dict[str, list[str]]) -> list[int]:
    lengths = [len(tokens.get(index_field(kind, field), ())) for field in FIELDS[kind]]
    return lengths + [0] * (SLOTS - len(lengths))


def _row(document: Document, tokens: dict[str, list[str]]) -> dict[str, Any]:
    head = _HEAD.pack(KINDS.index(document.kind), document.seq, *_lengths(document.kind, tokens))
    key = document.key.encode("utf-8", "surrogatepass")
    return {**tokens, "head": head + key, "card": json.dumps(document.stored, sort_keys=True)}
