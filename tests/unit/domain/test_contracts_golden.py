"""The contracts' JSON, held byte for byte against files that programs elsewhere could have kept."""

from __future__ import annotations

from typing import Any

import pytest
from contract_examples import EXAMPLES, as_file, golden, golden_data

from smartbrain.domain.record import Record

NAMES = pytest.mark.parametrize("name", sorted(EXAMPLES))


@pytest.mark.spec("R1")
@NAMES
def test_a_contract_is_written_exactly_as_its_golden_file(name: str) -> None:
    """Names, order, spelling of times and enums, and nulls are part of the promise."""
    assert golden(name) == as_file(EXAMPLES[name])


@pytest.mark.spec("R1")
@NAMES
def test_a_golden_file_reads_back_as_the_same_contract(name: str) -> None:
    """Nothing is lost or changed on the way through JSON."""
    example = EXAMPLES[name]
    assert example == type(example).from_dict(golden_data(name))
    assert golden(name) == as_file(type(example).from_dict(golden_data(name)))


@pytest.mark.spec("R1")
@NAMES
def test_unknown_fields_are_ignored_at_every_level_of_a_contract(name: str) -> None:
    """A newer writer may add a field to any part; this reader sees what it knows."""
    example = EXAMPLES[name]
    extended = _with_unknown_fields(example, golden_data(name))
    assert "x_new" in extended
    assert example == type(example).from_dict(extended)


def _with_unknown_fields(value: Any, plain: Any) -> Any:
    """Add a field to every object that stands for a record; free-form objects keep theirs."""
    if isinstance(value, Record):
        named = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
        parts = {
            name: _with_unknown_fields(getattr(value, attribute), plain[name])
            for name, attribute in named.items()
        }
        return {"x_new": {"后来": 1}, **parts}
    if isinstance(value, tuple):
        return [_with_unknown_fields(*pair) for pair in zip(value, plain, strict=True)]
    if isinstance(value, dict):
        return {key: _with_unknown_fields(value[key], plain[key]) for key in value}
    return plain


@NAMES
def test_contracts_cannot_be_changed(name: str) -> None:
    """A contract is a value: no field can be set, none can be added."""
    example = EXAMPLES[name]
    with pytest.raises(AttributeError):
        setattr(example, example.__struct_fields__[0], "other")
    assert not hasattr(example, "__dict__")


@NAMES
def test_changing_the_json_form_leaves_the_contract_alone(name: str) -> None:
    """`to_dict` hands out a copy, free-form objects included."""
    example = EXAMPLES[name]
    _spoil(example.to_dict())
    assert golden(name) == as_file(example)


def _spoil(plain: Any) -> None:
    if isinstance(plain, dict):
        for part in plain.values():
            _spoil(part)
        plain["x_spoilt"] = True
    elif isinstance(plain, list):
        for part in plain:
            _spoil(part)
        plain.append("x_spoilt")
