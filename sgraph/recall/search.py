"""The four routes, each explainable, and recall: all of them fused by rank into one batch under a token budget.

Fusion is reciprocal rank (Cormack, Clarke, Büttcher, SIGIR 2009): a route adds weight / (k + rank) to each message it
leads to. An event, a fact or a turn leads to the messages it rests on, so what several routes agree on comes first, and
one card shows the message with what was made of it. The smaller k of the raw route keeps the order of its first ranks;
the others, at the k of the paper, lift what they agree on from further down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from sgraph import analysis
from sgraph.blocks.levels import estimate_tokens
from sgraph.errors import InvalidInput
from sgraph.graph.state import State, in_session
from sgraph.journal.capture import turn_of
from sgraph.lexicon.documents import shown
from sgraph.recall.finder import Finder
from sgraph.recall.scope import Scope
from sgraph.records.found import Card, EmptyReason, Quote
from sgraph.records.hits import Hit
from sgraph.records.vocabulary import predicate

# What a route adds to a message at a rank: (weight, k). Fitted on the conversations that benchmarks/locomo.py reads.
ROUTES = {"raw": (1.0, 5), "events": (0.8, 60), "graph": (0.4, 60), "turns": (0.4, 60)}
DEPTH = 60  # how far down each route is looked at
PART_DEPTH = 5  # how many messages each part of a question is given, behind the same number of the whole question's
PAST = 0.5
MISSES = 12
_AND = re.compile(r"\band\b|\bor\b|[;；,，]|以及|还有", re.IGNORECASE)
_REPEATED = re.compile(r"([^\w\s])\1{2,}")  # a run of one sign says no more than the sign
Match = Literal["current", "historical", "both"]
PASSAGE = 480  # characters of a long message shown around the words that matched


@dataclass
class Result:
    """Cards in order, before they are made a batch."""

    cards: list[Card]
    empty_reason: EmptyReason | None = None
    left_out: int = 0


@dataclass
class Seeker:
    """One question put to a finder, at an instant, inside a scope."""

    finder: Finder
    state: State
    question: str
    asked_at: datetime
    scope: Scope
    terms: tuple[str, ...] = field(init=False)
    cut: int = field(init=False)

    def __post_init__(self) -> None:
        self.question = _REPEATED.sub(r"\1", self.question)
        asked = analysis.query_terms(self.question)
        self.terms, self.cut = asked.terms, asked.cut

    # -------------------------------------------------------------- routes
    def raw(self, limit: int, without: Iterable[str] = ()) -> list[Hit]:
        """Messages, with their neighbourhood."""
        test = None if self.scope.is_open else self.takes_message
        return self.finder.raw.search(
            self.question, limit, self.asked_at, threads=self.scope.threads, allow=test, without=tuple(without)
        )

    def events(self, limit: int) -> list[Hit]:
        """Events, by their words and who took part; what is superseded counts PAST as much as what stands."""
        hits = self.finder.lexicon.search("event", self.terms, 2 * limit, self.takes_event)
        return self._weighed(hits, lambda id: self.state.events[id].state == "superseded")[:limit]

    def turns(self, limit: int) -> list[Hit]:
        """Turns, by sentence and triples; one that tells only of what is superseded counts PAST as much."""
        test = None if self.scope.is_open else self._takes_turn
        return self._weighed(
            self.finder.lexicon.search("turn", self.terms, 2 * limit, test), self._turn_is_past
        )[:limit]

    def graph(self, limit: int) -> list[tuple[Hit, dict[str, Any], list[dict[str, Any]], Match]]:
        """Entities with their cards and the facts that matched. Relation words alone never match."""
        found = (
            (hit, card, *matched)
            for hit in self.finder.lexicon.search("entity", self.terms, limit * 3)
            if (card := self.entity(hit.key)) is not None and (matched := self._facts(card)) is not None
        )
        return list(islice(found, limit))

    def _weighed(self, hits: list[Hit], is_past: Callable[[str], bool]) -> list[Hit]:
        weighed = [
            hit.model_copy(update={"rank_score": hit.rank_score * PAST}) if is_past(hit.key) else hit for hit in hits
        ]
        return sorted(weighed, key=lambda hit: -hit.rank_score)

    # -------------------------------------------------------------- scope
    def takes_message(self, key: str) -> bool:
        """Say whether a message is inside the scope: itself and, where that speaks of events, one that rests on it."""
        card = self.finder.lexicon.card("message", key)
        if card is None or not self.scope.takes_message(card):
            return False
        return not self.scope.asks_events or any(self._event_itself(id) for id in self.state.by_message.get(key, ()))

    def takes_event(self, id: str) -> bool:
        """Say whether an event is inside the scope: itself, and a message it rests on."""
        card = self.finder.lexicon.card("event", id)
        if card is None or not self.scope.takes_event(card):
            return False
        if self.scope.roles is None:
            return True
        stored = (self.finder.lexicon.card("message", key) for key in card["messages"])
        return any(message is not None and self.scope.takes_message(message) for message in stored)

    def _event_itself(self, id: str) -> bool:
        card = self.finder.lexicon.card("event", id)
        return card is not None and self.scope.takes_event(card)

    def _takes_turn(self, turn: str) -> bool:
        return any(self.takes_message(key) for key in self._turn_messages(turn))

    def entity(self, id: str) -> dict[str, Any] | None:
        """Give an entity's card with the facts inside the scope; None when a scope leaves nothing of it."""
        card = self.finder.lexicon.card("entity", id)
        if card is None or self.scope.is_open:
            return card

        def inside(fact: dict[str, Any]) -> bool:
            return any(self.takes_event(event) for event in fact["events"])

        kept = {when: [fact for fact in card[when] if inside(fact)] for when in ("now", "past")}
        return {**card, **kept} if kept["now"] or kept["past"] else None

    def _facts(self, card: dict[str, Any]) -> tuple[list[dict[str, Any]], Match] | None:
        """Give the facts of an entity that the question means, and whether they are current or historical.

        A key the question names must stand in the same fact as the value it names. None: only relation words matched.
        """
        names = set(analysis.terms(" ".join([card["name"], *card["aliases"], card["kind"]])))
        rest = [term for term in self.terms if term not in names]
        named = len(rest) < len(self.terms)
        best: list[tuple[int, dict[str, Any], Match]] = []
        ages: tuple[tuple[Match, str], ...] = (("current", "now"), ("historical", "past"))
        for when, facts in ((when, card[name]) for when, name in ages):
            for fact in facts:
                key_terms = set(analysis.terms(fact["key"].replace("_", " ")))
                values = set(analysis.terms(fact["value"]))
                in_value = sum(term in values for term in rest)
                in_key = sum(term in key_terms for term in rest)
                if in_value or (in_key and named):
                    best.append((2 * in_value + in_key, fact, when))
        top = max((score for score, _, _ in best), default=0)
        chosen = [(fact, when) for score, fact, when in best if score == top]
        if not chosen and not named:
            return None
        kinds = {when for _, when in chosen}
        match: Match = "both" if len(kinds) == 2 else kinds.pop() if kinds else "current"
        return [fact for fact, _ in chosen], match

    # -------------------------------------------------------------- recall
    def recall(self, limit: int | None, budget: int | None, routes: Iterable[str] | None = None) -> Result:
        """Fuse the routes into cards of messages, best first, inside a limit and a token budget."""
        reason = self.unusable()
        if reason is not None:
            return Result([], reason)
        leads = self._leads(_routes(routes), limit)
        ordered = self._successors_first(leads)
        cards = (card for key in ordered if (card := self._message_card(key, leads)) is not None)
        result = _pack(cards, len(ordered), limit, budget)
        if not result.cards:
            result.empty_reason = self.nothing()
        return result

    def _leads(self, chosen: tuple[str, ...], limit: int | None) -> _Leads:
        """Ask the routes, and note which message each leads to, at which rank."""
        leads = _Leads()
        if "raw" in chosen:
            for rank, hit in enumerate(self.raw(max(DEPTH, limit or 0)), 1):
                leads.add(hit.key, "raw", rank, hit.shares)
        if "events" in chosen:
            for rank, hit in enumerate(self.events(DEPTH), 1):
                stored = self.finder.lexicon.card("event", hit.key)
                for key in stored["messages"] if stored else ():
                    leads.add(key, "events", rank, {}, f"event:{hit.key}")
        if "graph" in chosen:
            for rank, (hit, card, facts, _) in enumerate(self.graph(8), 1):
                for fact in facts:
                    for key in card["messages"].get(fact["id"], ()):
                        leads.add(key, "graph", rank, {}, f"entity:{hit.key}")
        if "turns" in chosen:
            for rank, hit in enumerate(self.turns(DEPTH), 1):
                for key in self._turn_messages(hit.key):
                    leads.add(key, "turns", rank, {}, f"turn:{hit.key}")
        for rank, hit in enumerate(self._parts(chosen), 1):
            leads.add(hit.key, "raw", rank + PART_DEPTH, {})
        return leads

    def _parts(self, chosen: tuple[str, ...]) -> list[Hit]:
        """Give the best messages for each part of a question that asks several things, so that none is crowded out."""
        parts = [part for part in _AND.split(self.question) if len(analysis.query_terms(part).terms) >= 2]
        if "raw" not in chosen or not 2 <= len(parts) <= 4:
            return []
        found = [replace(self, question=part).raw(PART_DEPTH) for part in parts]
        return [hits[rank] for rank in range(PART_DEPTH) for hits in found if rank < len(hits)]

    def _successors_first(self, leads: _Leads) -> list[str]:
        """Give the messages, best first; what replaced a superseded one stands before it, found by itself or not."""
        placed: dict[str, None] = {}
        for key in leads.order(self._is_past):
            if self._is_past(key):
                for event in self.state.by_message[key]:
                    for newer in sorted(self.state.superseded_by.get(event, ())):
                        if self.state.events[newer].state == "active":
                            for message in self.state.events[newer].messages:
                                leads.add(message, "graph", DEPTH, {}, f"event:{newer}")
                                placed.setdefault(message)
            placed.setdefault(key)
        return list(placed)

    def _turn_is_past(self, turn: str) -> bool:
        states = [self._is_past(key) for key in self._turn_messages(turn) if self.state.by_message.get(key)]
        return bool(states) and all(states)

    def _is_past(self, key: str) -> bool:
        """Say whether all that a message gave rise to is superseded."""
        states = {self.state.events[id].state for id in self.state.by_message.get(key, ())} & {"active", "superseded"}
        return states == {"superseded"}

    def _turn_messages(self, turn: str) -> list[str]:
        return self.finder.journal.turn_keys(*turn_of(turn))

    def unusable(self) -> EmptyReason | None:
        """Say why nothing can be found before looking."""
        if not self.terms and not self.finder.raw.read(self.question, self.asked_at).dates:
            return "no_usable_terms"
        return None if self.finder.lexicon.count("message") else "nothing_stored"

    def nothing(self) -> EmptyReason:
        """Say why nothing was found."""
        if self.scope.is_open:
            return "nothing_matched"
        unfiltered = replace(self, scope=Scope(session=self.scope.session))
        return "filtered_out" if unfiltered.raw(1) or unfiltered.events(1) else "nothing_matched"

    # -------------------------------------------------------------- cards
    def _message_card(self, key: str, leads: _Leads) -> Card | None:
        if not (self.scope.is_open or self.takes_message(key)):
            return None
        card, quote = self.finder.lexicon.card("message", key), self._quote(key)
        if card is None or quote is None:
            return None
        score, ranks, shares, also = leads.of(key)
        events = [
            self.state.events[id]
            for id in self.state.by_message.get(key, ())
            if self.state.events[id].state in ("active", "superseded")
        ]
        events = [e for e in events if e.scope != "session" or in_session(e.session, self.scope.session)]
        dated = next((e for e in events if e.happened_start is not None), None)
        return self._card(
            ref=f"message:{key}", kind="message", title=quote.speaker, text=quote.text,
            state="superseded" if self._is_past(key) else "current",
            source_time=quote.sent_at, thread=card["thread"], messages=(key,),
            happened_start=dated.happened_start if dated else None, happened_end=dated.happened_end if dated else None,
            also=tuple(dict.fromkeys([*also, *(f"event:{e.id}" for e in events)])),
            quotes=(quote,), rank_score=score, found_by=ranks, shares=shares,
        )

    def _card(self, **values: Any) -> Card:
        values["why"] = _why(values["found_by"], values.get("shares", {}))
        at = values.get("source_time")
        values["tokens"] = estimate_tokens(f"[{at.date() if at else ''}] {values['title']}: {values['text']}")
        return Card(**values)

    def passage(self, key: str, card: dict[str, Any]) -> str:
        """Give the words of a message, of a long one the part around what matched."""
        if not card["cut"]:
            return str(card["content"])
        message = self.finder.journal.message(key)
        return _window(shown(message.content) if message is not None else card["content"], self.terms)

    def event_card(self, rank: int, hit: Hit) -> Card | None:
        """Make the card of an event."""
        card = self.finder.lexicon.card("event", hit.key)
        if card is None:
            return None
        quotes = [q for key in card["messages"][:3] if (q := self._quote(key, hit.key)) is not None]
        start, end = (datetime.fromisoformat(card[n]) if card[n] else None for n in ("happened_start", "happened_end"))
        return self._card(
            ref=f"event:{hit.key}", kind="event", title=card["title"], text=card["summary"],
            state=self.state.events[hit.key].state.replace("active", "current"),
            source_time=start or datetime.fromisoformat(card["mentioned_at"]), happened_start=start, happened_end=end,
            time_precision=card["precision"], time_text=card["time_text"], quotes=tuple(quotes),
            messages=tuple(card["messages"]), rank_score=hit.rank_score, found_by={"events": rank}, shares=hit.shares,
        )

    def _quote(self, key: str, event: str | None = None) -> Quote | None:
        card = self.finder.lexicon.card("message", key)
        if card is None:
            return None
        return Quote(
            message=key, speaker=card["speaker"] or card["role"], sent_at=datetime.fromisoformat(card["sent_at"]),
            text=self.passage(key, card), event=event,
        )

    def entity_card(
        self, rank: int, hit: Hit, card: dict[str, Any], facts: list[dict[str, Any]], match: Match
    ) -> Card:
        """Make the card of an entity, with the facts that matched first."""
        shown = [*facts, *(f for f in card["now"] if f not in facts)][:8]
        keys = [key for fact in shown for key in card["messages"].get(fact["id"], ())]
        quotes = [q for key in dict.fromkeys(keys[:3]) if (q := self._quote(key)) is not None]
        return self._card(
            ref=f"entity:{hit.key}", kind="entity", title=f"{card['name']} ({card['kind']})",
            text="; ".join(self._fact_text(f) for f in shown),
            state="disputed" if any(f["status"] == "disputed" for f in facts) else match.replace("both", "current"),
            match_type=match,
            quotes=tuple(quotes), messages=tuple(dict.fromkeys(keys)), also=tuple(f"fact:{f['id']}" for f in facts),
            rank_score=hit.rank_score, found_by={"graph": rank}, shares=hit.shares,
        )

    def _fact_text(self, fact: dict[str, Any]) -> str:
        def day(at: str) -> str:
            return datetime.fromisoformat(at).astimezone(self.asked_at.tzinfo).date().isoformat()

        until = f" until {day(fact['valid_to'])}" if fact["valid_to"] else ""
        disputed = " (disputed)" if fact["status"] == "disputed" else ""
        label, no = predicate(fact["key"]).label, "not " if fact["negated"] else ""
        return f"{label} {no}{fact['value']} since {day(fact['valid_from'])}{until}{disputed}"

    def turn_card(self, rank: int, hit: Hit) -> Card | None:
        """Make the card of a turn."""
        card = self.finder.lexicon.card("turn", hit.key)
        if card is None:
            return None
        return self._card(
            ref=f"turn:{hit.key}", kind="turn", title=card["outcome"], text=card["summary"],
            state="superseded" if self._turn_is_past(hit.key) else "current",
            rank_score=hit.rank_score, found_by={"turns": rank}, shares=hit.shares,
        )

    def raw_card(self, rank: int, hit: Hit) -> Card | None:
        """Make the card of a message that the raw route found."""
        leads = _Leads()
        leads.add(hit.key, "raw", rank, hit.shares)
        card = self._message_card(hit.key, leads)
        return None if card is None else card.model_copy(update={"rank_score": hit.rank_score})


def _routes(chosen: Iterable[str] | None) -> tuple[str, ...]:
    if chosen is None:
        return tuple(ROUTES)
    given = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    if unknown := [route for route in given if route not in ROUTES]:
        raise InvalidInput(
            f"no route is called {unknown[0]!r}; there are {', '.join(ROUTES)}", field="routes", value=unknown[0]
        )
    return given


class _Leads:
    """What leads to which message: the fused score, the best rank of each route, the signals, the other refs."""

    def __init__(self) -> None:
        self._ranks: dict[str, dict[str, int]] = {}
        self._shares: dict[str, dict[str, float]] = {}
        self._also: dict[str, dict[str, None]] = {}

    def add(self, key: str, route: str, rank: int, shares: dict[str, float], ref: str | None = None) -> None:
        ranks = self._ranks.setdefault(key, {})
        ranks[route] = min(rank, ranks.get(route, rank))
        self._shares.setdefault(key, {}).update(shares)
        if ref is not None:
            self._also.setdefault(key, {})[ref] = None

    def score(self, key: str) -> float:
        return sum(ROUTES[route][0] / (ROUTES[route][1] + rank) for route, rank in self._ranks[key].items())

    def order(self, is_past: Callable[[str], bool]) -> list[str]:
        """Give the messages, best first; what is superseded counts PAST as much as what stands."""
        scores = {key: self.score(key) * (PAST if is_past(key) else 1.0) for key in self._ranks}
        return sorted(scores, key=lambda key: (-scores[key], min(self._ranks[key].values()), key))

    def of(self, key: str) -> tuple[float, dict[str, int], dict[str, float], list[str]]:
        return self.score(key), self._ranks[key], self._shares[key], list(self._also.get(key, ()))


def _pack(cards: Iterable[Card], count: int, limit: int | None, budget: int | None) -> Result:
    """Take cards in order; one that does not fit is left out, and smaller ones behind it still are taken.

    After MISSES that did not fit in a row the budget counts as spent.
    """
    taken: list[Card] = []
    spent = misses = 0
    for card in cards:
        if budget is not None and spent + card.tokens > budget:
            misses += 1
            if misses == MISSES:
                break
            continue
        misses = 0
        taken.append(card)
        spent += card.tokens
        if len(taken) == limit:
            break
    return Result(taken, left_out=count - len(taken))


def _window(text: str, terms: Iterable[str]) -> str:
    """Give at most PASSAGE characters of a long text, around the first run of words that matched the most terms."""
    wanted = set(terms)
    best, at = -1, 0
    for start in range(0, min(len(text), 200_000), PASSAGE // 2):
        score = len(wanted & set(analysis.terms(text[start : start + PASSAGE])))
        if score > best:
            best, at = score, start
    head = "… " if at else ""
    tail = " …" if at + PASSAGE < len(text) else ""
    return f"{head}{text[at : at + PASSAGE].strip()}{tail}"


def _why(ranks: dict[str, int], shares: dict[str, float]) -> str:
    found = ", ".join(f"{route} #{rank}" for route, rank in sorted(ranks.items(), key=lambda item: item[1]))
    signals = [name for name, share in sorted(shares.items(), key=lambda item: -item[1]) if share > 0.05][:3]
    return found + (f" ({', '.join(signals)})" if signals else "")


