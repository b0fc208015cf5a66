"""How good and how fast reading is, on labelled utterances and on real conversations.

Quality: `bench.labelled` holds what is found against labels. Conversations of public data sets are
committed turn by turn, and a seeded sample of what was remembered is printed for anyone to judge.
Speed: all that reading a turn takes, a very long message, an import on one core, and a commit into
a small and a large tenant.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from bench.labelled import AT, HALVES, quality, rows_of
from bench.long_texts import LISTED, kinds
from bench.measure import Times, milliseconds, one_core
from bench.recall_data import DATA, message_of, time_of
from bench.report import Result, Setting
from bench.views_follow import fill, turns
from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.remember.reader.read import read_message
from smartbrain.text.ontology import load_ontology

CONVERSATIONS, SAMPLE = 20, 100
READING_LIMIT, LONG_LIMIT = 0.002, 0.2
IMPORT_LIMIT = 400
GROWTH_LIMIT = 1.5
_LONG_MESSAGES = 12  # the first ones also compile the patterns that they are read with
_NOW = datetime(2026, 3, 6, tzinfo=UTC)


def run(setting: Setting) -> Iterator[Result]:
    """Measure how fast turns are read that were never read before, then quality and the rest."""
    yield _reading()
    yield from quality(setting.folder / "labelled")
    yield from _real(setting.folder / "real", 2_000 if setting.full else 400)
    yield from _long(setting.folder / "long")
    yield _import(setting)
    yield _growth(setting.folder, setting.pick(100_000, 1_000_000))


def _real(folder: Path, most: int) -> Iterator[Result]:
    """Commit real conversations and print a sample of what was remembered."""
    if not (DATA / "longmemeval_turns").is_dir():
        yield Result("real conversations", "not here", "set SMARTBRAIN_DATA")
        return
    kept: list[str] = []
    said = entities = 0
    with SmartBrain.open(folder) as brain:
        for session, messages in conversations(most):
            for message in messages:
                said += 1
                at = message.pop("at")
                result = brain.commit_turn(session, {"messages": [message], "at": at})
                for item in result.memory_written.items:
                    if item.type == "entities":
                        entities += 1
                    else:
                        memory = brain.memories.get(item.id)
                        kept.append(f"{memory.type:<12} {memory.key:<48.48} {memory.text:.160}")
    shutil.rmtree(folder)
    sample = Random(7).sample(kept, min(SAMPLE, len(kept)))
    print(f"\na sample of {len(sample)} of {len(kept)} memories of {said} messages:")
    print("\n".join(sample))
    yield Result(
        name=f"memories of {CONVERSATIONS} real conversations, entities aside",
        measured=f"{len(kept)} of {said} messages, and {entities} entities",
        against="a seeded sample is printed above",
        limit="≥ 100",
        passed=len(kept) >= 100,
        numbers={
            "memories": float(len(kept)),
            "messages": float(said),
            "entities": float(entities),
        },
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
    return {**message_of(document), "at": at.isoformat() if at else AT}


def _reading() -> Result:
    """Measure how long the reader takes for a message."""
    ontology = load_ontology()
    texts = [row["messages"][-1]["content"] for half in HALVES for row in rows_of(half)]
    read_message(texts[0], ontology=ontology)
    times = []
    for text in texts:
        start = perf_counter()
        read_message(text, ontology=ontology)
        times.append(perf_counter() - start)
    taken = Times(tuple(times))
    return Result(
        name="reading one labelled message",
        measured=str(taken),
        against="a fixed bound",
        limit=f"p50 ≤ {milliseconds(READING_LIMIT)}",
        passed=taken.p50 <= READING_LIMIT,
        numbers={"p50": taken.p50, "p99": taken.p99},
    )


def _long(folder: Path) -> Iterator[Result]:
    """Measure committing messages of 100 KB: labelled ones, prose, accounts, lists and lines.

    A list of things to do makes a memory of every line: it is told by itself, with their number.
    """
    taken: dict[str, list[float]] = {}
    written = 0
    with SmartBrain.open(folder) as brain:
        brain.commit_turn("warm", [{"role": "user", "content": "warm up 热身"}])
        for name, texts in _long_texts().items():
            taken[name] = []
            for text in texts:
                start = perf_counter()
                result = brain.commit_turn(name, [{"role": "user", "content": text}])
                taken[name].append(perf_counter() - start)
                if name == LISTED:
                    written = max(written, result.memory_written.count)
    shutil.rmtree(folder)
    middle = {name: median(times) for name, times in taken.items()}
    listed = middle.pop(LISTED)
    first = next(iter(taken.values()))[0]
    told = ", ".join(f"{name} {milliseconds(one)}" for name, one in middle.items())
    yield Result(
        name="commit a message of 100 KB: things to remember, prose, accounts, lines",
        measured=f"p50 {told}, the first of all {milliseconds(first)}",
        against="a fixed bound",
        limit=f"p50 of each ≤ {milliseconds(LONG_LIMIT)}",
        passed=max(middle.values()) <= LONG_LIMIT,
        numbers={**middle, "first": first},
    )
    yield Result(
        name=f"commit a message of 100 KB, a list of {LISTED}",
        measured=f"{milliseconds(listed)} p50",
        against=f"{written} memories written by the one that wrote most",
        numbers={"listed": listed, "written": written},
    )


def _long_texts() -> dict[str, list[str]]:
    """Return messages of 100 KB by their kind; prose only where the data set is."""
    rows = rows_of("first")
    words = {
        "both languages": [row["messages"][0].get("content") or "" for row in rows],
        "Chinese": [row["messages"][0]["content"] for row in rows if row["lang"] == "zh"],
        "one Chinese sentence": ["我们的数据库每天晚上会自动备份到另一台机器上。"],
        **kinds(),
    }
    prose = DATA / "cmrc2018_dev_zh" / "corpus.jsonl.gz"
    if prose.is_file():
        with gzip.open(prose, "rt", encoding="utf-8") as lines:
            words["Chinese prose"] = [json.loads(line)["text"] for line in lines]
    return {
        name: [
            " ".join(Random(seed).choices(some, k=40_000))
            .encode()[:100_000]
            .decode(errors="ignore")
            for seed in range(_LONG_MESSAGES)
        ]
        for name, some in words.items()
    }


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
    with one_core(), SmartBrain.open(folder / "brain") as brain:
        brain.commit_turn("warm", [{"role": "user", "content": "warm up 热身"}])
        start = perf_counter()
        report = brain.import_chat(history)
        passed = perf_counter() - start
    shutil.rmtree(folder)
    speed = report.turns / passed
    return Result(
        name=f"import of {report.turns:,} turns with extraction, on one core",
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
