"""Chronology: every expression of time becomes an interval, or stays unknown."""

from sgraph.chronology.reading import RULES, find, resolve

__all__ = ["RULES", "find", "resolve"]
