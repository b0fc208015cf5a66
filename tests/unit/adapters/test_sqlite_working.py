"""What a writer remembers of working state between transactions: only that there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock


def open_truth(folder: Path) -> SqliteTruth:
    return SqliteTruth(folder, tenant="t", clock=FakeClock())


def pins(truth: SqliteTruth) -> list[str]:
    with truth.write() as transaction:
        return [one.id for one in transaction.working.state("tenant", "pins")]


@pytest.mark.spec("W4")
def test_working_state_is_found_as_soon_as_anybody_has_written_some(tmp_path: Path) -> None:
    """That an owner had nothing is forgotten by what this handle or another one writes."""
    ours, other = open_truth(tmp_path), open_truth(tmp_path)
    assert [] == pins(ours)
    for truth, name in ((ours, "一"), (other, "two")):
        with truth.write() as transaction:
            transaction.working.put_state(builders.state_entry(name, kind="pins"))
    assert ["一", "two"] == pins(ours)
    with ours.write() as transaction:
        transaction.working.drop_state("tenant")
    assert [] == pins(other)
    ours.close()
    other.close()
