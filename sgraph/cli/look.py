"""Commands for looking: status, entity show, timeline."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from sgraph.cli.door import EMPTY, Door, command
from sgraph.cli.output import Line, Shown, one_line, when

if TYPE_CHECKING:
    from sgraph.records.jobs import ModelsStatus
    from sgraph.records.results import EntityView, EventView, Evidence, FactView, Status

QUOTE = 100  # characters of a quote that are shown
PANEL = "Look"
_FORMS = {"year": "%Y", "month": "%Y-%m"}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "timeline", panel=PANEL)(timeline)
    command(app, "status", panel=PANEL)(status)


# ------------------------------------------------------------------ status
def status(door: Door) -> Shown:
    """Say where the space stands."""
    with door.memory() as memory:
        found = memory.status()
    return Shown(found.model_dump(mode="json"), list(_status(found)), hints=_next_steps(found))


def _status(found: Status) -> Iterator[Line]:
    yield Line(found.path, style="bold")
    if not found.counts["messages"]:
        yield Line(EMPTY)
    rows = {
        "kept": _counts(found, "messages", "threads", "blocks"),
        "known": _counts(found, "events", "entities", "facts"),
        "journal": f"{found.entries} entries; {_behind(found.undecided)}",
        "refused": f"{found.quarantined} derivations, kept in quarantine" if found.quarantined else "",
        "models": _models(found.models) if found.models is not None else "",
        "engine": found.engine if found.owner else f"{found.engine}, held by {found.holder}",
        "on disk": ", ".join(f"{name} {_size(size)}" for name, size in found.bytes.items() if size),
        "settings": ", ".join(f"{name}={value}" for name, value in found.settings.items()),
    }
    yield from (Line(f"{name:<9} {value}", indent=2) for name, value in rows.items() if value)


def _models(found: ModelsStatus) -> str:
    """Say what models did and where they stand; nothing when none was ever asked."""
    states: Counter[str] = Counter()
    for counts in found.jobs.values():
        states.update(counts)
    if not found.configured and not states:
        return ""
    off = [step for step, switch in found.steps.items() if switch == "off"]
    jobs = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    spent = f"{found.calls:,} calls, {found.tokens_in:,} tokens in, {found.tokens_out:,} out"
    return "; ".join(part for part in (jobs, spent, f"off: {', '.join(off)}" if off else "") if part)


def _behind(undecided: int) -> str:
    return f"the last {undecided} not yet looked at: any question does so first" if undecided else "all looked at"


def _counts(found: Status, *names: str) -> str:
    return ", ".join(f"{found.counts.get(name, 0):,} {name}" for name in names)


def _size(size: int) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size //= 1000
    return f"{size} GB"


def _next_steps(found: Status) -> list[str]:
    if not found.counts["messages"]:
        return ["sgraph ingest FILE", "sgraph demo"]
    if found.models is not None and found.models.attention:
        return ["sgraph jobs list", "sgraph doctor"]
    return ["sgraph query people", "sgraph entity NAME", "sgraph timeline"]


# ------------------------------------------------------------------ entity
def entity(
    door: Door,
    name: Annotated[str, typer.Argument(help="A name, or an id.")],
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="What held then, instead of now.")] = None,
    known_at: Annotated[str | None, typer.Option(metavar="TIME", help="As this memory knew it then.")] = None,
    session: Annotated[str | None, typer.Option(help="Also what counts in this session only.")] = None,
) -> Shown:
    """Show a person, project or thing: what holds now, what is planned, disputed, and was."""
    with door.memory() as memory:
        found = memory.entity(name, as_of=as_of, known_at=known_at, session=session)
        zone = memory.zone
    columns = ("part", "key", "value", "negated", "since", "until", "status", "speaker", "quote", "id")
    sections = {"now": found.now, "disputed": found.disputed, "history": found.history}
    rows = [_fact_row(part, fact) for part, facts in sections.items() for fact in facts]
    rows += [
        ("planned", e.event_type, e.title, False, e.happened_start, e.happened_end, e.status, *_said(e.evidence), e.id)
        for e in found.planned
    ]
    return Shown(found.model_dump(mode="json"), list(_entity(found, zone)), columns, rows, _entity_steps(found), zone)


def _fact_row(part: str, fact: FactView) -> tuple[object, ...]:
    return (
        part,
        fact.key,
        fact.value,
        fact.negated,
        fact.valid_from,
        fact.valid_to,
        fact.status,
        *_said(fact.evidence),
        fact.id,
    )


def _said(evidence: Sequence[Evidence]) -> tuple[str | None, str | None]:
    first = _first(evidence)
    return (first.speaker, first.quote) if first else (None, None)


def _first(evidence: Sequence[Evidence]) -> Evidence | None:
    """Give the earliest words that are quoted, else the earliest message."""
    return min(evidence, key=lambda e: (e.quote is None, e.sent_at, e.start or 0), default=None)


def _entity(found: EntityView, zone: tzinfo) -> Iterator[Line]:
    yield Line(f"{found.name}  ({found.kind}{', not sure who' if found.unresolved else ''})", style="bold")
    others = [name for name in found.names if name != found.name]
    if others:
        yield Line(f"also: {', '.join(others)}", indent=2)
    clocks = [
        f"{label} {when(at, zone)}" for label, at in (("as of", found.as_of), ("as known at", found.known_at)) if at
    ]
    for heading, facts in (
        (" ".join(["now", *clocks]) if not clocks else ", ".join(clocks), found.now),
        ("disputed", found.disputed),
    ):
        yield from _section(heading, [line for fact in facts for line in fact_lines(fact, zone)])
    yield from _section("planned", [line for event in found.planned for line in event_lines(event, zone)])
    yield from _section("history", [line for fact in found.history for line in fact_lines(fact, zone)])
    if not (found.now or found.disputed or found.planned or found.history):
        yield Line(f"nothing is claimed about {found.name}; it comes up in {found.events} events", indent=2)


def _section(heading: str, lines: Sequence[Line]) -> Iterator[Line]:
    if lines:
        yield from (Line(), Line(heading, style="bold"), *lines)


def fact_lines(fact: FactView, zone: tzinfo) -> Iterator[Line]:
    """Show one version of a claim: key, value, since and until when, and whose words say so."""
    until = f" until {when(fact.valid_to, zone)}" if fact.valid_to else ""
    since = f"(since {when(fact.valid_from, zone)}{until}{', corrected' if fact.corrected else ''})"
    yield Line(f"{fact.key}: {'not ' if fact.negated else ''}{one_line(fact.value, 200)}  {since}", indent=2)
    yield from words(fact.evidence, zone)


def words(evidence: Sequence[Evidence], zone: tzinfo) -> Iterator[Line]:
    """Show who said something, when, and in which words: the first quoted, and how many messages more."""
    if first := _first(evidence):
        teller = f"{first.speaker}, told by {first.reporter}" if first.reporter else first.speaker
        quote = f": “{one_line(first.quote, QUOTE)}”" if first.quote else ""
        others = len({e.message for e in evidence}) - 1
        more = f" (and {others} more)" if others else ""
        yield Line(f"{teller}, {when(first.sent_at, zone)}{quote}{more}", indent=6, style="dim")


def _entity_steps(found: EntityView) -> list[str]:
    name = shlex.quote(found.name)
    history = [f"sgraph query claim_history name={name} key={fact.key}" for fact in found.history[:1]]
    return [*history, f"sgraph timeline {name}"]


# ------------------------------------------------------------------ timeline
def timeline(
    door: Door,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only what this person, project or thing took part in.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Only what happened from then on.")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Only what happened until then.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most the last so many.")] = 50,
) -> Shown:
    """List what happened, was decided or is planned, in the order it happened."""
    with door.memory() as memory:
        found = memory.timeline(participant=name, happened_from=start, happened_to=end, limit=limit)
        zone = memory.zone
    columns = ("when", "title", "event_type", "status", "speaker", "quote", "id")
    rows = [(_at(e, zone), e.title, e.event_type, e.status, *_said(e.evidence), e.id) for e in found]
    empty = Line("nothing there" if name or start or end else EMPTY)
    lines = [line for event in found for line in event_lines(event, zone)] or [empty]
    hints = ["sgraph timeline -o table shows the ids; sgraph forget ID"] if found else ()
    return Shown([e.model_dump(mode="json") for e in found], lines, columns, rows, hints, zone)


def event_lines(event: EventView, zone: tzinfo) -> Iterator[Line]:
    """Show an event: when, what, of which type, and whose words say so."""
    state = "" if event.state == "active" else f", {event.state}"
    yield Line(
        f"{_at(event, zone)}  {one_line(event.title, 200)}  ({event.event_type}, {event.status}{state})", indent=2
    )
    yield from words(event.evidence, zone)


def _at(event: EventView, zone: tzinfo) -> str:
    """Say when it happened, as precisely as that is known; in brackets when only known from when it was said."""
    start, end, precision = event.happened_start, event.happened_end, event.time_precision
    if start is None:
        return f"[{event.mentioned_at.astimezone(zone).date().isoformat()}]"
    if precision == "instant" or end is None:
        return when(start, zone)
    first, last = start.astimezone(zone), _last_day(start, end, zone)
    if precision in _FORMS:
        return first.strftime(_FORMS[precision])
    days = sorted({first.date().isoformat(), last.date().isoformat()})
    return " – ".join(days)


def _last_day(start: datetime, end: datetime, zone: tzinfo) -> datetime:
    return max(start, end - timedelta(microseconds=1)).astimezone(zone)
