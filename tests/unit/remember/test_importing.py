"""Importing turns that a history gives: what is refused, what is retried alone, what is passed on.

In: hand-made turns, among them some that no reader would give. Out: the report and the rows.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.history import HistoryProblem, HistoryTurn, ImportReport
from smartbrain.domain.ids import IdSource
from smartbrain.domain.policy import Rules
from smartbrain.domain.turn import CommitRequest, GivenTurn
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import AdapterError
from smartbrain.ports.bundle import Ports
from smartbrain.remember.import_history import importing
from smartbrain.remember.import_history.importing import import_history
from smartbrain.remember.input import read_turn_events
from smartbrain.remember.pipeline import Given
from smartbrain.remember.write_rules import WriteRules
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.clock import FakeClock, seeded

AT = datetime(2026, 3, 1, tzinfo=UTC)


def new_ports() -> Ports:
    """Return an empty tenant in memory."""
    clock = FakeClock(step=timedelta(milliseconds=1))
    truth = SqliteTruth(None, tenant="t", clock=clock)
    return Ports(truth, MemoryBlobs(), clock, IdSource(clock, seeded(1)), BUILTIN_TYPES)


def turn(key: str, text: Any, place: int = 0, **more: Any) -> HistoryTurn:
    """Return a turn of one message."""
    events = {"at": AT.isoformat(), "messages": [{"role": "user", "content": text}]}
    return HistoryTurn(
        **{"session_id": "s", "events": events, "key": key, "place": place, "total": 9, **more}
    )


def read(given: GivenTurn) -> Given:
    """Read a turn as the write path does."""
    events, ignored = read_turn_events(given.events, zone=UTC, types=BUILTIN_TYPES)
    request = CommitRequest(
        session_id=str(given.session_id),
        events=events,
        idempotency_key=str(given.idempotency_key),
    )
    return request, ignored


def run(ports: Ports, *found: HistoryTurn | HistoryProblem, **more: Any) -> ImportReport:
    """Import what a history gives."""
    return import_history(found, read=read, ports=ports, rules=WriteRules(Rules(), "rules"), **more)


def stored(ports: Ports) -> int:
    """Return how many turns there are."""
    return ports.truth.counts()["turns"]


@pytest.mark.spec("E4")
def test_one_bad_turn_of_a_batch_does_not_keep_the_others_out() -> None:
    """Its key was used for something else: only it is reported, in its place in time."""
    ports = new_ports()
    report = run(ports, turn("a", "你好"), turn("b", "one"), turn("b", "other"), turn("c", "end"))
    assert (3, 0, 1) == (report.turns, report.replayed, report.refused)
    (problem,) = report.problems
    assert problem.startswith("session 's', turn of 2026-03-01 00:00:00+00:00: the idempotency key")
    assert 3 == stored(ports)


@pytest.mark.spec("E4")
def test_a_turn_that_stands_twice_in_a_history_is_stored_once() -> None:
    """In one batch and in two; the second is counted as already there."""
    ports = new_ports()
    assert (1, 1) == counts(run(ports, turn("a", "你好"), turn("a", "你好")))
    assert (1, 1) == counts(run(ports, turn("a", "你好"), turn("b", "hello")))
    assert 2 == stored(ports)


def counts(report: ImportReport) -> tuple[int, int]:
    """Return how many turns were stored, and how many were there."""
    return report.turns, report.replayed


def test_malformed_turns_and_problems_are_reported_in_their_order() -> None:
    """Each by a sentence; a history of nothing else commits nothing and makes no progress."""
    ports = new_ports()
    told: list[tuple[int, int | None]] = []
    lost = HistoryProblem(file="h", where="line 1", message="no JSON")
    report = run(ports, lost, on_progress=lambda *now: told.append(now))
    assert (ImportReport(problems=("h: line 1: no JSON",)), []) == (report, told)
    report = run(ports, lost, turn("a", 7, 4), on_progress=lambda *now: told.append(now))
    first, second = report.problems
    assert "h: line 1: no JSON" == first
    assert second.startswith("session 's', turn of 2026-03-01T00:00:00+00:00: messages[0].content")
    assert (1, 0, [(4, 9)]) == (report.refused, stored(ports), told)


def test_progress_is_told_once_a_batch_after_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the place of the batch's last turn, when it is stored already."""
    monkeypatch.setattr(importing, "_BATCH", 2)
    ports = new_ports()
    told: list[tuple[int, int | None, int]] = []
    found = [turn(str(n), f"{n} 你好", n) for n in range(5)]
    found[4] = structs.replace(found[4], total=None)
    run(ports, *found, on_progress=lambda done, total: told.append((done, total, stored(ports))))
    assert [(1, 9, 2), (3, 9, 4), (4, None, 5)] == told


class LostDisk(MemoryBlobs):
    """Blobs whose disk fails from some call on; it counts the calls."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.calls = 0
        self._after = after

    def address(self, data: bytes) -> str:
        """Return the address, unless the disk is gone."""
        self.calls += 1
        if self.calls > self._after:
            raise AdapterError("the disk is gone", code="io_error")
        return super().address(data)


def test_a_storage_that_fails_stops_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault of a turn: nothing is tried one by one, and the batches before stay."""
    monkeypatch.setattr(importing, "_BATCH", 2)
    disk = LostDisk(after=3)
    ports = replace(new_ports(), blobs=disk)
    with pytest.raises(AdapterError, match="the disk is gone"):
        run(ports, *(turn(str(n), f"{n} 你好") for n in range(4)))
    assert (4, 2) == (disk.calls, stored(ports))
