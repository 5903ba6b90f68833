"""ChatGPT's export: `conversations.json`, or the zip file that holds it.

Each conversation is a tree of messages; the branch that was shown last (from `current_node` up, else the newest leaf)
is the thread. A message without a time has that of the message before it, the first one that of the conversation.
Messages on other branches, hidden ones and the model's reasoning are left out and reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sgraph.errors import InvalidTime
from sgraph.records.message import NewMessage
from sgraph.transfer.items import Clock, Item, Said, Skipped, name_of, role_of, text_of
from sgraph.transfer.messages import tools_text

_REASONING = ("thoughts", "reasoning_recap")


def read_conversations(data: Any, stem: str, clock: Clock) -> Iterator[Item]:
    """Read every conversation of an export, in its order; one that is damaged does not lose the others."""
    for number, conversation in enumerate(data if isinstance(data, list) else [data], 1):
        fields = conversation if isinstance(conversation, Mapping) else {}
        thread = name_of(fields.get("conversation_id")) or name_of(fields.get("id")) or f"{stem}-{number}"
        mapping = fields.get("mapping")
        if isinstance(mapping, Mapping):
            yield from _thread(fields, mapping, thread, clock)
        else:
            yield Skipped(place=thread, code="no_messages", reason="the conversation holds no tree of messages")


def _thread(conversation: Mapping[str, Any], nodes: Mapping[str, Any], thread: str, clock: Clock) -> Iterator[Item]:
    branch = _branch(nodes, conversation.get("current_node"))
    began = _time(clock, conversation.get("create_time"))
    clock.at(thread, began)
    for node_id in branch:
        message = nodes[node_id].get("message")
        if message is not None:
            yield _message(message, node_id, thread, name_of(conversation.get("title")), clock)
    shown = set(branch)
    others = sum(
        1 for node_id, node in nodes.items()
        if node_id not in shown and isinstance(node, Mapping) and node.get("message") is not None
    )  # fmt: skip
    if others:
        yield Skipped(place=thread, code="other_branch", reason=f"messages on other branches: {others}")
    broken = sum(1 for node in nodes.values() if not isinstance(node, Mapping))
    if broken:
        yield Skipped(place=thread, code="not_an_object", reason=f"nodes that are no objects: {broken}")


def _branch(nodes: Mapping[str, Any], current: Any) -> list[str]:
    """Return the node ids from the root to the current node, or to the newest leaf when there is no such node."""
    if not isinstance(current, str) or not isinstance(nodes.get(current), Mapping):
        parents = {str(node.get("parent")) for node in nodes.values() if isinstance(node, Mapping)}
        leaves = [key for key, node in nodes.items() if isinstance(node, Mapping) and key not in parents]
        current = max(leaves, key=lambda leaf: _stated(nodes[leaf]), default=None)
    branch: dict[str, None] = {}
    while isinstance(current, str) and current not in branch and isinstance(nodes.get(current), Mapping):
        branch[current] = None
        current = nodes[current].get("parent")
    return list(reversed(branch))


def _stated(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return time if isinstance(time, int | float) else float("-inf")


def _time(clock: Clock, value: Any) -> datetime | None:
    try:
        return None if value is None else clock.read(value)
    except InvalidTime:
        return None


def _message(message: Any, node_id: str, thread: str, title: str | None, clock: Clock) -> Item:
    place = f"{thread}, message {node_id}"
    if not isinstance(message, Mapping):
        return Skipped(place=place, code="not_an_object", reason="the message is not an object")
    author, content, metadata = (_object(message.get(name)) for name in ("author", "content", "metadata"))
    role, kind = role_of(author.get("role")), content.get("content_type")
    if metadata.get("is_visually_hidden_from_conversation") is True or kind in _REASONING:
        return Skipped(place=place, code="hidden", reason="the message was never shown")
    if role is None:
        return Skipped(place=place, code="unknown_role", reason="the role is not user, assistant, system or tool")
    text = text_of(content.get("parts")) or text_of(content.get("text")) or ""
    recipient = name_of(message.get("recipient")) or "all"
    tools = None
    if recipient != "all" and role == "assistant":  # words to a tool are its arguments, not said to the person
        tools, text = tools_text([{"name": recipient, "arguments": text}]), ""
    if not text and tools is None:
        return Skipped(place=place, code="empty", reason="the message holds no text")
    return Said(
        place=place,
        thread=thread,
        title=title,
        message=NewMessage(
            role=role, content=text, sent_at=clock.at(thread, _time(clock, message.get("create_time"))),
            id=name_of(message.get("id")) or node_id, tool_calls=tools,
        ),
    )  # fmt: skip


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
