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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
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
    """One line of text; it is wrapped under its own indent."""

    text: str = ""
    indent: int = 0
    style: str = ""


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
        _table(columns, cells)
        return
    if shown.lines is None:
        _readable(columns, rows, cells)
    else:
        _lines(shown.lines)
    if shown.hints and not quiet:
        _lines([Line(), *(Line(f"→ {hint}", style="dim") for hint in shown.hints)])


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
    if isinstance(value, bool | int | float | date):
        return str(value).lower() if isinstance(value, bool) else str(value)
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
def console() -> Console:
    """Give the console on stdout: the terminal's width, else COLUMNS, else 80; colour on a terminal only."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS") or WIDTH)
    return Console(width=width, highlight=False, markup=False, emoji=False)


def _lines(lines: Iterable[Line | str]) -> None:
    from rich.text import Text

    out = console()
    for line in lines:
        text, indent, style = line if isinstance(line, Line) else Line(line)
        whole, room = Text(clean(text), style=style), max(20, out.width - indent)
        parts = [whole] if whole.cell_len <= room else whole.wrap(out, room - 2)
        for number, part in enumerate(parts):
            part.rstrip()
            lead = " " * (indent + (2 if number else 0) if text else 0)
            out.print(Text(lead).append_text(part), soft_wrap=True)


def _table(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        number = bool(cells) and all(_is_number(row[index]) for row in cells)
        table.add_column(Text(clean(column)), overflow="fold", justify="right" if number else "left")
    for row in cells:
        table.add_row(*map(Text, row))
    console().print(table)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", cell) is not None


def _readable(columns: Sequence[str], rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[str]]) -> None:
    """Show rows as a table where one fits, if need be without columns that say nothing or hold ids; else as records."""
    telling = [i for i in range(len(columns)) if not all(_says_nothing(row[i]) for row in rows)]
    for chosen in (range(len(columns)), telling):
        if _width(columns, cells, chosen) <= console().width:
            _table([columns[i] for i in chosen], [[row[i] for i in chosen] for row in cells])
            left = [columns[i] for i in range(len(columns)) if i not in chosen]
            if left:
                _lines([Line(f"(not shown: {', '.join(left)}; -o json has all)", style="dim")])
            return
    name = max(map(len, columns))
    for number, row in enumerate(cells):
        _lines([*([Line()] if number else []), *(f"{c:<{name}}  {one_line(v)}" for c, v in zip(columns, row, strict=True) if v)])


def _width(columns: Sequence[str], cells: Sequence[Sequence[str]], chosen: Iterable[int]) -> int:
    from rich.cells import cell_len

    widths = [max([cell_len(columns[i]), *(cell_len(part) for row in cells for part in row[i].split("\n"))]) for i in chosen]
    return sum(widths) + 3 * (len(widths) - 1)


def _says_nothing(value: Any) -> bool:
    if isinstance(value, str) and len(value) == 36:
        try:
            uuid.UUID(value)
        except ValueError:
            return False
        return True
    return value in (None, False, "", [])
