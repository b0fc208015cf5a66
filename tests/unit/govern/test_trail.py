"""The trail below the public calls: any list of changes can be undone to any point, exactly.

In: random lists put in the place of each other. Out: what each rollback brings back.
"""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.errors import NotFound
from smartbrain.govern.trail import Act, Place, put_entries, read_sheet, roll_back, trail_of
from smartbrain.testing.clock import START, FakeClock

PLACE = Place("plan", "会话")
entry = st.fixed_dictionaries({"id": st.sampled_from("123二"), "text": st.sampled_from("ab")})
lists = st.lists(st.lists(entry, max_size=5), min_size=1, max_size=8)


@pytest.mark.spec("W4", "W5")
@settings(max_examples=30, deadline=None)
@given(states=lists, data=st.data())
def test_any_earlier_state_comes_back_exactly(
    states: list[list[dict[str, str]]], data: st.DataObject
) -> None:
    """Whatever was put in, the entries after change n are the entries after a rollback to n."""
    with closing(SqliteTruth(None, tenant="t", clock=FakeClock())) as truth:
        after = [()]
        for n, state in enumerate(states):
            with truth.write() as rows:
                act = Act(START + timedelta(minutes=n), "user", "test")
                sheet = put_entries(PLACE, read_sheet(PLACE, rows=rows), state, act, rows=rows)
            if len(after) <= sheet.number:
                after.append(sheet.entries)
        for _ in range(3):
            number = data.draw(st.integers(0, len(after) - 1))
            with truth.write() as rows:
                act = Act(START + timedelta(days=1), "user", "back")
                sheet = roll_back(PLACE, number, act, rows=rows)
            assert after[number] == sheet.entries
            if len(after) <= sheet.number:
                after.append(sheet.entries)
            with truth.read() as rows:
                assert sheet == read_sheet(PLACE, rows=rows)
                assert sheet.number == len(trail_of(PLACE, limit=100, rows=rows))


@pytest.mark.spec("W4")
def test_a_number_is_never_given_twice() -> None:
    """After a removal and after a rollback, the next free number goes on."""
    act = Act(START, "user", "test")
    with closing(SqliteTruth(None, tenant="t", clock=FakeClock())) as truth, truth.write() as rows:
        sheet = put_entries(PLACE, read_sheet(PLACE, rows=rows), [{"id": "7"}], act, rows=rows)
        sheet = put_entries(PLACE, sheet, [], act, rows=rows)
        assert 8 == sheet.next
        assert 8 == roll_back(PLACE, 0, act, rows=rows).next


@pytest.mark.spec("W4")
def test_a_trail_that_was_cut_is_told_of() -> None:
    """A state whose changes are not all there any more does not come back by half."""
    act = Act(START, "user", "test")
    with closing(SqliteTruth(None, tenant="t", clock=FakeClock())) as truth:
        with truth.write() as rows:
            sheet = read_sheet(PLACE, rows=rows)
            for text in "abc":
                sheet = put_entries(PLACE, sheet, [{"id": "1", "text": text}], act, rows=rows)
            connection = rows.working._connection
            connection.execute("DELETE FROM audit WHERE num = 2")
            with pytest.raises(NotFound, match="does not reach back") as refused:
                roll_back(PLACE, 1, act, rows=rows)
        assert "gone" == refused.value.code
