"""Any contract that can be built survives JSON, whatever stands in its fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from contract_examples import EXAMPLES
from contract_strategies import records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartbrain.domain.record import Record, canonical_json

CONTRACTS = sorted((type(example) for example in EXAMPLES.values()), key=lambda cls: cls.__name__)


@pytest.mark.spec("R1")
@pytest.mark.parametrize("cls", CONTRACTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_contract_survives_the_round_trip(cls: type[Record], data: Any) -> None:
    """Text and back gives an equal contract in the same spelling."""
    record = data.draw(records(cls))
    text = canonical_json(record)
    back = cls.from_dict(json.loads(text))
    assert record == back
    assert text == canonical_json(back)
    assert list(record.to_dict()) == list(back.to_dict())
