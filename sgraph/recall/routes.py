"""The search verbs: each route as a batch of cards; the scope of a search read from arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sgraph.chronology import check_order, read_filter
from sgraph.errors import InvalidFilter, InvalidInput
from sgraph.graph.state import State
from sgraph.ids import new_id
from sgraph.recall.scope import Scope
from sgraph.recall.search import Result, Seeker
from sgraph.records.claim import EventType, Status
from sgraph.records.found import Card, Found

_NAMES = {
    "thread", "session", "participants", "event_type", "status", "happened_from", "happened_to", "happened",
    "said_from", "said_to", "said", "role",
}


def events(seeker: Seeker, limit: int) -> Result:
    """Give events as cards, best first."""
    hits = seeker.events(_limit(limit))
    return _result(seeker, [seeker.event_card(rank, hit) for rank, hit in enumerate(hits, 1)])


def graph(seeker: Seeker, limit: int) -> Result:
    """Give entities as cards, best first."""
    return _result(
        seeker, [seeker.entity_card(rank, *found) for rank, found in enumerate(seeker.graph(_limit(limit)), 1)]
    )


def turns(seeker: Seeker, limit: int) -> Result:
    """Give turns as cards, best first."""
    return _result(seeker, [seeker.turn_card(rank, hit) for rank, hit in enumerate(seeker.turns(_limit(limit)), 1)])


def raw(seeker: Seeker, limit: int, without: Iterable[str]) -> Result:
    """Give messages as cards, best first."""
    hits = seeker.raw(_limit(limit), without)
    return _result(seeker, [seeker.raw_card(rank, hit) for rank, hit in enumerate(hits, 1)])


def _result(seeker: Seeker, cards: list[Card | None]) -> Result:
    found = [card for card in cards if card is not None]
    reason = None if found else seeker.unusable() or seeker.nothing()
    return Result(found, reason)


def _limit(limit: int) -> int:
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= 1000:
        raise InvalidInput("limit must be a whole number from 1 to 1000", field="limit", value=limit)
    return limit


def read_scope(
    given: Mapping[str, Any], now: datetime, zone: ZoneInfo, entity: Callable[[str], str], state: State
) -> Scope:
    """Read the scope of a search. Raises InvalidInput for an unknown name, InvalidFilter for an unreadable value."""
    if unknown := sorted(given.keys() - _NAMES):
        raise InvalidInput(
            f"unknown filter {', '.join(unknown)}; there are {', '.join(sorted(_NAMES))}", field=unknown[0]
        )
    people = given.get("participants") or ()
    people = [people] if isinstance(people, str) else people
    return Scope(
        threads=_set(given.get("thread")), session=given.get("session"), roles=_set(given.get("role")),
        participants=tuple(frozenset(state.group(entity(name))) for name in people),
        event_type=_one_of(given.get("event_type"), "event_type", EventType.__args__),  # type: ignore[attr-defined]
        status=_one_of(given.get("status"), "status", Status.__args__),  # type: ignore[attr-defined]
        happened=_window(given, "happened", now, zone), said=_window(given, "said", now, zone),
    )


def _set(value: Any) -> frozenset[str] | None:
    return None if value is None else frozenset([value] if isinstance(value, str) else value)


def _one_of(value: Any, field: str, known: Iterable[str]) -> str | None:
    if value is not None and value not in tuple(known):
        raise InvalidFilter(f"{field} must be one of {', '.join(known)}", field=field, value=value)
    return None if value is None else str(value)


def _window(
    given: Mapping[str, Any], field: str, now: datetime, zone: ZoneInfo
) -> tuple[datetime | None, datetime | None]:
    if given.get(field) is not None:
        return read_filter(given[field], now, zone, field=field)
    start = read_filter(given.get(f"{field}_from"), now, zone, field=f"{field}_from", side="from")[0]
    end = read_filter(given.get(f"{field}_to"), now, zone, field=f"{field}_to", side="to")[1]
    return check_order(start, end, field=f"{field}_from", value=(given.get(f"{field}_from"), given.get(f"{field}_to")))


def batch(seeker: Seeker, result: Result, through: int) -> Found:
    """Make a result a batch that evidence may be cited from."""
    return Found(
        batch_id=f"batch_{new_id()}", question=seeker.question, cards=tuple(result.cards),
        empty_reason=result.empty_reason, tokens=sum(card.tokens for card in result.cards), left_out=result.left_out,
        cut_terms=seeker.cut, derived_through=through, indexed_through=seeker.finder.lexicon.through,
    )
