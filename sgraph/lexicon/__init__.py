"""How things are found: an inverted index over Whoosh, scored by BM25F, that follows the journal."""

from sgraph.lexicon.fields import FIELDS
from sgraph.lexicon.files import Digests
from sgraph.lexicon.index import Lexicon

__all__ = ["FIELDS", "Digests", "Lexicon"]
