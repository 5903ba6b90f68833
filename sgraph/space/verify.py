"""Verify: the chain, the key tables, what points at what, the quotes inside their messages, and graph = replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sgraph.graph import store
from sgraph.graph.plan import content_digest
from sgraph.graph.rows import ENDS
from sgraph.journal.log import Journal
from sgraph.records.parts import EventPart
from sgraph.records.results import Fault, VerifyReport
from sgraph.space.graphs import misfit
from sgraph.space.space import Space


def verify(space: Space) -> VerifyReport:
    """Check everything; read-only. Needs memory for the whole graph once."""
    checked: Counter[str] = Counter()
    faults = [Fault(code="journal", id=f"entry {seq}", message=text) for seq, text in space.journal.faults()]
    checked["entries"] = space.journal.last_seq()
    if faults:  # nothing can be held against a record that is not sound
        return VerifyReport(checked=dict(checked), faults=tuple(faults))
    faults += [Fault(code="keys", id=id, message=text) for id, text in space.journal.key_faults()]
    faults += _quotes(space.journal, checked)
    faults += _meta(space)
    wanted = store.expected(space.journal.entries())
    found = store.contents(space.engine)
    faults += _differences(wanted, found, checked)
    faults += _laws(found)
    if not faults:
        finder = space.finder()
        checked["documents"] = len(finder.lexicon.places())
        faults += [Fault(code=code, id=id, message=text) for code, id, text in finder.faults(space.state)]
    return VerifyReport(checked=dict(checked), faults=tuple(faults))


def _meta(space: Space) -> Iterator[Fault]:
    """Find a graph that does not say truly where it stands."""
    reason = misfit(space.engine, space.layout, space.journal, space.journal.last_seq())
    applied = store.meta(space.engine).get("applied")
    if reason is None and applied != space.journal.last_seq():
        reason = f"it says it ends at entry {applied}, the journal ends at {space.journal.last_seq()}"
    if reason is not None:
        yield Fault(code="meta", id="Meta graph", message=reason)


def _quotes(journal: Journal, checked: Counter[str]) -> Iterator[Fault]:
    """Find quotes that do not stand in their message."""
    for entry in journal.entries():
        for part in entry.parts:
            if not isinstance(part, EventPart):
                continue
            for source in part.sources:
                message = journal.message(source.message)
                if message is None:
                    yield Fault(
                        code="reference", id=part.id, message=f"rests on message {source.message}, which is not kept"
                    )
                elif source.quote is not None:
                    checked["quotes"] += 1
                    if message.content[source.start : source.end] != source.quote:
                        yield Fault(
                            code="quote", id=part.id,
                            message=f"its quote does not stand at {source.start}–{source.end} of {source.message}"
                        )


def _differences(wanted: store.Contents, found: store.Contents, checked: Counter[str]) -> Iterator[Fault]:
    """Find what the graph lacks, has too much, or holds otherwise than the journal says."""
    for table in wanted:
        checked[table] = len(found.get(table, {}))
        want, have = wanted[table], found.get(table, {})
        for id in want.keys() - have.keys():
            yield Fault(code="missing", id=_name(table, id), message="is in the journal and not in the graph")
        for id in have.keys() - want.keys():
            yield Fault(code="extra", id=_name(table, id), message="is in the graph and not in the journal")
        for id in want.keys() & have.keys():
            changed = [name for name, value in want[id].items() if have[id].get(name) != value]
            changed += [name for name, value in have[id].items() if name not in want[id] and value not in (None, [])]
            if changed:
                yield Fault(
                    code="changed", id=_name(table, id), message=f"{', '.join(changed)} differs from the journal"
                )


def _laws(found: store.Contents) -> Iterator[Fault]:
    """Find events without a message, facts without an event, and messages that are not what their digest says."""
    for (key,), props in found["Message"].items():
        if "\ufffd" not in props["content"] and content_digest(props["content"]) != props["digest"]:
            yield Fault(code="digest", id=f"Message {key}", message="the content is not what was digested")
    for table, edge in (("Event", "SOURCED_FROM"), ("Fact", "SUPPORTED_BY")):
        sources = {id[0] for id in found[edge]}
        for (key,) in found[table]:
            if key not in sources:
                yield Fault(code="unsupported", id=f"{table} {key}", message=f"has no {edge}")


def _name(table: str, id: tuple[Any, ...]) -> str:
    if table in ENDS:
        rest = " ".join(str(part) for part in id[2:] if part is not None)
        return f"{table} {id[0]} → {id[1]}" + (f" ({rest})" if rest else "")
    return f"{table} {id[0]}"


