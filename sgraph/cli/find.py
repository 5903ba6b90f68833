"""Commands that find: recall and search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgraph.cli.door import EMPTY, Door, command
from sgraph.cli.interactive import Dialogue
from sgraph.cli.output import Line, Shown, one_line, when

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.records.found import Card, Found

TEXT = 600  # characters of a card that are shown
_PANEL = "Filters"
_REASONS = {
    "no_usable_terms": "there is no word to look for in that",
    "nothing_matched": "nothing matched",
    "filtered_out": "what matched lies outside the filters",
    "nothing_stored": EMPTY,
}

Thread = Annotated[list[str] | None, typer.Option(help="Only in this thread; may be repeated.", rich_help_panel=_PANEL)]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="NAME", help="Only with this participant; may be repeated.", rich_help_panel=_PANEL),
]
Type = Annotated[str | None, typer.Option("--type", help="Only events of this type.", rich_help_panel=_PANEL)]
Status = Annotated[str | None, typer.Option(help="Only events of this status.", rich_help_panel=_PANEL)]
Session = Annotated[str | None, typer.Option(help="Also what counts in this session only.", rich_help_panel=_PANEL)]
HappenedFrom = Annotated[
    str | None, typer.Option(metavar="TIME", help="Happened then or later.", rich_help_panel=_PANEL)
]
HappenedTo = Annotated[
    str | None, typer.Option(metavar="TIME", help="Happened then or before.", rich_help_panel=_PANEL)
]
SaidFrom = Annotated[str | None, typer.Option(metavar="TIME", help="Said then or later.", rich_help_panel=_PANEL)]
SaidTo = Annotated[str | None, typer.Option(metavar="TIME", help="Said then or before.", rich_help_panel=_PANEL)]


class Route(StrEnum):
    """What `search` looks through."""

    EVENTS = "events"
    GRAPH = "graph"
    TURNS = "turns"
    MESSAGES = "messages"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "recall", panel="Ask")(recall)
    command(app, "search", panel="Ask")(search)


def recall(
    door: Door,
    question: Annotated[str, typer.Argument(help="A question, in words.")],
    budget: Annotated[int | None, typer.Option(min=1, help="At most so many tokens (default: 1000).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many pieces of evidence.")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Go on from there: weigh, open, search again, record the use.")
    ] = False,
    thread: Thread = None,
    participants: With = None,
    event_type: Type = None,
    status: Status = None,
    session: Session = None,
    happened_from: HappenedFrom = None,
    happened_to: HappenedTo = None,
    said_from: SaidFrom = None,
    said_to: SaidTo = None,
) -> Shown | None:
    """Find the evidence for a question: events, claims, turns and messages, the best first."""
    scope = _given(
        thread=thread, participants=participants, event_type=event_type, status=status, session=session,
        happened_from=happened_from, happened_to=happened_to, said_from=said_from, said_to=said_to,
    )  # fmt: skip
    with door.memory() as memory:
        found = memory.recall(question, budget=budget, limit=limit, **scope)
        if interactive:
            Dialogue(door, memory, found, scope).run()
            return None
        return _shown(found, list(found_lines(found, memory.zone)), memory.zone)


def search(
    door: Door,
    words: Annotated[str, typer.Argument(help="Words to look for.")],
    route: Annotated[Route, typer.Option("--in", help="What to look through.")] = Route.EVENTS,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 6,
    thread: Thread = None,
    participants: With = None,
    event_type: Type = None,
    status: Status = None,
    session: Session = None,
    happened_from: HappenedFrom = None,
    happened_to: HappenedTo = None,
    said_from: SaidFrom = None,
    said_to: SaidTo = None,
) -> Shown:
    """Look for words in one place: events, the graph of people and things, turns, or messages."""
    scope = _given(
        thread=thread, participants=participants, event_type=event_type, status=status, session=session,
        happened_from=happened_from, happened_to=happened_to, said_from=said_from, said_to=said_to,
    )  # fmt: skip
    with door.memory() as memory:
        found = _route(memory, route)(words, limit=limit, **scope)
        return _shown(found, list(found_lines(found, memory.zone)), memory.zone)


def _route(memory: Memory, route: Route) -> Callable[..., Found]:
    routes: dict[Route, Callable[..., Found]] = {
        Route.EVENTS: memory.search_events, Route.GRAPH: memory.search_graph,
        Route.TURNS: memory.search_turns, Route.MESSAGES: memory.search_raw,
    }  # fmt: skip
    return routes[route]


def _given(**scope: Any) -> dict[str, Any]:
    return {name: value for name, value in scope.items() if value}


def _shown(found: Found, lines: Sequence[Line], zone: tzinfo) -> Shown:
    columns = ("ref", "kind", "title", "text", "state", "source_time", "rank_score", "why")
    rows = [tuple(getattr(card, column) for column in columns) for card in found.cards]
    hints = [f"{found.left_out} more did not fit: a larger --limit or --budget shows them"] if found.left_out else []
    if found.cards and found.cards[0].kind == "event":
        hints.append(f"sgraph query event_evidence event={found.cards[0].ref.partition(':')[2]}")
    return Shown(found.model_dump(mode="json"), lines, columns, rows, hints, zone)


def found_lines(found: Found, zone: tzinfo) -> Iterator[Line]:
    """Show the cards of a search: what was found, in whose words, and why; or why there is nothing."""
    if found.empty_reason is not None:
        yield Line(_REASONS[found.empty_reason])
    for number, card in enumerate(found.cards):
        if number:
            yield Line()
        yield from _card(card, zone)


def _card(card: Card, zone: tzinfo) -> Iterator[Line]:
    state = "" if card.state == "current" else f"  ({card.state})"
    said = f"  {when(card.source_time, zone)}" if card.source_time else ""
    yield Line(f"{one_line(card.title, 200)}{said}{state}", style="bold")
    if card.text:
        yield Line(one_line(card.text, TEXT), indent=2)
    for quote in card.quotes if card.kind != "message" else ():
        yield Line(
            f"{quote.speaker}, {when(quote.sent_at, zone)}: “{one_line(quote.text, TEXT)}”", indent=6, style="dim"
        )
    yield Line(f"{card.ref}; {card.why}", indent=2, style="dim")
