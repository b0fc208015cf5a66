"""How much longer a composed context takes than the memory packet it is made of.

Two tenants of made-up language, asked in turns for a packet and for a context, so that a slow
moment hits both. The trace of a context is made and written in the background while its model call
goes on; here that is done right after each context, and its time is told by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle

from bench.measure import Action, milliseconds, ratio, timed
from bench.recall_made_up import FILLED, NOW, fill_tenant
from bench.report import Result, Setting
from bench.views_text import queries
from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

SIZES = (10_000, 100_000)
ROUNDS, ROUNDS_FULL, WARMUP = 200, 500, 20
QUERIES = 200
MOST = 0.002  # seconds that composing may add, in the median
SESSION = "session-0"


def run(setting: Setting) -> Iterator[Result]:
    """Measure a small and a larger tenant."""
    for size in SIZES if setting.full else SIZES[:1]:
        folder = (setting.keep or setting.folder) / f"speed-{size}"
        if not (folder / FILLED).exists():
            fill_tenant(folder, size)
        with SmartBrain.open(folder, clock=FakeClock(NOW)) as brain:
            brain.configure({"recall.deadline_ms": 60_000})
            asked = cycle(queries(QUERIES))
            brain.recall(next(asked))
            actions: dict[str, Action] = {
                "packet": partial(_packet, brain, cycle(queries(QUERIES))),
                "context": partial(_context, brain, cycle(queries(QUERIES))),
                "trace": brain._root.composing().flush,
            }
            times = timed(actions, rounds=setting.pick(ROUNDS, ROUNDS_FULL), warmup=WARMUP)
        added = times["context"].p50 - times["packet"].p50
        yield Result(
            name=f"compose, {size:,} memories",
            measured=f"{times['context']}",
            against=f"the packet alone {times['packet']}; {milliseconds(max(0.0, added))} more",
            ratio=str(ratio(times["context"], times["packet"])),
            limit=f"≤ {milliseconds(MOST)} more",
            passed=added <= MOST,
            numbers={"added": added, "context": times["context"].p50},
        )
        yield Result(
            name=f"trace of a context, {size:,} memories",
            measured=f"{times['trace']}",
            against="in the background, a transaction each",
            numbers={"trace": times["trace"].p50},
        )


def _packet(brain: SmartBrain, asked: Iterator[str]) -> object:
    return brain.build_memory_packet(SESSION, next(asked))


def _context(brain: SmartBrain, asked: Iterator[str]) -> object:
    return brain.compose_context(SESSION, next(asked))
