"""Backup and restore: the record as a folder of its own; the graph is replayed when the copy is opened."""

from __future__ import annotations

import shutil
from pathlib import Path

from sgraph.errors import InvalidInput, NotASpace
from sgraph.journal.log import Journal
from sgraph.space import layout
from sgraph.space.layout import Layout


def backup(source: Layout, journal: Journal, target: Path) -> Path:
    """Copy the record, consistently and online, into a folder that is new or empty; give the folder."""
    _empty(target)
    target.mkdir(parents=True, exist_ok=True)
    journal.backup(target / "journal.db")
    shutil.copyfile(source.root / "space.toml", target / "space.toml")
    return target


def restore(source: Path, target: Path) -> Path:
    """Make a space from a backup in a folder that is new or empty; give the folder. Raises NotASpace."""
    found = layout.read(source)
    if found is None or not found.journal.is_file():
        raise NotASpace(f"{source} is no backup: it lacks space.toml or journal.db", path=str(source))
    _empty(target)
    journal = Journal(found.journal)
    try:
        return backup(found, journal, target)
    finally:
        journal.close()


def _empty(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidInput(f"{target} is not empty; name a new folder", field="target", value=str(target))
