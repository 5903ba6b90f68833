"""Jobs at work: find what is due, claim it, ask outside every transaction, and hand the reply in.

A provider that fails is asked again, at most three times in all (or once with every key and route there is, when these
are more), with growing pauses; then the job has failed. A reply that breaks its contract is quarantined after one call.
Both are tried anew by hand only, and neither stops the next job.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from sgraph.config import STEPS, Models, Route
from sgraph.derive import submit, turns
from sgraph.derive.contracts import Events, Parsed
from sgraph.derive.desk import Desk
from sgraph.derive.hand_in import hand_in
from sgraph.derive.models.ask import FORMS, Answer, ask
from sgraph.derive.models.inputs import VISIBLE, Input, Relevant, forgotten, gather
from sgraph.derive.models.queue import Queue, job_id
from sgraph.derive.models.routes import DENIED, ROTATION, Candidate, in_order, label, missing_key
from sgraph.errors import NoRoute, NotFound, ReplyRefused, SpaceClosed
from sgraph.records.jobs import Job, ModelsStatus, Processed
from sgraph.records.parts import BlockPart, RefusedPart, TurnClosedPart
from sgraph.truth.decision import Decision

_log = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
PATIENCE = 5.0  # seconds that a pass waits for a retry to become due; later ones are left for the next pass
NO_ROUTE_PAUSE = 60.0
_UNCONFIGURED = "this space waits for a model, and none is configured: configure one, or sgraph process --off"
_LINKS = ("supersedes", "conflicts_with", "follows", "same_event")
_AFTER = {"block_summary": "events", "events": "projection"}
Progress = Callable[[str, int, int], None]


@dataclass
class _Tally:
    """What one pass did. Safe for threads."""

    progress: Progress | None
    lock: threading.Lock = field(default_factory=threading.Lock)
    counts: dict[str, int] = field(default_factory=dict)
    stopped: str | None = None

    def add(self, **counts: int) -> None:
        with self.lock:
            for name, count in counts.items():
                self.counts[name] = self.counts.get(name, 0) + count

    def ended(self, state: str, waiting: int) -> None:
        self.add(**{state: 1})
        if self.progress is not None:
            done = sum(self.counts.get(name, 0) for name in ("succeeded", "skipped", "failed", "quarantined"))
            self.progress("process", done, done + waiting)


class Jobs:
    """The jobs of a space: `models` gives the settings in force, anew for each job, so that a change holds at once."""

    def __init__(
        self, desk: Desk, models: Callable[[], Models], relevant: Relevant, zone: Callable[[], tzinfo]
    ) -> None:
        self.desk, self.models, self._relevant, self._zone = desk, models, relevant, zone
        self.queue = Queue(desk.work)

    # -------------------------------------------------------------- what is due
    def due(self, backlog: bool) -> Iterator[tuple[str, str, str]]:
        """Find what became due since the last look: (step, target, thread), in order.

        Older turns and Blocks than the first configured model only with `backlog`.
        """
        journal = self.desk.journal
        first = journal.rows("SELECT min(seq) FROM keys_settings WHERE name = 'models' AND value = 'true'")[0][0]
        if first is None and not backlog:
            return
        start = 0 if backlog else max(self.queue.looked_through(), first - 1)
        for entry in journal.entries(start):
            for part in entry.parts:
                if isinstance(part, TurnClosedPart):
                    yield "turn_summary", part.id, part.thread
                elif isinstance(part, BlockPart):
                    yield "block_summary", part.id, part.thread

    def find(self, backlog: bool = False) -> None:
        """Put what is due into the queue."""
        if self.queue.is_empty:
            self._restore()
        through = self.desk.journal.last_seq()
        for kind, target, thread in self.due(backlog):
            self.queue.add(kind, target, thread)
        self.queue.look_through(through)

    def _restore(self) -> None:
        """Know again, after work.db was lost, what was quarantined: nothing is asked twice without a person's word."""
        for entry in self.desk.journal.entries():
            for part in entry.parts if entry.kind == "refused" else ():
                if isinstance(part, RefusedPart) and part.kind in FORMS:
                    self.queue.add(part.kind, part.target, part.target, "quarantined", quarantine=part.id)

    # -------------------------------------------------------------- a pass
    def process(
        self, *, backlog: bool = False, progress: Progress | None = None, stop: threading.Event | None = None
    ) -> Processed:
        """Do what is due, with as many threads as the settings say; `stop` ends the pass after the calls that run.

        Raises NoRoute when no model is configured.
        """
        models = self.models()
        if not models.configured:
            raise NoRoute(
                "no model is configured: set SGRAPH_MODELS__PRESET__BASE_URL and SGRAPH_MODELS__PRESET__MODEL",
                step="process",
            )
        self.desk.catch_up()
        self.find(backlog)
        stop, tally = stop or threading.Event(), _Tally(progress)
        before = self.queue.spent()
        stood_in = self.stand_in()
        if models.workers == 1:
            self._work(tally, stop)
        else:
            with ThreadPoolExecutor(models.workers, thread_name_prefix="sgraph-model") as pool:
                try:
                    for done in [pool.submit(self._work, tally, stop) for _ in range(models.workers)]:
                        done.result()
                except BaseException:
                    stop.set()
                    raise
        stood_in += self.stand_in()
        calls, tokens_in, tokens_out = (now - then for now, then in zip(self.queue.spent(), before, strict=True))
        waiting, next_due = self.queue.next_due(self.models().steps)
        return Processed(
            **tally.counts,
            stood_in=stood_in,
            calls=calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            waiting=waiting,
            next_due=next_due if waiting else None,
            stopped=tally.stopped,
        )

    def _work(self, tally: _Tally, stop: threading.Event) -> None:
        while not stop.is_set() and tally.stopped is None:
            steps = self.models().steps
            job = self.queue.claim(steps)
            waiting, due = self.queue.next_due(steps)
            if job is not None:
                self._guarded(job, tally, stop, waiting)
                continue
            pause = (due - datetime.now(UTC)).total_seconds() if due is not None else PATIENCE
            if not waiting or pause >= PATIENCE:
                return
            stop.wait(max(pause, 0.02))

    def _guarded(self, job: Job, tally: _Tally, stop: threading.Event, waiting: int, *, by_hand: bool = False) -> None:
        """Run a job; whatever goes wrong with it, it is neither lost nor held for ever, and the next one is served."""
        try:
            state = self._run(job, tally, stop, by_hand)
        except SpaceClosed:
            stop.set()
            return
        except NotFound as error:
            self.queue.end(job.id, state := "failed", error.message)
        except Exception as error:
            _log.exception("the job %s failed", job.id)
            self.queue.end(job.id, state := "failed", f"unexpected {type(error).__name__}")
        except BaseException:
            self.queue.put_back(job.id, "interrupted", attempts=job.attempts)
            raise
        if state != "pending":
            tally.ended(state, waiting)

    def _run(self, job: Job, tally: _Tally, stop: threading.Event, by_hand: bool) -> str:
        desk, models = self.desk, self.models()
        with desk.guard:
            desk.catch_up()
            if (reason := self._done_already(job)) is not None:
                return self._end(job, "succeeded" if reason == "" else "skipped", reason or None)
            found = gather(desk, job.kind, job.target, self._relevant, self._zone())
            stamp = self._stamp(job, found)
        if found is None:
            return self._end(job, "skipped", "there is nothing to ask about")
        candidates = ROTATION.candidates(in_order(models, self.session_route(job.thread)))
        limit = max(1 if by_hand else MAX_ATTEMPTS, len(candidates))
        if job.attempts >= limit:
            return self._end(job, "failed", "interrupted at its last attempt")
        if not candidates:
            self.queue.put_back(job.id, "no route is configured for this thread", _in(NO_ROUTE_PAUSE))
            return "pending"
        answers: list[Answer] = []
        for candidate in candidates[: limit - job.attempts]:
            answer = self._call(job, candidate, found)
            answers.append(answer)
            if answer.parsed is not None:
                return self._hand_in(job, answer, found, stamp, final=job.attempts + len(answers) >= limit)
            if stop.is_set():
                break
        if all(answer.status in DENIED for answer in answers):
            tally.stopped = f"{answers[-1].failure} ({label(candidates[-1].route)})"
        return self._failed(job, answers, len(candidates), limit, models.backoff)

    def _call(self, job: Job, candidate: Candidate, found: Input) -> Answer:
        self.queue.call(job.id, label(candidate.route))
        answer = ask(candidate, FORMS[job.kind], found.request, found.legal)
        self.queue.spend(job.id, answer.tokens_in, answer.tokens_out)
        if answer.parsed is not None:
            ROTATION.succeeded(candidate)
        else:
            ROTATION.failed(candidate, answer.status)
        return answer

    def _failed(self, job: Job, answers: Sequence[Answer], candidates: int, limit: int, backoff: float) -> str:
        last = answers[-1]
        reason = last.failure or "no answer"
        if candidates > 1 and len(answers) == candidates:
            reason = f"all {candidates} keys and routes failed; the last: {reason}"
        attempts = job.attempts + len(answers)
        if attempts >= limit:
            return self._end(job, "failed", reason)
        rounds = -(-attempts // candidates)
        pause = max(backoff * 2 ** (rounds - 1), last.retry_after or 0.0)
        self.queue.put_back(job.id, reason, _in(pause))
        return "pending"

    def _hand_in(self, job: Job, answer: Answer, found: Input, stamp: Any, final: bool) -> str:
        with self.desk.guard:
            self.desk.catch_up()
            if self._stamp(job, found) != stamp:  # what it was shown is no longer all there
                if final:
                    return self._end(job, "failed", "what it rests on was forgotten meanwhile")
                self.queue.put_back(job.id, "what it rests on was forgotten meanwhile")
                return "pending"
            try:
                made = hand_in(
                    self.desk,
                    job.kind,
                    job.target,
                    answer.text,
                    method="model",
                    zone=self._zone(),
                    receipt=_receipt(job),
                    parsed=self._standing(answer.parsed),
                )
            except ReplyRefused as refusal:
                first = refusal.details["problems"][0] if refusal.details["problems"] else ("$", "", "refused")
                return self._end(job, "quarantined", f"{first[0]} {first[2]}", refusal.details["quarantine"])
            refused = f"{len(made.problems)} refused" if made.problems else None
            return self._end(job, "succeeded", refused, made.quarantine)

    def _standing(self, parsed: Parsed) -> Parsed:
        """Leave out links to events that were forgotten while the model was at work: nothing revives them."""
        if not isinstance(parsed.value, Events):
            return parsed
        known = self.desk.state.events
        items = [
            item.model_copy(
                update={name: tuple(id for id in getattr(item, name) if known[id].state in VISIBLE) for name in _LINKS}
            )
            for item in parsed.value.events
        ]
        return replace(parsed, value=parsed.value.model_copy(update={"events": tuple(items)}))

    def _stamp(self, job: Job, found: Input | None) -> tuple[frozenset[str], frozenset[str]]:
        """Give what a reply depends on and may change meanwhile: what is forgotten of the target and of its events."""
        state = self.desk.state
        gone = frozenset(id for id in (found.batch if found else ()) if state.events[id].state != "active")
        return forgotten(state, submit.find_target(self.desk.journal, job.target)), gone

    def _done_already(self, job: Job) -> str | None:
        """Say why nothing is to be asked ("": this very job is in the journal), or None."""
        if self.desk.journal.receipt(_receipt(job)) is not None:
            return ""
        part = {"block_summary": "summary", "events": "extracted"}.get(job.kind)
        by = self.desk.state.blocks.get(job.target, {}).get(part) if part else None
        return f"it was handed in by another hand: {by}" if by in ("agent", "person", "import") else None

    def _end(self, job: Job, state: Any, reason: str | None = None, quarantine: str | None = None) -> str:
        """End a job; a step of a Block that is done makes the next one due."""
        self.queue.end(job.id, state, reason, quarantine)
        following = _AFTER.get(job.kind)
        if (
            state in ("succeeded", "skipped")
            and following
            and (following != "events" or self._lacks_events(job.target))
        ):
            self.queue.add(following, job.target, job.thread)
        return str(state)

    def _lacks_events(self, block: str) -> bool:
        return self.desk.state.blocks.get(block, {}).get("extracted") in (None, "rules")

    # -------------------------------------------------------------- by hand
    def retry(self, id: str) -> Job:
        """Try a failed or quarantined job once more, now: one call (one with each key and route, until one answers).

        A job that another thread is at is waited for; one in any other state is left alone. Raises NotFound.
        """
        self.desk.catch_up()
        if self.queue.get(id) is None:
            raise NotFound(f"no job has the id {id!r}", kind="job", id=id)
        if (taken := self.queue.take_again(id)) is not None:
            self._guarded(taken, _Tally(None), threading.Event(), 0, by_hand=True)
            self.stand_in()
        while (job := self.queue.get(id)) is not None and job.state == "running":
            time.sleep(0.02)
        assert job is not None
        return self.shown(job)

    def shown(self, job: Job) -> Job:
        """Give a job as it is shown: one that waits for a step that is switched off is off."""
        off = job.kind not in self.models().steps or not self.models().configured
        return job.model_copy(update={"off": off and job.state in ("pending", "running")})

    def standing(self) -> ModelsStatus:
        """Say how deriving by models stands."""
        models, queue = self.models(), self.queue
        jobs: dict[str, dict[str, int]] = {}
        for (kind, state), count in sorted(queue.counts().items()):
            shown = "off" if state in ("pending", "running") and kind not in models.steps else state
            jobs.setdefault(kind, {})[shown] = jobs.get(kind, {}).get(shown, 0) + count
        calls, tokens_in, tokens_out = queue.spent()
        wrong = [job for state in ("failed", "quarantined") for job in queue.list(state)]
        routes = in_order(models, None)
        return ModelsStatus(
            configured=models.configured,
            source=models.source,
            routes=tuple(label(route) for route in routes),
            steps={step: "on" if models.configured and step in models.steps else "off" for step in STEPS},
            jobs=jobs,
            calls=calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            attention=(
                *((_UNCONFIGURED,) if self.desk.setting("models") and not models.configured else ()),
                *(f"{label(route)}: no key at {route.key}" for route in routes if missing_key(route)),
                *(f"{job.id} {job.state}: {job.reason}" for job in wrong[-10:]),
            ),
        )

    # -------------------------------------------------------------- the rules stand in
    def stand_in(self, *, switched_off: bool = False) -> int:
        """Let the rules' results stand for what no model will make: a step that failed for good, or is switched off."""
        steps = () if switched_off else self.models().steps
        if not self.desk.setting("rules"):
            return 0
        done = 0
        with self.desk.guard:
            self.desk.catch_up()
            ready = {id for id, known in self.desk.state.blocks.items() if "ready" in known}
            for (id,) in self.desk.journal.rows("SELECT id FROM keys_blocks ORDER BY seq, idx"):
                block = None if id in ready else self.desk.journal.block(id)
                if block is not None:
                    done += self._stand_in(block, steps)
        return done

    def _stand_in(self, block: BlockPart, steps: Sequence[str]) -> bool:
        desk = self.desk
        known = desk.state.blocks.get(block.id, {})
        off = {kind: kind not in steps for kind in ("block_summary", "events")}
        failed = {
            kind: (job := self.queue.get(job_id(kind, block.id))) is not None and job.state == "failed" for kind in off
        }
        decision = Decision(desk.state, datetime.now(UTC), "rule")
        with desk.state_at_risk():
            if "summary" not in known and (off["block_summary"] or failed["block_summary"]):
                messages = desk.journal.turn_messages(block.thread, block.first_turn, block.last_turn)
                turns.digest_block(block, messages, decision, turns.reading_of(desk.setting))
                if off["block_summary"] and not off["events"]:
                    self.queue.add("events", block.id, block.thread)
            summed = "summary" in desk.state.blocks.get(block.id, {})
            if summed and "extracted" not in known and (off["events"] or failed["events"] or failed["block_summary"]):
                turns.extract_block(block.id, decision)
        if decision.parts:
            desk.record("turn_derived", decision.parts, decision.at)
        return bool(decision.parts)

    # -------------------------------------------------------------- the session's route
    def session_route(self, thread: str) -> Route | None:
        """Give the route that the host handed over last with a turn of this thread."""
        note = self.desk.work.note(f"route:{thread}")
        return Route.model_validate_json(note["route"]) if note else None

    def keep_route(self, thread: str, route: Route) -> None:
        """Remember the route of a thread; it holds no key, only where one is read."""
        if self.session_route(thread) != route:
            self.desk.work.set_note(f"route:{thread}", {"route": route.model_dump_json()})


def _receipt(job: Job) -> str:
    return f"model:{job.id}"


def _in(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)
