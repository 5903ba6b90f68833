"""The settings of a space: what there is, and what each takes. They are kept in the journal, with their history."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sgraph.errors import InvalidInput

DEFAULTS: dict[str, Any] = {
    "block_turns": 12, "block_decay": 0.30, "timezone": "UTC", "self": "user", "rules": True, "models": False,
}


def check_settings(settings: dict[str, Any]) -> None:
    """Raise InvalidInput for a setting that does not exist or a value it does not take."""
    for name, value in settings.items():
        if name not in DEFAULTS:
            raise InvalidInput(
                f"no setting is called {name!r}; there are {', '.join(DEFAULTS)}", field=name, value=value
            )
    turns_ = settings.get("block_turns", 1)
    if not isinstance(turns_, int) or isinstance(turns_, bool) or turns_ < 1:
        raise InvalidInput("block_turns must be a whole number of at least 1", field="block_turns", value=turns_)
    for name in ("rules", "models"):
        if not isinstance(settings.get(name, True), bool):
            raise InvalidInput(f"{name} must be true or false", field=name, value=repr(settings[name]))
    for name in ("self", "timezone"):
        value = settings.get(name, "x")
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise InvalidInput(f"{name} must be a name", field=name, value=repr(value))
    decay = settings.get("block_decay", 0.0)
    if not isinstance(decay, int | float) or not 0 <= decay < float("inf"):
        raise InvalidInput("block_decay must be a number of at least 0", field="block_decay", value=decay)
    try:
        ZoneInfo(settings.get("timezone", "UTC"))
    except (ZoneInfoNotFoundError, ValueError, TypeError) as error:
        raise InvalidInput(
            "timezone must be an IANA name such as Europe/Berlin", field="timezone", value=settings["timezone"]
        ) from error
