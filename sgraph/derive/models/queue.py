"""The queue of jobs in work.db: which step of what is due, who is at it, and what it has cost.

A claim is one statement, so several threads share the queue. work.db may be lost at any time: what was done is known by
the receipts in the journal, what was refused by its quarantine, and the rest is found due again.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sgraph.journal.log import instant, micros
from sgraph.journal.work import Work
from sgraph.records.jobs import Job, JobState

LEASE_SECONDS = 2 * 3600  # longer than a call may take; only a process that died keeps a job until then
_TABLE = (
    "CREATE TABLE IF NOT EXISTS jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, "
    "kind TEXT NOT NULL, target TEXT NOT NULL, thread TEXT NOT NULL, state TEXT NOT NULL, "
    "attempts INTEGER NOT NULL DEFAULT 0, "
    "due INTEGER NOT NULL DEFAULT 0, holder TEXT, lease INTEGER, reason TEXT, quarantine TEXT, route TEXT, "
    "calls INTEGER NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0, "
    "created INTEGER NOT NULL, updated INTEGER NOT NULL) STRICT"
)
_COLUMNS = (
    "id, kind, target, thread, state, attempts, due, reason, quarantine, route, calls, tokens_in, tokens_out, "
    "created, updated"
)
_process = (os.getpid(), uuid.uuid4().hex)


def _holder() -> str:
    """Name this process; a forked child is another one."""
    global _process
    if _process[0] != os.getpid():
        _process = (os.getpid(), uuid.uuid4().hex)
    return _process[1]


def job_id(kind: str, target: str) -> str:
    """Give the id of a job: its step and what it is for."""
    return f"{kind}:{target}"


class Queue:
    """The jobs of a space. Safe for threads."""

    def __init__(self, work: Work) -> None:
        self._work = work
        work.run(_TABLE)

    # -------------------------------------------------------------- putting in
    def add(
        self, kind: str, target: str, thread: str, state: JobState = "pending", *, quarantine: str | None = None
    ) -> bool:
        """Put a job in, unless it is known; say whether it is new."""
        now = micros(datetime.now(UTC))
        return bool(
            self._work.run(
                "INSERT INTO jobs (id, kind, target, thread, state, quarantine, created, updated) "
                "VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING RETURNING id",
                job_id(kind, target),
                kind,
                target,
                thread,
                state,
                quarantine,
                now,
                now,
            )
        )

    # -------------------------------------------------------------- taking out
    def claim(self, kinds: Iterable[str]) -> Job | None:
        """Take the next job of these steps, and hold it.

        What was never tried comes before retries that are due, the older before the newer. What a process that is gone
        held is taken up again. The turns of a thread come one after the other, each seeing the sentences before it.
        """
        now, holder = micros(datetime.now(UTC)), _holder()
        wanted = sorted(kinds)
        marks = ",".join("?" * len(wanted))
        found = self._work.run(
            "UPDATE jobs SET state = 'running', holder = ?, lease = ?, updated = ? WHERE number = ("
            f"SELECT number FROM jobs j WHERE kind IN ({marks}) AND due <= ? "
            "AND (state = 'pending' OR state = 'running' AND (holder <> ? OR lease < ?)) "
            "AND NOT (kind = 'turn_summary' AND EXISTS (SELECT 1 FROM jobs k WHERE k.kind = 'turn_summary' "
            "AND k.thread = j.thread AND k.state = 'running' AND k.holder = ? AND k.lease >= ?)) "
            "ORDER BY attempts > 0, number LIMIT 1) "
            f"RETURNING {_COLUMNS}",
            holder,
            now + LEASE_SECONDS * 1_000_000,
            now,
            *wanted,
            now,
            holder,
            now,
            holder,
            now,
        )
        return _job(found[0]) if found else None

    def call(self, id: str, route: str) -> None:
        """Count a call, before it is made: one that never comes back counts too."""
        self._work.run("UPDATE jobs SET calls = calls + 1, attempts = attempts + 1, route = ? WHERE id = ?", route, id)

    def spend(self, id: str, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens of a call."""
        self._work.run(
            "UPDATE jobs SET tokens_in = tokens_in + ?, tokens_out = tokens_out + ? WHERE id = ?",
            tokens_in,
            tokens_out,
            id,
        )

    def end(self, id: str, state: JobState, reason: str | None = None, quarantine: str | None = None) -> None:
        """Say how a job ended."""
        self._work.run(
            "UPDATE jobs SET state = ?, reason = ?, quarantine = ?, holder = NULL, due = 0, updated = ? WHERE id = ?",
            state,
            reason,
            quarantine,
            micros(datetime.now(UTC)),
            id,
        )

    def put_back(
        self, id: str, reason: str | None = None, due: datetime | None = None, *, attempts: int | None = None
    ) -> None:
        """Let a job wait again, until `due`; with `attempts`, as if no more had been made."""
        self._work.run(
            "UPDATE jobs SET state = 'pending', holder = NULL, reason = coalesce(?, reason), due = ?, "
            "attempts = coalesce(?, attempts), updated = ? WHERE id = ? AND state = 'running'",
            reason,
            0 if due is None else micros(due),
            attempts,
            micros(datetime.now(UTC)),
            id,
        )

    def take_again(self, id: str) -> Job | None:
        """Take a job that failed or was quarantined, as if never tried; None when it is in another state."""
        now = micros(datetime.now(UTC))
        found = self._work.run(
            "UPDATE jobs SET state = 'running', holder = ?, lease = ?, attempts = 0, due = 0, updated = ? "
            f"WHERE id = ? AND state IN ('failed', 'quarantined') RETURNING {_COLUMNS}",
            _holder(),
            now + LEASE_SECONDS * 1_000_000,
            now,
            id,
        )
        return _job(found[0]) if found else None

    # -------------------------------------------------------------- looking
    def get(self, id: str) -> Job | None:
        """Give a job."""
        found = self._work.run(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", id)
        return _job(found[0]) if found else None

    def list(self, state: str | None = None) -> list[Job]:
        """List the jobs, oldest first."""
        return [
            _job(row)
            for row in self._work.run(
                f"SELECT {_COLUMNS} FROM jobs WHERE ? IS NULL OR state = ? ORDER BY number", state, state
            )
        ]

    def next_due(self, kinds: Iterable[str]) -> tuple[int, datetime | None]:
        """Count the jobs of these steps that wait, and say when the first is due."""
        wanted = sorted(kinds)
        marks = ",".join("?" * len(wanted))
        count, due = self._work.run(
            f"SELECT count(*), min(due) FROM jobs WHERE state = 'pending' AND kind IN ({marks})", *wanted
        )[0]
        return int(count), None if due is None else instant(due)

    def counts(self) -> dict[tuple[str, str], int]:
        """Count the jobs by step and state."""
        return {
            (kind, state): count
            for kind, state, count in self._work.run("SELECT kind, state, count(*) FROM jobs GROUP BY 1, 2")
        }

    def spent(self) -> tuple[int, int, int]:
        """Sum the calls and the tokens, in and out, of all jobs."""
        found = self._work.run(
            "SELECT coalesce(sum(calls), 0), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM jobs"
        )
        return found[0][0], found[0][1], found[0][2]

    @property
    def is_empty(self) -> bool:
        """Say whether no job was ever put in (since work.db was last lost)."""
        return not self._work.run("SELECT 1 FROM jobs LIMIT 1")

    # -------------------------------------------------------------- how far the journal was looked at
    def looked_through(self) -> int:
        """Give the entry up to which the journal was searched for what is due."""
        return int(self._work.note("jobs").get("through", 0))

    def look_through(self, seq: int) -> None:
        """Note that the journal was searched up to an entry."""
        self._work.set_note("jobs", {"through": str(seq)})


def _job(row: tuple[Any, ...]) -> Job:
    names = [name.strip() for name in _COLUMNS.split(",")]
    values = dict(zip(names, row, strict=True))
    due, created, updated = values.pop("due"), values.pop("created"), values.pop("updated")
    return Job(**values, due=instant(due) if due else None, created_at=instant(created), updated_at=instant(updated))
