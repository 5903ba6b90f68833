"""The built-in rules: what plain words assert, read without a model. Deterministic, offline, no look-ups."""

from sgraph.derive.rules.digests import digest_block, summarise
from sgraph.derive.rules.reader import read

__all__ = ["digest_block", "read", "summarise"]
