"""Freely worded requests to forget, and messages that only sound like one: what is reached holds.

The histories were written by people who had not seen the code, and the reader was trained on them
since; the practice rows, longer ones, it was never trained on. What judges is `python -m bench
forgetting`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from bench.forgetting_said import score_rows

HISTORIES: Final = Path(__file__).parents[2] / "data/forgetting/histories"
HIDDEN: Final = {"en": 104, "zh": 104}
"""For how many of 160 requests all that was meant is hidden, at least."""
PRACTICE: Final = Path(__file__).parents[1] / "data/forgetting/practice"
PRACTICE_HIDDEN: Final = {"en": 43, "zh": 41}
"""The same of 75 practice requests; nothing else goes by any of them."""
HARMED: Final = 7
"""By how many something else goes, at most: nearly always it was said in the same breath."""


@pytest.mark.spec("J7")
@pytest.mark.parametrize("lang", HIDDEN)
def test_what_is_meant_is_hidden_and_nothing_else(lang: str, tmp_path: Path) -> None:
    """No message that only sounds like a request hides anything."""
    scores = score_rows(HISTORIES / f"{lang}.jsonl", tmp_path)
    assert scores[f"request {lang}"].hidden >= HIDDEN[lang]
    assert scores[f"request {lang}"].harmed <= HARMED
    assert scores[f"lookalike {lang}"].harmed == 0


@pytest.mark.spec("J7")
@pytest.mark.parametrize("lang", PRACTICE_HIDDEN)
def test_nothing_else_is_hidden_in_longer_histories(lang: str, tmp_path: Path) -> None:
    """What goes was meant, though most of what was told has nothing to do with it."""
    scores = score_rows(PRACTICE / f"{lang}.jsonl", tmp_path)
    assert scores[f"request {lang}"].hidden >= PRACTICE_HIDDEN[lang]
    assert scores[f"request {lang}"].harmed == 0
    assert scores[f"lookalike {lang}"].harmed == 0
