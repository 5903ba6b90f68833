"""Dump and load: a whole space as JSON lines, the journal entry by entry, with the salts and hashes that prove it.

The first line is {"sgraph_dump": 1, "space": id, "entries": n, "hash": hash of the last entry}; then one line an entry.
`json_schema()` is the published form (docs/dump.schema.json).
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from sgraph.errors import InvalidInput, JournalDamaged
from sgraph.journal.log import Journal
from sgraph.records.entries import PART
from sgraph.space import layout

VERSION = 1


def dump(journal: Journal, space: str, target: IO[str]) -> int:
    """Write every entry; give their number."""
    count = journal.last_seq()
    head = {"sgraph_dump": VERSION, "space": space, "entries": count, "hash": journal.entry_hash(count)}
    target.write(json.dumps(head) + "\n")
    for line in journal.raw(count):
        target.write(json.dumps(line, sort_keys=True) + "\n")
    return count


def load(source: IO[str], root: Path, engine: str, storage_version: int) -> int:
    """Make a new space from a dump; give the number of entries. Raises InvalidInput, or JournalDamaged (bad chain)."""
    if layout.read(root) is not None:
        raise InvalidInput(f"{root} is a space already; load into a new folder", field="path", value=str(root))
    lines = _lines(source)
    head = next(lines, {})
    if head.get("sgraph_dump") != VERSION:
        raise InvalidInput(f"this is no sgraph dump of version {VERSION}", field="source", value=str(head)[:80])
    draft = root.with_name(f".{root.name}.{uuid.uuid4().hex[:8]}")
    try:
        made = layout.create(draft, engine, storage_version, id=str(head["space"]))
        with closing(Journal(made.journal)) as journal:
            count = journal.load_raw(lines)
            if count != head["entries"] or journal.entry_hash(count) != head["hash"]:
                text = f"the dump ends at entry {count} of {head['entries']}, or is not what was dumped"
                raise JournalDamaged(text, path=str(root), seq=count)
        draft.replace(root)  # whole, or not at all
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return count


def _lines(source: IO[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(source, 1):
        if line.strip():
            try:
                value = json.loads(line)
            except ValueError as error:
                raise InvalidInput(f"line {number} is not JSON: {error}", field="source", value=number) from error
            if not isinstance(value, dict):
                raise InvalidInput(f"line {number} is not an object", field="source", value=number)
            yield value


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a line."""
    part = PART.json_schema(ref_template="#/$defs/{model}")
    defs = part.pop("$defs", {})
    hexadecimal = {"type": "string", "pattern": "^[0-9a-f]*$"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of an sgraph dump",
        "$defs": {**defs, "part": part},
        "anyOf": [
            {
                "title": "first line", "type": "object", "required": ["sgraph_dump", "space", "entries", "hash"],
                "properties": {
                    "sgraph_dump": {"const": VERSION}, "space": {"type": "string"}, "entries": {"type": "integer"},
                    "hash": hexadecimal,
                },
            },
            {
                "title": "entry", "type": "object", "required": ["seq", "kind", "at", "through", "hash", "parts"],
                "additionalProperties": False,
                "properties": {
                    "seq": {"type": "integer", "minimum": 1},
                    "kind": {"type": "string"},
                    "at": {"type": "integer", "description": "microseconds since 1970-01-01 UTC"},
                    "through": {"type": ["integer", "null"]},
                    "hash": hexadecimal,
                    "parts": {
                        "type": "array",
                        "items": {
                            "type": "object", "required": ["salt", "digest", "body"], "additionalProperties": False,
                            "properties": {
                                "salt": hexadecimal, "digest": hexadecimal,
                                "body": {"anyOf": [{"$ref": "#/$defs/part"}, {"type": "null"}]},
                            },
                        },
                    },
                },
            },
        ],
    }
