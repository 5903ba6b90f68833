"""Where a space stands."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sgraph.records.results import Status
from sgraph.resources import resource_dir
from sgraph.space.settings import DEFAULTS
from sgraph.space.space import Space


def status(space: Space) -> Status:
    """Count and measure, without catching up."""
    journal, layout = space.journal, space.layout
    decided = journal.decided_through()
    kinds = dict(journal.rows("SELECT kind, count(*) FROM entries GROUP BY kind"))
    counts = {
        "threads": _count(space, "keys_threads"), "messages": _count(space, "keys_messages"),
        "blocks": _count(space, "keys_blocks"),
    }
    known = (resource_dir("queries") / "read" / "counts.cypher").read_text("utf-8")
    counts |= dict(space.engine.read(known).rows)
    return Status(
        path=str(layout.root), id=layout.id, engine=layout.engine, owner=space.is_owner, holder=str(space.holder()),
        entries=journal.last_seq(), derived_through=decided, undecided=space.undecided_count(), counts=counts,
        quarantined=int(kinds.get("refused", 0)), settings={**DEFAULTS, **journal.settings()},
        bytes={"journal": _size(layout.journal), "graph": _size(layout.graph_dir), "lexicon": _size(layout.lexicon)},
    )


def _count(space: Space, table: str) -> int:
    return int(space.journal.rows(f"SELECT count(*) FROM {table}")[0][0])


def _size(path: Path) -> int:
    total = 0
    for file in path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*"):
        with contextlib.suppress(FileNotFoundError):  # logs come and go while others write
            total += file.stat().st_size if file.is_file() else 0
    return total
