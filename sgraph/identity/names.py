"""Names: when two spellings are one name, and where a short form may be looked up.

Two kinds of key, so that resolving a mention needs key look-ups only, never a scan over entities:

- `key(kind, display)` is the primary key of a `Name` node. Equal keys are one name, without further evidence.
- `lookup_keys(kind, display)` are buckets for short forms ("Alex", "A. Moreau" for "Alex Moreau"). They carry `~`
  where a primary key carries `:`, so a bucket is never mistaken for a name. Whoever introduces an entity registers the
  buckets as further `Name` nodes with a `NAMES` edge to it, resting on the Event that introduced the full name; a
  mention asks for the same buckets, and `is_short_form` decides on what is found. Two people in one bucket are two
  edges: the ambiguity is there to be seen.

The rule throughout is that a wrong merge costs more than a missed one. Digits, versions, part numbers and acronyms of
up to four letters match exactly or not at all; accents are kept in the key (José and Jose are a *possible* match).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

Relation = Literal["same", "possible", "different"]

SHORT = 4
"""Up to this many letters a name may be an acronym, and nothing about it is folded but case and outer marks."""

_QUOTES = "\"'`“”„«»‹›「」『』《》〈〉"
_OUTER = ",;:、。，；："  # a sentence's marks around a name; "!" and "+" stay, they are part of some names
_SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ", "'"),
        **dict.fromkeys("‐‑‒–—―−﹘﹣", "-"),
        **dict.fromkeys("・•‧∙⋅", "·"),
    }
)
_MARKS = dict.fromkeys(map(ord, "™®©℠"))  # NFKC would turn ™ into two letters
_DOTTED_I = "i\u0307"  # what case folding makes of the capital in İstanbul
_CJK = r"\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_CJK_GAP = re.compile(rf"(?<=[{_CJK}]) (?=[{_CJK}])")
_CJK_ONLY = re.compile(rf"[{_CJK}]+")
_SEPARATOR = re.compile(r"(?<=[^\W\d_])[-_]+(?=[^\W\d_])")
_INITIAL_DOT = re.compile(r"(?<!\w)([^\W\d_])\. ?(?=\w)")
_ARTICLES = re.compile(r"^(?:the )+")
_WORD_DOT = re.compile(r"(?<=\w)\.(?=[ ,]|$)")

# Titles that anyone can bear; with the surname alone they point at a full name ("Dr. Chen").
_NEUTRAL_TITLES = frozenset({"dr", "doctor", "prof", "professor"})
# Titles that one of two people with a surname bears; alone with it they are not enough ("Mr. Khan", "Mrs. Khan").
_TITLES = _NEUTRAL_TITLES | {
    *("mr", "mrs", "ms", "miss", "mx", "sir", "dame", "madam"),
    *("herr", "frau", "señor", "señora", "monsieur", "madame", "mme"),
}
_DEGREES = frozenset({"phd", "ph.d", "md", "m.d", "esq", "msc", "mba"})
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})
_CONJUNCTIONS = frozenset({"and", "&", "or"})
# Written after the name. 先生 and 女士 are left out as Mr and Mrs are not neutral, 君 and 氏 as names may end in them.
_CJK_TITLES = (
    *("老师", "老師", "教授", "博士", "医生", "醫生"),
    *("さん", "くん", "ちゃん", "様", "선생님", "씨", "님"),
)
# Legal forms of an organization, each with the short spelling it is compared by.
_LEGAL_FORMS = {
    **{form: form for form in ("inc", "ltd", "llc", "llp", "plc", "corp", "co", "gmbh", "ag", "kg", "se", "bv", "b.v")},
    **{form: form for form in ("nv", "oy", "ab", "as", "sa", "s.a", "sarl", "srl", "s.r.l", "spa", "s.p.a", "pty")},
    "incorporated": "inc",
    "limited": "ltd",
    "corporation": "corp",
    "company": "co",
}
_LEGAL_PREFIX = re.compile(r"^(?:株式会社|有限会社|ооо|оао|зао|ао)\s*(?=\S)")
_LEGAL_SUFFIX = re.compile(r"(?<=..)(?:股份有限公司|有限责任公司|有限公司|株式会社|有限会社|주식회사)$")


@lru_cache(maxsize=4096)
def normalise(display: str, kind: str = "") -> str:
    """Return the spelling that stands for every harmless variant of a name.

    NFKC (but for ² and its like) and case folding; invisible characters, outer quotes and sentence marks and a
    possessive 's go; white space becomes one space, and none between two CJK characters. Hyphens and underscores
    between letters become a space unless the name holds a digit or is as short as an acronym. Other punctuation and
    accents stay: "C++", ".NET", "@halden/jet-native", "José".
    For kind `person` titles and degrees go where at least two words are left ("Dr. Alice Chen", but "Dr. Chen" keeps
    its title: Mr. and Mrs. Khan are two people) and an initial loses its dot; for `organization` the comma before the
    legal form and the dots of abbreviations. Idempotent; empty only for a blank name.
    """
    text = _clean(display)
    while (shorter := _clean(_fold(_for_kind(text, kind), kind))) != text:
        text = shorter
    return text


def key(kind: str, display: str) -> str:
    """Return the primary key of the `Name` node: kind and normalised name. Names of two kinds never share one."""
    return f"{kind}:{normalise(display, kind)}"


def relation(a: str, b: str, kind: str) -> Relation:
    """Say what two names of one kind are to each other, from the spelling alone; symmetric.

    `same`: one key. `possible`: one is a short form of the other, so a thread may settle it. `different`: the rest;
    nicknames, translations and transliterations among them, which only an explicit statement joins.
    """
    if normalise(a, kind) == normalise(b, kind):
        return "same"
    return "possible" if is_short_form(a, b, kind) or is_short_form(b, a, kind) else "different"


def is_short_form(short: str, full: str, kind: str) -> bool:
    """Tell whether `short` may stand for `full`: it says less, and nothing that `full` does not say.

    Person: first name, initials, a middle name left out, surname behind a neutral title. Organization: the legal form
    left out. Place: what follows the comma left out. Any kind but person: the article or a separator left out. All:
    accents left out. A surname alone is no short form.
    """
    a, b = normalise(short, kind), normalise(full, kind)
    if a == b:
        return False
    if kind == "person":
        if _CJK_ONLY.fullmatch(a) and _CJK_ONLY.fullmatch(b):
            return _is_cjk_short(a, b)
        return _is_person_short(short, full)
    return a in _variants(b, kind) or (len(_squeeze(a)) > SHORT and _squeeze(a) == _squeeze(b))


def lookup_keys(kind: str, display: str) -> tuple[str, ...]:
    """Return the buckets to register for a name and to ask for a mention: at most four, in a fixed order.

    Whenever `is_short_form(a, b, kind)` holds, `a` and `b` share a bucket. The converse does not hold: what a bucket
    returns is to be judged by `is_short_form`.
    """
    name = normalise(display, kind)
    if not name:
        return ()
    if kind != "person":
        buckets = [_stem(name, kind)]
    elif _CJK_ONLY.fullmatch(name):
        stem = _without_cjk_title(name)
        given = stem[1:] if len(stem) == 3 else stem
        buckets = [stem, given, stem[:1], stem[:2]] if len(stem) <= 4 else [stem]
    else:
        words = [_plain(word).replace("-", "") for word in _person_words(display)[1]]
        first, last = words[0], words[-1]
        buckets = [first, last] if len(words) > 1 else [first]
        if len(words) > 1:
            buckets += [f"{first[:1]} {last}", f"{first[:1]} {last[:1]}"]
    return tuple(dict.fromkeys(f"{kind}~{bucket}" for bucket in buckets if bucket))


# Spelling.


def _clean(text: str) -> str:
    """Fold what never carries identity, in any kind of name; idempotent, never empty for a text that is not blank."""
    before = None
    cleaned = text
    while cleaned and cleaned != before:
        before = cleaned
        cleaned = _compatible(_compatible(cleaned.translate(_MARKS)).casefold())
        cleaned = "".join(map(_visible, cleaned)).translate(_SPELLINGS).replace(_DOTTED_I, "i")
        cleaned = _CJK_GAP.sub("", " ".join(cleaned.split()))
        cleaned = _unquoted(cleaned.strip(_OUTER + " ")).rstrip(".").removesuffix("'s")
    return cleaned or before or text.strip()


def _compatible(text: str) -> str:
    """NFKC but for numerals of the kind of ² and ①, which it would turn into digits: 10² is not 102."""
    if text.isascii():
        return text
    runs = groupby(text, key=lambda char: unicodedata.category(char) == "No")
    return "".join("".join(run) if numeral else unicodedata.normalize("NFKC", "".join(run)) for numeral, run in runs)


def _visible(char: str) -> str:
    match unicodedata.category(char):
        case "Cf":
            return ""
        case "Cc":
            return " "
        case "Cs":  # half a character: the stores show it as U+FFFD, so the key does too
            return "\ufffd"
    return "" if "\ufe00" <= char <= "\ufe0f" else char  # variation selectors


def _unquoted(text: str) -> str:
    opened = text.lstrip(_QUOTES)
    closed = opened.rstrip(_QUOTES)
    measure = opened == text and closed[-1:].isdigit()  # 27" is not 27
    return text if measure else closed


def _has_digit(text: str) -> bool:
    return any(unicodedata.category(char)[0] == "N" for char in text)


def _fold(text: str, kind: str) -> str:
    """Separators are noise between the words of a name, and identity in a part number or an acronym."""
    words = kind == "person" or sum(map(str.isalpha, text)) > SHORT
    return _SEPARATOR.sub(" ", text) if words and not _has_digit(text) else text


def _plain(text: str) -> str:
    """Drop accents from Latin and Greek letters; in other scripts the marks make another letter (й, が)."""
    return "".join(d[0] if (d := unicodedata.normalize("NFD", char))[0] < "\u0400" else char for char in text)


def _squeeze(name: str) -> str:
    return name if _has_digit(name) else name.replace(" ", "")


def _for_kind(text: str, kind: str) -> str:
    if kind == "person":
        return _person_text(text)
    if kind == "organization":
        text = _WORD_DOT.sub("", text)
        head, comma, tail = text.rpartition(",")
        return f"{head}{tail}" if comma and tail.strip() in _LEGAL_FORMS else text
    return text


# People.


def _person_text(text: str) -> str:
    """Drop titles, degrees and the dots of initials; a name with a digit is a handle and stays as it is."""
    if _has_digit(text):
        return text
    head, _, tail = text.partition(",")
    if tail.strip().rstrip(".") in _DEGREES:
        text = head
    text = _WORD_DOT.sub("", _INITIAL_DOT.sub(r"\1 ", text))
    while (parts := text.split(" "))[0] in _TITLES and len(parts) > 2:
        text = " ".join(parts[1:])
    return text


def _person_words(display: str) -> tuple[str, list[str]]:
    """Return the first title ("" if none) and the other words, hyphenated ones whole: Anne is not Anne-Marie."""
    title, *rest = _WORD_DOT.sub("", _INITIAL_DOT.sub(r"\1 ", _clean(display))).split(" ")
    if title not in _TITLES or not rest:
        title = ""
    text = _person_text(_clean(display))
    words = [word for word in re.split("[ ·]", text) if word] or [text]
    return title, words[1:] if len(words) > 1 and words[0] in _TITLES else words


def _is_person_short(short: str, full: str) -> bool:
    (title, few), (full_title, many) = _person_words(short), _person_words(full)
    if _has_digit("".join(few + many)) or not _is_one_person(many):
        return False
    if title and len(few) == 1:
        return len(many) > 1 and few[0] == many[-1] and (title in _NEUTRAL_TITLES or title == full_title)
    if few == many:
        return bool(full_title) and not title
    if len(few) > 1 and _GENERATIONS.intersection(few) != _GENERATIONS.intersection(many):
        return False
    if len(few[0]) == 1 and (len(few) == 1 or not _abbreviates(few[-1], many[-1])):
        return False  # one letter alone says too little
    left = iter(many)
    return _abbreviates(few[0], next(left)) and all(any(_abbreviates(word, full) for full in left) for word in few[1:])


def _is_one_person(words: list[str]) -> bool:
    """Not a couple ("Alex and Lena"), nor somebody by way of another ("Alex's mother")."""
    return not _CONJUNCTIONS.intersection(words) and not any(word.endswith("'s") for word in words)


def _abbreviates(word: str, full: str) -> bool:
    plain = _plain(full)
    return word in (full, plain, plain.replace("-", "")) or (len(word) == 1 and word == plain[:1])


def _without_cjk_title(name: str) -> str:
    for title in _CJK_TITLES:
        if name.endswith(title) and len(name) > len(title):
            return name.removesuffix(title)
    return name


def _is_cjk_short(short: str, full: str) -> bool:
    """Given name of a three-character name (小明, 王小明), or family name and title (王老师, 田中さん)."""
    family, stem = _without_cjk_title(short), _without_cjk_title(full)
    if stem != full:  # 田中 for 田中さん
        return short == stem
    if family != short:
        return full.startswith(family) and len(family) < len(full) <= min(4, len(family) + 2)
    return len(full) == 3 and short == full[1:]


# Everything else.


def _variants(name: str, kind: str) -> set[str]:
    """Every spelling that says less than this one."""
    found = {name, name.removeprefix("the ")}
    if kind == "organization":
        found |= {form for text in found for form in _without_legal_forms(text)}
    if kind == "place":
        found |= {text.partition(",")[0] for text in found}
    if not _has_digit(name):
        found |= {_plain(text) for text in found if len(text) > SHORT}
    return {text for text in found if not (name.startswith("the ") and len(text) <= SHORT)}


def _stem(name: str, kind: str) -> str:
    """The spelling that all variants of a name reduce to."""
    text = name
    if kind == "organization":
        text = _without_legal_forms(text)[-1]
    if kind == "place":
        text = text.partition(",")[0]
    return _squeeze(_plain(_ARTICLES.sub("", text)))


def _without_legal_forms(name: str) -> list[str]:
    """Return the name with its legal form in the usual spelling, then without it; the last one has none at all."""
    found = [name]
    head, _, last = name.rpartition(" ")
    while not set(head.split()) <= {"the"} and (form := _LEGAL_FORMS.get(last)):
        found += [f"{head} {form}", head]
        head, _, last = head.rpartition(" ")
    return [*found, _LEGAL_SUFFIX.sub("", _LEGAL_PREFIX.sub("", found[-1]))]
