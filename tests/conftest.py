"""Profiles of the test run, time and chance of every test, and what the contract suites work on.

Out: `is_full()` for tests that choose their counts by it, and Hypothesis set up accordingly: quick
by default, full for `make test-full`. A brain that is opened without a clock has a calendar of its
own and ids from a seed, so that no test meets a midnight, the end of a month or a draw of ids that
no run before has met. The fixtures are made by the class of the test.
"""

from __future__ import annotations

import inspect
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings

from smartbrain.bootstrap import root
from smartbrain.testing.clock import seeded
from smartbrain.testing.contracts.truth_suite import with_source

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
"""When every test begins that says nothing else: the middle of a day, a week and a month."""


def is_full() -> bool:
    """Tell whether the full counts and durations are asked for."""
    return os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"


settings.register_profile("quick", deadline=None, derandomize=True)
settings.register_profile("full", deadline=None, max_examples=1_000)
settings.load_profile("full" if is_full() else "quick")


@pytest.fixture(autouse=True)
def _calendar_and_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes on as it does, from noon of one and the same day; ids come from a seed."""
    begun = time.monotonic()

    def clock() -> datetime:
        return NOON + timedelta(seconds=time.monotonic() - begun)

    monkeypatch.setattr(root, "system_clock", clock)
    monkeypatch.setitem(root.Root.__init__.__kwdefaults__, "entropy", seeded(1))


@pytest.fixture
def _made(request, tmp_path):
    make = request.instance.make
    return make(*[tmp_path][: len(inspect.signature(make).parameters)])


@pytest.fixture
def truth(empty):
    return with_source(empty)


for _name in ("empty", "blobs", "index", "graph", "embedder", "reranker", "model", "counter"):
    globals()[_name] = pytest.fixture(name=_name)(lambda _made: _made)
