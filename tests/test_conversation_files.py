"""Reading conversation files of every form: what is taken, what is reported, and that ids are stable."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgraph.errors import InvalidInput, NotFound, SgraphError
from sgraph.transfer.conversations import detect, read
from sgraph.transfer.items import Item, Said, Skipped, Submission

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def written(path: Path, content: Any) -> Path:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
    return path


def items(path: Path, content: Any, **options: Any) -> list[Item]:
    return list(read(written(path, content), at=NOW, **options))


def said(found: Sequence[Item]) -> list[Said]:
    return [item for item in found if isinstance(item, Said)]


def skipped(found: Sequence[Item]) -> list[tuple[str, str]]:
    return [(item.place, item.code) for item in found if isinstance(item, Skipped)]


# ------------------------------------------------------------------ JSON lines
def test_a_line_in_full(tmp_path: Path) -> None:
    line = {
        "thread": "planning", "title": "Planning", "role": "assistant", "speaker": "Ivo",
        "content": "Two lines\nof text",
        "at": "2026-05-08T13:56:00+02:00", "id": "7", "session": "s1", "receipt": "host-42", "agent": "coder",
        "tools": [{"name": "scan", "arguments": {"a": 1}, "result": "ok"}],
    }  # fmt: skip
    [item] = said(items(tmp_path / "talk.jsonl", json.dumps(line)))
    message = item.message
    assert (item.thread, item.title, item.receipt, item.place) == ("planning", "Planning", "host-42", "line 1")
    assert (message.role, message.speaker, message.content, message.id) == (
        "assistant",
        "Ivo",
        "Two lines\nof text",
        "7",
    )
    assert (message.session, message.agent) == ("s1", "coder")
    assert message.sent_at == datetime(2026, 5, 8, 11, 56, tzinfo=UTC)
    assert json.loads(message.tool_calls or "") == line["tools"]


def test_what_a_line_leaves_open(tmp_path: Path) -> None:
    lines = '{"content": "one"}\n\n{"content": "two", "at": 1761307200}\n{"content": "three"}\n'
    found = said(items(tmp_path / "talk.jsonl", lines))
    assert [(item.thread, item.message.id) for item in found] == [
        ("talk", "line-1"),
        ("talk", "line-3"),
        ("talk", "line-4"),
    ]
    assert [item.message.role for item in found] == ["user"] * 3
    noon = datetime(2025, 10, 24, 12, tzinfo=UTC)
    assert [item.message.sent_at for item in found] == [NOW, noon, noon]


def test_byte_order_marks_windows_line_ends_and_blank_lines(tmp_path: Path) -> None:
    content = '\ufeff{"content": "one"}\r\n\r\n   \r\n\ufeff{"content": "two\u2028still two"}\r\n'.encode()
    found = items(tmp_path / "talk.jsonl", content)
    assert [item.message.content for item in said(found)] == ["one", "two\u2028still two"]
    assert skipped(found) == []


def test_derivations_among_the_messages(tmp_path: Path) -> None:
    lines = [
        {"content": "one", "id": 1},
        {"submit": "events", "target": "talk:b1", "reply": {"events": []}},
        {"submit": "poem", "target": "talk:b1", "reply": {}},
        {"submit": ["events"], "target": "talk:b1", "reply": {}},
        {"submit": "events", "reply": {}},
        {"submit": "events", "target": "talk:b1"},
    ]
    found = items(tmp_path / "talk.jsonl", "\n".join(map(json.dumps, lines)))
    assert found[1] == Submission(place="line 2", kind="events", target="talk:b1", reply={"events": []})
    assert skipped(found) == [
        ("line 3", "unknown_kind"),
        ("line 4", "unknown_kind"),
        ("line 5", "no_target"),
        ("line 6", "no_target"),
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{bad json", "not_json"),
        (b'{"content": "a"} {"content": "b"}', "not_json"),
        (b"[" * 200_000, "not_json"),
        (b'{"content": "\xff\xfe"}', "not_utf8"),
        (b'["content"]', "not_an_object"),
        (b"null", "not_an_object"),
        (b'{"role": "boss", "content": "x"}', "unknown_role"),
        (b'{"role": null, "content": "x"}', "unknown_role"),
        (b'{"content": ""}', "empty"),
        (b'{"content": null}', "empty"),
        (b'{"role": "user"}', "empty"),
        (b'{"content": {"text": "x"}}', "no_text"),
        (b'{"content": 5}', "no_text"),
        (b'{"content": "x", "at": "yesterday"}', "bad_time"),
        (b'{"content": "x", "at": "2026-13-40"}', "bad_time"),
        (b'{"content": "x", "at": true}', "bad_time"),
        (b'{"content": "x", "at": "' + b"May " * 100_000 + b'"}', "bad_time"),
        (b'{"content": "x", "at": 1e300}', "bad_time"),
        (b'{"content": "x", "at": NaN}', "bad_time"),
        (b'{"content": "x", "at": {"y": 1}}', "bad_time"),
    ],
)
def test_one_bad_line_is_reported_and_loses_nothing_else(tmp_path: Path, line: bytes, code: str) -> None:
    found = items(tmp_path / "talk.jsonl", b'{"content": "one"}\n' + line + b'\n{"content": "two"}')
    assert [item.message.content for item in said(found)] == ["one", "two"]
    assert skipped(found) == [("line 2", code)]


def test_what_is_taken_in_part_is_reported_too(tmp_path: Path) -> None:
    lines = [
        '{"content": "one", "mood": "fine"}',
        '{"content": "two", "mood": "bad", "colour": 1}',
        '{"content": "three", "tools": "scan"}',
    ]
    found = items(tmp_path / "talk.jsonl", "\n".join(lines))
    assert [item.message.content for item in said(found)] == ["one", "two", "three"]
    assert skipped(found) == [("line 1", "unknown_field"), ("line 2", "unknown_field"), ("line 3", "bad_tools")]


@pytest.mark.parametrize(
    ("at", "instant"),
    [
        ("2025-10-24T10:00:00Z", 10),
        ("2025-10-24T13:00:00+02:00", 11),
        (1761307200, 12),
        (1761310800000, 13),
        ("2025-10-24T16:00:00", 14),
    ],
)
def test_times_of_every_sort(tmp_path: Path, at: Any, instant: int) -> None:
    [item] = said(items(tmp_path / "a.jsonl", json.dumps({"content": "x", "at": at}), zone=ZoneInfo("Europe/Berlin")))
    assert item.message.sent_at == datetime(2025, 10, 24, instant, tzinfo=UTC)


def test_odd_characters_come_through(tmp_path: Path) -> None:
    texts = ["W\x00s\x00l", "cut \ud83d", "\udcff\udcfe", "👍\u200d🔧", "x" * 1_000_000]
    found = items(
        tmp_path / "a.jsonl", "\n".join(json.dumps({"content": text, "id": "n\ud83d", "thread": "t"}) for text in texts)
    )
    assert [item.message.content for item in said(found)] == texts
    assert said(found)[0].message.id == "n\ufffd"


def test_reading_again_and_reading_a_longer_file_give_the_same_ids(tmp_path: Path) -> None:
    lines = [json.dumps({"content": f"message {number}"}) if number % 3 else "{broken" for number in range(12)]
    before = said(items(tmp_path / "a.jsonl", "\n".join(lines[:7])))
    after = said(items(tmp_path / "a.jsonl", "\n".join(lines)))
    assert after[: len(before)] == before
    assert len({item.message.id for item in after}) == len(after)


# ------------------------------------------------------------------ lists of messages
def test_a_list_of_messages_of_a_models_interface(tmp_path: Path) -> None:
    data = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "name": "Mara",
            "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}, 5],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "find", "arguments": '{"q": 1}'}}],
        },
        {"role": "tool", "name": "find", "tool_call_id": "c", "content": "nothing"},
        "not a message",
        {
            "role": "assistant",
            "content": "Nothing found.",
            "tool_calls": [{"function": {"name": "f", "arguments": "{cut"}}],
        },
    ]
    found = items(tmp_path / "chat.json", data)
    assert detect(tmp_path / "chat.json") == "messages"
    assert [(item.message.role, item.message.speaker, item.message.content) for item in said(found)] == [
        ("system", None, "Be brief."),
        ("user", "Mara", "Look:\n[image]\n[attachment]"),
        ("assistant", None, ""),
        ("tool", None, "nothing"),
        ("assistant", None, "Nothing found."),
    ]
    assert [item.message.id for item in said(found)] == [
        "message-1",
        "message-2",
        "message-3",
        "message-4",
        "message-6",
    ]
    assert {item.thread for item in said(found)} == {"chat"}
    assert json.loads(said(found)[2].message.tool_calls or "") == [{"name": "find", "arguments": {"q": 1}}]
    assert json.loads(said(found)[4].message.tool_calls or "") == [{"name": "f", "arguments": "{cut"}]
    assert skipped(found) == [("message 5", "not_an_object")]


def test_several_conversations_in_one_file(tmp_path: Path) -> None:
    data = [
        {"id": "a", "title": "First", "messages": [{"content": "1"}]},
        {"messages": [{"content": "2"}]},
        {"messages": None},
        "x",
    ]
    found = items(tmp_path / "chats.json", data)
    assert [(item.thread, item.title, item.message.content) for item in said(found)] == [
        ("a", "First", "1"),
        ("chats-2", None, "2"),
    ]
    assert skipped(found) == [("conversation 3", "no_messages"), ("conversation 4", "no_messages")]
    [only] = said(items(tmp_path / "one.json", {"messages": [{"content": "1"}]}))
    assert only.thread == "one"


# ------------------------------------------------------------------ LoCoMo
SAMPLE = {
    "sample_id": "conv-1",
    "qa": [{"question": "?", "answer": "!"}],
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_10_date_time": "9:05 am on 2 June, 2023",
        "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Back again."}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {
                "speaker": "Ana",
                "dia_id": "D2:1",
                "text": "My new boat!",
                "img_url": ["http://x"],
                "blip_caption": "a photo of a boat",
            },
            {"speaker": "Ben", "dia_id": "D2:2", "text": "", "blip_caption": "a photo of an oar"},
            {"speaker": "Ana", "dia_id": "D2:3", "img_url": ["http://x"]},
            {"speaker": "Ana", "dia_id": "D2:4"},
            17,
        ],
        "session_3_date_time": "some day",
        "session_3": [{"speaker": "Ana", "text": "No id, no date."}],
        "session_4": None,
        "session_2_summary": "not read",
    },
}


def test_a_locomo_conversation(tmp_path: Path) -> None:
    found = items(tmp_path / "talks.json", [SAMPLE], zone=ZoneInfo("America/New_York"))
    assert detect(tmp_path / "talks.json") == "locomo"
    assert [
        (item.message.id, item.message.session, item.message.speaker, item.message.content) for item in said(found)
    ] == [
        ("D2:1", "session_2", "Ana", "My new boat! [shares a photo: a photo of a boat]"),
        ("D2:2", "session_2", "Ben", "[shares a photo: a photo of an oar]"),
        ("D2:3", "session_2", "Ana", "[shares a photo]"),
        ("session_3-1", "session_3", "Ana", "No id, no date."),
        ("D10:1", "session_10", "Ben", "Back again."),
    ]
    assert {item.thread for item in said(found)} == {"conv-1"}
    may, june = datetime(2023, 5, 8, 17, 56, tzinfo=UTC), datetime(2023, 6, 2, 13, 5, tzinfo=UTC)
    assert [item.message.sent_at for item in said(found)] == [may, may, may, may, june]
    assert skipped(found) == [
        ("conv-1, session_2, message 4", "empty"),
        ("conv-1, session_2, message 5", "empty"),
        ("conv-1, session_3", "bad_time"),
        ("conv-1, session_4", "no_messages"),
    ]


def test_other_shapes_of_a_locomo_file(tmp_path: Path) -> None:
    bare = {"session_1": [{"speaker": "Ana", "text": "Hi."}], "session_1_date_time": "1:56 pm on 8 May, 2023"}
    assert [item.thread for item in said(items(tmp_path / "bare.json", bare))] == ["bare"]
    assert [item.thread for item in said(items(tmp_path / "sample.json", SAMPLE))][:1] == ["conv-1"]
    found = items(tmp_path / "mixed.json", [{"conversation": bare}, {"conversation": 5}, "x", {"conversation": bare}])
    assert [item.thread for item in said(found)] == ["mixed-1", "mixed-4"]
    assert skipped(found) == [("sample 2", "no_messages"), ("sample 3", "no_messages")]


# ------------------------------------------------------------------ ChatGPT
def node(
    name: str, parent: str | None, role: str | None, *parts: Any, at: float | None = None, **message: Any
) -> dict[str, Any]:
    fields = {
        "id": name,
        "author": {"role": role},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
        **message,
    }
    return {"id": name, "parent": parent, "message": None if role is None else fields}


def tree(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {entry["id"]: entry for entry in nodes}


KETTLE = {
    "title": "Kettle",
    "create_time": 1700000000.25,
    "conversation_id": "c-1",
    "current_node": "n6",
    "mapping": tree(
        node("n0", None, None),
        node("n1", "n0", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
        node("n2", "n1", "user", "Which kettle did I pick?", at=1700000000.5),
        node("n3", "n2", "assistant", "The red one.", at=1700000010.0),
        node("n4", "n2", "assistant", "The blue one.", at=1700000020.0),
        node("n5", "n4", "tool", {"content_type": "image_asset_pointer", "asset_pointer": "file://x"}, "caption"),
        node("n6", "n5", "user", "Blue it is."),
    ),
}


def test_the_branch_shown_last_is_the_thread(tmp_path: Path) -> None:
    found = items(tmp_path / "conversations.json", [KETTLE])
    assert detect(tmp_path / "conversations.json") == "chatgpt"
    assert [
        (item.thread, item.title, item.message.id, item.message.role, item.message.content) for item in said(found)
    ] == [
        ("c-1", "Kettle", "n2", "user", "Which kettle did I pick?"),
        ("c-1", "Kettle", "n4", "assistant", "The blue one."),
        ("c-1", "Kettle", "n5", "tool", "[image]\ncaption"),
        ("c-1", "Kettle", "n6", "user", "Blue it is."),
    ]
    times = [item.message.sent_at for item in said(found)]
    assert times[0] == datetime(2023, 11, 14, 22, 13, 20, 500000, tzinfo=UTC)
    assert times[1:] == [datetime(2023, 11, 14, 22, 13, 40, tzinfo=UTC)] * 3
    assert skipped(found) == [("c-1, message n1", "hidden"), ("c-1", "other_branch")]


def test_damaged_conversations_do_not_lose_the_others(tmp_path: Path) -> None:
    loop = {"a": node("a", "b", "user", "round"), "b": node("b", "a", "assistant", "and round")}
    data = [
        {"title": "Broken", "conversation_id": "c-2", "mapping": None},
        {
            "conversation_id": "c-3",
            "current_node": "zz",
            "mapping": tree(node("q1", None, "user", "About hinges?", at=1700001000.0)),
        },
        {"conversation_id": "c-4", "current_node": None, "mapping": {}},
        {"conversation_id": "c-5", "current_node": "a", "mapping": loop},
        {"conversation_id": "c-6", "mapping": {"x": 5, "y": {"parent": ["x"], "message": "text"}}},
        7,
        KETTLE,
    ]
    found = items(tmp_path / "conversations.json", data)
    assert [(item.thread, item.message.id) for item in said(found)] == [
        ("c-3", "q1"), ("c-5", "b"), ("c-5", "a"), ("c-1", "n2"), ("c-1", "n4"), ("c-1", "n5"), ("c-1", "n6"),
    ]  # fmt: skip
    reported = skipped(found)
    assert ("c-2", "no_messages") in reported
    assert ("conversations-6", "no_messages") in reported
    assert ("c-6, message y", "not_an_object") in reported
    assert ("c-6", "not_an_object") in reported


def test_reasoning_is_left_out_and_words_to_a_tool_are_its_arguments(tmp_path: Path) -> None:
    mapping = tree(
        node("a", None, "user", "Draw it."),
        node("b", "a", "assistant", content={"content_type": "thoughts", "thoughts": ["hm"]}),
        node("c", "b", "assistant", recipient="python", content={"content_type": "code", "text": "plot(1)"}),
        node("d", "c", "assistant", "Done."),
    )
    found = items(tmp_path / "conversations.json", [{"id": "c", "current_node": "d", "mapping": mapping}])
    assert [item.message.content for item in said(found)] == ["Draw it.", "", "Done."]
    assert json.loads(said(found)[1].message.tool_calls or "") == [{"name": "python", "arguments": "plot(1)"}]
    assert skipped(found) == [("c, message b", "hidden")]


def test_a_zipped_export(tmp_path: Path) -> None:
    plain = written(tmp_path / "conversations.json", [KETTLE])
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(plain, "export/conversations.json")
        archive.writestr("export/user.json", "{}")
    assert detect(tmp_path / "export.zip") == "chatgpt"
    assert list(read(tmp_path / "export.zip", at=NOW)) == list(read(plain, at=NOW))


# ------------------------------------------------------------------ which form
@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a.jsonl", "", "jsonl"),
        ("a.ndjson", "{}", "jsonl"),
        ("a.json", '{"content": "one line"}', "jsonl"),
        ("a.txt", '{"content": "x"}\n{"content": "y"}\n', "jsonl"),
        ("a.json", '{broken\n{"content": "x"}\n', "jsonl"),
        ("a.json", "[]", "messages"),
        ("a.json", '\ufeff[{"role": "user", "content": "x"}]', "messages"),
        ("a.json", '{"messages": []}', "messages"),
        ("a.json", '[{"mapping": null}]', "chatgpt"),
        ("a.json", '{"session_1": []}', "locomo"),
    ],
)
def test_the_form_is_told_from_the_content(tmp_path: Path, name: str, content: str, form: str) -> None:
    assert detect(written(tmp_path / name, content)) == form


@pytest.mark.parametrize(
    "content", ["", "hello there", "{}", "5", "[1, 2]", '{"a": 1}', b"\x00\xff\xfe", b"PK\x03\x04zz", "[" * 100_000]
)
def test_other_files_are_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(InvalidInput):
        detect(written(tmp_path / "a.json", content))


def test_a_zip_file_without_conversations_and_a_missing_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("photo.txt", "x")
    with pytest.raises(InvalidInput):
        detect(tmp_path / "a.zip")
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(NotFound):
            read(missing)


KEYS = st.sampled_from([
    "content", "role", "messages", "mapping", "conversation", "session_1", "session_1_date_time", "parent", "message",
    "author", "current_node", "tools", "at", "id", "text", "submit", "a",
])  # fmt: skip
JSON_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["user", "a", "2026-05"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=JSON_VALUE)
def test_no_file_raises_anything_but_our_own_errors(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = written(tmp_path_factory.mktemp("any") / "a.json", data)
    try:
        found = list(read(path, at=NOW))
    except SgraphError:
        return
    assert all(item.message.id and item.thread for item in said(found))
