"""The circuit breaker on a clock that the test moves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from smartbrain.adapters.models.http_models import CircuitBreaker

pytestmark = pytest.mark.spec("R4")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock, failures: int = 3) -> CircuitBreaker:
    breaker = CircuitBreaker(failures, pause=10.0, clock=clock)
    for _ in range(failures):
        assert breaker.wait() == 0.0
        breaker.failed()
    return breaker


def test_it_opens_after_so_many_failures_in_a_row() -> None:
    """Up to the limit calls go through; then they have to wait for the whole pause."""
    breaker = opened(Clock())
    assert breaker.is_open
    assert breaker.wait() == 10.0


def test_a_success_starts_the_count_anew() -> None:
    """Failures with successes between them never open it."""
    breaker = CircuitBreaker(2, pause=10.0, clock=Clock())
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    breaker.failed()
    assert (breaker.is_open, breaker.wait()) == (False, 0.0)


def test_after_the_pause_one_caller_tries() -> None:
    """The first to ask goes through; the others wait until it is known how that ended."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 9.0
    assert breaker.wait() == 1.0
    clock.now += 1.0
    assert [0.0, 10.0, 10.0] == [breaker.wait() for _ in range(3)]


def test_a_good_trial_closes_it() -> None:
    """One success lets everybody through."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    breaker.wait()
    breaker.succeeded()
    assert [0.0, 0.0] == [breaker.wait() for _ in range(2)]


def test_a_failed_trial_begins_a_new_pause() -> None:
    """The pause counts from the failure of the trial, not from its start."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    breaker.wait()
    clock.now += 4.0
    breaker.failed()
    assert breaker.wait() == 10.0


def test_a_trial_that_never_ends_blocks_nobody_for_good() -> None:
    """If the trying thread died, another tries a pause later."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    breaker.wait()
    clock.now += 10.0
    assert breaker.wait() == 0.0


def test_of_many_threads_one_tries() -> None:
    """Threads that ask at the same moment do not all fall upon the service."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10.0
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: breaker.wait(), range(64)))
    assert waits.count(0.0) == 1
