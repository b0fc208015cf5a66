"""Freely worded requests to forget, and messages that only sound like one: what is reached holds.

The rows were written by people who had not seen the code, and were looked at since: they are for
practice. What judges is `python -m bench forgetting`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from bench.forgetting_said import score_rows

ROWS: Final = Path(__file__).parents[1] / "data/forgetting/practice.jsonl"
HIDDEN: Final = {"request en": 37, "request zh": 51}
"""For how many of 60 requests all that was meant is hidden, at least."""


@pytest.mark.spec("J7")
def test_what_is_meant_is_hidden_and_nothing_else(tmp_path: Path) -> None:
    """No message that only sounds like a request hides anything."""
    scores = score_rows(ROWS, tmp_path)
    for name, least in HIDDEN.items():
        assert scores[name].hidden >= least
    assert dict.fromkeys(scores, 0) == {one: score.harmed for one, score in scores.items()}
