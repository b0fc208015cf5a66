"""Forgetting by words, measured: labelled requests, and messages that only sound like one.

Each row is a small history with a message at its end, the words that have to be hidden by it, and
those that have to stay. Only totals are printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from bench.report import Result, Setting
from smartbrain import SmartBrain

ROWS = Path(__file__).parents[1] / "tests/data/forgetting/requests.jsonl"
HIDDEN_SHARE = 0.95
_QUESTION = "?"
_TOLD = datetime(2026, 3, 4, 10, tzinfo=UTC)
"""When each history is told: a figure of what was told may stand in another time by chance."""
_GENERATED = re.compile(
    r"(?:\b|_)[0-9a-f]{32}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?"
)
"""Ids, hashes and times, in which a short word may stand by chance."""


class Score(NamedTuple):
    """How many messages of a kind and a language there are, and what became of them."""

    messages: int = 0
    hidden: int = 0
    harmed: int = 0


def run(setting: Setting) -> list[Result]:
    """Tell each row to a brain of its own."""
    scores = score_rows(ROWS, setting.folder)
    results = [
        Result(
            f"{name}: what was meant is hidden",
            f"{one.hidden} of {one.messages}",
            "the limit",
            limit=f">= {HIDDEN_SHARE:g}",
            passed=one.hidden >= HIDDEN_SHARE * one.messages,
        )
        for name, one in scores.items()
        if name.startswith("request")
    ]
    return results + [
        Result(
            f"{name}: something else went",
            f"{one.harmed} of {one.messages}",
            "none",
            limit="0",
            passed=not one.harmed,
        )
        for name, one in scores.items()
    ]


def score_rows(rows: Path, folder: Path) -> dict[str, Score]:
    """Return the scores of a file of rows, by kind and language."""
    scores: dict[str, Score] = {}
    for line in rows.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        hidden, harmed = _tell(row, folder / f"said-{row['lang']}-{row['id']}")
        name = f"{row['kind']} {row['lang']}"
        one = scores.get(name, Score())
        scores[name] = Score(one.messages + 1, one.hidden + hidden, one.harmed + harmed)
    return dict(sorted(scores.items()))


def _tell(row: dict[str, Any], folder: Path) -> tuple[bool, bool]:
    """Return whether all that was meant is hidden, and whether something else went."""
    with SmartBrain.open(folder, clock=lambda: _TOLD) as brain:
        for turn in row["turns"]:
            messages = [{"role": role, "content": turn[role]} for role in ("user", "assistant")]
            brain.commit_turn("told", [one for one in messages if one["content"]])
        before = _shown(brain)
        brain.commit_turn("asked", [{"role": "user", "content": row["message"]}])
        shown, asked = _shown(brain), bool(brain.receipts())
    meant = all(word.casefold() not in shown for word in row["hidden"])
    lost = any(word.casefold() in before and word.casefold() not in shown for word in row["kept"])
    return meant, lost or (asked and not row["hidden"])


def _shown(brain: SmartBrain) -> str:
    """Return all that calls show, in lower case."""
    found: list[Any] = []
    for session in brain.sessions.list(limit=1000).items:
        found += [turn.to_dict() for turn in brain.sessions.turns(session.id, limit=1000)]
        found.append(brain.compose_context(session.id, None).text())
    found += [one.to_dict() for one in brain.memories.list(status=None, limit=1000).items]
    found += [one.to_dict() for one in brain.recall(_QUESTION, include_history=True).items]
    return _GENERATED.sub(" ", "\n".join(_words(found))).casefold()


def _words(found: Any) -> Iterator[str]:
    """Yield every text in it, and no number: in a score, a short word may stand by chance."""
    if isinstance(found, Mapping):
        for one in found.values():
            yield from _words(one)
    elif isinstance(found, str):
        yield found
    elif isinstance(found, (list, tuple)):
        for one in found:
            yield from _words(one)
