"""What every test may use: the engine under test, and a memory of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sgraph
import sgraph.records.results


@pytest.fixture(scope="session")
def engine() -> str:
    """The engine this run of the suite is for; both cannot be opened in one process."""
    return os.environ.get("SGRAPH_ENGINE", "kuzu")


@pytest.fixture
def memory(tmp_path: Path, engine: str) -> Iterator[sgraph.Memory]:
    with sgraph.open(tmp_path / "memory.sgraph", engine=engine) as opened:
        yield opened


class Story:
    """A memory that is told things in short: what was said, what was made of it, and what is shown of it.

    Days are numbers, counted from START. Without the rules nothing is derived but what is handed in.
    """

    START = datetime(2026, 1, 1, 9, tzinfo=UTC)

    def __init__(self, memory: sgraph.Memory) -> None:
        self.memory = memory
        self.said = 0

    def day(self, number: float) -> datetime:
        return self.START + timedelta(days=number)

    def say(self, text: str, at: float | None = None, *, who: str = "Tom", thread: str = "t", **message: Any) -> str:
        """Record a message; give its key. Without `at` each is a day later than the one before."""
        self.said += 1
        sent_at = self.day(self.said if at is None else at)
        given = {"content": text, "speaker": who, "at": sent_at, **message}
        (key,) = self.memory.add_messages([given], thread=thread).messages
        return key

    def event(self, message: str, title: str, **item: Any) -> str:
        """Hand in an event of a message; give its id."""
        events = {"events": [{"title": title, "summary": title, "source_message_ids": [message], **item}]}
        (id_,) = self.memory.submit("events", message.partition("/")[0], events).ids
        return id_

    def tell(self, title: str, at: float | None = None, *, who: str = "Tom", thread: str = "t", **item: Any) -> str:
        """Say something and hand in its event; give the event's id."""
        return self.event(self.say(title, at, who=who, thread=thread), title, **item)

    def claim(
        self, event: str, subject: str, key: str, value: str, *, kind: str = "person", about: str | None = None,
        **fact: Any
    ) -> sgraph.records.results.Submitted:
        """Project what an event says of somebody: text, or with `about=` an entity of that kind."""
        nodes = [{"ref": "s", "name": subject, "kind": kind, "source_event_ids": [event]}]
        if about is not None:
            nodes.append({"ref": "v", "name": value, "kind": about, "source_event_ids": [event]})
        said = {"value": value} if about is None else {"value_ref": "v"}
        given = {"node": "s", "key": key, "source_event_ids": [event], **said, **fact}
        return self.memory.submit("projection", None, {"nodes": nodes, "facts": [given]})

    def lives(self, who: str, place: str, at: float | None = None, **fact: Any) -> str:
        """Tell where somebody lives; give the event's id."""
        event = self.tell(f"{who} lives in {place}", at, status="ongoing")
        self.claim(event, who, "lives_in", place, about="place", **fact)
        return event

    def now(self, name: str, **moment: Any) -> set[tuple[str, str]]:
        """Give what holds of somebody, undisputed: (key, value), a denial with "not"."""
        return {(f.key, f"not {f.value}" if f.negated else f.value) for f in self.memory.entity(name, **moment).now}


@pytest.fixture
def story(tmp_path: Path, engine: str) -> Iterator[Story]:
    with sgraph.open(tmp_path / "story.sgraph", engine=engine, rules=False) as opened:
        yield Story(opened)


@pytest.fixture(scope="session")
def telling() -> type[Story]:
    """How to tell a memory of the test's own a story."""
    return Story
