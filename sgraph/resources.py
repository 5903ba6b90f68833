"""Files that ship with the package: named queries and the schema, from the wheel or from the checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def resource_dir(name: str) -> Path:
    """Give the folder `queries` or `schema`: inside the installed package, else at the top of the checkout."""
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name
