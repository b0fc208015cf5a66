"""Values that are stored packed: one spelling, whoever spells it (S6)."""

from __future__ import annotations

import zlib
from base64 import b85decode
from datetime import UTC, datetime
from typing import Any

import pytest

from smartbrain.adapters.sqlite.rows import load, load_packed, packed_json
from smartbrain.domain.memory import Status
from smartbrain.domain.record import canonical_json
from smartbrain.errors import UsageError


def spelled(value: Any) -> str:
    """Return the JSON that a value is packed as."""
    return zlib.decompress(b85decode(load(packed_json(value)))).decode()


@pytest.mark.spec("S6")
@pytest.mark.parametrize(
    "value",
    [
        {"文": "蓝牙 “耳机”", "b": [1, 0.1, 1e-7, True, None], "a": {"\u2028": "\n\\", "": {}}},
        {"status": Status.ACTIVE, "scores": (0.25, 3)},
        {"at": datetime(2026, 1, 1, tzinfo=UTC)},
        {3: "three", "four": 4},
        [],
    ],
)
def test_a_packed_value_is_spelled_as_any_stored_one(value: Any) -> None:
    """Plain or not, it is canonical JSON, and comes back."""
    assert canonical_json(value) == spelled(value)
    assert load(canonical_json(value)) == load_packed(packed_json(value))


@pytest.mark.spec("S6")
@pytest.mark.parametrize(
    "value", [{"score": float("nan")}, {"text": "\ud800"}, {"thing": object()}]
)
def test_what_is_no_json_is_not_packed_either(value: Any) -> None:
    """The error says so in one line."""
    with pytest.raises(UsageError):
        packed_json(value)
