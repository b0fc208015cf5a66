"""Runs and insights below the public calls: reading what is given, limits, writers side by side.

In: a tenant on the real database. Out: working memory that only its own run sees and that no second
writer loses.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.ids import IdSource
from smartbrain.domain.memory import Status
from smartbrain.domain.packet import PlanEntry, RunDecision
from smartbrain.domain.policy import Rules, WorkingRules
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import Conflict, UsageError
from smartbrain.govern.insights import (
    add_insight,
    insight_counts,
    insights_of,
    validate_insight,
)
from smartbrain.govern.run_row import RunRow, open_row, put_row
from smartbrain.govern.runs import end_run, get_run, read_change, read_run, start_run, update_run
from smartbrain.ports.bundle import Ports
from smartbrain.testing.clock import FakeClock, seeded

RULES = Rules()


@contextmanager
def tenant(path: Path) -> Iterator[Ports]:
    """Open a tenant with time and chance of its own."""
    clock = FakeClock(step=timedelta(seconds=1))
    with closing(SqliteTruth(path, tenant="t", clock=clock)) as truth:
        yield Ports(truth, FileBlobs(path), clock, IdSource(clock, seeded(1)), BUILTIN_TYPES)


def start(ports: Ports, **given: Any) -> str:
    """Begin a run."""
    return start_run("会话", read_change(**given), ports=ports, rules_hash="h")


def insight(ports: Ports, run: str, said: str, sure: float, rules: Rules = RULES) -> str:
    """Note an insight."""
    return add_insight(run, said, sure, ports=ports, rules=rules, rules_hash="h").id


@pytest.mark.spec("W1")
def test_reading_what_was_read_changes_nothing() -> None:
    """A stored event is read again when it is replayed: the same comes out."""
    change = read_change(
        goal=" 修好 \x00蓝牙 ",
        constraints=("不要重启", "keep\x07quiet"),
        slots={"z": {"列": [1, None, True]}, "a": None},
        plan=["看日志", PlanEntry(id="二", text="fix"), {"text": "tell", "done_when": "told"}],
        decision=RunDecision(text="换驱动", detail="old"),
    )
    assert change == read_change(**change)
    assert {"z": {"列": [1, None, True]}, "a": None} == change["slots"]
    assert ["1", "二", "3"] == [one["id"] for one in change["plan"]]
    assert "keep quiet" == change["constraints"][1]
    assert {} == read_change()


@pytest.mark.spec("W1")
def test_only_a_run_that_goes_on_has_something_in_mind(tmp_path: Path) -> None:
    """An unknown and an ended run read as nothing, and so does a name that only looks like one."""
    with tenant(tmp_path) as ports:
        run, other = start(ports, goal="一 one"), start(ports, goal="二 two")
        end_run(run, ports=ports, rules_hash="h")
        with ports.truth.read() as rows:
            found = [read_run(one, transaction=rows) for one in (run, "none", f"run:{other}")]
            goes_on = read_run(other, transaction=rows)
            with pytest.raises(Conflict):
                insights_of(open_row(run, transaction=rows), transaction=rows, now=ports.clock())
    assert [None] * 3 == found
    assert goes_on is not None
    assert "二 two" == goes_on.goal


@pytest.mark.spec("W1")
def test_slots_are_in_the_order_they_were_last_written(tmp_path: Path) -> None:
    """Those of one call by name; one that is updated is the newest, one that is gone is nowhere."""
    with tenant(tmp_path) as ports:
        run = start(ports, slots={"z 最先": 1, "m": 2, "丙": 3})
        for slots in ({"a": 4}, {"m": 5, "b 乙": None}, {"c": 6, "丙": None}, {"丙": 7}):
            update_run(run, read_change(slots=slots), ports=ports, rules_hash="h")
        with ports.truth.read() as rows:
            shown = read_run(run, transaction=rows)
    assert shown is not None
    assert [("z 最先", 1), ("a", 4), ("m", 5), ("c", 6), ("丙", 7)] == list(shown.slots.items())


@pytest.mark.spec("W1")
def test_slots_of_a_row_without_their_order_are_older(tmp_path: Path) -> None:
    """A run that an earlier version stored goes on; what is written now is behind the rest."""
    with tenant(tmp_path) as ports:
        run = start(ports, slots={"z": 1, "甲": 2, "m": 3})
        with ports.truth.write() as rows:
            stored = open_row(run, transaction=rows)
            body = {key: value for key, value in stored.to_dict().items() if key != "slot_names"}
            put_row(run, RunRow.from_dict(body), ports.clock(), transaction=rows)
        shown = update_run(run, read_change(slots={"a": 4, "m": 5}), ports=ports, rules_hash="h")
    assert ["z", "甲", "a", "m"] == list(shown.slots)


@pytest.mark.spec("W1", "E5")
def test_writers_side_by_side_lose_nothing(tmp_path: Path) -> None:
    """Eight threads add slots, decisions and insights to one run: all of them are there."""
    with tenant(tmp_path) as ports:
        run = start(ports)

        def work(name: int) -> None:
            for n in range(10):
                change = read_change(slots={f"槽 {name}.{n}": n}, decision=f"决定 {name}.{n}")
                update_run(run, change, ports=ports, rules_hash="h")
            insight(ports, run, f"假设 {name}", name / 10)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        shown = get_run(run, ports=ports)
    assert shown.working_memory is not None
    assert 80 == len(shown.working_memory.slots)
    assert 80 == len({one.text for one in shown.working_memory.decisions})
    assert [n / 10 for n in range(7, -1, -1)] == [one.confidence for one in shown.insights]


@pytest.mark.spec("W3")
def test_a_limit_that_was_lowered_holds_from_the_next_insight_on(tmp_path: Path) -> None:
    """As many go as are too many; the validated ones are memories and are not counted."""
    few = Rules(working=WorkingRules(max_insights=2))
    with tenant(tmp_path) as ports:
        run = start(ports)
        made = [insight(ports, run, f"假设 guess {n}", n / 10) for n in range(5)]
        validate_insight(made[0], by_user=True, ports=ports, rules_hash="h")
        added = add_insight(run, "新 new", 0.35, ports=ports, rules=few, rules_hash="h")
        shown = get_run(run, ports=ports)
        with ports.truth.read() as rows:
            stored = rows.memories.get(made)
            counts = insight_counts(transaction=rows)
    assert [made[1], made[2], made[3]] == [one.id for one in added.dropped]
    assert [made[4], added.id, made[0]] == [one.id for one in shown.insights]
    assert Status.ACTIVE is stored[made[0]].status
    assert (6, 1, 3) == (counts.made, counts.validated, counts.expired)


@pytest.mark.spec("W3")
@pytest.mark.parametrize("first", ["验证过的 proven", "a guess"])
def test_of_equally_sure_insights_the_oldest_goes(tmp_path: Path, first: str) -> None:
    """Ties are decided by age, so that what is noted last is there."""
    few = Rules(working=WorkingRules(max_insights=1))
    with tenant(tmp_path) as ports:
        run = start(ports)
        old = insight(ports, run, first, 0.5, few)
        new = add_insight(run, "后来的 later", 0.5, ports=ports, rules=few, rules_hash="h")
        with ports.truth.read() as rows:
            shown = insights_of(
                open_row(run, transaction=rows), transaction=rows, now=ports.clock()
            )
            explained = rows.remembering.explanations(
                str(rows.memories.get([new.id])[new.id].source_operation_id)
            )
    assert [old] == [one.id for one in new.dropped]
    assert [new.id] == [one.id for one in shown]
    told = [(one["action"], one["code"]) for one in explained[0]["retention"]]
    assert [("deferred", "unvalidated"), ("refused", "over_limit")] == told


@pytest.mark.spec("W3")
def test_a_guess_cannot_prove_a_guess(tmp_path: Path) -> None:
    """Neither itself nor another unvalidated insight is evidence; a validated one is."""
    with tenant(tmp_path) as ports:
        run = start(ports)
        one, other = insight(ports, run, "一", 0.5), insight(ports, run, "two", 0.5)
        for wrong, told in ((one, "its own evidence"), (other, "nobody has validated")):
            with pytest.raises(UsageError, match=told):
                validate_insight(one, [wrong], ports=ports, rules_hash="h")
        validate_insight(other, by_user=True, ports=ports, rules_hash="h")
        proven = validate_insight(one, [other, other], ports=ports, rules_hash="h")
    assert (Status.ACTIVE, (other,)) == (proven.status, proven.evidence_refs)
