"""What kind of answer a question wants: a few rules, English and Chinese, one row each.

A question may be of several kinds, or of none; of none, only what holds for every question is checked. In other
languages no kind is recognised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from sgraph import analysis
from sgraph.chronology import find
from sgraph.recall.signals import ASKS, Interval

#: A time the question names that is no narrower still leaves many occasions.
WIDE = timedelta(days=62)

_COPULA = "is|was|are|were|does|did|do|has|have|had|can|could|will|would|might|should"
_NOT_PLURAL = "(?:is|was|does|has|his|this|its|as|us|status|business|news|always|series|yes)"

#: kind → what makes a question one, in lower case. `when` is shared with the raw route.
RULES: tuple[tuple[str, str], ...] = (
    ("when", ASKS["when"].pattern),
    # the moment of saying is the answer: "when did she mention the boat"
    ("saying", r"\b(?:mention|say|said|tell|told|talk|ask|announce)(?:ed|s)?\b|提到|说过|说起"),
    ("count", r"\bhow many\b|\bnumber of\b|多少(?!钱)|几(?:个|次|位|只|种|本|家|场|条|台)"),
    (
        "list",  # "which cities has she", "what tools do we": a noun in the plural, then the verb
        (
            rf"\b(?:what|which)\b(?: (?!(?:{_COPULA})\b)[\w'/-]+){{0,4}}? (?!{_NOT_PLURAL}\b)[\w'/-]*[a-z]s "
            rf"(?:{_COPULA}|that|in|on|at|for|from)\b"
        ),
    ),
    ("list", r"\b(?:what|who|which) (?:are|were|all)\b|\b(?:what|which|who) all\b"),
    ("list", r"\b(?:what|which) (?:\w+ ){0,2}(?:people|children|men|women)\b"),
    ("list", r"\b(?:what|which|where|who) (?:(?!does\b|did\b|do\b)[\w'-]+ ){0,4}(?:has|have)\b (?!.*\bbeen \w+ing\b)"),
    ("list", r"\bboth\b|\bin common\b|^\W*(?:please )?(?:list|name|enumerate)\b|\ball (?:of )?the\b"),
    ("list", r"哪些|哪几|所有|全部|分别|都有(?:什么|谁)|列出|一共"),
    ("one", r"\b(?:kind|type|sort) of\b|哪种|哪类"),  # asks what it is like, seldom for all of them
    ("one", r"\b(?:recently|lately|latest|first|second|third|last|main|specific|current)\b|最近|第[一二三]|上次|这次"),
    ("one", r"\b(?:at|during|on|after|before) (?:the|her|his|their|my|our|that|this|an?)\b"),
    ("past", r"\b(?:before|previous(?:ly)?|formerly|former|used to|originally|back then|earlier|history)\b"),
    ("past", r"\b(?:in the past|no longer|until)\b"),
    ("past", r"\b(?:changed?|moved|switched|replaced)\b|以前|之前|原来|曾经|过去|当时|旧的|改"),
)  # fmt: skip
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in RULES)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the gate reads it: its kinds, the dates it names, its content terms."""

    kinds: frozenset[str]
    dates: tuple[Interval, ...]
    terms: tuple[str, ...]

    @property
    def wants_all(self) -> bool:
        """Say whether the answer is a list, or a count, over all that is known: not of one occasion or a few weeks."""
        if any(end - start < WIDE for start, end in self.dates):
            return False
        return "count" in self.kinds or ("list" in self.kinds and "one" not in self.kinds)


def read(question: str, asked_at: datetime) -> Asked:
    """Read a question; `asked_at` is what "last week" counts from."""
    text = question[:4000]
    lower = " ".join(text.lower().replace("’", "'").split())
    return Asked(
        kinds=frozenset(kind for kind, pattern in _KINDS if pattern.search(lower)),
        dates=tuple((span.start, span.end) for span in find(text, asked_at)),
        terms=analysis.query_terms(text).terms,
    )
