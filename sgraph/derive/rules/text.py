"""From a message to sentences of prose, and from a sentence to tokens with their place in the message.

Code, logs, JSON, block quotes and comments are not prose and yield nothing; words between quotation marks or backticks
become one opaque token, so that nobody is held to a quotation. Every offset counts in the message's content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sgraph.derive.rules import words

MAX_SENTENCE = 200  # tokens; what runs on longer without a full stop is a list or a log
MAX_PROSE = 20_000  # characters read per message; what is longer is a document, not a statement

_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE_LINE = re.compile(
    r"""\s{4,}\S | \t | \s*(?:>|\#|//|/\*|\*/|--\s|<!--|<[A-Za-z/!?]|[{}\[\]]|\$\s|@@|\+\+\+|import\s
        |from\s+\S+\s+import|def\s|class\s
        |return\b|(?:const|let|var)\s+\w+\s*=|Traceback\b|File\s"|at\s\w[\w.$]*\(|[\w.]*(?:Error|Exception|Warning):
        |\[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d|(?:ERROR|WARN|INFO|DEBUG|FATAL|TRACE)\b|SELECT\s|INSERT\s|"[\w-]+"\s*:)""",
    re.VERBOSE,
)
_CODE_END = re.compile(r"[;{}]\s*$|=>|:=|==|\w\(\)|</")
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_ABBREVIATIONS = words.word_set(
    """
    mr mrs ms dr prof st vs etc e.g i.e eg ie no co inc ltd approx jr sr fig a.m p.m u.s
    """
)

_TOKEN = re.compile(
    r"""(?P<code>`[^`\n]+`)
      | (?P<quote>"[^"\n]*" | “[^”\n]*” | «[^»\n]*» | 「[^」\n]*」 | 『[^』\n]*』
                 | (?<![\w])['‘](?=\w)[^'’\n]{1,80}(?:['’](?=\w)[^'’\n]{0,80})*['’](?!\w))
      | (?P<link>https?://\S+ | www\.\S+ | [\w.+-]+@[\w-]+\.[\w.]+)
      | (?P<number>[$€£]?\d[\d.,:/]*\d(?:\w+)? | [$€£]?\d\w*)
      | (?P<word>[^\W\d_](?:\w|[-@/&'’](?=\w)|\.(?=[a-z0-9]{1,4}\b))*[+\#]*)
      | (?P<mark>\.{2,} | …+ | [^\w\s])""",
    re.VERBOSE,
)
_CONTRACTED: dict[str, tuple[str, ...]] = {
    "i'm": ("i", "am"), "im": ("i", "am"), "ive": ("i", "have"), "i'ma": ("i", "will"), "can't": ("can", "not"),
    "cant": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "wont": ("will", "not"),
    "shan't": ("shall", "not"), "dont": ("do", "not"), "didnt": ("did", "not"), "doesnt": ("does", "not"),
    "isnt": ("is", "not"), "wasnt": ("was", "not"), "ain't": ("am", "not"), "let's": ("let's",), "gonna": ("going",
    "to"), "gotta": ("must",), "wanna": ("want", "to"), "finna": ("going", "to"),
}  # fmt: skip
_SUFFIXES = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "'d", "'s": "'s", "'m": "am"}
_IS_HOSTS = words.word_set("he she it that there here what who where how when one this")


@dataclass(frozen=True, slots=True)
class Token:
    """One token: the words as written, `low` = lower case with contractions undone ("n't" is not), kind and place."""

    text: str
    low: str
    kind: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Tell whether the word is written like a name."""
        return self.kind == "word" and self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A run of tokens up to the mark that ended it ("", ".", "?", "!", ":")."""

    tokens: tuple[Token, ...]
    end_mark: str
    text: str
    start: int


def prose_lines(content: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of every line that is prose, without its bullet."""
    fenced, position = False, 0
    for line in content[:MAX_PROSE].splitlines(keepends=True):
        start, position = position, position + len(line)
        bare = line.rstrip()
        if _FENCE.match(bare):
            fenced = not fenced
        elif bare and not fenced and not _CODE_LINE.match(bare) and not _CODE_END.search(bare):
            bullet = _BULLET.match(bare)
            yield start + (bullet.end() if bullet else 0), start + len(bare)


def _tokens(content: str, start: int, end: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(content, start, end):
        kind, text = found.lastgroup or "mark", found.group()
        if kind == "word":
            yield from _words(text, found.start())
        else:
            if kind == "number" and text[-1] in ".,:/":
                text = text.rstrip(".,:/")
            yield Token(text, text.lower(), kind, found.start(), found.start() + len(text))


def _words(text: str, start: int) -> Iterator[Token]:
    low = text.lower().replace("’", "'")
    end = start + len(text)
    if parts := _CONTRACTED.get(low):
        cut = start + (len(parts[0]) if low.startswith(parts[0]) and len(parts) > 1 else 0)
        for part in parts:
            first = part is parts[0]
            left, right = (start, cut if cut > start else end) if first else (cut, end)
            yield Token(text[left - start : right - start], part, "word", left, right)
        return
    at = low.rfind("n't") if low.endswith("n't") else low.rfind("'")
    suffix = _SUFFIXES.get(low[at:]) if at > 0 else None
    if suffix is None:
        yield Token(text, low, "word", start, end)
        return
    host = low[:at]
    if suffix == "'s" and host in _IS_HOSTS:
        suffix = "is"
    yield Token(text[:at], host, "word", start, start + at)
    yield Token(text[at:], suffix, "word", start + at, end)


def sentences(content: str) -> Iterator[Sentence]:
    """Yield the sentences of the prose in a message, in order."""
    for start, end in prose_lines(content):
        run: list[Token] = []
        for token in _tokens(content, start, end):
            if token.kind == "mark" and _ends_sentence(token, run, content):
                yield from _sentence(run, token.text[0], content)
                run = []
            else:
                run.append(token)
        yield from _sentence(run, "", content)


def _ends_sentence(mark: Token, run: list[Token], content: str) -> bool:
    if mark.text[0] in "!?。！？;；" or ord(mark.text[0]) > 0x2BFF:
        return True
    if mark.text[0] not in ".…":
        return False
    after = content[mark.end : mark.end + 2]
    if after[:1] and not after[0].isspace() and not after[0].isupper() and after[0] not in "\"'”’)":
        return False
    last = run[-1] if run else None
    if last is None or (after[:1].isspace() and not after[1:2].isspace() and after[1:2].islower() and mark.text != "."):
        return last is None
    if last.low in _ABBREVIATIONS or (len(last.text) == 1 and last.capital and last.low != "i"):
        return not after.strip()
    return True


def _sentence(run: list[Token], mark: str, content: str) -> Iterator[Sentence]:
    if len(run) <= MAX_SENTENCE and any(token.kind != "mark" for token in run):
        start, end = run[0].start, run[-1].end
        yield Sentence(tuple(run), mark, content[start:end], start)
