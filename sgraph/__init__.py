"""sgraph: long-term memory for AI agents, kept as a property graph that can be asked in Cypher.

    import sgraph

    with sgraph.open("team.sgraph") as memory:
        memory.add_turn(user="We settled on Postgres for Heron.", assistant="Noted.", speaker="Mara")
        print(memory.recall("What database did we settle on?").cards[0].text)

Everything else is reached from `Memory`, or is an error below `SgraphError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgraph.errors import (
    CypherError,
    CypherRefused,
    CypherTimeout,
    EmptyTurn,
    EngineError,
    InvalidFilter,
    InvalidInput,
    InvalidTime,
    JournalDamaged,
    MessageConflict,
    MissingExtra,
    ModelError,
    NoRoute,
    NotASpace,
    NotFound,
    ReceiptConflict,
    ReplyRefused,
    RequestRefused,
    SgraphError,
    SpaceClosed,
    SpaceError,
    SpaceLocked,
    SpaceTooNew,
)

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.memory import open_memory as open  # noqa: A004

__version__ = "0.1.0"
__all__ = [
    "CypherError",
    "CypherRefused",
    "CypherTimeout",
    "EmptyTurn",
    "EngineError",
    "InvalidFilter",
    "InvalidInput",
    "InvalidTime",
    "JournalDamaged",
    "Memory",
    "MessageConflict",
    "MissingExtra",
    "ModelError",
    "NoRoute",
    "NotASpace",
    "NotFound",
    "ReceiptConflict",
    "ReplyRefused",
    "RequestRefused",
    "SgraphError",
    "SpaceClosed",
    "SpaceError",
    "SpaceLocked",
    "SpaceTooNew",
    "__version__",
    "open",
]
_LAZY = {"Memory": "Memory", "open": "open_memory"}  # so that `sgraph --help` need not import an engine's helpers


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from sgraph import memory

        return getattr(memory, _LAZY[name])
    raise AttributeError(f"module 'sgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
