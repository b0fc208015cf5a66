"""Files of chat histories for tests: the samples, and files written on the spot.

In: lines, bytes or JSON. Out: a path, and what reading it gave, turns and problems apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.remember.import_history.formats import open_history

SAMPLES = Path(__file__).parents[2] / "data" / "history"


def written(path: Path, content: str | bytes) -> Path:
    """Write a file."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def log(path: Path, *entries: Any) -> Path:
    """Write JSONL; an entry that is text is a line as it is."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in entries]
    return written(path, "\n".join(lines) + "\n")


def read(path: Path, format_name: str = "auto") -> tuple[list[HistoryTurn], list[HistoryProblem]]:
    """Read a history to its end."""
    found = list(open_history(path, format_name))
    return (
        [one for one in found if isinstance(one, HistoryTurn)],
        [one for one in found if isinstance(one, HistoryProblem)],
    )


def turns(path: Path, format_name: str = "auto") -> list[HistoryTurn]:
    """Read a history that has no problems."""
    found, problems = read(path, format_name)
    assert [] == problems
    return found


def contents(found: list[HistoryTurn]) -> list[list[str]]:
    """Return what was said, turn by turn."""
    return [[message["content"] for message in turn.events["messages"]] for turn in found]


def keys(found: list[HistoryTurn]) -> list[str]:
    """Return the turns' keys."""
    return [turn.key for turn in found]
