"""The deterministic levels of a Block, and its decay."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgraph.blocks.decay import level, lift_target
from sgraph.blocks.levels import (
    REPEATED,
    RESULT_LIMIT,
    TOOL_TEXT_LIMIT,
    boundary,
    clip,
    estimate_tokens,
    l3,
    l4,
    raw,
    summarise_result,
)
from sgraph.errors import InvalidInput


@dataclass(frozen=True)
class Message:
    role: str
    content: str
    speaker: str | None = None
    tool_calls: Any = None


LONG = (
    "The harbour office confirmed that the crane is free on both days and that the permit covers the whole of the quay."
)


# ------------------------------------------------------------------ acknowledgements
def test_l3_drops_a_sentence_that_only_acknowledges_and_keeps_the_one_after_it() -> None:
    assert l3([Message("assistant", "Okay. I will order the oak boards.")]) == "Assistant: I will order the oak boards."
    assert l3([Message("assistant", "好的。我来订木板。")]) == "Assistant: 我来订木板。"
    assert "Okay" in l4([Message("assistant", "Okay. I will order the oak boards.")])


@pytest.mark.parametrize(
    "text", ["Thanks!", "ok", "Got it.", "THANK YOU!!", "  yes  ", "好的", "收到！", "嗯嗯。", "Sure. Thanks!"]
)
def test_l3_leaves_out_a_message_that_only_acknowledges(text: str) -> None:
    assert l3([Message("user", "Is the crane free?"), Message("user", text)]) == "User: Is the crane free?"


@pytest.mark.parametrize(
    "text",
    [
        "OK?",
        "Sure?",
        "yes.txt is missing",
        "Ok, then take the oak",
        "I hate coriander.",
        "not ok",
        "好的，我来做",
        "- yes",
        "Yesterday",
    ],
)
def test_l3_keeps_whatever_says_more(text: str) -> None:
    assert l3([Message("user", text)]) == f"User: {text}"


def test_code_and_tool_text_are_no_acknowledgement() -> None:
    fenced = "```yaml\nyes\nok\n```"
    assert fenced in l3([Message("user", fenced)])
    assert l3([Message("tool", "ok")]) == "Tool: ok"


def test_a_negation_stays_at_every_level() -> None:
    said = [Message("user", "Weekend deploys are allowed."), Message("user", "Weekend deploys are not allowed.")]
    for text in (raw(said), l4(said), l3(said)):
        assert "are allowed" in text
        assert "are not allowed" in text


# ------------------------------------------------------------------ repeats
def test_an_exact_repeat_of_a_long_paragraph_appears_once_in_l3_and_twice_in_l5() -> None:
    said = [Message("user", LONG), Message("assistant", f"You wrote:\n\n{LONG.upper()}")]
    assert l3(said) == f"User: {LONG}\nAssistant: You wrote:\n\n{REPEATED}"
    assert raw(said).lower().count(LONG.lower()) == 2
    assert l4(said).lower().count(LONG.lower()) == 2


def test_short_repeats_and_near_repeats_stay() -> None:
    said = [
        Message("user", "Take the oak."),
        Message("user", "Take the oak."),
        Message("user", LONG),
        Message("user", LONG + " Not!"),
    ]
    assert l3(said) == l4(said)


def test_repeated_code_is_left_out_even_when_it_is_short() -> None:
    fenced = "```py\nprice = 3\nprint(price)\n```"
    bare = "const a = 1;\nconst b = 2;\nsum(a, b);"
    for code in (fenced, bare):
        text = l3([Message("user", code), Message("assistant", f"Run:\n\n{code}")])
        assert text.count(code) == 1
        assert text.endswith(REPEATED)


def test_an_unclosed_fence_runs_to_the_end() -> None:
    text = "```\nok\n\nyes"
    assert l3([Message("user", text)]) == f"User: {text}"


# ------------------------------------------------------------------ tools
CALL = {"name": "scan", "arguments": {"token": "s3cret"}, "result": {"hosts": [1, 2, 3], "arguments": [1]}}


@pytest.mark.parametrize("calls", [[CALL], json.dumps([CALL]), json.dumps(CALL)])
def test_l3_and_l4_show_the_name_and_the_result_but_never_the_arguments(calls: Any) -> None:
    said = [Message("assistant", "Scanned.", tool_calls=calls), Message("tool", json.dumps(CALL))]
    for text in (l4(said), l3(said)):
        assert "[tool] scan: hosts: 3" in text
        assert "Tool: scan: hosts: 3" in text
        assert "s3cret" not in text
    assert raw(said).count("s3cret") == 2


@pytest.mark.parametrize(
    ("result", "summary"),
    [
        ("  two\n words ", "two words"),
        ('{"error": "no such host", "summary": "x"}', "failed: no such host"),
        ({"summary": "fine", "message": "x"}, "fine"),
        ({"message": "sent"}, "sent"),
        ({"rows": [1, 2], "input": [1], "other": "x"}, "rows: 2"),
        ({"ok": True}, "ok"),
        ({"ok": False}, "not ok"),
        ({"a": {"b": 1}}, "structured result"),
        (42, "42"),
        (True, "true"),
        ([1, 2, 3], "3 items"),
    ],
)
def test_result_summaries(result: Any, summary: str) -> None:
    assert summarise_result(result) == summary


def test_long_results_are_bounded() -> None:
    for result in ("word " * 100_000, {"error": "e" * 10_000}, {"summary": ["x"] * 10_000}, {"k" * 10_000: [1]}):
        assert len(summarise_result(result)) <= RESULT_LIMIT


def test_a_large_tool_text_is_cut_with_a_mark_and_whole_in_l5() -> None:
    text = "".join(f'{{"host":"10.0.0.{i}","port":22}}\n' for i in range(30_000))
    said = [Message("user", "Run the scan."), Message("tool", text), Message("assistant", "Only port 8080 is open.")]
    assert text in raw(said)
    for cut in (l4(said), l3(said)):
        assert len(cut) < TOOL_TEXT_LIMIT + 200
        assert f"cut: {len(text)} characters in L5" in cut
        assert "10.0.0.0" in cut
        assert "10.0.0.29999" in cut
        assert "Run the scan." in cut
        assert "Only port 8080 is open." in cut


@pytest.mark.parametrize("unit", ["👍🏽", "é", "👩‍👩‍👧", "🇨🇭", "\ud83d\ude00", "नि"])
def test_a_cut_never_falls_inside_a_visible_character(unit: str) -> None:
    text = unit * 2_000
    for limit in range(20, 60):
        kept = clip(text, limit)
        assert len(kept) <= limit
        assert kept.endswith("...")
        assert len(kept[:-3]) % len(unit) == 0
    cut = l4([Message("tool", text)])
    head, _, tail = cut.removeprefix("Tool: ").partition("\n[")
    assert len(head) % len(unit) == 0
    assert len(tail.partition("]\n")[2]) % len(unit) == 0


def test_a_pile_of_marks_is_cut_all_the_same() -> None:
    assert len(clip("e" + "\u0301" * 10_000, 100)) <= 100
    assert 0 <= boundary("\u0301" * 10, 5) <= 5


def test_system_messages_stay_in_l5_only() -> None:
    said = [Message("system", "Be brief."), Message("user", "Hello there.")]
    assert raw(said) == "System: Be brief.\nUser: Hello there."
    assert l4(said) == l3(said) == "User: Hello there."


def test_named_speakers_are_named() -> None:
    assert l4([Message("user", "Hi there.", speaker="Mara")]) == "Mara: Hi there."


# ------------------------------------------------------------------ any text at all
@pytest.mark.parametrize(
    "content",
    [
        "",
        "\x00",
        "W\x00s\x00l\x00: valve",
        "cut \ud83d",
        "\udcff\udcfe bytes",
        "\u200b",
        "[" * 200_000,
        "```",
        "\n\n\n",
        "{" * 9,
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system", "odd"])
def test_no_text_is_too_odd(role: str, content: str) -> None:
    said = [Message(role, content, tool_calls=content)]
    assert estimate_tokens(l3(said)) <= estimate_tokens(l4(said)) <= estimate_tokens(raw(said))


@pytest.mark.parametrize(
    "unit",
    [
        "ok\n",
        "\n",
        " ",
        "```\n",
        "aé",
        '"',
        "好。",
        ". ",
        "\n      ",
        "x = 1\n",
        f"{LONG}\n\n",
        "\t",
        "(ok ",
        "![](",
        "\\u65e5a",
    ],
)
def test_megabytes_of_anything_are_rendered(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    for role in ("user", "tool"):
        said = [Message(role, text)]
        assert len(l3(said)) <= len(l4(said)) <= len(raw(said))


WORDS = st.sampled_from(
    [
        "Okay.",
        "好的。",
        "Thanks!",
        LONG,
        "é",
        "日a" * 9,
        "```\nx = 1\n```",
        "\n\n",
        "\n",
        " ",
        "no",
        "\ud83d",
        "?",
        "1/2",
    ]
)
TEXT = st.lists(WORDS | st.text(max_size=12), max_size=8).map("".join)
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "ok", "summary", "rows", "é"]), inner, max_size=3)
    ),
    max_leaves=6,
)
CALLS = st.lists(
    st.dictionaries(st.sampled_from(["name", "arguments", "result"]), JSON_VALUE, max_size=3) | JSON_VALUE, max_size=3
)
MESSAGES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        content=TEXT | CALLS.map(json.dumps),
        speaker=st.none() | st.just("Mara"),
        tool_calls=st.none() | CALLS | CALLS.map(json.dumps),
    ),
    max_size=6,
)


QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUIET
@given(MESSAGES)
def test_a_level_never_costs_more_than_the_one_below_it(said: list[Message]) -> None:
    levels = [l3(said), l4(said), raw(said)]
    assert estimate_tokens(levels[0]) <= estimate_tokens(levels[1]) <= estimate_tokens(levels[2])
    assert len(levels[0]) <= len(levels[1]) <= len(levels[2])


@QUIET
@given(MESSAGES)
def test_levels_are_deterministic(said: list[Message]) -> None:
    assert l3(said) == l3(list(said))


@QUIET
@given(st.text())
def test_the_estimate_counts_runs_of_ascii_in_quarters_and_the_rest_singly(text: str) -> None:
    expected, run = 0, 0
    for char in [*text, "é"]:
        if char.isascii():
            run += 1
        else:
            expected += -(-run // 4) + 1
            run = 0
    assert estimate_tokens(text) == expected - 1


@QUIET
@given(st.text(max_size=60), st.integers(0, 70))
def test_a_boundary_is_at_or_before_the_place_asked_for(text: str, index: int) -> None:
    index = min(index, len(text))
    place = boundary(text, index)
    assert 0 <= place <= index
    if 0 < place < len(text) and index - place < 32:
        assert unicodedata.category(text[place]) not in ("Mn", "Me", "Mc")


# ------------------------------------------------------------------ decay
def test_levels_by_age_at_the_default_rate() -> None:
    assert [level(age) for age in range(10)] == [5, 5, 4, 3, 3, 2, 2, 1, 1, 0]
    assert [level(age, lam=0.4) for age in range(8)] == [5, 4, 3, 3, 2, 1, 1, 0]
    assert [level(age, lam=0.1) for age in (0, 3, 4, 6, 7, 12)] == [5, 5, 4, 4, 3, 3]
    assert level(10_000) == 0
    assert level(10_000, lam=0) == 5
    assert level(-3) == 5


def test_a_lifted_block_sinks_again_from_where_it_was_lifted_to() -> None:
    assert [level(age, anchor_level=3) for age in range(6)] == [3, 3, 2, 1, 1, 0]
    assert level(9, anchor_level=0) == 0


@pytest.mark.parametrize(
    "arguments", [{"lam": -1}, {"lam": float("nan")}, {"lam": float("inf")}, {"anchor_level": 6}, {"anchor_level": -1}]
)
def test_impossible_decay_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        level(1, **arguments)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (None, 3), ("next", 3), ("+1", 3), ("deeper", 3), ("", 3), (True, 3), (float("nan"), 3),
        ("raw", 5), ("RAW", 5), ("L5", 5), (5, 5), (9, 5), ("L9", 5), (float("inf"), 5),
        ("l0", 0), (0, 0), (-4, 0), (float("-inf"), 0), ("L3", 3), ("4", 4), (2.6, 3),
    ],
)  # fmt: skip
def test_what_a_lift_asks_for(target: Any, expected: int) -> None:
    assert lift_target(2, target) == expected


def test_a_lift_never_goes_past_the_deepest_level() -> None:
    assert lift_target(5, "next") == 5
