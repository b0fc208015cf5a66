"""A clock that is set back does not turn the order of what is dated by it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from smartbrain.domain.time import SteadyClock
from smartbrain.testing.clock import START, FakeClock

HAIR = timedelta(microseconds=1)


@pytest.mark.spec("M4")
def test_a_clock_that_is_set_back_goes_on_by_a_hair() -> None:
    """Until the present has come up with it; standing still and going on are as they are."""
    clock = FakeClock()
    steady = SteadyClock(clock)
    assert [START, START] == [steady(), steady()]
    clock.advance(hours=-20)
    assert [START + HAIR, START + 2 * HAIR] == [steady(), steady()]
    clock.advance(hours=19)
    assert START + 3 * HAIR == steady()
    assert clock.advance(hours=2) == steady()


def test_a_clock_that_is_set_back_by_more_than_a_day_is_believed() -> None:
    """It was wrong before: dates go by the new present at once."""
    clock = FakeClock()
    steady = SteadyClock(clock)
    steady()
    assert clock.advance(days=-1, seconds=-1) == steady()
    assert clock.advance(seconds=1) == steady()
