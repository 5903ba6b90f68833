"""Who owns the graph: `flock` on a file beside it. The pid and host inside are only for messages."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Holder:
    """Who wrote itself into the lock file last."""

    pid: int | None
    host: str | None

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}" if self.pid else "another process"


class OwnerLock:
    """The lock while it is held. `left_open`: the owner before did not close cleanly."""

    def __init__(self, descriptor: int, left_open: bool) -> None:
        self._descriptor: int | None = descriptor
        self.left_open = left_open

    def release(self) -> None:
        """Say that the graph was closed cleanly, and let go."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            self.drop()

    def drop(self) -> None:
        """Close the descriptor without a word: after a fork, in the child, or after a failure."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None


def acquire(path: Path) -> OwnerLock | None:
    """Take the lock, or give None when another process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    left_open = os.fstat(descriptor).st_size > 0
    text = f"{os.getpid()} {socket.gethostname()}\n".encode()
    os.pwrite(descriptor, text, 0)  # before it is cut to length: never empty, which would say that all is well
    os.ftruncate(descriptor, len(text))
    return OwnerLock(descriptor, left_open)


def holder(path: Path) -> Holder:
    """Read who holds the lock."""
    try:
        pid, _, host = path.read_text("utf-8").strip().partition(" ")
        return Holder(int(pid), host or None)
    except (OSError, ValueError):
        return Holder(None, None)
