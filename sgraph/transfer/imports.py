"""Taking over a memory from another assistant: decide on each candidate, show it, commit it, undo it.

Until the commit nothing is in the record; how far an import has come is kept in work.db. Without a model what is known
already is ignored, what resembles nothing is added, and the rest waits for a person. With one, the model is asked once
about each candidate of the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from sgraph.config import Models
from sgraph.derive import contracts, submit
from sgraph.derive.desk import Desk
from sgraph.errors import InvalidInput, NotFound, RequestRefused
from sgraph.ids import new_id
from sgraph.journal.capture import capture
from sgraph.records.imports import Action, Candidate, Import, Verdict
from sgraph.records.message import NewMessage
from sgraph.records.parts import EventPart, ReceiptPart
from sgraph.transfer.external import parse
from sgraph.transfer.verdicts import NEEDS_TARGET, Told, resembling, verdict, words_of
from sgraph.truth.decision import Decision

TOP = 5  # known events a candidate is held against
_VISIBLE = ("active", "superseded")
_TABLE = (
    "CREATE TABLE IF NOT EXISTS imports "
    "(id TEXT PRIMARY KEY, digest TEXT NOT NULL, body TEXT NOT NULL, content TEXT NOT NULL) STRICT"
)
_TYPES = {"preference": "preference", "instruction": "preference", "fact": "fact", "event": "other"}
_LINKS = {"MERGE": "supersedes", "SUPERSEDE": "supersedes", "CONFLICT": "conflicts_with"}


class Imports:
    """The imports of a space. `similar` finds known events for a text, best first; `told` gives their words."""

    def __init__(
        self,
        desk: Desk,
        models: Callable[[], Models],
        similar: Callable[[str, int], Sequence[str]],
        told: Callable[[Sequence[str]], Told],
        zone: Callable[[], tzinfo],
    ) -> None:
        self._desk, self._models, self._similar, self._told, self._zone = desk, models, similar, told, zone
        desk.work.run(_TABLE)

    # -------------------------------------------------------------- keeping
    def list(self) -> list[Import]:
        """List the imports, oldest first."""
        return [
            Import.model_validate_json(body) for (body,) in self._desk.work.run("SELECT body FROM imports ORDER BY id")
        ]

    def get(self, id: str) -> Import:
        """Give an import by its id, or by the end of it. Raises NotFound."""
        found = [one for one in self.list() if id and one.id.endswith(id)]
        if len(found) != 1:
            raise NotFound(
                f"{'several imports have' if found else 'no import has'} the id {id!r}", kind="import", id=id
            )
        return found[0]

    def _keep(self, one: Import, act: str | None = None, by: str = "person", **changes: Any) -> Import:
        audit = (*one.audit, (datetime.now(UTC), by, act)) if act else one.audit
        one = one.model_copy(update={"audit": audit, **changes})
        self._desk.work.run("UPDATE imports SET body = ? WHERE id = ?", one.model_dump_json(), one.id)
        return one

    # -------------------------------------------------------------- deciding
    def begin(self, text: str, name: str) -> Import:
        """Parse a text and make it an import; the same text again gives the one there is. Raises InvalidInput."""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        known = [one for one in self.list() if one.digest == digest and one.state != "undone"]
        if known:
            return known[0]
        external = parse(text, self._zone())
        one = Import(id=new_id(), state="processing", name=name, digest=digest, external=external)
        content = text.encode("utf-8", "replace").decode("utf-8")
        self._desk.work.run("INSERT INTO imports VALUES (?,?,?,?)", one.id, digest, one.model_dump_json(), content)
        return self._keep(one, f"create {name}".strip())

    def decide(self, one: Import, progress: Callable[[str, int, int], None] | None = None) -> Import:
        """Decide on the candidates that are left, keeping each verdict; a provider that fails stops it there."""
        candidates = one.external.candidates
        for at in range(len(one.verdicts), len(candidates)):
            candidate = candidates[at]
            with self._desk.guard:
                seen = self._resembling(candidate)
            made, answer = verdict(candidate, candidates[:at], seen, self._models())
            if answer is not None:
                spent = {
                    "tokens_in": one.tokens_in + answer.tokens_in,
                    "tokens_out": one.tokens_out + answer.tokens_out,
                }
                one = one.model_copy(update={"calls": one.calls + 1, **spent})
            if made is None:
                reason = answer.failure if answer is not None else ""
                return self._keep(one, state="failed", note=f"stopped at {candidate.place}: {reason}")
            one = self._keep(one, verdicts=(*one.verdicts, made))
            if progress is not None:
                progress("import", at + 1, len(candidates))
        return self._settled(one)

    def _resembling(self, candidate: Candidate) -> Told:
        events = self._desk.state.events
        found = [id for id in self._similar(words_of(candidate), TOP) if id in events and events[id].state in _VISIBLE]
        return resembling(candidate, self._told(found))

    def confirm(self, id: str, number: int, action: Action, event_ids: Sequence[str] = ()) -> Import:
        """Let a person decide on candidate `number`, counted from 1. Raises InvalidInput, also for an unknown event."""
        one = self.get(id)
        if not 1 <= number <= len(one.verdicts) or one.verdicts[number - 1].done:
            raise InvalidInput(f"this import has no candidate {number} to decide on", field="number", value=number)
        events = self._desk.state.events
        unknown = [event for event in event_ids if event not in events or events[event].state not in _VISIBLE]
        if unknown or (action in NEEDS_TARGET and not event_ids):
            what = f"no event has the id {unknown[0]!r}" if unknown else f"{action} needs the id of a known event"
            raise InvalidInput(what, field="event_ids", value=list(event_ids))
        known = one.verdicts[number - 1]
        changes = {"action": action, "event_ids": tuple(event_ids), "by": "person", "review": False, "confidence": 1.0}
        verdicts = (*one.verdicts[: number - 1], known.model_copy(update=changes), *one.verdicts[number:])
        return self._settled(self._keep(one, f"decide {number} {action}", verdicts=verdicts))

    def _settled(self, one: Import) -> Import:
        if len(one.verdicts) < len(one.external.candidates):
            return one
        if one.to_review:
            state = "awaiting_confirmation"
        else:
            state = "committed" if all(verdict.done for verdict in one.verdicts) else "ready"
        return self._keep(one, state=state, note=None)

    # -------------------------------------------------------------- committing
    def commit(self, one: Import) -> Import:
        """Record what is decided and not yet recorded: the whole text as a message, and the events that rest on it.

        Raises RequestRefused (stale) when what is known has changed since a candidate was decided on; it is decided on
        anew by `decide`.
        """
        due = [at for at, made in enumerate(one.verdicts) if not made.review and not made.done]
        if not due:
            return one
        with self._desk.guard:
            self._desk.catch_up()
            stale = [at for at in due if self._is_stale(one, at)]
            if stale:
                self._keep(one, "stale", "rule", state="processing", verdicts=one.verdicts[: stale[0]])
                place = one.external.candidates[stale[0]].place
                raise RequestRefused(
                    f"what is known has changed since {place} was decided on; import the same text to decide anew",
                    reason="stale",
                    places=[one.external.candidates[at].place for at in stale],
                )
            made = self._record(one, due)
        verdicts = tuple(
            known.model_copy(update={"done": True, "event": made.get(at)}) if at in due else known
            for at, known in enumerate(one.verdicts)
        )
        return self._settled(self._keep(one, f"commit {len(made)} events", verdicts=verdicts))

    def _is_stale(self, one: Import, at: int) -> bool:
        made, events = one.verdicts[at], self._desk.state.events
        if made.by == "person":
            return any(events[id].state not in _VISIBLE for id in made.event_ids)
        own = {known.event for known in one.verdicts}
        return self._resembling(one.external.candidates[at]).keys() - own != set(made.seen) - own

    def _record(self, one: Import, due: Sequence[int]) -> dict[int, str]:
        """Record the text and the events; give their ids by candidate. After a kill the same again is known."""
        desk, thread = self._desk, thread_of(one)
        adding = [at for at in due if one.verdicts[at].action != "IGNORE"]
        if not adding:
            return {}
        receipt = f"{thread}:{','.join(map(str, adding))}"
        if (seq := desk.journal.receipt(receipt)) is not None:
            entry = desk.journal.entry(seq)
            ids = [part.id for part in entry.parts if isinstance(part, EventPart)] if entry else []
            return dict(zip(adding, ids, strict=True))
        ((content,),) = desk.work.run("SELECT content FROM imports WHERE id = ?", one.id)
        sent_at = one.external.exported_at or datetime.now(UTC)
        text = NewMessage(role="tool", content=content, sent_at=sent_at, adapter="import")
        capture(desk.journal, [text], thread=thread, receipt=thread, close_turn=True, title=one.name or None)
        desk.catch_up()
        target = submit.find_target(desk.journal, thread)
        decision = Decision(desk.state, datetime.now(UTC), "import")
        ids = []
        with desk.state_at_risk():
            for at in adding:
                item = self._item(one.external.candidates[at], one.verdicts[at], target)
                ids += submit.decide(decision, "events", target, contracts.Events(events=(item,)), "import")
        decision.put(ReceiptPart(id=receipt))
        desk.record("events_derived", decision.parts, decision.at)
        return dict(zip(adding, ids, strict=True))

    def _item(self, candidate: Candidate, made: Verdict, target: submit.Target) -> contracts.EventItem:
        """Make a candidate an event that rests on the imported text. Only quotes that stand in it are quotes."""
        (message,) = target.messages
        merged = made.merged if made.action == "MERGE" and made.merged else (candidate.title, candidate.summary)
        fields: dict[str, Any] = {
            "title": merged[0],
            "summary": merged[1],
            "source_message_ids": [message.key],
            "quotes": [quote for quote in candidate.quotes if quote in message.content],
            "tags": list(candidate.tags),
            "event_type": _TYPES.get(candidate.memory_kind or "", "note"),
            "participants": [{"name": name} for name in candidate.participants],
        }
        for name in ("happened_start", "happened_end", "precision", "basis", "time_text", "scope", "criticality"):
            if (value := getattr(candidate, name)) is not None:
                fields[name] = value
        if link := _LINKS.get(made.action):
            fields[link] = list(made.event_ids)
        legal = contracts.ReplyContext(
            messages={message.key: message.content}, events=frozenset(made.event_ids), zone=self._zone()
        )
        return contracts.EventItem.model_validate(fields, context=legal)

    # -------------------------------------------------------------- undoing
    def undone(self, one: Import) -> Import:
        """Note that an import was taken back."""
        return self._keep(one, "undo", state="undone")


def thread_of(one: Import) -> str:
    """Give the thread that holds an import's text."""
    return f"import-{one.id}"


def events_of(one: Import) -> tuple[str, ...]:
    """Give the events an import was committed as."""
    return tuple(made.event for made in one.verdicts if made.event is not None)
