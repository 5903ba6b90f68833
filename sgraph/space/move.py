"""Moving a space to another engine: the journal replayed into it."""

from __future__ import annotations

from pathlib import Path

from sgraph.errors import NotASpace, SpaceLocked
from sgraph.journal.log import Journal
from sgraph.space import graphs, layout, lock
from sgraph.space.graphs import Progress


def move_engine(path: Path, engine: str, progress: Progress | None = None, *, pool_mb: int = 256) -> None:
    """Replay the journal of a space that nobody has open into a graph of another engine, which is then the space's own.

    The other graph stays in use until the new one is whole; killed at any point, the space has one of the two. For a
    process that has not opened a graph of the engine the space has now: both cannot be in one process.
    Raises NotASpace, SpaceLocked, InvalidInput for an unknown engine, MissingExtra for one that is not installed.
    """
    found = layout.read(path.expanduser().resolve())
    if found is None:
        raise NotASpace(f"there is no space at {path}", path=str(path))
    taken = lock.acquire(found.lock)
    if taken is None:
        who = lock.holder(found.lock)
        raise SpaceLocked(f"{who} has {path} open: close it there first", path=str(path), pid=who.pid, host=who.host)
    try:
        journal = Journal(found.journal)
        try:
            graphs.build(found, journal, engine, pool_mb=pool_mb, progress=progress).close()
        finally:
            journal.close()
    except BaseException:
        taken.drop()
        raise
    taken.release()
