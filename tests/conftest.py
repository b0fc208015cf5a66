"""Profiles of the test run, and what the contract suites work on.

Out: `is_full()` for tests that choose their counts by it, and Hypothesis set up accordingly: quick
by default, full for `make test-full`. The fixtures are made by the class of the test.
"""

from __future__ import annotations

import inspect
import os

import pytest
from hypothesis import settings

from smartbrain.testing.contracts.truth_suite import with_source


def is_full() -> bool:
    """Tell whether the full counts and durations are asked for."""
    return os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"


settings.register_profile("quick", deadline=None)
settings.register_profile("full", deadline=None, max_examples=1_000)
settings.load_profile("full" if is_full() else "quick")


@pytest.fixture
def _made(request, tmp_path):
    make = request.instance.make
    return make(*[tmp_path][: len(inspect.signature(make).parameters)])


@pytest.fixture
def truth(empty):
    return with_source(empty)


for _name in ("empty", "blobs", "index", "graph", "embedder", "reranker", "model", "counter"):
    globals()[_name] = pytest.fixture(name=_name)(lambda _made: _made)
