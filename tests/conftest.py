"""What every test may use: the engine under test, and a memory of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import sgraph


@pytest.fixture(scope="session")
def engine() -> str:
    """The engine this run of the suite is for; both cannot be opened in one process."""
    return os.environ.get("SGRAPH_ENGINE", "kuzu")


@pytest.fixture
def memory(tmp_path: Path, engine: str) -> Iterator[sgraph.Memory]:
    with sgraph.open(tmp_path / "memory.sgraph", engine=engine) as opened:
        yield opened
