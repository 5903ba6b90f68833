"""The files of a database as a set: tried from outside, moved out of the way, copied for a reader."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from sgraph.errors import EngineError
from sgraph.graph.checkpoint import checkpoint_lock, restore, sibling
from sgraph.graph.engine import Engine, is_guarded, open_engine

_COPY_ATTEMPTS = 20
_COPY_PAUSE = 0.05

# A damaged file can crash or hang the process that opens it, so another process tries. It leaves by _exit: closing
# might write. Ladybug refuses read-only while it has a checkpoint to finish; that is no damage.
_PROBE = """
import importlib, importlib.util, os, sys
name, path = sys.argv[1:]
engine = importlib.import_module(name)
def opened(read_only):
    return engine.Database(path, read_only=read_only, buffer_pool_size=1 << 28, max_db_size=1 << 38)
try:
    database = opened(True)
except RuntimeError as error:
    if "recovery is pending" not in str(error):
        raise
    database = opened(False)
connection = engine.Connection(database)
def rows(query, **params):
    return connection.execute(query, params).get_all()
tables = rows("CALL show_tables() RETURN *")
assert tables, "there is nothing in it"
for _, table, kind, *_ in tables:
    if kind == "REL":
        rows(f"MATCH ()-[r:{table}]->() RETURN count(r)")
        continue
    key = next(row[1] for row in rows(f"CALL table_info('{table}') RETURN *") if row[4])
    count, *ends = rows(f"MATCH (n:{table}) RETURN count(n), min(n.{key}), max(n.{key})")[0]
    for value in ends if count else ():
        assert len(rows(f"MATCH (n:{table}) WHERE n.{key} = $key RETURN n.*", key=value)) == 1, f"{table} {value}"
os._exit(0)
"""


def probe(name: str, path: Path, *, timeout: float = 20.0) -> str | None:
    """Say why a database that should exist does not open or read; None when it does.

    For the owner, before opening, after an unclean end. An unfinished checkpoint is undone first. Takes about 0.2 s;
    a database that keeps the child busy for longer than `timeout` seconds counts as damaged.
    """
    if is_guarded(name):
        restore(path)
    if not path.is_file():
        return "the file is missing"
    if path.stat().st_size == 0:
        return "the file is empty"
    command = [sys.executable, "-P", "-c", _PROBE, name, str(path)]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not answer in {timeout:g} seconds"
    if child.returncode < 0:
        return f"the engine died of signal {-child.returncode}"
    if child.returncode:
        return child.stderr.strip().rpartition("\n")[2] or f"exit code {child.returncode}"
    return None


def database_files(path: Path) -> list[Path]:
    """List what belongs to a database and exists: the file, its log, shadow pages and copies (not the lock)."""
    own = [file for file in path.parent.glob(f"{path.name}.*") if file != sibling(path, ".lock")]
    return sorted([path, *own] if path.exists() else own)


def quarantine(paths: Iterable[Path], into: Path) -> Path:
    """Move files and directories, as one set, into a new directory below `into` named after the time; return it.

    Nothing is deleted, here or later.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    for number in range(1, 10_000):
        target = into / (stamp if number == 1 else f"{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            target.mkdir(parents=True)
            break
    for path in paths:
        if path.exists():
            shutil.move(path, target / path.name)
    return target


def open_private(name: str, path: Path, *, buffer_pool_mb: int = 256) -> Engine:
    """Open a private copy of a database that another process is writing, in a temporary directory (mode 0700).

    It shows a state that was committed: at the latest the last one. `drop_private` closes and deletes it. Not for the
    process that has the database open itself: closing its file would give up the engine's lock.
    Raises EngineError when no whole copy could be had.
    """
    directory = Path(tempfile.mkdtemp(prefix="sgraph-"))
    for attempt in range(_COPY_ATTEMPTS):
        try:
            copy = _copy(name, path, directory / str(attempt))
            return open_engine(name, copy, buffer_pool_mb=buffer_pool_mb)
        except (EngineError, FileNotFoundError) as error:
            failure = error
            time.sleep(_COPY_PAUSE)
    shutil.rmtree(directory, ignore_errors=True)
    raise EngineError(f"no whole copy of {path} could be had: {failure}", engine=name) from failure


def drop_private(engine: Engine) -> None:
    """Close an engine from `open_private` and delete its files."""
    engine.close()
    shutil.rmtree(engine.path.parent.parent, ignore_errors=True)


def _copy(name: str, path: Path, directory: Path) -> Path:
    with _no_checkpoint(name, path):
        unfinished = sibling(path, ".ckpt")
        source = unfinished / path.name if unfinished.is_dir() else path
        directory.mkdir()
        before = source.stat()
        target = Path(shutil.copyfile(source, directory / path.name))
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(sibling(source, ".wal"), sibling(target, ".wal"))
        after = source.stat()
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise EngineError("the file changed while it was copied", engine=name)
        return target


@contextlib.contextmanager
def _no_checkpoint(name: str, path: Path) -> Iterator[None]:
    if is_guarded(name):
        with checkpoint_lock(path, shared=True):
            yield
    else:
        yield  # it checkpoints when it likes; a copy taken meanwhile does not open, or its file has changed
