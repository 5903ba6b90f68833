"""Resolve a mention: which entity a name means, decided from a few candidates and never guessed.

The caller finds the candidates by key (`names.key` for `exact`, `names.lookup_keys` for `in_thread`), joins `canon` so
that merged entities are one, and leaves out `Name` nodes that are retired or rest on nothing active.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from sgraph.identity import names
from sgraph.records.base import Record

How = Literal["exact", "alias", "short_form", "new", "ambiguous"]


class Candidate(Record):
    """An entity that was found by one of its names; `name` is a full name or an alias of it."""

    entity_id: str
    name: str
    kind: str


class Resolution(Record):
    """What a mention means. `entity_id` is None for `new` and `ambiguous`.

    `candidates` are the entities the decision was made among, one entry each, in the order they were handed in; for
    `new` they are the entities of the thread whose name the mention extends ("Alex" when the mention is "Alex Moreau"):
    worth showing to a person, not enough to join.
    """

    entity_id: str | None
    how: How
    candidates: tuple[Candidate, ...] = ()


def resolve(display: str, kind: str, *, exact: Sequence[Candidate], in_thread: Sequence[Candidate]) -> Resolution:
    """Decide which entity of that kind a mention names; candidates of another kind are ignored.

    `exact` holds what the mention's own key leads to, by names and aliases; `in_thread` what its buckets lead to among
    the entities that occur in this thread, under each of their names. An equal name decides if it leads to one entity,
    and that one occurs in this thread or nothing else in it fits: the Alex of another thread is not taken for the Alex
    Moreau of this one. Otherwise a short form decides if exactly one entity of the thread fits. Several are ambiguous
    and are all returned. A mention that says *more* than a known name is new: "Alex Lindqvist" must not become the Alex
    of an earlier message.
    """
    equal = [candidate for candidate in exact if candidate.kind == kind]
    known = [candidate for candidate in in_thread if candidate.kind == kind]
    fitting = [candidate for candidate in known if names.is_short_form(display, candidate.name, kind)]
    if equal:
        entities = {candidate.entity_id for candidate in equal}
        here = len(entities) == 1 and entities <= {candidate.entity_id for candidate in known}
        spelled = names.normalise(display, kind)
        as_named = any(names.normalise(candidate.name, kind) == spelled for candidate in equal)
        return _decided(equal if here else equal + fitting, "exact" if as_named else "alias")
    if fitting:
        return _decided(fitting, "short_form")
    extended = (candidate for candidate in known if names.is_short_form(candidate.name, display, kind))
    return Resolution(entity_id=None, how="new", candidates=_one_each(extended))


def _decided(found: Sequence[Candidate], how: How) -> Resolution:
    candidates = _one_each(found)
    if len(candidates) > 1:
        return Resolution(entity_id=None, how="ambiguous", candidates=candidates)
    return Resolution(entity_id=candidates[0].entity_id, how=how, candidates=candidates)


def _one_each(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    first: dict[str, Candidate] = {}
    for candidate in found:
        first.setdefault(candidate.entity_id, candidate)
    return tuple(first.values())
