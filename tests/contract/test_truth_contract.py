"""The truth on SQLite, held to the one contract of the port.

In: SqliteTruth in memory, in a file and in an encrypted file. Out: nothing if they do the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.ports.truth import Truth
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.contracts.truth import OverlappingTruthContract, TruthContract

KEY = bytes(range(32))


class Opened:
    """Opens truths and closes them after the test."""

    folder: bool = True
    key: bytes | None = None

    @pytest.fixture(autouse=True)
    def _closed_afterwards(self):
        self.opened: list[SqliteTruth] = []
        yield
        for truth in self.opened:
            truth.close()

    def make(self, tmp_path: Path) -> Truth:
        truth = SqliteTruth(
            tmp_path if self.folder else None, tenant=self.tenant, clock=FakeClock(), key=self.key
        )
        self.opened.append(truth)
        return truth

    def drop_changes(self, truth: Truth, upto: int) -> None:
        with truth.write() as transaction:
            transaction.connection.execute("DELETE FROM changes WHERE seq <= ?", (upto,))
            transaction.connection.execute("UPDATE tenant SET changes_floor = ?", (upto,))


@pytest.mark.spec("M3", "M4", "M5", "M6", "E1", "E2", "E4")
class TestTruthInMemory(Opened, TruthContract):
    folder = False


@pytest.mark.spec("M3", "M4", "M5", "M6", "E1", "E2", "E4")
class TestTruthOnDisk(Opened, OverlappingTruthContract):
    pass


@pytest.mark.spec("M3", "M4", "M5", "M6", "E1", "E2", "E4", "S8")
class TestTruthEncrypted(Opened, OverlappingTruthContract):
    key = KEY
