"""How often a composed context holds the answer, and how often it holds what does not belong (N6).

Two kinds of data. Scenarios of `tests/data/scenarios`, or of the folder that SMARTBRAIN_SCENARIOS
names: weeks of chat by authors who knew nothing of
the code, with questions whose answers are known, and messages that nothing fits to. Public sets:
LoCoMo and LongMemEval, where the turn that answers must stand in the context. Each is held against
`recall` with the same budget and against whole turns filled by BM25 (`compose_quality.WholeTurns`).
Rows of the scenarios stay shut: only totals are printed.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any, TextIO

from bench.brains import open_fixed
from bench.compose_quality import WholeTurns, holds, words_of
from bench.recall_data import DATA, DataSet, build, read
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.recall import Recall
from smartbrain.testing.clock import FakeClock

SCENARIOS = Path(
    os.environ.get("SMARTBRAIN_SCENARIOS")
    or Path(__file__).parents[1] / "tests" / "data" / "scenarios"
)
SIZES = (1_000, 2_000, 4_000, 8_000)
SETS = ("locomo", "longmemeval_turns")
QUICK = 250
LEAST = {2_000: 0.85, 4_000: 0.90}
"""The share of a scenario's answers that a context of so many tokens holds without a model."""
LEAST_WITH_MODELS = {2_000: 0.90, 4_000: 0.95}
MODELS = Path(os.environ.get("SMARTBRAIN_MODELS", DATA.parent / "models"))
BEHIND = 0.01
"""How far a context may be behind `recall` and BM25 with the same tokens."""
MOST_OUTDATED = 1 / 30
SILENT = 0.9
OFF_TOPIC = (
    "Explain TCP slow start",
    "write a limerick about a lighthouse keeper",
    "What is the derivative of x^3 * sin(x)?",
    "convert 350 fahrenheit to celsius",
    "how does a heat pump work",
    "give me a regex for ISO dates",
    "who painted The Night Watch?",
    "difference between a mutex and a semaphore",
    "What's the boiling point of ethanol at sea level?",
    "summarise the plot of Macbeth in two lines",
    "how do vaccines train the immune system?",
    "translate 'good morning' into Finnish",
    "解释一下量子纠缠",
    "帮我写一首关于秋天的五言绝句",
    "快速排序的时间复杂度是多少",
    "光合作用的化学方程式怎么写",
    "唐朝一共有多少位皇帝",
    "用 Python 写个二分查找",
    "什么是通货膨胀",
    "珠穆朗玛峰有多高",
)
ASKING = "asking"


def run(setting: Setting) -> Iterator[Result]:
    """Measure the scenarios, then the public sets that are at hand."""
    with Path(setting.rows or os.devnull).open("w", encoding="utf-8") as rows:
        models = [f"onnx:{one.parent}" for one in sorted(MODELS.glob("*/embedder.json"))]
        for path in sorted(SCENARIOS.glob("*.jsonl")):
            for name, own in ((path.stem, []), (f"{path.stem} with models", models)):
                if re.search(setting.only, name) and (own or name == path.stem):
                    yield from _scenario_results(path, setting.folder / name, rows, own)
        for name in SETS:
            if re.search(setting.only, name) and (DATA / name).is_dir():
                data = read(name, None if setting.full else QUICK)
                folder = (setting.keep or setting.folder) / f"recall-{name}"
                build(data, folder)
                yield from _set_results(data, folder, rows)


def _scenario_results(
    path: Path, folder: Path, rows: TextIO, models: Sequence[str]
) -> Iterator[Result]:
    """Count what contexts hold of a scenario."""
    count: dict[int, Counter[str]] = {size: Counter() for size in SIZES}
    for brain, one in play_scenario(path, folder, models):
        for size in SIZES:
            count[size] += _judge(brain, one, size, rows)
    least = LEAST_WITH_MODELS if models else LEAST
    for size in SIZES:
        name = f"contexts, {folder.name}, {size:,}"
        yield from _answer_results(name, count[size], least.get(size, 0.0))
    yield from _silence_results(f"contexts, {folder.name}", count[2_000])


def play_scenario(
    path: Path, folder: Path, models: Sequence[str] = ()
) -> Iterator[tuple[SmartBrain, dict[str, Any]]]:
    """Play a scenario turn by turn; yield each question at its own time, with the brain."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines.sort(key=lambda one: datetime.fromisoformat(one["at"]))
    clock = FakeClock(datetime.fromisoformat(lines[0]["at"]))
    with open_fixed(folder, clock, embedder=list(models) or None) as brain:
        for one in lines:
            if "turn" in one:
                _play(brain, one, clock)
            else:
                if models:
                    brain.jobs.run("embed")
                clock.now = datetime.fromisoformat(one["at"])
                yield brain, one


def _play(brain: SmartBrain, turn: Mapping[str, Any], clock: FakeClock) -> None:
    clock.now = datetime.fromisoformat(turn["at"])
    messages = [
        {"role": "user", "content": turn["user"]},
        {"role": "assistant", "content": turn["assistant"]},
    ]
    brain.commit_turn(turn["session"], {"at": turn["at"], "messages": messages})


def _judge(brain: SmartBrain, one: Mapping[str, Any], size: int, rows: TextIO) -> Counter[str]:
    """Count what one context holds."""
    context = brain.compose_context(f"{ASKING} {one['at']}", one["text"], token_limit=size)
    shown = _memory_text(context)
    if "off_topic" in one:
        turns = [each for each in context.evidence if each.source_uri.startswith("turn:")]
        return Counter({"off topic": 1, "silent": not turns})
    found = any(answer in shown for answer in one["answer"])
    by_recall = any(answer in _recalled(brain, one["text"], size) for answer in one["answer"])
    outdated = any(old in _standing_text(context) for old in one.get("outdated", ()))
    row = {"row": one["question"], "size": size, "kind": one["kind"], "ours": found}
    rows.write(json.dumps({**row, "recall": by_recall, "outdated": outdated}) + "\n")
    return Counter(
        {
            "questions": 1,
            "found": found,
            "recall": by_recall,
            "changed": bool(one.get("outdated")),
            "outdated": outdated and one["kind"] != "history" and not found,
            f"{one['kind']} asked": 1,
            f"{one['kind']} found": found,
        }
    )


def _memory_text(context: ContextPackage) -> str:
    """Return what memory brings to a context, without the message that is asked."""
    blocks = [*context.system_blocks, *context.developer_blocks]
    parts = [one.text for one in blocks] + [context.working_summary or ""]
    return "\n".join([*parts, *(one.snippet for one in context.evidence)])


def _standing_text(context: ContextPackage) -> str:
    """Return the lines of a context that assert what holds."""
    facts = [
        one.snippet for one in context.evidence if not (one.source_uri or "").startswith("turn:")
    ]
    return "\n".join([*(one.text for one in context.system_blocks), *facts])


def _recalled(brain: SmartBrain, text: str, size: int) -> str:
    answer: Recall = brain.recall(text, k=100, budget_tokens=size)
    return "\n".join(
        "\n".join([item.text, *(quote.text for quote in item.quotes)]) for item in answer
    )


def _answer_results(name: str, count: Counter[str], least: float) -> Iterator[Result]:
    asked = max(1, count["questions"])
    ours, peer = count["found"] / asked, count["recall"] / asked
    least = max(least, peer - BEHIND)
    kinds = sorted(one.removesuffix(" asked") for one in count if one.endswith(" asked"))
    parts = [f"{kind} {count[f'{kind} found']}/{count[f'{kind} asked']}" for kind in kinds]
    yield Result(
        name=name,
        measured=f"{ours:.3f} hold the answer; {', '.join(parts)}",
        against=f"recall with as many tokens {peer:.3f}",
        limit=f"≥ {least:.3f}",
        passed=ours >= least,
        numbers={"ours": ours, "recall": peer},
    )


def _silence_results(name: str, count: Counter[str]) -> Iterator[Result]:
    outdated = count["outdated"] / max(1, count["changed"])
    yield Result(
        name=f"{name}: an outdated value alone as memory",
        measured=f"{outdated:.3f}",
        against=f"{count['outdated']} of {count['changed']} that changed",
        limit=f"≤ {MOST_OUTDATED:.3f}",
        passed=outdated <= MOST_OUTDATED,
        numbers={"outdated": outdated},
    )
    silent = count["silent"] / max(1, count["off topic"])
    yield Result(
        name=f"{name}: off-topic messages that bring no turn",
        measured=f"{silent:.2f}",
        against=f"{count['silent']} of {count['off topic']}",
        limit=f"≥ {SILENT}",
        passed=silent >= SILENT,
        numbers={"silent": silent},
    )


def _set_results(data: DataSet, folder: Path, rows: TextIO) -> Iterator[Result]:
    """Ask every question of a public set at every size."""
    words = {one.id: words_of(one.message["content"]) for one in data.documents}
    peers = {tenant: WholeTurns(data, tenant) for tenant in data.tenants}
    held: dict[tuple[int, str], list[bool]] = defaultdict(list)
    clock = FakeClock(data.after)
    with SmartBrain.open(folder, data.tenants[0], clock=clock) as brain:
        handles = {name: brain.tenant(name) for name in data.tenants}
        for question in data.questions:
            clock.now = question.at or data.after
            handle = handles[question.tenant]
            order = peers[question.tenant].order(question)
            for size in SIZES:
                context = handle.compose_context(ASKING, question.text, token_limit=size)
                texts = {
                    "ours": context.text(),
                    "recall": _recalled(handle, question.text, size),
                    "bm25": peers[question.tenant].filled(order, size),
                }
                found = {who: holds(text, question, words) for who, text in texts.items()}
                for who, is_there in found.items():
                    held[size, who].append(is_there)
                rows.write(json.dumps({"query": question.id, "size": size, **found}) + "\n")
        clock.now = data.after
        silent = [_is_silent(next(iter(handles.values())), text) for text in OFF_TOPIC]
    for size in SIZES:
        yield _set_result(data.name, size, {who: held[size, who] for who in texts})
    yield _off_topic_result(data.name, silent)


def _set_result(name: str, size: int, held: Mapping[str, Sequence[bool]]) -> Result:
    share = {who: fmean(found) for who, found in held.items()}
    least = max(share["recall"], share["bm25"]) - BEHIND
    return Result(
        name=f"contexts, {name}, {size:,}",
        measured=f"{share['ours']:.4f} hold the right turn",
        against=f"recall {share['recall']:.4f}, BM25 {share['bm25']:.4f}",
        ratio=f"{share['ours'] / max(1e-9, share['bm25']):.3f}",
        limit=f"≥ {least:.4f}",
        passed=share["ours"] >= least,
        numbers=share,
    )


def _is_silent(brain: SmartBrain, text: str) -> tuple[bool, int]:
    context = brain.compose_context(ASKING, text, token_limit=2_000)
    return not any(one.source_uri.startswith("turn:") for one in context.evidence), len(
        context.evidence
    )


def _off_topic_result(name: str, silent: Sequence[tuple[bool, int]]) -> Result:
    share = fmean(quiet for quiet, _ in silent)
    return Result(
        name=f"contexts, {name}: off-topic messages that bring no turn",
        measured=f"{share:.2f}",
        against=f"median {median(size for _, size in silent)} items",
        limit=f"≥ {SILENT}",
        passed=share >= SILENT,
        numbers={"silent": share},
    )
