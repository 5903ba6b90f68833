"""Ids: UUIDv7, increasing within a process."""

from __future__ import annotations

import os
import threading
import time
import uuid

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Make a UUIDv7 (RFC 9562, section 5.7) that sorts after every one made before in this process.

    The millisecond and the 12 bits behind it form one counter that never stands still, so ids made within a
    millisecond keep their order too.
    """
    global _last
    with _lock:
        _last = max(_last + 1, time.time_ns() // 1_000_000 << 12)
        stamp, step = _last >> 12, _last & 0xFFF
    random = int.from_bytes(os.urandom(8)) & (1 << 62) - 1
    return str(uuid.UUID(int=stamp << 80 | 0x7 << 76 | step << 64 | 0b10 << 62 | random))
