"""Text to terms: what is indexed and what is searched for, for every script, without a model.

Frozen: an index holds what `terms` gave, so any change here must raise `VERSION`, which makes every index be rebuilt.

How a text becomes terms, in this order:

1. Unicode NFKC (full-width, half-width, ligatures), invisible characters removed (zero-width, bidi marks, soft hyphen).
2. Runs of scripts written without spaces are cut off from their neighbours ("GPU节点" is two runs).
3. Words, with what holds identifiers together kept: `C++`, `C#`, versions, addresses and amounts ("10.0.0.7",
   "1,200") are one term; "well-known", "user_id", "getUserName" give the whole without its joints, and their parts.
4. Each word is case-folded, freed of accents and of vowel points, and stemmed (English for Latin script, Russian for
   Cyrillic; the article is cut from Arabic and Hebrew words). English irregular forms meet their base first.
5. Han, kana and Hangul runs give overlapping pairs and single characters; Thai, Lao, Khmer and Burmese runs give
   pieces of three and four characters, so that one shared consonant is never a match.

Function words are not terms, unless they are written as a name ("US", "Will"); at the start of a sentence of a
question the capital is no sign of one.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import version

from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from sgraph.records.base import Record

#: Names the analysis that made an index; the stemmer is part of it.
VERSION = f"1/{version('snowballstemmer')}"

#: A longer text is analysed at its two ends: this many characters from its start, and half as many from its end.
TEXT_LIMIT = 2_000_000
#: A longer term is cut to this many characters, in the index and in the question alike.
TERM_LIMIT = 64
#: A question keeps this many different terms, half from its start and half from its end.
QUERY_LIMIT = 64


class QueryTerms(Record):
    """What a question asks for.

    `terms` are unique and in the order of the question; empty means the question has no usable term. `cut` counts the
    terms that were left out because there were more than `QUERY_LIMIT`.
    """

    terms: tuple[str, ...]
    cut: int = 0


# Articles, pronouns, prepositions, conjunctions, auxiliaries, contractions (without apostrophe), question words.
_STOP_TEXT = """
a an the this that these those i me my mine myself you your yours yourself he him his himself she her hers
herself it its itself we us our ours ourselves they them their theirs themselves one ones some any each every
either neither both all such same other another own of in on at by for with about against between into through
during before after above below to from up down out off over under and but or nor so yet if because as until
while than then though although since upon onto within without toward towards via per am is are was were be been
being do does did doing done have has had having will would shall should can could may might must ought im ive
id ill youre youve youd youll hes shes thats theres theyre theyve theyd weve isnt arent wasnt werent dont doesnt
didnt havent hasnt hadnt wont wouldnt shouldnt cant cannot couldnt mustnt lets whats whos hows wheres whens what
which who whom whose when where why how whether there here not no just too very also only again once more most
few ever please eg ie etc
"""
_STOP = frozenset(_STOP_TEXT.split())
# Function words that are something else when written so; the capitalised ones not where a sentence begins.
_NAMES = frozenset({"US", "IT", "WHO", "Will", "May"})
# English past, participle and plural forms no stemmer can find, by base form.
_IRREGULAR_TEXT = """
begin: began begun; bite: bit bitten; blow: blew blown; break: broke broken; bring: brought; build: built; buy:
bought; catch: caught; child: children; choose: chose chosen; come: came; deal: dealt; dig: dug; draw: drew
drawn; drink: drank drunk; drive: drove driven; eat: ate eaten; fall: fell fallen; feed: fed; feel: felt; fight:
fought; find: found; fly: flew flown; foot: feet; forget: forgot forgotten; freeze: froze frozen; get: got
gotten; give: gave given; go: went gone goes; grow: grew grown; hang: hung; hear: heard; hide: hid hidden; hold:
held; keep: kept; know: knew known; lead: led; leave: left; lend: lent; life: lives; lose: lost; make: made;
man: men; mean: meant; meet: met; mouse: mice; pay: paid; person: people; ride: rode ridden; ring: rang rung;
rise: rose risen; run: ran; say: said; see: saw seen; sell: sold; send: sent; shake: shook shaken; shoot: shot;
show: shown; sing: sang sung; sink: sank sunk; sit: sat; sleep: slept; speak: spoke spoken; spend: spent; stand:
stood; steal: stole stolen; stick: stuck; strike: struck; swim: swam swum; take: took taken; teach: taught;
tell: told; think: thought; throw: threw thrown; tooth: teeth; understand: understood; wake: woke woken; wear:
wore worn; wife: wives; win: won; woman: women; write: wrote written
"""
_IRREGULAR = {
    form: base.strip()
    for base, forms in (entry.split(":") for entry in _IRREGULAR_TEXT.replace("\n", " ").split(";"))
    for form in forms.split()
}
# Pairs and single characters that carry grammar only; they are indexed but never searched for.
_GRAMMAR_TEXT = """
什么 怎么 为什 哪里 哪个 我们 你们 他们 她们 这个 那个 一个 可以 的 了 吗 呢 是 在 我 你 他 她 它 这 那 和 与 也 都 就
吧 啊
です ます でし まし した して する から まで こと もの これ それ あれ ここ どこ いつ なに ので けど
は が を に の で と も へ や か ね よ た
습니 니다 니까 있습 어디 언제 무엇 누가 에서 으로 에게 까지 부터 하는 했다 는 은 이 가 를 을 에 의 도 와 과
"""
_GRAMMAR = frozenset(_GRAMMAR_TEXT.split())

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]+"
)
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_PAIRED = f"[{_HAN}]+|[\u3041-\u309f]+|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+|[\uac00-\ud7a3]+"
_UNSPACED = "[\u0e01-\u0e4e\u0e81-\u0ecd\u1000-\u109d\u1780-\u17d3]+"
_RUN = re.compile(f"{_PAIRED}|{_UNSPACED}")
_UNSPACED_RUN = re.compile(_UNSPACED)
_HIGH = re.compile("[\u0e00-\U0010ffff]")
# Letters and digits are \w; the signs written over or beside letters are not, and belong to the word all the same.
_OVER = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
_W = f"[\\w{_OVER}\u0900-\u0963\u0966-\u0dff\u0e01-\u0ecd\u0f71-\u0f84\u1000-\u109d\u1780-\u17d3]"
_NUMBER = re.compile(r"[vV]?\d+(?:[.,:]\d+)+")  # versions, addresses, amounts, times
_TOKEN = re.compile(
    r"(?<!\w)[A-Za-z](?:\+\+|#)(?![A-Za-z#+])"  # C++, C#
    rf"|(?<![\w.]){_NUMBER.pattern}"
    rf"|{_W}+(?:[-.'‘’‐‑]{_W}+)*"
    "|[\u2600-\u27bf\U0001f300-\U0001faff]"  # a picture character says something too
    r"|[.!?\n:]"  # where a sentence begins anew
)
_JOINTS = re.compile(r"[-.'‘’‐‑_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+")
_HUMP_LIMIT = 6  # more parts than any name in code has: an encoded value
_MARK = re.compile(f"[{_OVER}]+")
_ALIKE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ς": "σ"}
    | {"ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ٱ": "ا"}
)
_ARABIC_ARTICLE = re.compile("(?:[وفبك]?ال|لل)(?=..)")
_HEBREW_ARTICLE = re.compile("ה(?=...)")


def _locked(stem: Callable[[str], str]) -> Callable[[str], str]:
    """A stemmer object keeps its word in itself, so two threads must not use it at once."""
    lock = threading.Lock()

    def one_at_a_time(word: str) -> str:
        with lock:
            return stem(word)

    return one_at_a_time


# What is done to a folded word, by the script of its first letter.
_SCRIPTS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (re.compile("[a-z]"), _locked(EnglishStemmer().stemWord)),
    (re.compile("[а-я]"), _locked(RussianStemmer().stemWord)),
    (re.compile("[ء-ي]"), lambda word: _ARABIC_ARTICLE.sub("", word, count=1) if _ARABIC_ARTICLE.match(word) else word),
    (re.compile("[א-ת]"), lambda word: word[1:] if _HEBREW_ARTICLE.match(word) else word),
)


def clean(text: str) -> str:
    """Give the text as it is read for terms: NFKC, without invisible characters, bounded by `TEXT_LIMIT`."""
    if len(text) > TEXT_LIMIT * 3 // 2:
        text = f"{text[:TEXT_LIMIT]}\n{text[-TEXT_LIMIT // 2 :]}"
    return text if text.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def fold(word: str) -> str:
    """Give a word without case, accents, vowel points and letter variants: two spellings of one word become equal."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFC", _MARK.sub("", unicodedata.normalize("NFD", word.casefold())))
    return plain.translate(_ALIKE)


def terms(text: str) -> list[str]:
    """Give the terms of a text in its order, repeats kept: what an index holds of it.

    Linear in the length of the text (about half a second for a megabyte); a text over one and a half times
    `TEXT_LIMIT` is read at its two ends only. Any string is accepted, lone surrogates and NUL included.
    """
    return [term for token in _tokens(text) for term, _ in _read(token, False)]


def query_terms(text: str) -> QueryTerms:
    """Give the terms a question asks for: unique, in order, at most `QUERY_LIMIT`; nothing in it is an operator.

    A question with more keeps those at its two ends, for a pasted log carries its question before or behind it.
    """
    tokens = _tokens(text)
    opens = [before in _ENDS for before in (".", *tokens)]
    read = [pair for token, start in zip(tokens, opens, strict=False) for pair in _read(token, start)]
    read = read or [pair for token in tokens for pair in _read(token, False)]
    least = max((use for _, use in read), default=_NEVER) or _WEAK
    found = list(dict.fromkeys(term for term, use in read if use >= least))
    cut = max(0, len(found) - QUERY_LIMIT)
    if cut:
        found = found[: QUERY_LIMIT // 2] + found[-QUERY_LIMIT // 2 :]
    return QueryTerms(terms=tuple(found), cut=cut)


# A sentence begins after one of these.
_ENDS = frozenset(".!?\n:")
# Whether a question searches for a term. Hiragana is mostly grammar: searched for only when there is nothing else.
_NEVER, _WEAK, _ALWAYS = 0, 1, 2


def _tokens(text: str) -> list[str]:
    """Cut a text into words, runs of scripts without spaces, and the signs after which a sentence begins."""
    text = clean(text)
    return _TOKEN.findall(_RUN.sub(r" \g<0> ", text) if _HIGH.search(text) else text)


def _read(token: str, start: bool) -> tuple[tuple[str, int], ...]:
    """Give the terms of one token, each with its use in a question; `start` says that it opens a sentence."""
    return _remembered(token, start) if len(token) <= TERM_LIMIT else _terms(token, start)


def _terms(token: str, start: bool) -> tuple[tuple[str, int], ...]:
    if token in _ENDS:
        return ()
    run = _RUN.match(token)
    return tuple(_pieces(run.group())) if run else tuple((term, _ALWAYS) for term in _split(token, start))


_remembered = lru_cache(maxsize=1 << 16)(_terms)


def _pieces(run: str) -> Iterator[tuple[str, int]]:
    """Cut a run of a script without spaces; a question searches for its longest pieces only."""
    sizes = (3, 4) if _UNSPACED_RUN.match(run) else (1, 2)
    searched = min(len(run), sizes[1])
    use = _WEAK if "\u3041" <= run[0] <= "\u309f" else _ALWAYS
    if len(run) < sizes[0]:
        yield run, _ALWAYS
    for size in sizes:
        for at in range(len(run) - size + 1):
            piece = run[at : at + size]
            yield piece, use if size == searched and piece not in _GRAMMAR else _NEVER


def _split(token: str, start: bool) -> tuple[str, ...]:
    """Give the terms of one word; at the start of a sentence a capital is no sign of a name."""
    if token[-1] in "+#":
        return (token.lower(),)
    if _NUMBER.fullmatch(token):
        return (token.lstrip("vV").replace(",", "")[:TERM_LIMIT],)
    word = re.sub("['‘’]s$", "", token)
    parts = [part for part in _JOINTS.split(word) if part]
    if len(token) <= TERM_LIMIT and not word.islower() and word.isascii():
        humps = [hump for part in parts for hump in (_HUMP.findall(part) if not part.isupper() else (part,))]
        parts = humps if len(humps) <= _HUMP_LIMIT else parts
    if len(parts) <= 1:
        return _plain(word, start)
    whole = fold("".join(parts))
    if whole in _STOP:
        return ()
    inner = (
        term
        for part in parts
        if len(part) > 1 and not (part.isdigit() and len(part) < 3)
        for term in _plain(part, start)
    )
    return tuple(dict.fromkeys((*_plain("".join(parts), False), *inner)))


def _plain(word: str, start: bool) -> tuple[str, ...]:
    """Give the term of a word without joints: none for a function word that is not written as a name."""
    folded = fold(word)
    if not folded:
        return ()
    if folded in _STOP:
        return (folded,) if word in _NAMES and not (start and word.istitle()) else ()
    if not folded.isalpha() or len(folded) > TERM_LIMIT // 2:
        return (folded[:TERM_LIMIT],)
    folded = _IRREGULAR.get(folded, folded)
    for script, stem in _SCRIPTS:
        if script.match(folded):
            return (stem(folded),)
    return (folded,)
