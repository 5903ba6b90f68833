"""Named queries: `queries/*.cypher`, one file each, and how their parameters are filled from text.

A file begins with its title, its parameters and its columns, each as one comment line:

    // What holds of a person, project or thing now, and since when.
    // params: name (text), now (time, default now)
    // columns: key, value, since

Types: `text`; `int`; `time`, an instant; `day`, a calendar day that becomes two instants, `<name>_start` and
`<name>_end`. A default is `none`, `now`, or a value of the type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Any

from sgraph.errors import InvalidInput, InvalidTime, NotFound
from sgraph.graph.connection import Result
from sgraph.graph.engine import Engine
from sgraph.records.base import Record
from sgraph.resources import resource_dir

_HEADER = re.compile(r"// (?P<title>.+)\n// params: (?P<params>.+)\n// columns: (?P<columns>.+)\n\s*(?P<text>[^\0]+)")
_PARAM = re.compile(r"(?P<name>\w+) \((?P<type>\w+)(?:, default (?P<default>[^)]+))?\)")


class Param(Record):
    """One parameter: its name, its type, and its default as text (None: it must be given)."""

    name: str
    type: str
    default: str | None = None


class NamedQuery(Record):
    """A query with a name: what it answers, what it takes, what it returns."""

    name: str
    title: str
    params: tuple[Param, ...]
    columns: tuple[str, ...]
    text: str


@cache
def catalogue() -> dict[str, NamedQuery]:
    """Read all named queries, by name, in alphabetical order."""
    files = sorted(resource_dir("queries").glob("*.cypher"))
    return {file.stem: _parse(file.stem, file.read_text(encoding="utf-8")) for file in files}


def _parse(name: str, source: str) -> NamedQuery:
    header = _HEADER.fullmatch(source)
    if header is None:
        raise InvalidInput(f"queries/{name}.cypher lacks its header: title, params, columns", field="query", value=name)
    params = tuple(Param(**found.groupdict()) for found in _PARAM.finditer(header["params"]))
    columns = tuple(column.strip() for column in header["columns"].split(","))
    return NamedQuery(name=name, title=header["title"], params=params, columns=columns, text=header["text"].strip())


def find(name: str) -> NamedQuery:
    """Return one named query. Raises NotFound, naming those there are."""
    try:
        return catalogue()[name]
    except KeyError:
        known = ", ".join(catalogue())
        raise NotFound(f"no query is called {name!r}; there are {known}", kind="query", id=name) from None


def run(
    engine: Engine,
    name: str,
    given: Mapping[str, Any],
    *,
    now: datetime,
    zone: tzinfo = UTC,
    timeout: float = 30.0,
    limit: int | None = None,
) -> Result:
    """Run a named query in a snapshot of its own. `given` holds values, or text to be read as the parameter's type.

    Times without an offset are read in `zone`; `now` (aware) is what a default of `now` stands for. Rows come in the
    order the query states. Raises NotFound, InvalidInput (a parameter that is missing, unknown or unreadable).
    """
    query = find(name)
    return engine.read(query.text, bind(query, given, now=now, zone=zone), timeout=timeout, limit=limit)


def bind(query: NamedQuery, given: Mapping[str, Any], *, now: datetime, zone: tzinfo = UTC) -> dict[str, Any]:
    """Turn what was given into the parameters of the query. See `run`."""
    takes = ", ".join(f"{param.name} ({param.type})" for param in query.params) or "no parameters"
    if unknown := sorted(given.keys() - {param.name for param in query.params}):
        raise InvalidInput(f"{query.name} does not take {', '.join(unknown)}: it takes {takes}", field=unknown[0])
    required = [param.name for param in query.params if param.default is None]
    if missing := [name for name in required if given.get(name) in (None, "")]:
        raise InvalidInput(f"{query.name} needs {', '.join(missing)}: it takes {takes}", field=missing[0])
    bound: dict[str, Any] = {}
    for param in query.params:
        value = given.get(param.name, param.default)
        if value == "now" and param.type == "time":
            value = now
        if param.default == "none" and value in ("none", "", None):
            bound[param.name] = None
        else:
            bound |= _READERS[param.type](param.name, value, zone)
    return bound


def _text(name: str, value: Any, zone: tzinfo) -> dict[str, Any]:
    return {name: " ".join(str(value).split())}


def _int(name: str, value: Any, zone: tzinfo) -> dict[str, Any]:
    try:
        return {name: int(value)}
    except ValueError:
        raise InvalidInput(f"{name}: {value!r} is not a whole number", field=name, value=str(value)) from None


def _time(name: str, value: Any, zone: tzinfo) -> dict[str, Any]:
    try:
        instant = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    except ValueError:
        text = f"{name}: {value!r} is not a time; write 2026-03-01, 2026-03-01T09:30 or with an offset, …+01:00"
        raise InvalidTime(text, field=name, value=str(value)) from None
    return {name: instant if instant.tzinfo else instant.replace(tzinfo=zone)}


def _day(name: str, value: Any, zone: tzinfo) -> dict[str, Any]:
    try:
        day = value if isinstance(value, date) else date.fromisoformat(str(value).strip())
    except ValueError:
        text = f"{name}: {value!r} is not a day; write 2026-03-01"
        raise InvalidTime(text, field=name, value=str(value)) from None
    return {
        f"{name}_start": datetime.combine(day, time(), zone),
        f"{name}_end": datetime.combine(day + timedelta(days=1), time(), zone),
    }


_READERS: Mapping[str, Callable[[str, Any, tzinfo], dict[str, Any]]] = {
    "text": _text,
    "int": _int,
    "time": _time,
    "day": _day,
}
