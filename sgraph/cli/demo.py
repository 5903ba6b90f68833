"""The command `demo`: a conversation that ships with sgraph, recorded and asked, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.find import found_lines
from sgraph.cli.look import fact_lines
from sgraph.cli.output import Line, Shown
from sgraph.cli.record import report_lines
from sgraph.cli.share import written

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.records.base import Record
    from sgraph.records.results import FactView

CONVERSATION = Path(__file__).parent.parent / "data" / "conversation.jsonl"
ZONE = "Europe/Berlin"
AS_OF = "2026-03-15"
QUESTION = "What is the bakery near Dammtor called?"
CYPHER = "MATCH (a)-[r:RELATES]->(b) WHERE r.until IS NULL\n  RETURN a.name, r.relation, b.name"


class Stop(NamedTuple):
    """One thing the demo shows: its title, the command that asks for it, and the answer."""

    name: str
    title: str
    how: str
    answer: Record
    lines: list[Line]


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "demo", panel="Start here", without=("space",))(demo)


def demo(
    door: Door,
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where to write; nothing else is touched.")
    ] = Path("sgraph-demo"),
) -> Shown:
    """Record a conversation of two people over eight weeks, and ask it. Offline, in seconds; a second run goes on."""
    folder.mkdir(parents=True, exist_ok=True)
    space = folder / "demo.sgraph"
    with replace(door, space=space).memory(create=True, timezone=ZONE) as memory, door.steps() as step:
        report = memory.ingest(CONVERSATION, progress=lambda read: step("recording", read, 0))
        stops = list(_stops(memory))
        review = memory.subgraph("Mara", hops=2)
        page = review.write(folder / "review.html")
    lines = [Line("Mara and Ivo write about Heron, an app they build, and about life.", style="bold")]
    lines += [*report_lines(report), *_asked("Ask it yourself, as below", f"export SGRAPH_SPACE={space}")]
    for stop in stops:
        lines += [*_asked(stop.title, f"sgraph {stop.how}"), *stop.lines]
    lines += _asked("A page for a colleague to review", f"sgraph export --around Mara --hops 2 -o {page}")
    lines += [Line(written(page, review), indent=2), Line(f"open {page.resolve().as_uri()}", indent=2, whole=True)]
    lines += _asked("A question in Cypher to try next", f'sgraph cypher "{CYPHER}"')
    data: dict[str, Any] = {"space": str(space), "kept": report.model_dump(mode="json"), "page": str(page)}
    return Shown(data | {stop.name: stop.answer.model_dump(mode="json") for stop in stops}, lines)


def _stops(memory: Memory) -> Iterator[Stop]:
    def facts(found: Iterable[FactView], *keys: str) -> list[Line]:
        """Show the facts with one of the keys (any, without), in order of valid time where there are keys."""
        chosen = [fact for fact in found if not keys or fact.key in keys]
        ordered = sorted(chosen, key=lambda fact: fact.valid_from) if keys else chosen
        return [line for fact in ordered for line in fact_lines(fact, memory.zone)]

    mara, before = memory.entity("Mara"), memory.entity("Mara", as_of=AS_OF)
    heron, data = memory.entity("Heron"), memory.entity("Elbe ringing data")
    found = memory.recall(QUESTION, limit=1)
    yield Stop("now", "What holds for Mara now", "entity Mara", mara, facts(mara.now))
    yield Stop(
        "as_of", "Where Mara lived and worked on 15 March 2026", f"entity Mara --as-of {AS_OF}", before,
        facts(before.now, "lives_in", "works_at"),
    )  # fmt: skip
    yield Stop(
        "history", "Heron's database: there and back again", "query claim_history name=Heron key=database", heron,
        facts([*heron.history, *heron.now], "database"),
    )  # fmt: skip
    yield Stop(
        "disputed", "What was said both ways, and is left open", "query disputed_facts", data, facts(data.disputed)
    )
    yield Stop(
        "recall", "Asked on 14 March, answered on 5 April", f'recall "{QUESTION}" --limit 1', found,
        [line._replace(indent=line.indent + 2, style="") for line in found_lines(found, memory.zone)],
    )  # fmt: skip


def _asked(title: str, how: str) -> Iterator[Line]:
    first, *rest = how.split("\n")
    yield from (Line(), Line(title, style="bold"), Line(f"$ {first}", style="dim", whole=True))
    yield from (Line(line.strip(), indent=4, style="dim") for line in rest)
