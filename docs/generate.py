"""Write the pages that are made from the code: `python docs/generate.py`. tests/test_docs.py keeps them up to date."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import sgraph
from sgraph import chronology, errors
from sgraph.cli import reference
from sgraph.cli.exits import exit_code
from sgraph.graph.named import NamedQuery, catalogue
from sgraph.journal.log import Journal
from sgraph.memory import Memory, open_memory
from sgraph.records import entries, evidence, found, imports, jobs, message, parts, results, timespan, vocabulary
from sgraph.records.base import Record
from sgraph.resources import resource_dir
from sgraph.transfer.dump import json_schema

DOCS = Path(__file__).parent
CONVERSATION = Path(sgraph.__file__).parent / "data" / "conversation.jsonl"
ROWS, CELL = 5, 60  # of an example answer in the cookbook

# How each named query is asked on the demo. A pair (query, its parameters, column) stands for an id found there.
EXAMPLES: dict[str, dict[str, Any]] = {
    "aliases": {"name": "Mara"},
    "audit": {"receipt": "answer-42"},
    "changed_since": {"since": "2026-01-01"},
    "cited": {"receipt": "answer-42"},
    "claim_history": {"name": "Heron", "key": "database"},
    "current_state": {"name": "Mara"},
    "day": {"day": "2026-03-17"},
    "decisions": {"since": "2026-03-15"},
    "entity_card": {"name": "Heron"},
    "event_evidence": {"event": ("timeline", {"name": "Heron"}, "event")},
    "messages_behind": {"fact": ("current_state", {"name": "Mara"}, "fact")},
    "neighbours": {"name": "Mara"},
    "path_between": {"name": "Ivo", "other": "Mara"},
    "state_as_of": {"name": "Mara", "as_of": "2026-03-15"},
    "thread_blocks": {"thread": "heron"},
    "timeline": {"name": "Mara", "start": "2026-04-01"},
    "who_said": {"name": "Heron", "key": "database"},
}


# ---------------------------------------------------------------- the cookbook
COOKBOOK = """# Cypher cookbook

Each recipe is a file in `queries/`. Run one by its name:

```sh
sgraph demo
export SGRAPH_SPACE=sgraph-demo/demo.sgraph
sgraph query                                    # what there is
sgraph query current_state name=Mara            # one of them
sgraph query state_as_of name=Mara as_of=2026-03-15 -o json
```

From Python it is `memory.query("current_state", name="Mara")`. A time is anything that a filter takes (`2026-03-15`,
`yesterday`, `last month`). Or take the text of a recipe, change it, and run it yourself:

```sh
sgraph cypher "MATCH (a:Entity)-[r:RELATES]->(b:Entity) WHERE r.until IS NULL RETURN a.name, r.relation, b.name"
sgraph cypher --schema                          # the tables and their properties
```

`sgraph cypher` takes one statement that reads, gives at most 100 rows (`--limit`) and stops after 10 seconds
(`--timeout`). Whatever writes, copies, loads, exports, installs, attaches or changes a setting is refused before it
reaches the engine. On kuzu `any`, `all`, `none` and `single` over a list are refused too, for they end the process; the
error shows the form that works. [The graph](graph.md) lists every table.

Two habits help. A person's names lead to an entity by `(:Name)-[:NAMES]->(:Entity)`; join on `canon`, which after a
merge stands for all of them. And `RELATES` holds the current state as plain edges, but the graph holds no clock: what
holds now is `r.since <= $now AND (r.until IS NULL OR r.until > $now)`.

Below, answers come from `sgraph demo`, with ids left out (`…`) and at most {rows} rows.
"""


def cookbook() -> str:
    """Give the cookbook, with answers asked on the demo."""
    page = [COOKBOOK.format(rows=ROWS)]
    with tempfile.TemporaryDirectory() as folder, demo(Path(folder) / "demo.sgraph") as memory:
        for query in catalogue().values():
            given = {name: _value(memory, value) for name, value in EXAMPLES.get(query.name, {}).items()}
            page += [f"\n## {query.name}\n", query.title, *_asked(query), f"\n```cypher\n{query.text}\n```\n"]
            page += table(memory.query(query.name, **given), datetime.now(UTC))
    return "\n".join(page) + "\n"


def demo(path: Path) -> Memory:
    """Make a space of the conversation that ships with sgraph."""
    memory = open_memory(path, timezone="Europe/Berlin")
    memory.ingest(CONVERSATION)
    return memory


def _value(memory: Memory, value: Any) -> Any:
    if isinstance(value, str):
        return value
    query, given, column = value
    return memory.query(query, **given).records()[0][column]


def _asked(query: NamedQuery) -> Iterator[str]:
    given = EXAMPLES.get(query.name, {}).items()
    words = [f"{name}={value if isinstance(value, str) else name.upper()}" for name, value in given]
    yield f"\n`{' '.join(['sgraph query', query.name, *words])}`\n"
    for param in query.params:
        default = "" if param.default is None else f", default {param.default}"
        yield f"- `{param.name}`: {param.type}{default}"


def table(answer: results.Table, now: datetime) -> list[str]:
    """Show an answer as a table."""
    if not answer.rows:
        return ["| (no rows) |", "|---|"]
    rows = [[_cell(value, now) for value in row] for row in answer.rows[:ROWS]]
    return [_row(answer.columns), "|---" * len(answer.columns) + "|", *map(_row, rows)]


def _cell(value: Any, now: datetime) -> str:
    if isinstance(value, datetime):
        return "now" if now - value < timedelta(hours=1) and value <= now else f"{value:%Y-%m-%d %H:%M}Z"
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "…", text)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


# ---------------------------------------------------------------- the graph
def graph() -> str:
    """Give the tables of the graph, from the comments of its schema."""
    page = [
        "# The graph\n",
        "What there is to ask, made by `schema/*.cypher`. Every TIMESTAMP is UTC. Edges between two nodes of a kind",
        "point from the newer to the older; `NEXT` alone runs forward. `sgraph cypher --schema` shows it too.\n",
    ]
    text = "\n".join(file.read_text("utf-8") for file in sorted(resource_dir("schema").glob("*.cypher")))
    note: list[str] = []
    heads = {"NODE": "| node | what it is | properties |", "REL": "\n| relationship | from → to | properties | note |"}
    for line in text.splitlines():
        if line.startswith("//"):
            note.append(line.removeprefix("//").strip())
        elif made := re.fullmatch(r"CREATE (NODE|REL) TABLE (\w+) \((?:FROM (\w+) TO (\w+),? ?)?(.*)\);", line):
            kind, name, source, target, columns = made.groups()
            if kind in heads:
                head = heads.pop(kind)
                page += [head, "|---" * (head.count("|") - 1) + "|"]
            shown = re.sub(r"(\w+) ([A-Z0-9]+(?:\[\])?)(?: PRIMARY KEY)?", r"`\1` \2", columns)
            about = " ".join(note)
            cells = [about, shown] if kind == "NODE" else [f"{source} → {target}", shown, about]
            page.append(_row([f"`{name}`", *cells]))
            note = []
        elif not line:
            note = []
    return "\n".join(page) + "\n"


# ---------------------------------------------------------------- the Python interface
def api() -> str:
    """Give the Python interface, from its docstrings."""
    page = [
        "# Python API\n",
        "`import sgraph` gives `open`, `Memory` and the [errors](errors.md). Every verb reads what is new before it",
        "answers; every instant it returns is aware UTC. The command line mirrors these verbs: see [cli.md](cli.md).\n",
        *_function("sgraph.open", open_memory),
        f"\n## Memory\n\n{_prose(Memory)}\n",
    ]
    for name, member in verbs():
        if isinstance(member, property):
            page.append(f"\n### memory.{name}\n\n{_prose(member)}")
        else:
            page += _function(f"memory.{name}", member, level=3)
    page.append("\n## Chronology\n\n`from sgraph.chronology import …`; [How sgraph reads time](time.md) explains it.\n")
    for name in ("resolve", "find", "current", "read_instant", "read_filter"):
        page += _function(name, getattr(chronology, name), level=3)
    page.append("\n## Records\n\nWhat the verbs return: frozen Pydantic models.\n")
    for module in (message, found, evidence, results, jobs, imports, timespan):
        page += _records(module)
    return "\n".join(page) + "\n"


def verbs() -> Iterator[tuple[str, Any]]:
    """Give the public members of a memory: those that record and change, then those that only read."""
    for kind in Memory.__mro__[:-1]:
        yield from ((name, member) for name, member in vars(kind).items() if not name.startswith("_"))


def _function(name: str, function: Callable[..., Any], *, level: int = 2) -> Iterator[str]:
    signature = inspect.signature(function)
    arguments = list(_arguments(value for key, value in signature.parameters.items() if key != "self"))
    short = f"{name}({', '.join(arguments)})"
    if len(short) > 100:
        short = "".join([f"{name}(\n", *(f"    {argument},\n" for argument in arguments), ")"])
    yield f"\n{'#' * level} {name}\n\n```text\n{short} -> {signature.return_annotation}\n```\n\n{_prose(function)}"


_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def _arguments(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        stars = _STARS.get(parameter.kind, "")
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        yield f"{stars}{parameter.name}: {parameter.annotation}{default}"
        if parameter.kind is parameter.POSITIONAL_ONLY:
            yield "/"


def _records(module: ModuleType) -> Iterator[str]:
    for name, record in vars(module).items():
        if inspect.isclass(record) and issubclass(record, Record) and record.__module__ == module.__name__:
            yield f"\n### {name}\n\n{_prose(record)}\n"
            yield from _fields(record)


def _fields(record: type[Record]) -> Iterator[str]:
    yield "```text"
    for name, field in record.model_fields.items():
        kind = inspect.get_annotations(record).get(name) or field.annotation
        default = "" if field.is_required() else f" = {field.get_default(call_default_factory=True)!r}"
        yield f"{name}: {kind}{default}"
    yield "```"


def _prose(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


# ---------------------------------------------------------------- errors and records
def error_page() -> str:
    """Give the error tree with its codes."""
    tree, _, note = _prose(errors).partition("\n\nEach carries")
    first, _, tree = tree.partition("\n\n")
    page = [
        f"# Errors\n\n{first}\n\n```text\n{inspect.cleandoc(tree)}\n```\n\nEach carries{note}\n",
        "The command line prints the message as one line and exits with the code of the last column; `--debug` shows",
        'where. With `-o json` it prints `{"error": {"code", "message", "details"}}` too.\n',
        "| error | `code` | when; `details` | exit |",
        "|---|---|---|---|",
    ]
    for kind in error_classes():
        exits = str(exit_code(cast(Any, kind)("")))
        page.append(_row([f"`{kind.__name__}`", f"`{kind.code}`", " ".join(_prose(kind).split()), exits]))
    return "\n".join(page) + "\n"


def error_classes() -> list[type[errors.SgraphError]]:
    """Give every class of the tree, in the order of the file."""
    return [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.SgraphError)]


def records() -> str:
    """Give the entries and parts of the journal, and the claim vocabulary."""
    page = [f"# What is kept\n\n{_prose(entries)}\n\n{_prose(parts)}\n\n{_prose(Journal)}\n\n## Entries\n"]
    page += ["| kind | class | what it says |", "|---|---|---|"]
    for kind, entry in entries.KINDS.items():
        page.append(_row([f"`{kind}`", "source" if entry.source else "decision", " ".join(_prose(entry).split())]))
    page += ["\n## Parts", *_records(parts), f"\n## Claim vocabulary\n\n{_prose(vocabulary)}\n"]
    page += ["| key | shown as | values | names a |", "|---|---|---|---|"]
    page += [
        _row([f"`{p.key}`", p.label, p.cardinality, p.value_kind or "(text)"]) for p in vocabulary.PREDICATES.values()
    ]
    return "\n".join(page) + "\n"


def schema() -> str:
    """Give the JSON Schema of a line of a dump."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "api.md": api,
    "cli.md": reference.reference,
    "cookbook.md": cookbook,
    "dump.schema.json": schema,
    "errors.md": error_page,
    "graph.md": graph,
    "records.md": records,
}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (DOCS / page).write_text(make(), encoding="utf-8")
