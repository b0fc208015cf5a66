"""Told changes with a perfect reader: what the fold makes of labelled conversations (K4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.oracle import RIGHT, UNDERSTOOD, score_changes

from conftest import is_full


@pytest.mark.spec("K2", "K4", "K5", "K10", "K11")
def test_what_stands_after_told_changes_is_what_people_expect(tmp_path: Path) -> None:
    """Of conversations in both languages in which something changes, ends or is put right."""
    score = score_changes(tmp_path / "brain", every=1 if is_full() else 4)
    assert score.right >= RIGHT * score.expected, score.missed
    assert score.understood >= UNDERSTOOD * score.changes
