"""How good extraction by rules is, on labelled utterances.

In: rows of `tests/data/extraction`; the first half was at hand while rules were written, the second
half was not. Out: hits, false alarms and misses by type, and what a brain really writes of each
row. What passes the gate is held against what a row expects, read as the write path reads it.
Chit-chat leaks if committing it writes a memory. Entities are labelled in rows of their own;
those that a brain makes memories of in other rows are counted apart, and once more as if all of
them were wrong. Rows of the second half are never printed.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.report import Result
from smartbrain import SmartBrain
from smartbrain.domain.candidate import Candidate
from smartbrain.domain.policy import Rules
from smartbrain.domain.turn import Message, Role, ToolCall, Turn
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.govern.turn_state import spoken
from smartbrain.remember.gate import gate
from smartbrain.remember.heard import hear

HALVES = ("first", "second")
AT = "2026-03-05T10:00:00+08:00"
PRECISION, RECALL, LEAKAGE = 0.95, 0.85, 0.02
_LABELLED = Path(__file__).parents[1] / "tests" / "data" / "extraction"
_RULES = Rules()
_ENTITIES = "entities"


@dataclass(slots=True)
class Score:
    """Hits, false alarms and misses by type; chit-chat, and how much of it left a memory.

    `unlabelled` are entities that became memories in rows that are not labelled for them.
    """

    hits: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    chats: int = 0
    leaks: int = 0
    unlabelled: int = 0

    def add(self, other: Score) -> None:
        """Add another score."""
        self.hits += other.hits
        self.false += other.false
        self.missed += other.missed
        self.chats += other.chats
        self.leaks += other.leaks
        self.unlabelled += other.unlabelled

    def precision(self, name: str | None = None, *, beside: int = 0) -> float:
        """Return the share of what was found that was expected, of one type or of all.

        Args:
            name: the type; None for all.
            beside: how many more were found that were not expected.
        """
        hits, false = _of(self.hits, name), _of(self.false, name)
        return hits / max(1, hits + false + beside)

    def recall(self, name: str | None = None) -> float:
        """Return the share of what was expected that was found."""
        hits, missed = _of(self.hits, name), _of(self.missed, name)
        return hits / max(1, hits + missed)


def rows_of(half: str) -> list[dict[str, Any]]:
    """Return the labelled rows of a half."""
    lines = (_LABELLED / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def quality(folder: Path) -> Iterator[Result]:
    """Score both halves, and all of it."""
    whole = Score()
    for half in HALVES:
        part = Score()
        with SmartBrain.open(folder / half, clock=_clock) as brain:
            for number, row in enumerate(rows_of(half)):
                part.add(score(row, brain.tenant(str(number))))
        shutil.rmtree(folder / half)
        whole.add(part)
        yield _scored(f"extraction, {half} half", part, limits=False)
    for name in sorted(whole.hits | whole.false | whole.missed):
        yield Result(
            name=f"extraction, {name}",
            measured=f"precision {whole.precision(name):.3f}, recall {whole.recall(name):.3f}",
            against=f"{whole.hits[name]} found, {whole.false[name]} false,"
            f" {whole.missed[name]} missed",
        )
    yield _scored("extraction, both halves", whole, limits=True)
    least = whole.precision(beside=whole.unlabelled)
    yield Result(
        name="entities that became memories in rows not labelled for them",
        measured=f"{whole.unlabelled}",
        against=f"if all of them were wrong, precision {least:.3f}",
        numbers={"entities": float(whole.unlabelled), "precision": least},
    )


def score(row: Mapping[str, Any], brain: SmartBrain) -> Score:
    """Hold what is found in a row, and what an empty brain writes of it, against its labels."""
    named = row["group"] == _ENTITIES
    left, result = list(row["expect"]), Score()
    for one in candidates(row):
        if one.type == _ENTITIES and not named:
            continue
        match = next((expected for expected in left if _answers(one, expected)), None)
        if match is None:
            result.false[one.type] += 1
        else:
            left.remove(match)
            result.hits[one.type] += 1
    for expected in left:
        result.missed[expected["type"]] += 1
    written = committed(row, brain)
    if row["group"] == "chitchat":
        result.chats, result.leaks = 1, int(bool(written))
    elif not named:
        result.unlabelled = written.count(_ENTITIES)
    return result


def committed(row: Mapping[str, Any], brain: SmartBrain) -> list[str]:
    """Commit a row, after what was said before it, and return the types of what was written."""
    for earlier in row.get("before", ()):
        brain.commit_turn("s", {"messages": earlier})
    events = {"messages": row["messages"], "tool_calls": row.get("tool_calls", [])}
    return [one.type for one in brain.commit_turn("s", events).memory_written.items]


def candidates(row: Mapping[str, Any]) -> list[Candidate]:
    """Return what the write path reads in a row's turn: what passes the gate, and every name."""
    at = datetime.fromisoformat(row.get("at", AT))
    turn = Turn(
        id="t",
        session_id="s",
        seq=1,
        at=at,
        messages=tuple(_messages(row["messages"])),
        tool_calls=tuple(_calls(row.get("tool_calls", ()))),
        created_at=at,
    )
    said = [message for earlier in row.get("before", ()) for message in _messages(earlier)]
    before = Turn(id="b", session_id="s", seq=0, at=at, messages=tuple(said), created_at=at)
    heard = hear(turn, spoken(turn, rules=_RULES), lambda: before, types=BUILTIN_TYPES)
    judged = gate(heard.read.candidates, types=BUILTIN_TYPES, rules=_RULES)
    names = [
        Candidate(type=_ENTITIES, value=one.value, text=next(iter(one.names), ""), rule="names")
        for one in heard.names.by_key.values()
        if not one.beside
    ]
    return [*(one.candidate for one in judged if one.refused is None), *names]


def _clock() -> datetime:
    """Return the time at which rows are said."""
    return datetime.fromisoformat(AT)


def _scored(name: str, part: Score, *, limits: bool) -> Result:
    """Return a score as a row of the table."""
    leakage = part.leaks / max(1, part.chats)
    passed = part.precision() >= PRECISION and part.recall() >= RECALL and leakage <= LEAKAGE
    return Result(
        name=name,
        measured=f"precision {part.precision():.3f}, recall {part.recall():.3f},"
        f" chit-chat leakage {leakage:.1%}",
        against=f"{sum(part.hits.values())} found, {sum(part.false.values())} false,"
        f" {sum(part.missed.values())} missed; {part.leaks} of {part.chats} leaked",
        limit=f"≥ {PRECISION}, ≥ {RECALL}, ≤ {LEAKAGE:.0%}" if limits else "",
        passed=passed if limits else None,
        numbers={"precision": part.precision(), "recall": part.recall(), "leakage": leakage},
    )


def _answers(one: Candidate, expected: Mapping[str, Any]) -> bool:
    """Tell whether a candidate is what a label asks for."""
    if one.type != expected["type"] or one.action != expected.get("action", "write"):
        return False
    words = f"{one.text} {json.dumps(dict(one.value), ensure_ascii=False, default=str)}".casefold()
    wanted = [*expected["about"], *(str(expected[n]) for n in ("value",) if n in expected)]
    fields = {name: expected[name] for name in ("status", "kind") if name in expected}
    key = expected.get("key")
    return (
        all(word.casefold() in words for word in wanted)
        and all(one.value.get(name) == said for name, said in fields.items())
        and (key is None or key == BUILTIN_TYPES.get(one.type).key_of(one.value))
    )


def _messages(given: Any) -> Iterator[Message]:
    """Yield messages as the write path has them."""
    for number, one in enumerate(given):
        yield Message(
            id=str(number),
            role=Role(one["role"]),
            name=one.get("name"),
            content=one.get("content") or "",
        )


def _calls(given: Any) -> Iterator[ToolCall]:
    """Yield tool calls as the write path has them."""
    for number, one in enumerate(given):
        yield ToolCall(
            id=str(number),
            name=one["name"],
            args=one.get("args"),
            result=one.get("result"),
            result_json=not isinstance(one.get("result"), str),
        )


def _of(counts: Counter[str], name: str | None) -> int:
    """Return the count of one type, or of all."""
    return sum(counts.values()) if name is None else counts[name]
