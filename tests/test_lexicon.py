"""The lexicon as its users see it: finding, hiding, committing, rebuilding, and refusing what it did not write."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from sgraph import analysis
from sgraph.errors import EngineError, InvalidInput
from sgraph.lexicon import Lexicon
from sgraph.records.hits import Document


class Kept:
    """Digests in a file, as another process sees them too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self) -> Mapping[str, str]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def set(self, digests: Mapping[str, str]) -> None:
        self.path.write_text(json.dumps(dict(digests)))


@pytest.fixture
def opened(tmp_path: Path):
    """Open the lexicon of this test; called again, open it anew."""
    lexicons: list[Lexicon] = []

    def open_it(**options: bool) -> Lexicon:
        lexicons.append(Lexicon(tmp_path / "lexicon", Kept(tmp_path / "digests.json"), **options))
        return lexicons[-1]

    yield open_it
    for lexicon in lexicons:
        lexicon.close()


def message(key: str, text: str, seq: int = 1) -> Document:
    return Document(kind="message", key=key, seq=seq, fields={"text": text}, stored={"text": text})


def keys(lexicon: Lexicon, question: str, limit: int = 10) -> list[str]:
    return [hit.key for hit in lexicon.search("message", analysis.query_terms(question).terms, limit)]


SCRIPTS = {
    "zh": "周五把备份脚本迁移到新服务器",
    "ja": "来週の会議は大阪で開かれます",
    "ko": "회의는 부산에서 열립니다",
    "th": "ย้ายเครื่องสำรองข้อมูลไปห้องใหม่",
    "ar": "نقلنا الخادم إلى الغرفة الجديدة",
    "he": "העברנו את השרת לחדר החדש",
    "mix": "use the GPU节点 for training",
}


@pytest.mark.parametrize("committed", [False, True])
def test_every_script_is_found_and_nothing_else(opened, committed: bool) -> None:  # B25
    lexicon = opened()
    lexicon.add([message(key, text) for key, text in SCRIPTS.items()], 1)
    if committed:
        lexicon.commit()
    wanted = (
        "备份脚本 zh 迁移 zh 服务器 zh 会議 ja 大阪 ja 회의 ko 부산 ko สำรองข้อมูล th "
        "الخادم ar الخَادِم ar השרת he 节点 mix GPU mix"
    )
    pairs = wanted.split()
    for question, key in zip(pairs[::2], pairs[1::2], strict=True):
        assert keys(lexicon, question)[:1] == [key], question
    for question in ("打印机", "東京", "서울", "แมว", "طابعة"):
        assert keys(lexicon, question) == [], question


def test_no_question_is_read_as_a_query_language(opened) -> None:  # B26
    lexicon = opened()
    texts = {
        "d1": "Never run rm -rf on the build host.",
        "d2": "The parser is written in C++ and C#.",
        "d3": "Docs live at http://intra.example/wiki:page and C:\\repo\\src\\main.py.",
        "d4": "Rollback of release (blue) went fine.",
        "d5": "The body field holds the text and nobody is the author.",
    }
    lexicon.add([message(key, text) for key, text in texts.items()], 1)
    lexicon.commit()
    first = {
        "rm -rf": "d1",
        "C++": "d2",
        "C#": "d2",
        "http://intra.example/wiki:page": "d3",
        "C:\\repo\\src\\main.py": "d3",
        "release (blue": "d4",
        '"release': "d4",
        "NOT rollback": "d4",
        "rollback AND": "d4",
        "release^9": "d4",
    }
    for question, key in first.items():
        assert keys(lexicon, question)[0] == key, question
    assert keys(lexicon, "NOT rollback") == ["d4"]
    for question in ("id:d1", "thread:t1", "[a TO", "~2", "*", "*:*", "?!", "' OR 1=1 --"):
        assert keys(lexicon, question) == [], question


def test_a_plain_question_finds_and_an_empty_one_does_not(opened) -> None:  # B27
    lexicon = opened()
    lexicon.add(
        [
            message("d1", "The rollback on Tuesday went fine after we cleared the cache."),
            message("d2", "Lunch is at noon."),
        ],
        1,
    )
    assert keys(lexicon, "can you tell me what happened with the rollback?")[0] == "d1"
    assert keys(lexicon, "why did the cache matter")[0] == "d1"
    for question in ("the and of", "   ", "", "...?!", "\u200b"):
        assert keys(lexicon, question) == []


@pytest.mark.parametrize(
    "question",
    [
        "".join(f"lorem{number} " for number in range(1500)) + "needle",
        "(" * 5000 + "needle" + ")" * 5000,
        "needle " * 20_000,
        "NOT " * 500 + "needle",
    ],
)
def test_a_monstrous_question_still_finds(opened, question: str) -> None:  # B29
    lexicon = opened()
    lexicon.add(
        [
            message("d1", "The needle is in the blue drawer."),
            *(message(f"n{n}", f"small note {n}") for n in range(200)),
        ],
        1,
    )
    assert keys(lexicon, question) == ["d1"]


def test_the_end_of_a_large_tool_output_is_found(opened) -> None:  # B43
    lexicon = opened()
    output = "".join(f'{{"host":"10.0.0.{number}","port":22,"state":"closed"}}\n' for number in range(21_000))
    lexicon.add([message("m2", output), message("m3", "Only port 8080 on host 7 is open.")], 1)
    lexicon.commit()
    assert keys(lexicon, "10.0.0.20999") == ["m2"]
    assert keys(lexicon, "8080") == ["m3"]


def test_what_is_added_is_found_at_once_and_after_reopening(opened) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], through=5)
    assert (keys(lexicon, "car"), lexicon.through, lexicon.indexed_through) == (["a"], 5, 0)
    lexicon.commit()
    assert lexicon.indexed_through == 5
    again = opened()
    assert (keys(again, "car"), again.indexed_through, again.card("message", "a")) == (["a"], 5, {"text": "green car"})


def test_a_later_document_takes_the_place_of_an_earlier_one(opened) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car", 1), message("b", "green bus", 1)], 1)
    lexicon.commit()
    lexicon.add([message("a", "blue car", 2)], 2)
    for _ in range(2):
        assert keys(lexicon, "green") == ["b"]
        assert keys(lexicon, "blue") == ["a"]
        lexicon.commit()
    lexicon.remove("message", ["a", "unknown"], 3)
    lexicon.commit()
    assert keys(opened(), "blue car") == []


def test_hidden_documents_are_not_found_and_their_cards_not_given(opened) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car"), message("b", "green bus")], 1)
    lexicon.hide("message", ["a"])
    assert (keys(lexicon, "green", limit=1), lexicon.card("message", "a")) == (["b"], None)
    lexicon.unhide("message", ["a"])
    assert set(keys(lexicon, "green")) == {"a", "b"}


def test_a_filter_applies_before_the_limit(opened) -> None:
    lexicon = opened()
    lexicon.add([message(f"m{n:03}", "green " * (200 - n) + "car") for n in range(200)], 1)
    hits = lexicon.search("message", ["green"], 2, allow=lambda key: key in {"m150", "m199"})
    assert {hit.key for hit in hits} == {"m150", "m199"}


def test_kinds_do_not_meet(opened) -> None:
    lexicon = opened()
    lexicon.add(
        [
            message("a", "green car"),
            Document(kind="event", key="a", seq=1, fields={"title": "Green", "tags": ("car",)}),
        ],
        1,
    )
    lexicon.remove("message", ["a"], 2)
    assert keys(lexicon, "green") == []
    assert [hit.key for hit in lexicon.search("event", ["green"], 5)] == ["a"]
    with pytest.raises(InvalidInput):
        lexicon.add([Document(kind="dream", key="x", seq=1, fields={})], 3)


def test_many_small_commits_leave_few_segments_and_change_nothing(opened) -> None:
    lexicon = opened()
    for number in range(60):
        lexicon.add([message(f"m{number}", f"note number{number} car")], number)
        if number % 7 == 0:
            lexicon.remove("message", [f"m{number // 2}"], number)
        lexicon.commit()
    assert len(lexicon.segments) < 12
    again = opened()
    assert keys(again, "car", 100) == keys(lexicon, "car", 100)
    assert again.count("message") == lexicon.count("message") == len(keys(again, "car", 100))


def test_a_rebuild_replaces_everything_but_what_was_added_meanwhile(opened) -> None:
    lexicon = opened()
    lexicon.add([message("old", "green car")], 1)
    lexicon.commit()
    lexicon.add([message("tail", "green bus")], 2)

    def documents():
        yield message("new", "green lake")
        assert keys(lexicon, "green car") == ["old", "tail"]  # searches see what was there before
        lexicon.add([message("late", "green river")], 3)
        lexicon.add([message("new", "green train")], 4)

    lexicon.rebuild(documents(), through=2)
    assert set(keys(lexicon, "green")) == {"new", "late"}
    assert (keys(lexicon, "lake"), keys(lexicon, "train")) == ([], ["new"])
    assert (lexicon.indexed_through, lexicon.through) == (2, 4)
    lexicon.commit()
    assert set(keys(opened(), "green")) == {"new", "late"}


def test_searches_and_additions_go_on_while_it_commits(opened) -> None:
    lexicon = opened()
    done = threading.Event()
    errors: list[BaseException] = []

    def look() -> None:
        try:
            while not done.is_set():
                found = keys(lexicon, "car", 1000)
                assert len(found) == len(set(found))
                assert "m0" in found
        except BaseException as error:
            errors.append(error)

    lexicon.add([message("m0", "car")], 0)
    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(1, 40):
        lexicon.add([message(f"m{number}", "car"), message("again", f"car {number}", number)], number)
        lexicon.commit()
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(keys(lexicon, "car", 1000)) == 41


def test_a_failed_commit_loses_nothing(opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], 1)
    lexicon.commit()
    lexicon.add([message("b", "green bus")], 2)
    lexicon.remove("message", ["a"], 3)
    monkeypatch.setattr(Kept, "set", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        lexicon.commit()
    assert keys(lexicon, "green") == ["b"]
    monkeypatch.undo()
    lexicon.commit()
    assert keys(opened(), "green") == ["b"]


def test_a_commit_that_only_failed_to_tidy_up_is_not_written_twice(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], 1)
    monkeypatch.setattr("whoosh.index.clean_files", lambda *_: (_ for _ in ()).throw(OSError("busy")))
    lexicon.commit()
    monkeypatch.undo()
    lexicon.add([message("b", "green bus")], 2)
    lexicon.commit()
    assert sorted(keys(opened(), "green")) == ["a", "b"]


def test_another_process_reads_while_this_one_writes(opened, tmp_path: Path) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], 7)
    lexicon.commit()
    reader = opened(writable=False)
    lexicon.add([message("b", "green bus")], 9)
    lexicon.remove("message", ["a"], 9)
    lexicon.commit()
    assert (keys(reader, "green"), reader.indexed_through) == (["a"], 7)
    reader.refresh()
    assert (keys(reader, "green"), reader.indexed_through) == (["b"], 9)
    with pytest.raises(EngineError):
        reader.rebuild([], 10)


class Boom:
    def __reduce__(self):
        return (Path.touch, (Path("exploded"),))


def test_an_index_that_is_not_ours_is_refused_before_whoosh_sees_it(
    opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lexicon = opened()
    lexicon.add([message("a", "green car")], 1)
    lexicon.commit()
    segment = next((tmp_path / "lexicon").glob("*.seg"))
    ours = segment.read_bytes()
    for name, content in (
        ("_MAIN_99.toc", pickle.dumps(Boom())),  # a newer table of contents
        (segment.name, pickle.dumps(Boom())),  # a changed segment
        (segment.name, ours[:-1]),  # a cut one
    ):
        file = tmp_path / "lexicon" / name
        file.write_bytes(content)
        with pytest.raises(EngineError) as refused:
            opened()
        assert (refused.value.details["reason"], refused.value.details["file"]) == ("foreign", name)
        file.unlink() if name.endswith("toc") else file.write_bytes(ours)
    assert not (tmp_path / "exploded").exists()
    assert keys(opened(), "green") == ["a"]


def test_an_index_of_another_version_is_refused(opened, tmp_path: Path) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], 1)
    lexicon.commit()
    kept = Kept(tmp_path / "digests.json")
    kept.set({**kept.get(), "format": "0"})
    with pytest.raises(EngineError) as refused:
        opened()
    assert refused.value.details["reason"] == "format"


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.test_lexicon import Kept, message
from sgraph.lexicon import Lexicon
home = Path(sys.argv[2])
class Dying(Kept):
    def set(self, digests):
        if sys.argv[3] == "after":
            super().set(digests)
        os._exit(9)
lexicon = Lexicon(home / "lexicon", Dying(home / "digests.json"))
lexicon.add([message("b", "green bus")], 2)
lexicon.commit()
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_writer_killed_around_the_record_leaves_the_last_commit(opened, tmp_path: Path, moment: str) -> None:
    lexicon = opened()
    lexicon.add([message("a", "green car")], 1)
    lexicon.commit()
    root = Path(__file__).parent.parent
    died = subprocess.run([sys.executable, "-c", KILLED, str(root), str(tmp_path), moment], check=False)
    assert died.returncode == 9
    again = opened()
    assert (keys(again, "green"), again.indexed_through) == (["a"], 1)
    again.add([message("b", "green bus")], 2)
    again.commit()
    assert set(keys(opened(), "green")) == {"a", "b"}
