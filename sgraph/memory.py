"""Memory: the one object a person holds. Each verb is a few lines that call a room."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo

from sgraph.blocks import shown
from sgraph.chronology import read_instant
from sgraph.config import Config
from sgraph.derive import submit
from sgraph.errors import EmptyTurn, InvalidInput, NotFound, ReplyRefused, RequestRefused
from sgraph.graph import named, views
from sgraph.graph.engine import Result
from sgraph.graph.guard import ask
from sgraph.graph.views import Moment
from sgraph.identity import find as identity_find
from sgraph.journal.capture import capture, close_open_turn, tool_calls_text
from sgraph.recall import routes as routes_
from sgraph.recall.search import Result, Seeker
from sgraph.records.found import Found
from sgraph.records.message import Captured, NewMessage
from sgraph.records.parts import EventPart, OutcomePart, ReceiptPart, RefusedPart, RequestPart, Verb
from sgraph.records.results import (
    BlockView,
    EntityView,
    EventView,
    Outcome,
    Quarantined,
    Status,
    Submitted,
    Table,
    VerifyReport,
)
from sgraph.space import backup as backups
from sgraph.space import status as statuses
from sgraph.space.graphs import Progress
from sgraph.space.space import Space, share
from sgraph.space.verify import verify
from sgraph.transfer import incoming
from sgraph.transfer.dump import dump
from sgraph.truth.decision import Decision

if TYPE_CHECKING:  # networkx is imported when a subgraph is first asked for
    from sgraph.records.subgraph import Counts
    from sgraph.transfer.subgraph import Subgraph

MAIN = "main"
Time = datetime | str | float | None
When = datetime | date | str | None


class Memory:
    """A memory on a space. Thread-safe; every instant it gives is aware UTC; lists say what they are ordered by."""

    def __init__(self, space: Space, config: Config) -> None:
        self._space, self._config = space, config
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory {self._space.layout.root} ({'closed' if self._closed.is_set() else self._space.layout.engine})>"

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

    # -------------------------------------------------------------- capture
    def add_turn(
        self, *, user: str | None = None, assistant: str | None = None, tools: Any = None, thread: str = MAIN, at: Time = None,
        receipt: str | None = None, agent: str | None = None, speaker: str | None = None, session: str | None = None,
        adapter: str | None = None, title: str | None = None, ids: Sequence[str | None] = (),
    ) -> Captured:
        """Record one request with what answered it, with one durable commit, and close the turn.

        `tools` is a list of {name, arguments, result}, kept with the assistant's message. `at` is an aware datetime, an
        ISO string or an epoch number (naive: in the space's time zone; None: now). The same `receipt` again is a no-op;
        with other content it raises ReceiptConflict. `ids` are your ids for the messages, in order.
        """
        said = [("user", user, None, speaker), ("assistant", assistant, tool_calls_text(tools), None)]
        sent_at = self._instant(at, "at")
        messages = [
            NewMessage(
                role="user" if role == "user" else "assistant", content=content or "", sent_at=sent_at, speaker=name,
                tool_calls=calls, session=session, agent=agent, adapter=adapter,
            )
            for role, content, calls, name in said
            if content is not None or calls is not None
        ]
        if not messages:
            raise EmptyTurn("an empty turn: give user=, assistant= or tools=", thread=thread)
        messages = [m.model_copy(update={"id": id}) for m, id in zip(messages, [*ids, None, None], strict=False)]
        return self._capture(messages, thread=thread, receipt=receipt, close_turn=True, title=title)

    def add_messages(
        self, messages: Iterable[Mapping[str, Any] | str], *, thread: str = MAIN, at: Time = None, receipt: str | None = None,
        session: str | None = None, agent: str | None = None, adapter: str | None = None, title: str | None = None,
    ) -> Captured:
        """Record messages of any conversation, with one durable commit.

        A message is text, or a mapping with `content` and any of role (default user), speaker (or name), at, id,
        session, tools, agent, adapter. A message without `at` takes the call's, else now. A known id with the same
        content is passed over; with other content it raises MessageConflict and nothing is stored.
        """
        sent_at = self._instant(at, "at")
        read = [
            incoming.message(given, index, sent_at, self.zone, session=session, agent=agent, adapter=adapter)
            for index, given in enumerate(messages)
        ]
        return self._capture(read, thread=thread, receipt=receipt, close_turn=False, title=title)

    def end_turn(self, thread: str = MAIN) -> None:
        """Close the open turn of a thread, as the next question would."""
        self._open()
        close_open_turn(self._space.journal, thread)

    def _capture(
        self, messages: Sequence[NewMessage], *, thread: str, receipt: str | None, close_turn: bool, title: str | None
    ) -> Captured:
        self._open()
        self._space.touched.add(thread)
        return capture(self._space.journal, messages, thread=thread, receipt=receipt, close_turn=close_turn, title=title)

    def _instant(self, at: Time, field: str) -> datetime:
        return datetime.now(UTC) if at is None else read_instant(at, self.zone, field=field)

    def _moment(self, as_of: Time, known_at: Time, session: str | None = None, include_forgotten: bool = False) -> Moment:
        return Moment(
            as_of=None if as_of is None else read_instant(as_of, self.zone, field="as_of"),
            known_at=None if known_at is None else read_instant(known_at, self.zone, field="known_at"),
            session=session, include_forgotten=include_forgotten,
        )

    # -------------------------------------------------------------- derivations
    def submit(
        self, kind: str, target: str | None, reply: Any, *, method: submit.Method = "agent", receipt: str | None = None
    ) -> Submitted:
        """Hand in a derivation: kind block_summary, events, projection or turn_summary, for a Block, turn or thread.

        The reply is checked against the contract of its kind and never repaired. Refused whole it raises ReplyRefused;
        refused in part the rest counts. What was refused is kept in quarantine either way. The same `receipt` again is a
        no-op. A target None is the whole space (projection only).
        """
        space = self._owned("submit")
        with space.guard:
            space.catch_up()
            if receipt is not None and (known := space.journal.receipt(receipt)) is not None:
                return Submitted(seq=known, kind=kind, target=target or "", ids=())
            found = submit.find_target(space.journal, target)
            parsed = submit.check(kind, found, reply, space.state, self.zone)
            refusal = submit.refused(kind, found.id, reply, parsed) if parsed.problems or parsed.value is None else None
            if parsed.value is None and refusal is not None:
                space.record("refused", [refusal], datetime.now(UTC))
                first = refusal.problems[0] if refusal.problems else ("$", "refused", "refused")
                raise ReplyRefused(
                    f"the {kind} for {found.id} were refused: {first[0]} {first[2]}; kept in quarantine as {refusal.id}",
                    kind=kind, target=found.id, quarantine=refusal.id, problems=[list(p) for p in refusal.problems],
                )
            decision = Decision(space.state, datetime.now(UTC), method)
            with space.state_at_risk():
                ids = submit.decide(decision, kind, found, parsed.value, method)
            if refusal is not None:
                decision.put(refusal)
            if receipt is not None:
                decision.put(ReceiptPart(id=receipt))
            entry = space.record(submit.ENTRY_KINDS[kind], decision.parts, decision.at)
            return Submitted(
                seq=entry.seq, kind=kind, target=found.id, ids=tuple(ids), problems=refusal.problems if refusal else (),
                quarantine=refusal.id if refusal else None,
            )

    def quarantined(self) -> list[Quarantined]:
        """List the refused derivations, oldest first."""
        self._open()
        return [
            Quarantined(at=entry.at, **part.model_dump(exclude={"type"}))
            for entry in self._space.journal.entries()
            for part in entry.parts
            if isinstance(part, RefusedPart)
        ]

    # -------------------------------------------------------------- requests
    def forget(self, id: str, *, reason: str | None = None) -> Outcome:
        """Forget an event (or the events behind a fact version or a message): out of every surface, kept in the journal."""
        return self._request("forget", id, reason=reason)

    def unforget(self, id: str) -> Outcome:
        """Restore what was forgotten, exactly."""
        return self._request("unforget", id)

    def pin(self, id: str) -> Outcome:
        """Pin an event: its weight stays 1."""
        return self._request("pin", id)

    def unpin(self, id: str) -> Outcome:
        """Unpin an event."""
        return self._request("unpin", id)

    def merge(self, a: str, b: str, *, reason: str | None = None) -> Outcome:
        """Join entity `a` to `b` (ids or names): both stay, `b` stands for both, and `split(a)` takes it back."""
        return self._request("merge", self._entity_id(a), self._entity_id(b), reason=reason)

    def split(self, id: str) -> Outcome:
        """End the joining of an entity (id or name) to another."""
        return self._request("split", self._entity_id(id, merged=True))

    def undo(self, seq: int) -> Outcome:
        """Take back what a journal entry did: a forget, merge, split, pin, or what a derivation superseded.

        Raises RequestRefused when later entries rest on it.
        """
        return self._request("undo", str(seq))

    def lift_block(self, id: str, target: str | int | None = "next", *, by: str = "agent") -> Outcome:
        """Show a Block at a deeper level from now on: next, raw, or a level 0–5. It decays again from there."""
        return self._request("lift", id, value=None if target is None else str(target), by=by)

    def _request(self, verb: Verb, *targets: str, reason: str | None = None, value: str | None = None, by: str = "person") -> Outcome:
        self._open()
        space = self._space
        if any(not target.strip() for target in targets):
            raise InvalidInput(f"{verb} needs an id", field="id", value="")
        entry = space.journal.append("requested", [RequestPart(verb=verb, targets=targets, reason=reason, value=value, by=by)])
        space.catch_up()
        if not space.is_owner:
            return Outcome(seq=entry.seq, verb=verb, pending=True)
        made = space.outcome(entry.seq)
        if made is None or not made.done:
            raise _refusal(verb, targets, made)
        return Outcome(seq=entry.seq, verb=verb, details=made.details)

    # -------------------------------------------------------------- reading
    def cypher(
        self, query: str, params: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float | None = None
    ) -> Table:
        """Ask the graph in Cypher: one read-only statement, at most `limit` rows (100), `timeout` seconds (10).

        Catching up first is not counted. Raises CypherRefused, CypherError (with line and column) or CypherTimeout.
        """
        through = self._caught_up()
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
            (table.name, " → ".join(table.ends) if table.ends else "node", ", ".join(f"{c} {t}" for c, t in table.columns.items()))
            for table in self._space.engine.tables().values()
        ]
        return Table(columns=("table", "ends", "properties"), rows=tuple(sorted(rows)), derived_through=through)

    def entity(
        self, name: str, *, as_of: Time = None, known_at: Time = None, session: str | None = None, include_forgotten: bool = False
    ) -> EntityView:
        """Show an entity (name or id): what is true now, planned, disputed, then history; each with its words.

        Raises NotFound with near names, and InvalidInput when the name means several.
        """
        self._caught_up()
        moment = self._moment(as_of, known_at, session, include_forgotten)
        return identity_find.view(self._space.state, self._run, self._entity_id(name), moment)

    def timeline(
        self, *, participant: str | None = None, happened_from: When = None, happened_to: When = None, limit: int = 50
    ) -> list[EventView]:
        """List events in order of when they happened (else were said), of one entity and inside an interval if given."""
        self._caught_up()
        entity = None if participant is None else self._entity_id(participant)
        ids = identity_find.timeline(
            self._space.state, entity, happened_from, happened_to, datetime.now(UTC), self.zone, limit
        )
        return views.events(self._space.state, self._run, ids)

    def expand_event(self, id: str) -> EventView:
        """Show an event with its participants and its words."""
        self._caught_up()
        found = views.events(self._space.state, self._run, [id])
        if not found or found[0].state in ("forgotten", "replaced"):
            raise NotFound(f"no event has the id {id!r}", kind="event", id=id)
        return found[0]

    def blocks(self, thread: str | None = None) -> list[BlockView]:
        """List Blocks, oldest first, with the level each is shown at (None while pending)."""
        self._caught_up()
        return shown.blocks(self._run, float(self._space.setting("block_decay")), thread)

    def expand_block(self, id: str, level: int | str | None = None) -> BlockView:
        """Show a Block's text at a level (0–5; by default the one it is shown at). Changes nothing."""
        self._caught_up()
        return shown.expand(self._run, self._space.journal, float(self._space.setting("block_decay")), id, level)

    # -------------------------------------------------------------- finding
    def recall(
        self, question: str, *, budget: int | None = None, limit: int | None = None, routes: Sequence[str] | None = None, **scope: Any
    ) -> Found:
        """Find evidence for a question: all routes fused into one batch of cards, best first.

        `budget` is in tokens (default 1000 when no limit is given), `limit` in cards. `scope` filters before any limit:
        thread=, session=, participants=, event_type=, status=, happened_from=, happened_to=, said_from=, said_to=, role=.
        Nothing relevant gives an empty batch with a reason.
        """
        seeker = self._seeker(question, scope)
        result = seeker.recall(limit, 1000 if budget is None and limit is None else budget, routes)
        return self._found(seeker, result)

    def search_events(self, query: str, *, limit: int = 6, **scope: Any) -> Found:
        """Find events by their words, participants, type and time."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.events(seeker, limit))

    def search_graph(self, query: str, *, limit: int = 8, **scope: Any) -> Found:
        """Find entities by names and facts; `match_type` says whether what matched is current, historical or both."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.graph(seeker, limit))

    def search_turns(self, query: str, *, limit: int = 6, **scope: Any) -> Found:
        """Find turns by their sentence and triples."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.turns(seeker, limit))

    def search_raw(self, query: str, *, limit: int = 6, without: Sequence[str] = (), **scope: Any) -> Found:
        """Find messages by their words and those around them. `without` switches signals off."""
        seeker = self._seeker(query, scope)
        return self._found(seeker, routes_.raw(seeker, limit, without))

    def _seeker(self, question: str, scope: Mapping[str, Any]) -> Seeker:
        if not isinstance(question, str):
            raise InvalidInput("a question is text", field="question", value=type(question).__name__)
        self._caught_up()
        now = datetime.now(UTC)
        space = self._space
        read = routes_.read_scope(scope, now, self.zone, self._entity_id, space.state)
        return Seeker(space.finder(), space.state, question, now.astimezone(self.zone), read)

    def _found(self, seeker: Seeker, result: Result) -> Found:
        space = self._space
        return routes_.batch(space.work, seeker, result, space.journal.decided_through())

    # -------------------------------------------------------------- taking out
    def subgraph(
        self, around: str | None = None, *, kinds: Sequence[str] | None = None, hops: int = 1, as_of: Time = None, known_at: Time = None,
        session: str | None = None, include_forgotten: bool = False, limit: int = 200,
    ) -> Subgraph:
        """Take a subgraph out for review: `.write(file)` gives .json (readable back), .graphml or one .html page.

        `around` is a name or id, `hops` how far relations are followed, both ways; without it the whole graph, the most
        connected first. Raises NotFound with near names.
        """
        from sgraph.transfer.subgraph import build

        self._caught_up()
        moment = self._moment(as_of, known_at)
        return build(
            self._space, around, kinds=kinds, hops=hops, as_of=moment.as_of, known_at=moment.known_at, session=session,
            include_forgotten=include_forgotten, limit=limit,
        )

    def load_subgraph(self, path: str | Path) -> Counts:
        """Load a subgraph written as .json into this space, which must be fresh; give what is there now."""
        from sgraph.transfer.load import load_into
        from sgraph.transfer.subgraph import read_node_link

        with self._owned("load_subgraph").guard:
            return load_into(self._space, read_node_link(Path(path)))

    # -------------------------------------------------------------- keeping
    def ingest(
        self, path: str | Path, *, thread: str | None = None, progress: Callable[[int], None] | None = None
    ) -> incoming.IngestReport:
        """Read a conversation file (JSON lines, OpenAI messages, LoCoMo, ChatGPT export).

        What was recorded before is passed over, so a run after a kill goes on where that one stopped. The report says
        what was kept, known and skipped.
        """
        self._open()
        return incoming.ingest(_Sink(self), Path(path), thread=thread, progress=progress)

    def status(self) -> Status:
        """Say where the space stands."""
        self._open()
        return statuses.status(self._space)

    def verify(self) -> VerifyReport:
        """Check the journal, the references, the quotes, and that the graph equals its replay."""
        self._caught_up()
        with self._space.guard:
            return verify(self._space)

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Throw the graph away and replay it from the journal."""
        self._owned("rebuild").rebuild(progress)

    def backup(self, target: str | Path) -> Path:
        """Write a consistent copy of the record into a new folder, while others go on writing."""
        self._open()
        return backups.backup(self._space.layout, self._space.journal, Path(target))

    def dump(self, target: str | Path) -> int:
        """Write the whole space as JSON lines; give the number of entries."""
        self._open()
        with Path(target).open("w", encoding="utf-8") as stream:
            return dump(self._space.journal, self._space.layout.id, stream)

    # -------------------------------------------------------------- inside
    def _open(self) -> None:
        if self._closed.is_set():
            self._space.refuse_closed()

    def _owned(self, verb: str) -> Space:
        self._open()
        self._space.require_owner(verb)
        return self._space

    def _caught_up(self) -> int:
        self._open()
        return self._space.catch_up()

    def _run(self, text: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._space.engine.read(text, params).records()

    def _entity_id(self, name: str, *, merged: bool = False) -> str:
        self._caught_up()
        return identity_find.entity(self._space.state, name, merged=merged)


class _Sink:
    """A memory as an ingest writes to it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def zone(self) -> ZoneInfo:
        return self._memory.zone

    def capture(self, messages: list[NewMessage], *, thread: str, title: str | None, receipt: str | None) -> Captured:
        return self._memory._capture(messages, thread=thread, receipt=receipt, close_turn=False, title=title)

    def submit(self, kind: str, target: str, reply: Any, *, receipt: str) -> bool:
        if self._memory._space.journal.receipt(receipt) is not None:
            return False
        self._memory.submit(kind, target, reply, receipt=receipt)
        return True

    def made(self, receipt: str) -> list[str]:
        journal = self._memory._space.journal
        seq = journal.receipt(receipt)
        entry = None if seq is None else journal.entry(seq)
        return [part.id for part in entry.parts if isinstance(part, EventPart)] if entry is not None else []


def _table(result: Result, through: int) -> Table:
    return Table(columns=tuple(result.columns), rows=tuple(result.rows), more=result.more, derived_through=through)


_REASONS = {
    "not_found": "nothing has that id",
    "already_forgotten": "it is forgotten already",
    "not_forgotten": "it is not forgotten",
    "already_one": "they are one already",
    "not_merged": "it is not joined to another",
    "pending": "the Block is still pending",
    "nothing_superseded": "that entry superseded nothing",
    "later_entries": "later entries rest on it",
    "already_undone": "it was undone already",
    "not_undoable": "that cannot be undone",
}


def _refusal(verb: str, targets: tuple[str, ...], made: OutcomePart | None) -> RequestRefused | NotFound:
    reason = made.reason if made is not None and made.reason else "refused"
    details = made.details if made is not None else {}
    if reason == "not_found":
        return NotFound(f"{verb}: nothing has the id {', '.join(targets)}", kind=verb, id=targets[0])
    return RequestRefused(f"{verb} {' '.join(targets)}: {_REASONS.get(reason, reason)}", reason=reason, **details)


def open_memory(
    path: str | Path | None = None, *, engine: str | None = None, timezone: str | None = None, block_turns: int | None = None,
    block_decay: float | None = None, self_name: str | None = None, rules: bool | None = None, config: Config | None = None,
    progress: Progress | None = None,
) -> Memory:
    """Open a memory, creating the space when it is absent. No key, no server, no network.

    `path` defaults to SGRAPH_SPACE, else ./memory.sgraph. Settings given here are kept in the space; those left out stay
    as they are (defaults: engine kuzu, timezone UTC, 12 turns a Block, decay 0.30, user named "user", rules on).
    """
    config = config or Config()
    given = {"timezone": timezone, "block_turns": block_turns, "block_decay": block_decay, "self": self_name, "rules": rules}
    space = share(
        Path(path) if path is not None else config.space, engine=engine or config.engine,
        settings={name: value for name, value in given.items() if value is not None}, pool_mb=config.buffer_pool_mb, progress=progress,
    )
    return Memory(space, config)
