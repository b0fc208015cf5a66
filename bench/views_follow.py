"""Views in step with the truth: applying a turn, seeing it, opening from snapshots, building anew.

A tenant is filled through the truth port with turns in a made-up language, three memories and six
edges each. Its views are then built from rows, saved and opened again in turns, and the answers
before and after a rebuild are held against each other.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from msgspec import structs

from bench.append import append_to
from bench.corpus import Append, make_appends
from bench.measure import Times, collector_paused, in_own_process, milliseconds, resident
from bench.report import Result, Setting
from bench.views_text import queries, vocabulary
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.views import FOLDER
from smartbrain.domain.memory import Status
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.recall.search import search_words

APPLY_LIMIT = 0.001
OPEN_LIMIT = 20.0
SAME_LIMIT = 0.95
TURNS = 1_000  # beyond what makes a snapshot due
QUERIES = 200
RULES = RecallRules()
_BATCH = 500
_MEMORIES_A_TURN = 3
_LOOKED_FOR = 100  # turns that have to be found by the very next call
_LIVED = 1_000  # facts of which every other one is edited, the rest removed


def run(setting: Setting) -> Iterator[Result]:
    """Measure at ten thousand memories, and at a hundred thousand or a million."""
    yield from _measured(setting.folder / "small", 10_000)
    yield from _measured(setting.folder / "large", setting.pick(100_000, 1_000_000))


def _measured(folder: Path, memories: int) -> Iterator[Result]:
    """Fill a tenant and measure what its views cost."""
    label = f"{memories:,} memories"
    root = Root(folder)
    with root.tenants.lease("default") as tenant:
        fill(tenant, turns(memories // _MEMORIES_A_TURN))
        built = _built(tenant)
    root.close()
    yield _opened(folder, built, label)
    yield from in_own_process(_applied, folder, memories // _MEMORIES_A_TURN, label)
    root = Root(folder)
    with root.tenants.lease("default") as tenant:
        tenant.views.ready(RULES, wait=True)
        _live(tenant)
        yield _same_after_rebuild(tenant, label)
        yield _sizes(tenant, label)
    root.close()
    shutil.rmtree(folder)


def turns(count: int, first: int = 0) -> Iterator[Append]:
    """Yield turns whose memories tell sentences of a made-up language."""
    random = Random(first + 1)
    words = vocabulary()
    shares = list(accumulate(1 / (rank + 2.7) ** 1.07 for rank in range(len(words))))

    def sentence() -> str:
        length = max(3, min(120, int(random.lognormvariate(3.0, 0.7))))
        return " ".join(random.choices(words, cum_weights=shares, k=length))

    for start in range(first, first + count, _BATCH):
        for append in make_appends(min(_BATCH, first + count - start), start):
            memories = tuple(structs.replace(memory, text=sentence()) for memory in append.memories)
            yield replace(append, memories=memories)


def fill(tenant: OpenTenant, appends: Iterator[Append]) -> None:
    """Write turns in large transactions."""
    batch: list[Append] = []
    for append in appends:
        batch.append(append)
        if len(batch) == _BATCH:
            _write(tenant, batch)
            batch = []
    _write(tenant, batch)


def _write(tenant: OpenTenant, appends: Sequence[Append]) -> None:
    with tenant.ports.truth.write() as transaction:
        append_to(transaction, appends)


def _built(tenant: OpenTenant) -> float:
    """Build all views from rows and save them; return the seconds of building."""
    start = perf_counter()
    tenant.views.ready(RULES, wait=True)
    passed = perf_counter() - start
    tenant.views.save(RULES)
    return passed


def _opened(folder: Path, built: float, label: str) -> Result:
    """Open the views from snapshots, tenant and all, several times."""
    times = []
    for _ in range(5):
        root = Root(folder)
        start = perf_counter()
        with root.tenants.lease("default") as tenant:
            tenant.views.ready(RULES, wait=True)
            times.append(perf_counter() - start)
        root.close()
    found = built / median(times)
    return Result(
        name=f"open views, {label}",
        measured=str(Times(tuple(times))),
        against=f"building them {built:.1f} s",
        ratio=f"{found:.0f}",
        limit=f"≥ {OPEN_LIMIT:.0f}",
        passed=found >= OPEN_LIMIT,
        numbers={"open_p50": median(times), "build": built, "ratio": found},
    )


def _applied(folder: Path, count: int, label: str) -> list[Result]:
    """Commit turns one by one, catch up after each, and look for what it said."""
    root = Root(folder)
    with root.tenants.lease("default") as tenant, collector_paused():
        tenant.views.ready(RULES, wait=True)
        taken, seen = _followed(tenant, (count // _BATCH + 1) * _BATCH)
    root.close()
    return [
        Result(
            name=f"apply a turn to text, passages and graph, {label}",
            measured=str(taken),
            against="a fixed bound",
            limit=f"≤ {milliseconds(APPLY_LIMIT)}",
            passed=taken.p50 <= APPLY_LIMIT,
            numbers={"p50": taken.p50, "p99": taken.p99},
        ),
        Result(
            name=f"seen by the next call, {label}",
            measured=f"{seen} of {_LOOKED_FOR}",
            against="all of them",
            limit=f"{_LOOKED_FOR}",
            passed=seen == _LOOKED_FOR,
            numbers={"seen": float(seen)},
        ),
    ]


def _followed(tenant: OpenTenant, first: int) -> tuple[Times, int]:
    """Return what it took to catch up with each turn, and how many of the first ones were seen."""
    times: list[float] = []
    seen = 0
    for number, append in enumerate(turns(TURNS, first)):
        word = f"zzmark{number}"
        # A title is searched as it is; texts are by what was said in the turn, or by the value.
        episode, fact, *others = append.memories
        told = structs.replace(fact, title=f"{word} {fact.title}")
        _write(tenant, [replace(append, memories=(episode, told, *others))])
        if number % 50 == 0:
            gc.collect()
        start = perf_counter()
        follower = tenant.views.ready(RULES)
        times.append(perf_counter() - start)
        if number < _LOOKED_FOR:
            hits = search_words(word, follower=follower, ports=tenant.ports, k=10)
            seen += told.id in [hit.id for hit in hits]
    return Times(tuple(times)), seen


def _live(tenant: OpenTenant) -> None:
    """Edit and remove some memories, as a tenant that has lived has."""
    now = tenant.ports.clock()
    with tenant.ports.truth.write() as transaction:
        page = transaction.memories.page(type_name="facts", status=None, limit=_LIVED)
        for number, (_, memory) in enumerate(page):
            changed = structs.replace(memory, title=f"{memory.title} edited", updated_at=now)
            if number % 2:
                changed = structs.replace(memory, status=Status.ARCHIVED, deleted_at=now)
            transaction.memories.update(changed)


def _same_after_rebuild(tenant: OpenTenant, label: str) -> Result:
    """Compare the ten best of many queries before and after building anew."""
    asked = queries(QUERIES)
    before = _answers(tenant, asked)
    start = perf_counter()
    tenant.views.rebuild(RULES)
    passed = perf_counter() - start
    after = _answers(tenant, asked)
    same = sum(one == other for one, other in zip(before, after, strict=True)) / QUERIES
    return Result(
        name=f"same ten best after a rebuild, {label}",
        measured=f"{same:.1%} of {QUERIES} queries",
        against=f"rebuilt in {passed:.1f} s",
        limit=f"≥ {SAME_LIMIT:.0%}",
        passed=same >= SAME_LIMIT,
        numbers={"same": same, "rebuild": passed},
    )


def _answers(tenant: OpenTenant, asked: Sequence[str]) -> list[list[str]]:
    follower = tenant.views.ready(RULES, wait=True)
    return [
        [hit.id for hit in search_words(words, follower=follower, ports=tenant.ports, k=10)]
        for words in asked
    ]


def _sizes(tenant: OpenTenant, label: str) -> Result:
    """Report what the views take on disk, and the process in memory."""
    tenant.views.save(RULES)
    disk = sum(
        path.stat().st_size for path in (tenant.folder / FOLDER).rglob("*") if path.is_file()
    )
    memory = resident()
    return Result(
        name=f"views on disk and in memory, {label}",
        measured=f"{disk / 1e6:,.0f} MB of files",
        against=f"{memory / 1e6:,.0f} MB held by the process with all of it open",
        numbers={"disk": float(disk), "memory": float(memory)},
    )
