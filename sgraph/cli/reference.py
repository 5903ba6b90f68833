"""docs/cli.md, generated from the commands themselves: `python -m sgraph.cli.reference > docs/cli.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer.main

from sgraph.cli.app import app
from sgraph.cli.exits import EXITS
from sgraph.graph.named import NamedQuery
from sgraph.records import results
from sgraph.records.base import Record
from sgraph.records.evidence import Remembered
from sgraph.records.found import Card, Found, Quote
from sgraph.records.imports import Candidate, External, Import, LeftOut, Verdict
from sgraph.records.jobs import Estimate, Job, ModelsStatus, Processed
from sgraph.transfer.incoming import IngestReport
from sgraph.transfer.items import Skipped

_HEAD = """\
# Command line

`sgraph COMMAND …`. Everything runs on this machine: no server, no key, no network. Only `process`, `jobs retry`,
`import` and `doctor` ask a model, and only one that was configured (see models.md).

The space is `--space PATH`, else the environment variable `SGRAPH_SPACE`, else `./memory.sgraph`. The common options
may stand before the command or after it. A command that only reads never makes a space.

Results go to stdout; progress (on a terminal), warnings and errors go to stderr, an error as `sgraph: …`.

| `-o` | what it is |
|---|---|
| `text` | for a person: 80 columns where the output is no terminal, colour on a terminal only (`NO_COLOR` holds) |
| `table` | one row a thing, with ids, as wide as it needs |
| `json` | complete and stable; see [JSON](#json). An error is `{"error": {"code", "message", "details"}}` |
| `csv` | the table as CSV, nothing cut |

Text and tables show times in the time zone of the space, with their offset (midnight as its day); JSON has them in UTC.
What would steer a terminal comes out as an escape.
"""

# What -o json prints: the record, or "list of" it.
JSON: dict[str, str] = {
    "demo": "an object: space, kept (IngestReport), page, now, as_of, history, disputed (EntityView), recall (Found)",
    "ingest": "list of IngestReport",
    "remember": "Remembered",
    "recall": "Found",
    "search": "Found",
    "cypher": "Table",
    "query": "Table; without a name a list of NamedQuery",
    "timeline": "list of EventView",
    "status": "Status",
    "entity show": "EntityView",
    "export": "an object: path, counts, cut (`sgraph -o json export …`: here `-o` is the file)",
    "process": "Processed; with --dry-run Estimate",
    "jobs list": "list of Job",
    "jobs show": "Job, with refused: what was refused of its reply",
    "jobs retry": "list of Job",
    "import prompt": "an object: prompt",
    "import file": "Import",
    "import list": "list of Import",
    "import review": "Import; [] when nothing waits",
    "import decide": "Import",
    "import commit": "Import",
    "import undo": "Import",
    "doctor": "list of objects: what, ok, found, advice",
    "forget": "list of Outcome",
    "unforget": "list of Outcome",
    "undo": "list of Outcome",
    "entity merge": "list of Outcome",
    "entity split": "list of Outcome",
    "space init": "Status",
    "space verify": "VerifyReport, with ok",
    "space rebuild": "an object: path, engine",
    "space backup": "an object: path",
    "space restore": "an object: path",
    "space dump": "an object: path, entries",
    "space load": "an object: path, entries",
}
_RECORDS: tuple[type[Record], ...] = (
    IngestReport, Skipped, Remembered, Found, Card, Quote, results.Table, NamedQuery, results.Status,
    results.EntityView, results.FactView, results.EventView, results.Evidence, results.Outcome, results.VerifyReport,
    results.Fault, ModelsStatus, Processed, Estimate, Job, Import, External, Candidate, LeftOut, Verdict,
)  # fmt: skip


def reference() -> str:
    """Give the page."""
    root: Any = typer.main.get_command(app)
    parts = [_HEAD, "## Exit codes\n", "| code | meaning | errors |\n|---|---|---|"]
    parts += [f"| {row.code} | {row.meaning} | {', '.join(kind.__name__ for kind in row.errors)} |" for row in EXITS]
    parts += ["\n## Common options\n", *_options(root)]
    for path, entry in commands(root):
        parts += [f"\n## sgraph {path}\n", _prose(entry.help), f"\n```\n{_usage(path, entry)}\n```\n"]
        parts += [*_options(entry, common=False), f"\n`-o json`: {JSON[path]}."]
    parts += ["\n## JSON\n", "Every field is always there. `?` marks one that may be null; times are ISO 8601."]
    for record in _RECORDS:
        parts += [f"\n### {record.__name__}\n", _prose(record.__doc__ or ""), "\n| field | type |\n|---|---|"]
        parts += [f"| `{name}` | {_type(schema)} |" for name, schema in _fields(record)]
    return "\n".join(parts) + "\n"


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Give every command with its words, groups opened."""
    for name, found in group.commands.items():
        if hasattr(found, "commands"):
            yield from commands(found, f"{path}{name} ")
        else:
            yield f"{path}{name}", found


def _usage(path: str, found: Any) -> str:
    arguments = [param.metavar or param.name.upper() for param in found.params if param.param_type_name == "argument"]
    return " ".join(["sgraph", path, "[OPTIONS]", *arguments])


def _options(found: Any, *, common: bool = True) -> list[str]:
    rows = []
    for param in found.params:
        if not common and getattr(param, "rich_help_panel", None) == "Common options":
            continue
        value = param.metavar or param.name.upper()
        names = f"`{value}`"
        if param.param_type_name == "option":
            shown = "" if param.is_flag else f" {value}"
            names = ", ".join(f"`{name}{shown}`" for name in (*param.opts, *param.secondary_opts))
        rows.append(f"| {names} | {_prose(param.help or '')} |")
    return ["| | |\n|---|---|", *rows] if rows else []


def _prose(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines()).replace("|", "\\|")


def _fields(record: type[Record]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from record.model_json_schema(mode="serialization").get("properties", {}).items()


def _type(schema: dict[str, Any]) -> str:
    """Put a JSON schema into words."""
    if "anyOf" in schema:
        kinds = [_type(kind) for kind in schema["anyOf"]]
        return " or ".join(kind for kind in kinds if kind != "null") + ("?" if "null" in kinds else "")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return "time" if schema.get("format") == "date-time" else str(schema.get("type", "any"))


if __name__ == "__main__":
    print(reference(), end="")
