"""BM25F against a plain reading of its formula, and the law that where a document lies changes no score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgraph import analysis
from sgraph.lexicon import FIELDS, Lexicon
from sgraph.lexicon.fields import K1
from sgraph.records.hits import Document

WORDS = ["car", "bus", "home", "river", "blue", "green", "quiet", "painting", "lake", "train"]


class Kept:
    """Digests in memory."""

    def __init__(self) -> None:
        self.digests: Mapping[str, str] = {}

    def get(self) -> Mapping[str, str]:
        return self.digests

    def set(self, digests: Mapping[str, str]) -> None:
        self.digests = dict(digests)


def words_of(value: str | tuple[str, ...]) -> list[str]:
    return (
        analysis.terms(value) if isinstance(value, str) else [term for text in value for term in analysis.terms(text)]
    )


def brute_force(kind: str, documents: list[Document], terms: list[str]) -> dict[str, float]:
    """BM25F as it is written down, document by document."""
    texts = [
        {field.name: words_of(document.fields.get(field.name, ())) for field in FIELDS[kind]} for document in documents
    ]
    mean = {field.name: sum(len(text[field.name]) for text in texts) / len(texts) for field in FIELDS[kind]}
    scores = {}
    for document, text in zip(documents, texts, strict=True):
        total = 0.0
        for term in dict.fromkeys(terms):
            df = sum(any(term in words for words in other.values()) for other in texts)
            weight = sum(
                field.weight
                * text[field.name].count(term)
                / (1 - field.b + field.b * len(text[field.name]) / mean[field.name])
                for field in FIELDS[kind]
                if term in text[field.name]
            )
            total += math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) * (K1 + 1) * weight / (K1 + weight)
        if total > 0:
            scores[document.key] = total
    return scores


sentence = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
event = st.fixed_dictionaries(
    {"title": sentence, "summary": sentence, "tags": st.lists(sentence, max_size=3).map(tuple)}
)


@given(st.lists(event, min_size=1, max_size=12), st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_scores_are_those_of_the_formula(
    tmp_path_factory: pytest.TempPathFactory, texts: list, words: list[str]
) -> None:
    documents = [Document(kind="event", key=f"e{n:02}", seq=n, fields=fields) for n, fields in enumerate(texts)]
    terms = list(analysis.query_terms(" ".join(words)).terms)
    lexicon = Lexicon(tmp_path_factory.mktemp("index"), Kept())
    lexicon.add(documents, through=len(documents))
    hits = lexicon.search("event", terms, limit=50)
    expected = brute_force("event", documents, terms)
    assert {hit.key: hit.rank_score for hit in hits} == pytest.approx(expected)
    ranked = [(-hit.rank_score, -hit.seq, hit.key) for hit in hits]
    assert ranked == sorted(ranked)


step = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 9), sentence),
    st.tuples(st.just("remove"), st.integers(0, 9), st.just("")),
    st.tuples(st.just("commit"), st.just(0), st.just("")),
    st.tuples(st.just("reopen"), st.just(0), st.just("")),
)


@given(st.lists(step, max_size=25), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.integers(1, 5))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_split_into_index_and_tail_changes_order_or_score(
    tmp_path_factory: pytest.TempPathFactory, steps: list, words: list[str], limit: int
) -> None:
    path, digests = tmp_path_factory.mktemp("index"), Kept()
    split, whole = Lexicon(path, digests), Lexicon(tmp_path_factory.mktemp("whole"), Kept())
    terms = analysis.query_terms(" ".join(words)).terms
    for seq, (what, number, text) in enumerate(steps, start=1):
        if what == "commit":
            split.commit()
        elif what == "reopen":
            split.commit()
            split.close()
            split = Lexicon(path, digests)
        else:
            for lexicon in (split, whole):
                if what == "add":
                    document = Document(kind="message", key=f"m{number}", seq=seq, fields={"text": text})
                    lexicon.add([document], through=seq)
                else:
                    lexicon.remove("message", [f"m{number}"], through=seq)
        assert split.search("message", terms, limit) == whole.search("message", terms, limit)
    assert split.count("message") == whole.count("message")


def test_the_same_score_is_ordered_by_newest_then_key(tmp_path: Path) -> None:
    lexicon = Lexicon(tmp_path, Kept())
    lexicon.add(
        [
            Document(kind="message", key=key, seq=seq, fields={"text": "car"})
            for key, seq in (("b3", 3), ("a3", 3), ("z9", 9))
        ],
        9,
    )
    assert [hit.key for hit in lexicon.search("message", ["car"], 3)] == ["z9", "a3", "b3"]
    assert [hit.key for hit in lexicon.search("message", ["car"], 2)] == ["z9", "a3"]


def test_a_word_in_very_many_documents_is_left_to_the_rarer_ones(tmp_path: Path) -> None:
    lexicon = Lexicon(tmp_path, Kept())
    texts = ["green car" if number == 7 else "green lake" for number in range(1100)]
    lexicon.add([Document(kind="message", key=str(n), seq=n, fields={"text": text}) for n, text in enumerate(texts)], 1)
    assert [hit.key for hit in lexicon.search("message", ["green", "car"], 5)] == ["7"]
    assert len(lexicon.search("message", ["green"], 5)) == 5
