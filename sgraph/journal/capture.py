"""Capture: messages become one journal entry, with the turns they begin or end and the Block they fill.

A turn starts with a message of the thread's opening side (role user; between named people the one who spoke first) and
ends before the next one. A gap over four hours between two messages, or another explicit `session`, starts a session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sgraph.errors import EmptyTurn, InvalidInput, MessageConflict, ReceiptConflict
from sgraph.journal.keys import KeyTables, ThreadState, advance
from sgraph.journal.log import Journal
from sgraph.records.message import Captured, NewMessage
from sgraph.records.parts import (
    BlockPart,
    MessagePart,
    NotePart,
    Part,
    ReceiptPart,
    ThreadPart,
    TurnClosedPart,
    TurnPart,
)

SESSION_GAP = timedelta(hours=4)
ID_LIMIT = 1_000  # characters of a thread, a message id, a receipt
TEXT_LIMIT = 12 << 20  # bytes (UTF-8) of the text of one call: what the graph takes in one transaction
_ESCAPES = str.maketrans({"%": "%25", "/": "%2F", "#": "%23", ":": "%3A"})


def thread_key(thread: str) -> str:
    """Give a thread id in the form that stands before "/" in message keys, "#" in turn ids and ":" in Block ids."""
    return thread.translate(_ESCAPES)


def thread_of(key: str) -> str:
    """Give the thread whose key form this is."""
    return key.replace("%3A", ":").replace("%23", "#").replace("%2F", "/").replace("%25", "%")


def message_key(thread: str, name: str) -> str:
    """Give the key of a message from its thread and the caller's id (or its position)."""
    return f"{thread_key(thread)}/{name}"


def turn_id(thread: str, number: int) -> str:
    """Give a turn's id."""
    return f"{thread_key(thread)}#{number}"


def turn_of(id: str) -> tuple[str, int]:
    """Give the thread and the number that a turn's id stands for; ("", 0), where nothing is, for what is no turn id."""
    stem, _, number = id.rpartition("#")
    return (thread_of(stem), int(number)) if number.isdecimal() and len(number) < 19 else ("", 0)


def block_id(thread: str, number: int) -> str:
    """Give a Block's id."""
    return f"{thread_key(thread)}:b{number}"


def capture(
    journal: Journal,
    messages: Sequence[NewMessage],
    *,
    thread: str,
    receipt: str | None = None,
    close_turn: bool = False,
    title: str | None = None,
    note: NotePart | None = None,
) -> Captured:
    """Record messages of one thread with one durable commit; with `note`, as the words of a note.

    A receipt or a message id that is known with the same content is a no-op; with other content it raises
    ReceiptConflict or MessageConflict and nothing is stored. `close_turn` ends the last turn at once.
    """
    _check_id("thread", thread)
    if receipt is not None:
        _check_id("receipt", receipt)
    if not messages:
        raise EmptyTurn("nothing to record: give at least one message", thread=thread)
    _check(messages)
    with journal.transaction() as keys:
        if receipt is not None and (seq := keys.receipt(receipt)) is not None:
            return _known_receipt(journal, seq, messages, thread, receipt)
        batch = _Batch(journal, keys, thread, title)
        for message in messages:
            batch.add(message)
        if close_turn and batch.turn == batch.state.turn:  # known messages of an older turn close nothing
            batch.close_turn()
        if batch.parts and receipt is not None:
            batch.parts.append(ReceiptPart(id=receipt))
        batch.parts += [note, ReceiptPart(id=f"use:{note.id}")] if note is not None else []
        entry = journal.append("noted" if note is not None else "said", batch.parts) if batch.parts else None
        return Captured(
            seq=entry.seq if entry else None,
            thread=thread,
            messages=tuple(batch.keys_seen),
            new=sum(isinstance(part, MessagePart) for part in batch.parts),
            known=batch.known,
            turn=batch.state.turn,
            blocks=tuple(part.id for part in batch.parts if isinstance(part, BlockPart)),
        )


def _check_id(field: str, value: object) -> None:
    """Raise InvalidInput for an id that is no text, blank, long, or half a character."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{field} must be text and not blank", field=field, value=value)
    if len(value) > ID_LIMIT:
        raise InvalidInput(f"{field} must be at most {ID_LIMIT} characters long", field=field, value=value[:80])
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidInput(f"{field} holds half of a surrogate pair", field=field, value=ascii(value))


def _check(messages: Sequence[NewMessage]) -> None:
    for message in messages:
        if message.id is not None:
            _check_id("id", message.id)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for m in messages for text in (m.content, m.tool_calls or ""))
    if size > TEXT_LIMIT:
        raise InvalidInput(
            f"{size:,} bytes of text at once are too many; a call takes {TEXT_LIMIT:,}: "
            "keep the rest in a file, and say where",
            field="content", value=size,
        )


def close_open_turn(journal: Journal, thread: str) -> None:
    """End the open turn of a thread, if there is one."""
    with journal.transaction() as keys:
        if keys.thread(thread) is not None:
            batch = _Batch(journal, keys, thread, None)
            batch.close_turn()
            if batch.parts:
                journal.append("said", batch.parts)


class _Batch:
    """The parts of one entry under construction, and where the thread stands after them."""

    def __init__(self, journal: Journal, keys: KeyTables, thread: str, title: str | None) -> None:
        self.journal, self.tables, self.thread, self.title = journal, keys, thread, title
        known = keys.thread(thread)
        self.is_new = known is None
        self.state: ThreadState = known or ThreadState()
        self.block_turns = int(keys.settings()["block_turns"])
        self.blocks_in_space = keys.blocks()
        self.parts: list[Part] = []
        self.taken: dict[str, MessagePart] = {}
        self.keys_seen: list[str] = []
        self.known = 0
        self.turn = 0  # the turn of the last message, new or known

    def _put(self, part: ThreadPart | TurnPart | MessagePart | TurnClosedPart | BlockPart) -> None:
        self.parts.append(part)
        self.state = advance(self.state, part)

    def _existing(self, key: str) -> MessagePart | None:
        return self.taken.get(key) or (self.journal.message(key) if self.tables.has_message(key) else None)

    def _key(self, message: NewMessage) -> tuple[str, MessagePart | None]:
        """Give a message's key, and the message that is known by its id. A key taken by another one gets a tilde."""
        key = message_key(self.thread, str(self.state.position + 1) if message.id is None else message.id)
        while (found := self._existing(key)) is not None and (message.id is None or found.id != message.id):
            key += "~"
        return key, found

    def add(self, message: NewMessage) -> None:
        key, found = self._key(message)
        self.keys_seen.append(key)
        if found is not None:
            if _content(found) != _content(message):
                raise MessageConflict(
                    f"message {message.id!r} of thread {self.thread!r} is kept with other content; "
                    "give the new text an id of its own",
                    thread=self.thread, id=message.id, key=key,
                )
            self.known += 1
            self.turn = found.turn
            return
        if self.is_new:
            self.is_new = False
            self._put(ThreadPart(id=self.thread, title=self.title, started_at=message.sent_at))
        opens = self._opens(message)
        if opens:
            self.close_turn()
        if not self.state.turn_open:
            number = self.state.turn + 1
            self._put(
                TurnPart(id=turn_id(self.thread, number), thread=self.thread, number=number, started_at=message.sent_at)
            )
        session, label = self._session(message)
        part = MessagePart(
            key=key, id=message.id, thread=self.thread, turn=self.state.turn, session=session, session_label=label,
            position=self.state.position + 1, previous=self.state.last_key, role=message.role, speaker=message.speaker,
            content=message.content, tool_calls=message.tool_calls, sent_at=message.sent_at.astimezone(UTC),
            is_question=self._is_opener(message) and not self.state.turn_asked, agent=message.agent,
            adapter=message.adapter,
        )
        self.taken[key] = part
        self.turn = part.turn
        self._put(part)

    def _is_opener(self, message: NewMessage) -> bool:
        if self.state.opener_role is None:
            return message.role == "user"
        return (message.role, message.speaker) == (self.state.opener_role, self.state.opener_speaker)

    def _opens(self, message: NewMessage) -> bool:
        return self.state.turn_open and self.state.turn_asked and self._is_opener(message)

    def _session(self, message: NewMessage) -> tuple[int, str | None]:
        state = self.state
        if message.session is not None:
            same = state.session_label == message.session and state.session > 0
            return (state.session if same else state.session + 1), message.session
        last = datetime.fromisoformat(state.last_sent) if state.last_sent else None
        if last is not None and abs(message.sent_at - last) <= SESSION_GAP:
            return state.session, state.session_label
        return state.session + 1, None

    def close_turn(self) -> None:
        state = self.state
        if not state.turn_open:
            return
        self._put(
            TurnClosedPart(
                id=turn_id(self.thread, state.turn), thread=self.thread, number=state.turn,
                answer=state.turn_answer, position=state.turn_answer_position,
            )
        )
        if state.turn - state.block_from + 1 >= self.block_turns:
            self.blocks_in_space += 1
            number = state.blocks + 1
            self._put(
                BlockPart(
                    id=block_id(self.thread, number), thread=self.thread, sequence=self.blocks_in_space, number=number,
                    first_turn=state.block_from, last_turn=state.turn,
                )
            )


def _content(message: NewMessage | MessagePart) -> tuple[object, ...]:
    return (message.role, message.speaker, message.content, message.tool_calls)


def _known_receipt(
    journal: Journal, seq: int, messages: Sequence[NewMessage], thread: str, receipt: str
) -> Captured:
    entry = journal.entry(seq)
    kept = [part for part in (entry.parts if entry else ()) if isinstance(part, MessagePart)]
    keys = {part.key for part in kept}

    def kept_before(message: NewMessage) -> bool:
        key = message_key(thread, message.id) if message.id is not None else None
        return key is not None and key not in keys and journal.message(key) is not None

    given = [_content(message) for message in messages if not kept_before(message)]
    if any(part.thread != thread for part in kept) or [_content(part) for part in kept] != given:
        raise ReceiptConflict(
            f"receipt {receipt!r} stands for other content (entry {seq}); give the new turn a receipt of its own",
            receipt=receipt, seq=seq,
        )
    return Captured(
        seq=None, thread=thread, messages=tuple(part.key for part in kept), new=0, known=len(messages),
        turn=kept[-1].turn if kept else 0, blocks=(),
    )


def tool_calls_text(tools: Any) -> str | None:
    """Write a list of {name, arguments, result} as JSON text; None and [] give None."""
    if not tools:
        return None
    if isinstance(tools, str):
        return tools
    if isinstance(tools, Mapping):
        tools = [tools]
    try:
        return json.dumps(tools, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"tools must be JSON values: {error}", field="tools") from error
