"""Opening the graph of a space: what does not open is moved to quarantine as a set and replayed from the journal."""

from __future__ import annotations

import contextlib
import shutil
import warnings
from collections.abc import Callable, Iterator

from sgraph.errors import EngineError, SpaceLocked
from sgraph.graph import store
from sgraph.graph.engine import Engine, open_engine, storage_version
from sgraph.graph.files import database_files, drop_private, open_private, probe, quarantine
from sgraph.graph.migrations import migrate, pending
from sgraph.journal.log import Journal
from sgraph.space.layout import Layout

Progress = Callable[[str, int, int], None]
_LOCKED = "Could not set lock on file"  # both engines' words when another program has the file open
UNFINISHED = "it is empty or unfinished"


class SpaceRepaired(UserWarning):
    """A damaged part of a space was moved to quarantine and made anew from the journal; nothing was lost."""


def open_owned(
    layout: Layout, journal: Journal, *, left_open: bool, pool_mb: int, progress: Progress | None = None
) -> Engine:
    """Open the graph for its owner, repairing what does not open or does not fit the journal."""
    storage_version(layout.engine)  # loads the engine: that it is not there, or cannot be, is no damage to the graph
    shutil.rmtree(layout.building, ignore_errors=True)
    known = journal.last_seq()
    if not database_files(layout.graph):
        return _begin(layout, journal, pool_mb=pool_mb, progress=progress)
    whole = layout.graph.is_file() and layout.graph.stat().st_size > 0
    reason = None if whole and not left_open else probe(layout.engine, layout.graph)
    if reason is None:
        try:
            engine = open_engine(layout.engine, layout.graph, buffer_pool_mb=pool_mb)
            with closed_on_error(engine):
                reason = misfit(engine, layout, journal, known)
                if reason is None:
                    migrate(engine, layout.id)
                    return engine
            engine.close()
            if reason == UNFINISHED:  # a space was killed while it was made: there is nothing to put away
                shutil.rmtree(layout.graph_dir)
                return _begin(layout, journal, pool_mb=pool_mb, progress=progress)
        except EngineError as error:
            reason = str(error)
    if _LOCKED in reason:
        raise SpaceLocked(f"another program has the graph of {layout.root} open: {reason}", path=str(layout.root))
    return repair(layout, journal, reason, pool_mb=pool_mb, progress=progress)


def _begin(layout: Layout, journal: Journal, *, pool_mb: int, progress: Progress | None) -> Engine:
    """Make the graph where there is none: of a new space in its place, of an older journal by replay."""
    if journal.last_seq() > 1:
        return build(layout, journal, layout.engine, pool_mb=pool_mb, progress=progress)
    layout.graph_dir.mkdir(exist_ok=True)
    engine = open_engine(layout.engine, layout.graph, buffer_pool_mb=pool_mb)
    with closed_on_error(engine):
        migrate(engine, layout.id)
    return engine


@contextlib.contextmanager
def closed_on_error(engine: Engine) -> Iterator[None]:
    """Close an engine when what is done with it fails: a process can open a path once."""
    try:
        yield
    except BaseException:
        engine.close()
        raise


def repair(layout: Layout, journal: Journal, reason: str, *, pool_mb: int, progress: Progress | None = None) -> Engine:
    """Move the graph to quarantine as a set, replay the journal, and warn once."""
    moved = quarantine([layout.graph_dir], layout.quarantine)
    warnings.warn(
        f"the graph of {layout.root} was not usable ({reason}); "
        f"it was moved to {moved} and is replayed from the journal: "
        "nothing is lost",
        SpaceRepaired, stacklevel=2,
    )
    return build(layout, journal, layout.engine, pool_mb=pool_mb, progress=progress)


def misfit(engine: Engine, layout: Layout, journal: Journal, known: int) -> str | None:
    """Say why a graph that opens is not the graph of this journal."""
    meta = store.meta(engine)
    if not meta:
        return UNFINISHED
    pending(engine)
    applied, hash_ = meta["applied"], meta["hash"]
    if meta["space"] != layout.id:
        return "it belongs to another space"
    if applied is None or not 0 <= applied <= known:
        return f"it holds entry {applied}, the journal ends at {known}"
    if applied and journal.entry_hash(applied) != hash_:
        return f"it was made from another journal (entry {applied} differs)"
    return None


def build(
    layout: Layout, journal: Journal, engine_name: str, *, pool_mb: int, progress: Progress | None = None
) -> Engine:
    """Replay the journal into a new graph beside the old one, then put it in its place."""
    shutil.rmtree(layout.building, ignore_errors=True)
    layout.building.mkdir()
    draft = layout.building / f"graph.{engine_name}"
    engine = open_engine(engine_name, draft, buffer_pool_mb=pool_mb)
    with closed_on_error(engine):
        migrate(engine, layout.id)
        total = journal.last_seq()
        step = (lambda seq: progress("replay", seq, total)) if progress else None
        store.replay(engine, journal.entries(), step, hash_of=journal.entry_hash)
    engine.close()
    target = layout
    if (engine_name, storage_version(engine_name)) != (layout.engine, layout.storage_version):
        target = layout.with_engine(engine_name, storage_version(engine_name))
    if layout.graph_dir.exists():
        shutil.rmtree(layout.graph_dir)
    layout.building.rename(target.graph_dir)
    return open_engine(engine_name, target.graph, buffer_pool_mb=pool_mb)


def open_reader(layout: Layout, journal: Journal, *, pool_mb: int) -> Engine:
    """Open a private copy for a process that is not the owner: the last commit, then the rest of the journal."""
    engine = open_private(layout.engine, layout.graph, buffer_pool_mb=pool_mb)
    reason = misfit(engine, layout, journal, journal.last_seq())
    if reason is not None:
        drop_private(engine)
        raise EngineError(f"the graph of {layout.root} is being repaired by its owner: {reason}", engine=layout.engine)
    return engine
