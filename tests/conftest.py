"""Profiles of the test run: quick by default, full for `make test-full`.

Out: `is_full()` for tests that choose their counts by it, and Hypothesis set up accordingly.
"""

from __future__ import annotations

import os

from hypothesis import settings


def is_full() -> bool:
    """Tell whether the full counts and durations are asked for."""
    return os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"


settings.register_profile("quick", deadline=None)
settings.register_profile("full", deadline=None, max_examples=1_000)
settings.load_profile("full" if is_full() else "quick")
