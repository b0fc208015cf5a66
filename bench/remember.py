"""How fast what was said becomes memories: commits by size of the tenant, folds, and imports.

A commit is measured with the facade, durable, into tenants of 10^3 up to 10^6 memories; the fold is
the pure function over claims of one group, beside sorting the same claims, which it cannot beat.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, thread_time

from bench.labelled import rows_of
from bench.measure import Times, milliseconds, one_core
from bench.report import Result, Setting
from bench.views_follow import fill, turns
from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.claim import Claim
from smartbrain.domain.policy import Rules
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.fold.fold import fold_claims
from smartbrain.remember.fold.state import FoldRules
from smartbrain.text.ontology import load_ontology

COMMIT_LIMIT, GROWTH_LIMIT = 0.008, 1.5
FOLD_LIMIT, FOLDED = 0.050, 10_000
IMPORT_LIMIT = 400
_NOW = datetime(2026, 3, 6, tzinfo=UTC)


def run(setting: Setting) -> Iterator[Result]:
    """Measure folds, commits into growing tenants, and an import."""
    yield from _folds()
    sizes = (1_000, 10_000, 100_000)
    yield from _commits(setting.folder, setting.pick(sizes, (*sizes, 1_000_000)))
    yield _import(setting)


def _folds() -> Iterator[Result]:
    """Fold many claims of one group: each tells another value, one of 50 in turn, or the same."""
    for values, told in ((1, "one value"), (50, "50 values in turn"), (FOLDED, "no value twice")):
        claims = [
            _claim(number, f"host-{number % values}", subject="staging", attribute="host")
            for number in range(FOLDED)
        ]
        yield _fold(claims, f"fold of {FOLDED:,} claims of one group, {told}")


def _fold(claims: Sequence[Claim], name: str) -> Result:
    """Take the processor's time: the fold is pure, and other programs run on this machine."""
    rules = Rules()
    times, sorting = [], []
    for _ in range(9):
        fold_rules = FoldRules(
            kind=BUILTIN_TYPES.get("facts"),
            ontology=load_ontology(),
            conflicts=rules.policies.conflicts,
            same_event_days=rules.policies.linking.same_event_days,
        )
        start = process_time()
        sorted(claims, key=lambda claim: claim.order)
        sorting.append(process_time() - start)
        start = process_time()
        fold_claims(claims, fold_rules, only={claims[-1].id})  # as a commit asks for it
        times.append(process_time() - start)
    taken, floor = median(times), median(sorting)
    return Result(
        name=name,
        measured=milliseconds(taken),
        against=f"sorting them alone: {milliseconds(floor)}",
        ratio=f"{taken / floor:.1f}",
        limit=f"≤ {milliseconds(FOLD_LIMIT)}",
        passed=taken <= FOLD_LIMIT,
        numbers={"seconds": taken, "ratio": taken / floor},
    )


def _claim(number: int, value: str, *, subject: str, attribute: str) -> Claim:
    return Claim(
        id=f"clm_{number:06}",
        group=f"facts:{subject}:{attribute}",
        type="facts",
        subject=subject,
        attribute=attribute,
        value=value,
        fields={"subject": subject, "attribute": attribute, "value": value},
        text=f"the {subject} {attribute} is {value}",
        turn_id=f"turn-{number}",
        session_id="s",
        place=number,
        message=0,
        said_at=_NOW + timedelta(minutes=number),
    )


def _commits(folder: Path, sizes: Sequence[int]) -> Iterator[Result]:
    """Commit the same turns into tenants of several sizes, one after the other.

    Beside the time that passes, which whatever else runs makes longer, stands the processor's own.
    """
    brains = {}
    for size in sizes:
        root = Root(folder / str(size))
        with root.tenants.lease("default") as tenant:
            fill(tenant, turns(size // 3))
        root.close()
        brains[size] = SmartBrain.open(folder / str(size))
    said = [row["messages"][0].get("content") or "ok" for row in rows_of("first")]
    times: dict[int, list[float]] = {size: [] for size in sizes}
    worked: dict[int, list[float]] = {size: [] for size in sizes}
    for text in said:
        for size, brain in brains.items():
            start, spent = perf_counter(), thread_time()
            brain.commit_turn("growth", [{"role": "user", "content": text}])
            times[size].append(perf_counter() - start)
            worked[size].append(thread_time() - spent)
    for size, brain in brains.items():
        brain.close()
        shutil.rmtree(folder / str(size))
    first = Times(tuple(worked[sizes[0]]))
    for size in sizes:
        taken, spent_all = Times(tuple(times[size])), Times(tuple(worked[size]))
        ratio = spent_all.p50 / first.p50
        yield Result(
            name=f"commit into {size:,} memories",
            measured=str(taken),
            against=f"the processor's time: {spent_all}; into {sizes[0]:,}: {first}",
            ratio=f"{ratio:.2f}",
            limit=f"p50 ≤ {milliseconds(COMMIT_LIMIT)}, ratio ≤ {GROWTH_LIMIT}",
            passed=taken.p50 <= COMMIT_LIMIT and ratio <= GROWTH_LIMIT,
            numbers={"p50": taken.p50, "p99": taken.p99, "work": spent_all.p50, "ratio": ratio},
        )


def _import(setting: Setting) -> Result:
    """Import a chat history with everything that is read in it, on one core."""
    count, folder = setting.pick(3_000, 20_000), setting.folder / "import"
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
        start, spent = perf_counter(), process_time()
        report = brain.import_chat(history)
        passed, worked = perf_counter() - start, process_time() - spent
    shutil.rmtree(folder)
    speed = report.turns / passed
    return Result(
        name=f"import of {report.turns:,} turns, read and folded, on one core",
        measured=f"{speed:,.0f} turns/s",
        against=f"{report.turns / worked:,.0f} a second of the processor's time;"
        f" {report.memories:,} memories",
        limit=f"≥ {IMPORT_LIMIT:,}",
        passed=speed >= IMPORT_LIMIT,
        numbers={"turns_per_second": speed, "by_work": report.turns / worked},
    )
