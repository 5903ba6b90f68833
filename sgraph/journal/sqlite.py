"""A SQLite file of a space: one connection for all threads of a process, and none that passes into a forked child."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from pathlib import Path

BUSY_SECONDS = 60.0


class Database:
    """An open file in WAL mode. Hold `lock` while using `connection`, which is None once it is closed.

    `tables` is run when the file lacks the index or table `marker`. Raises sqlite3.Error.
    """

    def __init__(self, path: Path, tables: str, *, marker: str, synchronous: str) -> None:
        self.path, self.lock = path, threading.RLock()
        self._tables, self._marker, self._synchronous = tables, marker, synchronous
        self._closed = False
        self._connection: sqlite3.Connection | None = self._connect()
        _open.add(self)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            self._settle(db)
        except BaseException:
            db.close()
            raise
        return db

    def _settle(self, db: sqlite3.Connection) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                db.execute("PRAGMA journal_mode=WAL")
                db.execute(f"PRAGMA synchronous={self._synchronous}")
                if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (self._marker,)).fetchone():
                    db.executescript(f"BEGIN IMMEDIATE; {self._tables} COMMIT;")
                return
            except sqlite3.OperationalError as error:  # SQLite does not wait for the lock that the change to WAL needs
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @property
    def connection(self) -> sqlite3.Connection | None:
        """Give the connection, opened again after a fork."""
        if self._connection is None and not self._closed:
            self._connection = self._connect()
        return self._connection

    def close(self) -> None:
        """Close the file for good."""
        with self.lock:
            self._closed = True
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def before_fork(self) -> None:
        """Close the file until it is used again: SQLite would take the parent's locks for the child's own."""
        self.lock.acquire()
        if self._connection is not None and not self._connection.in_transaction:
            self._disconnect()

    def after_fork(self) -> None:
        """Go on, in the parent and in the child."""
        self.lock.release()


_open: weakref.WeakSet[Database] = weakref.WeakSet()
_forking: list[Database] = []


def _before_fork() -> None:
    _forking[:] = _open
    for database in _forking:
        database.before_fork()


def _after_fork() -> None:
    while _forking:
        _forking.pop().after_fork()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
