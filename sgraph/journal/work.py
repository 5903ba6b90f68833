"""work.db: what may be lost at any time: digests of index files, open retrieval batches, jobs, caches."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TABLES = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
  assessment TEXT, closed INTEGER NOT NULL DEFAULT 0) STRICT;
"""


class Work:
    """The work file of a space. Safe for threads and processes; a damaged file is replaced by a new one."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock, self._pid = path, threading.RLock(), os.getpid()
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError:  # it may be deleted at any time, so it may be replaced at any time
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink()
            self._connection = self._connect()

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.executescript(_TABLES)
        return db

    @property
    def _db(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            self._pid, self._lock = os.getpid(), threading.RLock()
            self._connection = self._connect()
        return self._connection

    def run(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one SQL statement, and give its rows."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def note(self, name: str) -> dict[str, str]:
        """Give a note (empty when it was never set)."""
        found = self.run("SELECT value FROM notes WHERE name = ?", name)
        return dict(json.loads(found[0][0])) if found else {}

    def set_note(self, name: str, value: Mapping[str, str]) -> None:
        """Keep a note, durably, before returning."""
        with self._lock:
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("INSERT OR REPLACE INTO notes VALUES (?,?)", (name, json.dumps(dict(value))))
            self._db.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._pid == os.getpid():
                self._connection.close()


class IndexDigests:
    """The digests of the index files, as one note."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def get(self) -> Mapping[str, str]:
        """Give what was set last."""
        return self._work.note("lexicon")

    def set(self, digests: Mapping[str, str]) -> None:
        """Keep these in place of those before."""
        self._work.set_note("lexicon", digests)
