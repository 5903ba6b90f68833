"""Memory: the one object a person holds. Each verb is a few lines that call a room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from sgraph.config import Config
from sgraph.derive import submit
from sgraph.errors import EmptyTurn, InvalidInput, NotFound, ReplyRefused, RequestRefused
from sgraph.graph import views
from sgraph.journal.capture import capture, close_open_turn, tool_calls_text
from sgraph.reader import Reader, Time
from sgraph.records.message import Captured, NewMessage
from sgraph.records.parts import EventPart, OutcomePart, ReceiptPart, RefusedPart, RequestPart, Verb
from sgraph.records.results import Outcome, Quarantined, Status, Submitted, VerifyReport
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

MAIN = "main"


class Memory(Reader):
    """A memory on a space: what can be asked of it (`Reader`), and the verbs that write. Thread-safe."""

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
        done = capture(self._space.journal, messages, thread=thread, receipt=receipt, close_turn=close_turn, title=title)
        self._space.touched.add(thread)
        return done

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
        return self._request("forget", *self._events_behind(id), reason=reason)

    def unforget(self, id: str) -> Outcome:
        """Restore what was forgotten, exactly."""
        return self._request("unforget", *self._events_behind(id))

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

    def _events_behind(self, id: str) -> list[str]:
        """Give the events a fact version rests on; any other id stands for itself."""
        self._caught_up()
        rows = self._run(views.text("fact_events"), {"id": id})
        return sorted(row["event"] for row in rows) or [id]

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

    def _owned(self, verb: str) -> Space:
        self._open()
        self._space.require_owner(verb)
        return self._space


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
