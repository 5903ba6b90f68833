"""work.db: what may be lost at any time: digests of index files, open retrieval batches, jobs, caches."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sgraph.errors import SpaceClosed
from sgraph.journal.sqlite import Database

_TABLES = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
  assessment TEXT, closed INTEGER NOT NULL DEFAULT 0) STRICT;
"""


class Work:
    """The work file of a space. Safe for threads and processes; a damaged file is replaced by a new one."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = _file(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # it may be deleted at any time, so it may be replaced at any time
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink(missing_ok=True)
            self._file = _file(path)

    @property
    def _db(self) -> sqlite3.Connection:
        db = self._file.connection
        if db is None:
            raise SpaceClosed("this memory is closed; open the space again")
        return db

    def run(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one SQL statement, and give its rows."""
        with self._file.lock:
            return self._db.execute(sql, values).fetchall()

    def note(self, name: str) -> dict[str, str]:
        """Give a note (empty when it was never set)."""
        found = self.run("SELECT value FROM notes WHERE name = ?", name)
        return dict(json.loads(found[0][0])) if found else {}

    def set_note(self, name: str, value: Mapping[str, str]) -> None:
        """Keep a note, durably, before returning."""
        with self._file.lock:
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("INSERT OR REPLACE INTO notes VALUES (?,?)", (name, json.dumps(dict(value))))
            self._db.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _file(path: Path) -> Database:
    return Database(path, _TABLES, marker="batches", synchronous="NORMAL")


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
