"""The command `demo`: a conversation that ships with sgraph, recorded and asked, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgraph.cli.door import Door, command
from sgraph.cli.find import found_lines
from sgraph.cli.look import fact_lines
from sgraph.cli.output import Line, Shown
from sgraph.cli.record import report_lines

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.records.found import Found
    from sgraph.records.results import EntityView
    from sgraph.transfer.incoming import IngestReport

CONVERSATION = Path(__file__).parent.parent / "data" / "conversation.jsonl"
ZONE = "Europe/Berlin"
AS_OF = "2026-03-15"
QUESTION = "What is the bakery near Dammtor called?"
CYPHER = "MATCH (a)-[r:RELATES]->(b) WHERE r.until IS NULL\n  RETURN a.name, r.relation, b.name"


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
        mara, before = memory.entity("Mara"), memory.entity("Mara", as_of=AS_OF)
        heron, data = memory.entity("Heron"), memory.entity("Elbe ringing data")
        answer = memory.recall(QUESTION, limit=1)
        lines = list(_tour(memory, space, report, mara, before, heron, data, answer))
        views = {"now": mara, "as_of": before, "history": heron, "disputed": data}
        shown: dict[str, Any] = {"space": str(space), "kept": report.model_dump(mode="json")}
        shown |= {name: view.model_dump(mode="json") for name, view in (*views.items(), ("recall", answer))}
    return Shown(shown, lines)


def _tour(
    memory: Memory,
    space: Path,
    report: IngestReport,
    mara: EntityView,
    before: EntityView,
    heron: EntityView,
    data: EntityView,
    answer: Found,
) -> Iterator[Line]:
    yield Line("Mara and Ivo write about Heron, an app they build, and about life.", style="bold")
    yield from report_lines(report)
    yield from _stop("Ask it yourself, as below", f"export SGRAPH_SPACE={space}")
    stops = (
        ("What holds for Mara now", "sgraph entity Mara", mara.now),
        (
            "Where Mara lived and worked on 15 March 2026",
            f"sgraph entity Mara --as-of {AS_OF}",
            [fact for fact in before.now if fact.key in ("lives_in", "works_at")],
        ),
        (
            "Heron's database: there and back again",
            "sgraph query claim_history name=Heron key=database",
            sorted((f for f in (*heron.history, *heron.now) if f.key == "database"), key=lambda fact: fact.valid_from),
        ),
        ("What was said both ways, and is left open", "sgraph query disputed_facts", data.disputed),
    )
    for title, how, facts in stops:
        yield from _stop(title, how)
        for fact in facts:
            yield from fact_lines(fact, memory.zone)
    yield from _stop("A question, asked two weeks before it was answered", f'sgraph recall "{QUESTION}" --limit 1')
    yield from (line._replace(indent=line.indent + 2, style="") for line in found_lines(answer, memory.zone))
    yield from _stop("A question in Cypher to try next", *f'sgraph cypher "{CYPHER}"'.split("\n"))


def _stop(title: str, how: str, *more: str) -> Iterator[Line]:
    yield from (Line(), Line(title, style="bold"), Line(f"$ {how}", style="dim"))
    yield from (Line(line.strip(), indent=4, style="dim") for line in more)
