"""What a text states about names: explicit aliases and renames, in English and Chinese, with exact spans.

A statement is a phrase that links two names; each row of the tables is one phrase. A name that merely stands beside
another ("unlike Comet, Orbit caches") states nothing. Questions, denials, conditions and plans state nothing either,
nor does a phrase whose sides are no names. What is stated is a claim like any other: it holds while its Event does.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Literal, NamedTuple

from sgraph.identity.names import is_short_form, normalise
from sgraph.records.base import Record

Change = Literal["alias", "rename"]


class AliasStatement(Record):
    """`alias` is another name of `name`; for a rename `alias` is the old name and `name` the new one.

    `text[start:end]` is the piece that states it, from one name to the other; where a pronoun or the speaker stands for
    the name, from the phrase to the alias.
    """

    alias: str
    name: str
    start: int
    end: int
    change: Change


Whose = Literal["named", "antecedent", "speaker"]
"""Where the name stands: in the phrase, earlier in the text (a pronoun in the phrase), or it is who speaks."""


class _Row(NamedTuple):
    """A phrase with the groups `a`, the alias, and `n`, the name (absent where `whose` finds it elsewhere).

    A group `subject` around one of them says that it governs the verb, so it must not hang on a preposition: in "the
    tool from Comet is now called Orbit" nothing is said about Comet.
    """

    pattern: re.Pattern[str]
    change: Change
    whose: Whose = "named"


class _Side(NamedTuple):
    text: str
    start: int
    end: int


def _rows(change: Change, slots: dict[str, str], *phrases: str, whose: Whose = "named") -> list[_Row]:
    written = (re.sub(r"<\w+>", lambda slot: slots[slot[0]], phrase) for phrase in phrases)
    return [_Row(re.compile(pattern), change, whose) for pattern in written]


# English: names are capitalised or quoted; where a phrase is explicit enough, single lower-case words too.

_UPPER = "".join(char for char in map(chr, range(0x530)) if char.isupper())
_END = r"(?!\w|['’]\w)"
_START = r"(?<![\w@./'’-])"
_INITIALS = rf"(?:[{_UPPER}]\.){{1,4}}(?= [{_UPPER}])"
_CAPITALISED = rf"(?:[{_UPPER}](?:[\w.+#&/-]{{0,60}}[\w+#])?(?:['’](?!s\b)\w{{1,60}})?{_END}|{_INITIALS})"
_QUOTED = r"[\"“‘'`][^\"”’'`\n]{1,60}[\"”’'`]"
_PARTICLE = r"(?:de|del|della|di|da|dos|la|le|van|von|der|den|bin|ibn|al|of|&)"
_NAME = rf"(?:{_START}(?:{_QUOTED}|{_CAPITALISED}(?: (?:{_PARTICLE} ){{0,2}}{_CAPITALISED}){{0,4}}))"
# A word with a digit or a sign in it, and a letter: k8s, jet_native, @halden/jet-native.
_CODE = rf"(?:{_START}(?=\w{{0,60}}[\d@/.+#_-])(?=[\d@/.+#_-]{{0,60}}[^\W\d_])@?\w(?:[\w@/.+#-]{{0,60}}[\w+#])?{_END})"
_WORD = rf"(?:{_NAME}|{_START}@?\w(?:[\w@/.+#-]{{0,60}}[\w+#])?{_END})"
# A lower-case word at the end is a name where nothing follows that it belongs to: "aka k8s.", not "aka big bear".
_LAST = rf"(?:{_NAME}|{_CODE}|{_WORD}(?= *(?:[^\w\s]|$|\n)| (?:in|on|at|by|and|but|so|because|since|last|this|when)\b))"
_ENGLISH = {
    "<a>": f"(?P<a>{_NAME}|{_CODE})",
    "<n>": f"(?P<n>{_NAME}|{_CODE})",
    "<a_only>": f"(?P<a>{_NAME})",
    "<a_word>": f"(?P<a>{_WORD})",
    "<a_last>": f"(?P<a>{_LAST})",
    "<n_last>": f"(?P<n>{_LAST})",
    "<n_subject>": f"(?P<subject>(?P<n>{_NAME}|{_CODE}))",
    "<a_subject>": f"(?P<subject>(?P<a>{_NAME}|{_CODE}))",
    "<acronym>": rf"(?P<a>{_START}[{_UPPER}]{{2,6}})",
    "<is>": r"(?: is| was| are| were| has been| had been| got)",
    "<open>": r"(?:, ?| ?\(| [-–—] ?)(?:(?:which|who|that) (?:is|was) )?",
    "<folk>": r"(?:[Ww]e|I|[Tt]hey|you|[Ee]veryone|[Ee]verybody|[Pp]eople|friends|family|colleagues)"
    r"(?: all| just| usually| always| often| sometimes| mostly)?",
    "<other>": r"(?:abbreviation|acronym|nickname|alias)",
    "<once>": r"(?:formerly|previously|originally|once)",
    "<lately>": r"(?: just| recently| since| now| officially| later)?",
}
_ENGLISH_ROWS = [
    *_rows(
        "alias",
        _ENGLISH,
        r"<a><open>short for <n_last>",
        r"<a>(?: is| was) (?:just )?(?:short|an? <other>|another name) (?:for|of) <n_last>",
        r"<acronym> stands for <n>",
        r"<n>(?:<open>|<is> | )(?:aka|AKA|a\.k\.a\.?|also known as|better known as|also called|nicknamed) <a_last>",
        r"<n_subject>(?:<open>|<is> )(?:known as|abbreviated as|abbreviated to) <a>",
        r"<n_subject>,?(?: also| now| usually| mostly| just)? goes by (?:the (?:name|nickname|alias)(?: of)? )?<a>",
        r"<n>,? or (?:simply |just )?<a>,? for short\b",
    ),
    *_rows(
        "rename",
        _ENGLISH,
        r"<n><open><once> (?:known as|called|named) <a>",
        r"<n><open>(?:formerly|previously|fka|f\.k\.a\.?) <a>",
        r"<n> ?\((?:was|ex)[ :-] ?<a>\)",
        r"<n_subject><is> <once> (?:known as|called|named) <a>",
        r"<a_subject>(?:<is><lately> |<open>(?:since |now )?)(?:renamed|rebranded)(?: to| as| into)? <n_last>",
        r"<a_subject> (?:rebranded|(?:rebranded|renamed) itself) (?:to|as|into) <n_last>",
        r"\brenamed (?:from )?<a_word> (?:to|into|as) <n_last>",
        r"\brenamed (?:the|our|my|its) (?:[a-z]+ )?<a> (?:to|into|as) <n_last>",
        r"<a_subject>(?: has| have)?<lately> changed (?:its|her|his|their) name to <n>",
        r"<a_subject>(?:,|<is>) now (?:called|named|known as) <n>",
    ),
    *_rows(
        "alias",
        _ENGLISH,
        r"\b<folk> calls? (?:him|her|it|them) <a_only>",
        r"\b(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t)(?: also| usually| mostly| just)? goe?s? by <a_only>",
        whose="antecedent",
    ),
    *_rows(
        "alias",
        _ENGLISH,
        r"\b(?:[Cc]all|<folk> calls?) me <a_only>",
        r"\bI(?: also| usually| mostly| just)? go by <a_only>",
        r"\b[Mm]y (?:full |real )?name is <a_only>",
        whose="speaker",
    ),
]

# Chinese: a name is quoted, or the run of characters up to the next mark, less the words of the table further down.

_RUN = r"(?:[「“《\"][^」”》\"\n]{1,30}[」”》\"]|[\w·.+#@/-]{1,24}(?: [A-Za-z0-9][\w.+#-]{0,23}){0,3})"
_CHINESE = {
    "<a_left>": rf"(?<![\w·.+#@/-])(?P<a>{_RUN}) ?",
    "<n_left>": rf"(?<![\w·.+#@/-])(?P<n>{_RUN}) ?",
    "<a>": rf" ?(?P<a>{_RUN})",
    "<n>": rf" ?(?P<n>{_RUN})",
    "<self>": r"(?P<a>(?![他她它你我人])[\w·]{2,4}(?<![来去走]))(?!\w)",  # not: 我叫他来, "I told him to come"
    "<open>": "[，,（(]?",
    "<short>": "(?:简称|缩写|别名|别称|外号|绰号|昵称|小名)",
    "<as>": "(?:是|为|叫做?)?",
}
_CHINESE_ROWS = [
    *_rows(
        "alias",
        _CHINESE,
        "<n_left>的<short>(?:是|为|叫做?)<a>",
        "<a_left>是<n>的<short>",
        "<n_left><open>(?:又名|又叫|又称|也叫|也称|亦称|<short>)<as><a>",
        "[把管]<n>(?:叫做?|称为|称作|简称为?)<a>",
    ),
    *_rows(
        "rename",
        _CHINESE,
        "<a_left>(?:改名|更名|改称|重命名|改叫)(?:为|叫|成|作)?<n>",
        "<a_left>现在(?:叫做?|改叫|名叫|称为)<n>",
        "<n_left><open>(?:原名|曾用名|旧称|旧名|原称|前称|以前叫做?)<as><a>",
    ),
    *_rows(
        "alias",
        _CHINESE,
        "(?:(?:大家|朋友|同事|家人|他们)[们都]*|(?<!\\w))叫我<a>",
        "(?<!\\w)我名?叫做?<self>",
        whose="speaker",
    ),
]

# Most messages say nothing about names: a language's rows are tried only where one of its cues is found.
_LANGUAGES = (
    (
        re.compile(
            r"short|a\.?k\.?a\b|f\.?k\.?a\b|known as|\bcall|name|abbrev|acronym|alias|stands for|\bgo(?:es)? by|\bex\b"
            r"|formerly|previously|originally|once|\(was|rebrand",
            re.IGNORECASE,
        ),
        _ENGLISH_ROWS,
    ),
    (re.compile("[名称叫号]|缩写"), _CHINESE_ROWS),
)

# What goes before or after a name and is no part of it.
_LEAD = re.compile(
    rf"^(?:(?:The|Our|My|His|Her|Their|Its|This|That|And|But|So|Now|Then|Also|Yesterday|Today|Because|Since|When|Yes|No"
    rf"|Well|Actually|Unlike|Like|Meet|Met|Dear|Hi|Hello) )+(?=[{_UPPER}\"“‘'`])"
    r"|^(?:.*[的把将管从由]|我们|他们|你们|大家|咱们|其实|现在|去年|今年|昨天|最近|上周|后来|于是|因为|所以|但是|我|他|她|它|这个|那个|这|那)+"
    r"(?:项目|公司|工具|产品|团队|软件|朋友|同事|同学|哥哥|弟弟|姐姐|妹妹|儿子|女儿)*(?=.)"
)
_TRAIL = re.compile(
    r"(?:已经|已|现已|后来|正式|最近|去年|今年|昨天|上周|现在|又|也|就)+$|(?<=..)(?:了|吧|呢|啊|以后|之后|就行|就好|而已|是|在).*$"
)
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "a an and any but by for from if in it its of off on or out so that the there this to up with not no "
        "i me my we us our you your he him his she her they them their who what when where which whose these those "
        "some again back here just later now old new crazy today tomorrow tonight yesterday mom mum dad "
        "ceo cto cfo coo vp director president manager chair captain professor chief head "
        "monday tuesday wednesday thursday friday saturday sunday "
        "january february march april may june july august september october november december "
        "什么 哪个 自己 我们 你们 他们 大家 这个 那个",
    )
)
# Deny within the clause, or at the end of a Chinese side; suppose or ask anywhere in the sentence before.
_DENIED = re.compile(
    r"\b(?:(?i:not|never)|no longer)\b|n['’]t\b|(?:没有?|不是?|未|别|将|将要|不会|要|想|可能|准备|应该|可以)$"
)
_SUPPOSED = re.compile(
    r"\b(?:(?i:if|would|could|should|whether|maybe|perhaps|suppose|imagine|wish|let['’]s|(?:propos|suggest|consider)\w*)"
    r"|might|may|will|(?:want|plan|go|like|hop)(?:s|e|ed|es|ned|ning|ing)? to)\b"
    r"|如果|要是|假如|是否|也许|或许|打算|计划|考虑|建议"
)
_HANGS = re.compile(
    r"\b(?i:from|of|with|by|at|in|for|to|on|like|unlike|than|about|near|vs|versus)(?: (?:the|our|my|a))? $"
)
_BREAK = re.compile(r"[.!?][)\"'”’]*(?=\s)|[。！？\n]")
_QUESTION = re.compile(r"\W*(?i:do|does|did|is|are|was|were|has|have|can|wh\w+|how)\b.*[?？]\W*$", re.DOTALL)
# Behind a comma the rest may ask: "My name is Bo, what is yours?"
_ASKED = re.compile(r"[^,;，；]*(?:[?？]|吗)\W*", re.DOTALL)
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_NICKNAME = re.compile(
    rf"{_START}(?P<first>{_CAPITALISED}) [(\"“](?P<a>{_CAPITALISED})[)\"”] (?P<last>{_CAPITALISED}(?: {_CAPITALISED})?)"
)
_ACRONYM = re.compile(rf"(?P<n>{_NAME}) \((?P<a>[{_UPPER}]{{2,6}})\)")


def statements(text: str, speaker: str | None = None) -> list[AliasStatement]:
    """Return the aliases and renames a text states, in the order of their spans, which do not overlap.

    `speaker` is the name that "call me Bo" is about; without it such statements are left out. "We call him Bo" is about
    the one name that its sentence so far, or else the sentence before, holds; with none or several it is left out.
    Fenced code is not read.
    """
    text = _FENCED.sub(lambda fence: "\n" * len(fence[0]), text)
    breaks = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    kept: list[AliasStatement] = []
    for found in (*_bracketed(text), *_phrased(text, breaks, speaker)):
        apart = all(found.end <= other.start or other.end <= found.start for other in kept)
        if apart and normalise(found.alias) != normalise(found.name):
            kept.append(found)
    return sorted(kept, key=lambda statement: statement.start)


def _phrased(text: str, breaks: list[int], speaker: str | None) -> Iterator[AliasStatement]:
    for row in (row for cue, rows in _LANGUAGES if cue.search(text) for row in rows):
        for match in row.pattern.finditer(text):
            alias = _side(match, "a")
            if alias is None or not _asserted(text, breaks, match):
                continue
            if row.whose == "named":
                name = _side(match, "n")
            else:
                name = _meant(speaker if row.whose == "speaker" else _antecedent(text, breaks, match.start()), match)
            if name is not None:
                yield _stated(alias, name, row.change)


def _bracketed(text: str) -> Iterator[AliasStatement]:
    """Read a nickname between two parts of a name, and an acronym behind the words it is made of."""
    for match in _NICKNAME.finditer(text):
        first, last = match["first"], match["last"]
        alias, name = _side(match, "a"), _Side(f"{first} {last}", *match.span())
        # Not: Alex (CEO) Moreau, Northgate (Osby) Ltd.
        if alias and alias.text.istitle() and not is_short_form(first, name.text, "organization"):
            yield _stated(alias, name, "alias")
    for match in _ACRONYM.finditer(text):
        alias, words = _Side(match["a"], *match.span("a")), _side(match, "n")
        if words and "".join(re.findall(rf"\b[{_UPPER}]", words.text)) == alias.text:
            yield _stated(alias, words, "alias")


def _stated(alias: _Side, name: _Side, change: Change) -> AliasStatement:
    start, end = min(alias.start, name.start), max(alias.end, name.end)
    return AliasStatement(alias=alias.text, name=name.text, start=start, end=end, change=change)


def _meant(name: str | None, match: re.Match[str]) -> _Side | None:
    """Place a name that the phrase only points at: at the phrase."""
    return _Side(name, match.start(), match.start()) if name else None


def _side(match: re.Match[str], group: str) -> _Side | None:
    """Cut a side down to the name; None where none is left."""
    side = match[group]
    start, end = match.span(group)
    if lead := _LEAD.match(side):
        start += lead.end()
    if trail := _TRAIL.search(match.string, start, end):
        end = trail.start()
    while start < end and match.string[start] in "\"“‘'`「《 ":
        start += 1
    while start < end and match.string[end - 1] in "\"”’'`」》 ":
        end -= 1
    name = match.string[start:end]
    hollow = not name or name.casefold() in _NO_NAMES or "的" in name or (len(name) == 1 and not name.isupper())
    return None if hollow else _Side(name, start, end)


def _asserted(text: str, breaks: list[int], match: re.Match[str]) -> bool:
    """Tell whether the sentence states it: it does not ask, deny or suppose, and the subject is the subject."""
    begin, end = breaks[bisect_right(breaks, match.start()) - 1], breaks[bisect_left(breaks, match.end())]
    clause = max(begin, *(text.rfind(mark, begin, match.start()) for mark in ",;:，；："))
    denied = _DENIED.search(text, clause, match.end()) or any(_DENIED.search(side or "") for side in match.groups())
    asked = _QUESTION.match(text, begin, end) or _ASKED.fullmatch(text, match.end(), end)
    if denied or asked or _SUPPOSED.search(text, begin, match.end()):
        return False
    return "subject" not in match.re.groupindex or not _HANGS.search(text, begin, match.start("subject"))


def _antecedent(text: str, breaks: list[int], start: int) -> str | None:
    here = bisect_right(breaks, start) - 1
    sentences = [(breaks[here], start), (breaks[max(here - 1, 0)], breaks[here])]
    for begin, end in sentences:
        sides = (_side(match, "n") for match in re.finditer(f"(?P<n>{_NAME})", text[begin:end]))
        names = {side.text for side in sides if side}
        if names:
            return names.pop() if len(names) == 1 else None
    return None
