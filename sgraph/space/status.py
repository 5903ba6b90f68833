"""Where a space stands."""

from __future__ import annotations

from pathlib import Path

from sgraph.records.results import Status
from sgraph.space.space import DEFAULTS, Space


def status(space: Space) -> Status:
    """Count and measure, without catching up."""
    journal, layout = space.journal, space.layout
    decided = journal.decided_through()
    kinds = dict(journal.rows("SELECT kind, count(*) FROM entries GROUP BY kind"))
    counts = {
        "threads": _count(space, "keys_threads"), "messages": _count(space, "keys_messages"), "blocks": _count(space, "keys_blocks"),
    }
    state = space.state
    counts |= {
        "events": sum(event.state in ("active", "superseded") for event in state.events.values()),
        "entities": len({info.canon for info in state.entities.values()}),
        "facts": sum(fact.visible for fact in state.facts.values()),
    }
    return Status(
        path=str(layout.root), id=layout.id, engine=layout.engine, owner=space.is_owner, holder=str(space.holder()),
        entries=journal.last_seq(), derived_through=decided, undecided=space.undecided_count(), counts=counts,
        quarantined=int(kinds.get("refused", 0)), settings={**DEFAULTS, **journal.settings()},
        bytes={"journal": _size(layout.journal), "graph": _size(layout.graph_dir), "lexicon": _size(layout.lexicon)},
    )


def _count(space: Space, table: str) -> int:
    return int(space.journal.rows(f"SELECT count(*) FROM {table}")[0][0])


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    return sum(file.stat().st_size for file in files if file.is_file())
