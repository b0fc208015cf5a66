"""What every truth must do; an adapter's tests inherit `TruthContract`.

In: a folder of its own for each test. Out: failed asserts where the adapter differs from the port.
It does not test what only one adapter promises: files, locks, keys, schemas, crashes.
"""

from __future__ import annotations

from smartbrain.testing.contracts.truth_around import (
    EdgesContract,
    LedgerContract,
    UsageContract,
    WorkingContract,
)
from smartbrain.testing.contracts.truth_events import (
    CallsContract,
    EventsContract,
    RawChunksContract,
    SourcesContract,
)
from smartbrain.testing.contracts.truth_followed import (
    ChangesContract,
    FollowedContract,
)
from smartbrain.testing.contracts.truth_forgetting import ForgettingContract
from smartbrain.testing.contracts.truth_memories import (
    MemoriesContract,
    RememberingContract,
)
from smartbrain.testing.contracts.truth_memory_events import MemoryEventsContract
from smartbrain.testing.contracts.truth_recalled import RecalledContract
from smartbrain.testing.contracts.truth_transactions import Overlapping, TransactionContract


class TruthContract(
    TransactionContract,
    ChangesContract,
    EventsContract,
    CallsContract,
    RawChunksContract,
    MemoriesContract,
    EdgesContract,
    LedgerContract,
    WorkingContract,
    FollowedContract,
    RecalledContract,
    RememberingContract,
    SourcesContract,
    UsageContract,
    ForgettingContract,
    MemoryEventsContract,
):
    """The suite; a subclass says how to make the truth and how its change log is cut.

        class TestMyTruth(TruthContract):
            def make(self, tmp_path: Path) -> Truth:
                return MyTruth(tmp_path, tenant=self.tenant)

            def drop_changes(self, truth: Truth, upto: int) -> None:
                ...

    `make` is called once a test, and pytest gives each test its own `tmp_path`. A truth whose
    transactions take turns passes this; one that serves readers beside a writer passes
    `OverlappingTruthContract` too.
    """


class OverlappingTruthContract(TruthContract, Overlapping):
    """The suite for a truth whose readers and writers go on side by side."""
