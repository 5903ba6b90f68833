"""The grammar the rules stand on: which clauses a sentence has, who is their subject, what their verb group says.

Not a parser of English. It finds finite clauses by their subject (a pronoun anywhere; a name or noun phrase where a clause
can begin) and reads the verb group behind it: auxiliaries, negation, adverbs, main verb. What it cannot place it leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sgraph.derive.rules import words
from sgraph.derive.rules.text import Sentence, Token

Tokens = Sequence[Token]

_LONGEST_SUBJECT = 9  # tokens
_NOT_ING = frozenset(
    "thing nothing something anything everything king ring during morning evening amazing exciting interesting inspiring boring "
    "stunning challenging rewarding fulfilling overwhelming relaxing calming missing loving willing touching charming refreshing "
    "encouraging incredible outstanding surprising annoying frustrating comforting heartwarming terrifying wedding building "
    "ceiling sibling string spring wing".split()
)
_IMPLICATIVE = frozenset("have manage get end able".split())  # "had to cancel", "managed to fix": the second verb happened


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


@dataclass(frozen=True, slots=True)
class Clause:
    """A finite clause: subject, verb group, token range, the conjunction before it and the clause it is embedded in."""

    subject: Subject
    verb: Verb
    start: int
    end: int
    link: str = ""
    governor: Clause | None = None
    placed: bool = True  # False: the words before the subject leave open how the clause is meant


NO_VERB = Verb(-1, "", "", False, frozenset(), 0)  # of a sentence that is kept whole


def lemma_of(low: str, known: frozenset[str]) -> tuple[str, str]:
    """Return (lemma, form) of a verb; form is base, third, past or ing. `known` settles spelling ("using" is use)."""
    if low in words.PAST:
        return words.PAST[low], "past"
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


class _Reader:
    """One sentence being read: its tokens and the verbs that the shapes know."""

    def __init__(self, tokens: Tokens, known: frozenset[str], names: frozenset[str]) -> None:
        self.tokens = tokens
        self.known = known
        self.names = names

    def low(self, index: int) -> str:
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def is_word(self, index: int) -> bool:
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
            elif low in words.MODALS_ASSERTED or low in words.MODALS_OPEN:
                auxiliaries.append(low)
                index += 1
            elif low == "'d" or low == "'s":
                auxiliaries.append(self._clipped(low, index))
                if auxiliaries[-1] == "":
                    return None
                if auxiliaries[-1] == "is":
                    return self._be(index, auxiliaries[:-1], negated, adverbs)
                index += 1
            elif low in words.BE:
                return self._be(index, auxiliaries, negated, adverbs)
            elif low in words.HAVE and self._participle_after(index):
                auxiliaries.append(low)
                index += 1
            elif low in words.DO and self._supports(index):
                auxiliaries.append(low)
                index += 1
            elif words.is_adverb(low) and (after or adverbs):
                adverbs.add(low)
                index += 1
            else:
                return self._main(index, auxiliaries, negated, adverbs, free=free)
        return None

    def _clipped(self, low: str, index: int) -> str:
        nxt = self._skip(index + 1)
        word = self.low(nxt)
        if low == "'d":
            return "had" if word in words.PARTICIPLE and word not in ("come", "become", "run") else "would"
        is_verb = word.endswith("ing") or word in words.DETERMINERS or word in ("not", "been", "going")
        return "is" if is_verb else ""

    def _skip(self, index: int) -> int:
        while self.is_word(index) and (words.is_adverb(self.low(index)) or self.low(index) in words.NEGATIONS):
            index += 1
        return index

    def _supports(self, index: int) -> bool:
        after = self._skip(index + 1)
        return any(self.low(at) in words.NEGATIONS for at in range(index + 1, after)) or self.low(after) in self.known - {"work", "use"}

    def _participle_after(self, index: int) -> bool:
        word = self.low(self._skip(index + 1))
        return word in words.PARTICIPLE or word in words.SAME_FORM or (word.endswith("ed") and word not in words.NOT_PAST)

    def _be(self, index: int, auxiliaries: list[str], negated: bool, adverbs: set[str]) -> Verb:
        low, rest = self.low(index), self._skip(index + 1)
        between = {self.low(at) for at in range(index + 1, rest)}
        negated = negated or bool(between & words.NEGATIONS)
        if self.low(rest) == "no" and self.low(rest + 1) == "longer":
            negated, rest = True, rest + 2
        known_adverbs = frozenset(adverbs | (between - words.NEGATIONS))
        main, form = lemma_of(self.low(rest), self.known)
        base = _tense(auxiliaries, "past" if low in words.PAST_AUXILIARIES else "perfect" if low == "been" else "present")
        if self.low(rest) == "going" and self.low(rest + 1) == "to" and self._infinitive(rest + 2):
            inner = self._skip(rest + 2)
            tense = "intended" if base == "past" else "future" if base == "present" else base
            return Verb(inner, self.low(inner), tense, negated, known_adverbs, inner + 1)
        if self.low(rest) == "able" and self.low(rest + 1) == "to" and base in ("past", "perfect"):
            return Verb(rest + 2, self.low(rest + 2), "past", negated, known_adverbs, rest + 3)
        if self.is_word(rest) and form == "ing":
            tense = {"present": "progressive", "perfect": "progressive", "past": "past"}.get(base, base)
            return Verb(rest, main, tense, negated, known_adverbs, rest + 1)
        return Verb(index, "be", base, negated, known_adverbs, rest)

    def _infinitive(self, index: int) -> bool:
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
        if lemma in _IMPLICATIVE and tense in ("past", "perfect") and self.low(index + 1) == "to" and self.is_word(index + 2):
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
        if low in ("i", "we"):
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
        if self.low(index - 1) == "or" or self._no_subject(index) or (self.low(index) in ("me", "us", "him", "her", "them") and self.low(index + 1) != "and"):
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
            if end > index and token.low in words.DETERMINERS and not (before in words.PREPOSITIONS or before in ("and", "&")):
                return None  # "the day my youngest walked": two phrases, not one
            if token.kind == "mark" or (token.kind == "word" and not joins and self._closes_noun(token.low)):
                return None
            end += 1
        return None

    def _no_subject(self, index: int) -> bool:
        """Tell that a word begins no subject: an adverb, an interjection, a verb ("Sounds like fun"), a vague amount."""
        low = self.low(index)
        return (
            low in words.ADVERBS or low in words.FILLERS or low in words.VAGUE or low in words.AUXILIARIES
            or low in words.PREPOSITIONS or (low in words.TIME_WORDS and self.low(index + 1) in words.DETERMINERS) or lemma_of(low, self.known)[0] in words.STATIVE
            or (low in ("a", "the") and self.low(index + 1) in words.VAGUE)
        )  # fmt: skip

    @staticmethod
    def _closes_noun(low: str) -> bool:
        return low in words.CONJUNCTIONS or low in words.WH or (low in words.PRONOUNS and low not in words.DETERMINERS)

    def _finite(self, start: int, index: int) -> bool:
        token, before = self.tokens[index], self.low(index - 1)
        if token.kind != "word" or before in words.DETERMINERS or before in ("and", "'s") or before in words.PREPOSITIONS:
            return token.low in words.AUXILIARIES and token.low != "may" and before == "'s"
        low = token.low
        if low in ("being", "been", "having"):
            return False
        if low in words.AUXILIARIES or low in words.PAST or low == "'s":
            return low != "'s" or self._clipped("'s", index) == "is"
        lemma, form = lemma_of(low, self.known)
        if form == "past":
            return low.endswith("ed")
        if low in words.ADVERBS and low not in ("right",) and index > start:
            nxt = self._skip(index)
            return nxt > index and nxt < len(self.tokens) and self._finite(start, nxt)
        plural = before.endswith("s") or "and" in {self.low(at) for at in range(start, index)} or before in words.PLURAL_KIN
        if low == "like" and self.low(start) not in ("my", "our"):  # "events like these"
            return False
        return lemma in self.known and (form == "third" or (form == "base" and plural and not token.capital))

    def _noun_kind(self, start: int, end: int, verb: Verb) -> str:
        lows = [self.low(at) for at in range(start, end)]
        last = self.tokens[end - 1]
        if len(lows) == 1 and last.capital and lows[0] in words.KIN and words.KIN[lows[0]] != "pet":  # "Dad had surgery"
            return "kin"
        if lows[0] in ("my", "our", "me") and "'s" not in lows:
            if lows[0] == "me":
                return "group"
            if any(low in words.KIN or low in words.PLURAL_KIN for low in lows[1:]) and (last.capital or _is_kin(lows[-1])):
                return "kin"
        names = [self.tokens[at] for at in range(start, end) if self.low(at) not in ("and", "&")]
        if all(_is_name(token) for token in names):
            opens = start == 0 and len(names) == 1 and names[0].text not in self.names  # "Hiking …", "Stay …": any word is capitalised here
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


def clauses(sentence: Sentence, known: frozenset[str], names: frozenset[str] = frozenset()) -> list[Clause]:
    """Return the finite clauses of a sentence, in order, each with its range and what governs it.

    `known` are the lemmas that can be verbs behind a noun, `names` the words known to be names of people.
    """
    reader = _Reader(sentence.tokens, known, names)
    found: list[Clause] = []
    index, count = 0, len(sentence.tokens)
    while index < count:
        opening = _opens(reader, index, found)
        pair = reader.subject_at(index, opening=opening)
        if pair is None and not found and (opening or reader.low(index - 1) in _DASHES):
            pair = _elided(reader, index)
        if pair is None and found:
            pair = _coordinated(reader, index, found[-1])
        if pair is None:
            index += 1
            continue
        subject, verb = pair
        found.append(_placed(reader, subject, verb, found, index))
        index = max(index + 1, verb.at + 1)
    return _with_ends(reader, found, count)


def _opens(reader: _Reader, index: int, found: list[Clause]) -> bool:
    """Tell whether a clause with a noun as subject can begin at a token: after a boundary, "that", fillers or a time."""
    before = index - 1
    if found and index in (found[-1].verb.rest, found[-1].verb.rest + 1) and found[-1].verb.lemma in words.STATIVE | words.SAYING | {"be"}:
        return index == found[-1].verb.rest or reader.low(before) in _BETWEEN
    while before >= 0:
        low, kind = reader.low(before), reader.tokens[before].kind
        if kind == "mark" or low in words.CONJUNCTIONS or low == "that":
            return True
        if found and before <= found[-1].verb.at:
            return False
        if not (low in words.FILLERS or low in words.TIME_WORDS or kind == "number"):
            return False
        before -= 1
    return True


_DASHES = ("-", "–", "—", "...", "…")


def _elided(reader: _Reader, index: int) -> tuple[Subject, Verb] | None:
    """Read "Just finished the draft", "Gonna move", "Been painting": the speaker is left out."""
    segment = max((at for at in range(index) if reader.tokens[at].text in _DASHES), default=-1)
    if any(reader.low(at) not in words.FILLERS and reader.is_word(at) for at in range(segment + 1, index)):
        return None
    at = reader._skip(index)
    low = reader.low(at)
    subject = Subject("speaker", index, index)
    if low == "been" and lemma_of(reader.low(reader._skip(at + 1)), reader.known)[1] == "ing":
        return subject, reader._be(at, ["have"], False, set())
    if low == "going" and reader.low(at + 1) == "to" and reader._infinitive(at + 2) and reader.low(at + 2) != "be":
        return subject, Verb(at + 2, reader.low(at + 2), "future", False, frozenset(), at + 3)
    verb = reader.verb_group(index, free=False)
    if verb is None or verb.tense != "past" or verb.at != at or verb.lemma in words.STATIVE | {"be", "leave", "make", "miss"}:
        return None
    follower = reader.low(at + 1)
    plain = follower in words.DETERMINERS or follower[:1].isdigit() or (follower == "it" and len(reader.tokens) > at + 2)
    moved = verb.lemma in ("go", "fly", "drive", "run", "move", "switch", "migrate", "deploy", "sign", "start", "finish")
    if follower in ("you", "your"):
        return None
    return (subject, verb) if follower and (plain or moved or "just" in verb.adverbs) else None


_FAMILY = {"past": "past", "perfect": "past", "present": "present", "progressive": "progressive"}


def _coordinated(reader: _Reader, index: int, last: Clause) -> tuple[Subject, Verb] | None:
    """Read a second verb of the same subject: "knows Petra and speaks Finnish", "ran a race and raised money"."""
    if reader.low(index) not in ("and", "but", "then", ",") or index <= last.verb.rest - 1:
        return None
    if last.subject.kind == "other" or last.verb.tense not in _FAMILY:
        return None
    if any(reader.low(at) in ("who", "which", "that") for at in range(last.verb.rest, index)):
        return None  # "people who accepted and celebrated me": another subject's verb
    at = index + 1
    while reader.low(at) in ("and", "then", "but"):
        at += 1
    at = reader._skip(at)
    if not reader.is_word(at) or at + 1 >= len(reader.tokens):
        return None
    low = reader.low(at)
    lemma, form = lemma_of(low, reader.known)
    family = _FAMILY[last.verb.tense]
    fits = (
        (family == "past" and form == "past" and reader.low(index) != "," and low not in words.AUXILIARIES
         and (last.verb.lemma != "be" or (low in words.PAST and low not in words.PARTICIPLE)))
        or (family == "present" and lemma in reader.known and _parallel(reader, last, lemma, index) and form == ("third" if _third(last, reader) else "base"))
    )  # fmt: skip
    if not fits or reader.low(index) == "," and reader.low(index + 1) not in ("and", "then", "but"):
        return None
    verb = reader.verb_group(reader._skip(index + 1) if reader.low(index) != "," else at, free=False)
    if verb is None or verb.at < at:
        verb = reader.verb_group(at, free=False)
    if verb and last.verb.tense == "perfect" and low in words.PARTICIPLE and low not in words.PAST:
        verb = replace(verb, tense="perfect")  # "has made me laugh and given me hope"
    return (last.subject, verb) if verb else None


def _parallel(reader: _Reader, last: Clause, lemma: str, index: int) -> bool:
    """Tell that a second verb goes with the first, not with an infinitive behind it: "glad to share and give …"."""
    between = {reader.low(at) for at in range(last.verb.rest, index)}
    return lemma != last.verb.lemma and (last.verb.lemma == "be" or "to" not in between) and (last.verb.lemma != "be" or lemma in _PLAIN_SECOND)


_PLAIN_SECOND = frozenset(("live", "work", "use", "own", "speak", "know"))  # "am a vegan and live in Ghent"


def _third(clause: Clause, reader: _Reader) -> bool:
    return clause.subject.kind not in ("speaker", "group") and reader.low(clause.verb.at).endswith("s")


def _placed(reader: _Reader, subject: Subject, verb: Verb, found: list[Clause], index: int) -> Clause:
    """Work out what stands before a clause: its conjunction, the verb it hangs on, a fronted time."""
    previous = found[-1] if found else None
    if previous and subject.start <= previous.subject.start and subject.start != index:
        start = index + 1
        while reader.low(start) in ("and", "then", "but"):
            start += 1
        return Clause(subject, verb, start, start, link=reader.low(index), governor=previous.governor, placed=previous.placed)
    floor = previous.verb.at if previous else -1
    before = index - 1
    while before > floor and reader.tokens[before].kind != "mark" and reader.low(before) not in words.CONJUNCTIONS:
        before -= 1
    lead = [reader.low(at) for at in range(before + 1, index)]
    if previous and before == floor and index > floor:
        told = [reader.tokens[at] for at in range(before + 1, index)]
        governed = all(token.low in _BETWEEN or token.capital or words.is_adverb(token.low) for token in told)
        if lead and not governed and lead[-1] == "that" and previous.verb.lemma == "be":
            governed = True
        return Clause(subject, verb, index, index, link="that", governor=previous if governed else None, placed=governed)
    link, at = "", before
    while at >= 0 and at > floor and (reader.low(at) in words.CONJUNCTIONS or reader.low(at) in (",", "even", "as")):
        if reader.low(at) in words.CONJUNCTIONS and link in ("", "and", "but", "so"):
            link = reader.low(at)
        at -= 1
    start = before + 1
    while start < index and (reader.low(start) in words.FILLERS - words.TIME_WORDS - words.ADVERBS or reader.tokens[start].kind == "mark"):
        start += 1
    if "that" in lead:
        start = max(at for at in range(before + 1, index) if reader.low(at) == "that") + 1
    placed = _plain_lead(reader, before + 1, index)
    if link in ("which", "who"):  # "pottery, which I use to relax": part of the clause before
        return Clause(subject, verb, start, index, link="that", placed=False)
    if not placed and _is_relative(reader, subject, verb, lead):
        return Clause(subject, verb, start, index, link="that", placed=True)
    return Clause(subject, verb, _with_fronted(reader, start, before, floor), index, link=link, placed=placed)


def _is_relative(reader: _Reader, subject: Subject, verb: Verb, lead: list[str]) -> bool:
    """Tell that a clause stands behind the noun it describes: "one I did last week". It presupposes what it tells."""
    if not lead or lead[0].endswith("ing") or subject.kind not in ("speaker", "group") or verb.tense not in ("past", "perfect"):
        return False
    last = lead[-1]
    closed = last in words.PRONOUNS - {"one"} or last in words.DETERMINERS or last in words.PREPOSITIONS or last in _BETWEEN
    return not closed and last not in words.AUXILIARIES and not any(lemma_of(low, reader.known)[0] in words.STATIVE | words.SAYING for low in lead)


_BETWEEN = frozenset("that me us him her them you to so very glad happy sorry proud excited thrilled grateful say tell".split())


def _plain_lead(reader: _Reader, start: int, end: int) -> bool:
    """Tell whether the words between a boundary and a subject leave the clause a plain statement."""
    lows = [reader.low(at) for at in range(start, end)]
    while lows and lows[0] not in words.PREPOSITIONS and (lows[0] in words.FILLERS or lows[0] in words.ADVERBS):
        lows = lows[1:]
    if not lows or lows[0] in words.PREPOSITIONS - {"like", "than", "of"} or lows[0] in ("last", "next", "this", "every", "one", "back", "the", "a", "all"):
        return not lows or (lows[0] not in ("the", "a", "all") and lows[-1] != "that") or lows[-1] in words.TIME_WORDS | {"night", "time", "past"}
    if lows[-1] == "that":
        lows = lows[:-1]
    if " ".join(lows) in ("keep in mind", "please keep in mind", "please note", "please remember", "do not forget", "turns out", "it turns out", "guess what", "please"):
        return True
    return all(
        low in words.FILLERS or low in words.TIME_WORDS or low in words.ADVERBS or low in words.FACTIVE or low in words.NUMBER_WORDS or low[:1].isdigit()
        for low in lows
    ) and not set(lows) & {"say", "tell"}  # fmt: skip


def _with_fronted(reader: _Reader, start: int, boundary: int, floor: int) -> int:
    """Let a clause begin with the time set off before it: "Last Friday, we …"."""
    if boundary <= floor + 1 or reader.low(boundary) != ",":
        return start
    at = boundary - 1
    while at > floor and reader.tokens[at].kind != "mark" and reader.low(at) not in words.CONJUNCTIONS:
        at -= 1
    segment = [reader.low(index) for index in range(at + 1, boundary)]
    timed = any(low in words.TIME_WORDS or low[:4].isdigit() for low in segment)
    return at + 1 if timed and len(segment) <= 6 and at >= floor and (floor < 0 or at > floor) else start


def _with_ends(reader: _Reader, found: list[Clause], count: int) -> list[Clause]:
    """Give each clause its end: where the next one begins, or behind the ones that hang on it ("the book I read")."""
    done: list[Clause] = []
    end = count
    for clause in reversed(found):
        done.append(replace(clause, end=max(end, clause.verb.at + 1)))
        last = reader.low(clause.start - 1)
        dangling = last in words.PREPOSITIONS or last in words.DETERMINERS  # "a library for when …": no end at all
        if clause.link != "that" and not dangling:
            end = min(clause.start, clause.subject.start) if clause.start <= clause.verb.at and clause.subject.end >= clause.start else clause.start
    return done[::-1]
