"""Settings that a handle may change while it is open, and those that it may not."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.bootstrap.sources import changed_settings
from smartbrain.errors import UsageError
from smartbrain.settings import load

pytestmark = pytest.mark.spec("S1")


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"recall.vector.index": "ivf_sq8"}, "recall.vector.index"),
        ({"recall": {"vector": {"index": "exact"}}}, "recall.vector.index"),
        ({"recall.vector.embedders": ["onnx:模型"]}, "recall.vector.embedders"),
        ({"recall.rerank.model": "onnx:模型"}, "recall.rerank.model"),
    ],
)
def test_what_is_read_at_opening_is_refused(values: dict[str, Any], name: str) -> None:
    """However it is written, as nothing would come of it."""
    with pytest.raises(UsageError, match=f"^{name} is fixed when a brain is opened") as caught:
        changed_settings(load(), values)
    assert caught.value.code == "config"


def test_what_is_read_by_each_call_is_changed() -> None:
    """The switch beside them takes effect; what stays as it is may be named."""
    values = {"recall.vector.enabled": False, "recall.vector.index": "auto"}
    vector = changed_settings(load(), values).rules.recall.vector
    assert (False, "auto") == (vector.enabled, vector.index)


def test_other_sections_are_refused() -> None:
    """The sentence says what can be changed."""
    with pytest.raises(UsageError, match=r"only recall\.\* and packet\.\* can"):
        changed_settings(load(), {"storage.lock_timeout_seconds": 1})
