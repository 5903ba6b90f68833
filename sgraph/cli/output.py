"""What a command shows, in each form: text for a person, a table, JSON, CSV.

Words from the data are never trusted: control and direction marks come out as escapes, and nothing in them is markup.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80  # where the output is no terminal
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Form(StrEnum):
    """The forms of `-o`."""

    TEXT = "text"
    JSON = "json"
    TABLE = "table"
    CSV = "csv"


class Line(NamedTuple):
    """One line of text, wrapped under its own indent; a `whole` one is not, so that it can be copied."""

    text: str = ""
    indent: int = 0
    style: str = ""
    whole: bool = False


@dataclass(frozen=True)
class Shown:
    """What a command shows. `data` is the JSON form; without `columns` the table is that of `data`'s fields.

    Without `lines` the text form is the table where it fits, else one record under the other. `hints` say what to try
    next. Times in rows are shown in `zone`.
    """

    data: Any
    lines: Sequence[Line | str] | None = None
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    hints: Sequence[str] = ()
    zone: tzinfo = UTC
    exit_code: int = 0


def show(shown: Shown, form: Form, *, quiet: bool = False) -> None:
    """Write to stdout."""
    if form is Form.JSON:
        text = json.dumps(shown.data, ensure_ascii=False, indent=2, default=str)
        print(_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))
        return
    columns, rows = (shown.columns, shown.rows) if shown.columns else _fields(shown.data)
    if form is Form.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_SURROGATE.sub("\ufffd", plain(value, shown.zone)) for value in row] for row in rows)
        return
    cells = [[clean(plain(value, shown.zone, short=True)) for value in row] for row in rows]
    if form is Form.TABLE:
        _table(columns, cells, _width(columns, cells))
        return
    if shown.lines is None:
        _readable(columns, rows, cells)
    else:
        _lines(shown.lines)
    if shown.hints and not quiet:
        _lines([Line(), *(Line(f"→ {hint}", style="dim", whole=True) for hint in shown.hints)])


def _fields(data: Any) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    return ("field", "value"), [(key, value) for key, value in data.items()]


# ------------------------------------------------------------------ values
def clean(text: str) -> str:
    """Make text safe for a terminal: what would steer it or turn the reading direction comes out as an escape."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str, limit: int | None = None) -> str:
    """Give text on one safe line, cut to `limit` characters."""
    text = clean(" ".join(text.split()))
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def plain(value: Any, zone: tzinfo, *, short: bool = False) -> str:
    """Give a value of a cell as text: times with their offset, lists and maps as JSON. `short`: midnight is its day."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return when(value, zone) if short else value.astimezone(zone).isoformat(sep=" ")
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal | date):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def when(at: datetime | None, zone: tzinfo) -> str:
    """Give an instant in a zone: the day where it is midnight, else to the minute (or second) with the offset."""
    if at is None:
        return ""
    local = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(zone)
    if (local.hour, local.minute, local.second, local.microsecond) == (0, 0, 0, 0):
        return local.date().isoformat()
    return local.isoformat(sep=" ", timespec="seconds" if local.second else "minutes")


# ------------------------------------------------------------------ writing
def console(width: int | None = None) -> Console:
    """Give the console on stdout: as wide as the terminal; elsewhere `width` (else COLUMNS, else 80), no colour."""
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False, markup=False, emoji=False)
    columns = os.environ.get("COLUMNS", "")
    return Console(
        width=width or int(columns if columns.isdecimal() else 0) or WIDTH, highlight=False, markup=False, emoji=False
    )


def _lines(lines: Iterable[Line | str]) -> None:
    from rich.text import Text

    out = console()
    for line in lines:
        text, indent, style, whole = line if isinstance(line, Line) else Line(line)
        safe, room = Text(clean(text), style=style), max(20, out.width - indent)
        parts = [safe] if whole or safe.cell_len <= room else safe.wrap(out, room - 2)
        for number, part in enumerate(parts):
            part.rstrip()
            lead = " " * (indent + (2 if number else 0) if text else 0)
            out.print(Text(lead).append_text(part), soft_wrap=True)


def _table(columns: Sequence[str], cells: Sequence[Sequence[str]], width: int | None = None) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = console(width)
    fits = _width(columns, cells, words=True) <= out.width  # else words are broken: nothing is ever cut off
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column, values in _by_column(columns, cells):
        number = bool(values) and all(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in values)
        whole = fits and not any(" " in value for value in values)
        table.add_column(Text(clean(column)), overflow="fold", justify="right" if number else "left", no_wrap=whole)
    for row in cells:
        table.add_row(*map(Text, row))
    out.print(table)


def _readable(columns: Sequence[str], rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[str]]) -> None:
    """Show rows as a table where one fits, if need be without columns that tell little; else as records."""
    every = list(range(len(columns)))
    telling = [i for i in every if not all(_says_nothing(row[i]) for row in rows)]
    varying = [i for i in telling if len({row[i] for row in cells}) > 1]
    for chosen in (every, telling, varying):
        some = [columns[i] for i in chosen], [[row[i] for i in chosen] for row in cells]
        if chosen and _fits(*some):
            _table(*some)
            left = [columns[i] for i in every if i not in chosen]
            if left:
                _lines([Line(f"(not shown: {', '.join(left)}; -o json has all)", style="dim")])
            return
    name = max(map(len, columns))
    for number, row in enumerate(cells):
        record = [
            Line(f"{column:<{name}}  {one_line(value)}") for column, value in zip(columns, row, strict=True) if value
        ]
        _lines([Line(), *record] if number else record)


def _fits(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
    """Say whether a table fits, with a few cells on two lines if need be."""
    room = console().width
    return _width(columns, cells, words=True) <= room and _width(columns, cells) <= 1.5 * room


def _width(columns: Sequence[str], cells: Sequence[Sequence[str]], *, words: bool = False) -> int:
    """Give the width of a table with every cell on one line, or broken at every space."""
    from rich.cells import cell_len

    widths = []
    for column, values in _by_column(columns, cells):
        parts = [part for text in (column, *values) for part in (text.split() if words else text.split("\n"))]
        widths.append(max(map(cell_len, parts), default=0))
    return sum(widths) + 3 * (len(widths) - 1)


def _by_column(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    return ((column, [row[index] for row in cells]) for index, column in enumerate(columns))


def _says_nothing(value: Any) -> bool:
    """Say whether a value is empty, or an id."""
    if isinstance(value, str) and len(value) == 36:
        try:
            uuid.UUID(value)
        except ValueError:
            return False
        return True
    return value in (None, False, "", [])
