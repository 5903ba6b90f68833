"""Chronology: every expression of time becomes an interval, or stays unknown.

`resolve` reads one expression, `find` running text, `current` a happening told as present; `read_instant` and
`read_filter` take times from outside. `RULES` is the table of the grammar.
"""

from sgraph.chronology.filters import check_order, overlaps, read_filter, read_instant
from sgraph.chronology.present import current
from sgraph.chronology.reading import RULES, find, resolve

__all__ = ["RULES", "check_order", "current", "find", "overlaps", "read_filter", "read_instant", "resolve"]
