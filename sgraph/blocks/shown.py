"""Blocks as they are shown: the level by age, the text of a level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sgraph.blocks import levels
from sgraph.blocks.decay import level as level_at
from sgraph.errors import InvalidInput, NotFound, RequestRefused
from sgraph.graph.views import text
from sgraph.journal.log import Journal
from sgraph.records.results import BlockView

FORGOTTEN = "[forgotten]"  # what stands in place of the words of a forgotten message
Run = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]


def blocks(run: Run, lam: float, thread: str | None = None) -> list[BlockView]:
    """List Blocks in order of sequence, each with the level it is shown at."""
    rows = run(text("blocks"), {})
    latest: dict[str, int] = {}
    for row in rows:
        latest[row["thread"]] = max(latest.get(row["thread"], 0), row["ready_position"] or 0)
    return [_view(row, lam, latest[row["thread"]]) for row in rows if thread is None or row["thread"] == thread]


def _view(row: dict[str, Any], lam: float, latest: int) -> BlockView:
    ready = row["state"] == "ready"
    names = ("id", "thread", "sequence", "number", "first_turn", "last_turn", "state", "title")
    return BlockView(
        **{name: row[name] for name in names}, tags=tuple(row["tags"]),
        level=level_at(latest - row["anchor_position"], row["anchor_level"], lam) if ready else None,
    )


def expand(
    run: Run, journal: Journal, lam: float, id: str, level: int | str | None, is_forgotten: Callable[[str], bool]
) -> BlockView:
    """Give a Block with the text of a level, the words of forgotten messages left out.

    Raises NotFound, and RequestRefused while it is pending.
    """
    found = next((view for view in blocks(run, lam) if view.id == id), None)
    if found is None:
        raise NotFound(f"no Block has the id {id!r}", kind="block", id=id)
    if found.level is None:
        raise RequestRefused(
            f"Block {id} is still pending: it has no summary or no events yet", reason="pending", id=id
        )
    wanted = found.level if level is None else _level(level)
    return found.model_copy(update={"level": wanted, "text": _text(run, journal, found, wanted, is_forgotten)})


def _level(level: int | str) -> int:
    try:
        wanted = int(str(level).strip().upper().removeprefix("L"))
    except ValueError:
        wanted = -1
    if not 0 <= wanted <= 5:
        raise InvalidInput("a level is a number from 0 to 5", field="level", value=level)
    return wanted


def _text(
    run: Run, journal: Journal, block: BlockView, level: int, is_forgotten: Callable[[str], bool]
) -> str:
    if level >= 3:
        kept = journal.turn_messages(block.thread, block.first_turn, block.last_turn)
        blank = {"content": FORGOTTEN, "tool_calls": None}
        messages = [message.model_copy(update=blank) if is_forgotten(message.key) else message for message in kept]
        return {3: levels.l3, 4: levels.l4, 5: levels.raw}[level](messages)
    row = run(text("block_summary"), {"id": block.id})[0]
    head = row["title"] + (f" [{', '.join(row['tags'])}]" if row["tags"] else "")
    if level == 0:
        return str(head)
    return str(row["summary"]) if level == 1 else "\n".join(f"- {point}" for point in row["keypoints"])
