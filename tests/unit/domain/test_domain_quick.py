"""Frozen dataclasses that are made and copied quickly behave as the slow ones do."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, dataclass, field
from dataclasses import replace as slowly
from typing import Any

import pytest

from smartbrain.domain.quick import quick, replace


def _classes() -> tuple[Any, Any]:
    """Return one class twice, made quickly and as `dataclasses` makes it."""

    def declared() -> Any:
        @dataclass(frozen=True, slots=True)
        class Part:
            name: str
            size: int = 3
            held: Mapping[str, int] = field(default_factory=dict)
            owner: str = field(default="我", kw_only=True)

        return Part

    return quick(declared()), declared()


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    ("given", "named"),
    [(("a",), {}), (("名", 4), {"owner": "b"}), ((), {"name": "a", "held": {"x": 1}})],
)
def test_a_quick_class_takes_what_the_slow_one_takes(
    given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    fast, slow = _classes()
    for _ in range(2):  # the first one works out how the others are made
        one, other = fast(*given, **named), slow(*given, **named)
        assert type(one) is fast
        assert (one.name, one.size, one.held, one.owner) == (
            *(other.name, other.size, other.held, other.owner),
        )
        assert one == fast(*given, **named) == copy(one) == deepcopy(one)
        assert repr(one) == repr(other)


@pytest.mark.spec("M3")
def test_a_quick_record_is_frozen() -> None:
    fast, _ = _classes()
    for record in (fast("a"), replace(fast("a"), size=9)):
        with pytest.raises(FrozenInstanceError):
            record.name = "b"
        with pytest.raises(FrozenInstanceError):
            del record.name


@pytest.mark.spec("M3")
def test_what_a_quick_class_lacks_is_told_as_by_the_slow_one() -> None:
    fast, slow = _classes()
    assert inspect.signature(fast) == inspect.signature(slow)
    for kind in (fast, slow):
        with pytest.raises(TypeError, match=r"Part\.__init__\(\) missing .* 'name'"):
            kind()
        with pytest.raises(TypeError, match="'colour'"):
            kind("a", colour=1)
    assert inspect.signature(fast("a").__class__).parameters.keys() == {
        *("name", "size", "held", "owner"),
    }


@pytest.mark.spec("M3")
def test_a_copy_has_other_values_in_some_fields() -> None:
    fast, slow = _classes()
    for kind in (fast, slow):  # one that is made slowly is copied as well
        record = kind("a", held={"x": 1})
        other = replace(record, name="b", owner="c")
        assert other == slowly(record, name="b", owner="c")
        assert type(other) is kind
        assert record == kind("a", held={"x": 1})
        with pytest.raises(AttributeError):
            replace(record, colour=1)


@pytest.mark.spec("M3")
def test_two_records_share_no_default_that_is_made_for_each() -> None:
    fast, _ = _classes()
    assert fast("a").held is not fast("b").held


@pytest.mark.spec("M3")
def test_a_class_made_of_a_quick_one_stays_what_it_is() -> None:
    fast, _ = _classes()

    class Special(fast):
        __slots__ = ()

    for _ in range(2):
        assert (Special, "甲") == (type(one := Special("甲")), one.name)
        assert Special is type(replace(one, name="乙"))
