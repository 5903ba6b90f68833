"""What is indexed of each kind of thing, and how much a word in it weighs: one table."""

from __future__ import annotations

from dataclasses import dataclass

from sgraph import analysis

#: Term frequency saturation, one for all kinds.
K1 = 1.2
#: A term in more than this share of the documents of a kind is left out when the question has a rarer one …
COMMON_SHARE = 0.25
#: … and the kind has at least this many documents with it.
COMMON_FLOOR = 1000


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the weight of a word in it, and `b`, how far its length is held against it (0 not at all, 1 fully)."""

    name: str
    weight: float
    b: float = 0.75


#: Long prose is normalised fully; in a list (tags, names) more entries are not more of the same.
FIELDS: dict[str, tuple[Field, ...]] = {
    "event": (
        Field("title", 4.0),
        Field("summary", 3.0),
        Field("quotes", 2.0),
        Field("tags", 2.0, b=0.3),
        Field("participants", 5.0, b=0.3),
        Field("type", 5.0, b=0.0),
        Field("time", 4.0, b=0.3),
    ),
    "entity": (
        Field("name", 6.0, b=0.3),
        Field("aliases", 5.0, b=0.3),
        Field("tags", 5.0, b=0.3),
        Field("type", 2.0, b=0.0),
        Field("current", 4.0),
        Field("historical", 2.0),
        Field("neighbours", 4.0),
        Field("past_neighbours", 2.0),
        Field("relations", 1.0),
    ),
    "turn": (
        Field("summary", 3.0),
        Field("triples", 2.0),
        Field("terms", 2.0, b=0.3),
    ),
    "message": (Field("text", 1.0),),
}

KINDS = tuple(FIELDS)
#: How many length columns the widest kind needs.
SLOTS = max(map(len, FIELDS.values()))

#: Changes whenever an index written before cannot be read as one written now.
FORMAT = "|".join(
    ["1", analysis.VERSION, *(f"{kind}:{','.join(field.name for field in FIELDS[kind])}" for kind in KINDS)]
)


def index_field(kind: str, field: Field) -> str:
    """Name the index field: kinds do not share one, so that statistics are per kind."""
    return f"{kind}_{field.name}"
