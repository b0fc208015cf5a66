"""Committing a short turn through the facade, against a bare transaction of the rows it writes.

The difference is what reading, cutting, hashing and remembering a turn cost above storing it: at
most 3 ms, for turns of ordinary talk and for those full of things to remember. With `--profile` it
is shown where that time goes.
"""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from bench import bare
from bench.append import numbers, prepared, record, require_equal
from bench.corpus import START, TURNS_PER_SESSION, spoken
from bench.measure import Times, interleave, milliseconds, ratio
from bench.ordinary import ordinary
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTruth
from smartbrain.bootstrap.root import Root

TENANT = "default"
ABOVE_BARE = 0.003
"""Seconds that a commit may take more than a bare transaction of its rows."""
Spoken = Callable[[int], list[dict[str, str]]]
"""Returns the messages of a turn by its number."""
_PROFILED_TURNS = 500
_PROFILED_LINES = 30


def run(setting: Setting) -> list[Result]:
    """Measure `commit_turn` with two short messages, of either kind."""
    results = [
        _measured(setting, "ordinary talk", ordinary),
        _measured(setting, "full of things to remember", spoken),
    ]
    if setting.profile:
        _profile(setting.folder / "profiled")
    return results


def _measured(setting: Setting, kind: str, messages: Spoken) -> Result:
    """Hold commits of one kind of turns against their rows alone."""
    times = _compare(setting.folder / kind.split()[0], setting.pick(600, 3_000), messages)
    found = ratio(times["ours"], times["bare"])
    limit = times["bare"].p50 + ABOVE_BARE
    return Result(
        name=f"commit_turn, two short messages, {kind}",
        measured=str(times["ours"]),
        against=f"bare transaction {times['bare']}",
        ratio=str(found),
        limit=f"p50 ≤ bare + {milliseconds(ABOVE_BARE)} = {milliseconds(limit)}",
        passed=times["ours"].p50 <= limit,
        numbers=numbers(times) | {"ratio": found.value, "limit": limit},
    )


def _compare(folder: Path, turns: int, messages: Spoken) -> dict[str, Times]:
    """Commit every turn three times: once recorded, then ours and bare in turns."""
    with _brain(folder / "recorded") as brain:
        recorded = record(
            _truth(brain), [_commit(brain, number, messages) for number in range(turns)]
        )
    _brain(folder / "bare").close()
    bare_file = _database(folder / "bare")
    with _brain(folder / "ours") as brain, closing(bare.connect(bare_file)) as peer:
        bare.drop_triggers(peer)
        waiting = iter([_commit(brain, number, messages) for number in range(turns)])
        times = interleave(
            {
                "ours": lambda: next(waiting),
                "bare": prepared(recorded, lambda rows: bare.replay(peer, rows)),
            },
            rounds=turns,
        )
    require_equal(_database(folder / "ours"), bare_file)
    return times


def _commit(brain: SmartBrain, number: int, messages: Spoken) -> Callable[[], object]:
    """Return the action that commits the `number`-th turn."""
    session, said = f"session-{number // TURNS_PER_SESSION}", messages(number)
    return lambda: brain.commit_turn(session, said)


def _brain(folder: Path) -> SmartBrain:
    """Open a brain whose clock and ids are the same at every run."""
    seconds = iter(range(1_000_000_000))

    def clock() -> datetime:
        return START + timedelta(seconds=next(seconds))

    root = Root(folder, clock=clock, entropy=Random(1).randbytes)
    brain = SmartBrain(root, TENANT, owner=True)
    with brain._lease(create=True):
        pass
    return brain


def _truth(brain: SmartBrain) -> SqliteTruth:
    """Return the truth behind a brain."""
    with brain._root.tenants.lease(TENANT) as tenant:
        truth = tenant.ports.truth
    assert isinstance(truth, SqliteTruth)
    return truth


def _database(folder: Path) -> Path:
    """Return the file of a brain's tenant."""
    return folder / "tenants" / TENANT / DATABASE


def _profile(folder: Path) -> None:
    """Print where the time of a commit goes."""
    with _brain(folder) as brain:
        commits = [_commit(brain, number, ordinary) for number in range(_PROFILED_TURNS)]
        profile = cProfile.Profile()
        profile.enable()
        for commit in commits:
            commit()
        profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(_PROFILED_LINES)
