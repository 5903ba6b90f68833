"""Reading conversation files: which form a file has, and its messages in order."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sgraph.errors import InvalidInput, NotFound
from sgraph.transfer.chatgpt import read_conversations
from sgraph.transfer.items import Clock, Item
from sgraph.transfer.locomo import is_sample, read_samples
from sgraph.transfer.messages import read_lines, read_list

Format: TypeAlias = Literal["jsonl", "messages", "locomo", "chatgpt"]

_READERS: dict[str, Callable[[Any, str, Clock], Iterator[Item]]] = {
    "messages": read_list, "locomo": read_samples, "chatgpt": read_conversations,
}  # fmt: skip


def detect(path: str | Path) -> Format:
    """Tell which form a file has, from what it holds. Raises `NotFound` or `InvalidInput`."""
    return _opened(Path(path))[0]


def read(path: str | Path, *, zone: tzinfo = UTC, at: datetime | None = None) -> Iterator[Item]:
    """Read a conversation file, item by item in the file's order.

    Whatever cannot be used is yielded as `Skipped`; one bad item never loses the file. Times without an offset are
    read in `zone`; a message for which no time is known at all gets `at` (default: now). JSON lines are read as a
    stream, the other forms are loaded whole. Raises `NotFound` when there is no such file and `InvalidInput` when it
    has none of the forms.
    """
    file = Path(path)
    form, data = _opened(file)
    clock = Clock(zone, at or datetime.now(UTC))
    return read_lines(file, clock) if form == "jsonl" else _READERS[form](data, file.stem, clock)


def _opened(path: Path) -> tuple[Format, Any]:
    """Return the form of a file, and its content unless it is read as a stream."""
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}", kind="file", id=str(path))
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return "jsonl", None
    try:
        data = _zipped(path) if zipfile.is_zipfile(path) else json.loads(path.read_bytes())
    except (ValueError, RecursionError, zipfile.BadZipFile) as error:
        if _has_lines(path):
            return "jsonl", None
        raise InvalidInput(f"{path.name} is neither JSON nor JSON lines", field="path", value=str(path)) from error
    form = _form(data)
    if form is None:
        raise InvalidInput(f"{path.name} holds no conversation in a known form", field="path", value=str(path))
    return form, data


def _zipped(path: Path) -> Any:
    """Return the conversations of an export that is still zipped, of all its parts."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if fnmatch(Path(name).name, "conversations*.json"))
        parts = [json.loads(archive.read(name)) for name in names]
    if not parts:
        raise ValueError("the archive holds no conversations.json")
    return [conversation for part in parts for conversation in (part if isinstance(part, list) else [part])]


def _form(data: Any) -> Format | None:
    entries = data if isinstance(data, list) else [data]
    objects = [entry for entry in entries if isinstance(entry, Mapping)]
    if any("mapping" in entry for entry in objects):
        return "chatgpt"
    if any(is_sample(entry) for entry in objects):
        return "locomo"
    if isinstance(data, Mapping) and data.keys() & {"submit", "content"}:
        return "jsonl"  # a file of one line
    if any(entry.keys() & {"messages", "role", "content"} for entry in objects) or data == []:
        return "messages"
    return None


def _has_lines(path: Path) -> bool:
    """Tell whether one of the first lines of a file is a JSON object."""
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for _, line in zip(range(50), file, strict=False):
            text = line.lstrip("\ufeff").strip()
            try:
                if text.startswith("{") and isinstance(json.loads(text), dict):
                    return True
            except (ValueError, RecursionError):
                continue
    return False
