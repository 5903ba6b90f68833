"""Checkpoints that survive a kill, and the lock that keeps copies apart from them.

Kùzu writes pages in place during a checkpoint: killed there, the file may never open again. So a complete copy stands
beside it meanwhile (`<db>.ckpt/`), and whoever opens the database next puts the copy back. The copying is done by a
child process: the engine's own lock is of the kind (POSIX) that this process would lose by closing any descriptor of
the file, and the copy needs to open it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sgraph.errors import EngineError

_COPY = """
import os, shutil, sys
source, target = sys.argv[1:]
os.mkdir(target)
for name in (os.path.basename(source), os.path.basename(source) + ".wal"):
    path = os.path.join(os.path.dirname(source), name)
    if os.path.exists(path):
        copy = os.path.join(target, name)
        shutil.copyfile(path, copy)
        with open(copy, "rb+") as file:
            os.fsync(file.fileno())
"""


def sibling(path: Path, suffix: str) -> Path:
    """Name a file that belongs to the database: its path with a suffix appended."""
    return path.with_name(path.name + suffix)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def checkpoint_lock(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock that a checkpoint takes alone and a copier shares. It waits, and ends with the process."""
    descriptor = os.open(sibling(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # at once, even if a forked child still holds the descriptor
        os.close(descriptor)


def guarded(path: Path, checkpoint: Callable[[], None]) -> None:
    """Run `checkpoint` with a complete copy beside the database. The caller keeps writers and readers out.

    The copy of a checkpoint that failed stays until one succeeds: it is sound, which the file may not be, and what was
    committed since is in the journal. Raises EngineError when the copy cannot be made (a full disk); the checkpoint is
    then not begun.
    """
    copy, draft = sibling(path, ".ckpt"), sibling(path, ".ckpt.tmp")
    with checkpoint_lock(path):
        if not copy.is_dir():
            _make(path, copy, draft)
        checkpoint()
        _drop(copy, draft)


def _make(path: Path, copy: Path, draft: Path) -> None:
    shutil.rmtree(draft, ignore_errors=True)
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _COPY, str(path), str(draft)],
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        reason = child.stderr.strip().rpartition("\n")[2] or f"exit code {child.returncode}"
        raise EngineError(f"no checkpoint: the graph could not be copied first ({reason})", engine="kuzu")
    draft.rename(copy)
    _sync_directory(path.parent)


def _drop(copy: Path, draft: Path) -> None:
    copy.rename(draft)  # first out of sight in one step: a copy half deleted must never be put back
    _sync_directory(draft.parent)
    shutil.rmtree(draft, ignore_errors=True)


def restore(path: Path) -> bool:
    """Put the copy of an unfinished checkpoint back, before the database is opened; True when there was one.

    May itself be killed at any point and run again.
    """
    copy, draft = sibling(path, ".ckpt"), sibling(path, ".ckpt.tmp")
    if not copy.is_dir() and not draft.is_dir():
        return False
    with checkpoint_lock(path):
        if not copy.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
            return False
        for suffix in (".wal", ".shadow"):
            sibling(path, suffix).unlink(missing_ok=True)
        for file in copy.iterdir():
            spare = path.with_name(file.name + ".restore")
            shutil.copyfile(file, spare)
            spare.replace(path.with_name(file.name))
        _sync_directory(path.parent)
        _drop(copy, draft)
        return True
