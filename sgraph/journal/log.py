"""The journal: one SQLite file, append-only entries in a salted digest chain, key tables in the same transaction.

The chain: an entry's hash is SHA-256 over the hash before it, a header without words (number, kind, instant, `through`,
number of parts) and the digests of its parts; a part's digest is SHA-256 over its own 16-byte salt and its bytes. So
order and content can be verified, and a part can be erased without its digest telling what it was.

The key tables (`keys_*`) hold nothing that is not in the entries; `rebuild_keys` makes them anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sgraph.errors import JournalDamaged, SpaceClosed, SpaceError
from sgraph.journal.keys import KEY_TABLES, KeyTables
from sgraph.journal.sqlite import Database
from sgraph.records.entries import ENTRY, PART, SOURCE_KINDS, Entry
from sgraph.records.parts import BlockPart, MessagePart, Part

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GENESIS = bytes(32)
TABLES = """
CREATE TABLE IF NOT EXISTS entries (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, through INTEGER, parts INTEGER NOT NULL,
  hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS parts (
  seq INTEGER NOT NULL, idx INTEGER NOT NULL, salt BLOB NOT NULL, digest BLOB NOT NULL, body TEXT,
  PRIMARY KEY (seq, idx)) STRICT;
CREATE INDEX IF NOT EXISTS entries_through ON entries (through) WHERE through IS NOT NULL;
"""


def micros(at: datetime) -> int:
    """Give an aware datetime as whole microseconds since 1970-01-01 UTC."""
    return (at - EPOCH) // timedelta(microseconds=1)


def instant(us: int) -> datetime:
    """Give microseconds since 1970-01-01 UTC as an aware UTC datetime."""
    return EPOCH + timedelta(microseconds=us)


def encode(part: Part) -> str:
    """Write a part as sorted, ASCII-escaped JSON: the bytes that are digested (lone surrogates survive)."""
    return json.dumps(part.model_dump(), sort_keys=True, separators=(",", ":"), default=_plain)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"not storable: {type(value).__name__}")


def header(seq: int, kind: str, at: int, through: int | None, parts: int) -> bytes:
    """Give the part of an entry's hash that holds no words."""
    return json.dumps([seq, kind, at, through, parts], separators=(",", ":")).encode()


def digest(salt: bytes, body: str) -> bytes:
    """Give a part's digest."""
    return hashlib.sha256(salt + body.encode("ascii")).digest()


def chain(before: bytes, head: bytes, digests: Iterable[bytes]) -> bytes:
    """Give an entry's hash."""
    return hashlib.sha256(before + head + b"".join(digests)).digest()


class Journal:
    """The record of a space. Safe for threads; any number of processes may hold one on the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._failures():
            self._file = Database(path, TABLES + KEY_TABLES, marker="entries_through", synchronous="FULL")
        self._lock = self._file.lock

    # -------------------------------------------------------------- connection
    @property
    def _db(self) -> sqlite3.Connection:
        db = self._file.connection
        if db is None:
            raise SpaceClosed("this memory is closed; open the space again")
        return db

    def close(self) -> None:
        """Close the file. Later calls raise SpaceClosed."""
        self._file.close()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn what SQLite raises into an error of ours."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise SpaceError(
                f"the journal {self.path} cannot be used: {error}; nothing was changed", path=str(self.path)
            ) from error
        except sqlite3.DatabaseError as error:
            raise JournalDamaged(
                f"the journal {self.path} does not read: {error}. Restore a backup; nothing was changed.",
                path=str(self.path)
            ) from error

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read rows with one SQL statement."""
        with self._lock, self._failures():
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[KeyTables]:
        """Hold the write lock: all appends inside become durable together, or none. Re-entrant in one thread."""
        with self._lock:
            db = self._db
            if db.in_transaction:
                yield KeyTables(db)
                return
            with self._failures():
                try:
                    db.execute("BEGIN IMMEDIATE")
                    yield KeyTables(db)
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:  # also when the COMMIT itself failed: the next one must not join this one
                        db.execute("ROLLBACK")
                    raise

    # -------------------------------------------------------------- writing
    def append(
        self, kind: str, parts: Sequence[Part], *, at: datetime | None = None, through: int | None = None
    ) -> Entry:
        """Append one entry and give it back with its number and instant (never before the last one's)."""
        with self.transaction() as keys:
            db = self._db
            last = db.execute("SELECT seq, at, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
            seq, before_at, before = (last[0] + 1, last[1], last[2]) if last else (1, 0, GENESIS)
            us = max(micros(at or datetime.now(UTC)), before_at)
            rows = []
            for idx, part in enumerate(parts):
                salt, body = os.urandom(16), encode(part)
                rows.append((seq, idx, salt, digest(salt, body), body))
            hash_ = chain(before, header(seq, kind, us, through, len(rows)), (row[3] for row in rows))
            db.execute("INSERT INTO entries VALUES (?,?,?,?,?,?)", (seq, kind, us, through, len(rows), hash_))
            db.executemany("INSERT INTO parts VALUES (?,?,?,?,?)", rows)
            entry: Entry = ENTRY.validate_python(
                {"kind": kind, "seq": seq, "at": instant(us), "through": through, "parts": tuple(parts)}
            )
            keys.follow(entry)
            return entry

    # -------------------------------------------------------------- reading
    def last_seq(self) -> int:
        """Give the number of the last entry (0 when there is none)."""
        return int(self.rows("SELECT coalesce(max(seq), 0) FROM entries")[0][0])

    def decided_through(self) -> int:
        """Give the number up to which every source entry has been decided on."""
        return int(self.rows("SELECT coalesce(max(through), 0) FROM entries WHERE through IS NOT NULL")[0][0])

    def count_sources(self, after: int) -> int:
        """Count the source entries behind `after`."""
        marks = ",".join("?" * len(SOURCE_KINDS))
        return int(
            self.rows(f"SELECT count(*) FROM entries WHERE seq > ? AND kind IN ({marks})", after, *SOURCE_KINDS)[0][0]
        )

    def entries(self, after: int = 0, upto: int | None = None, *, chunk: int = 256) -> Iterator[Entry]:
        """Read entries in order, `after` exclusive, `upto` inclusive. An erased part is left out."""
        end = self.last_seq() if upto is None else upto
        while after < end:
            top = min(after + chunk, end)
            for seq, kind, us, through in self.rows(
                "SELECT seq, kind, at, through FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq", after, top
            ):
                bodies = self.rows("SELECT body FROM parts WHERE seq = ? AND body IS NOT NULL ORDER BY idx", seq)
                yield self._entry(seq, kind, us, through, (body for (body,) in bodies))
            after = top

    def entry_hash(self, seq: int) -> str:
        """Give the hash of an entry as hexadecimal text ("" when there is none)."""
        found = self.rows("SELECT hash FROM entries WHERE seq = ?", seq)
        return found[0][0].hex() if found else ""

    def entry(self, seq: int) -> Entry | None:
        """Read one entry."""
        return next(self.entries(seq - 1, seq), None)

    def _entry(self, seq: int, kind: str, us: int, through: int | None, bodies: Iterable[str]) -> Entry:
        try:
            entry: Entry = ENTRY.validate_python(
                {"kind": kind, "seq": seq, "at": instant(us), "through": through, "parts": tuple(map(_load, bodies))}
            )
        except ValueError as error:
            raise JournalDamaged(
                f"entry {seq} of {self.path} does not read: {error}", path=str(self.path), seq=seq
            ) from error
        return entry

    def message(self, key: str) -> MessagePart | None:
        """Read one message by key."""
        found = self.rows(
            "SELECT p.body FROM keys_messages m JOIN parts p ON p.seq = m.seq AND p.idx = m.idx WHERE m.key = ?", key
        )
        return self._message(found[0][0]) if found and found[0][0] is not None else None

    def thread_messages(self, thread: str, first: int = 1, last: int | None = None) -> list[MessagePart]:
        """Read messages of a thread by position, both ends inclusive, in order of arrival."""
        found = self.rows(
            "SELECT p.body FROM keys_messages m JOIN parts p ON p.seq = m.seq AND p.idx = m.idx "
            "WHERE m.thread = ? AND m.position >= ? AND m.position <= ? ORDER BY m.position",
            thread, first, last if last is not None else 1 << 62,
        )
        return [self._message(body) for (body,) in found if body is not None]

    def turn_messages(self, thread: str, first: int, last: int) -> list[MessagePart]:
        """Read the messages of a run of turns, both ends inclusive, in order of arrival."""
        found = self.rows(
            "SELECT p.body FROM keys_messages m JOIN parts p ON p.seq = m.seq AND p.idx = m.idx "
            "WHERE m.thread = ? AND m.turn >= ? AND m.turn <= ? ORDER BY m.position",
            thread, first, last,
        )
        return [self._message(body) for (body,) in found if body is not None]

    def turn_keys(self, thread: str, turn: int) -> list[str]:
        """Give the keys of a turn's messages, in order of arrival."""
        return [
            key
            for (key,) in self.rows(
                "SELECT key FROM keys_messages WHERE thread = ? AND turn = ? ORDER BY position", thread, turn
            )
        ]

    def seq_of(self, key: str) -> int:
        """Give the number of the entry that holds a message (0 when none does)."""
        found = self.rows("SELECT seq FROM keys_messages WHERE key = ?", key)
        return int(found[0][0]) if found else 0

    def receipt(self, id: str) -> int | None:
        """Give the number of the entry that holds a receipt."""
        found = self.rows("SELECT seq FROM keys_receipts WHERE id = ?", id)
        return int(found[0][0]) if found else None

    def blocks_of(self, turns: Iterable[tuple[str, int]]) -> list[BlockPart]:
        """Give the Blocks that hold some (thread, turn), each once."""
        found: dict[str, BlockPart] = {}
        for thread, number in turns:
            for (id,) in self.rows("SELECT id FROM keys_blocks WHERE thread = ?", thread):
                block = self.block(id)
                if block is not None and block.first_turn <= number <= block.last_turn:
                    found[id] = block
        return list(found.values())

    def block(self, id: str) -> BlockPart | None:
        """Read what a Block was sealed with."""
        found = self.rows(
            "SELECT p.body FROM keys_blocks b JOIN parts p ON p.seq = b.seq AND p.idx = b.idx WHERE b.id = ?", id
        )
        part = _load(found[0][0]) if found and found[0][0] is not None else None
        return part if isinstance(part, BlockPart) else None

    @staticmethod
    def _message(body: str) -> MessagePart:
        part = _load(body)
        assert isinstance(part, MessagePart)
        return part

    def settings(self, upto: int | None = None) -> dict[str, Any]:
        """Give the settings in force, now or after the entry `upto`."""
        with self._lock:
            return KeyTables(self._db).settings(upto)

    # -------------------------------------------------------------- keeping
    def faults(self) -> Iterator[tuple[int, str]]:
        """Check the chain: yield (entry number, what is wrong) for every fault, in order."""
        before, expected, before_at = GENESIS, 1, 0
        for seq, kind, us, through, count, hash_ in self.rows(
            "SELECT seq, kind, at, through, parts, hash FROM entries ORDER BY seq"
        ):
            if seq != expected:
                yield expected, f"entries {expected} to {seq - 1} are missing"
            if us < before_at:
                yield seq, "the instant is before the one of the entry before"
            parts = self.rows("SELECT idx, salt, digest, body FROM parts WHERE seq = ? ORDER BY idx", seq)
            if [row[0] for row in parts] != list(range(count)):
                yield seq, f"{count} parts expected, {len(parts)} found"
            for idx, salt, stored, body in parts:
                if body is not None and (not body.isascii() or digest(salt, body) != stored):
                    yield seq, f"part {idx} is not what was kept"
            if chain(before, header(seq, kind, us, through, count), (row[2] for row in parts)) != hash_:
                yield seq, "the chain is broken: an entry was changed, removed or moved"
            before, expected, before_at = hash_, seq + 1, us
        orphans = self.rows("SELECT DISTINCT seq FROM parts WHERE seq NOT IN (SELECT seq FROM entries)")
        for (seq,) in orphans:
            yield seq, "parts without an entry"

    def rebuild_keys(self) -> None:
        """Make the key tables anew from the entries."""
        with self.transaction() as keys:
            keys.clear()
            for entry in self.entries():
                keys.follow(entry)

    def key_faults(self) -> Iterator[tuple[str, str]]:
        """Hold the key tables against those that the entries make: yield (table and key, what is wrong)."""
        with self._lock, self._failures():
            db = self._db
            db.execute("BEGIN")  # one state, whoever appends meanwhile
            try:
                found, wanted = KeyTables(db).rows(), self._wanted_keys()
            finally:
                db.execute("ROLLBACK")
        for table in wanted:
            for row in sorted(found[table] ^ wanted[table]):
                yield f"{table} {row[0]}", "is lacking or other" if row in wanted[table] else "is too many or other"

    def _wanted_keys(self) -> dict[str, set[tuple[Any, ...]]]:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as scratch:
            scratch.executescript(KEY_TABLES)
            keys = KeyTables(scratch)
            for entry in self.entries():
                keys.follow(entry)
            return keys.rows()

    # -------------------------------------------------------------- moving whole journals
    def raw(self, upto: int) -> Iterator[dict[str, Any]]:
        """Give entries as they are kept: numbers, hashes, and parts with salt, digest and body."""
        for seq in range(1, upto + 1):
            found = self.rows("SELECT kind, at, through, hash FROM entries WHERE seq = ?", seq)
            if not found:
                raise JournalDamaged(f"entry {seq} of {self.path} is missing", path=str(self.path), seq=seq)
            kind, at, through, hash_ = found[0]
            parts = [
                {"salt": salt.hex(), "digest": part.hex(), "body": None if body is None else json.loads(body)}
                for salt, part, body in self.rows(
                    "SELECT salt, digest, body FROM parts WHERE seq = ? ORDER BY idx", seq
                )
            ]
            yield {"seq": seq, "kind": kind, "at": at, "through": through, "hash": hash_.hex(), "parts": parts}

    def load_raw(self, lines: Iterable[dict[str, Any]]) -> int:
        """Take entries as they were kept elsewhere into an empty journal, checking every digest; give their number."""
        before, count = GENESIS, 0
        with self.transaction() as keys:
            for line in lines:
                count += 1
                try:
                    rows = [
                        (count, idx, bytes.fromhex(part["salt"]), bytes.fromhex(part["digest"]), _body(part["body"]))
                        for idx, part in enumerate(line["parts"])
                    ]
                    head = header(count, line["kind"], line["at"], line["through"], len(rows))
                    hash_ = chain(before, head, (row[3] for row in rows))
                    sound = line["seq"] == count and hash_.hex() == line["hash"]
                    sound = sound and all(body is None or digest(salt, body) == part for _, _, salt, part, body in rows)
                except (KeyError, TypeError, ValueError) as error:
                    raise JournalDamaged(
                        f"entry {count} of the dump does not read: {error}", path=str(self.path), seq=count
                    ) from error
                if not sound:
                    raise JournalDamaged(
                        f"entry {count} of the dump is not what was kept", path=str(self.path), seq=count
                    )
                self._db.execute(
                    "INSERT INTO entries VALUES (?,?,?,?,?,?)",
                    (count, line["kind"], line["at"], line["through"], len(rows), hash_)
                )
                self._db.executemany("INSERT INTO parts VALUES (?,?,?,?,?)", rows)
                bodies = [row[4] for row in rows if row[4] is not None]
                keys.follow(self._entry(count, line["kind"], line["at"], line["through"], bodies))
                before = hash_
        return count

    def backup(self, target: Path) -> None:
        """Write a consistent copy while others go on writing."""
        with closing(sqlite3.connect(target)) as copy, self._lock, self._failures():
            self._db.backup(copy)


def _load(body: str) -> Part:
    part: Part = PART.validate_python(json.loads(body))
    return part


def _body(value: Any) -> str | None:
    return None if value is None else json.dumps(value, sort_keys=True, separators=(",", ":"))
