"""The error tree: every error sgraph raises on purpose, one class per cause.

    SgraphError
    ├── InvalidInput            an argument is not what the verb takes
    │   ├── InvalidTime         a time that cannot be read
    │   ├── InvalidFilter       a filter that cannot be read, or is reversed
    │   └── EmptyTurn           a turn or batch without any message
    ├── NotFound                nothing of that kind has that id or name
    ├── MessageConflict         the message id is taken by other content
    ├── ReceiptConflict         the receipt is taken by other content
    ├── RequestRefused          a request that the record does not allow (says why)
    ├── ReplyRefused            a derivation broke its contract (lists path and reason)
    ├── CypherError             a query that the engine could not run (says where)
    │   ├── CypherRefused       a query that is not a single read
    │   └── CypherTimeout       a query that ran past its limit
    ├── SpaceError              the space itself
    │   ├── NotASpace           the directory is something else
    │   ├── SpaceTooNew         written by a later version
    │   ├── SpaceLocked         another process owns the graph
    │   ├── SpaceClosed         used after close()
    │   └── JournalDamaged      the record itself does not read
    ├── EngineError             the graph engine failed (the record is safe)
    ├── MissingExtra            an optional package is not installed
    └── ModelError              a model route failed
        └── NoRoute             no model is configured

Each carries `code` (stable, for programs) and `details` (the ids and values a caller needs).
"""

from __future__ import annotations

from typing import Any, ClassVar


class SgraphError(Exception):
    """The root. `code` is stable; `details` is JSON-able."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = details


class InvalidInput(SgraphError):
    """An argument is not what the verb takes. `details`: field, value."""

    code = "invalid_input"


class InvalidTime(InvalidInput):
    """A time cannot be read. `details`: field, value."""

    code = "invalid_time"


class InvalidFilter(InvalidInput):
    """A filter cannot be read, or its ends are reversed. `details`: field, value."""

    code = "invalid_filter"


class EmptyTurn(InvalidInput):
    """A turn or a batch holds no message at all."""

    code = "empty_turn"


class NotFound(SgraphError):
    """Nothing of that kind has that id or name. `details`: kind, id."""

    code = "not_found"


class MessageConflict(SgraphError):
    """The message id is taken in its thread by other content; nothing was stored. `details`: thread, id, key."""

    code = "message_conflict"


class ReceiptConflict(SgraphError):
    """The receipt is taken by other content; nothing was stored. `details`: receipt."""

    code = "receipt_conflict"


class RequestRefused(SgraphError):
    """The record does not allow the request. `details`: reason (a code), and the ids that stand in the way."""

    code = "request_refused"


class ReplyRefused(SgraphError):
    """A derivation broke its contract and was kept in quarantine. `details`: kind, target, quarantine, problems."""

    code = "reply_refused"


class CypherError(SgraphError):
    """The engine could not run the query. `details`: line, column, excerpt where known."""

    code = "cypher_error"


class CypherRefused(CypherError):
    """The query is not one single read. `details`: word, line, column."""

    code = "cypher_refused"


class CypherTimeout(CypherError):
    """The query ran past its limit. `details`: seconds."""

    code = "cypher_timeout"


class SpaceError(SgraphError):
    """The space itself: where it is, who holds it, whether it reads."""

    code = "space_error"


class NotASpace(SpaceError):
    """The directory exists and is something else. `details`: path."""

    code = "not_a_space"


class SpaceTooNew(SpaceError):
    """The space was written by a later version of sgraph. `details`: path, found, supported."""

    code = "space_too_new"


class SpaceLocked(SpaceError):
    """Another process owns the graph, and the verb needs ownership. `details`: path, pid, host."""

    code = "space_locked"


class SpaceClosed(SpaceError):
    """The memory was used after close()."""

    code = "space_closed"


class JournalDamaged(SpaceError):
    """The record itself does not read or verify. `details`: path, seq where known."""

    code = "journal_damaged"


class EngineError(SgraphError):
    """The graph engine failed; the record is safe and the graph can be rebuilt. `details`: engine."""

    code = "engine_error"


class MissingExtra(SgraphError):
    """An optional package is not installed. `details`: extra, package."""

    code = "missing_extra"


class ModelError(SgraphError):
    """A model route failed. `details`: route, status where known."""

    code = "model_error"


class NoRoute(ModelError):
    """No model is configured for the step. `details`: step."""

    code = "no_route"
