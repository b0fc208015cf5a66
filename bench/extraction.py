"""How good and how fast extraction by rules is, on labelled utterances and on real conversations.

Quality: each row of `tests/data/extraction` is read as the write path reads it, and what passes the
gate is held against what the row expects. The first half was at hand while rules were written, the
second half was not. Conversations of public data sets are committed turn by turn, and a seeded
sample of what was remembered is printed for anyone to judge. Speed: extraction alone, a very long
message, an import, and a commit into a small and a large tenant.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from bench.measure import Times, milliseconds
from bench.recall_data import DATA, message_of, time_of
from bench.report import Result, Setting
from bench.views_follow import fill, turns
from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.candidate import Candidate
from smartbrain.domain.policy import Rules
from smartbrain.domain.turn import Message, Role, ToolCall, Turn
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract.entities import find as find_names
from smartbrain.remember.extract.turn import read_step
from smartbrain.remember.gate import gate

LABELLED = Path(__file__).parents[1] / "tests" / "data" / "extraction"
HALVES = ("first", "second")
PRECISION, RECALL, LEAKAGE = 0.95, 0.85, 0.02
CONVERSATIONS, SAMPLE = 20, 100
EXTRACTION_LIMIT, LONG_LIMIT = 0.002, 0.2
IMPORT_LIMIT = 1_000
GROWTH_LIMIT = 1.5
_LONG_MESSAGES = 12  # the first ones also compile the patterns that they are read with
_AT = "2026-03-05T10:00:00+08:00"
_NOW = datetime(2026, 3, 6, tzinfo=UTC)


def run(setting: Setting) -> Iterator[Result]:
    """Measure quality, then speed."""
    yield from _quality()
    yield from _real(setting.folder / "real", 2_000 if setting.full else 400)
    yield _extraction()
    yield _long(setting.folder / "long")
    yield _import(setting)
    yield _growth(setting.folder, setting.pick(100_000, 1_000_000))


@dataclass(slots=True)
class Score:
    """Hits, false alarms and misses, by type."""

    hits: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    chats: int = 0
    leaks: int = 0

    def add(self, other: Score) -> None:
        """Add another score."""
        self.hits += other.hits
        self.false += other.false
        self.missed += other.missed
        self.chats += other.chats
        self.leaks += other.leaks

    def precision(self, name: str | None = None) -> float:
        """Return the share of what was found that was expected, of one type or of all."""
        hits, false = _of(self.hits, name), _of(self.false, name)
        return hits / max(1, hits + false)

    def recall(self, name: str | None = None) -> float:
        """Return the share of what was expected that was found."""
        hits, missed = _of(self.hits, name), _of(self.missed, name)
        return hits / max(1, hits + missed)


def score(row: Mapping[str, Any]) -> Score:
    """Hold what is found in a row against what it expects."""
    found = candidates(row)
    if row["group"] != "entities":
        found = [one for one in found if one.type != "entities"]
    left, result = list(row["expect"]), Score()
    for one in found:
        match = next((expected for expected in left if _answers(one, expected)), None)
        if match is None:
            result.false[one.type] += 1
        else:
            left.remove(match)
            result.hits[one.type] += 1
    for expected in left:
        result.missed[expected["type"]] += 1
    if row["group"] == "chitchat":
        result.chats, result.leaks = 1, int(bool(found))
    return result


def candidates(row: Mapping[str, Any]) -> list[Candidate]:
    """Return what the write path would make of a row's turn."""
    at = datetime.fromisoformat(row.get("at", _AT))
    turn = Turn(
        id="t",
        session_id="s",
        seq=1,
        at=at,
        messages=tuple(_messages(row["messages"])),
        tool_calls=tuple(_calls(row.get("tool_calls", ()))),
        created_at=at,
    )
    before = [message for earlier in row.get("before", ()) for message in _messages(earlier)]
    read = read_step(turn, lambda: before)
    names = {}
    for _, said in read.said:
        for sentence in said.sentences:
            for one in find_names(sentence, said):
                names.setdefault((one.value["kind"], one.value["canonical"]), one)
    judged = gate(read.candidates, types=BUILTIN_TYPES, rules=Rules())
    return [*(one.candidate for one in judged if one.refused is None), *names.values()]


def rows_of(half: str) -> list[dict[str, Any]]:
    """Return the labelled rows of a half."""
    lines = (LABELLED / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _quality() -> Iterator[Result]:
    """Score both halves, and all of it."""
    whole = Score()
    for half in HALVES:
        part = Score()
        for row in rows_of(half):
            part.add(score(row))
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


def _scored(name: str, part: Score, *, limits: bool) -> Result:
    leakage = part.leaks / max(1, part.chats)
    passed = part.precision() >= PRECISION and part.recall() >= RECALL and leakage <= LEAKAGE
    return Result(
        name=name,
        measured=f"precision {part.precision():.3f}, recall {part.recall():.3f},"
        f" chit-chat leakage {leakage:.1%}",
        against=f"{sum(part.hits.values())} found, {sum(part.false.values())} false,"
        f" {sum(part.missed.values())} missed",
        limit=f"≥ {PRECISION}, ≥ {RECALL}, ≤ {LEAKAGE:.0%}" if limits else "",
        passed=passed if limits else None,
        numbers={"precision": part.precision(), "recall": part.recall(), "leakage": leakage},
    )


def _real(folder: Path, most: int) -> Iterator[Result]:
    """Commit real conversations and print a sample of what was remembered."""
    if not (DATA / "longmemeval_turns").is_dir():
        yield Result("real conversations", "not here", "set SMARTBRAIN_DATA")
        return
    kept: list[str] = []
    said = 0
    with SmartBrain.open(folder) as brain:
        for session, messages in conversations(most):
            for message in messages:
                said += 1
                at = message.pop("at")
                result = brain.commit_turn(session, {"messages": [message], "at": at})
                for item in result.memory_written.items:
                    if item.type != "entities":
                        memory = brain.memories.get(item.id)
                        kept.append(f"{memory.type:<12} {memory.key:<48.48} {memory.text:.160}")
    shutil.rmtree(folder)
    sample = Random(7).sample(kept, min(SAMPLE, len(kept)))
    print(f"\na sample of {len(sample)} of {len(kept)} memories of {said} messages:")
    print("\n".join(sample))
    yield Result(
        name=f"memories of {CONVERSATIONS} real conversations",
        measured=f"{len(kept)} of {said} messages",
        against="a seeded sample is printed above",
        limit="≥ 100",
        passed=len(kept) >= 100,
        numbers={"memories": float(len(kept)), "messages": float(said)},
    )


def conversations(most: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield five long conversations between friends and fifteen with an assistant."""
    for name, count, part in (("locomo", 5, "scope"), ("longmemeval_turns", 15, "session")):
        with gzip.open(DATA / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            grouped = groupby(map(json.loads, lines), key=lambda one, part=part: one.get(part))
            for number, (_, group) in enumerate(islice(grouped, count)):
                yield f"{name}-{number}", [_message(one) for one in islice(group, most)]


def _message(document: Mapping[str, Any]) -> dict[str, Any]:
    at = time_of(document)
    return {**message_of(document), "at": at.isoformat() if at else _AT}


def _extraction() -> Result:
    """Measure reading a median message for memories."""
    rows = [row for half in HALVES for row in rows_of(half)]
    for row in rows[:200]:
        candidates(row)
    times = []
    for row in rows:
        start = perf_counter()
        candidates(row)
        times.append(perf_counter() - start)
    taken = Times(tuple(times))
    return Result(
        name="extraction of one labelled turn, names and gate included",
        measured=str(taken),
        against="a fixed bound",
        limit=f"p50 ≤ {milliseconds(EXTRACTION_LIMIT)}",
        passed=taken.p50 <= EXTRACTION_LIMIT,
        numbers={"p50": taken.p50, "p99": taken.p99},
    )


def _long(folder: Path) -> Result:
    """Measure committing messages of 100 KB."""
    words = [row["messages"][0].get("content") or "" for row in rows_of("first")]
    times = []
    with SmartBrain.open(folder) as brain:
        brain.commit_turn("warm", [{"role": "user", "content": "warm up 热身"}])
        for seed in range(_LONG_MESSAGES):
            text = (
                " ".join(Random(seed).choices(words, k=3_000))
                .encode()[:100_000]
                .decode(errors="ignore")
            )
            start = perf_counter()
            brain.commit_turn("long", [{"role": "user", "content": text}])
            times.append(perf_counter() - start)
    shutil.rmtree(folder)
    return Result(
        name="commit a message of 100 KB full of things to remember",
        measured=f"p50 {milliseconds(median(times))}, the first {milliseconds(times[0])}",
        against="a fixed bound",
        limit=f"p50 ≤ {milliseconds(LONG_LIMIT)}",
        passed=median(times) <= LONG_LIMIT,
        numbers={"p50": median(times), "first": times[0]},
    )


def _import(setting: Setting) -> Result:
    """Measure importing a chat history with extraction, on one core."""
    count = setting.pick(3_000, 20_000)
    folder = setting.folder / "import"
    folder.mkdir(parents=True)
    rows = [row for row in rows_of("first") if row["lang"] != "long"]
    lines = []
    for number in range(count):
        at = _NOW - timedelta(minutes=count - number)
        said = rows[number % len(rows)]["messages"][0].get("content") or "ok"
        for role, text in (("user", said), ("assistant", "I see, noted. 好的。")):
            line = {"role": role, "content": text, "at": at.isoformat(), "session": number // 20}
            lines.append(json.dumps({**line, "session": str(line["session"])}, ensure_ascii=False))
    history = folder / "history.jsonl"
    history.write_text("\n".join(lines), encoding="utf-8")
    with SmartBrain.open(folder / "brain") as brain:
        brain.commit_turn("warm", [{"role": "user", "content": "warm up 热身"}])
        start = perf_counter()
        report = brain.import_chat(history)
        passed = perf_counter() - start
    shutil.rmtree(folder)
    speed = report.turns / passed
    return Result(
        name=f"import of {report.turns:,} turns with extraction",
        measured=f"{speed:,.0f} turns/s",
        against=f"{report.memories:,} memories",
        limit=f"≥ {IMPORT_LIMIT:,}",
        passed=speed >= IMPORT_LIMIT,
        numbers={"turns_per_second": speed},
    )


def _growth(folder: Path, memories: int) -> Result:
    """Measure a commit into a small and into a large tenant, in turns."""
    brains = {}
    for name, size in (("small", 1_000), ("large", memories)):
        root = Root(folder / name)
        with root.tenants.lease("default") as tenant:
            fill(tenant, turns(size // 3))
        root.close()
        brains[name] = SmartBrain.open(folder / name)
    said = [row["messages"][0].get("content") or "ok" for row in rows_of("first")]
    times: dict[str, list[float]] = {"small": [], "large": []}
    for text in said:
        for name, brain in brains.items():
            start = perf_counter()
            brain.commit_turn("growth", [{"role": "user", "content": text}])
            times[name].append(perf_counter() - start)
    for name, brain in brains.items():
        brain.close()
        shutil.rmtree(folder / name)
    small, large = (Times(tuple(times[name])) for name in ("small", "large"))
    ratio = large.p50 / small.p50
    return Result(
        name=f"commit into {memories:,} memories",
        measured=str(large),
        against=f"into 1,000: {small}",
        ratio=f"{ratio:.2f}",
        limit=f"≤ {GROWTH_LIMIT}",
        passed=ratio <= GROWTH_LIMIT,
        numbers={"small": small.p50, "large": large.p50, "ratio": ratio},
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
        and (key is None or key == _key(one))
    )


def _key(one: Candidate) -> str:
    return BUILTIN_TYPES.get(one.type).key_of(one.value)


def _messages(given: Any) -> Iterator[Message]:
    for number, one in enumerate(given):
        yield Message(
            id=str(number),
            role=Role(one["role"]),
            name=one.get("name"),
            content=one.get("content") or "",
        )


def _calls(given: Any) -> Iterator[ToolCall]:
    for number, one in enumerate(given):
        yield ToolCall(
            id=str(number),
            name=one["name"],
            args=one.get("args"),
            result=one.get("result"),
            result_json=not isinstance(one.get("result"), str),
        )


def _of(counts: Counter[str], name: str | None) -> int:
    return sum(counts.values()) if name is None else counts[name]
