"""Routes: in which order models are asked, with which key, and which of them rest after a failure.

One retry policy, here and in `jobs`: a call is made once. With another key or another route left, it is tried at once;
with none left, the job waits and comes back.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sgraph.config import Models, Route

PAUSE = 30.0  # seconds that a route which failed is asked last
DENIED_PAUSE = 600.0  # the same after 401, 403 or 404: the route itself is wrong, and only a person can put it right
DENIED = frozenset({401, 403, 404})


@dataclass(frozen=True)
class Candidate:
    """One route with one of its keys ("" when it needs none)."""

    route: Route
    key: str = ""

    def __repr__(self) -> str:
        return f"Candidate({label(self.route)})"


def label(route: Route) -> str:
    """Name a route in reports: its model and address."""
    return f"{route.model} at {route.base_url}"


def keys(route: Route) -> tuple[str, ...]:
    """Read a route's keys where its reference points, anew each time, so that a change holds at once.

    Several are separated by commas. What is not there gives none: a local server needs no key.
    """
    scheme, _, place = (route.key or "").partition(":")
    if scheme == "env":
        text = os.environ.get(place, "")
    elif scheme == "file":
        try:
            text = Path(place).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
    else:
        text = ""
    return tuple(key for key in (part.strip() for part in text.split(",")) if key)


def missing_key(route: Route) -> bool:
    """Say whether a route names a key that is not there."""
    return route.key is not None and not keys(route)


def in_order(models: Models, session: Route | None) -> tuple[Route, ...]:
    """Give the routes to ask, the first one first; none when no model is configured."""
    preset = (models.preset,) if models.preset is not None else ()
    handed = (session,) if session is not None else ()
    first = {"pool": models.pool, "preset": preset, "session": handed}[models.source]
    return first or preset or handed


class Rotation:
    """Who is asked next, in one process: the last good key of each route first, and routes that failed last.

    Safe for threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._good: dict[Route, str] = {}
        self._resting: dict[Route, float] = {}

    def candidates(self, routes: Iterable[Route]) -> list[Candidate]:
        """Give every key of every route, in the order they are to be tried."""
        now = time.monotonic()
        with self._lock:
            ordered = sorted(routes, key=lambda route: self._resting.get(route, 0.0) > now)
            return [candidate for route in ordered for candidate in self._of(route)]

    def _of(self, route: Route) -> Iterator[Candidate]:
        found = keys(route) or ("",)
        good = self._good.get(route)
        start = found.index(good) if good in found else 0
        return (Candidate(route, key) for key in found[start:] + found[:start])

    def succeeded(self, candidate: Candidate) -> None:
        """Stay with this key, and let the route rest no longer."""
        with self._lock:
            self._good[candidate.route] = candidate.key
            self._resting.pop(candidate.route, None)

    def failed(self, candidate: Candidate, status: int | None) -> None:
        """Go on to the next key from now on, and let the route rest."""
        found = keys(candidate.route)
        with self._lock:
            if len(found) > 1 and candidate.key in found:
                self._good[candidate.route] = found[(found.index(candidate.key) + 1) % len(found)]
            self._resting[candidate.route] = time.monotonic() + (DENIED_PAUSE if status in DENIED else PAUSE)


ROTATION = Rotation()
