"""`recall --interactive`: from a question to evidence that was weighed, opened and used, step by step. No model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sgraph.cli.door import Door, tell
from sgraph.cli.output import Form, Line, Shown, one_line, show, when
from sgraph.errors import InvalidInput, SgraphError

if TYPE_CHECKING:
    from sgraph.memory import Memory
    from sgraph.records.evidence import Assessment
    from sgraph.records.found import Found

TEXT = 400
_HELP = (
    ("1 3", "cards 1 and 3 answer the question"),
    ("open 2", "show what card 2 stands for"),
    ("events WORDS", "look along another route; also graph, turns, messages; without words: the same question"),
    ("recall WORDS", "ask again"),
    ("missing TEXT", "not enough: say what is missing"),
    ("despite CODE", "overrule a concern that was looked at and does not apply"),
    ("use", "record what was adopted as used, and end"),
    ("quit", "end; the batch is closed and nothing reinforced"),
)
#: What a step of the gate is typed as here.
_TYPED = {
    "recall": "recall WORDS", "search_events": "events", "search_graph": "graph", "search_turns": "turns",
    "search_raw": "messages", "expand_event": "open N", "expand_entity": "open N", "expand_turn": "open N",
    "expand_block": "open N", "answer": "use",
}  # fmt: skip


class Dialogue:
    """One question, asked until it is answered or given up. Reads lines from stdin; its end ends it."""

    def __init__(self, door: Door, memory: Memory, found: Found, scope: dict[str, Any]) -> None:
        self._door, self._memory, self._found, self._scope = door, memory, found, scope
        self._question = found.question
        self._assessed: Assessment | None = None
        self._despite: list[str] = []
        self._refs: list[str] = []
        self._ended = False
        self._verbs: dict[str, Callable[[str], None]] = {
            "open": self._open, "recall": self._recall, "missing": self._missing, "despite": self._overrule,
            "use": self._use, "quit": self._quit, "help": self._help, "?": self._help,
            **dict.fromkeys(("events", "graph", "turns", "messages"), self._search),
        }  # fmt: skip
        self._tools = memory.tools()

    def run(self) -> None:
        """Show what was found, then do what is typed until it ends."""
        self._cards()
        self._help("")
        while not self._ended:
            if sys.stdin.isatty():
                print("recall> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line:
                self._quit("")
            elif line.strip():
                self._step(line.strip())

    def _step(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        try:
            if verb.replace(",", "").isdecimal():
                self._assess(line)
            elif verb in self._verbs:
                self._route = verb
                self._verbs[verb](rest.strip())
            else:
                raise InvalidInput(f"{verb!r} is no step; help lists them", field="step", value=verb)
        except SgraphError as error:
            tell(error.message)

    # -------------------------------------------------------------- steps
    def _assess(self, line: str) -> None:
        cards = [self._card(number) for number in line.replace(",", " ").split()]
        made_of = (
            ref for card in cards for ref in (card.ref, *card.also) if not ref.startswith("turn:") or ref == card.ref
        )
        self._refs = list(dict.fromkeys(made_of))[:8]  # a turn says more than the card that was picked
        self._judge("sufficient", "", "answer")

    def _missing(self, text: str) -> None:
        self._judge("partial", text, "")

    def _overrule(self, codes: str) -> None:
        self._despite = [*self._despite, *codes.replace(",", " ").split()]
        self._judge("sufficient", "", "answer")

    def _judge(self, verdict: str, missing: str, strategy: str) -> None:
        self._assessed = self._memory.assess(
            self._found.batch_id, verdict=verdict, evidence_refs=self._refs, missing=missing, next_strategy=strategy,
            despite=self._despite,
        )  # fmt: skip
        self._say(verdict_lines(self._assessed))

    def _open(self, number: str) -> None:
        card = self._card(number)
        result = json.loads(self._tools.call("expand", {"ref": card.ref, "batch_id": self._found.batch_id}))
        if "batch_id" in result:
            self._memory.record_use(result["batch_id"], [])  # opened to be read: what is adopted is the card
        self._say(_tree({name: value for name, value in result.items() if name not in ("batch_id", "note", "refs")}))

    def _recall(self, words: str) -> None:
        self._again(self._memory.recall(words or self._question, **self._scope), words)

    def _search(self, words: str) -> None:
        verb = {"messages": "search_raw"}.get(self._route, f"search_{self._route}")
        self._again(getattr(self._memory, verb)(words or self._question, **self._scope), words)

    def _again(self, found: Found, words: str) -> None:
        self._memory.record_use(self._found.batch_id, [])
        self._question = words or self._question
        self._found, self._assessed, self._refs, self._despite = found, None, [], []
        self._cards()

    def _use(self, text: str) -> None:
        adopted = self._assessed.evidence_refs if self._assessed and self._assessed.verdict == "sufficient" else ()
        if not adopted:
            raise InvalidInput(
                "nothing is adopted yet: type the numbers of the cards that answer", field="step", value="use"
            )
        done = self._memory.record_use(self._found.batch_id, adopted)
        self._say([
            Line(f"recorded: {len(done.events)} events reinforced, {len(done.messages)} messages cited"),
            Line(f"→ sgraph query {'audit' if done.events else 'cited'} receipt={done.receipt}", style="dim"),
        ])  # fmt: skip
        self._ended = True

    def _quit(self, text: str) -> None:
        self._memory.record_use(self._found.batch_id, [])
        self._ended = True

    def _help(self, text: str) -> None:
        if not self._door.quiet:
            self._say([Line(), *(Line(f"{typed:<14} {meaning}", style="dim") for typed, meaning in _HELP)])

    # -------------------------------------------------------------- showing
    def _card(self, number: str) -> Any:
        if not number.isdecimal() or not 1 <= int(number) <= len(self._found.cards):
            raise InvalidInput(f"no card has the number {number!r}", field="number", value=number)
        return self._found.cards[int(number) - 1]

    def _cards(self) -> None:
        zone = self._memory.zone
        lines = [] if self._found.cards else [Line(f"nothing found ({self._found.empty_reason}); try another route")]
        for number, card in enumerate(self._found.cards, 1):
            said = f"  {when(card.source_time, zone)}" if card.source_time else ""
            state = "" if card.state == "current" else f"  ({card.state})"
            lines.append(Line(f"[{number}] {one_line(card.title, 120)}{said}{state}", style="bold"))
            lines.append(Line(one_line(card.text, TEXT), indent=4))
        self._say(lines)

    def _say(self, lines: Sequence[Line]) -> None:
        show(Shown({}, list(lines)), Form.TEXT)


def verdict_lines(assessed: Assessment) -> list[Line]:
    """Show a verdict: what holds, what was found wanting, and what to try next."""
    lines = [Line(assessed.verdict + (f": {assessed.missing}" if assessed.missing else ""), style="bold")]
    lines += [Line(f"{each.ref}: {each.detail}", indent=2) for each in assessed.rejected]
    lines += [Line(f"{each.code}: {each.message}{_about(each.refs)}", indent=2) for each in assessed.concerns]
    return [*lines, Line(f"→ {_TYPED.get(assessed.next_strategy, assessed.next_strategy)}", style="dim")]


def _about(refs: Sequence[str]) -> str:
    return f" ({', '.join(refs)})" if refs else ""


def _tree(value: Any, indent: int = 0) -> list[Line]:
    """Show a JSON value as indented lines."""
    if isinstance(value, dict):
        lines: list[Line] = []
        for name, each in value.items():
            plain = not isinstance(each, dict | list)
            lines += (
                [Line(f"{name}: {one_line(str(each), TEXT)}", indent)]
                if plain
                else [Line(f"{name}:", indent), *_tree(each, indent + 2)]
            )
        return lines
    if isinstance(value, list):
        return [line for each in value for line in (*_tree(each, indent), Line())]
    return [Line(one_line(str(value), TEXT), indent)]
