"""Four processes that commit into one tenant as fast as they can.

With the write lock each should get its share. The peer is the same transaction without the lock,
where SQLite's busy timeout alone decides who is next. Processes start together and count commits.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from time import perf_counter

import apsw

from bench import bare
from bench.append import append_to, new_truth, write
from bench.corpus import Append, make_appends
from bench.measure import milliseconds
from bench.report import Result, Setting
from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTransaction

PROCESSES = 4
SECONDS = 5.0
FAIR_LIMIT = 0.5
_APART = 1_000_000  # turns of different processes share neither text nor keys
_MOST = 6_000  # turns made ready ahead; more than a process commits in one round


@dataclass(frozen=True, slots=True)
class Share:
    """What one process managed: commits, its longest wait in seconds, and refusals as busy."""

    commits: int
    worst: float
    refused: int


def run(setting: Setting) -> list[Result]:
    """Measure fairness and throughput, with the lock and without it in turns."""
    rounds: dict[str, list[list[Share]]] = {"lock": [], "timeout": []}
    for number in range(setting.pick(1, 3)):
        for how, kept in rounds.items():
            kept.append(_round(setting.folder / f"{how}-{number}", how))
    ours, peer = (_summary(rounds[how]) for how in ("lock", "timeout"))
    fairness = median(_fairness(shares) for shares in rounds["lock"])
    without = median(_fairness(shares) for shares in rounds["timeout"])
    return [
        Result(
            name=f"{PROCESSES} processes committing, slowest to fastest",
            measured=ours,
            against=f"busy timeout alone {without:.2f}: {peer}",
            ratio=f"{fairness:.2f}",
            limit=f"≥ {FAIR_LIMIT}",
            passed=fairness >= FAIR_LIMIT,
            numbers={"fairness": fairness, "fairness_without_lock": without},
        ),
        _throughput(rounds["lock"], rounds["timeout"]),
    ]


def _throughput(ours: Sequence[list[Share]], peer: Sequence[list[Share]]) -> Result:
    """Compare the commits of all processes together."""
    mine, other = (
        median(sum(share.commits for share in shares) / SECONDS for shares in kept)
        for kept in (ours, peer)
    )
    return Result(
        name=f"{PROCESSES} processes committing, together",
        measured=f"{mine:,.0f} turns/s",
        against=f"busy timeout alone {other:,.0f} turns/s",
        ratio=f"{mine / other:.2f}",
        numbers={"ours_turns_per_second": mine, "bare_turns_per_second": other},
    )


def _round(folder: Path, how: str) -> list[Share]:
    """Let the processes commit into a new tenant for some seconds."""
    new_truth(folder).close()
    spawn = multiprocessing.get_context("spawn")
    together, shares = spawn.Barrier(PROCESSES), spawn.Queue()
    processes = [
        spawn.Process(target=_process, args=(folder, how, number, together, shares))
        for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    found = [shares.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    return found


def _process(folder: Path, how: str, number: int, together: Barrier, shares: Queue[Share]) -> None:
    """Commit until the time is over; runs in a process of its own."""
    appends = make_appends(_MOST, first=number * _APART)
    if how == "lock":
        truth = new_truth(folder)
        together.wait()
        shares.put(_commit(appends, lambda append: write(truth, [append])))
        truth.close()
    else:
        connection = bare.connect(folder / DATABASE)
        transaction = SqliteTransaction(connection, "bench")
        together.wait()
        shares.put(_commit(appends, lambda append: _without_lock(transaction, append)))
        connection.close()


def _commit(appends: Sequence[Append], commit: Callable[[Append], None]) -> Share:
    """Commit one turn after another and watch the clock; a refused one is tried again."""
    end = perf_counter() + SECONDS
    commits, worst, refused = 0, 0.0, 0
    for append in appends:
        start = perf_counter()
        done = False
        while not done and perf_counter() < end:
            try:
                commit(append)
                done = True
            except apsw.BusyError:
                refused += 1
        if not done:
            break
        commits += 1
        worst = max(worst, perf_counter() - start)
    return Share(commits, worst, refused)


def _without_lock(transaction: SqliteTransaction, append: Append) -> None:
    """Write one turn with the same statements and SQLite's own way of waiting."""
    try:
        transaction.begin("BEGIN IMMEDIATE", "bench")
        append_to(transaction, [append])
        transaction.commit()
    except BaseException:
        transaction.abort()
        raise


def _fairness(shares: Sequence[Share]) -> float:
    """Return the share of the slowest process as a part of the fastest one's."""
    return min(share.commits for share in shares) / max(share.commits for share in shares)


def _summary(rounds: Sequence[list[Share]]) -> str:
    """Spell out the commits of the last round, and the longest wait of all."""
    commits = " / ".join(
        str(count) for count in sorted((share.commits for share in rounds[-1]), reverse=True)
    )
    worst = max(share.worst for shares in rounds for share in shares)
    refused = sum(share.refused for shares in rounds for share in shares)
    busy = f", {refused} refused as busy" if refused else ""
    return f"{commits} commits, longest wait {milliseconds(worst)}{busy}"
