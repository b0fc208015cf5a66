"""What composing reads and notes in the database: turns around others, traces, times."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from flow_builders import START, assistant, fake_brain, inside, user

from smartbrain.domain.audience import pack_marks
from smartbrain.domain.job import Trace


@pytest.mark.spec("R17")
def test_turns_around_others_come_in_order_without_crossing_sessions(tmp_path: Path) -> None:
    """Each turn comes once, by session and place, with who spoke; tools are left out."""
    with fake_brain(tmp_path) as brain:
        made = [
            brain.commit_turn("a", [user(f"第{n}轮"), assistant("ok")]).turn_id for n in range(6)
        ]
        other = brain.commit_turn("b", [user("elsewhere", name="Mara")]).turn_id
        with inside(brain) as rows:
            found = rows.composed.around([made[1], made[2], other], reach=1)
    assert [*made[:4], other] == [one.turn_id for one in found]
    assert ["user", "assistant"] == [one.speaker for one in found[0].messages]
    assert ["Mara"] == [one.speaker for one in found[-1].messages]


@pytest.mark.spec("S6")
def test_old_and_surplus_traces_go(tmp_path: Path) -> None:
    """Traces of before a time go, then the oldest of those that are too many."""
    traces = [
        Trace(context_id=f"c{day}", session_id="s", created_at=START + timedelta(day), body={})
        for day in range(5)
    ]
    with (
        fake_brain(tmp_path) as brain,
        brain._lease() as tenant,
        tenant.ports.truth.write() as rows,
    ):
        for trace in traces:
            rows.working.put_trace(trace)
        assert 3 == rows.composed.prune_traces(START + timedelta(days=1), most=2, most_bytes=2**40)
        kept = [day for day in range(5) if rows.working.trace(f"c{day}")]
    assert [3, 4] == kept


@pytest.mark.spec("S6")
def test_the_time_of_the_last_look_never_goes_back(tmp_path: Path) -> None:
    """An earlier look that is written later changes nothing."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("a", [user("I live in Lisbon.")])
        memory = brain.memories.list(type="episodes").items[0].id
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            rows.composed.accessed([memory], START + timedelta(days=2))
            rows.composed.accessed([memory], START)
        assert START + timedelta(days=2) == brain.memories.get(memory).last_access


@pytest.mark.spec("C11")
def test_what_was_shown_is_told_by_context_or_by_session(tmp_path: Path) -> None:
    """A context's own marks by its id, the newest of a session without one, else none."""
    a, b, c, d = "0a000", "0000b", "c00c0", "ddddd"
    given = [("c1", "s", [b, a]), ("c2", "s", [c]), ("c3", "别的", [d])]
    with (
        fake_brain(tmp_path) as brain,
        brain._lease() as tenant,
        tenant.ports.truth.write() as rows,
    ):
        for day, (name, session, marks) in enumerate(given):
            at, body = START + timedelta(day), {"sentences": pack_marks(marks)}
            trace = Trace(context_id=name, session_id=session, created_at=at, body=body)
            rows.working.put_trace(trace)
        asked = [("s", "c1"), ("s", None), ("别的", None), ("elsewhere", "c3"), ("nobody", None)]
        found = [rows.composed.sentences(*each) for each in asked]
        assert frozenset() == rows.composed.sentences("s", "unknown")
    assert [{a, b}, {c}, {d}, {d}, set()] == found


@pytest.mark.spec("S6")
def test_a_brain_that_is_never_closed_ends_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits to be kept when the interpreter ends is lost without a word."""
    with fake_brain(tmp_path) as brain:
        brain.compose_context("s", "你好 hello")
        keeping = brain._root.composing()._kept
        monkeypatch.setattr("concurrent.futures.thread._shutdown", True)
        keeping._flush_beside()
        monkeypatch.undo()
