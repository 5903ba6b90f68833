"""The built-in rules: what plain words assert, and what they do not."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgraph.derive.rules import read, shapes, shapes_zh
from sgraph.records.claim import Claim, Context, SaidMessage
from sgraph.records.vocabulary import key_of, predicate

DATA = Path(__file__).parent / "data"
SAID_AT = datetime(2026, 5, 11, 10, 0, tzinfo=UTC)


def say(text: str, *, speaker: str | None = "Mara", role: str = "user", at: datetime = SAID_AT) -> list[Claim]:
    message = SaidMessage(key="t/1", role=role, speaker=speaker, content=text, sent_at=at, thread="t")
    return read(message, Context(self_name="user"))


def facts(text: str, **more: str) -> list[tuple[str, str | None, str | None, bool]]:
    return [(c.subject.name, c.key, c.value, c.negated) for c in say(text, **more)]  # type: ignore[arg-type]


# ------------------------------------------------------------------ the table
ROWS = [(shape.name, example) for shape in (*shapes.SHAPES, *shapes_zh.SHAPES) for example in shape.examples]


@pytest.mark.parametrize(("name", "example"), ROWS)
def test_every_example_of_the_table_is_read_as_its_row(name: str, example: str) -> None:
    assert name in {claim.shape for claim in say(example)}


@pytest.mark.parametrize("name", ["claims_en", "claims_zh"])
@pytest.mark.parametrize("half", ["dev", "held"])
def test_labelled_sentences(name: str, half: str) -> None:
    def plain(text: str | None) -> str:
        return (text or "").casefold().removeprefix("the ").removeprefix("a ").removeprefix("an ")

    right = claimed = gold = 0
    for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] != half:
            continue
        claims = say(row["text"])
        found = Counter(
            (plain(c.subject.name), c.key, plain(c.value) if c.key else "", c.negated, c.status) for c in claims
        )
        wanted = Counter(
            (plain(g["subject"]), g["key"], plain(g["value"]) if g["key"] else "", g["negated"], g["status"])
            for g in row["gold"]
        )
        right, claimed, gold = right + (found & wanted).total(), claimed + found.total(), gold + wanted.total()
    assert right / claimed >= 0.95
    assert right / gold >= 0.9


# ------------------------------------------------------------------ what every claim keeps
WORDS = (
    "I we my Nora Ivo not never 't don't like use moved to from at the and , . ? ! if was is have sold told said "
    "yesterday May 3 it's \" ' ( ) ``` - : 我 喜欢 不 了 在 昨天 , 。 \u200b \x00 \ud83d"
)
ANYTHING = st.text(max_size=200) | st.lists(
    st.sampled_from(WORDS.split(" ")),
    max_size=25,
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_any_text_is_read_without_error_and_quotes_are_exact(text: str) -> None:
    for claim in say(text):
        assert claim.quote == text[claim.start : claim.end]
        assert claim.summary
        assert len(claim.title) <= 80


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I hate coriander.", "hate"),
        ("I don't like loud restaurants.", "n't"),
        ("I won't renew the lease.", "won't"),
        ("I no longer work at Lumen Labs.", "no longer"),
        ("I've never been to Japan.", "never"),
        ("We haven't decided on a database.", "n't"),
        ("我不喜欢香菜。", "不"),
    ],
)
def test_negation_is_never_lost(text: str, word: str) -> None:
    (claim,) = say(text)
    assert word in claim.summary
    assert claim.negated or claim.key == "dislikes"


def test_the_second_of_two_verbs_keeps_its_own_negation() -> None:
    assert facts("I like tea and never drink coffee.") == [
        ("Mara", "likes", "tea", False),
        ("Mara", "drinks", "coffee", True),
    ]
    assert facts("Nora knows Petra and doesn't speak Finnish.")[1] == ("Nora", "speaks", "Finnish", True)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("I prefer tea.", "Mara prefers tea"),
        ("I'm learning Welsh.", "Mara is learning Welsh"),
        ("I've sold my car.", "Mara has sold their car"),
        ("Last Friday we met my aunt.", "Last Friday Mara and others met their aunt"),
        ("Just finished the draft!", "Mara just finished the draft"),
        ("Nora also knows Petra and speaks Finnish.", "Nora speaks Finnish"),
    ],
)
def test_summaries_are_the_words_in_the_third_person(text: str, summary: str) -> None:
    assert summary in [claim.summary for claim in say(text)]


def test_a_user_without_a_name_is_called_by_the_name_of_the_context() -> None:
    (claim,) = say("I prefer tabs.", speaker=None)
    assert claim.subject == claim.speaker
    assert claim.summary == "user prefers tabs" or claim.summary == "User prefers tabs"


# ------------------------------------------------------------------ who said it, of whom
def test_hearsay_names_its_reporter_and_its_subject() -> None:
    (claim,) = say("Tess told me Bram sold his boat. I have not checked.", speaker="Lio")
    assert (claim.subject.name, claim.key, claim.value, claim.negated) == ("Bram", "owns", "his boat", True)
    assert claim.reporter is not None
    assert (claim.reporter.name, claim.speaker.name) == ("Tess", "Lio")


def test_a_retold_claim_still_has_its_reporter() -> None:
    (claim,) = say("Earlier I said Tess claims Bram sold his boat.", speaker="Lio")
    assert claim.subject.name == "Bram"
    assert claim.reporter is not None
    assert claim.reporter.name == "Tess"


def test_a_wrong_report_is_corrected() -> None:
    (claim,) = say("Tess was wrong, Bram still has the boat.", speaker="Lio")
    assert (claim.subject.name, claim.key, claim.negated, claim.change) == ("Bram", "owns", False, "correction")
    assert claim.reporter is None


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_assistants_and_tools_state_nothing_about_the_user(role: str) -> None:
    text = "I would use recursion. I prefer merge sort. You could also move to Lisbon, just kidding. I sold the car."
    assert say(text, role=role, speaker=None) == []


def test_pronouns_mean_the_person_just_named_and_else_nobody() -> None:
    assert facts("My sister is called Ana. She lives in Porto.")[1:] == [("Ana", "lives_in", "Porto", False)]
    assert facts("He lives in Cork.") == []


def test_two_subjects_and_several_values_are_separate_claims() -> None:
    assert facts("Ivo and Petra live in Vell.") == [
        ("Ivo", "lives_in", "Vell", False),
        ("Petra", "lives_in", "Vell", False),
    ]
    assert [value for _, _, value, _ in facts("I speak Danish and some Dutch.")] == ["Danish", "Dutch"]


def test_a_change_says_what_it_ends() -> None:
    assert facts("We moved from Turku to Tampere.") == [
        ("Mara", "lives_in", "Tampere", False),
        ("Mara", "lives_in", "Turku", True),
    ]


# ------------------------------------------------------------------ what is no statement
@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Rome?", "I live in Rome, right?", "What if I lived in Rome", "If I live in Rome, I use vim.",
        "I might move to Rome.", "I wish I had a boat.", "Maybe we use Redis.", "I think Ivo lives in Ghent.",
        '"I love Rome", said Ivo.', "He wrote: 'I hate dogs'", "For example, I live in Rome.", "I live in Rome. jk",
        "I just LOVE meetings /s", "In my novel, Clara works at a mill.", "My character lives in Rome and hates dogs.",
        "Once upon a time a girl named Ida lived in a mill. She owned a cat.", "It's not true that I live in Rome.",
        "You said I live in Rome.", "Everyone says I hate dogs.", "Use Postgres for the database.", "Run the tests.",
        "Please don't use emojis.", "Tell them I decided to leave.", "Translate into French: I love my dog.",
        "Fix the grammar:\nI has a dog named Rex.", "# I use Redis here", "// we decided to use MySQL",
        "```\nI use Redis\n```", '{"note": "I use Redis"}', "> I live in Rome", "Thanks, that sounds great!",
        "Hey Mel! Good to see you!",
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: user age 99 not allowed',
        "2026-01-01 10:00:00 ERROR user moved to Rome", "As a user, I want to log in.", "I was going to buy a bike.",
        "你住在哪里?", "如果我搬到柏林,我就用 Zed。", "他说:“我爱香菜”。", "我搬到月球了,开玩笑的。",
        "在我的小说里,克拉拉住在灯塔里。",
    ],
)  # fmt: skip
def test_what_asserts_nothing_gives_nothing(text: str) -> None:
    assert say(text) == []


def test_what_stands_before_a_question_is_kept() -> None:
    assert facts("I live in Rome, where do you live?") == [("Mara", "lives_in", "Rome", False)]


# ------------------------------------------------------------------ plans, cancellations, corrections, times
def test_a_plan_its_cancellation_and_its_move() -> None:
    (plan,) = say("I will visit the quarry on May 20.", at=datetime(2026, 5, 1, 10, tzinfo=UTC))
    assert (plan.status, plan.event_type) == ("planned", "plan")
    assert plan.time is not None
    assert plan.time.start.date().isoformat() == "2026-05-20"
    (off,) = say("The quarry visit is off.")
    assert (off.status, off.change, off.subject.name) == ("cancelled", "cancellation", "quarry visit")
    (moved,) = say("The dentist on May 28 is moved to June 4.")
    assert (moved.status, moved.change, moved.subject.name, moved.value) == ("planned", "move", "dentist", "June 4")
    assert moved.time is not None
    assert moved.time.start.date().isoformat() == "2026-06-04"
    (built,) = say("The shelf is built.")
    assert (built.status, built.change) == ("occurred", "completion")


def test_what_is_not_done_changes_nothing() -> None:
    changes = {"cancellation", "move", "completion"}
    for text in ("The trip is not cancelled.", "The migration is not done.", "We haven't decided on a database."):
        assert not {claim.change for claim in say(text)} & changes
        assert "decision" not in {claim.shape for claim in say(text)}


def test_the_attribute_of_a_thing_is_changed() -> None:
    assert ("guest Wi-Fi", "password", "heron-blue", False) in facts("The guest Wi-Fi password is heron-blue.")
    found = say("We changed the guest Wi-Fi password, it is now otter-green.")[-1]
    assert (found.subject.name, found.key, found.value) == ("guest Wi-Fi", "password", "otter-green")
    assert found.change == "change"


def test_times_come_from_the_message_and_point_into_it() -> None:
    text = "Hey! I went to the gym yesterday."
    (claim,) = say(text, at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC))
    assert claim.time is not None
    assert claim.time.start.date().isoformat() == "2023-05-07"
    assert text[slice(*claim.time.span)] == claim.time.text


def test_a_time_named_just_before_belongs_to_what_is_told_of_it() -> None:
    found = say("Something exciting happened last Friday. I went to a convention.")
    assert [claim.time.text for claim in found if claim.time] == ["last Friday", "last Friday"]


# ------------------------------------------------------------------ the vocabulary
def test_only_keys_that_say_so_hold_one_value() -> None:
    assert predicate("lives_in").cardinality == "one"
    assert predicate("favourite_colour").cardinality == "one"
    assert predicate("knows").cardinality == predicate("a key nobody knows").cardinality == "many"
    assert predicate("lives_in").is_relation
    assert not predicate("email").is_relation


def test_words_of_both_languages_lead_to_one_key() -> None:
    assert key_of("数据库") == key_of("DB") == key_of("database") == "database"
