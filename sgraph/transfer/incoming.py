"""Messages as callers hand them in, and conversation files into a memory."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from sgraph.chronology import read_instant
from sgraph.errors import InvalidInput, SgraphError
from sgraph.records.base import Record
from sgraph.records.message import Captured, NewMessage
from sgraph.transfer.conversations import detect, read
from sgraph.transfer.items import Item, Said, Skipped, Submission, role_of, text_of
from sgraph.transfer.messages import tools_text

BATCH = 64  # messages recorded with one commit
_FIELDS = {"content", "role", "speaker", "name", "at", "id", "session", "tools", "agent", "adapter"}
_REFERENCE = re.compile(r"@(.+)\.([0-9]{1,4})")


def message(
    given: Mapping[str, Any] | str, index: int, at: datetime, zone: tzinfo, *, session: str | None = None,
    agent: str | None = None, adapter: str | None = None,
) -> NewMessage:
    """Read a message as a caller hands it in. Raises InvalidInput or InvalidTime, naming its place."""
    if isinstance(given, str):
        given = {"content": given}
    place = f"messages[{index}]"
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{place} must be text or a mapping with content", field=place, value=type(given).__name__)
    if unknown := sorted(given.keys() - _FIELDS):
        raise InvalidInput(
            f"{place} has unknown fields: {', '.join(map(str, unknown))}; known: {', '.join(sorted(_FIELDS))}",
            field=place,
        )
    role = role_of(given.get("role", "user"))
    if role is None:
        raise InvalidInput(
            f"{place}: role must be user, assistant, system or tool", field=f"{place}.role", value=given.get("role")
        )
    content = text_of(given.get("content"))
    if content is None and (given.get("content") is not None or not given.get("tools")):
        raise InvalidInput(
            f"{place}: content must be text", field=f"{place}.content", value=type(given.get("content")).__name__
        )
    try:
        tools = tools_text(given.get("tools"))
    except ValueError as error:
        raise InvalidInput(f"{place}: {error}", field=f"{place}.tools") from error
    stated = given.get("at")
    id = given.get("id")
    return new_message(
        role=role, content=content or "", speaker=given.get("speaker") or given.get("name"),
        sent_at=at if stated is None else read_instant(stated, zone, field=f"{place}.at"),
        id=None if id is None else str(id),
        session=given.get("session", session), tool_calls=tools, agent=given.get("agent", agent),
        adapter=given.get("adapter", adapter),
    )


def new_message(**values: Any) -> NewMessage:
    """Make a message. Raises InvalidInput, naming the fields that are not of their type."""
    try:
        return NewMessage(**values)
    except ValidationError as error:
        fields = sorted({str(problem["loc"][0]) for problem in error.errors(include_input=False)})
        raise InvalidInput(f"{', '.join(fields)} must be text", field=fields[0]) from error


class IngestReport(Record):
    """What became of a file: messages `kept` now and `known` before (a run that goes on), what was skipped and why."""

    path: str
    format: str
    kept: int = 0
    known: int = 0
    submitted: int = 0
    refused: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    threads: tuple[str, ...] = ()
    blocks: int = 0

    @property
    def resumed(self) -> bool:
        """Say whether part of the file was recorded before."""
        return self.known > 0


class Sink(Protocol):
    """What an ingest writes to."""

    def zone(self) -> tzinfo:
        """Give the time zone of naive times."""
        ...

    def capture(self, messages: list[NewMessage], *, thread: str, title: str | None, receipt: str | None) -> Captured:
        """Record messages of one thread."""
        ...

    def submit(self, kind: str, target: str, reply: Any, *, receipt: str) -> bool:
        """Hand in a derivation once; say whether it was new."""
        ...

    def made(self, receipt: str) -> Sequence[str]:
        """Give the ids of the events that the derivation with this receipt made, in its order."""
        ...


def ingest(
    sink: Sink, path: Path, *, thread: str | None = None, progress: Callable[[int], None] | None = None
) -> IngestReport:
    """Record a conversation file in batches. What was recorded before is passed over, so an interrupted run goes on.

    `progress` is called with the number of messages read so far.
    """
    form = detect(path)
    counts = {"kept": 0, "known": 0, "submitted": 0, "blocks": 0}
    skipped: list[Skipped] = []
    refused: list[Skipped] = []
    threads: dict[str, None] = {}
    receipts: dict[str, str] = {}  # of the named derivations, by name
    for item in _batches(read(path, zone=sink.zone())):
        if isinstance(item, Skipped):
            skipped.append(item)
        elif isinstance(item, Submission):
            try:
                receipt, reply = _receipt(item), _resolved(item.reply, receipts, sink)
                if item.name is not None:
                    receipts[item.name] = receipt
                counts["submitted"] += sink.submit(item.kind, item.target, reply, receipt=receipt)
            except RecursionError:
                refused.append(Skipped(place=item.place, code="too_deep", reason="the reply is nested too deeply"))
            except SgraphError as error:
                refused.append(Skipped(place=item.place, code=error.code, reason=error.message))
        else:
            threads[thread or item[0].thread] = None
            for done in _captured(sink, item, thread, refused):
                counts["kept"] += done.new
                counts["known"] += done.known
                counts["blocks"] += len(done.blocks)
            if progress is not None:
                progress(counts["kept"] + counts["known"])
    return IngestReport(
        path=str(path), format=form, **counts, skipped=tuple(skipped), refused=tuple(refused), threads=tuple(threads)
    )


def _captured(sink: Sink, batch: list[Said], thread: str | None, refused: list[Skipped]) -> Iterator[Captured]:
    """Record a batch at once; when one of its messages is refused, each by itself, so that it alone is left out."""
    first = batch[0]
    try:
        yield sink.capture(
            [said.message for said in batch], thread=thread or first.thread, title=first.title, receipt=first.receipt
        )
    except SgraphError as error:
        if len(batch) == 1:
            refused.append(Skipped(place=first.place, code=error.code, reason=error.message))
        else:
            for said in batch:
                yield from _captured(sink, [said], thread, refused)


def _receipt(item: Submission) -> str:
    """Give the receipt of a derivation: the same one again, in whatever file, is known."""
    told = json.dumps([item.kind, item.target, item.reply], sort_keys=True)
    return f"ingest:{hashlib.sha256(told.encode()).hexdigest()[:32]}"


def _resolved(value: Any, receipts: Mapping[str, str], sink: Sink) -> Any:
    """Put event ids in the place of "@name.n"; what names nothing stays, and the contract refuses it."""
    if isinstance(value, Mapping):
        return {key: _resolved(inner, receipts, sink) for key, inner in value.items()}
    if isinstance(value, list):
        return [_resolved(inner, receipts, sink) for inner in value]
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[1] not in receipts:
        return value
    made = sink.made(receipts[found[1]])
    return made[int(found[2])] if int(found[2]) < len(made) else value


def _batches(items: Iterator[Item]) -> Iterator[list[Said] | Skipped | Submission]:
    """Join consecutive messages of a thread; a message with a receipt stands alone."""

    def together(numbered: tuple[int, Item]) -> tuple[Any, ...]:
        number, item = numbered
        if isinstance(item, Said) and item.receipt is None:
            return (item.thread, item.title)
        return (number,)

    for _, group in groupby(enumerate(items), key=together):
        run: list[Said] = []
        for _, item in group:
            if not isinstance(item, Said):
                yield item
                continue
            run.append(item)
            if len(run) == BATCH:
                yield run
                run = []
        if run:
            yield run
