"""How well tidy sentences are read, on labelled utterances.

In: rows of `tests/data/extraction`; the first half may be looked at, the second half stays shut.
Out: hits, false alarms and misses by type: each row is committed to an empty brain, and what stands
is held against what the row expects. Chit-chat leaks if committing it writes a memory. Entities are
labelled in rows of their own; those in other rows are counted apart.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.report import Result
from smartbrain import SmartBrain
from smartbrain.domain.memory import Memory

HALVES = ("first", "second")
AT = "2026-03-05T10:00:00+08:00"
PRECISION, RECALL, LEAKAGE = 0.88, 0.80, 0.02
_LABELLED = Path(__file__).parents[1] / "tests" / "data" / "extraction"
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
        yield _scored(f"extraction, {half} half", part, limits=half == HALVES[1])
    for name in sorted(whole.hits | whole.false | whole.missed):
        yield Result(
            name=f"extraction, {name}",
            measured=f"precision {whole.precision(name):.3f}, recall {whole.recall(name):.3f}",
            against=f"{whole.hits[name]} found, {whole.false[name]} false,"
            f" {whole.missed[name]} missed",
        )
    yield _scored("extraction, both halves", whole, limits=False)
    least = whole.precision(beside=whole.unlabelled)
    yield Result(
        name="entities that became memories in rows not labelled for them",
        measured=f"{whole.unlabelled}",
        against=f"if all of them were wrong, precision {least:.3f}",
        numbers={"entities": float(whole.unlabelled), "precision": least},
    )


def score(row: Mapping[str, Any], brain: SmartBrain) -> Score:
    """Hold what stands in an empty brain after a row against the row's labels."""
    named = row["group"] == _ENTITIES
    left, result = list(row["expect"]), Score()
    result.missed["retract"] += sum(one.get("action") == "retract" for one in left)
    left = [one for one in left if one.get("action") != "retract"]
    written = committed(row, brain)
    for one in written:
        if one.type == _ENTITIES and not named:
            continue
        match = next((expected for expected in left if _answers(one, expected)), None)
        if match is None:
            result.false[one.type] += one.type not in ("profile",) or not _part_hits(one, left)
        else:
            left.remove(match)
            result.hits[one.type] += 1
    for expected in list(left):
        if any(one.type == "profile" and _answers(one, expected) for one in written):
            left.remove(expected)  # facts of one profile are one memory
            result.hits["profile"] += 1
    for expected in left:
        result.missed[expected["type"]] += 1
    types = [one.type for one in written]
    if row["group"] == "chitchat":
        result.chats, result.leaks = 1, int(bool(types))
    elif not named:
        result.unlabelled = types.count(_ENTITIES)
    return result


def _part_hits(one: Memory, left: Sequence[Mapping[str, Any]]) -> bool:
    return any(_answers(one, expected) for expected in left)


def committed(row: Mapping[str, Any], brain: SmartBrain) -> list[Memory]:
    """Commit a row, after what was said before it, and return the memories that stand by it."""
    for earlier in row.get("before", ()):
        brain.commit_turn("s", {"messages": earlier})
    events = {"messages": row["messages"], "tool_calls": row.get("tool_calls", [])}
    items = brain.commit_turn("s", events).memory_written.items
    memories = [brain.memories.get(one.id) for one in items]
    found = [one for one in memories if one.status.value == "active"]
    if row["group"] != _ENTITIES:
        return found
    page = brain.memories.list(type=_ENTITIES, status="candidate")
    return [*found, *page.items]


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


def _answers(one: Memory, expected: Mapping[str, Any]) -> bool:
    """Tell whether a memory is what a label asks for."""
    if one.type != expected["type"]:
        return False
    words = f"{one.text} {json.dumps(dict(one.value), ensure_ascii=False, default=str)}".casefold()
    wanted = [*expected["about"], *(str(expected[n]) for n in ("value",) if n in expected)]
    fields = {name: expected[name] for name in ("status", "kind") if name in expected}
    return all(word.casefold() in words for word in wanted) and all(
        one.value.get(name) == said for name, said in fields.items()
    )


def _of(counts: Counter[str], name: str | None) -> int:
    """Return the count of one type, or of all."""
    return sum(counts.values()) if name is None else counts[name]
