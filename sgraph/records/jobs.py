"""Jobs that ask a model: how each stands, what a pass over them did, and what one would cost."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sgraph.records.base import Record

JobState = Literal["pending", "running", "succeeded", "skipped", "failed", "quarantined"]


class Job(Record):
    """One step for one Block, turn or import. `attempts` are calls since it was begun or retried by hand.

    `due`: not before then. `off`: the step is switched off, so it does not wait for anything. `quarantine` is the id of
    the refused reply. `calls` and tokens are of all attempts.
    """

    id: str
    kind: str
    target: str
    thread: str
    state: JobState
    off: bool = False
    attempts: int
    due: datetime | None
    reason: str | None
    quarantine: str | None
    route: str | None
    calls: int
    tokens_in: int
    tokens_out: int
    created_at: datetime
    updated_at: datetime


class Processed(Record):
    """What a pass did. `waiting` jobs come back later, from `next_due` on; `stopped` says why it ended early."""

    succeeded: int = 0
    skipped: int = 0
    failed: int = 0
    quarantined: int = 0
    stood_in: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    waiting: int = 0
    next_due: datetime | None = None
    stopped: str | None = None


class Estimate(Record):
    """What a pass would cost if every first attempt succeeded: an upper bound of calls, and tokens by our own count.

    `jobs` are by step. A Block counts with all three steps; how many events it will give is not known before.
    """

    jobs: dict[str, int]
    calls: int
    tokens_in: int
    tokens_out: int
    route: str | None
    backlog: bool


class ModelsStatus(Record):
    """How deriving by models stands: each step on or off, where it asks, jobs by step and state, and what they cost.

    `attention` names what a person should look at: failed and quarantined jobs with their reasons, at most ten.
    """

    configured: bool
    source: str
    routes: tuple[str, ...]
    steps: dict[str, Literal["on", "off"]]
    jobs: dict[str, dict[str, int]]
    calls: int
    tokens_in: int
    tokens_out: int
    attention: tuple[str, ...] = ()
