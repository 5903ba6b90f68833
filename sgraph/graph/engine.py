"""The engine adapter: the only module that knows Kùzu from Ladybug.

One thread at a time writes (`run` and `transaction` hold one lock); any thread reads a snapshot of its own (`read`,
`snapshot`) while the writer writes.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import importlib.util  # Kùzu looks it up as an attribute when it is handed Arrow tables or bytes
import logging
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sgraph.errors import CypherTimeout, EngineError, InvalidInput, MissingExtra
from sgraph.graph.checkpoint import guarded, restore, sibling
from sgraph.graph.connection import Connection, Result
from sgraph.graph.tables import Table, declared

_log = logging.getLogger(__name__)

_MAX_DB_SIZE = 1 << 38  # address space, not disk; must be a power of two
_CLOSE_WAL = 8 << 20  # a longer log than this is folded in at a clean close; a shorter one replays in 0.2 s
_READERS_PATIENCE = 5.0


@dataclass(frozen=True)
class _Spec:
    """What differs between the engines before a statement is run."""

    module: str
    extra: str
    settings: Mapping[str, Any]
    guarded: bool  # killed inside a checkpoint of its own the file may be lost: we checkpoint, with a copy beside it
    aborts: str  # after an error with this text, closing the database ends the process


_SPECS: Mapping[str, _Spec] = MappingProxyType(
    {
        "kuzu": _Spec("kuzu", "", settings={"auto_checkpoint": False}, guarded=True, aborts=""),
        "ladybug": _Spec("ladybug", "ladybug", settings={}, guarded=False, aborts="Cannot write to file"),
    }
)
ENGINES: tuple[str, ...] = tuple(_SPECS)


def _module(name: str) -> Any:
    if name not in _SPECS:
        raise InvalidInput(f"no engine is called {name!r}; there are {', '.join(ENGINES)}", field="engine", value=name)
    for other in ENGINES:
        if other != name and _SPECS[other].module in sys.modules:
            raise EngineError(f"{other} is loaded, and {name} cannot be in one process with it", engine=name)
    spec = _SPECS[name]
    try:
        return importlib.import_module(spec.module)
    except ModuleNotFoundError as error:
        package = f"sgraph-memory[{spec.extra}]" if spec.extra else spec.module
        text = f"the engine {name} is not installed: pip install '{package}'"
        raise MissingExtra(text, extra=spec.extra, package=spec.module) from error


def storage_version(name: str) -> int:
    """Return the version of the engine's file format. A later engine may open older files, and then only it can."""
    return int(_module(name).Database.get_storage_version())


def is_guarded(name: str) -> bool:
    """Tell whether we do the engine's checkpoints, each with a copy beside the database."""
    return _SPECS[name].guarded


class Engine:
    """One open database. Made by `open_engine`; usable from several threads, not after a fork."""

    def __init__(self, name: str, path: Path, *, read_only: bool, buffer_pool_mb: int) -> None:
        self.name = name
        self.path = path
        self.read_only = read_only
        self._spec = _SPECS[name]
        self._module = _module(name)
        self._pool = buffer_pool_mb << 20
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._state = "idle"  # open: in a transaction; broken: in one that the engine has rolled back; stopped; closed
        self._tables: dict[str, Table] = {}
        self._readers: list[Connection] = []
        self._reading = 0
        self._checkpointing = False
        self._gate = threading.Condition()  # keeps readers and checkpoints apart
        with self._failures(f"open {path}"):
            self._database = self._module.Database(
                str(path),
                read_only=read_only,
                buffer_pool_size=self._pool,
                max_db_size=_MAX_DB_SIZE,
                **self._spec.settings,
            )
            self._writer = self._connect()
            if self._spec.guarded and not read_only:
                self._writer.command("CALL force_checkpoint_on_close=false")

    def _connect(self) -> Connection:
        return Connection(self._module, self._module.Connection(self._database))

    # --- statements ---------------------------------------------------------------------------------------------

    def run(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> Result:
        """Run one statement on the writing connection, inside the open transaction or committed by itself.

        Parameters that the query does not name are left out; one that it names must be given. Instants go in aware and
        come out in UTC; a list never comes out as None. `timeout` is in seconds.
        Raises EngineError, CypherTimeout, InvalidInput.
        """
        with self._exclusive(), self._writing(query, timeout):
            return self._writer.run(query, params or {}, timeout, None)

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Result:
        """Run one query in a READ ONLY transaction of its own: it sees what is committed now and cannot write."""
        with self.snapshot() as snapshot:
            return snapshot.read(query, params, timeout=timeout, limit=limit)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Open a READ ONLY transaction for several queries that see one state, whatever the writer does meanwhile."""
        connection = self._borrow()
        clean = False
        try:
            with self._failures("BEGIN"):
                connection.command("BEGIN TRANSACTION READ ONLY")
            yield Snapshot(self, connection)
            with self._failures("COMMIT"):
                connection.command("COMMIT")
            clean = True
        finally:
            self._give_back(connection, clean)

    def _borrow(self) -> Connection:
        self._check()
        with self._gate:
            self._gate.wait_for(lambda: not self._checkpointing)
            self._check()
            with self._failures("connect"):
                connection = self._readers.pop() if self._readers else self._connect()
            self._reading += 1
            return connection

    def _give_back(self, connection: Connection, clean: bool) -> None:
        if not clean:  # whether its transaction still runs depends on the error, so the connection is dropped
            with contextlib.suppress(Exception):
                connection.close()
        with self._gate:
            self._reading -= 1
            if clean:
                self._readers.append(connection)
            self._gate.notify_all()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Write several statements as one: all or nothing. Other writers wait; it cannot be nested.

        Any exception rolls back and goes on to the caller. An EngineError from the commit itself carries
        `outcome="unknown"`: the commit may stand, so look at `Meta` before writing again.
        """
        with self._exclusive():
            if self.in_transaction:
                raise EngineError("a transaction is already open", engine=self.name)
            self._begin()
            tables = self._tables
            try:
                yield
                self._commit()
            except BaseException:
                self._tables = tables  # what was defined inside is gone
                self._writer.forget()
                with contextlib.suppress(Exception):  # mostly the engine has rolled back by itself
                    self._writer.command("ROLLBACK")
                raise
            finally:
                if self.in_transaction:
                    self._state = "idle"
            self._checkpoint_if_due(self._pool // 8)

    @property
    def in_transaction(self) -> bool:
        """True inside `transaction()`."""
        return self._state in ("open", "broken")

    def _begin(self) -> None:
        try:
            with self._failures("BEGIN"):
                self._writer.command("BEGIN TRANSACTION")
        except EngineError:
            # The next query on this connection would crash the process; closing it is safe.
            self._writer.close()
            self._writer = self._connect()
            raise
        self._state = "open"

    def _commit(self) -> None:
        with self._writing("COMMIT"):
            try:
                with self._failures("COMMIT"):
                    self._writer.command("COMMIT")
            except EngineError as error:
                error.details["outcome"] = "unknown"
                raise

    def define(self, statement: str) -> None:
        """Run one statement that changes the schema, and forget everything prepared against the old one."""
        with self._exclusive(), self._writing(statement):
            self._writer.command(statement)
            self._tables = {}
            self._writer.forget()
            with self._gate:
                for connection in self._readers:
                    connection.forget()

    def load(self, table: str, data: Any) -> None:
        """Append an Arrow table by COPY; the engine checkpoints by itself afterwards, unguarded. See `write.copy`."""
        with self._exclusive():
            if self.in_transaction:
                raise EngineError("COPY cannot be part of a transaction", engine=self.name)
            with self._writing(f"COPY {table}"):
                self._writer.command(f"COPY {table} FROM $data", {"data": data})

    def tables(self) -> Mapping[str, Table]:
        """Return the declared tables by name, in order of definition."""
        self._check()
        if tables := self._tables:  # without waiting for a writer
            return tables
        with self._exclusive():
            self._tables = declared(lambda query: self.run(query).rows)
            return self._tables

    def table(self, name: str) -> Table:
        """Return one declared table. Raises InvalidInput when there is none."""
        try:
            return self.tables()[name]
        except KeyError:
            raise InvalidInput(f"the graph has no table {name!r}", field="table", value=name) from None

    # --- checkpoints and the end --------------------------------------------------------------------------------

    @property
    def wal_bytes(self) -> int:
        """The length of the engine's write-ahead log."""
        try:
            return sibling(self.path, ".wal").stat().st_size
        except FileNotFoundError:
            return 0

    def checkpoint(self) -> bool:
        """Fold the log into the file; False when readers did not let go in time, and the log stays as it is.

        Safe against a kill on both engines. Raises EngineError when it fails; the log then still holds everything.
        """
        with self._exclusive():
            if self.in_transaction:
                raise EngineError("a checkpoint cannot be part of a transaction", engine=self.name)
            with self._gate:
                self._checkpointing = True
                quiet = self._gate.wait_for(lambda: not self._reading, _READERS_PATIENCE)
            try:
                if quiet:
                    with self._writing("CHECKPOINT"):
                        if self._spec.guarded:
                            guarded(self.path, lambda: self._writer.command("CHECKPOINT"))
                        else:
                            self._writer.command("CHECKPOINT")
                return quiet
            finally:
                with self._gate:
                    self._checkpointing = False
                    self._gate.notify_all()

    def _checkpoint_if_due(self, limit: int) -> None:
        # Without any, Kùzu fails with "buffer pool is full" at a log of about 0.22 of the pool.
        if self._spec.guarded and not self.read_only and self.wal_bytes > limit:
            try:
                self.checkpoint()
            except EngineError as error:
                _log.warning("the checkpoint is put off: %s", error)

    def close(self) -> None:
        """Close the database. Again, or in a forked child, it does nothing."""
        if os.getpid() != self._pid or self._state == "closed":
            return
        with self._lock:
            if self._state == "stopped":
                _immortal(self)
            else:
                self._checkpoint_if_due(_CLOSE_WAL)
                with self._gate:
                    self._gate.wait_for(lambda: not self._reading, _READERS_PATIENCE)
                for connection in (*self._readers, self._writer):
                    connection.close()
                self._database.close()
            self._state = "closed"
        _forget(self)

    def _check(self) -> None:
        if os.getpid() != self._pid:
            text = f"the graph was opened by process {self._pid}: after a fork, open the space again"
            raise EngineError(text, engine=self.name)
        if self._state in ("closed", "stopped"):
            raise EngineError(f"the graph is {self._state}", engine=self.name)

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        self._check()  # first: after a fork the lock may be held by a thread that is not there
        with self._lock:
            self._check()
            yield

    @contextlib.contextmanager
    def _writing(self, query: str, timeout: float | None = None) -> Iterator[None]:
        """Guard a use of the writing connection, and remember what an error does to it."""
        if self._state == "broken":
            raise EngineError("the transaction was rolled back by an earlier error", engine=self.name)
        try:
            with self._failures(query, timeout):
                yield
        except (EngineError, CypherTimeout) as error:
            if self._state == "open":
                self._state = "broken"
            if self._spec.aborts and self._spec.aborts in error.message:
                self._state = "stopped"
            raise

    @contextlib.contextmanager
    def _failures(self, query: str, timeout: float | None = None) -> Iterator[None]:
        """Turn whatever the engine raises (RuntimeError, IndexError, MemoryError) into an error of ours."""
        try:
            yield
        except (EngineError, InvalidInput):
            raise
        except Exception as error:
            if timeout and "Interrupted" in str(error):
                raise CypherTimeout(f"the query ran past {timeout:g} seconds", seconds=timeout) from error
            raise EngineError(str(error), engine=self.name, query=query[:500]) from error


@dataclass(frozen=True)
class Snapshot:
    """One state of the graph, read with as many queries as wanted. Made by `Engine.snapshot`."""

    _engine: Engine
    _connection: Connection

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Result:
        """Run one query as `Engine.run` does, at most `limit` rows. After an error the snapshot is over."""
        with self._engine._failures(query, timeout):
            return self._connection.run(query, params or {}, timeout, limit)


# --- the databases this process has open ------------------------------------------------------------------------

_open: dict[Path, Engine] = {}
_open_lock = threading.Lock()


def open_engine(name: str, path: Path, *, read_only: bool = False, buffer_pool_mb: int = 256) -> Engine:
    """Open (or create) the database at `path`. A process opens a path once: a second time is an EngineError.

    Two handles on one file would each lose what the other wrote. An unfinished checkpoint is undone first.
    Raises MissingExtra, EngineError.
    """
    _module(name)
    real = Path(os.path.realpath(path))
    with _open_lock:
        if real in _open:
            raise EngineError(f"{path} is already open in this process", engine=name, path=str(path))
        if _SPECS[name].guarded and not read_only:
            restore(real)
        engine = Engine(name, real, read_only=read_only, buffer_pool_mb=buffer_pool_mb)
        _open[real] = engine
        return engine


def _forget(engine: Engine) -> None:
    with _open_lock:
        _open.pop(engine.path, None)


def _immortal(engine: Engine) -> None:
    """Never let the engine's destructors run: they would hang in a forked child, or abort after a failed write."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))


def _after_fork() -> None:
    global _open_lock
    _open_lock = threading.Lock()
    for engine in _open.values():
        _immortal(engine)
    _open.clear()


def _close_all() -> None:
    for engine in list(_open.values()):
        with contextlib.suppress(Exception):
            engine.close()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close_all)
