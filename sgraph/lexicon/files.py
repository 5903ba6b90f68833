"""The index directory: only files that we wrote are ever given to Whoosh, which unpickles what it reads.

The SHA-256 of every file is recorded before the table of contents (TOC) that names it is renamed into place. So a TOC
without a record, or a file that differs from its record, was not written by us: `check` refuses the directory as a
whole, and the caller puts it away and builds the index anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from whoosh.filedb.filestore import FileStorage

from sgraph.errors import EngineError
from sgraph.lexicon.fields import FORMAT

_TOC = re.compile(r"_MAIN_([0-9]+)\.toc")
_PART = re.compile(r"MAIN_[0-9a-z]+\..+|_MAIN_[0-9]+\.toc.*")
_FORMAT = "format"
_THROUGH = "through:"


class Digests(Protocol):
    """A small mapping that is kept elsewhere, written as a whole."""

    def get(self) -> Mapping[str, str]:
        """Give what was set last; nothing if nothing ever was."""

    def set(self, digests: Mapping[str, str]) -> None:
        """Keep this mapping in place of the one before, durably, before returning."""


class RecordedStorage(FileStorage):
    """A directory that records what is in it just before Whoosh makes it current."""

    def __init__(self, path: Path, digests: Digests) -> None:
        super().__init__(str(path))  # type: ignore[no-untyped-call]
        self._path = path
        self._digests = digests
        #: The journal entry that the TOC about to be written reaches.
        self.through = 0

    def rename_file(self, oldname: str, newname: str, safe: bool = False) -> Any:
        """Record every new file, and the TOC under its coming name, then rename it."""
        if _TOC.fullmatch(newname):
            present = {path.name for path in self._path.iterdir() if _PART.fullmatch(path.name)}
            before = self._digests.get()
            known = {name: value for name, value in before.items() if name.removeprefix(_THROUGH) in present}
            new = {name: _digest(self._path / name) for name in present - known.keys() if not _TOC.match(name)}
            toc = {newname: _digest(self._path / oldname), f"{_THROUGH}{newname}": str(self.through)}
            self._digests.set(known | new | toc | {_FORMAT: FORMAT})
        return super().rename_file(oldname, newname, safe)  # type: ignore[no-untyped-call]


def check(path: Path, digests: Mapping[str, str]) -> int | None:
    """Say up to which journal entry the index reaches; None if there is no index yet.

    Raises EngineError (`details`: path, reason, file) with reason `foreign` when a file is not the one we wrote, and
    `format` when it was written by another version of the analysis or of the field table.
    """
    tocs = _tocs(path)
    if not tocs:
        return None
    for name in tocs:
        if name not in digests:
            raise EngineError(
                "The index holds a file that was not written by sgraph.", reason="foreign", path=str(path), file=name
            )
    if digests.get(_FORMAT) != FORMAT:
        raise EngineError("The index was written by another version.", reason="format", path=str(path), file="")
    for name, digest in digests.items():
        file = path / name
        if _PART.fullmatch(name) and file.exists() and _digest(file) != digest:
            raise EngineError("An index file was changed.", reason="foreign", path=str(path), file=name)
    return int(digests.get(f"{_THROUGH}{tocs[-1]}", "0"))


def current(path: Path) -> str:
    """Name the file that makes the index what it is now; empty if there is no index."""
    return (_tocs(path) or [""])[-1]


def clear_orphans(path: Path, digests: Mapping[str, str]) -> None:
    """Delete what a killed writer left: index files that no TOC names. Call it only where no writer is at work."""
    for file in path.iterdir():
        if _PART.fullmatch(file.name) and file.name not in digests:
            file.unlink()


def _tocs(path: Path) -> list[str]:
    """Name the tables of contents, oldest first."""
    found = (_TOC.fullmatch(entry.name) for entry in path.iterdir())
    return [toc[0] for toc in sorted((toc for toc in found if toc), key=lambda toc: int(toc[1]))]


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
