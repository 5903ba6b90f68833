"""What keeps a sentence from being a statement: questions, ifs, jokes, fiction, examples, orders.

Each table is a kind of talk that asserts nothing, in the words by which it is recognised. Silence is the cheaper
mistake: a sentence under one of these yields nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sgraph.derive.rules import words
from sgraph.derive.rules.clause import Clause
from sgraph.derive.rules.text import Sentence, Token

UNREAL: dict[str, str] = {
    "condition": """
        if | unless | whether | what if | as if | as though | had i | provided that | in case
    """,
    "supposition": """
        suppose | supposing | imagine | imagining | pretend | assume | hypothetically | let us say | let's say |
        let's pretend | say i | in theory | picture this | role-play | roleplay | act as | scenario
    """,
    "doubt": """
        maybe | perhaps | possibly | not sure | unsure | no idea | i wonder | wondering | allegedly | supposedly |
        apparently | i doubt | i guess | not certain | rumour | rumor | i might be wrong |
        i may be wrong | i could be wrong | iirc | afaik | as far as i know | if i remember |
        i could be mistaken
    """,
    "wish": """
        wish | i hope | we hope | hopefully | if only | would be nice | would be great | in my dreams |
        in my dream | in the dream | in a dream | dreamed that | dreamt that | i dreamt | i dreamed
    """,
    "example": """
        user story | for example | for instance | e.g | eg | such as when | example : | hypothetical
    """,
    "joke": """
        just kidding | kidding | jk | j/k | lol jk | sarcasm | yeah right | as if | not really lol | haha no |
        /s | and i am the queen | and i am the king | and i am the pope | psych
    """,
    "fiction": """
        in my novel | in the novel | in my story | in the story | in this story | in my book | in the book |
        in my game | in the game | in my screenplay | in the movie | in the film | in my dream | in my script |
        in the play | in the show | in a parallel | the character | my character | my protagonist |
        the protagonist | the main character | fictional | once upon a time | fanfic | a story where |
        a story in which | the narrator | dialogue :
    """,
    "denied": """
        not like i | not true that | not as though | nobody said | no one said | it is not that | wrongly |
        mistakenly | falsely | by mistake believes | that is not true | that's not true | is false |
        but it was wrong | but i was wrong | which was wrong | is a lie | was a lie | is a myth | misheard |
        mistaken
    """,
    "guess": """
        sounds like | looks like | seems like | it seems | seems that
    """,
    "near miss": """
        almost | nearly | was going to | were going to | was about to | were about to | was supposed to |
        were supposed to
    """,
}
_PHRASES = [" ".join(phrase.split()) for row in UNREAL.values() for phrase in row.split(" |")]
_UNREAL = re.compile(rf"(?<![^\s])(?:{'|'.join(map(re.escape, _PHRASES))})(?![^\s])")
_POLITE_IF = re.compile(
    r"\bif (?:that is|that's|it is|it's) (?:fine|ok|okay|alright|all right|cool|possible)\b"
    r"|\bif (?:you do not mind|that works|i may)\b"
)
_JOKE = re.compile(r"(?<![\w.])(?:just kidding|only kidding|jk|j/k|/s|just joking|only joking|sarcasm)(?!\w)")
_STORY = re.compile(
    r"\bonce upon a time\b|\bchapter (?:one|\d+)\b"
    r"|^\s*(?:write|draft|compose|continue) (?:me )?(?:a|an|the|my) [\w ]*(?:story|poem|scene|novel|song|dialogue)\b"
)
_TEXT_WORK = re.compile(
    r"^\s*(?:please |can you |could you |now )*(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|correct|"
    r"edit|fix the grammar|improve|classify|analy[sz]e|format|convert|parse|review this text|"
    r"here is (?:a|an|the|my) (?:text|essay|story|draft|email|article|review|transcript|sample))\b[^.?!\n]*[:\n]"
)
_ASKING = words.WH | {
    "do",
    "does",
    "did",
    "is",
    "are",
    "was",
    "were",
    "have",
    "has",
    "had",
    "can",
    "could",
    "would",
    "should",
    "will",
    "shall",
    "am",
    "may",
    "might",
}
_ASKED = words.word_set("i we you he she it they there that this your my the anyone anybody")
REPORT_ADJECTIVES = words.word_set("glad happy sorry proud excited thrilled grateful relieved lucky")


def void_message(content: str) -> bool:
    """Tell whether the whole message is material to work on or a story, not something its sender states."""
    head = content[:400].lower()
    return bool(_STORY.search(head) or _TEXT_WORK.match(head))


def is_joke(sentence: Sentence) -> bool:
    """Tell whether a sentence takes back what was said (it voids the one before it too)."""
    return bool(_JOKE.search(sentence.text.lower()))


def is_open(sentence: Sentence) -> bool:
    """Tell whether a sentence as a whole asserts nothing."""
    return bool(_UNREAL.search(_POLITE_IF.sub("", _plain(sentence.tokens))) or is_joke(sentence))


_FOR_NOW = re.compile(
    r"\b(?:for|in|during) (?:this|the current|our current) (?:session|chat|conversation|thread)\b"
    r"|\bjust (?:this once|for now)\b|\bfor today only\b"
)


def for_now(sentence: Sentence) -> bool:
    """Tell whether a sentence limits itself to the session it is said in."""
    return bool(_FOR_NOW.search(sentence.text.lower()))


def reports(sentence: Sentence) -> bool:
    """Tell whether a sentence tells of something, in a finite verb or "Finishing up …", and not of the other."""
    lows = [token.low for token in sentence.tokens]
    finite = any(
        low in words.AUXILIARIES or low in words.PAST or (low.endswith("ed") and low not in words.NOT_PAST)
        for low in lows
    )
    begun = lows[0].endswith("ing") and len(lows) > 5 and lows[0] != "looking"
    return (finite or begun) and not {"you", "your", "yours", "let's", "thanks", "hope", "wish"} & set(lows)


def _plain(tokens: Sequence[Token]) -> str:
    return " ".join("am" if token.low == "'m" else token.low for token in tokens)


_SKIPPED = words.FILLERS - words.WH - words.PREPOSITIONS


def asked_from(sentence: Sentence) -> int | None:
    """Return the token from which a sentence asks; 0: all of it; None: it does not ask."""
    tokens = sentence.tokens
    starts = [
        0,
        *(
            at + 1
            for at, token in enumerate(tokens)
            if token.text in (",", "-", "–", "—", "...", "…") or token.low in ("and", "but", "so")
        ),
    ]
    for start in starts:
        at = start
        while at < len(tokens) and (tokens[at].low in _SKIPPED or tokens[at].kind == "mark"):
            at += 1
        if at < len(tokens) and _asks(tokens, at, marked=sentence.end_mark in ("?", "？")):
            return start
    return 0 if sentence.end_mark in ("?", "？") else None


def _asks(tokens: Sequence[Token], at: int, *, marked: bool) -> bool:
    low = tokens[at].low
    following = [token.low for token in tokens[at + 1 : at + 3]]
    if low not in _ASKING or not following:
        return marked and low in ("any", "anything", "right", "you", "remember", "ever", "wanna")
    if low in words.WH:
        return marked or (following[0] in words.AUXILIARIES | {"'s"} and low not in ("which", "who") and low != "where")
    if following[0] == "not":
        following = following[1:]
    return (
        bool(following)
        and following[0] in _ASKED
        and (marked or following[0] in ("i", "we", "you", "it", "they", "anyone"))
    )


def asserts(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether a clause stands as a statement where it is."""
    if not clause.placed or clause.verb.tense in ("open", "intended"):
        return clause.placed and clause.verb.tense == "open" and _unable(clause, sentence)
    not_only = clause.verb.negated and clause.verb.adverbs & {
        "only",
        "just",
        "simply",
        "merely",
    }  # "I don't just use vim"
    if clause.link in words.OPEN_CONJUNCTIONS or not_only or _dictated(clause, sentence):
        return False
    if clause.link in _TIMELY and clause.verb.tense in ("present", "future", "progressive"):
        return False  # "when I get home" says what is to come
    governor = clause.governor
    if governor is None:
        return True
    between = {token.low for token in sentence.tokens[governor.verb.at : clause.subject.start]}
    if governor.subject.kind in ("speaker", "group"):
        if governor.verb.negated:  # "I can't believe we won"
            return governor.verb.lemma in ("believe", "forget")
        plain = bool(between & REPORT_ADJECTIVES) or governor.verb.lemma in words.FACTIVE
    else:
        known = governor.subject.kind != "other" and governor.verb.tense in _TOLD and not governor.verb.negated
        plain = known and governor.verb.lemma in words.SAYING
    return plain and asserts(governor, sentence)


_TIMELY = ("when", "once", "before", "after", "while", "where")
_TOLD = ("past", "present", "perfect", "progressive")


def _dictated(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether a clause is words to be used: "Write on the card: I love you"."""
    before = sentence.tokens[: clause.start]
    return any(token.text == ":" for token in before) and before[0].low in _ORDERS


_ORDERS = words.word_set(
    """
    say write type post tell reply use translate put send print echo output add make set answer respond text
    call name read quote
    """
)


def _unable(clause: Clause, sentence: Sentence) -> bool:
    return (
        clause.verb.negated
        and sentence.tokens[clause.verb.at - 1].low == "not"
        and clause.verb.lemma in ("stand", "bear", "handle")
        and (sentence.tokens[clause.verb.at - 2].low == "can")
    )
