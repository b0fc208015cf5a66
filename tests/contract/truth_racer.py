"""Who races for the active version of keys: a function for threads, a program for processes.

In: a truth, the number of the racer and of keys. Out: for each key "won", or the code of an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.memory import Status
from smartbrain.errors import SmartBrainError
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock


def race(truth: SqliteTruth, racer: int, keys: int) -> Iterator[str]:
    """Try to make a version of one's own active: the even add it so, the odd make it so later."""
    for key in range(keys):
        memory = builders.memory(f"fact:竞争:{key}", racer + 1)
        try:
            if racer % 2:
                with truth.write() as transaction:
                    transaction.memories.add([replace(memory, status=Status.SUPERSEDED)])
                with truth.write() as transaction:
                    transaction.memories.update(memory)
            else:
                with truth.write() as transaction:
                    transaction.memories.add([memory])
        except SmartBrainError as error:
            yield error.code
        else:
            yield "won"


if __name__ == "__main__":
    shared = SqliteTruth(Path(sys.argv[1]), tenant="t", clock=FakeClock())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(" ".join(race(shared, int(sys.argv[2]), int(sys.argv[3]))))
    shared.close()
