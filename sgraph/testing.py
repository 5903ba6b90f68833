"""For tests: an OpenAI-compatible server on this machine that says what its script tells it, and what it was asked.

    with ScriptedModel({"block_summary": Reply({...}), "events": [Reply(status=503), Reply({"events": []})]}) as model:
        memory.configure(model.models())
        memory.process()
        assert len(model.requests) == 3

The real client speaks to it over a socket, so timeouts, status codes and broken bodies are the real ones.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from sgraph.config import Models, Route


@dataclass(frozen=True)
class Reply:
    """One answer of the server.

    `data` is what the model hands in: an object (or text, as it is), as the arguments of the call asked for, or as
    content when a JSON schema was asked for. `content` stands beside it or, without `data`, alone. `calls` are
    (name, arguments) in place of the one asked for. A `status` other than 200 is an error with `message`; `body` is
    sent as it is. `usage` is (prompt, completion) tokens, None leaves it out. `delay` is in seconds.
    """

    data: Any = None
    content: str | None = None
    calls: Sequence[tuple[str, str]] | None = None
    finish: str | None = None
    refusal: str | None = None
    status: int = 200
    message: str = "scripted failure"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    delay: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request as it arrived: the step it is for, the chat messages, the bearer key, and the whole body."""

    step: str
    messages: list[dict[str, Any]]
    key: str | None
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Everything the model was told."""
        return "\n\n".join(str(message["content"]) for message in self.messages)


Script = Reply | Sequence[Reply] | Callable[[Asked], Reply] | Mapping[str, "Script"]


class ScriptedModel:
    """The server, between `with` and the end of its block.

    The script is one reply for everything; a list, of which the last is repeated; a function of the request; or one of
    these for each step (block_summary, events, projection, turn_summary, import_decision). A step without a script is
    answered with an empty legal reply.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.requests: list[Asked] = []
        self._script: Script = {} if script is None else script
        self._told: dict[str, int] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The base URL to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def route(self, **settings: Any) -> Route:
        """Give a route to this server."""
        return Route(**{"base_url": self.url, "model": "scripted", "timeout": 10.0, **settings})

    def models(self, **settings: Any) -> Models:
        """Give settings that ask this server for everything, with short pauses."""
        return Models(**{"preset": self.route(), "backoff": 0.01, **settings})

    def say(self, script: Script) -> None:
        """Go on with another script."""
        with self._lock:
            self._script, self._told = script, {}

    def asked(self, step: str) -> list[Asked]:
        """Give the requests for one step, in order."""
        return [request for request in self.requests if request.step == step]

    def _answer(self, asked: Asked) -> Reply:
        with self._lock:
            self.requests.append(asked)
            script, name = self._script, "*"
            if isinstance(script, Mapping):
                script, name = script.get(asked.step, Reply(_EMPTY.get(asked.step, {}))), asked.step
            if isinstance(script, Reply):
                return script
            if callable(script):
                return script(asked)
            assert isinstance(script, Sequence)
            at = self._told.get(name, 0)
            self._told[name] = at + 1
            return script[min(at, len(script) - 1)]


_EMPTY: dict[str, dict[str, Any]] = {
    "block_summary": {
        "title": "Empty",
        "tags": [],
        "summary": "Nothing was kept.",
        "keypoints": [],
        "should_extract": False,
    },
    "events": {"events": []},
    "projection": {"nodes": [], "facts": []},
    "turn_summary": {"summary": "Something was said.", "outcome": "unknown", "triples": []},
    "import_decision": {"action": "ADD", "event_ids": [], "reason": "new", "confidence": 1.0},
    "check": {"ok": True},
}


class _Handler(BaseHTTPRequestHandler):
    model: ScriptedModel

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        name = _name(body)
        key = (self.headers.get("authorization") or "").removeprefix("Bearer ") or None
        reply = self.model._answer(Asked(name.removeprefix("submit_"), body.get("messages", []), key, body))
        if reply.delay:
            time.sleep(reply.delay)
        status, text = reply.status, reply.body
        if text is None:
            text = json.dumps(_error(reply) if status != 200 else _completion(reply, name, "tools" in body))
        try:
            self._send(status, text.encode("utf-8", "surrogatepass"), reply.headers)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def _send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for header, value in {
            "content-type": "application/json",
            "content-length": str(len(content)),
            **headers,
        }.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def _name(body: Mapping[str, Any]) -> str:
    if body.get("tools"):
        return str(body["tools"][0]["function"]["name"])
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name", ""))


def _error(reply: Reply) -> dict[str, Any]:
    return {"error": {"message": reply.message, "type": "scripted", "code": reply.status}}


def _completion(reply: Reply, name: str, tools: bool) -> dict[str, Any]:
    data = reply.data if isinstance(reply.data, str) or reply.data is None else json.dumps(reply.data)
    calls = [(name, data)] if tools and data is not None and reply.calls is None else list(reply.calls or ())
    content = reply.content if tools or data is None else data
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": reply.refusal}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": called, "arguments": arguments}}
            for at, (called, arguments) in enumerate(calls)
        ]
    completion: dict[str, Any] = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish or ("tool_calls" if calls else "stop")}
        ],
    }
    if reply.usage is not None:
        sent, made = reply.usage
        completion["usage"] = {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    return completion
