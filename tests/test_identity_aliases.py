"""What a text states about names, and what it does not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sgraph.identity.aliases import statements

STATED = [
    ("Maggie, short for Margaret, came along.", "Maggie", "Margaret", "alias"),
    ("k8s is short for Kubernetes.", "k8s", "Kubernetes", "alias"),
    ("My brother Robert came, we call him Bo.", "Bo", "Robert", "alias"),
    ("This is Robert Stone. Everyone calls him Rocky.", "Rocky", "Robert Stone", "alias"),
    ("We met Robert (Bob) Stone.", "Bob", "Robert Stone", "alias"),
    ('Robert "Bob" Stone rang.', "Bob", "Robert Stone", "alias"),
    ("J. Smith, aka Smitty, left.", "Smitty", "J. Smith", "alias"),
    ("José Díaz, also known as Pepe, sings.", "Pepe", "José Díaz", "alias"),
    ("Мария, also known as Маша, left.", "Маша", "Мария", "alias"),
    ("Robert O'Brien goes by Rob at work.", "Rob", "Robert O'Brien", "alias"),
    ("She is Elizabeth. She goes by Liz.", "Liz", "Elizabeth", "alias"),
    ("Margaret, or Maggie for short, came.", "Maggie", "Margaret", "alias"),
    ("QRS stands for Quick Response Services.", "QRS", "Quick Response Services", "alias"),
    ("Quick Response Services (QRS) won.", "QRS", "Quick Response Services", "alias"),
    ("Call me Bo.", "Bo", "Mara", "alias"),
    ("Hi, my name is Robert, what is yours?", "Robert", "Mara", "alias"),
    ("Orbit, formerly Comet, caches.", "Comet", "Orbit", "rename"),
    ("Orbit (formerly known as Comet) caches.", "Comet", "Orbit", "rename"),
    ("Orbit was originally called Comet.", "Comet", "Orbit", "rename"),
    ("The package was renamed from jet-core to jet-native.", "jet-core", "jet-native", "rename"),
    ("We renamed the project Comet to Orbit.", "Comet", "Orbit", "rename"),
    ("Yesterday Comet was renamed Orbit.", "Comet", "Orbit", "rename"),
    ("Comet is now called Orbit.", "Comet", "Orbit", "rename"),
    ("`jet_core` is now called `jet_native`.", "jet_core", "jet_native", "rename"),
    ("Comet changed its name to Orbit in 2021.", "Comet", "Orbit", "rename"),
    ("I'm not sure about the plan, but Comet was renamed to Orbit.", "Comet", "Orbit", "rename"),
    ("北京大学，简称北大，在海淀。", "北大", "北京大学", "alias"),
    ("北大是北京大学的简称。", "北大", "北京大学", "alias"),
    ("张伟（又名大伟）来了。", "大伟", "张伟", "alias"),
    ("大家把张伟叫做小伟。", "小伟", "张伟", "alias"),
    ("Visual Studio Code 简称 VS Code。", "VS Code", "Visual Studio Code", "alias"),
    ("大家都叫我小李。", "小李", "Mara", "alias"),
    ("我们的项目彗星改名为轨道了。", "彗星", "轨道", "rename"),
    ("彗星现在叫轨道。", "彗星", "轨道", "rename"),
    ("轨道，原名彗星，很快。", "彗星", "轨道", "rename"),
]
SILENT = [
    "unlike Comet, Orbit caches",
    "Orbit, unlike Comet, caches.",
    "We moved from Comet to Orbit.",
    "Orbit and Comet are tools.",
    "Is Comet now called Orbit?",
    "Do we call him Bo, or Rob?",
    "Comet is not called Orbit.",
    "Comet was never renamed to Orbit.",
    "If Comet is renamed to Orbit, tell me.",
    "We should have renamed Comet to Orbit.",
    "Maybe Comet was renamed to Orbit.",
    "Let's call it Orbit.",
    "Don't call me Bob.",
    "Call me Monday.",
    "Call me back.",
    "Call me 555-1234",
    "Memory use is 87.0 (was 81.95) now.",
    "Robert and Anna came. We call him Bo.",
    "The tool from Comet is now called Orbit.",
    "Comet's team was renamed to Orbit.",
    "Anna renamed Orbit.",
    "Alex, formerly at Northgate, left.",
    "Alex, formerly CEO, left.",
    "Alex is now CEO.",
    "My dog is called Rex.",
    "Northgate (Osby) Ltd won.",
    "Alex (CEO) Moreau spoke.",
    "```\nrenamed Comet to Orbit\n```",
    "彗星没有改名为轨道。",
    "彗星要改名为轨道吗？",
    "彗星将改名为轨道。",
    "如果彗星改名为轨道就好了。",
    "我叫他明天来。",
    "他叫什么？",
]


@pytest.mark.parametrize(("text", "alias", "name", "change"), STATED)
def test_an_explicit_statement_is_read(text: str, alias: str, name: str, change: str) -> None:
    (found,) = statements(text, speaker="Mara")
    assert (found.alias, found.name, found.change) == (alias, name, change)
    assert alias in text[found.start : found.end]


@pytest.mark.parametrize("text", SILENT)
def test_what_does_not_state_an_alias_is_left_alone(text: str) -> None:
    assert statements(text, speaker="Mara") == []


def test_the_span_reaches_from_one_name_to_the_other() -> None:
    text = "Well, Orbit (formerly Comet) caches."
    (found,) = statements(text)
    assert text[found.start : found.end] == "Orbit (formerly Comet"


def test_without_a_speaker_nothing_is_said_about_the_speaker() -> None:
    assert statements("Call me Bo.") == []


def test_statements_come_in_order_and_apart() -> None:
    text = "Maggie, short for Margaret, runs Orbit, formerly Comet. 张伟又名大伟。 Maggie, short for Margaret."
    found = statements(text)
    assert [s.alias for s in found] == ["Maggie", "Comet", "大伟", "Maggie"]
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(
    "text", ["Aa " * 20_000 + "goes by", "改名为" * 20_000, "“" * 50_000, "A-" * 50_000, "renamed " * 10_000]
)
def test_long_odd_input_is_read_without_a_finding(text: str) -> None:
    assert statements(text) == []
