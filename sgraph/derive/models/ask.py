"""One call to a model: instructor writes the request in the route's mode, openai sends it, the contract judges it.

An attempt is one call: neither library may ask again. Texts and keys stay out of both libraries' logs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationInfo, model_validator
from pydantic_core import from_json

from sgraph.config import Route
from sgraph.derive import contracts
from sgraph.derive.contracts import Parsed, Problem
from sgraph.derive.models.routes import Candidate
from sgraph.derive.prompts import Request

_MODES = {"tools": "TOOLS", "json_schema": "JSON_SCHEMA"}
_LONGEST_PAUSE = 3600.0
_WORDS_KEPT = 200  # characters kept of a provider's error message


@dataclass(frozen=True)
class Form:
    """What a model is asked to hand in: the name of the call, its JSON Schema, and who judges the text it gives.

    The judge is given the text and the ids it may use; what it returns has `value` and `problems`.
    """

    name: str
    schema: Callable[[], dict[str, Any]]
    judge: Callable[[str, Any], Any]


FORMS: dict[str, Form] = {
    kind: Form(f"submit_{kind}", partial(contracts.json_schema, kind), partial(contracts.parse, kind))
    for kind in contracts.KINDS
}


@dataclass(frozen=True)
class Answer:
    """What a call came to: `parsed` when the model answered, well or not, else `failure`; tokens as billed."""

    text: str = ""
    parsed: Any = None
    failure: str | None = None
    status: int | None = None
    retry_after: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0


def ask(candidate: Candidate, form: Form, request: Request, legal: Any) -> Answer:
    """Ask one model once for a form, and let its reply be judged with the ids in `legal`.

    Never raises for what a provider or a model does.
    """
    import openai
    from instructor import Mode, patch
    from instructor.core.exceptions import IncompleteOutputException

    route = candidate.route
    usage: dict[str, Any] = {}

    def send(**arguments: Any) -> Any:
        # The texts are put in here, behind instructor: with a validation context it would render them as templates.
        sent = {**arguments, "messages": request.messages()}
        if not candidate.key:
            sent["extra_headers"] = {"Authorization": openai.Omit()}
        with _told(candidate), _client(candidate) as client:
            completion = client.chat.completions.create(**sent)
        usage.update(_usage(completion))
        context["text"] = _only_reply(completion, route, form.name)
        return completion

    class Stopped(IncompleteOutputException):
        """Instructor logs every error but this one, with the provider's words in it."""

    context: dict[str, Any] = {"legal": legal}
    create = patch(create=_quiet(send, Stopped), mode=Mode[_MODES[route.mode]])
    try:
        reply = create(
            response_model=_reply_model(form),
            context=context,
            max_retries=0,
            messages=[],
            model=route.model,
            **_extras(route),
        )
    except Stopped as stopped:
        cause = stopped.__cause__
        if isinstance(cause, _Broken):
            return Answer(text=cause.text, parsed=Parsed(None, (cause.problem,)), **usage)
        assert isinstance(cause, _Failed)
        return Answer(failure=cause.reason, status=cause.status, retry_after=cause.retry_after, **usage)
    return Answer(text=context["text"], parsed=reply.parsed, **usage)


# ------------------------------------------------------------------ what is asked for
class _Reply(BaseModel):
    """What instructor asks for: the schema of a form, judged item by item and never as a whole."""

    form: ClassVar[Form]
    parsed: Any

    @classmethod
    def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
        """Give the schema of the form."""
        return {**cls.form.schema(), "title": cls.form.name}

    @model_validator(mode="before")
    @classmethod
    def _judged(cls, data: Any, info: ValidationInfo) -> Any:
        assert info.context is not None
        return {"parsed": cls.form.judge(info.context["text"], info.context["legal"])}


@cache
def _reply_model(form: Form) -> type[_Reply]:
    return type(form.name, (_Reply,), {"form": form, "__doc__": "Hand in what was asked for.", "__module__": __name__})


def _extras(route: Route) -> dict[str, Any]:
    given = {"max_tokens": route.max_tokens, "reasoning_effort": route.reasoning_effort}
    return {name: value for name, value in given.items() if value is not None}


@contextmanager
def _client(candidate: Candidate) -> Iterator[Any]:
    import openai

    route = candidate.route
    client = openai.OpenAI(
        base_url=route.base_url,
        api_key=candidate.key or "none",
        timeout=route.timeout,
        max_retries=0,
        organization="",
        project="",
        http_client=openai.DefaultHttpxClient(follow_redirects=False),  # texts go to the address that was configured
    )
    with client:
        yield client


# ------------------------------------------------------------------ what comes back
class _Failed(Exception):
    """The provider did not answer."""

    def __init__(self, reason: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.retry_after = reason, status, retry_after


class _Broken(Exception):
    """The model answered with something that is no reply."""

    def __init__(self, code: str, reason: str, text: str) -> None:
        super().__init__(reason)
        self.problem, self.text = Problem(path="$", code=code, reason=reason), text


def _quiet(send: Any, stopped: type[Exception]) -> Any:
    def create(**arguments: Any) -> Any:
        try:
            return send(**arguments)
        except (_Failed, _Broken) as error:
            raise stopped() from error

    return create


@contextmanager
def _told(candidate: Candidate) -> Iterator[None]:
    """Turn the client's errors into reasons that hold no key and no more than the beginning of a provider's words."""
    import openai

    try:
        yield
    except openai.APITimeoutError as error:
        raise _Failed(f"no answer within {candidate.route.timeout:g} s") from error
    except openai.APIStatusError as error:
        status = error.status_code
        raise _Failed(_reason(error, candidate), status, _retry_after(error.response.headers)) from error
    except openai.APIConnectionError as error:
        raise _Failed(f"no connection to {candidate.route.base_url}") from error
    except ValueError as error:
        raise _Failed("the answer is no chat completion") from error
    except Exception as error:  # whatever it is: instructor would log its words
        raise _Failed(f"the call failed: {type(error).__name__}") from error


def _reason(error: Any, candidate: Candidate) -> str:
    status = error.status_code
    if status in (401, 403):  # such messages repeat the key, or most of it
        return f"HTTP {status}: the key was refused" if candidate.key else f"HTTP {status}: a key is needed"
    body = error.body if isinstance(error.body, Mapping) else {}
    words = body.get("message") if isinstance(body.get("message"), str) else ""
    words = " ".join(re.sub(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]", " ", words or "").split())
    if candidate.key:
        words = words.replace(candidate.key, "…")
    return f"HTTP {status}: {words[:_WORDS_KEPT]}" if words else f"HTTP {status}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After: seconds, or a date; at most an hour."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except (ValueError, IndexError):
            return None
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_PAUSE) if seconds == seconds else None


def _usage(completion: Any) -> dict[str, int]:
    usage = getattr(completion, "usage", None)
    counts = {"tokens_in": getattr(usage, "prompt_tokens", 0), "tokens_out": getattr(usage, "completion_tokens", 0)}
    return {name: count if isinstance(count, int) and count > 0 else 0 for name, count in counts.items()}


def _only_reply(completion: Any, route: Route, name: str) -> str:
    """Give the one reply there must be, as text: the arguments of the one call asked for, or the content."""
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices or choices[0].message is None:
        raise _Failed("the answer is no chat completion")
    message, finish = choices[0].message, choices[0].finish_reason
    calls = [
        (call.function.name, call.function.arguments or "")
        for call in message.tool_calls or ()
        if call.type == "function"
    ]
    content = message.content if isinstance(message.content, str) else ""
    said = calls[0][1] if calls and route.mode == "tools" else content
    if finish == "length":
        raise _Broken("truncated", "was cut at the limit of tokens", said)
    if getattr(message, "refusal", None) or finish == "content_filter":
        raise _Broken("refused", "the model declined to answer", str(message.refusal or content))
    if route.mode == "tools":
        if not calls:
            raise _Broken("no_call", "must be one call of the given tool, not text", content)
        if len(calls) > 1:
            raise _Broken("several_calls", "must be one call, not several", "\n".join(text for _, text in calls))
        if calls[0][0] != name:
            raise _Broken("wrong_call", "calls another tool than the given one", said)
    try:
        from_json(said)  # as instructor will read it: it would log what it cannot read
    except ValueError:
        raise _Broken(
            "not_one_json_object", "must be exactly one JSON object, without fences, tags or prose", said
        ) from None
    return said
