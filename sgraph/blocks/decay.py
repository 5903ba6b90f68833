"""Which level of a Block is shown: the deeper the fresher, lifted on request."""

from __future__ import annotations

import math
import re

from sgraph.errors import InvalidInput

DEEPEST = 5
DEFAULT_LAMBDA = 0.30

# How many levels a Block has sunk below its anchor: the first row whose bound the weight is above.
_SUNK = ((0.7, 0), (0.5, 1), (0.3, 2), (0.15, 3), (0.08, 4))


def level(age: int, anchor_level: int = DEEPEST, lam: float = DEFAULT_LAMBDA) -> int:
    """Return the level, 0 to 5, shown for a Block of that age.

    `age` counts ready Blocks of the same thread since the anchor (sealing or the last lift); below 0 it counts as 0.
    The weight is `exp(-lam * age)`; at the default rate a Block sealed at level 5 shows 5, 5, 4, 3, 3, 2, 2, 1, 1, 0.
    Raises `InvalidInput` when `lam` is negative or not finite, or `anchor_level` is not a level.
    """
    if not (math.isfinite(lam) and lam >= 0):
        raise InvalidInput("the decay rate must be a finite number, 0 or more", field="lam", value=repr(lam))
    if anchor_level not in range(DEEPEST + 1):
        raise InvalidInput("a level is a whole number from 0 to 5", field="anchor_level", value=repr(anchor_level))
    weight = math.exp(-lam * max(0, age))
    sunk = next((levels for bound, levels in _SUNK if weight > bound), DEEPEST)
    return max(0, anchor_level - sunk)


def lift_target(current: int, target: str | float | None = None) -> int:
    """Return the level that a request to lift asks for, clamped to 0 to 5.

    "raw" is 5; "L0" to "L5" and numbers (rounded) are that level; "next", "+1", nothing and whatever cannot be read are
    one level deeper than `current`: a request never goes deeper than it says.
    """
    wanted: float = current + 1
    if isinstance(target, str):
        text = target.strip().lower()
        if text == "raw":
            wanted = DEEPEST
        elif found := re.fullmatch(r"l?(-?[0-9]{1,3}(?:\.[0-9]{1,9})?)", text):
            wanted = float(found[1])
    elif target is not None and not isinstance(target, bool) and not math.isnan(target):
        wanted = target
    return round(min(DEEPEST, max(0, wanted)))
