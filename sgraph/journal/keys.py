"""The key tables: receipts, messages, threads and settings by key, for capture and look-up.

They are written in the transaction of the entry that changes them and follow from the entries alone.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, fields, replace
from typing import Any

from sgraph.records.entries import Entry
from sgraph.records.parts import (
    BlockPart,
    MessagePart,
    ReceiptPart,
    SettingPart,
    ThreadPart,
    TurnClosedPart,
    TurnPart,
)

KEY_TABLES = """
CREATE TABLE IF NOT EXISTS keys_receipts (id TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys_messages (
  key TEXT PRIMARY KEY, thread TEXT NOT NULL, position INTEGER NOT NULL, turn INTEGER NOT NULL,
  seq INTEGER NOT NULL, idx INTEGER NOT NULL, UNIQUE (thread, position)) STRICT;
CREATE INDEX IF NOT EXISTS keys_messages_turn ON keys_messages (thread, turn);
CREATE TABLE IF NOT EXISTS keys_threads (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys_settings (
    name TEXT NOT NULL, seq INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, seq)
) STRICT;
CREATE TABLE IF NOT EXISTS keys_blocks (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, seq INTEGER NOT NULL, idx INTEGER NOT NULL
) STRICT;
"""

TABLES = ("receipts", "messages", "threads", "settings", "blocks")


@dataclass(frozen=True, slots=True)
class ThreadState:
    """Where a thread stands: its counters, its open turn, and what the next Block begins with."""

    position: int = 0
    last_key: str | None = None
    last_sent: str | None = None
    session: int = 0
    session_label: str | None = None
    turn: int = 0
    turn_open: bool = False
    turn_asked: bool = False
    turn_answer: str | None = None
    turn_answer_position: int | None = None
    opener_role: str | None = None
    opener_speaker: str | None = None
    blocks: int = 0
    block_from: int = 1


class KeyTables:
    """The key tables inside one transaction of the journal."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    # -------------------------------------------------------------- reading
    def receipt(self, id: str) -> int | None:
        """Give the number of the entry that holds a receipt."""
        row = self._db.execute("SELECT seq FROM keys_receipts WHERE id = ?", (id,)).fetchone()
        return row[0] if row else None

    def has_message(self, key: str) -> bool:
        """Say whether a message has this key."""
        return self._db.execute("SELECT 1 FROM keys_messages WHERE key = ?", (key,)).fetchone() is not None

    def thread(self, id: str) -> ThreadState | None:
        """Give where a thread stands, or None when it is new."""
        row = self._db.execute("SELECT state FROM keys_threads WHERE id = ?", (id,)).fetchone()
        return ThreadState(**json.loads(row[0])) if row else None

    def settings(self, upto: int | None = None) -> dict[str, Any]:
        """Give the settings in force, now or after the entry `upto`."""
        rows = self._db.execute(
            "SELECT name, value FROM keys_settings WHERE seq <= ? ORDER BY seq", (1 << 62 if upto is None else upto,)
        )
        return {name: json.loads(value) for name, value in rows}

    def blocks(self) -> int:
        """Count the Blocks of the space."""
        return int(self._db.execute("SELECT count(*) FROM keys_blocks").fetchone()[0])

    # -------------------------------------------------------------- following the entries
    def clear(self) -> None:
        """Empty every key table."""
        for table in TABLES:
            self._db.execute(f"DELETE FROM keys_{table}")

    def rows(self) -> dict[str, set[tuple[Any, ...]]]:
        """Give everything the key tables hold."""
        return {table: set(self._db.execute(f"SELECT * FROM keys_{table}")) for table in TABLES}

    def follow(self, entry: Entry) -> None:
        """Take in what an entry changes."""
        threads: dict[str, ThreadState] = {}
        for idx, part in enumerate(entry.parts):
            match part:
                case MessagePart():
                    self._db.execute(
                        "INSERT INTO keys_messages VALUES (?,?,?,?,?,?)",
                        (part.key, part.thread, part.position, part.turn, entry.seq, idx),
                    )
                case ReceiptPart():
                    self._db.execute("INSERT INTO keys_receipts VALUES (?,?)", (part.id, entry.seq))
                case SettingPart():
                    self._db.execute(
                        "INSERT INTO keys_settings VALUES (?,?,?)", (part.name, entry.seq, json.dumps(part.value))
                    )
                case BlockPart():
                    self._db.execute("INSERT INTO keys_blocks VALUES (?,?,?,?)", (part.id, part.thread, entry.seq, idx))
            if isinstance(part, ThreadPart | TurnPart | MessagePart | TurnClosedPart | BlockPart):
                thread = part.id if isinstance(part, ThreadPart) else part.thread
                state = threads.get(thread) or self.thread(thread) or ThreadState()
                threads[thread] = advance(state, part)
        for thread, state in threads.items():
            values = {field.name: getattr(state, field.name) for field in fields(state)}
            self._db.execute("INSERT OR REPLACE INTO keys_threads VALUES (?,?)", (thread, json.dumps(values)))


def advance(state: ThreadState, part: ThreadPart | TurnPart | MessagePart | TurnClosedPart | BlockPart) -> ThreadState:
    """Give where a thread stands after one more part."""
    match part:
        case TurnPart():
            return replace(
                state, turn=part.number, turn_open=True, turn_asked=False, turn_answer=None, turn_answer_position=None
            )
        case MessagePart():
            asks = part.role == "user" and state.opener_role is None
            opener = ("user", part.speaker) if asks else (state.opener_role, state.opener_speaker)
            opened = (part.role, part.speaker) == opener
            answers = not opened and part.role in ("assistant", "user")
            return replace(
                state,
                position=part.position,
                last_key=part.key,
                last_sent=part.sent_at.isoformat(),
                session=part.session,
                session_label=part.session_label,
                opener_role=opener[0],
                opener_speaker=opener[1],
                turn_asked=state.turn_asked or opened,
                turn_answer=part.key if answers else state.turn_answer,
                turn_answer_position=part.position if answers else state.turn_answer_position,
            )
        case TurnClosedPart():
            return replace(state, turn_open=False)
        case BlockPart():
            return replace(state, blocks=part.number, block_from=part.last_turn + 1)
        case ThreadPart():
            return state
