"""How much longer a composed context takes than the memory packet it is made of.

Tenants of made-up language, and real conversations where the data sets are there, asked in turns
for a packet and for a context, so that a slow moment hits both. The trace of a context is made and
written in the background while its model call goes on; here that is done right after each context,
and its time is told by itself. Then a conversation is played as an agent has it, a context and a
commit for each turn, with the collector of garbage and all that goes on in the background.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from time import perf_counter

from bench.measure import Action, Times, milliseconds, ratio, timed
from bench.recall_data import DATA, DataSet, build, read
from bench.recall_made_up import FILLED, NOW, fill_tenant
from bench.report import Result, Setting
from bench.views_text import queries
from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

SIZES = (10_000, 100_000)
SETS = ("locomo", "longmemeval_turns")  # conversations, the smaller one first
ROUNDS, ROUNDS_FULL, WARMUP = 200, 500, 20
QUERIES = 200
MOST = 0.002  # seconds that composing may add, in the median
PLAYED = {"p50": 0.030, "p95": 0.080, "p99": 0.150}  # no more than a packet alone may take
BEGIN = 100  # turns of a conversation that are said before it is timed
SESSION = "session-0"


def run(setting: Setting) -> Iterator[Result]:
    """Measure small and larger tenants, then a conversation."""
    kept, rounds = setting.keep or setting.folder, setting.pick(ROUNDS, ROUNDS_FULL)
    for size in SIZES if setting.full else SIZES[:1]:
        folder = kept / f"speed-{size}"
        if not (folder / FILLED).exists():
            fill_tenant(folder, size)
        with SmartBrain.open(folder, clock=FakeClock(NOW)) as brain:
            yield from _added(f"{size:,} memories", brain, SESSION, queries(QUERIES), rounds)
    for name in SETS if setting.full else SETS[:1]:
        if not (DATA / name).is_dir():
            yield Result(f"compose, {name}", "not here", "set SMARTBRAIN_DATA")
            continue
        data = read(name)
        tenant = data.tenants[0]
        build(data, kept / f"recall-{name}")
        asked = [one.text for one in data.questions if one.tenant == tenant][:QUERIES]
        last = [one.session for one in data.documents if one.tenant == tenant][-1]
        with SmartBrain.open(kept / f"recall-{name}", tenant, clock=FakeClock(data.after)) as brain:
            yield from _added(name, brain, last, asked, rounds)
        if name == SETS[0]:
            yield _played(data, tenant, setting.folder / "played")


def _added(
    name: str, brain: SmartBrain, session: str, asked: Sequence[str], rounds: int
) -> Iterator[Result]:
    """Hold contexts against packets of the same questions."""
    brain.recall(asked[0])
    actions: dict[str, Action] = {
        "packet": partial(_packet, brain, session, cycle(asked)),
        "context": partial(_context, brain, session, cycle(asked)),
        "trace": brain._root.composing().flush,
    }
    times = timed(actions, rounds=rounds, warmup=WARMUP)
    added = times["context"].p50 - times["packet"].p50
    more = f"{milliseconds(abs(added))} {'more' if added > 0 else 'less'}"
    yield Result(
        name=f"compose, {name}",
        measured=f"{times['context']}",
        against=f"the packet alone {times['packet']}; {more}",
        ratio=str(ratio(times["context"], times["packet"])),
        limit=f"≤ {milliseconds(MOST)} more",
        passed=added <= MOST,
        numbers={"added": added, "context": times["context"].p50},
    )
    yield Result(
        name=f"trace of a context, {name}",
        measured=f"{times['trace']}",
        against="in the background, a transaction each",
        numbers={"trace": times["trace"].p50},
    )


def _played(data: DataSet, tenant: str, folder: Path) -> Result:
    """Have a conversation: a context before each turn, a commit after it."""
    said = [one for one in data.documents if one.tenant == tenant]
    clock = FakeClock(said[0].at)
    contexts, commits = [], []
    with SmartBrain.open(folder, tenant, clock=clock) as brain:
        for number, one in enumerate(said):
            clock.now = one.at
            start = perf_counter()
            brain.compose_context(one.session, one.message["content"])
            composed = perf_counter()
            brain.commit_turn(
                one.session, {"messages": [dict(one.message)], "at": one.at.isoformat()}
            )
            if number >= BEGIN:
                contexts.append(composed - start)
                commits.append(perf_counter() - composed)
    found = Times(tuple(contexts))
    figures = {"p50": found.p50, "p95": sorted(contexts)[int(len(contexts) * 0.95)]}
    figures["p99"] = found.p99
    return Result(
        name=f"compose in a conversation of {len(said)} turns, {data.name}",
        measured=", ".join(f"{milliseconds(took)} {name}" for name, took in figures.items()),
        against=f"its commits {Times(tuple(commits))}; no pause between them",
        limit=", ".join(f"{name} ≤ {milliseconds(most)}" for name, most in PLAYED.items()),
        passed=all(figures[name] <= most for name, most in PLAYED.items()),
        numbers=figures,
    )


def _packet(brain: SmartBrain, session: str, asked: Iterator[str]) -> object:
    return brain.build_memory_packet(session, next(asked))


def _context(brain: SmartBrain, session: str, asked: Iterator[str]) -> object:
    return brain.compose_context(session, next(asked))
