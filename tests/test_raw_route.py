"""The raw route: what a message says, what stands around it, who said it and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgraph.chronology import find
from sgraph.errors import InvalidInput
from sgraph.lexicon import Lexicon
from sgraph.recall.finder import Row
from sgraph.recall.raw import RawRoute
from sgraph.recall.raw_rows import MessageRows
from sgraph.recall.weights import FEATURES, SIGNALS
from sgraph.records.hits import Document
from tests.test_lexicon_scorer import Kept

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)  # a Monday
ASKED = datetime(2024, 9, 1, tzinfo=UTC)


def row(key: str, thread: str, session: str, speaker: str, sent_at: datetime, text: str) -> Row:
    return Row(key, thread, session, speaker, sent_at, text, tuple((s.start, s.end) for s in find(text, sent_at)))


def talk(text: str, thread: str = "t", day: int = 0, session: str = "1") -> list[Row]:
    """Read 'Speaker: words' lines as the messages of one session; they are keyed thread/session/place."""
    rows = []
    for place, line in enumerate(text.strip().splitlines()):
        speaker, _, words = line.strip().partition(": ")
        at = START + timedelta(days=day, minutes=place)
        rows.append(row(f"{thread}/{session}/{place}", thread, session, speaker, at, words))
    return rows


def opened(path: Path, rows: list[Row]) -> tuple[Lexicon, RawRoute]:
    lexicon = Lexicon(path, Kept())
    lexicon.add([Document(kind="message", key=row.key, seq=1, fields={"text": row.text}) for row in rows], 1)
    route = RawRoute(lexicon)
    route.add(rows)
    return lexicon, route


TALK = talk(
    """
    Ines: Good morning! How was the weekend?
    Omar: Quiet. I repaired the old kayak at last.
    Ines: What colour did you paint the kayak?
    Omar: A dark green, with a white line.
    Ines: Lovely. I baked bread and read a novel by the window.
    Omar: Which flour do you take for the bread?
    Ines: Rye, mostly.
    """
) + talk(
    """
    Omar: I sold the kayak yesterday.
    Ines: Oh no! Why?
    Omar: Because the shed is too small for it.
    Ines: I moved to the harbour flat on 9 March.
    Omar: How many rooms are there?
    Ines: Three, and a balcony.
    """,
    day=7,
    session="2",
)


def keys(route: RawRoute, question: str, **options: object) -> list[str]:
    return [hit.key for hit in route.search(question, 20, ASKED, **options)]


@pytest.fixture
def route(tmp_path: Path) -> RawRoute:
    return opened(tmp_path / "lexicon", TALK)[1]


def test_an_answer_is_found_by_the_question_before_it(route: RawRoute) -> None:
    assert "t/1/3" in keys(route, "What colour is Omar's kayak?")[:2]
    assert "t/1/6" in keys(route, "Which flour does Ines take for her bread?")[:2]
    assert "t/2/5" in keys(route, "How many rooms has the harbour flat of Ines?")[:2]


def test_without_neighbours_only_the_words_count(route: RawRoute) -> None:
    without = route.search("Which flour for the bread?", 20, ASKED, without={"neighbours"})
    assert without[0].key == "t/1/5"


def test_the_speaker_a_question_is_about_comes_first(tmp_path: Path) -> None:
    rows = talk("Ines: I like the lake.\nOmar: I like the lake.\nInes: Fine.\nOmar: Fine.")
    _, route = opened(tmp_path / "lexicon", rows)
    for name, place in (("Omar", 1), ("Ines", 0), ("omar's", 1)):
        assert keys(route, f"What does {name} like, the lake?")[0] == f"t/1/{place}"
    shares = route.search("Does Omar like the lake?", 1, ASKED)[0].shares
    assert shares["who"] > 0
    assert "who" not in route.search("Does Omar like the lake?", 1, ASKED, without={"who"})[0].shares


def test_a_date_in_the_question_meets_when_it_was_said_and_when_it_happened(route: RawRoute) -> None:
    assert keys(route, "What was sold on 11 March 2024?")[0] == "t/2/0"  # said then
    assert keys(route, "What was given away on 2024-03-10?")[0] == "t/2/0"  # "yesterday"
    assert keys(route, "Where did Ines move on 9 March 2024?")[0] == "t/2/3"
    assert set(keys(route, "Anything on 11 March 2024?")) == {row.key for row in TALK if row.session == "2"}


def test_the_cues_of_a_question_favour_the_kind_of_answer(route: RawRoute) -> None:
    assert keys(route, "Why did Omar sell the kayak?")[:2] == ["t/2/0", "t/2/2"]
    why = {hit.key: hit.shares for hit in route.search("Why did Omar sell the kayak?", 20, ASKED)}
    assert why["t/2/2"]["cues"] > 0
    assert "cues" not in why["t/2/0"]


def test_a_class_word_stands_for_its_members(tmp_path: Path) -> None:
    lines = "Ines: My violin is old.\nOmar: I see.\nInes: It rained.\nOmar: It did.\nInes: Now it is dry.\nOmar: Good."
    _, route = opened(tmp_path / "lexicon", talk(lines))
    assert keys(route, "Which instruments does Ines own?")[0] == "t/1/0"


def test_shares_sum_up_to_the_score_and_name_known_signals(route: RawRoute) -> None:
    hits = route.search("Why did Omar sell the kayak on 10 March 2024?", 20, ASKED)
    assert {name for hit in hits for name in hit.shares} <= set(SIGNALS)
    for hit in hits:
        assert sum(hit.shares.values()) == pytest.approx(hit.rank_score)
    assert [hit.rank_score for hit in hits] == sorted((hit.rank_score for hit in hits), reverse=True)


@pytest.mark.parametrize("signal", SIGNALS)
def test_each_signal_can_be_switched_off(route: RawRoute, signal: str) -> None:
    hits = route.search("How many rooms are there in the harbour flat of Ines?", 20, ASKED, without={signal})
    assert hits
    assert all(signal not in hit.shares for hit in hits)


def test_an_unknown_signal_is_refused(route: RawRoute) -> None:
    with pytest.raises(InvalidInput):
        route.search("kayak", 5, ASKED, without={"luck"})


@pytest.mark.parametrize(
    "question", ["", "  ", "the and of", "?!", "\u200b", "zebra crossing", "Does Omar like zebras?"]
)
def test_nothing_relevant_gives_nothing(tmp_path: Path, question: str) -> None:
    _, route = opened(tmp_path / "lexicon", TALK)
    assert keys(route, question) == []


def test_what_only_fits_a_talk_of_two_people_is_off_elsewhere(tmp_path: Path) -> None:
    pair = {feature.signal for feature in FEATURES if feature.pair}
    rows = [replace(row, speaker="") for row in TALK]
    _, route = opened(tmp_path / "roles", rows)
    hits = route.search("When did Omar say that the lake house kayak was sold?", 20, ASKED)
    assert hits
    assert "who" in pair
    assert all("who" not in hit.shares for hit in hits)
    crowd = [*TALK, *talk("Pia: Hello, a kayak!", session="3", day=8)]
    _, route = opened(tmp_path / "crowd", crowd)
    assert all("who" not in hit.shares for hit in route.search("Which kayak does Omar like?", 20, ASKED))


def test_the_form_of_a_talk_of_two_does_not_lift_it_over_other_threads(tmp_path: Path) -> None:
    line = "I think that we all really liked the kayak a lot"
    rows = [
        *talk(f"Ines: {line}\nOmar: Right.", thread="pair"),
        *talk(f"user: {line}\nassistant: Right.", thread="roles"),
    ]
    rows = [replace(r, speaker=r.speaker if r.thread == "pair" else "") for r in rows]
    _, route = opened(tmp_path / "lexicon", rows)
    form = {hit.key: hit.shares.get("form", 0.0) for hit in route.search("kayak", 20, ASKED)}
    assert form["roles/1/0"] == 0
    assert form["pair/1/0"] + form["pair/1/1"] == pytest.approx(0)


def test_filters_apply_before_the_limit(tmp_path: Path) -> None:
    rows = [row for number in range(300) for row in talk("Ines: green kayak\nOmar: fine", thread=f"t{number:03}")]
    rows += talk("Ines: a long story about many things and one kayak\nOmar: fine", thread="last")
    _, route = opened(tmp_path / "lexicon", rows)
    assert [hit.key for hit in route.search("green kayak", 1, ASKED, threads={"last"})] == ["last/1/0"]
    assert [hit.key for hit in route.search("green kayak", 1, ASKED, allow=lambda key: key == "last/1/0")] == [
        "last/1/0"
    ]
    assert route.search("green kayak", 1, ASKED, threads={"nowhere"}) == []


def test_a_hidden_message_neither_shows_nor_speaks_for_its_neighbours(tmp_path: Path) -> None:
    _, route = opened(tmp_path / "lexicon", talk("Ines: The password is heron.\nOmar: Thanks.\nInes: Bye."))
    assert set(keys(route, "heron password")) == {"t/1/0", "t/1/1", "t/1/2"}
    route.hide(["t/1/0"])
    assert keys(route, "heron password") == []
    route.unhide(["t/1/0"])
    assert keys(route, "heron password")[0] == "t/1/0"


def test_sessions_and_threads_are_not_neighbours(tmp_path: Path) -> None:
    rows = [*talk("Ines: the heron\nOmar: yes"), *talk("Ines: else", session="2"), *talk("Ines: other", thread="u")]
    _, route = opened(tmp_path / "lexicon", rows)
    assert set(keys(route, "heron")) == {"t/1/0", "t/1/1"}


def test_a_message_may_reach_the_lexicon_before_its_row(tmp_path: Path) -> None:
    lexicon, route = opened(tmp_path / "lexicon", TALK)
    late = talk("Ines: The heron is back.", session="9")
    lexicon.add([Document(kind="message", key=row.key, seq=2, fields={"text": row.text}) for row in late], 2)
    assert keys(route, "heron") == []
    route.add(late)
    assert keys(route, "heron") == ["t/9/0"]


lines = st.lists(
    st.tuples(
        st.sampled_from(["Ines", "Omar"]),
        st.lists(st.sampled_from(["kayak", "green", "lake", "sold", "why?"]), max_size=4),
    ),
    min_size=1,
    max_size=12,
)


@given(lines, st.sets(st.integers(0, 11)), st.sampled_from(["green kayak", "Why did Omar sell the kayak?", "lake"]))
@settings(max_examples=40, deadline=None)
def test_where_the_index_ends_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, spoken: list, commits: set[int], question: str
) -> None:
    rows = talk("\n".join(f"{speaker}: {' '.join(words)}" for speaker, words in spoken))
    _, whole = opened(tmp_path_factory.mktemp("whole"), rows)
    lexicon = Lexicon(tmp_path_factory.mktemp("split"), Kept())
    route = RawRoute(lexicon)
    for number, row in enumerate(rows):
        lexicon.add([Document(kind="message", key=row.key, seq=1, fields={"text": row.text})], 1 + number)
        route.add([row])
        route.search(question, 3, ASKED)
        if number in commits:
            lexicon.commit()
    assert route.search(question, 20, ASKED) == whole.search(question, 20, ASKED)


def test_saved_rows_take_up_where_they_left(tmp_path: Path) -> None:
    lexicon, whole = opened(tmp_path / "lexicon", TALK)
    half = RawRoute(lexicon)
    half.add(TALK[:5])
    half.hide([TALK[0].key])
    half.save(tmp_path / "rows", through=5)
    loaded = MessageRows.load(tmp_path / "rows")
    assert loaded is not None
    rows, through = loaded
    assert through == 5
    again = RawRoute(lexicon, rows)
    again.add(TALK)
    for question in ("Why did Omar sell the kayak on 10 March 2024?", "What colour is the kayak?"):
        assert again.search(question, 20, ASKED) == whole.search(question, 20, ASKED)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 not a zip", b"\x80\x04N."])
def test_rows_that_cannot_be_read_are_none(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "rows").write_bytes(content)
    assert MessageRows.load(tmp_path / "rows") is None
