"""Reader: the verbs that only read, each first brought to the end of the journal."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo

from sgraph.blocks import shown
from sgraph.chronology import read_instant
from sgraph.config import Config
from sgraph.errors import InvalidInput, NotFound
from sgraph.evidence import batches, echo, weights
from sgraph.graph import named, views
from sgraph.graph.connection import Result as Rows
from sgraph.graph.guard import ask
from sgraph.graph.views import Moment
from sgraph.identity import find as identity_find
from sgraph.recall import routes as routes_
from sgraph.recall.search import Result, Seeker
from sgraph.records.base import Record
from sgraph.records.evidence import OpenBatch
from sgraph.records.found import Found
from sgraph.records.results import BlockView, EntityView, EventView, Table
from sgraph.space.space import Space

if TYPE_CHECKING:  # networkx is imported when a subgraph is first asked for
    from sgraph.transfer.subgraph import Subgraph

Time = datetime | str | float | None
When = datetime | date | str | None


_REFS = ("event:", "message:", "entity:", "turn:", "fact:", "block:")


def plain_id(value: Any, field: str = "id") -> str:
    """Give the id of an evidence ref ("event:…"), or an id as it is. Raises InvalidInput for what is no text."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{field} must be text that is not blank", field=field, value=repr(value)[:80])
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{field} holds half a character", field=field, value=repr(value)[:80]) from error
    return next((value.removeprefix(ref) for ref in _REFS if value.startswith(ref)), value)


class Reader:
    """What can be asked of a memory. Thread-safe; instants it gives are aware UTC; lists say what they are ordered by.

    A read waits until what was recorded is derived. Where a verb takes `wait=` (seconds), that bounds the waiting;
    `derived_through` on the result says how far it had come.
    """

    def __init__(self, space: Space, config: Config) -> None:
        self._space, self._config = space, config
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed.is_set() else self._space.layout.engine
        return f"<Memory {self._space.layout.root} ({state})>"

    @property
    def path(self) -> Path:
        """The folder of the space."""
        return self._space.layout.root

    @property
    def zone(self) -> ZoneInfo:
        """The time zone naive times are read in."""
        return ZoneInfo(self._space.setting("timezone"))

    def close(self) -> None:
        """Let go of the space; the last memory on it closes it. Closing twice is fine."""
        if not self._closed.is_set():
            self._closed.set()
            self._space.release()

    def _instant(self, at: Time, field: str) -> datetime:
        return datetime.now(UTC) if at is None else read_instant(at, self.zone, field=field)

    def _moment(
        self, as_of: Time, known_at: Time, session: str | None = None, include_forgotten: bool = False
    ) -> Moment:
        return Moment(
            as_of=None if as_of is None else read_instant(as_of, self.zone, field="as_of"),
            known_at=None if known_at is None else read_instant(known_at, self.zone, field="known_at"),
            session=session, include_forgotten=include_forgotten,
        )

    # -------------------------------------------------------------- reading
    def cypher(
        self, query: str, params: Mapping[str, Any] | None = None, *, limit: int | None = None,
        timeout: float | None = None, wait: float | None = None,
    ) -> Table:
        """Ask the graph in Cypher: one read-only statement, at most `limit` rows (100), `timeout` seconds (10).

        Catching up first is not counted. Raises CypherRefused, CypherError (with line and column) or CypherTimeout.
        """
        if not isinstance(query, str):
            raise InvalidInput("a query is text", field="query", value=repr(query)[:80])
        _number("limit", limit, whole=True)
        _number("timeout", timeout)
        through = self._caught_up(wait)
        config = self._config
        result = ask(
            self._space.engine, query, params, timeout=config.cypher_timeout if timeout is None else timeout,
            limit=config.cypher_limit if limit is None else limit,
        )
        return _table(result, through)

    def query(self, name: str, /, **params: Any) -> Table:
        """Run one of the named queries (`sgraph query` lists them)."""
        through = self._caught_up()
        return _table(named.run(self._space.engine, name, params, now=datetime.now(UTC), zone=self.zone), through)

    def schema(self) -> Table:
        """List what there is to ask: tables, their properties and ends."""
        through = self._caught_up()
        rows = [
            (
                table.name, "node" if table.key else " → ".join(table.ends),
                ", ".join(f"{c} {t}" for c, t in table.columns.items()),
            )
            for table in self._space.engine.tables().values()
        ]
        return Table(columns=("table", "ends", "properties"), rows=tuple(sorted(rows)), derived_through=through)

    def entity(
        self, name: str, *, as_of: Time = None, known_at: Time = None, session: str | None = None,
        include_forgotten: bool = False
    ) -> EntityView:
        """Show an entity (name or id): what is true now, planned, disputed, then history; each with its words.

        Raises NotFound with near names, and InvalidInput when the name means several.
        """
        self._caught_up()
        moment = self._moment(as_of, known_at, session, include_forgotten)
        found = identity_find.view(self._space.state, self._run, self._entity_id(name, moment), moment)
        self._handed_out(found)
        return found

    def timeline(
        self, *, participant: str | None = None, happened_from: When = None, happened_to: When = None, limit: int = 50,
        known_at: Time = None, session: str | None = None, include_forgotten: bool = False,
    ) -> list[EventView]:
        """List events in order of when they happened (else were said), of one entity and in an interval if given."""
        _number("limit", limit, whole=True)
        self._caught_up()
        moment = self._moment(None, known_at, session, include_forgotten)
        entity = None if participant is None else self._entity_id(participant, moment)
        ids = identity_find.timeline(
            self._space.state, self._run, entity, happened_from, happened_to, datetime.now(UTC), self.zone, limit,
            moment
        )
        return views.events(self._space.state, self._run, ids)

    def expand_event(self, id: str, *, session: str | None = None, include_forgotten: bool = False) -> EventView:
        """Show an event with its participants and its words; one that belongs to a session, only there."""
        id = plain_id(id)
        self._caught_up()
        state, moment = self._space.state, self._moment(None, None, session, include_forgotten)
        found = views.events(state, self._run, [id] if id in state.events and views.shows(state, id, moment) else [])
        if not found:
            raise NotFound(f"no event has the id {id!r}", kind="event", id=id)
        self._handed_out(found[0])
        return found[0]

    def blocks(self, thread: str | None = None) -> list[BlockView]:
        """List Blocks, oldest first, with the level each is shown at (None while pending)."""
        self._caught_up()
        return shown.blocks(self._run, float(self._space.setting("block_decay")), thread)

    def expand_block(self, id: str, level: int | str | None = None) -> BlockView:
        """Show a Block's text at a level (0–5; by default the one it is shown at). Changes nothing."""
        id = plain_id(id)
        self._caught_up()
        space = self._space
        decay = float(space.setting("block_decay"))
        block = shown.expand(self._run, space.journal, decay, id, level, space.state.is_forgotten)
        self._handed_out(block)
        return block

    # -------------------------------------------------------------- finding
    def recall(
        self, question: str, *, budget: int | None = None, limit: int | None = None,
        routes: Sequence[str] | None = None, wait: float | None = None, **scope: Any,
    ) -> Found:
        """Find evidence for a question: all routes fused into one batch of cards, best first.

        `budget` is in tokens (default 1000 when no limit is given), `limit` in cards. `scope` filters before any limit:
        thread=, session=, participants=, event_type=, status=, happened_from=, happened_to=, said_from=, said_to=,
        role=. Nothing relevant gives an empty batch with a reason.
        """
        _number("budget", budget, whole=True)
        _number("limit", limit, whole=True)
        seeker = self._seeker(question, scope, wait)
        result = seeker.recall(limit, 1000 if budget is None and limit is None else budget, routes)
        return self._found(seeker, result, scope)

    def search_events(self, query: str, *, limit: int = 6, **scope: Any) -> Found:
        """Find events by their words, participants, type and time."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.events(seeker, limit), scope)

    def search_graph(self, query: str, *, limit: int = 8, **scope: Any) -> Found:
        """Find entities by names and facts; `match_type` says whether what matched is current, historical or both."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.graph(seeker, limit), scope)

    def search_turns(self, query: str, *, limit: int = 6, **scope: Any) -> Found:
        """Find turns by their sentence and triples."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.turns(seeker, limit), scope)

    def search_raw(self, query: str, *, limit: int = 6, without: Sequence[str] = (), **scope: Any) -> Found:
        """Find messages by their words and those around them. `without` switches signals off."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.raw(seeker, limit, without), scope)

    def _seeker(self, question: str, scope: Mapping[str, Any], wait: float | None = None) -> Seeker:
        if not isinstance(question, str):
            raise InvalidInput("a question is text", field="question", value=type(question).__name__)
        self._caught_up(wait)
        now, zone, space = datetime.now(UTC), self.zone, self._space
        read = routes_.read_scope(scope, now, zone, self._entity_id, space.state)
        return Seeker(space.finder(), space.state, question, now.astimezone(zone), read)

    def _found(self, seeker: Seeker, result: Result, scope: Mapping[str, Any]) -> Found:
        space = self._space
        found = routes_.batch(seeker, result, space.journal.decided_through())
        batches.handed_out(space.work, found, scope, datetime.now(UTC))
        return found

    def open_batches(self) -> list[OpenBatch]:
        """List the batches of evidence whose use was not recorded yet, oldest first; they expire after a day."""
        self._open()
        return batches.unresolved(self._space.work, datetime.now(UTC))

    def weights(self, ids: Sequence[str]) -> dict[str, float]:
        """Give the weight (0 to 1) of events by id; it falls with the turns since the last use, and nothing else."""
        self._caught_up()
        return weights.weights(ids, self._space.state, self._space.journal, self._run)

    # -------------------------------------------------------------- taking out
    def subgraph(
        self, around: str | None = None, *, kinds: Sequence[str] | None = None, hops: int = 1, as_of: Time = None,
        known_at: Time = None, session: str | None = None, include_forgotten: bool = False, limit: int = 200,
    ) -> Subgraph:
        """Take a subgraph out for review: `.write(file)` gives .json (readable back), .graphml or one .html page.

        `around` is a name or id, `hops` how far relations are followed, both ways; without it the whole graph, the most
        connected first. Raises NotFound with near names.
        """
        from sgraph.transfer.subgraph import build

        self._caught_up()
        moment = self._moment(as_of, known_at)
        taken = build(
            self._space, around, kinds=kinds, hops=hops, as_of=moment.as_of, known_at=moment.known_at, session=session,
            include_forgotten=include_forgotten, limit=limit,
        )
        self._handed_out(taken.data)
        return taken

    # -------------------------------------------------------------- inside
    def _open(self) -> None:
        if self._closed.is_set():
            self._space.refuse_closed()

    def _caught_up(self, wait: float | None = None) -> int:
        self._open()
        return self._space.catch_up(wait)

    def _handed_out(self, shown: Record) -> None:
        echo.hand_out(self._space.work, echo.strings(shown.model_dump(mode="json")), datetime.now(UTC))

    def _run(self, text: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._space.engine.read(text, params).records()

    def _entity_id(self, name: str, moment: Moment | None = None, *, merged: bool = False) -> str:
        name = plain_id(name, "name")
        self._caught_up()
        return identity_find.entity(self._space.state, self._run, name, moment or Moment(), merged=merged)



def _number(field: str, value: Any, *, whole: bool = False) -> None:
    """Raise InvalidInput for what is no number from 0 on (None is left to the default)."""
    kinds = int if whole else (int, float)
    if value is not None and (isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0):
        raise InvalidInput(
            f"{field} must be a {'whole ' if whole else ''}number of at least 0", field=field, value=repr(value)[:80]
        )


def _table(result: Rows, through: int) -> Table:
    return Table(columns=tuple(result.columns), rows=tuple(result.rows), more=result.more, derived_through=through)
