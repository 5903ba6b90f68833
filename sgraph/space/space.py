"""The space at work: who owns the graph, and how it is brought to the end of the journal.

The owner decides on source entries in journal order, appends the decisions, and applies whatever the journal holds. Any
other process captures, and reads a private copy with the rest of the journal applied to it.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import weakref
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from sgraph.derive import turns
from sgraph.errors import EngineError, InvalidInput, JournalDamaged, SgraphError, SpaceClosed, SpaceError, SpaceLocked
from sgraph.evidence import echo
from sgraph.graph import store
from sgraph.graph.engine import Engine, storage_version
from sgraph.graph.files import drop_private
from sgraph.graph.state import State
from sgraph.journal.log import Journal
from sgraph.journal.work import Work
from sgraph.recall.finder import Finder
from sgraph.records.entries import KINDS, SOURCE_KINDS, Entry
from sgraph.records.parts import OutcomePart, Part, SettingPart, SpacePart
from sgraph.space import graphs, layout, lock
from sgraph.space.decide import decide_entry
from sgraph.space.graphs import Progress
from sgraph.space.layout import FORMAT, Layout
from sgraph.space.settings import DEFAULTS, check_settings
from sgraph.truth.decision import Decision

_log = logging.getLogger(__name__)
BATCH = 64  # source entries decided on before they are appended and applied together, …
BATCH_PARTS = 256  # … or fewer, when they hold this many messages and other parts
IDLE_SECONDS = 1.0



class Space:
    """One space in one process; several memories may share it. Safe for threads."""

    def __init__(
        self, root: Path, *, engine: str | None, settings: dict[str, Any], pool_mb: int, progress: Progress | None
    ) -> None:
        check_settings(settings)
        found = layout.read(root)
        self.layout: Layout = found or layout.create(root, engine or "kuzu", storage_version(engine or "kuzu"))
        self.check_engine(engine)
        self.pool_mb, self.progress = pool_mb, progress
        self.guard = threading.RLock()
        if found is not None:
            _refuse_lost_journal(found)
        self.journal = Journal(self.layout.journal)
        self._lock: lock.OwnerLock | None = None
        self._engine: Engine | None = None
        self._state: State | None = None
        self._private = False
        self._seen = 0
        self._stop = threading.Event()
        self._closed = False
        self._shared = 0
        self._outcomes: dict[int, OutcomePart] = {}
        self._passed = 0  # sources up to here were looked at, whether or not a decision followed
        self._finder: Finder | None = None
        self.touched: set[str] = set()  # threads that were written to here
        self._applied = 0
        self._previewed = 0  # a request whose outcome is shown here before it is decided
        self._watcher: threading.Thread | None = None
        self.work = Work(self.layout.work)
        try:
            self.begin(settings)
            self._take_over()
        except BaseException:
            self._close_files()
            raise

    @property
    def is_closed(self) -> bool:
        """Say whether the space was closed."""
        return self._closed

    def join(self) -> None:
        """Count one more memory on this space."""
        self._shared += 1

    def check_engine(self, engine: str | None) -> None:
        """Raise InvalidInput when another engine than the space's own is asked for."""
        if engine is not None and engine != self.layout.engine:
            raise InvalidInput(
                f"{self.layout.root} keeps its graph with {self.layout.engine}; move it with: "
                f"sgraph space rebuild --engine {engine}",
                field="engine", value=engine,
            )

    def begin(self, settings: dict[str, Any]) -> None:
        """Write the first entry of a new journal, and the settings that are new."""
        check_settings(settings)
        with self.journal.transaction() as keys:
            if self.journal.last_seq() == 0:
                parts: list[Part] = [SpacePart(id=self.layout.id, format=FORMAT)]
                parts += [SettingPart(name=name, value=value) for name, value in {**DEFAULTS, **settings}.items()]
                self.journal.append("opened", parts)
                return
            known = {**DEFAULTS, **keys.settings()}
            changed = {name: value for name, value in settings.items() if known.get(name) != value}
            if changed:
                self.journal.append(
                    "settings", [SettingPart(name=name, value=value) for name, value in changed.items()]
                )

    # -------------------------------------------------------------- ownership
    @property
    def is_owner(self) -> bool:
        """Say whether this process owns the graph."""
        return self._lock is not None

    def holder(self) -> lock.Holder:
        """Give who owns the graph."""
        return lock.Holder(os.getpid(), None) if self.is_owner else lock.holder(self.layout.lock)

    def require_owner(self, verb: str) -> None:
        """Raise SpaceLocked unless this process owns the graph."""
        with self.guard:
            self._check()
            self._take_over()
            if not self.is_owner:
                who = self.holder()
                raise SpaceLocked(
                    f"{verb} needs the graph, which {who} holds: run it there, or close that memory first",
                    path=str(self.layout.root), pid=who.pid, host=who.host,
                )

    def _take_over(self) -> None:
        """Become the owner when the graph is free."""
        if self.is_owner:
            return
        taken = lock.acquire(self.layout.lock)
        if taken is None:
            return
        try:
            self._drop_engine()
            self._refresh_layout()
            self._engine = graphs.open_owned(
                self.layout, self.journal, left_open=taken.left_open, pool_mb=self.pool_mb, progress=self.progress
            )
        except BaseException:
            taken.drop()
            raise
        self._lock, self._private = taken, False
        self._watcher = threading.Thread(
            target=_watch, args=(weakref.ref(self), self._stop), name="sgraph-owner", daemon=True
        )
        self._watcher.start()

    def _refresh_layout(self) -> None:
        found = layout.read(self.layout.root)
        if found is not None:
            self.layout = found

    def refuse_closed(self) -> NoReturn:
        """Raise SpaceClosed."""
        raise SpaceClosed("this memory is closed; open the space again")

    def _check(self) -> None:
        if self._closed:
            self.refuse_closed()

    def after_fork(self) -> None:
        """Forget, in a forked child, what only the parent may use."""
        if self._lock is not None:
            self._lock.drop()
        self._lock = self._engine = self._state = self._finder = self._watcher = None
        self.guard = threading.RLock()
        self._stop = threading.Event()

    # -------------------------------------------------------------- the graph
    @property
    def engine(self) -> Engine:
        """Give the open graph: the owner's, or this process's private copy."""
        with self.guard:
            self._check()
            if self._engine is None:
                self._open_private()
            assert self._engine is not None
            return self._engine

    def _open_private(self) -> None:
        for attempt in range(50):
            try:
                self._refresh_layout()
                self._engine, self._private = graphs.open_reader(self.layout, self.journal, pool_mb=self.pool_mb), True
                return
            except EngineError:
                if attempt == 49:
                    raise
                threading.Event().wait(0.1)
                self._take_over()
                if self.is_owner:
                    return

    def _drop_finder(self) -> None:
        finder, self._finder = self._finder, None
        if finder is not None:
            finder.close()

    def _drop_engine(self) -> None:
        self._drop_finder()
        engine, self._engine, self._state = self._engine, None, None
        if engine is not None and self._private:
            drop_private(engine)
        elif engine is not None:
            engine.close()

    @property
    def state(self) -> State:
        """Give what is known, in memory; read from the graph when needed."""
        with self.guard:
            if self._state is None:
                self._follow_journal()
                self._state = State.read(store.StateReader(self.engine.run))
            return self._state

    def finder(self) -> Finder:
        """Give what searches look into, brought to where the graph stands."""
        with self.guard:
            self._check()
            if self._finder is None:
                layout_ = self.layout
                self._finder = Finder(self.journal, self.work, layout_.lexicon, layout_.quarantine, owner=self.is_owner)
            self._finder.follow(self.state, self._applied, self.progress)
            return self._finder

    @contextlib.contextmanager
    def state_at_risk(self) -> Iterator[None]:
        """Throw the state away when a decision fails half-way: it is then read from the graph again."""
        try:
            yield
        except BaseException:
            self._state = None
            raise

    # -------------------------------------------------------------- catching up
    def catch_up(self, wait: float | None = None) -> int:
        """Bring the graph to the end of the journal; give the entry up to which sources are decided on.

        The owner decides and applies, in batches, at most for `wait` seconds (None: until done); any other process
        applies what the owner has appended.
        """
        with self.guard:
            self._check()
            self._take_over()
            if not self.is_owner:
                self._follow_journal()
                return self.journal.decided_through()
            end = self.journal.last_seq()
            if end == self._seen and self._state is not None:
                return end
            started = datetime.now(UTC)
            total = self.journal.count_sources(self.journal.decided_through())
            done = 0
            while batch := self._undecided():
                self._decide(batch)
                done += len(batch)
                if self.progress is not None and total > BATCH:
                    self.progress("derive", done, total)
                late = wait is not None and (datetime.now(UTC) - started).total_seconds() >= wait
                if late or self._stop.is_set():  # what is undecided is decided on after the next opening
                    return self.journal.decided_through()
            self._follow_journal()
            self._seen = self.journal.last_seq()
            return self._seen

    def _undecided(self) -> list[Entry]:
        after = max(self.journal.decided_through(), self._passed)
        sources = (entry for entry in self.journal.entries(after) if entry.kind in SOURCE_KINDS)
        return store.portion(sources, BATCH, BATCH_PARTS)

    def _decide(self, batch: list[Entry]) -> None:
        at = max(datetime.now(UTC), batch[-1].at)
        made: list[tuple[str, list[Part], int]] = []
        with self.state_at_risk():
            for entry in batch:
                kind, parts = decide_entry(entry, self.state, self.journal, at, self.echoed)
                if parts:
                    made.append((kind, parts, entry.seq))
            for _, parts, _ in made:
                self._outcomes |= {part.request: part for part in parts if isinstance(part, OutcomePart)}
            stored: list[Entry] = []
            with self.journal.transaction():
                for kind, parts, through in made:
                    stored.append(self.journal.append(kind, parts, at=at, through=through))
            if any(entry.at != at for entry in stored):
                self._state = None  # another process wrote a later instant meanwhile: what we noted is not what is kept
        self._passed = batch[-1].seq
        self._follow_journal()

    def preview(self, request: Entry) -> None:
        """Show here at once, in the private copy, what the owner will decide on a request, until it has decided."""
        with self.guard:
            finder = self.finder()
            kind, parts = decide_entry(request, self.state, self.journal, request.at, self.echoed)
            entry = KINDS[kind].model_validate({"seq": finder.lexicon.through, "at": request.at, "parts": tuple(parts)})
            store.preview(self.engine, entry)  # type: ignore[arg-type]
            finder.preview(entry, self.state)  # type: ignore[arg-type]
            self._previewed = request.seq

    def undecided_count(self) -> int:
        """Count the source entries that wait for a decision."""
        return self.journal.count_sources(max(self._passed, self.journal.decided_through()))

    def outcome(self, request: int) -> OutcomePart | None:
        """Give what became of a request decided on in this process."""
        return self._outcomes.pop(request, None)

    def echoed(self, text: str, said_at: datetime) -> turns.Echo:
        """Give the test of whether a span of a text recorded then only repeats what this memory handed out before."""
        return echo.echoed(self.work, text, said_at)

    def setting(self, name: str) -> Any:
        """Give a setting in force."""
        return {**DEFAULTS, **self.journal.settings()}[name]

    def record(self, kind: str, parts: list[Part], at: datetime) -> Entry:
        """Append a decision of the owner's own, made after catching up at `at`, and apply it; the state followed."""
        with self.guard, self.state_at_risk():
            entry = self.journal.append(kind, parts, at=at, through=max(self._passed, self.journal.decided_through()))
            if entry.at != at:
                self._state = None
            self._follow_journal()
            return entry

    def _follow_journal(self) -> None:
        """Apply every entry the graph lacks, in bounded transactions."""
        if self._previewed and self.journal.decided_through() >= self._previewed:
            self._previewed = 0  # the decision is there: what was shown of it goes with the copy
            self._drop_engine()
        engine, end = self.engine, self.journal.last_seq()
        while (before := store.applied(engine)) < end:
            entries = store.portion(self.journal.entries(before, end), 4 * BATCH, 4 * BATCH_PARTS)
            try:
                store.apply(engine, entries, hash_of=self.journal.entry_hash)
            except EngineError as error:
                if not self.is_owner:
                    raise
                _log.warning("the graph refused an entry: %s", error)
                self._engine = None
                engine.close()
                engine = self._engine = graphs.repair(
                    self.layout, self.journal, str(error), pool_mb=self.pool_mb, progress=self.progress
                )
                self._state = None
                continue
            if not self.is_owner and self._state is not None:
                for entry in entries:
                    if entry.kind not in SOURCE_KINDS:
                        self._state.follow(entry.parts, entry.at)
        self._applied = before

    # -------------------------------------------------------------- life
    def rebuild(self, progress: Progress | None = None) -> None:
        """Throw the graph away and replay the journal."""
        self.require_owner("rebuild")
        with self.guard:
            self._drop_engine()
            self._engine = graphs.build(
                self.layout, self.journal, self.layout.engine, pool_mb=self.pool_mb, progress=progress
            )
            self.finder().rebuild()
            self.finder()

    def _summarise_open_turns(self) -> None:
        """Summarise, at a clean close, the turns that are still open in the threads written to here."""
        threads, self.touched = sorted(self.touched), set()
        settings = {**DEFAULTS, **self.journal.settings()}
        if not (self.is_owner and settings["rules"] and threads):
            return
        self.catch_up()
        if self._undecided():  # a long backlog: it and the open turns are for the next opening
            return
        decision = Decision(self.state, datetime.now(UTC), "rule")
        with self.state_at_risk(), self.journal.transaction() as keys:
            for thread in threads:
                state = keys.thread(thread)
                if state is not None and state.turn_open:
                    turns.summarise_turn(
                        thread, state.turn, decision, self.journal, turns.reading_of(settings.__getitem__)
                    )
        if decision.parts:
            self.record("turn_derived", decision.parts, decision.at)

    def close(self) -> None:
        """Close everything; the owner lets go of the graph. Catching up that is under way ends with its batch."""
        self._stop.set()
        with _opening, self.guard:
            if self._closed:
                return
            try:
                self._summarise_open_turns()
            except SgraphError as error:
                _log.warning("not everything was derived at the close: %s", error)
            self._closed = True
            self._drop_engine()
            if self._lock is not None:
                self._lock.release()
                self._lock = None
            self._close_files()
            _shared.pop(self.layout.root, None)
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join()

    def _close_files(self) -> None:
        self.journal.close()
        self.work.close()

    def release(self) -> None:
        """Let one memory go; with the last one the space is closed."""
        with _opening:
            self._shared -= 1
            if self._shared <= 0:
                self.close()


def _refuse_lost_journal(found: Layout) -> None:
    """A space that has a graph had a journal: without it nothing could be replayed, so nothing is touched."""
    journal = found.journal
    if (not journal.exists() or journal.stat().st_size == 0) and found.graph_dir.exists():
        raise JournalDamaged(
            f"{journal} is missing or empty, and {found.root} holds a graph made from it: put the journal back from a "
            "backup (sgraph space restore). Nothing was changed.",
            path=str(journal),
        )


def share(
    root: Path, *, engine: str | None, settings: dict[str, Any], pool_mb: int, progress: Progress | None = None
) -> Space:
    """Give the space at a path: the one that is open in this process, or a new one."""
    real = root.expanduser().resolve()
    with _opening:
        space = _shared.get(real)
        if space is None or space.is_closed:
            try:
                space = _shared[real] = Space(
                    real, engine=engine, settings=settings, pool_mb=pool_mb, progress=progress
                )
            except OSError as error:
                raise SpaceError(f"{real} cannot be opened: {error}", path=str(real)) from error
        else:
            space.check_engine(engine)
            space.begin(settings)
        space.join()
        return space


# ------------------------------------------------------------------ one space per path and process
_shared: dict[Path, Space] = {}
_opening = threading.RLock()


def _watch(reference: weakref.ref[Space], stop: threading.Event) -> None:
    """Look at the journal once a second while the owner is idle: other processes append to it."""
    pause = IDLE_SECONDS
    while not stop.wait(pause):
        space = reference()
        if space is None:
            return
        try:
            space.catch_up()
            pause = IDLE_SECONDS
        except SpaceClosed:
            return
        except Exception:
            pause = min(2 * pause, 60.0)  # the next read meets the same error and shows it
            _log.exception("catching up in the background failed")
        del space


def _after_fork() -> None:
    global _opening
    _opening = threading.RLock()
    for space in _shared.values():
        space.after_fork()


def _close_all() -> None:
    for space in list(_shared.values()):
        with contextlib.suppress(Exception):
            space.close()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close_all)
