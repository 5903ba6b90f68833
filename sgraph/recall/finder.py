"""The finder: the lexicon and the raw route of a space, following the graph."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sgraph.chronology import find
from sgraph.errors import EngineError
from sgraph.graph.files import quarantine
from sgraph.graph.state import State
from sgraph.journal.log import Journal
from sgraph.journal.work import IndexDigests, Work
from sgraph.lexicon.check import faults
from sgraph.lexicon.documents import Changes, changes, event_document
from sgraph.lexicon.index import Lexicon
from sgraph.recall.raw import RawRoute
from sgraph.recall.raw_rows import MessageRows
from sgraph.records.entries import Entry
from sgraph.records.hits import Document
from sgraph.records.parts import EventPart

DATED = 4_000  # characters of a message whose times are noted
COMMIT_AFTER = 2_000  # documents in the tail before they are written; a search scores the tail alike
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A message as the raw route takes it."""

    key: str
    thread: str
    session: str
    speaker: str
    sent_at: datetime
    text: str
    spans: tuple[tuple[datetime, datetime], ...]


def _row(key: str, text: str, card: dict[str, Any]) -> Row:
    spans = tuple((datetime.fromisoformat(a), datetime.fromisoformat(b)) for a, b in card["spans"])
    voice = card["speaker"] or ("assistant" if card["role"] == "assistant" else "")
    return Row(
        key=key, thread=card["thread"], session=f"{card['thread']}@{card['session']}", speaker=voice,
        sent_at=datetime.fromisoformat(card["sent_at"]), text=text, spans=spans,
    )


def _dated(document: Document, zone: ZoneInfo) -> Document:
    """Note on a message's card which times its words name, in days of the space's zone."""
    card = document.stored
    spans = find(_text(document)[:DATED], datetime.fromisoformat(card["sent_at"]).astimezone(zone))
    return document.model_copy(
        update={"stored": {**card, "spans": [[s.start.isoformat(), s.end.isoformat()] for s in spans]}}
    )


def _text(document: Document) -> str:
    text = document.fields["text"]
    return text if isinstance(text, str) else "\n".join(text)


class Finder:
    """What searches look into. It follows `state` and the journal; only the owner writes the index."""

    def __init__(self, journal: Journal, work: Work, path: Path, quarantine_dir: Path, *, owner: bool) -> None:
        self.journal, self.owner = journal, owner
        self._path, self._quarantine, self._work = path, quarantine_dir, work
        self.lexicon = self._open()
        self._rows_file = path / "rows.npz"
        self.raw = self._load_rows()
        self._fresh = 0
        self._hiding = False

    def _open(self) -> Lexicon:
        digests = IndexDigests(self._work)
        try:
            return Lexicon(self._path, digests, writable=self.owner)
        except EngineError as error:
            if not self.owner:
                raise
            moved = quarantine([self._path], self._quarantine)
            digests.set({})
            warnings.warn(
                f"the index {self._path} was not usable ({error.details.get('reason', error)}); "
                f"it was moved to {moved} and is made anew",
                UserWarning, stacklevel=3,
            )
            return Lexicon(self._path, digests, writable=True)

    def _load_rows(self) -> RawRoute:
        """Give the raw route over what the index holds; what its saved rows lack is read from the journal."""
        saved = MessageRows.load(self._rows_file)
        rows = saved[0] if saved is not None and saved[1] <= self.lexicon.through else MessageRows()
        route = RawRoute(self.lexicon, rows)
        lacking = []
        for key in self.lexicon.keys("message"):
            if key not in rows.row_of and (message := self.journal.message(key)) is not None:
                card = self.lexicon.card("message", key) or {}
                lacking.append((message.thread, message.position, _row(key, message.content, card)))
        route.add(row for _, _, row in sorted(lacking, key=lambda found: found[:2]))
        return route

    def follow(self, state: State, upto: int, progress: Progress | None = None) -> None:
        """Take in every entry the index does not reach, up to an entry."""
        start = self.lexicon.through
        for chunk in _chunks(self.journal.entries(start, upto)):
            found = changes(chunk, state)
            self._take(found, state)
            if progress is not None and upto - start > 1_000:
                progress("index", found.through - start, upto - start)
            if self.owner and self._fresh >= COMMIT_AFTER:
                self.commit()
        if not self._hiding:  # what is hidden is kept in memory only
            self._hide(state)
            self._hiding = True

    def preview(self, entry: Entry, state: State) -> None:
        """Show what an entry would change, where this process only reads."""
        self._take(changes([entry], state), state)

    def _take(self, found: Changes, state: State) -> None:
        for id in found.again:
            event = self._event(id, state)
            if event is not None:
                found.documents["event", id] = event
        zone = ZoneInfo(self.journal.settings()["timezone"])
        documents = [_dated(d, zone) if d.kind == "message" else d for d in found.documents.values()]
        self.lexicon.add(documents, found.through)
        self.raw.add(_row(d.key, _text(d), d.stored) for d in documents if d.kind == "message")
        for kind, keys in found.gone.items():
            self.lexicon.remove(kind, keys, found.through)
        touched = {id for id in (*found.again, *found.gone.get("event", ())) if id in state.events}
        self._show({m for id in touched for m in state.events[id].messages} | found.echoes.keys(), state)
        self._fresh += len(documents)

    def _event(self, id: str, state: State) -> Document | None:
        """Make the document of an event whose state changed, from the entry that made it."""
        for key in state.events[id].messages[:1]:
            seq = self.journal.seq_of(key)
            for entry in self.journal.entries(seq - 1 if seq else 0):
                for part in entry.parts:
                    if isinstance(part, EventPart) and part.id == id:
                        return event_document(part, entry.seq, state)
        return None

    def _hide(self, state: State) -> None:
        forgotten = {m for event in state.events.values() if event.state == "forgotten" for m in event.messages}
        self._show(forgotten | state.echoes, state)

    def _show(self, messages: Iterable[str], state: State) -> None:
        """Hide the messages whose every event is forgotten; show the others again."""
        for key in messages:
            act = (self.lexicon.hide, self.raw.hide) if state.is_hidden(key) else (
                self.lexicon.unhide, self.raw.unhide
            )
            act[0]("message", [key])
            act[1]([key])

    def faults(self, state: State) -> Iterator[tuple[str, str, str]]:
        """Hold the index against the journal: yield (code, document, what is wrong)."""
        return faults(self.lexicon, changes(self.journal.entries(0, self.lexicon.through), state).documents.values())

    def commit(self) -> None:
        """Write what is only in memory."""
        self.lexicon.commit()
        self.raw.save(self._rows_file, self.lexicon.indexed_through)
        self._fresh = 0

    def rebuild(self) -> None:
        """Throw the index away; the next `follow` makes it anew."""
        self.lexicon.close()
        shutil.rmtree(self._path, ignore_errors=True)
        IndexDigests(self._work).set({})
        self.lexicon = self._open()
        self.raw = self._load_rows()
        self._fresh, self._hiding = 0, False

    def close(self) -> None:
        """Write the tail (the owner) and let go of the files."""
        if self.owner and self._fresh:
            self.commit()
        self.lexicon.close()


def _chunks(entries: Iterator[Entry], size: int = 256) -> Iterator[Sequence[Entry]]:
    chunk: list[Entry] = []
    for entry in entries:
        chunk.append(entry)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


