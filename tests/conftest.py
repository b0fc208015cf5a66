"""Profiles of the test run, time and chance of every test, and what the contract suites work on.

Out: `is_full()` for tests that choose their counts by it, and Hypothesis set up accordingly: quick
by default, full for `make test-full`. A brain that a flow or a unit test opens without a clock has
a calendar of its own and ids from a seed, so that no run meets a midnight, the end of a month or a
draw of ids that no run before has met. The fixtures are made by the class of the test.
"""

from __future__ import annotations

import inspect
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

from smartbrain.bootstrap import root
from smartbrain.testing.clock import seeded
from smartbrain.testing.contracts.truth_suite import with_source

TESTS = Path(__file__).parent
_BEGUN = time.monotonic()
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
"""When time begins for a test that says nothing else: midday, midweek, in the middle of a month."""


def is_full() -> bool:
    """Tell whether the full counts and durations are asked for."""
    return os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"


settings.register_profile("quick", deadline=None, derandomize=True)
settings.register_profile("full", deadline=None, max_examples=1_000)
settings.load_profile("full" if is_full() else "quick")


@pytest.fixture(autouse=True)
def _time_and_ids(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes on as it does, from noon of one and the same day; ids follow from the test's name.

    Not where programs of their own work on the same brain: they have the machine's time.
    """
    if request.path.is_relative_to(TESTS / "flow") or request.path.is_relative_to(TESTS / "unit"):
        monkeypatch.setattr(root, "system_clock", _clock)
        seed = crc32(request.node.nodeid.encode())
        monkeypatch.setitem(root.Root.__init__.__kwdefaults__, "entropy", seeded(seed))


def _clock() -> datetime:
    return NOON + timedelta(seconds=time.monotonic() - _BEGUN)


@pytest.fixture
def _made(request, tmp_path):
    make = request.instance.make
    return make(*[tmp_path][: len(inspect.signature(make).parameters)])


@pytest.fixture
def truth(empty):
    return with_source(empty)


for _name in ("empty", "blobs", "index", "graph", "embedder", "reranker", "model", "counter"):
    globals()[_name] = pytest.fixture(name=_name)(lambda _made: _made)
