"""How long recall and a memory packet take as memory grows, against the views asked alone.

Tenants of a thousand to a hundred thousand memories, or a million, tell sentences of a made-up
language and have ten edges a memory. All sizes stay open and are asked in turns, so that a slow
moment hits all of them: recall, a packet, and a plain question to each of the views that both rest
on, whose p99 added up is the floor no recall can be below. The very queries that a recall puts to
the views are timed as well. Vectors are made by hashing words, so that no model's time is in it.
Statements are counted and memory is measured apart from the clock.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, Self, TypeVar, cast

import apsw

from bench.measure import Action, Times, milliseconds, timed
from bench.recall_made_up import FILLED, NOW, WordVectors, fill_tenant
from bench.report import Result, Setting
from bench.views_text import queries
from smartbrain import SmartBrain
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import Spread
from smartbrain.domain.memory import Status
from smartbrain.domain.recall import ArmVerdict
from smartbrain.domain.search import IndexFilter
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import WordsView
from smartbrain.text.query import text_query

SIZES = (1_000, 10_000, 100_000)
LARGEST = 1_000_000
SMALL = 10_000  # what a larger size is compared with
FLOOR_FROM = 100_000
GROWTH = 3.0
OF_FLOOR = 3.0
SMALL_P50, SMALL_P99 = 0.005, 0.015
PEAK = 50_000_000
TOP, SEEDS = 200, 20
QUERIES, COUNTED = 200, 20
SESSION = "session-0"
ROUNDS, ROUNDS_FULL, WARMUP = 200, 500, 20
CALLS = ("recall", "packet")
PLAIN = "plain"
PACKET_LIMITS = {"p50": 0.030, "p95": 0.080, "p99": 0.150}
RECALL_LIMITS = {"p95": 1.5}
RECALL_GOALS = {100_000: {"p95": 0.020}, 1_000_000: {"p50": 0.010, "p99": 0.030}}
ACTIVE = IndexFilter(statuses=(Status.ACTIVE.value,))

T = TypeVar("T")


def run(setting: Setting) -> Iterator[Result]:
    """Measure without vectors, then with them."""
    sizes = (*SIZES, *((LARGEST,) if setting.full else ()))
    for size in sizes:
        folder = _folder(setting, size)
        if not (folder / FILLED).exists():
            fill_tenant(folder, size)
    for embedder in (None, WordVectors()):
        with ExitStack() as stack:
            counter = stack.enter_context(Counter())
            tenants = [
                stack.enter_context(_opened(_folder(setting, size), size, embedder))
                for size in sizes
            ]
            yield from _measured(tenants, setting.pick(ROUNDS, ROUNDS_FULL), vectors=bool(embedder))
            if embedder is None:
                yield from _statements(tenants, counter)
                yield _peak(tenants[-1])


@dataclass(frozen=True, slots=True)
class Tenant:
    """An open brain of a size, and its views."""

    size: int
    brain: SmartBrain
    follower: Follower
    embedder: WordVectors | None

    def calls(self) -> dict[str, Action]:
        """Return what is timed: our calls, and the queries of the views alone."""
        asked = _asked()
        actions = {call: _in_turn(_call(self.brain, call), asked) for call in CALLS}
        for name, queries_of in self._put_to_views(asked).items():
            actions[name] = _in_turn(_each, queries_of)
        actions[f"{PLAIN} text"] = _in_turn(self._text, asked)
        actions[f"{PLAIN} graph"] = _in_turn(self._spread, [self._seeds(one) for one in asked])
        if self.embedder is not None:
            vectors = [self.embedder.embed_query(words) for words in asked]
            actions[f"{PLAIN} vector"] = _in_turn(self._near, vectors)
        return {f"{name} {self.size}": action for name, action in actions.items()}

    def _put_to_views(self, asked: Sequence[str]) -> dict[str, list[list[Action]]]:
        """Return the queries that a recall puts to each view, by question, to be put again."""
        views = {one.split("-")[0]: one for one in self.follower.names() if one != "passages"}
        verbs = {name: "spread" if name == "graph" else "search" for name in views}
        put: dict[str, list[list[Action]]] = {name: [] for name in views}
        indexes = {name: cast("Any", self.follower.get(view)).index for name, view in views.items()}
        for words in asked:
            for name, index in indexes.items():
                put[name].append([])
                setattr(index, verbs[name], _Noted(getattr(index, verbs[name]), put[name][-1]))
            self.brain.recall(words)
            for name, index in indexes.items():
                delattr(index, verbs[name])
        return put

    def _text(self, words: str) -> list[Any]:
        view = cast("WordsView", self.follower.get("text"))
        return view.index.search(text_query(words), k=TOP, only=ACTIVE)

    def _seeds(self, words: str) -> dict[int, float]:
        return dict(self._text(words)[:SEEDS])

    def _spread(self, seeds: dict[int, float]) -> object:
        rules = self.brain._recall_rules().graph
        weights = {EdgeType(name): weight for name, weight in rules.edge_weights.items()}
        how = Spread(hops=rules.k_hop, degree_cap=rules.degree_cap, type_weights=weights)
        return cast("GraphView", self.follower.get("graph")).index.spread(seeds, how)

    def _near(self, vector: Sequence[float]) -> object:
        (name,) = (one for one in self.follower.names() if one.startswith("vector-"))
        view = cast("VectorView", self.follower.get(name))
        return view.index.search(vector, k=TOP, only=ACTIVE)


class _Noted:
    """A query of a view that keeps how it was put."""

    def __init__(self, query: Callable[..., Any], kept: list[Action]) -> None:
        self._query = query
        self._kept = kept

    def __call__(self, *given: Any, **named: Any) -> Any:
        self._kept.append(partial(self._query, *given, **named))
        return self._query(*given, **named)


def _each(actions: Sequence[Action]) -> None:
    for action in actions:
        action()


def _measured(tenants: Sequence[Tenant], rounds: int, *, vectors: bool) -> Iterator[Result]:
    """Time all sizes in turns, and hold each against its floor, the small one and the goals."""
    actions = {name: call for tenant in tenants for name, call in tenant.calls().items()}
    times = timed(actions, rounds=rounds, warmup=WARMUP)
    parts = ("text", "graph", *(("vector",) if vectors else ()))
    for call in CALLS:
        for tenant in tenants:
            label = f"{call}, {tenant.size:,} memories{', with vectors' if vectors else ''}"
            ours = times[f"{call} {tenant.size}"]
            views = {one: times[f"{PLAIN} {one} {tenant.size}"] for one in parts}
            put = [times[f"{one} {tenant.size}"] for one in parts]
            yield _against_floor(label, tenant.size, ours, views, put)
            yield _absolute(label, call, tenant.size, ours)
        yield _growth(label, ours, times[f"{call} {SMALL}"])
    for tenant in tenants:
        yield _stages(tenant, vectors=vectors)


def _against_floor(
    label: str, size: int, ours: Times, views: Mapping[str, Times], put: Sequence[Times]
) -> Result:
    """Hold the tail against the floor where memory is large, and to fixed bounds where small."""
    floor = sum(one.p99 for one in views.values())
    ratio = ours.p99 / floor
    of_put = ours.p99 / sum(one.p99 for one in put)
    told = ", ".join(f"{name} {milliseconds(one.p99)}" for name, one in views.items())
    if size >= FLOOR_FROM:
        limit, passed = f"≤ {OF_FLOOR}", ratio <= OF_FLOOR
    else:
        limit = f"p50 ≤ {milliseconds(SMALL_P50)}, p99 ≤ {milliseconds(SMALL_P99)}"
        passed = ours.p50 <= SMALL_P50 and ours.p99 <= SMALL_P99
    return Result(
        name=label,
        measured=str(ours),
        against=f"views alone, p99: {told}; of the queries put to them {of_put:.2f}",
        ratio=f"p99 {ratio:.2f}",
        limit=limit,
        passed=passed,
        numbers={
            "p50": ours.p50,
            "p95": _p95(ours),
            "p99": ours.p99,
            "floor": floor,
            "of_put": of_put,
        },
    )


def _absolute(label: str, call: str, size: int, ours: Times) -> Result:
    """Hold the times of the clock to the limits that the specification names."""
    limits = PACKET_LIMITS if call == "packet" else RECALL_LIMITS
    goals = {} if call == "packet" else RECALL_GOALS.get(size, {})
    found = {"p50": ours.p50, "p95": _p95(ours), "p99": ours.p99}
    wished = ", ".join(f"{name} {milliseconds(most)}" for name, most in goals.items())
    return Result(
        name=f"{label}, by the clock",
        measured=", ".join(f"{milliseconds(value)} {name}" for name, value in found.items()),
        against=f"wished for: {wished}" if wished else "a clock",
        limit=", ".join(f"{name} ≤ {milliseconds(most)}" for name, most in limits.items()),
        passed=all(found[name] <= most for name, most in limits.items()),
        numbers=found,
    )


def _growth(label: str, large: Times, small: Times) -> Result:
    """Hold the largest size against ten thousand memories."""
    p50, p99 = large.p50 / small.p50, large.p99 / small.p99
    return Result(
        name=f"{label}, growth",
        measured=str(large),
        against=f"{SMALL:,} memories: {small}",
        ratio=f"p50 {p50:.2f}, p99 {p99:.2f}",
        limit=f"≤ {GROWTH}",
        passed=max(p50, p99) <= GROWTH,
        numbers={"p50": p50, "p99": p99},
    )


def _stages(tenant: Tenant, *, vectors: bool) -> Result:
    """Report where the time of a recall goes, by its own trace."""
    traces = [_call(tenant.brain, "recall")(words).trace for words in _asked()[:COUNTED]]
    stages = {name: median(one.stages[name] for one in traces) for name in traces[0].stages}
    arms: dict[str, list[float]] = {}
    for arm in (arm for one in traces for arm in one.arms if arm.verdict is ArmVerdict.OK):
        arms.setdefault(arm.name, []).append(arm.took_ms)
    return Result(
        name=f"stages of a recall, {tenant.size:,} memories{', with vectors' if vectors else ''}",
        measured=", ".join(f"{name} {took:.1f} ms" for name, took in stages.items()),
        against=", ".join(f"{name} {median(took):.1f} ms" for name, took in arms.items()),
        numbers=stages,
    )


def _statements(tenants: Sequence[Tenant], counter: Counter) -> Iterator[Result]:
    """Count the statements of recalls that bring little and much, at every size."""
    for call, few, many in (
        ("recall", {"k": 1}, {"k": 60}),
        ("packet", {"audience": "responder"}, {"audience": "planner"}),
    ):
        counts: dict[int, set[int]] = {}
        same = True
        for tenant in tenants:
            ask = _call(tenant.brain, call)
            for words in _asked()[:COUNTED]:
                one, other = (counter.count(partial(ask, words, **how)) for how in (few, many))
                counts.setdefault(tenant.size, set()).update((one, other))
                same &= call == "packet" or one == other
        spans = {size: f"{min(found)}–{max(found)}" for size, found in counts.items()}
        most = {max(found) for found in counts.values()}
        yield Result(
            name=f"statements of a {call}",
            measured=", ".join(f"{span} at {size:,}" for size, span in spans.items()),
            against="one item and sixty" if call == "recall" else "both audiences",
            limit="the same number",
            passed=same and len(most) == 1,
            numbers={str(size): float(max(found)) for size, found in counts.items()},
        )


def _peak(tenant: Tenant) -> Result:
    """Measure the memory that a recall and a packet need for themselves."""
    peaks: dict[str, int] = {}
    tracemalloc.start()
    try:
        for call in CALLS:
            for words in _asked()[:COUNTED]:
                before = tracemalloc.get_traced_memory()[0]
                tracemalloc.reset_peak()
                _call(tenant.brain, call)(words)
                took = tracemalloc.get_traced_memory()[1] - before
                peaks[call] = max(took, peaks.get(call, 0))
    finally:
        tracemalloc.stop()
    return Result(
        name=f"peak memory, {tenant.size:,} memories",
        measured=", ".join(f"{call} {peak / 1e6:.1f} MB" for call, peak in peaks.items()),
        against="beyond the views, as Python counts it",
        limit=f"< {PEAK / 1e6:.0f} MB",
        passed=max(peaks.values()) < PEAK,
        numbers={call: float(peak) for call, peak in peaks.items()},
    )


class Counter:
    """Counts the statements of all connections that are opened while it is in use."""

    def __init__(self) -> None:
        self._connections: list[apsw.Connection] = []
        self._count = 0

    def __enter__(self) -> Self:
        apsw.connection_hooks.append(self._connections.append)
        return self

    def __exit__(self, *_: object) -> None:
        apsw.connection_hooks.remove(self._connections.append)

    def count(self, action: Action) -> int:
        """Return how many statements an action executes, in any thread."""
        self._count = 0
        self._watch(self._counted)
        action()
        self._watch(None)
        return self._count

    def _counted(self, *_: object) -> bool:
        self._count += 1
        return True

    def _watch(self, seen: Callable[..., bool] | None) -> None:
        for connection in self._connections:
            with suppress(apsw.ConnectionClosedError):
                connection.exec_trace = seen


@contextmanager
def _opened(folder: Path, size: int, embedder: WordVectors | None) -> Iterator[Tenant]:
    """Open a brain with all its views, vectors too if there is an embedder."""
    with SmartBrain.open(folder, clock=lambda: NOW, embedder=embedder) as brain:
        if embedder is not None:
            brain.jobs.run("embed")
        brain.configure({"recall.vector.enabled": embedder is not None})
        with brain._lease() as tenant:
            rules = brain._recall_rules()
            follower = tenant.views.ready(rules, wait=True)
            tenant.views.save(rules)
            yield Tenant(size, brain, follower, embedder)


def _folder(setting: Setting, size: int) -> Path:
    return (setting.keep or setting.folder) / f"recall-speed-{size}"


def _call(brain: Any, call: str) -> Callable[..., Any]:
    """Return one of our calls, which takes the words."""
    return brain.recall if call == "recall" else partial(brain.build_memory_packet, SESSION)


def _asked() -> list[str]:
    return queries(QUERIES)


def _in_turn(call: Callable[[T], object], given: Sequence[T]) -> Action:
    """Return an action that goes on to the next one every time, round and round."""
    waiting = cycle(given)
    return lambda: call(next(waiting))


def _p95(times: Times) -> float:
    ordered = sorted(times.seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
