"""The page for review: whole, readable, and nothing in it runs or is escaped twice."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgraph.records.parts import Involved, SourceRef
from sgraph.records.subgraph import (
    EntityName,
    Question,
    SubgraphClaim,
    SubgraphData,
    SubgraphEvent,
    SubgraphMessage,
    SubgraphNode,
    SupportingEvent,
)
from sgraph.transfer.page import page

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
VOID = {"meta", "input"}


def message(key: str, content: str, **fields: Any) -> SubgraphMessage:
    return SubgraphMessage(
        key=key, thread="t", content=content, sent_at=NOW, **{"role": "user", "speaker": "Tom", **fields}
    )


def event(name: str, title: str, key: str, quote: str | None, **fields: Any) -> SubgraphEvent:
    source = SourceRef(message=key, quote=quote, start=0 if quote else None, end=len(quote) if quote else None)
    plain = {"status": "occurred", "event_type": "fact", "state": "active", "time_precision": "unknown"}
    return SubgraphEvent(
        id=name, title=title, summary=title, criticality="routine", scope="user", method="agent", mentioned_at=NOW,
        time_basis="unknown", sources=(source,), **{**plain, **fields},
    )  # fmt: skip


def claim(name: str, entity: str, value: str, proof: str, **fields: Any) -> SubgraphClaim:
    plain: dict[str, Any] = {
        "key": "knows",
        "cardinality": "many",
        "status": "active",
        "valid_from": NOW,
        "recorded_at": NOW,
    }
    support = SupportingEvent(event=proof, since=fields.get("valid_from", NOW))
    return SubgraphClaim(
        id=name, claim=name, entity=entity, value=value, supports=(support,), speakers=("Tom",), **{**plain, **fields}
    )


def node(name: str, label: str, kind: str = "person", **fields: Any) -> SubgraphNode:
    return SubgraphNode(id=name, name=label, kind=kind, names=(EntityName(display=label, kind=kind),), **fields)


def made(nodes: list[SubgraphNode], edges: list[SubgraphClaim], texts: list[str], **fields: Any) -> SubgraphData:
    """Give a subgraph in which event v<n> rests on message t/<n>, which says the n-th text."""
    return SubgraphData(
        question=Question(), exported_at=NOW, nodes=tuple(nodes), edges=tuple(edges),
        events=tuple(event(f"v{n}", text[:40] or "-", f"t/{n}", text) for n, text in enumerate(texts)),
        messages=tuple(message(f"t/{n}", text) for n, text in enumerate(texts)), **fields,
    )  # fmt: skip


def large(count: int, links: int) -> SubgraphData:
    rnd = random.Random(5)
    kinds = ["person", "organization", "project", "tool", "place", "pet", "recipe"]
    nodes = [
        node(f"n{i}", f"{rnd.choice(['Mara', 'Project', '李娜', 'Northgate'])} number {i}", rnd.choice(kinds))
        for i in range(count)
    ]
    edges = []
    for i in range(links):
        a, b = int(rnd.random() ** 2 * count), rnd.randrange(count)
        edges.append(claim(f"f{i}", f"n{a}", nodes[b].name, "v0", about=f"n{b}"))
    return made(nodes, edges, ["They all know each other."])


class Read(HTMLParser):
    """What a reader of the page gets: elements with their attributes and text, checked for being properly closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.open), data))

    def within(self, *tags: str) -> list[str]:
        return [text for opened, text in self.texts if set(tags) <= set(opened)]

    def all(self, tag: str, class_: str | None = None) -> list[dict[str, str | None]]:
        found = [attributes for name, attributes in self.elements if name == tag]
        return [a for a in found if class_ is None or class_ in (a.get("class") or "").split()]


NASTY = [
    'O\'Neil \\ "x" }) DETACH DELETE n //',
    "<script>alert(1)</script>",
    "R&amp;D &lt;b&gt;",
    "نور \u202e x",
    "🦊",
    "李娜",
    "</style><style>*{display:none}",
    "</svg></a><img src=x onerror=alert(1)>",
    "-->",
    "]]>",
    "'\" autofocus onfocus=alert(1) x='",
]


def harmless(read: Read) -> None:
    """Check that nothing on the page runs, or comes from elsewhere."""
    assert (
        Counter(name for name, _ in read.elements)
        .keys()
        .isdisjoint({"script", "iframe", "object", "embed", "img", "link", "base", "form"})
    )
    for _, attributes in read.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith("#")
    policies = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not [style for style in read.within("style") if "url(" in style or "@import" in style]


def test_data_is_escaped_exactly_once() -> None:
    nodes = [node("n", "Mara", claims=(claim("f", "n", '<i>41</i> & "x"', "v0", key="role"),), tags=("<b>",))]
    nodes += [node(f"n{i}", text, kind=text) for i, text in enumerate(NASTY)]
    edges = [claim(f"f{i}", "n", text, f"v{i}", about=f"n{i}", key=text, session=text) for i, text in enumerate(NASTY)]
    data = made(nodes, edges, NASTY)
    read = Read(page(data))
    harmless(read)
    for text in NASTY:
        assert text in read.within("h2", "bdi")
        assert text in read.within("blockquote", "p")
    assert '<i>41</i> & "x"' in read.within("h4", "bdi")


def test_what_no_page_may_hold_is_replaced() -> None:
    text = page(made([node("n", "a\x00b\ud83dc\x0b\ufffe")], [], ["\ud83d \x08"]))
    assert "a\ufffdb\ufffdc\ufffd\ufffd" in Read(text).within("h2", "bdi")
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text)


@given(st.text(), st.text(min_size=1), st.text())
@settings(max_examples=40, deadline=None)
def test_any_text_at_all(name: str, quote: str, kind: str) -> None:
    proof = claim("f", "n", quote, "v0", key=kind, about="m")
    read = Read(page(made([node("n", name, kind), node("m", quote, kind)], [proof], [quote])))
    harmless(read)


def test_every_link_leads_somewhere_and_ids_are_unique() -> None:
    read = Read(page(large(40, 90)))
    ids = [attributes["id"] for _, attributes in read.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert {(a.get("href") or "#")[1:] for a in read.all("a")} <= set(ids)
    labelled = {a["aria-labelledby"] for _, a in read.elements if a.get("aria-labelledby")}
    assert labelled <= set(ids)


def test_the_page_can_be_used_without_a_mouse() -> None:
    read = Read(page(large(12, 20)))
    assert read.elements[[name for name, _ in read.elements].index("body") + 1] == (
        "a",
        {"href": "#claims", "class": "skip"},
    )
    tags = {name for name, _ in read.elements}
    assert {"header", "main", "nav", "footer"} <= tags
    drawn = read.all("a", "n")
    assert len(drawn) == 12
    assert all(a.get("tabindex") is None and a.get("aria-label") for a in drawn)  # in the order of tabbing
    assert read.all("html")[0]["lang"] == "en"
    style = "".join(read.within("style"))
    assert ":focus-visible" in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_every_claim_has_its_quotes_dates_speaker_and_message() -> None:
    data = made(
        [node("n", "Pia"), node("m", "Lumen")],
        [claim("f", "n", "Lumen", "v0", about="m", reporters=("Lena",))],
        ["Pia is at Lumen."],
    )
    text = "".join(Read(page(data)).within("section"))
    for part in ("Pia is at Lumen.", "Tom", "Lena", "2026-06-01 12:00+00:00", "t/0", "characters 0 to 16", "Claim f"):
        assert part in text


def test_claims_stand_under_what_they_are() -> None:
    day = timedelta(days=1)
    claims = (
        claim("now", "n", "a", "v0", key="role", valid_from=NOW - day),
        claim("later", "n", "b", "v0", key="role", valid_from=NOW + day),
        claim("torn", "n", "c", "v0", key="age", status="disputed"),
        claim("over", "n", "d", "v0", key="role", status="superseded", valid_from=NOW - 3 * day, valid_to=NOW - day),
        claim("gone", "n", "e", "v0", key="role", visible=False),
    )
    read = Read(page(made([node("n", "Pia", claims=claims)], [], ["x"])))
    assert [a["class"] for a in read.all("section", "claim")] == [
        "claim now", "claim planned", "claim disputed", "claim history", "claim forgotten",
    ]  # fmt: skip
    assert len(read.all("path", "bar")) == 5
    (ended,) = read.all("path", "history")
    assert "L1000" not in (ended["d"] or "")
    assert "L1000" in (read.all("path", "now")[0]["d"] or "")  # an open end is an arrow to the edge


def test_as_of_is_what_counts_as_now() -> None:
    over = claim("f", "n", "d", "v0", key="role", valid_from=NOW - timedelta(days=9), valid_to=NOW - timedelta(days=1))
    data = made([node("n", "Pia", claims=(over,))], [], ["x"])
    assert Read(page(data)).all("section", "history")
    before = data.model_copy(update={"question": Question(as_of=NOW - timedelta(days=5))})
    assert Read(page(before)).all("section", "now")


def test_a_plan_is_shown_as_one() -> None:
    plan = event("p", "Pia will move", "t/0", None, status="planned", involved=(Involved(entity="n", role="subject"),))
    data = made([node("n", "Pia", events=("p",))], [], ["x"])
    read = Read(page(data.model_copy(update={"events": (*data.events, plan)})))
    assert "Planned" in read.within("h3")
    assert "Pia will move" in read.within("strong")


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
        (datetime(9999, 12, 31, tzinfo=UTC), None),
        (datetime.min.replace(tzinfo=UTC), None),
        (NOW, NOW),
        (NOW - timedelta(days=40), None),
        (NOW - timedelta(days=4000), NOW - timedelta(days=3000)),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York", "no/such zone"])
def test_any_stretch_of_time(first: datetime, last: datetime | None, zone: str) -> None:
    proof = claim("f", "n", "x", "v0", key="role", valid_from=first, valid_to=last)
    text = page(made([node("n", "Pia", claims=(proof,))], [], ["x"], timezone=zone))
    read = Read(text)
    assert len(read.all("path", "bar")) == 1
    marks = [a["style"] or "" for a in read.all("span") if a.get("style")]
    assert len(marks) <= 9
    assert "nan" not in text
    assert all(0 <= float(style[len("left:") : -1]) <= 100 for style in marks)


def test_labels_do_not_cover_each_other_at_200_nodes() -> None:
    text = page(large(200, 400))
    at = [(float(x), float(y)) for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)">(?=[^<]*number)', text)]
    assert len(at) == 200
    close = [(a, b) for i, a in enumerate(at) for b in at[i + 1 :] if abs(a[0] - b[0]) < 60 and abs(a[1] - b[1]) < 14]
    assert close == []


def test_more_than_can_be_drawn_is_listed_all_the_same() -> None:
    data = large(700, 900)
    read = Read(page(data))
    assert len(read.all("a", "n")) == 300
    assert len(read.all("article", "entity")) == 700
    assert len(read.all("section", "claim")) == 900


def test_parallel_and_self_relations_are_all_drawn() -> None:
    nodes = [node("a", "A"), node("b", "B")]
    pairs = [("a", "b"), ("a", "b"), ("b", "a"), ("a", "a"), ("a", "a")]
    edges = [claim(f"f{i}", x, y.upper(), "v0", about=y) for i, (x, y) in enumerate(pairs)]
    paths = [a["d"] for a in Read(page(made(nodes, edges, ["x"]))).all("path", "line")]
    drawn = paths[: len(pairs)]  # the legend comes after
    assert len(set(drawn)) == len(pairs)


def test_the_same_subgraph_gives_the_same_page(tmp_path: Path) -> None:
    data = large(30, 50)
    file = tmp_path / "g.json"
    file.write_text(data.model_dump_json())
    program = (
        "import sys; from sgraph.transfer.page import page; from sgraph.records.subgraph import SubgraphData;"
        "sys.stdout.buffer.write(page(SubgraphData.model_validate_json(open(sys.argv[1]).read())).encode())"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", program, str(file)], capture_output=True, check=True, env=environment
        )
        assert done.stdout.decode() == page(data)
