"""The rules at work: what is made of a source entry of messages, without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from sgraph.derive import claims, rules
from sgraph.journal.capture import turn_id
from sgraph.journal.log import Journal
from sgraph.records.claim import Context, SaidMessage, TurnDigest
from sgraph.records.entries import Said
from sgraph.records.parts import (
    BlockExtractedPart,
    BlockPart,
    BlockReadyPart,
    BlockSummaryPart,
    EchoPart,
    EventBlockPart,
    EventStatePart,
    MessagePart,
    TurnClosedPart,
    TurnSummaryPart,
)
from sgraph.truth.decision import Decision

CONTEXT = 4  # messages before, read for what a short answer answers

#: For a text recorded at an instant, the test of whether a span of it only repeats what this memory handed out before.
class Echo(Protocol):
    """The test of a message's spans: whether at least a share of the words of [start, end) was handed out before."""

    def __call__(self, start: int, end: int, share: float = 1.0) -> bool:
        """Say whether a span is an echo."""
        ...


Echoed = Callable[[str, datetime], Echo]
MOSTLY = 0.8  # of a message's words: it is then an echo as a whole


def read_entry(
    entry: Said, decision: Decision, journal: Journal, *, reading: Reading, models: bool, echoed: Echoed
) -> None:
    """Decide on an entry of messages: events and facts, the summaries of closed turns, what a sealed Block gets.

    With `models` the Block stays pending: its summary and events are a model's to make.
    """
    for part in entry.parts:
        if isinstance(part, MessagePart):
            read_message(part, decision, journal, reading, echoed(part.content, entry.at))
        elif isinstance(part, TurnClosedPart | BlockPart):
            end(part, decision, journal, reading=reading, models=models)


def end(
    part: TurnClosedPart | BlockPart, decision: Decision, journal: Journal, *, reading: Reading, models: bool
) -> None:
    """Decide on what came to an end: a turn gets its summary; a Block its events and, without a model, its extracts."""
    if isinstance(part, TurnClosedPart):
        summarise_turn(part.thread, part.number, decision, journal, reading)
        return
    messages = journal.turn_messages(part.thread, part.first_turn, part.last_turn)
    attach(part, messages, decision)
    if not models:
        summarise_block(part, messages, decision, reading)


@dataclass(frozen=True)
class Reading:
    """How the space reads what is said: who a user without a name is, and in which zone days are counted."""

    self_name: str
    zone: ZoneInfo


def reading_of(setting: Callable[[str], Any]) -> Reading:
    """Give how a space with these settings reads what is said."""
    return Reading(setting("self"), ZoneInfo(setting("timezone")))


def said(part: MessagePart, reading: Reading) -> SaidMessage:
    """Give a message as the rules read it."""
    speaker = part.speaker or (reading.self_name if part.role == "user" else None)
    return SaidMessage(
        key=part.key, role=part.role, speaker=speaker, content=part.content,
        sent_at=part.sent_at.astimezone(reading.zone), thread=part.thread,
    )


def read_message(
    part: MessagePart, decision: Decision, journal: Journal, reading: Reading, echo: Echo
) -> None:
    """Keep what a message claims, but for echoes: what this memory handed out is neither news nor support."""
    before = journal.thread_messages(part.thread, max(1, part.position - CONTEXT), part.position - 1)
    context = Context(self_name=reading.self_name, previous=tuple(said(message, reading) for message in before))
    heard = said(part, reading)
    _read_names(heard, part, decision, echo)  # before the claims, which may use them
    read = rules.read(heard, context)
    news = [claim for claim in read if not echo(claim.start, claim.end)]
    for claim in news:
        claims.keep(decision, claim, part)
    if not news and (read or echo(0, len(part.content), MOSTLY)):
        decision.put(EchoPart(message=part.key))
    _read_names(heard, part, decision, echo)  # and of those whom the claims made known


def _read_names(heard: SaidMessage, part: MessagePart, decision: Decision, echo: Echo) -> None:
    if part.role == "user":
        claims.keep_names(decision, part, heard.speaker, echo)


def summarise_turn(thread: str, number: int, decision: Decision, journal: Journal, reading: Reading) -> None:
    """Keep a turn's sentence, outcome and triples, in place of those it had; what is forgotten is left out."""
    messages = journal.turn_messages(thread, number, number)
    if not messages:
        return
    turn, seen = turn_id(thread, number), _shown(messages, decision)
    digest = rules.summarise(
        [said(message, reading) for message in seen]
    ) if seen else TurnDigest(summary="", outcome="unknown")
    decision.put(
        TurnSummaryPart(
            turn=turn, summary=digest.summary, outcome=digest.outcome, triples=digest.triples,
            replaced=decision.state.triples.get(turn, ()), method="rules",
        )
    )


def _shown(messages: Iterable[MessagePart], decision: Decision) -> list[MessagePart]:
    return [message for message in messages if not decision.state.is_hidden(message.key)]


def follow_forgetting(decision: Decision, journal: Journal, reading: Reading) -> None:
    """After events were forgotten or restored, summarise their turns and Blocks anew, without what is hidden."""
    changed = {part.id for part in decision.parts if isinstance(part, EventStatePart)}
    keys = sorted({key for id in changed for key in decision.state.events[id].messages})
    messages = [message for key in keys if (message := journal.message(key)) is not None]
    turns = sorted({(message.thread, message.turn) for message in messages})
    for thread, number in turns:
        if turn_id(thread, number) in decision.state.summarised:
            summarise_turn(thread, number, decision, journal, reading)
    for block in journal.blocks_of(turns):
        if "summary" in decision.state.blocks.get(block.id, {}):
            digest_block(
                block, journal.turn_messages(block.thread, block.first_turn, block.last_turn), decision, reading
            )


def attach(part: BlockPart, messages: Iterable[MessagePart], decision: Decision) -> None:
    """Let the events of a Block's messages belong to the Block."""
    events = dict.fromkeys(id for message in messages for id in decision.state.by_message.get(message.key, ()))
    if events:
        decision.put(EventBlockPart(block=part.id, events=tuple(events)))


def summarise_block(part: BlockPart, messages: Iterable[MessagePart], decision: Decision, reading: Reading) -> None:
    """Give a Block its extracts; with them and its events it is ready."""
    digest_block(part, messages, decision, reading)
    extract_block(part.id, decision)


def digest_block(part: BlockPart, messages: Iterable[MessagePart], decision: Decision, reading: Reading) -> None:
    """Give a Block its title, summary and key points as extracts."""
    digest = rules.digest_block([said(message, reading) for message in _shown(messages, decision)])
    decision.put(
        BlockSummaryPart(
            block=part.id, title=digest.title, tags=digest.tags, summary=digest.summary, keypoints=digest.keypoints,
            method="rules"
        )
    )


def extract_block(block: str, decision: Decision) -> None:
    """Let the events that the rules found stand for a Block, which is then ready."""
    decision.put(BlockExtractedPart(block=block, method="rules"))
    make_ready(block, decision)


def make_ready(block: str, decision: Decision) -> None:
    """Make a Block the newest ready one of its thread."""
    thread = block.rpartition(":")[0]
    decision.put(BlockReadyPart(block=block, position=decision.state.ready.get(thread, 0) + 1))
