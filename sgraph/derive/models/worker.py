"""The background worker: one thread of the owner that goes on with what is due."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import Any

from sgraph.errors import NoRoute, SpaceClosed, SpaceLocked
from sgraph.records.jobs import Processed

_log = logging.getLogger(__name__)
INTERVAL = 2.0  # seconds between two looks at what is due
REFUSED_PAUSE = 300.0  # seconds after a route refused every call: only a person can put that right


class Worker:
    """Processes for a memory until it is stopped, or the memory is gone."""

    def __init__(self, memory: Any) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=_run, args=(weakref.ref(memory), self._stop), name="sgraph-worker", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Let the call that runs end, and go."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()


def _run(reference: weakref.ref[Any], stop: threading.Event) -> None:
    pause = 0.0
    while not stop.wait(pause):
        memory = reference()
        if memory is None:
            return
        try:
            done: Processed = memory.process(stop=stop)
            pause = REFUSED_PAUSE if done.stopped else INTERVAL
        except SpaceClosed:
            return
        except (NoRoute, SpaceLocked):
            pause = INTERVAL
        except Exception:
            _log.exception("processing in the background failed")
            pause = 10 * INTERVAL
        del memory
