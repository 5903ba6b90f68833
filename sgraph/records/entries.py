"""Journal entries: the union of everything the record can hold.

*Source* entries may be appended by any process at any time. *Decision* entries are appended by the owner of the graph
alone; `through` says up to which entry the sources were decided on when it was made.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field, TypeAdapter

from sgraph.records.base import Record
from sgraph.records.parts import Part


class EntryBase(Record):
    """Number, instant (UTC, never decreasing) and parts of an entry."""

    source: ClassVar[bool]

    seq: int
    at: datetime
    through: int | None = None
    parts: tuple[Part, ...]


class SourceEntry(EntryBase):
    """What came in."""

    source = True


class DecisionEntry(EntryBase):
    """What the owner made of it."""

    source = False


class Opened(SourceEntry):
    """The space was created."""

    kind: Literal["opened"] = "opened"


class Said(SourceEntry):
    """Messages arrived: with the turns they begin or end, the Block they fill, and the caller's receipt."""

    kind: Literal["said"] = "said"


class Noted(SourceEntry):
    """Something was stated on purpose, outside a turn."""

    kind: Literal["noted"] = "noted"


class Used(SourceEntry):
    """An answer reported what it really used."""

    kind: Literal["used"] = "used"


class Requested(SourceEntry):
    """Somebody asked to forget, restore, pin, merge, split, undo or lift."""

    kind: Literal["requested"] = "requested"


class SettingsChanged(SourceEntry):
    """Settings of the space took new values."""

    kind: Literal["settings"] = "settings"


class Imported(SourceEntry):
    """A memory kept elsewhere was taken over; its text is kept whole."""

    kind: Literal["imported"] = "imported"


class TurnDerived(DecisionEntry):
    """The built-in rules read the messages of a source entry: events, entities, names, facts, summaries."""

    kind: Literal["turn_derived"] = "turn_derived"


class TurnSummarised(DecisionEntry):
    """A turn summary was handed in."""

    kind: Literal["turn_summarised"] = "turn_summarised"


class BlockSummarised(DecisionEntry):
    """L0–L2 of a Block were handed in."""

    kind: Literal["block_summarised"] = "block_summarised"


class EventsDerived(DecisionEntry):
    """Events of a Block were handed in."""

    kind: Literal["events_derived"] = "events_derived"


class Projected(DecisionEntry):
    """Entities, names and facts were projected from events."""

    kind: Literal["projected"] = "projected"


class Decided(DecisionEntry):
    """The effect of a request, a note, a use or an import."""

    kind: Literal["decided"] = "decided"


class Refused(DecisionEntry):
    """A derivation broke its contract and was put into quarantine."""

    kind: Literal["refused"] = "refused"


Entry = Annotated[
    Opened | Said | Noted | Used | Requested | SettingsChanged | Imported
    | TurnDerived | TurnSummarised | BlockSummarised | EventsDerived | Projected | Decided | Refused,
    Field(discriminator="kind"),
]
ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
PART: TypeAdapter[Part] = TypeAdapter(Part)
KINDS: dict[str, type[EntryBase]] = {
    cls.model_fields["kind"].default: cls
    for base in (SourceEntry, DecisionEntry)
    for cls in base.__subclasses__()
}
SOURCE_KINDS = frozenset(kind for kind, cls in KINDS.items() if cls.source)
