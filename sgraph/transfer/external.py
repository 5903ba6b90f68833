"""Reading a memory exported by another assistant: `stratagate.external-memory.v2` (or v1), or JSON lines.

What is malformed is refused with its place; a single candidate that cannot be used is left out, and said so. Dates stay
as unknown as they are: with an unknown precision or basis only the wording is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, get_args

from sgraph.blocks.levels import clip
from sgraph.chronology import read_instant
from sgraph.derive.happened import Precision, interval, read_date
from sgraph.errors import InvalidInput
from sgraph.records.imports import Candidate, External, LeftOut

MAX_CANDIDATES = 200
_FORMATS = ("stratagate.external-memory.v2", "stratagate.external-memory.v1")
_SOURCE_TYPE = "external_ai_memory_export"
_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_LISTED = {
    "memory_kind": ("instruction", "preference", "fact", "event"),
    "category": ("instruction", "identity", "career", "project", "preference"),
    "scope": ("user", "project", "session"),
    "criticality": ("routine", "preference", "identity", "safety"),
    "basis": ("explicit", "relative", "inferred"),
    "precision": tuple(word for word in get_args(Precision) if word != "unknown"),
    "coverage": ("full", "partial", "limited"),
}
_TEXTS = ("text", "memory", "content", "summary")  # where a JSON line may keep its memory
_TITLE, _SUMMARY, _NARRATIVE, _QUOTE, _TAG, _FEW, _PEOPLE = 160, 1_000, 8_000, 500, 80, 12, 24


def parse(text: str, zone: tzinfo = UTC) -> External:
    """Read an export. Raises InvalidInput, naming the place, for what is none of the forms."""
    text = text.removeprefix("\ufeff")
    if fenced := _FENCE.fullmatch(text):
        text = fenced[1]
    if not text.strip():
        raise InvalidInput("the text is empty", field="text")
    return _lines(text, zone) if _is_lines(text) else _document(text, zone)


def _is_lines(text: str) -> bool:
    first = next(line for line in text.splitlines() if line.strip())
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and any(name in found for name in _TEXTS) and "schemaVersion" not in found


# ------------------------------------------------------------------ the two forms
def _document(text: str, zone: tzinfo) -> External:
    top = _object(text)
    if top.get("schemaVersion") not in _FORMATS:
        raise InvalidInput(f"$.schemaVersion must be {_FORMATS[0]}", field="$.schemaVersion")
    if top.get("sourceType") != _SOURCE_TYPE:
        raise InvalidInput(f"$.sourceType must be {_SOURCE_TYPE}", field="$.sourceType")
    name = "candidates" if "candidates" in top else "events"
    given = top.get(name)
    if not isinstance(given, list):
        raise InvalidInput(f"$.{name} must be a list", field=f"$.{name}")
    left_out: list[LeftOut] = []
    candidates = list(_candidates(((f"{name}[{at}]", item) for at, item in enumerate(given)), left_out, zone))
    return External(
        format=top["schemaVersion"],
        source_system=_text(top.get("sourceSystem"), 200),
        exported_at=_instant(top.get("exportedAt"), left_out, zone),
        coverage=_listed("coverage", top.get("coverage")),
        coverage_note=_text(top.get("coverageNote"), _SUMMARY),
        candidates=tuple(candidates),
        left_out=tuple(left_out),
        uncertain=tuple(_texts(top.get("uncertainItems"), _SUMMARY, MAX_CANDIDATES)),
    )


def _object(text: str) -> dict[str, Any]:
    try:
        top = json.loads(text)
    except RecursionError:
        raise InvalidInput("the JSON is nested too deeply", field="$") from None
    except ValueError as error:
        place = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "$"
        raise InvalidInput(f"this is not an export: it is no JSON at {place}", field=place) from error
    if not isinstance(top, dict):
        raise InvalidInput("this is not an export: $ must be an object", field="$")
    return top


def _lines(text: str, zone: tzinfo) -> External:
    left_out: list[LeftOut] = []

    def objects() -> Iterator[tuple[str, Any]]:
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
            line = line.strip().removeprefix("\ufeff")
            if not line:
                continue
            try:
                yield f"line {number}", _line(json.loads(line))
            except (ValueError, RecursionError):
                left_out.append(LeftOut(place=f"line {number}", code="not_json", reason="is not a JSON object"))

    candidates = tuple(_candidates(objects(), left_out, zone))
    return External(format="jsonl", candidates=candidates, left_out=tuple(left_out))


def _line(found: Any) -> Any:
    """Bring a JSON line into the form of a candidate."""
    if not isinstance(found, Mapping):
        raise ValueError("no object")
    told = next((found[name] for name in _TEXTS if isinstance(found.get(name), str)), None)
    date = found.get("date") or found.get("happened")
    return {
        "title": found.get("title") or told,
        "summary": told,
        "category": found.get("category"),
        "tags": found.get("tags"),
        "temporal": {"happenedStart": date, "text": date, "basis": "explicit"} if isinstance(date, str) else None,
    }


# ------------------------------------------------------------------ candidates
def _candidates(items: Iterator[tuple[str, Any]], left_out: list[LeftOut], zone: tzinfo) -> Iterator[Candidate]:
    taken = 0
    for place, item in items:
        fields = item if isinstance(item, Mapping) else {}
        title, summary = _text(fields.get("title"), _TITLE), _text(fields.get("summary"), _SUMMARY)
        if title is None or summary is None:
            missing = "title" if title is None else "summary"
            left_out.append(LeftOut(place=place, code="missing", reason=f"has no {missing}"))
        elif taken == MAX_CANDIDATES:
            left_out.append(LeftOut(place=place, code="too_many", reason=f"comes after the first {MAX_CANDIDATES}"))
        else:
            taken += 1
            yield _candidate(place, title, summary, fields, left_out, zone)


def _candidate(
    place: str, title: str, summary: str, fields: Mapping[str, Any], left_out: list[LeftOut], zone: tzinfo
) -> Candidate:
    category = _listed("category", fields.get("category"))
    tags = ([category] if category else []) + _texts(fields.get("tags"), _TAG, _FEW)
    confidence = fields.get("confidence")
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
    listed = {name: _listed(name, fields.get(name)) for name in ("scope", "criticality")}
    return Candidate(
        place=place,
        memory_kind=_listed("memory_kind", fields.get("memoryKind")),
        category=category,
        title=title,
        summary=summary,
        narrative=_text(fields.get("narrative"), _NARRATIVE),
        tags=tuple(dict.fromkeys(tags))[:_FEW],
        quotes=tuple(_texts(fields.get("quotes"), _QUOTE, _FEW)),
        participants=tuple(_people(fields.get("participants"))),
        confidence=float(confidence) if is_number and confidence is not None else None,
        **_times(place, fields.get("temporal"), left_out, zone),
        **{name: value for name, value in listed.items() if value is not None},
    )


def _times(place: str, given: Any, left_out: list[LeftOut], zone: tzinfo) -> dict[str, Any]:
    """Read when it happened; an unknown precision or basis leaves the wording only."""
    fields = given if isinstance(given, Mapping) else {}
    wording = _text(fields.get("text") or fields.get("timeText"), 200)
    stated = {name: _text(fields.get(f"happened{name.title()}"), 40) for name in ("start", "end")}
    wording = wording or stated["start"]
    precision, basis = fields.get("precision"), fields.get("basis")
    if stated["start"] is None or "unknown" in (precision, basis):
        return {"time_text": wording}
    precision = _listed("precision", precision)
    end = stated["end"] if stated["end"] != stated["start"] else None
    try:
        interval(read_date(stated["start"], zone), read_date(end, zone) if end else None, precision)
    except ValueError as error:
        left_out.append(LeftOut(place=f"{place}.temporal", code="bad_date", reason=f"{error}; kept as words"))
        return {"time_text": wording}
    return {
        "happened_start": stated["start"],
        "happened_end": end,
        "precision": precision,
        "basis": _listed("basis", basis) or "explicit",
        "time_text": wording,
    }


def _people(given: Any) -> list[str]:
    names = (
        [item.get("name") if isinstance(item, Mapping) else item for item in given] if isinstance(given, list) else []
    )
    return _texts(names, _TITLE, _PEOPLE)


def _listed(name: str, value: Any) -> Any:
    return value if isinstance(value, str) and value in _LISTED[name] else None


def _text(value: Any, limit: int) -> str | None:
    if not isinstance(value, str):
        return None
    text = "".join(char for char in value if char.isprintable() or char in "\n\t").strip()
    return clip(text, limit) or None


def _texts(values: Any, limit: int, count: int) -> list[str]:
    given: Sequence[Any] = values if isinstance(values, list) else ()
    return [text for text in (_text(value, limit) for value in given) if text is not None][:count]


def _instant(value: Any, left_out: list[LeftOut], zone: tzinfo) -> datetime | None:
    if value is None or not isinstance(value, str) or not value.strip():
        return None
    try:
        return read_instant(value, zone, field="exportedAt")
    except InvalidInput:
        left_out.append(LeftOut(place="exportedAt", code="bad_date", reason="is no instant"))
        return None
