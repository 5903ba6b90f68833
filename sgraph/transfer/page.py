"""One HTML page for review: the picture, and below it every entity with its claims, their evidence and their validity.

The page needs nothing else and runs nothing: no script, no font, no image from elsewhere. The same subgraph gives the
same page.
"""

from __future__ import annotations

from pathlib import Path

from sgraph.records.subgraph import SubgraphData
from sgraph.transfer.markup import Markup, el, foreign
from sgraph.transfer.picture import MOST, SHAPES, kind_class, picture, sign
from sgraph.transfer.sections import Sheet, entity_section
from sgraph.transfer.wording import count, instant

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_FITS = 30  # so many nodes a wide screen shows at once anyway


def page(data: SubgraphData) -> str:
    """Write the page."""
    this = Sheet(data)
    title = _title(this)
    style = Path(__file__).with_name("page.css").read_text("utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", Markup(style)),
    )
    body = el(
        "body",
        el("a", "Skip to the claims", href="#claims", class_="skip"),
        el("header", el("h1", title), _summary(this)),
        el(
            "main",
            _picture(this),
            _index(this),
            el("section", *(entity_section(this, node) for node in data.nodes), id="claims", tabindex=-1),
        ),
        el(
            "footer",
            el(
                "p",
                "Made by sgraph. Quoted text is what people and programs said: data, shown as it is.",
            ),
        ),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _title(this: Sheet) -> str:
    starts = [this.nodes[start].name for start in this.data.starts if start in this.nodes]
    return f"What is known around {' and '.join(dict.fromkeys(starts))}" if starts else "What is known"


def _summary(this: Sheet) -> Markup:
    question, counts, cut = this.data.question, this.data.counts, this.data.cut
    facts: list[str] = [
        f"{count(counts.nodes, 'entity', 'entities')} and {count(counts.claims, 'claim')}",
        f"They rest on {count(counts.events, 'event')} and {count(counts.messages, 'message')}",
        f"Exported {instant(this.data.exported_at, this.zone)}; days are those of {this.data.timezone}",
    ]
    if question.around is not None:
        facts.append(f"Up to {count(question.hops, 'relation')} away, whichever way a relation points")
    if question.kinds is not None:
        facts.append("Only these kinds: " + ", ".join(question.kinds))
    if question.as_of is not None:
        facts.append(f"Only what is valid at {instant(question.as_of, this.zone)}, which counts as now")
    if question.known_at is not None:
        facts.append(f"As it was known at {instant(question.known_at, this.zone)}")
    if question.session is not None:
        facts.append(f"With what holds in the session {question.session} only")
    if question.include_forgotten:
        facts.append("With what was forgotten")
    facts.append(
        f"Bars of validity: the dashed line is {instant(this.now, this.zone)}, an arrow means that no end is known"
    )
    left_out = [
        count(number, *words)
        for number, words in (
            (cut.nodes, ("more entity in reach", "more entities in reach")),
            (cut.events, ("further event", "further events")),
            (cut.edges, ("relation that leads outside", "relations that lead outside")),
        )
        if number
    ]
    if left_out:
        facts.append("Left out: " + ", ".join(left_out))
    return el("ul", *(el("li", foreign(fact)) for fact in facts), class_="facts")


# ------------------------------------------------------------------ picture and index
def _picture(this: Sheet) -> Markup:
    if not this.data.nodes:
        return el("p", "There is nothing to show.")
    kinds = sorted({node.kind for node in this.data.nodes}, key=lambda kind: (kind not in SHAPES, kind))
    looks = (("now", "holds"), ("past", "no longer holds"), ("disputed", "disputed"), ("now negated", "denied"))
    legend = [
        *(el("li", _sign(kind), foreign(kind)) for kind in kinds),
        *(
            el(
                "li",
                el(
                    "svg",
                    el("g", el("path", d="M2 10H30", class_="line"), class_=f"e {look}"),
                    viewBox="0 0 32 20",
                    class_="wide",
                    aria_hidden="true",
                ),
                words,
            )
            for look, words in looks
        ),
    ]
    note = "Point at a node, or move the focus to it, to see its relations; follow it to its claims."
    if len(this.data.nodes) > MOST:
        note += f" Only the {MOST} best connected of {len(this.data.nodes):,} entities are drawn; all are listed below."
    return el(
        "section",
        el("h2", "Picture", id="picture"),
        el(
            "figure",
            el("label", el("input", type="checkbox"), " Show the whole picture at once", class_="fit"),
            el(
                "div",
                picture(this.data, this.anchors),
                class_="canvas",
                tabindex=0,
                role="region",
                aria_label="Picture, scrollable",
            ),
            el("figcaption", el("ul", *legend, class_="legend"), el("p", note)),
            class_="large" if len(this.data.nodes) > _FITS else None,
        ),
        aria_labelledby="picture",
    )


def _sign(kind: str) -> Markup:
    return el(
        "svg", el("g", sign(kind, 10, 10, 7), class_=f"n {kind_class(kind)}"), viewBox="0 0 20 20", aria_hidden="true"
    )


def _index(this: Sheet) -> Markup:
    ordered = sorted(this.data.nodes, key=lambda node: (node.name.casefold(), node.id))
    entries = [
        el("li", _sign(node.kind), el("a", foreign(node.name), href=f"#{this.anchors[node.id]}")) for node in ordered
    ]
    return el(
        "nav", el("h2", "Entities", id="entities"), el("ul", *entries, class_="index"), aria_labelledby="entities"
    )
