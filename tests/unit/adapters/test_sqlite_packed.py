"""Values that are stored packed: one spelling, whoever spells it (S6)."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from smartbrain.adapters.sqlite.rows import load, load_packed, packed_json, packing_words
from smartbrain.domain.memory import Status
from smartbrain.domain.record import canonical_json
from smartbrain.errors import AdapterError, UsageError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def spelled(value: Any) -> str:
    """Return the JSON that a value is packed as."""
    return zstd.decompress(packed_json(value), zstd_dict=packing_words()).decode()


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


@pytest.mark.spec("S6")
@pytest.mark.parametrize("packed", [b"", b"\x00\x00\x00", b"{}", packed_json({"a": 1})[:-1]])
def test_a_damaged_value_is_refused(packed: bytes) -> None:
    """Whatever became of it, it says what to do."""
    with pytest.raises(AdapterError, match="restore the tenant from a backup") as caught:
        load_packed(packed)
    assert caught.value.code == "corrupt"
