"""The lexicon: a Whoosh index that follows the journal, with a tail in memory that is scored as if it were in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from whoosh import columns, fields, writing
from whoosh.index import LockError
from whoosh.reading import SegmentReader

from sgraph.errors import EngineError, InvalidInput
from sgraph.lexicon import scorer
from sgraph.lexicon.fields import FIELDS, KINDS, index_field
from sgraph.lexicon.files import Digests, RecordedStorage, check, clear_orphans, current
from sgraph.lexicon.pool import PostingPool
from sgraph.lexicon.segments import Disk, Segment, Tail, row, segment_id
from sgraph.records.hits import Document, Hit

#: With this many segments a commit joins the newest of them, so that a search looks into few.
SEGMENT_LIMIT = 8
# A reader may meet a file that the writer is just replacing.
_ATTEMPTS = 3


class Lexicon:
    """How things are found. Thread-safe; one process writes, any may read.

    `add` and `remove` are seen by the next search at once; `commit` writes them to the index meanwhile. What is in
    the index and what is in the tail is scored alike, so a commit changes no result.
    """

    def __init__(self, path: Path, digests: Digests, *, writable: bool = True) -> None:
        """Open the index in a directory, made if absent.

        Raises EngineError with `details["reason"]` `foreign`, `format` or `damaged` when the directory holds
        something else than the index we wrote: put it away and rebuild.
        """
        self._lock = threading.RLock()
        self._committing = threading.Lock()
        self._path, self._digests = path, digests
        path.mkdir(parents=True, exist_ok=True)
        self._storage: Any = RecordedStorage(path, digests)
        self._writable = writable
        self._index: Any = None
        self._seen: str | None = None  # the digest of the table of contents that was read
        #: The journal entry that the index on disk reaches, and the one that a search reaches.
        self.indexed_through = self.through = 0
        self._disks: list[Disk] = []
        self._tails = [Tail()]
        self._where: dict[str, dict[str, tuple[Segment, int]]] = {kind: {} for kind in KINDS}
        self._hidden: dict[str, set[str]] = {kind: set() for kind in KINDS}
        self._doomed: list[tuple[Disk, int]] = []  # dead, but still alive on disk
        self._died: set[tuple[str, str]] | None = None  # died while a commit was writing them
        if writable and not current(path):
            self._storage.create_index(_schema())  # type: ignore[no-untyped-call]
        self._attach()
        if writable:
            clear_orphans(path, digests.get())  # only what is sound is cleaned: the rest is put away as it is

    # what is in it

    def add(self, documents: Iterable[Document], through: int) -> None:
        """Take documents in, each in place of an earlier one of its kind and key; they are found from now on."""
        with self._lock:
            tail = self._tails[-1]
            for document in documents:
                if document.kind not in FIELDS:
                    raise InvalidInput("Unknown kind of document.", field="kind", value=document.kind)
                self._kill(document.kind, document.key)
                self._where[document.kind][document.key] = (tail, tail.add(document))
            self.through = max(self.through, through)

    def remove(self, kind: str, keys: Iterable[str], through: int) -> None:
        """Take documents out for good; keys that are not there are passed over."""
        with self._lock:
            for key in keys:
                self._kill(kind, key)
            self.through = max(self.through, through)

    def hide(self, kind: str, keys: Iterable[str]) -> None:
        """Leave documents out of every result until `unhide`; in memory only, and without effect on scores."""
        with self._lock:
            self._hidden[kind].update(keys)

    def unhide(self, kind: str, keys: Iterable[str]) -> None:
        """Let documents be found again."""
        with self._lock:
            self._hidden[kind].difference_update(keys)

    def count(self, kind: str) -> int:
        """Say how many documents of a kind there are."""
        return len(self._where[kind])

    def card(self, kind: str, key: str) -> dict[str, Any] | None:
        """Give what was stored with a document; None if there is none, or it is hidden."""
        with self._lock:
            at = self._where[kind].get(key)
            return None if at is None or key in self._hidden[kind] else at[0].stored(at[1])

    def keys(self, kind: str) -> list[str]:
        """Give the keys of all documents of a kind, hidden ones too."""
        with self._lock:
            return list(self._where[kind])

    def places(self) -> dict[tuple[str, str], tuple[Segment, int]]:
        """Give where every document lies, by kind and key, hidden ones too."""
        with self._lock:
            return {(kind, key): at for kind, of_kind in self._where.items() for key, at in of_kind.items()}

    # finding

    def search(
        self, kind: str, terms: Sequence[str], limit: int, allow: Callable[[str], bool] | None = None
    ) -> list[Hit]:
        """Give the best documents of a kind for the terms of a question (see `sgraph.analysis.query_terms`).

        Ordered by score, then newest entry, then key. `allow` is asked for keys before the limit is applied. A
        document that has none of the terms is never given; no terms, no hits.
        """
        with self._lock:
            segments = self.segments
            scores = scorer.score(scorer.weigh(kind, terms, segments), segments)
            return scorer.top(kind, scores, segments, limit, self._allowed(kind, allow))

    def weigh(self, kind: str, terms: Sequence[str]) -> tuple[list[Segment], list[scorer.Term]]:
        """Give the postings of a question's terms, for a route that scores by more than a document's own words."""
        with self._lock:
            segments = self.segments
            return segments, scorer.weigh(kind, terms, segments)

    @property
    def segments(self) -> list[Segment]:
        """Where the documents lie now, oldest first."""
        return [*self._disks, *self._tails]

    def _allowed(self, kind: str, allow: Callable[[str], bool] | None) -> Callable[[str], bool] | None:
        hidden = self._hidden[kind]
        if not hidden:
            return allow
        return lambda key: key not in hidden and (allow is None or allow(key))

    # writing

    def commit(self) -> None:
        """Write what is only in memory to the index. Searches and additions go on meanwhile."""
        with self._committing:
            with self._lock:
                sealed, through, doomed = list(self._tails), self.through, self._doomed
                if through == self.indexed_through and not doomed and not any(tail.documents for tail in sealed):
                    return
                self._tails.append(Tail())
                self._doomed, self._died = [], set()
                bases = self._bases()
            live = (
                tail.row(number) for tail in sealed for number in range(len(tail.keys)) if tail.columns.live[number]
            )
            try:
                self._write(live, through, _join_newest, [bases[disk.id] + number for disk, number in doomed])
            except BaseException:
                self._undo(doomed)
                raise
            with self._lock:
                self._tails = self._tails[len(sealed) :]
                self._load()

    def rebuild(self, documents: Iterable[Document], through: int) -> None:
        """Write the whole index anew from all the documents as of a journal entry.

        Searches see what was there before until it is done; what is added meanwhile is kept.
        """
        with self._committing:
            with self._lock:
                before = len(self._tails)
                self._tails.append(Tail())
                doomed, self._doomed, self._died = self._doomed, [], set()
            try:
                self._write(map(row, documents), through, writing.CLEAR, [])
            except BaseException:
                self._undo(doomed)
                raise
            with self._lock:
                self._tails = self._tails[before:]
                self._where = {kind: {} for kind in KINDS}
                self._load()
                for tail in self._tails:
                    self._claim(tail, set())

    def refresh(self) -> None:
        """Let a reading process see what the writing one has committed since.

        If there is something new, what was added here is dropped: add what lies beyond `through` again.
        """
        with self._lock:
            if not self._writable and self._digests.get().get(current(self._path)) != self._seen:
                self._attach()

    def close(self) -> None:
        """Let go of the files; what was not committed is in the journal."""
        with self._committing, self._lock:
            for disk in self._disks:
                disk.reader.close()
            self._disks = []

    def _attach(self) -> None:
        """Read the index as it is on disk, and nothing else."""
        for attempt in range(_ATTEMPTS):
            try:
                digests = self._digests.get()
                self._seen = digests.get(current(self._path))
                self.indexed_through = self.through = check(self._path, digests) or 0
                self._index = self._storage.open_index() if self._seen else None
                self._disks, self._tails, self._where = [], [Tail()], {kind: {} for kind in KINDS}
                self._load()
                return
            except EngineError:
                raise
            except Exception as error:  # whatever Whoosh makes of a damaged directory
                if not isinstance(error, FileNotFoundError) or attempt + 1 == _ATTEMPTS:
                    raise EngineError(
                        "The index cannot be read.", reason="damaged", path=str(self._path), file="", cause=str(error)
                    ) from error

    def _write(self, documents: Iterable[dict[str, Any]], through: int, merge: Any, deleted: Collection[int]) -> None:
        if not self._writable:
            raise EngineError("The index is open for reading only.", reason="read_only", path=str(self._path), file="")
        self._storage.through = through
        before = current(self._path)
        try:
            writer = self._index.writer()
        except LockError as error:
            raise EngineError("Another writer is at work.", reason="locked", path=str(self._path), file="") from error
        writer.pool = PostingPool()
        try:
            for number in deleted:
                writer.delete_document(number)
            for document in documents:
                writer.add_document(**document)
            writer.commit(mergetype=merge)
        except BaseException as error:
            with suppress(Exception):  # it may have cleaned up already, by its version
                writer.cancel()
            with suppress(Exception):
                writer.writelock.release()
            if current(self._path) == before or not isinstance(error, Exception):
                raise  # else only the tidying up failed, and what was written is the index now
        with self._lock:
            self.indexed_through = through
            self.through = max(self.through, through)

    def _bases(self) -> dict[str, int]:
        """Give the first document number of each segment, as Whoosh counts them."""
        bases, base = {}, 0
        for disk in self._disks:
            bases[disk.id] = base
            base += len(disk.keys)
        return bases

    def _undo(self, doomed: list[tuple[Disk, int]]) -> None:
        """After a failed write: the sealed tails stay where they are, and all is written next time."""
        with self._lock:
            self._doomed, self._died = doomed + self._doomed, None

    def _kill(self, kind: str, key: str) -> None:
        if self._died is not None:
            self._died.add((kind, key))
        at = self._where[kind].pop(key, None)
        if at is not None:
            self._bury(*at)

    def _bury(self, segment: Segment, number: int) -> None:
        segment.columns.kill(number)
        if isinstance(segment, Disk):
            self._doomed.append((segment, number))

    def _load(self) -> None:
        """Take the segments as they are on disk now, and say of each document where it lies."""
        died, self._died = self._died or set(), None
        known = {disk.id: disk for disk in self._disks}
        self._disks = []
        leaves: list[Any] = [leaf for leaf, _ in self._index.reader().leaf_readers()] if self._index else []
        for leaf in leaves:
            if not isinstance(leaf, SegmentReader):
                continue  # an empty index has a leaf of another kind
            disk = known.get(segment_id(leaf))
            if disk is None:
                disk = Disk(leaf)
                self._claim(disk, died)
            else:
                leaf.close()  # it is open already
            self._disks.append(disk)
        self._doomed = [(disk, number) for disk, number in self._doomed if disk in self._disks]

    def _claim(self, segment: Segment, died: set[tuple[str, str]]) -> None:
        """Say that the documents of a segment lie there, but for those that died while it was written."""
        kinds, live = segment.columns.kinds.tolist(), segment.columns.live.tolist()
        for number, key in enumerate(segment.keys):
            kind = KINDS[kinds[number]]
            if live[number] and (kind, key) not in died:
                self._where[kind][key] = (segment, number)
            elif live[number]:
                self._bury(segment, number)


def _schema() -> fields.Schema:
    """Give the index its fields; the terms come analysed, so no analyser of ours is pickled into the index."""
    head = columns.VarBytesColumn()  # type: ignore[no-untyped-call]
    schema = fields.Schema(head=fields.COLUMN(head), card=fields.STORED())
    for kind, of_kind in FIELDS.items():
        for field in of_kind:
            schema.add(index_field(kind, field), fields.KEYWORD(scorable=False))
    return schema


def _join_newest(writer: Any, segments: list[Any]) -> list[Any]:
    """Keep the segments, or, when there are too many, take the newest into the one being written.

    Small ones are taken first, and one after the other as long as they are not larger than what was taken: each
    document is written again only as often as the index doubles.
    """
    kept = list(segments)
    taken = writer.doc_count()
    joining = len(kept) >= SEGMENT_LIMIT
    while joining and kept and (len(kept) >= SEGMENT_LIMIT or kept[-1].doc_count_all() <= taken):
        segment = kept.pop()
        taken += segment.doc_count_all()
        writer.add_reader(SegmentReader(writer.storage, writer.schema, segment))
    return kept
