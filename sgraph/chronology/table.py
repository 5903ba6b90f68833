"""The table of rules as Markdown, for the documentation: `python -m sgraph.chronology.table`."""

from __future__ import annotations

from datetime import datetime, timedelta

from sgraph.chronology.grammar import Rule
from sgraph.chronology.reading import RULES, resolve

SAID_AT = datetime(2024, 5, 15, 10, 30)
"""The moment of speaking in the table: a Wednesday."""

_WHERE = {
    "TIME": "anywhere",
    "SPAN": "anywhere",
    "DAYDATE": "anywhere",
    "BARE": "in company",
    "BAREDAY": "in company",
    "ALONE": "by itself",
    "NOT_TIME": "no time",
}


def rules_table() -> str:
    """Lay out the rules that read times, in the order in which they are tried.

    Each row has the name of the rule, its (first) pattern, an example, and the interval that the example means when it
    is said at `SAID_AT`.
    """
    lines = ["| rule | pattern | for example | means | counts |", "|---|---|---|---|---|"]
    lines += [_line(row) for row in RULES if row.builds in _WHERE]
    return "\n".join(lines)


def _line(row: Rule) -> str:
    pattern = row.patterns[0].replace("|", "\\|") + (" …" if len(row.patterns) > 1 else "")
    example = row.examples[0]
    means = "" if row.builds == "NOT_TIME" else _shown(example)
    return f"| {row.name} | `{pattern}` | {example} | {means} | {_WHERE[row.builds]} |"


def _shown(example: str) -> str:
    """Show an interval as people write it: whole days with the last day inside."""
    span = resolve(example, SAID_AT)
    if span is None:
        return "nothing"
    if span.start.time() == span.end.time() == datetime.min.time():
        last = span.end - timedelta(days=1)
        return f"{span.start:%Y-%m-%d}" + ("" if last <= span.start else f" to {last:%Y-%m-%d}")
    return f"{span.start:%Y-%m-%d %H:%M} to {span.end:%Y-%m-%d %H:%M}"


if __name__ == "__main__":
    print(rules_table())
