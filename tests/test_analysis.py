"""Text to terms: every script, identifiers, function words, and text made to hurt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgraph import analysis
from sgraph.analysis import QUERY_LIMIT, TERM_LIMIT, query_terms, terms


def finds(question: str, text: str) -> bool:
    """Whether a question has a term in common with a text."""
    return bool(set(query_terms(question).terms) & set(terms(text)))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("running", "She runs every day"),
        ("went to the store", "We go there"),
        ("children", "my child"),
        ("café", "the CAFE"),
        ("Strasse", "Straße"),
        ("ＧＰＵ", "a gpu"),
        ("GPU", "use the GPU节点 for training"),
        ("节点", "use the GPU节点 for training"),
        ("server", "ser\u200bver"),
        ("server", "ser\u00adver"),
        ("C++", "written in C++."),
        ("C#", "(C#)"),
        ("rm -rf", "run rm -rf /"),
        ("user_id", "the userId column"),
        ("getUserName", "call get_user_name()"),
        ("1200", "it cost 1,200 euros"),
        ("v2.7.4", "pinned to 2.7.4"),
        ("10.0.0.20999", '{"host":"10.0.0.20999"}'),
        ("PX-4410", "part px4410"),
        ("O'Brien", "met O’Brien"),
        ("dogs'", "the dog's bowl"),
        ("迁移", "周五把备份脚本迁移到新服务器"),
        ("猫", "我喜欢猫和狗"),
        ("会議", "来週の会議は大阪で開かれます"),
        ("サーバー", "新しいサーバーを買った"),
        ("ｻｰﾊﾞｰ", "新しいサーバーを買った"),
        ("회의", "회의는 부산에서 열립니다"),
        ("สำรองข้อมูล", "ย้ายเครื่องสำรองข้อมูลไปห้องใหม่"),
        ("الخَادِم", "نقلنا الخادم إلى الغرفة الجديدة"),
        ("خادم", "نقلنا الخادم إلى الغرفة الجديدة"),
        ("שרת", "העברנו את השרת לחדר החדש"),
        ("городами", "в городе"),
        ("हिन्दी", "मुझे हिन्दी आती है"),
        ("Will", "Then Will came"),
        ("🎉", "done 🎉"),
    ],
)
def test_a_question_meets_the_text(question: str, text: str) -> None:
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("C", "written in C++ and C#"),
        ("打印机", "周五把备份脚本迁移到新服务器"),
        ("東京", "来週の会議は大阪で開かれます"),
        ("猫はどこにいますか", "来週の会議は大阪で開かれます"),
        ("서울", "회의는 부산에서 열립니다"),
        ("แมว", "ย้ายเครื่องสำรองข้อมูลไปห้องใหม่"),
        ("รถยนต์สีแดง", "ย้ายเครื่องสำรองข้อมูลไปห้องใหม่"),
        ("طابعة", "نقلنا الخادم إلى الغرفة الجديدة"),
        ("art", "start of the party"),
    ],
)
def test_a_question_does_not_meet_other_text(question: str, text: str) -> None:
    assert not finds(question, text)


@pytest.mark.parametrize(
    "question", ["", "   ", "the and of", "THE AND OF", "...?!", "\u200b", "*", "*:*", "?!", "\x00", "\ud83d", "的 吗"]
)
def test_a_question_without_usable_terms_has_none(question: str) -> None:
    assert query_terms(question).terms == ()


def test_nothing_in_a_question_is_an_operator() -> None:
    assert query_terms('NOT rollback AND (release^9 OR "blue~') == query_terms("not rollback and release 9 or blue")


def test_a_long_question_keeps_its_two_ends_and_says_what_was_cut() -> None:
    asked = query_terms(" ".join(f"lorem{number}" for number in range(1500)) + " needle")
    assert len(asked.terms) == QUERY_LIMIT
    assert asked.terms[0] == "lorem0"
    assert asked.terms[-1] == "needl"
    assert asked.cut == 1501 - QUERY_LIMIT


@pytest.mark.parametrize("text", ["needle " * 20_000, "(" * 5000 + "needle" + ")" * 5000, "NOT " * 500 + "needle"])
def test_repeats_and_signs_cost_nothing(text: str) -> None:
    assert query_terms(text).terms == ("needl",)
    assert query_terms(text).cut == 0


def test_the_far_end_of_a_large_text_is_read() -> None:
    lines = "".join(f'{{"host":"10.0.0.{number}","port":22}}\n' for number in range(30_000))
    assert "10.0.0.29999" in terms(lines)
    assert "10.0.0.29999" in terms("x" * (2 * analysis.TEXT_LIMIT) + lines)


@pytest.mark.parametrize("text", ["a" * 100_000, "aB1" * 50_000, "a-" * 50_000, "1." * 50_000, "\u0301" * 10_000])
def test_very_long_tokens_are_bounded(text: str) -> None:
    assert all(len(term) <= TERM_LIMIT for term in terms(text))
    assert len(terms(text)) < 50


@given(st.text(max_size=200))
def test_any_text_meets_itself(text: str) -> None:
    indexed = terms(text)
    assert set(query_terms(text).terms) <= set(indexed)
    assert all(term and len(term) <= TERM_LIMIT and not term.isspace() for term in indexed)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_case_and_form_make_no_difference_to_plain_words(word: str) -> None:
    assert analysis.fold(analysis.clean(word)) == analysis.fold(analysis.clean(analysis.fold(analysis.clean(word))))
