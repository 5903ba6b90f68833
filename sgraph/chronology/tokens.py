"""The one tokenizer: text → tokens with their classes, values and offsets.

Latin words and digit runs are split from each other ("3pm", "Oct2", "H2"); Chinese is cut by longest match against the
vocabulary, the rest character by character. Numbers, however written ("21", "twenty one", "二十一", "二零零四"), become
one token of class N.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sgraph.chronology.words import CJK_DIGITS, CJK_POWERS, SIMPLIFIED, TENS, WORDS

_CJK = "\u3007\u4e00-\u9fff"
_SCAN = re.compile(rf"[0-9]+|[{_CJK}]|[^\W\d_{_CJK}]+|\S")
_FOLD = str.maketrans("０１２３４５６７８９：／－．，（）～〜~’‘–—−", "0123456789:/-.,()---''---") | SIMPLIFIED
_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_VERBS = frozenset({"may", "march"})  # months only with a capital, or in company
_NUMERALS = CJK_DIGITS.keys() | CJK_POWERS.keys()


class Number(int):
    """A whole number that remembers with how many digits it was written (0: in words)."""

    digits: int

    def __new__(cls, value: int, digits: int = 0) -> Number:
        """Make the number."""
        number = super().__new__(cls, value)
        number.digits = digits
        return number


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign: its folded form, its place in the text, and its classes with their values."""

    key: str
    start: int
    end: int
    classes: tuple[tuple[str, Any], ...] = ()


def _longest() -> dict[str, tuple[str, ...]]:
    """List the Chinese words of the vocabulary by first character, the longest first."""
    by_first: dict[str, list[str]] = {}
    for word in WORDS:
        if ord(word[0]) > 0x3000:
            by_first.setdefault(word[0], []).append(word)
    return {first: tuple(sorted(words, key=len, reverse=True)) for first, words in by_first.items()}


_CHINESE = _longest()


def fold(text: str) -> str:
    """Fold full-width signs, typographic quotes and dashes and traditional characters, one for one: offsets stay."""
    return text.translate(_FOLD)


def teach(words: set[str]) -> None:
    """Add Chinese words that the rules name literally, so that the text is cut along them."""
    for word in words:
        known = _CHINESE.get(word[0], ())
        if word not in known:
            _CHINESE[word[0]] = tuple(sorted((*known, word), key=len, reverse=True))


def tokenize(text: str) -> list[Token]:
    """Cut `text` into tokens, in order; white space is not a token."""
    folded = fold(text)
    tokens: list[Token] = []
    skip = 0
    for match in _SCAN.finditer(folded):
        start, end = match.span()
        if start < skip:
            continue
        word = match[0]
        first = word[0]
        if "0" <= first <= "9":
            tokens.append(Token(word, start, end, (("N", Number(int(word[:18]), len(word))),)))
        elif first in _NUMERALS or first in _CHINESE:
            token = _chinese(folded, start)
            tokens.append(token)
            skip = token.end
        else:
            key = word.lower()
            classes = tuple(WORDS.get(key, ()))
            if key in _VERBS and word == key:
                classes = tuple(("LOWMONTH", value) for _, value in classes)
            _append(tokens, Token(key, start, end, classes))
    return tokens


def _append(tokens: list[Token], token: Token) -> None:
    """Add a Latin word, joining what makes one number with it: 21 + st, twenty + one, twenty + first."""
    if (
        tokens
        and token.key in _SUFFIXES
        and tokens[-1].end == token.start
        and (value := _number(tokens[-1])) is not None
    ):
        last = tokens.pop()
        tokens.append(Token(last.key + token.key, last.start, token.end, (("ORD", value),)))
        return
    at = -2 if len(tokens) > 1 and tokens[-1].key == "-" else -1
    if len(tokens) >= -at and tokens[at].key in TENS:
        for cls, value in token.classes:
            if cls in ("N", "ORD") and 1 <= value <= 9:
                start, total = tokens[at].start, tokens[at].classes[0][1] + value
                del tokens[at:]
                tokens.append(Token(f"{total}", start, token.end, ((cls, Number(total) if cls == "N" else total),)))
                return
    if token.classes and token.classes[0][0] == "N":
        token = Token(token.key, token.start, token.end, (("N", Number(token.classes[0][1])),))
    tokens.append(token)


def _number(token: Token) -> Number | None:
    value = token.classes[0][1] if token.classes else None
    return value if isinstance(value, Number) else None


def _chinese(text: str, start: int) -> Token:
    """Read the Chinese word or numeral that begins at `start`, the longest first."""
    for word in _CHINESE.get(text[start], ()):
        if word not in _NUMERALS and (end := _end_of(word, text, start)):
            return Token(word, start, end, tuple(WORDS.get(word, ())))
    end = start
    while end < len(text) and text[end] in _NUMERALS and end - start < 12:
        end += 1
    if end == start:
        return Token(text[start], start, start + 1)
    number = numeral(text[start:end])
    spelt = (("SPELT", number),) if number.digits == 2 else ()
    return Token(text[start:end], start, end, (("N", number), *spelt))


def _end_of(word: str, text: str, start: int) -> int:
    """Tell where `word` ends if it begins at `start`, 0 if it does not; its signs may be set apart (这 个 月)."""
    if text.startswith(word, start):
        return start + len(word)
    if text[start + 1 : start + 2] != " ":
        return 0
    spaced = " ".join(word)
    return start + len(spaced) if text.startswith(spaced, start) else 0


def numeral(word: str) -> Number:
    """Read a Chinese numeral: positional (二零零四), with powers (两千零四, 二十一, 廿五), or rough (三四: 3)."""
    if len(word) == 2 and (first := CJK_DIGITS.get(word[0], 0)) > 0 and CJK_DIGITS.get(word[1]) == first + 1:
        return Number(first)
    if not any(sign in CJK_POWERS for sign in word):
        return Number(int("".join(str(CJK_DIGITS[sign]) for sign in word)), len(word) if len(word) > 1 else 0)
    total = pending = 0
    for sign in word:
        if sign in CJK_DIGITS:
            pending = CJK_DIGITS[sign]
        elif (power := CJK_POWERS[sign]) in (20, 30):
            total += power
        else:
            total += (pending or 1) * power
            pending = 0
    return Number(total + pending)
