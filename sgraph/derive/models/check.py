"""Checking a route with one tiny call, and saying what to put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sgraph.config import Route
from sgraph.derive import prompts
from sgraph.derive.models.ask import Answer, Form, ask
from sgraph.derive.models.routes import Candidate, keys, label, missing_key

_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
    "description": "Say that the call arrived.",
}
_FORM = Form("submit_check", lambda: dict(_SCHEMA), lambda text, legal: text)
_ADVICE = {
    401: "the key was refused: look at where `key` points, and whether it is this provider's key",
    403: "the key may not use this model: choose another model, or ask for access",
    404: "the address or the model is unknown: does base_url end in /v1, and is the model installed under this name?",
    400: "the request was refused: try mode = json_schema (or tools), and leave out reasoning_effort and max_tokens",
    422: "the request was refused: try mode = json_schema (or tools), and leave out reasoning_effort and max_tokens",
    429: "the provider asks for fewer calls: wait, give several keys, or fewer workers",
}
_OTHER_MODE = {"tools": "json_schema", "json_schema": "tools"}


@dataclass(frozen=True)
class Checked:
    """What a check found of a route with one of its keys; `advice` is empty when all is well."""

    route: str
    key: str
    ok: bool
    found: str
    advice: str
    tokens: int


def check(route: Route) -> list[Checked]:
    """Ask a route once with each of its keys."""
    if missing_key(route):
        advice = f"set it, or leave `key` out for a server that needs none ({route.key})"
        return [Checked(label(route), route.key or "", False, f"no key at {route.key}", advice, 0)]
    found = keys(route)
    return [
        _check(Candidate(route, key), f"key {number} of {len(found)}" if found else "no key needed")
        for number, key in enumerate(found or ("",), 1)
    ]


def _check(candidate: Candidate, key: str) -> Checked:
    request = prompts.Request(
        "check", 1, "Call the given tool, or give the JSON object, with ok = true.", "Is this working?"
    )
    answer = ask(candidate, _FORM, request, None)
    broken = _broken(answer.parsed)
    found = answer.failure or broken or f"answered in mode {candidate.route.mode}"
    advice = _advice(answer, candidate.route) if answer.failure else ""
    if broken:
        advice = (
            f"the model does not keep to mode {candidate.route.mode}: try mode = {_OTHER_MODE[candidate.route.mode]}"
        )
    return Checked(label(candidate.route), key, not advice, found, advice, answer.tokens_in + answer.tokens_out)


def _broken(parsed: Any) -> str:
    problems = getattr(parsed, "problems", ())
    return "; ".join(problem.reason for problem in problems)


def _advice(answer: Answer, route: Route) -> str:
    if answer.status is None:
        return f"is the server running at {route.base_url}, and is {route.timeout:g} s enough for its first answer?"
    return _ADVICE.get(answer.status, "the provider has a fault of its own: try again later")
