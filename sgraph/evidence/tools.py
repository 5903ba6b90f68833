"""The verbs an agent needs, as OpenAI-style tool definitions with a dispatcher.

Every schema is strict: no other argument is taken, and an optional one is null. A result is JSON text of at most
`LONGEST` characters, an error too, so that a model can put its call right. What comes from memory is data inside JSON
strings, labelled as untrusted, and leaves its fingerprints with the echo guard.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from sgraph.errors import InvalidInput, NotFound, SgraphError
from sgraph.evidence import batches, echo
from sgraph.journal.capture import turn_of
from sgraph.journal.log import Journal
from sgraph.journal.work import Work
from sgraph.records.base import Record
from sgraph.records.evidence import OpenBatch, Strategy, Verdict
from sgraph.records.found import Card, Found
from sgraph.records.parts import MessagePart

LONGEST = 12_000  # characters of a result
TEXT = 600  # characters of a text in it
ROWS = 50
AROUND = 2  # messages shown before and behind an expanded one
UNTRUSTED = echo.NOTE


class _Arguments(Record):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Recall(_Arguments):
    """Find evidence in memory for a question: what was said, decided, preferred or planned before this conversation."""

    question: str = Field(description="The question, in words.", max_length=2_000)
    limit: int | None = Field(None, description="At most so many cards, 1 to 20; null: 8.", ge=1, le=20)
    thread: str | None = Field(None, description="Only what was said in this thread.")


class Search(_Arguments):
    """Look along one route: events, graph (people and things), turns, or messages. Change the route when one fails."""

    route: Literal["events", "graph", "turns", "messages"]
    query: str = Field(description="Words to look for.", max_length=2_000)
    limit: int | None = Field(None, description="At most so many cards, 1 to 20; null: 8.", ge=1, le=20)
    participants: list[str] | None = Field(None, description="Events only: everybody who took part.", max_length=12)
    happened_from: str | None = Field(None, description="Events only: happened then or later (ISO date).")
    happened_to: str | None = Field(None, description="Events only: happened then or before (ISO date).")


class Expand(_Arguments):
    """Open what a ref stands for: an event with its words, an entity with its history, a message or turn as said."""

    ref: str = Field(description="event:…, entity:…, message:… or turn:…, copied from a card.")
    batch_id: str | None = Field(None, description="The batch it was found in.")


class Assess(_Arguments):
    """Say whether the evidence of a batch is enough. Answer only when the verdict that comes back is sufficient."""

    batch_id: str
    verdict: Verdict
    evidence_refs: list[str] = Field(description="At most 8 refs of this batch that the answer rests on.")
    fit: str = Field(description="Why they answer the question, in at most 160 characters.")
    missing: str = Field(description="What is still missing, in at most 160 characters; else empty.")
    next_strategy: Strategy = Field(description="answer, or where to look next.")
    despite: list[str] | None = Field(None, description="Codes of concerns that were looked at and do not apply.")


class RecordUse(_Arguments):
    """Close a batch: name the refs the answer really used (adopted by its sufficient assessment), or none."""

    batch_id: str
    evidence_refs: list[str]
    receipt: str | None = Field(None, description="Your id for the answer.")


class Remember(_Arguments):
    """Keep what was stated on purpose and should outlive this conversation; never what memory itself returned."""

    content: str = Field(description="One self-contained statement.", max_length=8_000)
    category: Literal["preference", "decision", "correction", "fact", "task", "skill", "event", "note"]
    name: str | None = Field(None, description="A heading, for a task, a skill or an event.")
    thread: str | None = Field(None, description="The thread it was said in.")


class Cypher(_Arguments):
    """Ask the memory graph with one read-only Cypher query."""

    query: str = Field(max_length=8_000)
    limit: int | None = Field(None, description="At most so many rows, 1 to 50; null: 50.", ge=1, le=ROWS)


class Tools:
    """The tools of one agent on a memory. Definitions never change; `call` never raises for what a model got wrong."""

    def __init__(self, memory: Any, work: Work, journal: Journal, shown: Callable[[str], bool]) -> None:
        self._memory, self._work, self._journal = memory, work, journal
        self._shown = shown  # says whether a message is not hidden by what was forgotten
        self._opened: dict[str, None] = {}
        self._reminded: set[str] = set()
        self._verbs: dict[str, tuple[type[_Arguments], Callable[[Any], Any]]] = {
            "recall": (Recall, self._recall), "search": (Search, self._search), "expand": (Expand, self._expand),
            "assess": (Assess, self._assess), "record_use": (RecordUse, self._record_use),
            "remember": (Remember, self._remember), "cypher": (Cypher, self._cypher),
        }  # fmt: skip

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Give the tools as `tools=` of a chat completion takes them."""
        return [{"type": "function", "function": _function(name, kind)} for name, (kind, _) in self._verbs.items()]

    def call(self, name: str, arguments: str | Mapping[str, Any] | None) -> str:
        """Run a tool with its arguments (JSON text or a mapping); give the result, or the error, as JSON text."""
        try:
            if name not in self._verbs:
                raise NotFound(f"no tool is called {name!r}; there are {', '.join(self._verbs)}", kind="tool", id=name)
            kind, run = self._verbs[name]
            result = run(_read(kind, arguments))
        except SgraphError as error:
            result = {"error": {"code": error.code, "message": error.message[:TEXT], "details": _short(error.details)}}
        return _bounded(result)

    def answer(self, calls: Sequence[Any] | None) -> list[dict[str, Any]]:
        """Run the tool calls of an assistant's message; give the messages that answer them."""
        return [
            {"role": "tool", "tool_call_id": call.id, "content": self.call(call.function.name, call.function.arguments)}
            for call in calls or ()
        ]

    def unresolved(self) -> list[OpenBatch]:
        """List the batches that these tools opened and whose use is not recorded yet."""
        return [batch for batch in self._memory.open_batches() if batch.batch_id in self._opened]

    def reminder(self) -> str | None:
        """Give the words that remind an agent at the end of its turn of batches left open, once for each; else None."""
        left = [batch.batch_id for batch in self.unresolved() if batch.batch_id not in self._reminded]
        self._reminded.update(left)
        if not left:
            return None
        return f"Open evidence batches: {', '.join(left)}. Call record_use for each: the refs the answer used, or []."

    # -------------------------------------------------------------- verbs
    def _recall(self, given: Recall) -> dict[str, Any]:
        scope = {"thread": given.thread} if given.thread else {}
        return self._found(self._memory.recall(given.question, limit=given.limit or 8, **scope))

    def _search(self, given: Search) -> dict[str, Any]:
        verbs = {"events": "search_events", "graph": "search_graph", "turns": "search_turns", "messages": "search_raw"}
        names = ("participants", "happened_from", "happened_to")
        scope = {name: value for name in names if given.route == "events" and (value := getattr(given, name))}
        return self._found(getattr(self._memory, verbs[given.route])(given.query, limit=given.limit or 8, **scope))

    def _found(self, found: Found) -> dict[str, Any]:
        if found.cards:
            self._opened[found.batch_id] = None
        shown = {"batch_id": found.batch_id, "note": UNTRUSTED, "cards": [_card(card) for card in found.cards]}
        return shown | ({"empty_reason": found.empty_reason} if found.empty_reason else {})

    def _expand(self, given: Expand) -> dict[str, Any]:
        kind, _, id = given.ref.partition(":")
        expanders: dict[str, Callable[[str], tuple[Any, dict[str, list[str]]]]] = {
            "event": self._event, "entity": self._entity, "message": self._message, "turn": self._turn,
        }  # fmt: skip
        if kind not in expanders or not id:
            raise InvalidInput(
                f"a ref is one of {', '.join(f'{k}:…' for k in expanders)}", field="ref", value=given.ref[:200]
            )
        batch = batches.pick(self._work, given.batch_id, datetime.now(UTC)) if given.batch_id else None
        shown, refs = expanders[kind](id)
        opened = batches.open_batch(self._work, batch.question if batch else "", refs, batch.scope if batch else {})
        self._opened[opened] = None
        echo.hand_out(self._work, echo.strings(shown), datetime.now(UTC))
        return {"batch_id": opened, "note": UNTRUSTED, "refs": list(refs)[:40], kind: shown}

    def _event(self, id: str) -> tuple[Any, dict[str, list[str]]]:
        view = self._memory.expand_event(id)
        keys = list(dict.fromkeys(words.message for words in view.evidence))
        return view.model_dump(mode="json", exclude_none=True), {
            f"event:{id}": keys,
            **{f"message:{key}": [key] for key in keys},
        }

    def _entity(self, id: str) -> tuple[Any, dict[str, list[str]]]:
        view = self._memory.entity(id)
        refs: dict[str, list[str]] = {f"entity:{view.id}": []}
        for fact in (*view.now, *view.disputed, *view.history):
            keys = [words.message for words in fact.evidence]
            refs[f"fact:{fact.id}"] = keys
            refs |= {f"event:{words.event}": [words.message] for words in fact.evidence}
            refs[f"entity:{view.id}"] += [key for key in keys if key not in refs[f"entity:{view.id}"]]
        return view.model_dump(mode="json", exclude_none=True), refs

    def _message(self, key: str) -> tuple[Any, dict[str, list[str]]]:
        found = self._journal.message(key)
        if found is None or not self._shown(key):
            raise NotFound(f"no message has the key {key!r}", kind="message", id=key)
        near = self._journal.thread_messages(found.thread, max(1, found.position - AROUND), found.position + AROUND)
        return self._messages(near)

    def _turn(self, id: str) -> tuple[Any, dict[str, list[str]]]:
        thread, number = turn_of(id)
        found = self._journal.turn_messages(thread, number, number)
        if not found:
            raise NotFound(f"no turn has the id {id!r}", kind="turn", id=id)
        return self._messages(found)

    def _messages(self, messages: Sequence[MessagePart]) -> tuple[Any, dict[str, list[str]]]:
        shown = [message for message in messages if self._shown(message.key)]
        rows = [
            {
                "ref": f"message:{m.key}",
                "speaker": m.speaker or m.role,
                "sent_at": m.sent_at.isoformat(),
                "text": m.content,
            }
            for m in shown
        ]
        return rows, {f"message:{message.key}": [message.key] for message in shown}

    def _assess(self, given: Assess) -> dict[str, Any]:
        done = self._memory.assess(
            given.batch_id,
            verdict=given.verdict,
            evidence_refs=given.evidence_refs,
            fit=given.fit,
            missing=given.missing,
            next_strategy=given.next_strategy,
            despite=given.despite or (),
        )
        shown: dict[str, Any] = done.model_dump(mode="json", exclude={"at", "question", "requested"})
        return shown

    def _record_use(self, given: RecordUse) -> Any:
        return self._memory.record_use(given.batch_id, given.evidence_refs, receipt=given.receipt).model_dump(
            mode="json"
        )

    def _remember(self, given: Remember) -> Any:
        kept = self._memory.remember(given.content, given.category, name=given.name, thread=given.thread, by="agent")
        return kept.model_dump(mode="json")

    def _cypher(self, given: Cypher) -> dict[str, Any]:
        table = self._memory.cypher(given.query, limit=given.limit or ROWS)
        rows = json.loads(json.dumps(table.rows, default=str))
        echo.hand_out(self._work, echo.strings(rows), datetime.now(UTC))
        return {"note": UNTRUSTED, "columns": list(table.columns), "rows": rows, "more": table.more}


def _card(card: Card) -> dict[str, Any]:
    shown = {
        "ref": card.ref,
        "also": list(card.also[:8]),
        "title": card.title[:240],
        "text": card.text[:TEXT],
        "state": card.state,
        "said_or_happened": card.source_time.isoformat() if card.source_time else None,
        "happened_start": card.happened_start.isoformat() if card.happened_start else None,
        "quotes": [
            {"speaker": q.speaker, "text": q.text[:TEXT], "ref": f"message:{q.message}"}
            for q in card.quotes
            if card.kind != "message"
        ],
    }
    return {name: value for name, value in shown.items() if value not in (None, [])}


def _read(kind: type[_Arguments], arguments: str | Mapping[str, Any] | None) -> Any:
    """Read a tool's arguments. Raises InvalidInput, naming the places and what is wrong there, but no value."""
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str | None) else dict(arguments)
        return kind.model_validate(given)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in error.errors()[:5]]
        raise InvalidInput("; ".join(problems), field=problems[0].partition(":")[0]) from error
    except ValueError as error:
        raise InvalidInput("the arguments are not a JSON object", field="arguments") from error


def _function(name: str, kind: type[_Arguments]) -> dict[str, Any]:
    """Give a tool with the strict schema of its arguments: every property is required, an optional one may be null."""
    properties = {name: _plain(schema) for name, schema in kind.model_json_schema()["properties"].items()}
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"name": name, "description": " ".join((kind.__doc__ or "").split()), "strict": True, "parameters": schema}


_KEPT = {"type", "enum", "items", "anyOf", "description"}  # the words of JSON Schema that every strict mode knows


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in schema.items() if name in _KEPT}
    if "anyOf" in found:
        found["anyOf"] = [_plain(each) for each in found["anyOf"]]
    if "items" in found:
        found["items"] = _plain(found["items"])
    return found


def _short(value: Any) -> Any:
    """Cut texts and lists of a JSON value to what a result holds."""
    if isinstance(value, str):
        return value[:TEXT]
    if isinstance(value, Mapping):
        return {str(name): _short(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_short(each) for each in value[:20]]
    return value


def _bounded(result: Any) -> str:
    """Write a result as JSON of at most `LONGEST` characters: whole, else with texts cut and lists shortened."""
    text = json.dumps(result, default=str)
    most = 40
    while len(text) > LONGEST and most:
        most //= 2
        text = json.dumps(_cut(result, most) | {"cut": True}, default=str)
    return text


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= 30 * most else f"{value[: 30 * most]}…"
    if isinstance(value, Mapping):
        return {name: _cut(each, most) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(each, most) for each in value[:most]]
    return value
