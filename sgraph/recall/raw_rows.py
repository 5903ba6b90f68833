"""What the raw route keeps of each message: a few numbers, by row, in the order of arrival."""

from __future__ import annotations

import json
import math
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sgraph import analysis
from sgraph.lexicon.fields import KINDS
from sgraph.lexicon.segments import Segment
from sgraph.recall.signals import FORMS, Interval, form

Rows = NDArray[np.intp]

_MESSAGE = KINDS.index("message")
# One column each: its type, and what the spare rows hold. The last row is always spare, so that row -1 is "no message".
_COLUMNS: dict[str, tuple[Any, int]] = {
    "thread": (np.int32, -1),
    "speaker": (np.int32, -1),
    "before": (np.int32, -1),
    "after": (np.int32, -1),
    "place": (np.int32, 0),
    "at": (np.int64, 0),
    "form": (np.uint8, 0),
    "length": (np.float32, 0),
    "dated": (np.bool_, 0),
    "shown": (np.bool_, 0),
}


class MessageRow(Protocol):
    """What the route must know of a message.

    `speaker` is the name of a person, empty for a role without one; `session` is unique in its thread; `spans` are
    the intervals of the dates that the text names, resolved. Times are aware.
    """

    @property
    def key(self) -> str:
        """The key it has in the lexicon."""

    @property
    def thread(self) -> str:
        """The conversation it belongs to."""

    @property
    def session(self) -> str:
        """The sitting it belongs to; only messages of one session are neighbours."""

    @property
    def speaker(self) -> str:
        """The name of the person who said it."""

    @property
    def sent_at(self) -> datetime:
        """When it was said."""

    @property
    def text(self) -> str:
        """What was said."""

    @property
    def spans(self) -> Sequence[Interval]:
        """When what it names happened."""


class MessageRows:
    """All messages, compactly. Messages of a thread are added in their order; threads may be mixed."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.row_of: dict[str, int] = {}
        self.columns: dict[str, NDArray[Any]] = {
            name: np.full(64, spare, kind) for name, (kind, spare) in _COLUMNS.items()
        }
        #: The speakers meant by each folded word of their names.
        self.speakers: dict[str, tuple[int, ...]] = {}
        self.threads: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._talkers: dict[int, set[int]] = defaultdict(set)
        self._last: dict[tuple[str, str], int] = {}
        self._spans: list[tuple[int, float, float]] = []
        self._spans_read: NDArray[np.float64] = np.empty((0, 3))
        self._places: dict[Segment, Rows] = {}

    def add(self, messages: Iterable[MessageRow]) -> None:
        """Take messages in; one whose key is known is passed over, for a message never changes."""
        for message in messages:
            if message.key not in self.row_of:
                self._add(message, len(self.keys))

    def _add(self, message: MessageRow, row: int) -> None:
        if row + 1 >= len(self.columns["at"]):
            self.columns = {
                name: np.concatenate([column, np.full(len(column), _COLUMNS[name][1], column.dtype)])
                for name, column in self.columns.items()
            }
        thread = self.threads.setdefault(message.thread, len(self.threads))
        speaker = self._speaker(message.speaker)
        before = self._last.get((message.thread, message.session), -1)
        values = {
            "thread": thread,
            "speaker": speaker,
            "before": before,
            "place": self.columns["place"][before] + 1 if before >= 0 else 0,
            "at": int(message.sent_at.timestamp()),
            "form": form(message.text),
            "length": math.log1p(len(analysis.terms(message.text[:4000]))),
            "dated": bool(message.spans),
            "shown": True,
        }
        for name, value in values.items():
            self.columns[name][row] = value
        if before >= 0:
            self.columns["after"][before] = row
        self._last[message.thread, message.session] = row
        self._talkers[thread].add(speaker)
        self._spans.extend((row, start.timestamp(), end.timestamp()) for start, end in message.spans)
        self.keys.append(message.key)
        self.row_of[message.key] = row

    def save(self, file: Path, through: int) -> None:
        """Write the rows to a file, for `load`; `through` is the journal entry they reach."""
        texts = {
            "format": _format(),
            "through": through,
            "keys": self.keys,
            "names": self._names,
            "threads": self.threads,
            "last": [[*at, row] for at, row in self._last.items()],
        }
        arrays: dict[str, Any] = {name: column[: len(self.keys)] for name, column in self.columns.items()}
        arrays["spans"] = np.array(self._spans, np.float64).reshape(-1, 3)
        arrays["texts"] = np.frombuffer(json.dumps(texts).encode(), np.uint8)
        partial = file.with_name(file.name + ".partial")
        with partial.open("wb") as stream:
            np.savez(stream, **arrays)
        partial.replace(file)

    @classmethod
    def load(cls, file: Path) -> tuple[MessageRows, int] | None:
        """Read what `save` wrote, all messages shown, and how far it reaches; None if there is nothing of use."""
        rows = cls()
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as saved:
                texts = json.loads(saved["texts"].tobytes())
                if texts["format"] != _format():
                    return None
                rows.keys = texts["keys"]
                room = max(64, 2 * len(rows.keys))
                for name, (kind, spare) in _COLUMNS.items():
                    rows.columns[name] = np.full(room, spare, kind)
                    rows.columns[name][: len(rows.keys)] = saved[name]
                rows._spans = [(int(row), start, end) for row, start, end in saved["spans"].tolist()]
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            return None
        rows.columns["shown"][: len(rows.keys)] = True
        rows.row_of = {key: row for row, key in enumerate(rows.keys)}
        rows.threads = texts["threads"]
        rows._last = {(thread, session): row for thread, session, row in texts["last"]}
        for name in texts["names"]:
            rows._speaker(name)
        said = np.stack([rows.columns["thread"], rows.columns["speaker"]], axis=1)[: len(rows.keys)]
        for thread, speaker in np.unique(said, axis=0).tolist():
            rows._talkers[thread].add(speaker)
        return rows, int(texts["through"])

    def show(self, keys: Iterable[str], shown: bool) -> None:
        """Hide messages, and their words from those around them, or show them again."""
        rows = [self.row_of[key] for key in keys if key in self.row_of]
        self.columns["shown"][rows] = shown

    def around(self, rows: Rows, reach: int) -> dict[int, Rows]:
        """Give, for each row, the message so many before (positive) or after (negative) it in its session, else -1."""
        found = {0: rows}
        for distance in range(1, reach + 1):
            found[distance] = self.columns["before"][found[distance - 1]].astype(np.intp)
            found[-distance] = self.columns["after"][found[1 - distance]].astype(np.intp)
        return found

    def pairs(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows belong to a talk between two named people."""
        return self._of_threads(rows, lambda talkers: len(talkers) == 2 and -1 not in talkers)

    def talks(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows belong to a thread with several voices: there a message may answer without the words asked."""
        return self._of_threads(rows, lambda talkers: len(talkers) > 1)

    def _of_threads(self, rows: Rows, test: Callable[[set[int]], bool]) -> NDArray[np.bool_]:
        known, at = np.unique(self.columns["thread"][rows], return_inverse=True)
        return np.array([test(self._talkers[int(thread)]) for thread in known], bool)[at]

    def said_within(self, intervals: Iterable[Interval]) -> NDArray[np.bool_]:
        """Say of every row whether it was said in one of the intervals."""
        at = self.columns["at"]
        found = np.zeros(len(at), bool)
        for start, end in intervals:
            found |= (at >= start.timestamp()) & (at < end.timestamp())
        return found

    def happened_within(self, intervals: Iterable[Interval], widest: float) -> NDArray[np.bool_]:
        """Say of every row whether a date in it, of at most `widest` seconds, meets one of the intervals."""
        found = np.zeros(len(self.columns["at"]), bool)
        if len(self._spans_read) < len(self._spans):
            fresh = np.array(self._spans[len(self._spans_read) :])
            self._spans_read = np.concatenate([self._spans_read, fresh])
        rows, starts, ends = self._spans_read.T
        for start, end in intervals:
            meets = (starts < end.timestamp()) & (ends > start.timestamp()) & (ends - starts <= widest)
            found[rows[meets].astype(np.intp)] = True
        return found

    def place(self, segment: Segment) -> Rows:
        """Give the row of each document of a segment of the lexicon, -1 where it is no message."""
        known = self._places.get(segment, np.empty(0, np.intp))
        start = len(known)
        if start < len(segment.keys):
            fresh = np.array([self.row_of.get(key, -1) for key in segment.keys[start:]], np.intp)
            kinds = segment.columns.kinds[start : start + len(fresh)]
            awaited = np.flatnonzero((fresh < 0) & (kinds == _MESSAGE))  # in the lexicon already, not yet here
            known = np.concatenate([known, fresh])
            self._places[segment] = known[: start + awaited[0]] if len(awaited) else known
        return known

    def forget_places(self, segments: Sequence[Segment]) -> None:
        """Drop what is known of segments that are no more."""
        alive = set(segments)
        self._places = {segment: place for segment, place in self._places.items() if segment in alive}

    def _speaker(self, name: str) -> int:
        """Give the number of a speaker; a new one is known by each word of the name."""
        if not name.strip():
            return -1
        number = self._names.setdefault(analysis.fold(name), len(self._names))
        for word in analysis.fold(name).split():
            known = self.speakers.get(word, ())
            if number not in known and len(word) > 1:
                self.speakers[word] = (*known, number)
        return number


def _format() -> str:
    """Change whenever rows saved before do not mean what rows made now do."""
    patterns = [f"{name}={pattern.pattern}" for name, pattern in FORMS.items()]
    return "|".join(["1", analysis.VERSION, *_COLUMNS, *patterns])
