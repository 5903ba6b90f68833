"""Memory: the one object a person holds. Each verb is a few lines that call a room."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from sgraph.config import Config, Models, Route
from sgraph.derive import submit
from sgraph.derive.hand_in import hand_in
from sgraph.derive.models.estimate import estimate
from sgraph.derive.models.jobs import Jobs
from sgraph.derive.models.worker import Worker
from sgraph.errors import EmptyTurn, InvalidInput, NotFound, RequestRefused
from sgraph.evidence import batches, gate, stated, use
from sgraph.evidence.tools import Tools
from sgraph.graph import views
from sgraph.journal.capture import capture, close_open_turn, tool_calls_text
from sgraph.reader import Reader, Time, plain_id
from sgraph.records.evidence import Assessment, Remembered, Use
from sgraph.records.imports import Action, Import
from sgraph.records.jobs import Estimate, Job, Processed
from sgraph.records.message import Captured, NewMessage
from sgraph.records.parts import EventPart, OutcomePart, RefusedPart, RequestPart, Verb
from sgraph.records.results import Outcome, Quarantined, Status, Submitted, VerifyReport
from sgraph.space import backup as backups
from sgraph.space import status as statuses
from sgraph.space.graphs import Progress
from sgraph.space.space import Space, share
from sgraph.space.verify import verify
from sgraph.transfer import incoming
from sgraph.transfer.dump import dump
from sgraph.transfer.imports import Imports, events_of
from sgraph.transfer.imports import thread_of as import_thread

if TYPE_CHECKING:  # networkx is imported when a subgraph is first asked for
    from sgraph.records.subgraph import Counts

MAIN = "main"


class Memory(Reader):
    """A memory on a space: what can be asked of it (`Reader`), and the verbs that write. Thread-safe."""

    _worker: Worker | None = None

    def close(self) -> None:
        """Let go of the space, after the call of the background worker that runs; the last memory on it closes it."""
        if self._worker is not None:
            self._worker.stop()
        super().close()

    # -------------------------------------------------------------- capture
    def add_turn(
        self, *, user: str | None = None, assistant: str | None = None, tools: Any = None, thread: str = MAIN,
        at: Time = None, receipt: str | None = None, agent: str | None = None, speaker: str | None = None,
        session: str | None = None, adapter: str | None = None, title: str | None = None,
        ids: Sequence[str | None] = (), route: Route | Mapping[str, Any] | None = None,
    ) -> Captured:
        """Record one request with what answered it, with one durable commit, and close the turn.

        `tools` is a list of {name, arguments, result}, kept with the assistant's message. `at` is an aware datetime, an
        ISO string or an epoch number (naive: in the space's time zone; None: now). The same `receipt` again is a no-op;
        with other content it raises ReceiptConflict. `ids` are your ids for the messages, in order. `route` is where
        the model of this session is asked, for models with `source="session"`; it names a key and never holds one.
        """
        said = [("user", user, None, speaker), ("assistant", assistant, tool_calls_text(tools), None)]
        sent_at = self._instant(at, "at")
        messages = [
            incoming.new_message(
                role="user" if role == "user" else "assistant", content=content or "", sent_at=sent_at, speaker=name,
                tool_calls=calls, session=session, agent=agent, adapter=adapter,
            )
            for role, content, calls, name in said
            if content is not None or calls is not None
        ]
        if not messages:
            raise EmptyTurn("an empty turn: give user=, assistant= or tools=", thread=thread)
        messages = [m.model_copy(update={"id": id}) for m, id in zip(messages, [*ids, None, None], strict=False)]
        if route is not None:
            self._jobs.keep_route(thread, Route.model_validate(route))
        return self._capture(messages, thread=thread, receipt=receipt, close_turn=True, title=title)

    def add_messages(
        self, messages: Iterable[Mapping[str, Any] | str], *, thread: str = MAIN, at: Time = None,
        receipt: str | None = None,
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
        done = capture(
            self._space.journal, messages, thread=thread, receipt=receipt, close_turn=close_turn, title=title
        )
        self._space.touched.add(thread)
        return done

    # -------------------------------------------------------------- derivations
    def submit(
        self, kind: str, target: str | None, reply: Any, *, method: submit.Method = "agent", receipt: str | None = None
    ) -> Submitted:
        """Hand in a derivation: kind block_summary, events, projection or turn_summary, for a Block, turn or thread.

        The reply is checked against the contract of its kind and never repaired. Refused whole it raises ReplyRefused;
        refused in part the rest counts. What was refused is kept in quarantine either way. The same `receipt` again is
        a no-op. A target None is the whole space (projection only).
        """
        return hand_in(self._owned("submit"), kind, target, reply, method=method, zone=self.zone, receipt=receipt)

    def quarantined(self) -> list[Quarantined]:
        """List the refused derivations, oldest first."""
        self._open()
        return [
            Quarantined(at=entry.at, **part.model_dump(exclude={"type"}))
            for entry in self._space.journal.entries()
            for part in entry.parts
            if isinstance(part, RefusedPart)
        ]

    # -------------------------------------------------------------- models
    def configure(self, models: Models | Mapping[str, Any] | None = None) -> None:
        """Let these models derive from now on, without reopening. None reads the environment and the file again.

        What models are to do is a setting of the space: while one is configured a Block stays pending until it
        answered, or failed three times. With none left, the rules' results stand in at once.
        """
        self._open()
        chosen = Config().models if models is None else Models.model_validate(models)
        self._config = self._config.model_copy(update={"models": chosen})
        self._space.begin({"models": chosen.configured})
        if not chosen.configured and self._space.is_owner:
            self._jobs.stand_in(switched_off=True)

    def process(
        self, *, backlog: bool = False, dry_run: bool = False, progress: Progress | None = None,
        stop: threading.Event | None = None
    ) -> Processed | Estimate:
        """Ask the configured models for what is due, and wait for it; with `dry_run` only count what that would cost.

        What was recorded before a model was first configured is left out, unless `backlog`. One bad Block or turn stops
        no other; `jobs()` says how each ended. Raises NoRoute when no model is configured.
        """
        self._owned("process")
        if dry_run:
            self._space.catch_up()
            return estimate(self._jobs, backlog=backlog)
        return self._jobs.process(backlog=backlog, progress=progress, stop=stop)

    def start_worker(self) -> None:
        """Process what is due in the background, from now until the memory is closed."""
        self._open()
        self._worker = self._worker or Worker(self)

    def jobs(self, state: str | None = None) -> list[Job]:
        """List the jobs that ask a model, oldest first; of one state, if given."""
        self._open()
        return [self._jobs.shown(job) for job in self._jobs.queue.list(state)]

    def retry_job(self, id: str) -> Job:
        """Try a failed or quarantined job once more, now; any other is left alone. Raises NotFound."""
        self._owned("retry_job")
        return self._jobs.retry(id)

    def import_memory(
        self, text: str, *, name: str = "", preview: bool = False, progress: Progress | None = None
    ) -> Import:
        """Take over a memory exported by another assistant (`sgraph import prompt` asks one for it), or JSON lines.

        What is new is recorded, what is known is ignored, and what resembles something known is decided on by a model,
        else by a person: see `to_review` and `confirm_import`. The same text again goes on where it stopped, and adds
        nothing twice. With `preview` nothing is recorded. Raises InvalidInput, naming the place, for a malformed text.
        """
        self._owned("import_memory").catch_up()
        one = self._imports.begin(text, name)
        if one.state in ("processing", "failed"):
            one = self._imports.decide(one, progress)
        return one if preview else self._commit(one)

    def imports(self) -> list[Import]:
        """List the imports, oldest first."""
        self._open()
        return self._imports.list()

    def confirm_import(self, id: str, number: int, action: Action, event_ids: Sequence[str] = ()) -> Import:
        """Decide on candidate `number` (from 1) of an import: ADD, MERGE, SUPERSEDE, CONFLICT or IGNORE.

        All but ADD and IGNORE need the ids of known events. Nothing is recorded before `commit_import`.
        """
        self._caught_up()
        return self._imports.confirm(id, number, action, event_ids)

    def commit_import(self, id: str) -> Import:
        """Record what was decided. Raises RequestRefused (stale) when what is known has changed since."""
        self._owned("commit_import")
        return self._commit(self._imports.get(id))

    def undo_import(self, id: str) -> Import:
        """Take an import back: its events are forgotten, and what they superseded holds again. The text is kept."""
        self._owned("undo_import")
        one = self._imports.get(id)
        if events := events_of(one):
            self._request("forget", *events, reason="the import was undone")
        return self._imports.undone(one)

    def _commit(self, one: Import) -> Import:
        done = self._imports.commit(one)
        if events_of(done) and self._config.models.configured:
            self._jobs.queue.add("projection", import_thread(done), import_thread(done))
        return done

    @cached_property
    def _jobs(self) -> Jobs:
        return Jobs(self._space, lambda: self._config.models, self._resembling, lambda: self.zone)

    @cached_property
    def _imports(self) -> Imports:
        return Imports(self._space, lambda: self._config.models, self._resembling, self._told, lambda: self.zone)

    def _resembling(self, text: str, limit: int) -> list[str]:
        return [hit.key for hit in self._seeker(text, {}).events(limit)]

    def _told(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        return {event.id: (event.title, event.summary) for event in views.events(self._space.state, self._run, ids)}

    # -------------------------------------------------------------- requests
    def forget(self, id: str, *, reason: str | None = None) -> Outcome:
        """Forget an event, or those behind a fact version or a message: out of every surface, kept in the journal."""
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
        if not isinstance(seq, int) or isinstance(seq, bool) or not 0 < seq <= self._space.journal.last_seq():
            raise NotFound(f"the journal has no entry {seq!r}", kind="entry", id=str(seq))
        return self._request("undo", str(seq))

    def lift_block(self, id: str, target: str | int | None = "next", *, by: str = "agent") -> Outcome:
        """Show a Block at a deeper level from now on: next, raw, or a level 0–5. It decays again from there."""
        return self._request("lift", id, value=None if target is None else str(target), by=by)

    def _events_behind(self, id: str) -> list[str]:
        """Give the events a fact version rests on; any other id stands for itself."""
        id = plain_id(id)
        self._caught_up()
        rows = self._run(views.text("fact_events"), {"id": id})
        return sorted(row["event"] for row in rows) or [id]

    def _request(
        self, verb: Verb, *targets: str, reason: str | None = None, value: str | None = None, by: str = "person"
    ) -> Outcome:
        self._open()
        space = self._space
        targets = tuple(plain_id(target) for target in targets)
        if not isinstance(reason, str | None) or not isinstance(by, str):
            raise InvalidInput(f"{verb}: reason and by must be text", field="reason", value=repr(reason)[:80])
        entry = space.journal.append(
            "requested", [RequestPart(verb=verb, targets=targets, reason=reason, value=value, by=by)]
        )
        space.catch_up()
        if not space.is_owner:
            space.preview(entry)
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

    # -------------------------------------------------------------- evidence
    def assess(
        self, batch_id: str | None, *, verdict: str, evidence_refs: Sequence[str], fit: str = "", missing: str = "",
        next_strategy: str = "", despite: Sequence[str] = (),
    ) -> Assessment:
        """Say whether the evidence of a batch (None: the newest open one) is enough, and be told whether it is.

        `verdict` is sufficient, partial or wrong; `next_strategy` is answer or the verb to try next. Sufficient holds
        with at least one ref of the batch, the strategy answer, and no blocking concern but those in `despite`.
        """
        self._caught_up()
        space, now = self._space, datetime.now(UTC)
        batch = batches.pick(space.work, batch_id, now)
        kept, rejected = gate.normalise_refs(evidence_refs, batch)
        evidence = gate.evidence(batch, kept, self._seeker(batch.question, batch.scope), self._run)
        return gate.assess(
            space.work, batch, evidence, verdict=verdict, rejected=rejected, fit=fit, missing=missing,
            next_strategy=next_strategy, despite=despite, at=now,
        )

    def record_use(
        self, batch_id: str | None, evidence_refs: Sequence[str], *, receipt: str | None = None
    ) -> Use:
        """Record what an answer used of a batch, which reinforces it, and close the batch; [] only closes it.

        The refs must be adopted by the batch's sufficient assessment. The same `receipt` again is a no-op; with other
        refs it raises ReceiptConflict.
        """
        self._caught_up()
        space = self._space
        done = use.record(space.journal, space.work, space.state, batch_id, evidence_refs, receipt, datetime.now(UTC))
        self._caught_up()
        return done.model_copy(update={"pending": not space.is_owner})

    def remember(
        self, content: str, category: str = "note", *, name: str | None = None, thread: str | None = None,
        by: str = "agent", speaker: str | None = None, at: Time = None, receipt: str | None = None,
    ) -> Remembered:
        """Keep what an agent or a person states on purpose; it is found at once on every route.

        `category` is preference, decision, correction, fact, task, skill, event or note; `name` heads the note. With a
        `thread` the note also rests on those of its newest messages that share words with it. What is known already is
        reinforced instead, and what an earlier recall handed out is passed over.
        """
        self._open()
        space = self._space
        note, message = stated.note(
            content, category, name, thread=thread, by=by, speaker=speaker, at=self._instant(at, "at")
        )
        done = capture(space.journal, [message], thread=stated.NOTES, receipt=receipt, close_turn=True, note=note)
        self._caught_up()
        return stated.outcome(space.journal, done, note, pending=not space.is_owner)

    def tools(self) -> Tools:
        """Give the verbs an agent needs as OpenAI-style tool definitions, with a dispatcher."""
        space = self._space
        return Tools(self, space.work, space.journal, lambda key: not space.state.is_forgotten(key))

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
        return statuses.status(self._space).model_copy(update={"models": self._jobs.standing()})

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
    "unreadable": "it cannot be read",
}


def _refusal(verb: str, targets: tuple[str, ...], made: OutcomePart | None) -> RequestRefused | NotFound:
    reason = made.reason if made is not None and made.reason else "refused"
    details = made.details if made is not None else {}
    if reason == "not_found":
        return NotFound(f"{verb}: nothing has the id {', '.join(targets)}", kind=verb, id=targets[0])
    return RequestRefused(f"{verb} {' '.join(targets)}: {_REASONS.get(reason, reason)}", reason=reason, **details)


def open_memory(
    path: str | Path | None = None, *, engine: str | None = None, timezone: str | None = None,
    block_turns: int | None = None,
    block_decay: float | None = None, self_name: str | None = None, rules: bool | None = None,
    config: Config | None = None,
    progress: Progress | None = None, models: Models | Mapping[str, Any] | bool | None = None, background: bool = False,
) -> Memory:
    """Open a memory, creating the space when it is absent. No key, no server, no network.

    `path` defaults to SGRAPH_SPACE, else ./memory.sgraph. Settings given here are kept in the space; those left out
    stay as they are (defaults: engine kuzu, timezone UTC, 12 turns a Block, decay 0.30, user named "user", rules on).
    """
    config = config or Config()
    if models is not None and models is not True:
        chosen = Models() if models is False else Models.model_validate(models)
        config = config.model_copy(update={"models": chosen})
    switch = {"models": config.models.configured} if config.models.configured or models is False else {}
    given = {
        "timezone": timezone, "block_turns": block_turns, "block_decay": block_decay, "self": self_name, "rules": rules
    }
    space = share(
        Path(path) if path is not None else config.space, engine=engine or config.engine,
        settings={**switch, **{name: value for name, value in given.items() if value is not None}},
        pool_mb=config.buffer_pool_mb, progress=progress,
    )
    memory = Memory(space, config)
    if background:
        memory.start_worker()
    return memory
