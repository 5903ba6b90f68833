"""One connection to an open database: statements prepared once and reused, results read and closed."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sgraph.errors import InvalidInput
from sgraph.graph.tokens import parameters
from sgraph.graph.values import reader, storable

_KEPT_STATEMENTS = 256  # a statement that is not reused costs memory that one engine never gives back


@dataclass(frozen=True)
class Result:
    """Columns and rows of one statement. `more`: the limit cut rows off."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    more: bool = False

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass
class Connection:
    """Used by one thread at a time. `module` is the engine's Python package, `handle` its own connection."""

    module: Any
    handle: Any
    _statements: OrderedDict[str, tuple[Any, frozenset[str]]] = field(default_factory=OrderedDict)
    _timeout_ms: int = 0

    def command(self, text: str, params: Mapping[str, Any] | None = None) -> None:
        """Run, unprepared, a statement without rows: BEGIN, COMMIT, DDL, COPY, CALL of a setting."""
        self.handle.execute(text, dict(params or {})).close()

    def run(self, query: str, params: Mapping[str, Any], timeout: float | None, limit: int | None) -> Result:
        """Run one statement with exactly the parameters it names; read at most `limit` rows."""
        statement, names = self._prepared(query)
        if missing := sorted(names - params.keys()):
            raise InvalidInput(f"the query needs ${', $'.join(missing)}", field="params", value=missing)
        values = {name: storable(params[name], name) for name in names}
        self._limit_time(timeout)
        with contextlib.closing(self.handle.execute(statement, values)) as result:
            rows = result.get_all() if limit is None else result.get_n(limit + 1)
            readers = [reader(kind) for kind in result.get_column_data_types()]
            columns = list(result.get_column_names())
        more = limit is not None and len(rows) > limit
        if any(readers):
            rows = [[read(value) if read else value for read, value in zip(readers, row, strict=True)] for row in rows]
        return Result(columns, [tuple(row) for row in rows[:limit]], more)

    def _prepared(self, query: str) -> tuple[Any, frozenset[str]]:
        found = self._statements.get(query)
        if found is None:
            found = self.module.PreparedStatement(self.handle, query), parameters(query)
            self._statements[query] = found
            if len(self._statements) > _KEPT_STATEMENTS:
                self._statements.popitem(last=False)
        else:
            self._statements.move_to_end(query)
        return found

    def _limit_time(self, timeout: float | None) -> None:
        timeout_ms = max(1, round(timeout * 1000)) if timeout else 0
        if timeout_ms != self._timeout_ms:
            self.handle.set_query_timeout(timeout_ms)
            self._timeout_ms = timeout_ms

    def forget(self) -> None:
        """Drop the prepared statements: the schema they were prepared against has changed."""
        self._statements.clear()

    def close(self) -> None:
        """Close the connection. Statements go first: they belong to it."""
        self.forget()
        self.handle.close()
