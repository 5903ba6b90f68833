"""The deterministic levels of a Block: L5 as it was said, L4 readable, L3 condensed. No model, no paraphrase.

| level | what it leaves out |
|---|---|
| `raw` (L5) | nothing: every message with its role and, as JSON, every tool call |
| `l4` | system messages; tool calls become one line with the name and a summary of the result; long tool text is cut |
| `l3` | also sentences that only acknowledge, and exact repeats of long paragraphs and of code |

A level never costs more than the one below it, in estimated tokens or in characters. What is left out stands in L5.
All three run in time linear in the text and take any string (NUL, lone surrogates, nothing at all).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

TOOL_TEXT_LIMIT = 2_000
"""Characters of a tool message's text that L4 and L3 show; of a longer text, the beginning and the end."""
RESULT_LIMIT = 160
ERROR_LIMIT = 140
NAME_LIMIT = 80
REPEAT_MINIMUM = 80
"""Characters from which an exactly repeated paragraph is left out of L3."""

REPEATED = "[repeat: kept in L5]"
_CUT_TAIL = 400

# SG 2.4: sentences that say no more than that something was heard.
ACKNOWLEDGEMENTS = (
    "ok", "okay", "got it", "thanks", "thank you", "yes", "correct", "sure",
    "好", "好的", "嗯", "嗯嗯", "明白", "收到", "谢谢", "感谢", "辛苦了", "是", "是的", "对", "对的", "没错",
    "可以", "行", "同意", "就这样",
)  # fmt: skip


class MessageLike(Protocol):
    """What a level needs of a message; `tool_calls` is a list of {name, arguments, result}, or its JSON text."""

    @property
    def role(self) -> str: ...  # noqa: D102
    @property
    def speaker(self) -> str | None: ...  # noqa: D102
    @property
    def content(self) -> str: ...  # noqa: D102
    @property
    def tool_calls(self) -> str | Sequence[Any] | None: ...  # noqa: D102


_ASCII_RUN = re.compile(r"[\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text (SG 2.4).

    Each run of ASCII characters counts a quarter of its length, rounded up; every other character counts one.
    """
    if text.isascii():
        return -(-len(text) // 4)
    tokens, ascii_characters = 0, 0
    for run in _ASCII_RUN.finditer(text):
        length = run.end() - run.start()
        tokens += -(-length // 4)
        ascii_characters += length
    return tokens + len(text) - ascii_characters


def raw(messages: Iterable[MessageLike]) -> str:
    """Render L5: every message as received, one tool call a line, as JSON."""
    lines = []
    for message in messages:
        lines.append(f"{_label(message)}: {message.content}")
        lines += [f"[tool call] {_dump(call)}" for call in _calls(message)]
    return "\n".join(lines)


def l4(messages: Sequence[MessageLike]) -> str:
    """Render L4: readable text, each tool call in one line, a tool's text within `TOOL_TEXT_LIMIT`.

    Falls back to the raw rendering where that is no dearer.
    """
    lines: list[str] = []
    for message in _shown(messages):
        lines += (f"{_label(message)}: {_body(message)}", *_traces(message))
    return _not_dearer("\n".join(lines), raw(messages))


def l3(messages: Sequence[MessageLike]) -> str:
    """Render L3: L4 without acknowledgements and without exact repeats of long paragraphs and of code.

    A message of which nothing is left is left out. Falls back to L4 where that is no dearer.
    """
    seen: set[str] = set()
    lines = []
    for message in _shown(messages):
        body = "".join(_condensed(_body(message), seen, drop_acknowledgements=message.role != "tool"))
        if body.strip():
            lines.append(f"{_label(message)}: {body}")
        lines += _traces(message)
    return _not_dearer("\n".join(lines), l4(messages))


def clip(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, the last three dots, never inside a visible character."""
    return text if len(text) <= limit else text[: boundary(text, limit - 3)] + "..."


def boundary(text: str, index: int) -> int:
    """Return the nearest place at or before `index` where no surrogate pair, accent or joined emoji is cut apart.

    Looks back 32 characters at most; a longer pile of marks is cut where asked.
    """
    place = index
    while 0 < place < len(text) and index - place <= 32:
        if not _inside(text, place):
            return place
        place -= 1
    return place if place in (0, len(text)) else index


def _inside(text: str, place: int) -> bool:
    """Tell whether the characters before and after a place make up one visible character."""
    before, char = text[place - 1], text[place]
    if _is_flag_letter(before) and _is_flag_letter(char):  # flags are pairs, counted from where their run begins
        start = place - 1
        while start and _is_flag_letter(text[start - 1]):
            start -= 1
        return (place - start) % 2 == 1
    return (
        before == "\u200d"
        or char == "\u200d"
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= char <= "\udfff")
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


# ------------------------------------------------------------------ messages
def _shown(messages: Iterable[MessageLike]) -> Iterator[MessageLike]:
    return (message for message in messages if message.role != "system")


def _label(message: MessageLike) -> str:
    return message.speaker or message.role.capitalize()


def _not_dearer(text: str, fuller: str) -> str:
    """Return `text`, or the level below where (escapes in tool JSON, markers) it would cost more than that."""
    dearer = len(text) > len(fuller) or estimate_tokens(text) > estimate_tokens(fuller)
    return fuller if dearer else text


def _body(message: MessageLike) -> str:
    """Return a message's text as L4 shows it: words untouched, a tool's text summarised or cut."""
    text = message.content
    if message.role != "tool":
        return text
    parsed = _parsed(text)
    calls = parsed if isinstance(parsed, list) else [parsed]
    if calls and all(_is_call(call) for call in calls):
        return clip("; ".join(_trace(call) for call in calls), TOOL_TEXT_LIMIT)
    if len(text) <= TOOL_TEXT_LIMIT:
        return text
    marker = f"\n[... cut: {len(text)} characters in L5 ...]\n"
    tail = boundary(text, len(text) - _CUT_TAIL)
    head = boundary(text, TOOL_TEXT_LIMIT - len(marker) - (len(text) - tail))
    return text[:head] + marker + text[tail:]


# ------------------------------------------------------------------ tool calls
def _calls(message: MessageLike) -> Sequence[Any]:
    calls = message.tool_calls
    if isinstance(calls, str):
        parsed = _parsed(calls)
        calls = calls and [calls] if parsed is None else parsed
    if not calls:
        return ()
    return calls if isinstance(calls, Sequence) and not isinstance(calls, str) else [calls]


def _is_call(value: Any) -> bool:
    has_name = isinstance(value, Mapping) and isinstance(value.get("name"), str)
    return has_name and ("arguments" in value or "result" in value)


def _traces(message: MessageLike) -> list[str]:
    return [f"[tool] {_trace(call)}" for call in _calls(message)]


def _trace(call: Any) -> str:
    """Return the name of a call and what came of it; its arguments are never shown."""
    if not isinstance(call, Mapping):
        return "unreadable call"
    name = call.get("name")
    parts = [clip(" ".join(name.split()), NAME_LIMIT)] if isinstance(name, str) else []
    if call.get("result") is not None:
        parts.append(summarise_result(call["result"]))
    return ": ".join(parts)


def summarise_result(result: Any) -> str:
    """Say in one line of at most `RESULT_LIMIT` characters what a tool returned.

    Text is collapsed (JSON in it is read first); of an object the `error`, else `summary`, else `message`, else how
    long its lists are, else `ok`, else only that it was structured.
    """
    for _ in range(8):  # JSON text inside JSON text; deeper than anybody nests it, and bounded
        parsed = _parsed(result) if isinstance(result, str) else None
        if parsed is None:
            break
        result = parsed
    if isinstance(result, str):
        # Blanks are collapsed in a bounded piece only: the rest of a long text cannot show anyway.
        return clip(" ".join(result[: 16 * RESULT_LIMIT].split()) or "no text", RESULT_LIMIT)
    if isinstance(result, bool):
        return "true" if result else "false"
    if isinstance(result, int | float):
        return clip(_dump(result), RESULT_LIMIT)
    if isinstance(result, Mapping):
        return _summarise_object(result)
    return f"{len(result)} items" if isinstance(result, Sequence) else "structured result"


def _summarise_object(result: Mapping[str, Any]) -> str:
    if result.get("error"):
        return clip(f"failed: {_plain(result['error'])}", ERROR_LIMIT)
    for key in ("summary", "message"):
        if result.get(key):
            return clip(_plain(result[key]), RESULT_LIMIT)
    counts = [
        f"{key}: {len(value)}"
        for key, value in result.items()
        if isinstance(value, list) and key not in ("arguments", "params", "input", "request")
    ]
    if counts:
        return clip(" ".join(", ".join(counts).split()), RESULT_LIMIT)
    if isinstance(result.get("ok"), bool):
        return "ok" if result["ok"] else "not ok"
    return "structured result"


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else _dump(value)
    return " ".join(text[: 16 * RESULT_LIMIT].split())


def _parsed(text: str) -> Any:
    """Read a JSON object or list; None for anything else, however deep, long or broken."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "unreadable"


# ------------------------------------------------------------------ condensing
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"(\n\s*\n)")
_CODE_LINE = re.compile(
    r"[{};]\s*$"
    r"|^\s*(?:def|class|function|fn|func|if|elif|else|for|while|try|except|with)\b.*[:{(]\s*$"
    r"|^\s*(?:import\s+\w+|from\s+\S+\s+import\b|#include\b)"
    r"|^\s*(?:const|let|var)?\s*[\w.\[\]]+\s*:?=\s*\S"
)
_WORDS = "|".join(re.escape(word).replace(r"\ ", r"[ \t]+") for word in ACKNOWLEDGEMENTS)
# A whole sentence: after a line's beginning or another sentence, up to its own full stop or the end of the line.
# A question mark is no full stop here: "Sure?" asks something.
_ACKNOWLEDGEMENT = re.compile(
    rf"(?:^[ \t]*|(?<=[.!?…][ \t])|(?<=[。！？…]))(?:{_WORDS})"
    r"(?:[.!…~]+(?=\s|$)|[。！…～~]+(?![。！？])|[,;:，；：、]?[ \t]*$)[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)


def _condensed(text: str, seen: set[str], *, drop_acknowledgements: bool) -> Iterator[str]:
    """Yield the pieces of a text that L3 keeps; `seen` holds the long paragraphs and the code of the Block so far."""
    for piece, is_code in _pieces(text):
        is_code = is_code or _looks_like_code(piece)
        key = " ".join(piece.split()).lower()
        if is_code or len(key) >= REPEAT_MINIMUM:
            if key in seen and len(piece) >= len(REPEATED):
                yield REPEATED
                continue
            seen.add(key)
        yield piece if is_code or not drop_acknowledgements else _without_acknowledgements(piece)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Split a text into fenced code (True), and paragraphs and the blank lines between them (False).

    The pieces joined are the text.
    """
    start, opened = 0, None
    for mark in _FENCE.finditer(text):
        if opened is None:
            yield from ((part, False) for part in _BLANK_LINES.split(text[start : mark.start()]))
            start, opened = mark.start(), mark[1]
        elif mark[1].startswith(opened) and not mark[2].strip():
            yield text[start : mark.end()], True
            start, opened = mark.end(), None
    if opened is None:
        yield from ((part, False) for part in _BLANK_LINES.split(text[start:]))
    else:
        yield text[start:], True


def _looks_like_code(piece: str) -> bool:
    """Tell whether most of the first lines of a text of several lines have the form of code."""
    lines = [line for line in piece[:4_000].splitlines() if line.strip()][:40]
    return len(lines) > 1 and 2 * sum(bool(_CODE_LINE.search(line)) for line in lines) > len(lines)


def _without_acknowledgements(piece: str) -> str:
    left = _ACKNOWLEDGEMENT.sub("", piece)
    if left == piece:
        return piece
    return re.sub(r"\n\s*\n", "\n", left).strip("\n") if left.strip() else ""
