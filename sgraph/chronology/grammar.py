"""The grammar: a rule is a row of a table; a chart parser applies the rows.

A pattern is a line of elements: `lower case` is that very word, `CAPITALS` a class of words or the name of something
other rules build, `a|b` either, `x?` maybe x. A rule gives its function the moment of speaking and the value of every
element in capitals (None when an optional one is absent); the function gives the value of the whole, or None when the
words do not fit after all.

What rules build: TIME is a time in running text; BARE is one only where a time is expected (`resolve`, or beside other
words of time); NOT_TIME only looks like one and hides what it covers; other names are parts. DATE in a pattern means
TIME or BARE; OWN is "the month", this one, in "the end of the month" (WHOLE).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from sgraph.chronology.periods import Moment
from sgraph.chronology.tokens import Token, teach

ALIASES = {
    "DATE": "TIME|BARE",
    "WHOLE": "TIME|BARE|OWN",
    "WEEKDAYS": "WEEKDAY|WEEKDAY_|WEEKDAYS",
    "WEEKDAY": "WEEKDAY|WEEKDAY_",
    "MONTH": "MONTH|MONTH_",
    "SEASON": "SEASON|SEASON_",
    "NTH": "ORD|N",
    "UNIT": "UNIT|UNITS",
}
"""Names that stand for several classes. `WEEKDAY!` means the class WEEKDAY alone."""
LONGEST = 18
"""Tokens that one expression may have: a bound on work, far beyond what people write."""


class Rule(NamedTuple):
    """One row: its name, what it builds, how that is written, what it means, and some examples."""

    name: str
    builds: str
    patterns: tuple[str, ...]
    meaning: Callable[..., Any]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """Something built over the tokens up to `end` (exclusive), by which rule."""

    end: int
    value: Any
    rule: str


Cell = dict[str, list[Edge]]
"""What begins at one token, by what it is."""


class _Variant(NamedTuple):
    """A pattern without choices: the elements after the first, and which values are given (False: absent)."""

    place: int
    rule: Rule
    first: str
    rest: tuple[str, ...]
    given: tuple[bool, ...]


class _Followers:
    """The variants that begin with one element, by their second."""

    def __init__(self) -> None:
        self.complete: list[_Variant] = []
        self.by_word: dict[str, list[_Variant]] = {}
        self.by_class: dict[str, list[_Variant]] = {}

    def add(self, variant: _Variant) -> None:
        if not variant.rest:
            self.complete.append(variant)
        else:
            index = self.by_class if _is_class(variant.rest[0]) else self.by_word
            index.setdefault(variant.rest[0], []).append(variant)

    def fitting(self, token: Token | None, cell: Cell) -> list[_Variant]:
        """List the variants whose second element can follow here, in the order of the table."""
        fitting = list(self.complete)
        if token is not None:
            fitting += self.by_word.get(token.key, ())
            for name in cell:
                fitting += self.by_class.get(name, ())
        return sorted(fitting, key=_place) if len(fitting) > 1 else fitting


def rule(name: str, builds: str, patterns: str | tuple[str, ...], meaning: Callable[..., Any], *examples: str) -> Rule:
    """Write one row of the table."""
    return Rule(name, builds, (patterns,) if isinstance(patterns, str) else patterns, meaning, examples)


def constant(value: Any) -> Callable[[Moment], Any]:
    """Make the meaning of words that always stand for one value."""
    return lambda _: value


def nothing(_: Moment, *_values: object) -> bool:
    """Take what only looks like a time for nothing."""
    return True


def same(_: Moment, value: Any) -> Any:
    """Take a part for the whole."""
    return value


def _is_class(element: str) -> bool:
    return element[0].isupper()


def _choices(element: str) -> list[str | None]:
    """List what an element may be; None means that it may be absent."""
    optional = element.endswith("?") and len(element) > 1
    names = element.removesuffix("?") if optional else element
    found: list[str | None] = []
    for name in names.split("|") if len(names) > 1 else [names]:
        found.extend(ALIASES[name].split("|") if name in ALIASES else [name.removesuffix("!")])
    return [*found, None] if optional else found


def _place(variant: _Variant) -> int:
    return variant.place


def _variants(place: int, row: Rule) -> Iterator[_Variant]:
    for pattern in row.patterns:
        written = pattern.split()
        for chosen in product(*(_choices(element) for element in written)):
            present = [element for element in chosen if element is not None]
            given = tuple(element is not None for element, name in zip(chosen, written, strict=True) if _is_class(name))
            yield _Variant(place, row, present[0], tuple(present[1:]), given)


class Grammar:
    """The rules, indexed by the first two elements of each pattern."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._by_first: dict[str, _Followers] = {}
        for place, row in enumerate(rules):
            for variant in _variants(place, row):
                self._by_first.setdefault(variant.first, _Followers()).add(variant)
                teach({word for word in (variant.first, *variant.rest) if len(word) > 1 and ord(word[0]) > 0x3000})

    def chart(self, tokens: Sequence[Token], moment: Moment) -> list[Cell]:
        """Build everything that the rules find in `tokens`.

        Works from the last token to the first, so that whatever may follow is known already. Of two ways to build the
        same thing over the same tokens the first in the table stays.
        """
        cells: list[Cell] = [{} for _ in tokens]
        for at in range(len(tokens) - 1, -1, -1):
            agenda = [(name, Edge(at + 1, value, "")) for name, value in tokens[at].classes]
            for name, edge in agenda:
                cells[at].setdefault(name, []).append(edge)
            agenda += self._built(tokens[at].key, at, at + 1, (), tokens, cells, moment)
            for name, edge in agenda:  # grows while it is read
                agenda += self._built(name, at, edge.end, (edge.value,), tokens, cells, moment)
        return cells

    def _built(
        self,
        first: str,
        start: int,
        at: int,
        values: tuple[Any, ...],
        tokens: Sequence[Token],
        cells: list[Cell],
        moment: Moment,
    ) -> Iterator[tuple[str, Edge]]:
        """Yield what the patterns that begin with `first` newly build from token `start`."""
        followers = self._by_first.get(first)
        if followers is None:
            return
        within = at < len(tokens)
        for variant in followers.fitting(tokens[at] if within else None, cells[at] if within else {}):
            edges = cells[start].get(variant.rule.builds, ())
            for end, found in _match(variant.rest, 0, at, values, tokens, cells):
                if end - start > LONGEST or any(edge.end == end for edge in edges):
                    continue
                present = iter(found)
                try:
                    value = variant.rule.meaning(moment, *(next(present) if given else None for given in variant.given))
                except (ValueError, OverflowError):  # a date that the calendar does not have
                    continue
                if value is not None:
                    edge = Edge(end, value, variant.rule.name)
                    edges = cells[start].setdefault(variant.rule.builds, [])
                    edges.append(edge)
                    yield variant.rule.builds, edge


def _match(
    rest: tuple[str, ...], index: int, at: int, values: tuple[Any, ...], tokens: Sequence[Token], cells: list[Cell]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield each way in which the elements from `index` on follow at token `at`: where it ends, and the values."""
    if index == len(rest):
        yield at, values
    elif at < len(tokens):
        element = rest[index]
        if tokens[at].key == element:
            yield from _match(rest, index + 1, at + 1, values, tokens, cells)
        for edge in cells[at].get(element, ()):
            yield from _match(rest, index + 1, edge.end, (*values, edge.value), tokens, cells)
