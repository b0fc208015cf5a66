"""Appending turns through the truth port, against a bare transaction that writes the same rows.

The bare peer repeats the rows that ours was seen to write, into a database of the same schema on
the same disk, in turns with ours; at the end both databases must be equal row by row.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from bench import bare
from bench.corpus import START, Append, make_appends
from bench.measure import Action, Preparation, Times, interleave, ratio
from bench.report import Result, Setting
from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTruth
from smartbrain.ports.truth import Transaction

SINGLE_LIMIT = 1.5
BULK_LIMIT = 0.7
BULK_TURNS = 5_000
BATCH = 500

T = TypeVar("T")


def run(setting: Setting) -> list[Result]:
    """Measure single appends and a bulk import."""
    return [_single(setting), _bulk(setting)]


def write(truth: SqliteTruth, appends: Sequence[Append]) -> None:
    """Write turns in one transaction through the port."""
    with truth.write() as transaction:
        append_to(transaction, appends)


def append_to(transaction: Transaction, appends: Sequence[Append]) -> None:
    """Write turns into an open transaction."""
    transaction.raw.hold([chunk for append in appends for chunk in append.chunks])
    transaction.events.add_turns([append.turn for append in appends])
    transaction.memories.add([memory for append in appends for memory in append.memories])
    transaction.memories.put_chunks(
        {
            memory.id: [text]
            for append in appends
            for memory, text in zip(append.memories, append.texts, strict=True)
        }
    )
    transaction.edges.add([edge for append in appends for edge in append.edges])


def _single(setting: Setting) -> Result:
    """Measure one durable turn a transaction."""
    rounds = setting.pick(1_000, 5_000)
    times = _compare(setting.folder / "single", [[one] for one in make_appends(rounds)])
    found = ratio(times["ours"], times["bare"])
    return Result(
        name="append one turn, durable",
        measured=str(times["ours"]),
        against=f"bare transaction {times['bare']}",
        ratio=str(found),
        limit=f"≤ {SINGLE_LIMIT}",
        passed=found.value <= SINGLE_LIMIT,
        numbers=numbers(times) | {"ratio": found.value},
    )


def _bulk(setting: Setting) -> Result:
    """Measure an import in large transactions."""
    appends = make_appends(BATCH * setting.pick(30, 60))
    batches = [appends[start : start + BATCH] for start in range(0, len(appends), BATCH)]
    times = _compare(setting.folder / "bulk", batches)
    found = ratio(times["bare"], times["ours"])
    ours, peer = (BATCH / times[name].p50 for name in ("ours", "bare"))
    return Result(
        name=f"import, {BATCH} turns a transaction",
        measured=f"{ours:,.0f} turns/s",
        against=f"bare batch {peer:,.0f} turns/s",
        ratio=str(found),
        limit=f"≥ {BULK_TURNS:,} turns/s or ≥ {BULK_LIMIT}",
        passed=ours >= BULK_TURNS or found.value >= BULK_LIMIT,
        numbers={
            "ours_turns_per_second": ours,
            "bare_turns_per_second": peer,
            "ratio": found.value,
        },
    )


def _compare(folder: Path, transactions: Sequence[Sequence[Append]]) -> dict[str, Times]:
    """Write every transaction three times: once recorded, then ours and bare in turns."""
    with closing(new_truth(folder / "recorded")) as truth:
        recorded = record(truth, [_writing(truth, appends) for appends in transactions])
    ours = new_truth(folder / "ours")
    new_truth(folder / "bare").close()  # leaves a database of our schema behind
    peer = bare.connect(folder / "bare" / DATABASE)
    bare.drop_triggers(peer)
    with closing(ours), closing(peer):
        times = interleave(
            {
                "ours": prepared(transactions, lambda appends: write(ours, appends)),
                "bare": prepared(recorded, lambda rows: bare.replay(peer, rows)),
            },
            rounds=len(transactions),
        )
    require_equal(folder / "ours" / DATABASE, folder / "bare" / DATABASE)
    return times


def prepared(items: Sequence[T], act: Callable[[T], object]) -> Preparation:
    """Return a contender that acts on one item after another.

    Each item is copied right before its turn: in real life records and rows have just been made,
    and what was built minutes ahead would have to be fetched from memory while the clock runs.
    """
    waiting = iter([pickle.dumps(item) for item in items])

    def prepare() -> Action:
        item: T = pickle.loads(next(waiting))
        return lambda: act(item)

    return prepare


def record(truth: SqliteTruth, writings: Iterable[Action]) -> list[list[bare.Statement]]:
    """Run writings on a truth and return the statements that repeat each of them."""
    with truth.write():
        pass  # opens the writing connection, which the recorder watches
    assert truth._writer is not None
    recorder = bare.Recorder(truth._writer.connection)
    recorded = []
    for writing in writings:
        with recorder.recording() as statements:
            writing()
        recorded.append(statements)
    return recorded


def require_equal(ours: Path, peer: Path) -> None:
    """Make sure that two databases hold the same rows, so that the same work was timed.

    Raises:
        AssertionError: they differ; the sentence names the first table that does.
    """
    with closing(bare.connect(ours)) as mine, closing(bare.connect(peer)) as other:
        left, right = bare.contents(mine), bare.contents(other)
    for table, rows in left.items():
        counts = f"{len(rows)} and {len(right[table])} rows"
        assert rows == right[table], f"{table} differs between ours and the bare peer: {counts}"


def _writing(truth: SqliteTruth, appends: Sequence[Append]) -> Callable[[], None]:
    """Return the action that writes these turns."""
    return lambda: write(truth, appends)


def new_truth(folder: Path) -> SqliteTruth:
    """Open a truth in a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteTruth(folder, tenant="bench", clock=lambda: START)


def numbers(times: dict[str, Times]) -> dict[str, float]:
    """Return the medians and tails in seconds."""
    return {
        f"{name}_{part}": value
        for name, taken in times.items()
        for part, value in (("p50", taken.p50), ("p99", taken.p99))
    }
