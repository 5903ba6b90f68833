"""The grammar of subjects and verb groups: who a clause is about, and what its verb says of tense and negation.

Not a parser of English: a subject is a pronoun anywhere, or a name or noun phrase where a clause can begin;
behind it come auxiliaries, negation, adverbs and the main verb. What does not read so is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgraph.derive.rules import words
from sgraph.derive.rules.text import Token

Tokens = Sequence[Token]

_LONGEST_SUBJECT = 9  # tokens
_NOT_ING = words.word_set(
    """
    thing nothing something anything everything king ring during morning evening amazing exciting interesting
    inspiring boring stunning challenging rewarding fulfilling overwhelming relaxing calming missing loving
    willing touching charming refreshing encouraging incredible outstanding surprising annoying frustrating
    comforting heartwarming terrifying wedding building ceiling sibling string spring wing
    """
)
_IMPLICATIVE = words.word_set(
    """
    have manage get end able
    """
)  # "had to cancel", "managed to fix": the second verb happened


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a clause is about: kind (speaker, group, named, kin, pronoun, thing, other) and token range."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb group: main verb's token index and lemma, tense, negation, adverbs, and where its complement begins."""

    at: int
    lemma: str
    tense: str  # present, past, perfect, progressive, future, habitual (used to), open (would, could, might …)
    negated: bool
    adverbs: frozenset[str]
    rest: int


NO_VERB = Verb(-1, "", "", False, frozenset(), 0)  # of a sentence that is kept whole


def lemma_of(low: str, known: frozenset[str]) -> tuple[str, str]:
    """Return (lemma, form) of a verb; form is base, third, past or ing. `known` settles spelling ("using" is use)."""
    if low in words.PAST:
        return words.PAST[low], "past"
    if low.startswith("re") and low[2:] in words.PAST:  # "retook"
        return "re" + words.PAST[low[2:]], "past"
    if words.PARTICIPLE.get(low, low) != low:
        return words.PARTICIPLE[low], "past"
    if low.endswith("ed") and len(low) > 3 and low not in words.NOT_PAST:
        return _stem(low, ("ed", "d"), known), "past"
    if low.endswith("ing") and len(low) > 4 and low not in _NOT_ING:
        return _stem(low, ("ing",), known), "ing"
    if low.endswith("s") and not low.endswith("ss") and len(low) > 2:
        return _stem(low, ("es", "s"), known), "third"
    return low, "base"


def _stem(low: str, endings: tuple[str, ...], known: frozenset[str]) -> str:
    guesses: list[str] = []
    for ending in endings:
        stem = low.removesuffix(ending)
        guesses += [stem, stem + "e"]
        if stem.endswith("i"):
            guesses.append(stem[:-1] + "y")
        if len(stem) > 2 and stem[-1] == stem[-2]:
            guesses.append(stem[:-1])
    return next((guess for guess in guesses if guess in known or guess in words.STATIVE), guesses[0])


class Grammar:
    """One sentence being read: its tokens and the verbs that the shapes know."""

    def __init__(self, tokens: Tokens, known: frozenset[str], names: frozenset[str]) -> None:
        self.tokens = tokens
        self.known = known
        self.names = names

    def low(self, index: int) -> str:
        """Return the word at an index, in lower case; "" outside of the sentence."""
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def is_word(self, index: int) -> bool:
        """Tell whether a word stands at an index."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word"

    # ------------------------------------------------------------------ verb groups
    def verb_group(self, index: int, *, free: bool) -> Verb | None:
        """Read the verb group that begins at a token. `free`: any word may be the verb (after "I", "we")."""
        auxiliaries: list[str] = []
        adverbs: set[str] = set()
        negated = False
        while self.is_word(index):
            low, after = self.low(index), self.low(index + 1)
            if low in words.NEGATIONS or (low == "no" and after == "longer"):
                negated, index = True, index + (2 if low == "no" else 1)
            elif low in ("kind", "sort") and after == "of":
                index += 2
            elif low == "'d" or low == "'s":
                auxiliaries.append(self._clipped(low, index))
                if auxiliaries[-1] == "":
                    return None
                if auxiliaries[-1] == "is":
                    return self.be(index, auxiliaries[:-1], negated, adverbs)
                index += 1
            elif low in words.BE:
                return self.be(index, auxiliaries, negated, adverbs)
            elif self._helps(index):
                auxiliaries.append(low)
                index += 1
            elif words.is_adverb(low) and (after or adverbs):
                adverbs.add(low)
                index += 1
            else:
                return self._main(index, auxiliaries, negated, adverbs, free=free)
        return None

    def _helps(self, index: int) -> bool:
        """Tell an auxiliary from a main verb: "have seen" from "have a dog", "do not" from "do yoga"."""
        low = self.low(index)
        if low in words.HAVE:
            return self._participle_after(index)
        return self._supports(index) if low in words.DO else low in words.MODALS_ASSERTED | words.MODALS_OPEN

    def _clipped(self, low: str, index: int) -> str:
        nxt = self.skip(index + 1)
        word = self.low(nxt)
        if low == "'d":
            return "had" if word in words.PARTICIPLE and word not in ("come", "become", "run") else "would"
        is_verb = word.endswith("ing") or word in words.DETERMINERS or word in ("not", "been", "going")
        return "is" if is_verb else ""

    def skip(self, index: int) -> int:
        """Return the index behind adverbs and negations."""
        while self.is_word(index) and (words.is_adverb(self.low(index)) or self.low(index) in words.NEGATIONS):
            index += 1
        return index

    def _supports(self, index: int) -> bool:
        after = self.skip(index + 1)
        return any(self.low(at) in words.NEGATIONS for at in range(index + 1, after)) or self.low(
            after
        ) in self.known - {"work", "use"}

    def _participle_after(self, index: int) -> bool:
        word = self.low(self.skip(index + 1))
        return (
            word in words.PARTICIPLE or word in words.SAME_FORM or (word.endswith("ed") and word not in words.NOT_PAST)
        )

    def be(self, index: int, auxiliaries: list[str], negated: bool, adverbs: set[str]) -> Verb:
        """Read a verb group from its form of "be": a copula, a progressive, or "going to"."""
        low, rest = self.low(index), self.skip(index + 1)
        between = {self.low(at) for at in range(index + 1, rest)}
        negated = negated or bool(between & words.NEGATIONS)
        if self.low(rest) == "no" and self.low(rest + 1) == "longer":
            negated, rest = True, rest + 2
        known_adverbs = frozenset(adverbs | (between - words.NEGATIONS))
        main, form = lemma_of(self.low(rest), self.known)
        base = _tense(
            auxiliaries, "past" if low in words.PAST_AUXILIARIES else "perfect" if low == "been" else "present"
        )
        if self.low(rest) == "going" and self.low(rest + 1) == "to" and self.infinitive(rest + 2):
            inner = self.skip(rest + 2)
            tense = "intended" if base == "past" else "future" if base == "present" else base
            return Verb(inner, self.low(inner), tense, negated, known_adverbs, inner + 1)
        if self.low(rest) == "able" and self.low(rest + 1) == "to" and base in ("past", "perfect"):
            return Verb(rest + 2, self.low(rest + 2), "past", negated, known_adverbs, rest + 3)
        if self.is_word(rest) and form == "ing":
            tense = {"present": "progressive", "perfect": "progressive", "past": "past"}.get(base, base)
            return Verb(rest, main, tense, negated, known_adverbs, rest + 1)
        return Verb(index, "be", base, negated, known_adverbs, rest)

    def infinitive(self, index: int) -> bool:
        """Tell "going to run" from "going to Oslo"."""
        token = self.tokens[index] if index < len(self.tokens) else None
        return (
            token is not None and token.kind == "word" and not token.capital and token.low not in words.DETERMINERS
            and token.low not in ("work", "school", "bed", "church", "college", "therapy", "class", "town", "places")
        )  # fmt: skip

    def _main(self, index: int, auxiliaries: list[str], negated: bool, adverbs: set[str], *, free: bool) -> Verb | None:
        low = self.low(index)
        if low != "like" and low in words.PREPOSITIONS | words.CONJUNCTIONS | words.DETERMINERS | words.PRONOUNS:
            return None
        lemma, form = lemma_of(low, self.known)
        if low in words.HAVE or low in words.DO:
            lemma, form = ("have" if low in words.HAVE else "do"), ("past" if low in ("had", "did") else "base")
        if not (free or auxiliaries or form == "past" or lemma in self.known):
            return None
        tense = _tense(auxiliaries, "past" if form == "past" else "present")
        found = frozenset(adverbs)
        if lemma == "use" and low == "used" and self.low(index + 1) == "to":
            return Verb(index + 2, self.low(index + 2), "habitual", negated, found, index + 3)
        if (
            lemma in _IMPLICATIVE
            and tense in ("past", "perfect")
            and self.low(index + 1) == "to"
            and self.is_word(index + 2)
        ):
            return Verb(index + 2, self.low(index + 2), tense, negated, found, index + 3)
        if lemma == "end" and self.low(index + 1) == "up" and self.low(index + 2).endswith("ing"):
            return Verb(index + 2, lemma_of(self.low(index + 2), self.known)[0], tense, negated, found, index + 3)
        if low in words.SAME_FORM and tense == "present" and free and (low != "read" or self._told_as_past(adverbs)):
            tense = "present" if adverbs & {"always", "usually", "often", "never", "sometimes"} else "past"
        return Verb(index, lemma, tense, negated, found, index + 1)

    def _told_as_past(self, adverbs: set[str]) -> bool:
        lows = {token.low for token in self.tokens}
        return bool(adverbs & {"just", "recently", "finally", "already"} or lows & {"yesterday", "ago", "last"})

    # ------------------------------------------------------------------ subjects
    def subject_at(self, index: int, *, opening: bool) -> tuple[Subject, Verb] | None:
        """Return the subject that begins at a token, with its verb group; `opening`: a clause can begin here."""
        low = self.low(index)
        if low in ("i", "we") and not (low == "i" and self.low(index - 1) in words.NUMBERED):
            verb = self.verb_group(index + 1, free=True)
            return (Subject("speaker" if low == "i" else "group", index, index + 1), verb) if verb else None
        if low in ("he", "she", "you", "they", "it", "there", "this", "that") or low in words.INDEFINITE:
            verb = self.verb_group(index + 1, free=low in ("you", "they"))
            kind = "pronoun" if low in ("he", "she") else "it" if low == "it" else "other"
            if verb or low not in ("this", "that") or not opening:
                return (Subject(kind, index, index + 1), verb) if verb else None
        return self._noun_subject(index) if opening else None

    def _noun_subject(self, index: int) -> tuple[Subject, Verb] | None:
        end = index
        if (
            self.low(index - 1) == "or"
            or self._no_subject(index)
            or (self.low(index) in ("me", "us", "him", "her", "them") and self.low(index + 1) != "and")
        ):
            return None
        while end < len(self.tokens) and end - index < _LONGEST_SUBJECT:
            token = self.tokens[end]
            if end > index and self._finite(index, end):
                if end - index > 1 and self.low(end - 1) == "i":
                    return None
                verb = self.verb_group(end, free=False)
                return (Subject(self._noun_kind(index, end, verb), index, end), verb) if verb else None
            before = self.low(end - 1)
            joins = token.low in ("'s", "and", "of", "&", "i") or token.low in words.PREPOSITIONS - {"by"}
            if (
                end > index
                and token.low in words.DETERMINERS
                and not (before in words.PREPOSITIONS or before in ("and", "&"))
            ):
                return None  # "the day my youngest walked": two phrases, not one
            if token.kind == "mark" or (token.kind == "word" and not joins and self._closes_noun(token.low)):
                return None
            end += 1
        return None

    def _no_subject(self, index: int) -> bool:
        """Tell that a word begins no subject: adverb, interjection, verb ("Sounds like fun"), vague amount."""
        low = self.low(index)
        return (
            low in words.ADVERBS or low in words.FILLERS or low in words.VAGUE or low in words.AUXILIARIES
            or low in words.PREPOSITIONS or lemma_of(low, self.known)[0] in words.STATIVE
            or (low in words.TIME_WORDS and self.low(index + 1) in words.DETERMINERS)
            or (low in ("a", "the") and self.low(index + 1) in words.VAGUE)
        )  # fmt: skip

    @staticmethod
    def _closes_noun(low: str) -> bool:
        return low in words.CONJUNCTIONS or low in words.WH or (low in words.PRONOUNS and low not in words.DETERMINERS)

    def _finite(self, start: int, index: int) -> bool:
        """Tell whether the verb of a noun phrase begins here."""
        token, at = self.tokens[index], index - 1
        while at > start and (words.is_adverb(self.low(at)) or self.low(at) in words.NEGATIONS | words.DO):
            at -= 1
        low, before = token.low, self.low(at)
        if token.kind != "word" or before == "and" or before in words.DETERMINERS | words.PREPOSITIONS:
            return False
        if low == "'s":
            return self._clipped("'s", index) == "is"
        if low in words.AUXILIARIES or low in words.PAST:
            return low not in ("being", "been", "having", "may")
        if low == "like" and self.low(start) not in ("my", "our"):  # "events like these"
            return False
        if words.is_adverb(low):
            after = self.skip(index)
            return index > start and after < len(self.tokens) and self._finite(start, after)
        lemma, form = lemma_of(low, self.known)
        if form == "past":
            return low.endswith("ed") and before != "'s"
        said = [self.low(at) for at in range(start, index)]
        plural = before.endswith("s") or "and" in said or before in words.PLURAL_KIN
        return lemma in self.known and (form == "third" or (form == "base" and plural and not token.capital))

    def _noun_kind(self, start: int, end: int, verb: Verb) -> str:
        lows = [self.low(at) for at in range(start, end)]
        last = self.tokens[end - 1]
        if (
            len(lows) == 1 and last.capital and lows[0] in words.KIN and words.KIN[lows[0]] != "pet"
        ):  # "Dad had surgery"
            return "kin"
        if lows[0] in ("my", "our", "me") and "'s" not in lows:
            if lows[0] == "me":
                return "group"
            if any(low in words.KIN or low in words.PLURAL_KIN for low in lows[1:]) and (
                last.capital or _is_kin(lows[-1])
            ):
                return "kin"
        names = [self.tokens[at] for at in range(start, end) if self.low(at) not in ("and", "&")]
        if all(_is_name(token) for token in names):
            opens = (
                start == 0 and len(names) == 1 and names[0].text not in self.names
            )  # "Hiking …", "Stay …": any word is capitalised here
            personal = verb.lemma in words.PERSONAL or verb.lemma == "be" or verb.tense in ("future", "progressive")
            personal = personal or (verb.lemma == "have" and "still" in verb.adverbs)  # "Bram still has the boat"
            return "named" if personal or not opens else "thing"
        return "thing"


def _is_kin(low: str) -> bool:
    return low in words.KIN or low in words.PLURAL_KIN


def _is_name(token: Token) -> bool:
    low = token.low
    return (
        token.capital and low not in words.FILLERS and low not in words.ADVERBS and low not in words.CALENDAR
        and low not in words.PREPOSITIONS and low not in words.DETERMINERS and low not in words.INDEFINITE
        and low not in words.WH and not (low.endswith("ing") and len(low) > 5)
    )  # fmt: skip


def _tense(auxiliaries: list[str], plain: str) -> str:
    if any(word in words.MODALS_OPEN or word == "would" for word in auxiliaries):
        return "open"
    if any(word in words.MODALS_ASSERTED for word in auxiliaries):
        return "future"
    if "had" in auxiliaries or "did" in auxiliaries:
        return "past"
    return "perfect" if any(word in words.HAVE for word in auxiliaries) else plain
