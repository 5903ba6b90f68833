"""Killed at any instant, a space opens by itself with all it acknowledged. The long form is a benchmark."""

from __future__ import annotations

from pathlib import Path

from benchmarks.crash import crash


def test_nothing_is_lost_partial_or_unopenable_after_kills(tmp_path: Path, engine: str) -> None:
    report = crash(tmp_path, engine, kills=6, seed=7)
    assert report.kills == 6
    assert report.acknowledged > 0
    assert (report.lost, report.partial, report.unopenable) == (0, 0, 0), report.notes
