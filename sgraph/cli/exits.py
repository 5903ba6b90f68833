"""Exit codes: one table, from the error tree to what a shell sees."""

from __future__ import annotations

from typing import NamedTuple

from sgraph import errors


class Exit(NamedTuple):
    """An exit code, what it means, and the errors it stands for (with their children, unless those have their own)."""

    code: int
    meaning: str
    errors: tuple[type[errors.SgraphError], ...] = ()


EXITS = (
    Exit(0, "done"),
    Exit(
        1,
        "refused: verify found a fault, or the record does not allow it",
        (
            errors.RequestRefused,
            errors.MessageConflict,
            errors.ReceiptConflict,
            errors.ReplyRefused,
            errors.CypherTimeout,
            errors.SgraphError,
        ),
    ),
    Exit(2, "the command or its input cannot be used", (errors.InvalidInput, errors.CypherError)),
    Exit(3, "not found: the space, a file, a name or an id", (errors.NotFound,)),
    Exit(4, "another process holds the space", (errors.SpaceLocked,)),
    Exit(5, "the space cannot be read: damaged, too new, or something else", (errors.SpaceError,)),
    Exit(
        6,
        "something it needs failed or is missing: engine, extra, model",
        (errors.EngineError, errors.MissingExtra, errors.ModelError),
    ),
    Exit(70, "a fault of sgraph itself (--debug shows where)"),
    Exit(130, "interrupted; what was recorded stays"),
)
INTERNAL, INTERRUPTED = 70, 130

_BY_CLASS = {kind: row.code for row in EXITS for kind in row.errors}


def exit_code(error: errors.SgraphError) -> int:
    """Give the exit code of an error: that of its nearest class in the table."""
    return next(_BY_CLASS[kind] for kind in type(error).__mro__ if kind in _BY_CLASS)
