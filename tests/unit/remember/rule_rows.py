"""Rows of the data files that the rules are tried on, and messages of the user made of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from smartbrain.domain.claim import Source
from smartbrain.remember.rules.said import Said, read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
_DATA: Final = Path(__file__).parents[2] / "data" / "rules"


def load_rows(name: str) -> list[dict[str, Any]]:
    """Returns the rows of a data file."""
    lines = (_DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_user(text: str, at: datetime = AT) -> Said:
    """Reads a message of the user."""
    return read_said(text, source=Source.USER, at=at)
