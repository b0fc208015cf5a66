"""Hypothesis strategies for records, made from the types that their fields declare.

In: a record class. Out: a strategy that builds any instance of it whose JSON form exists.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from typing import Any

from hypothesis import strategies as st

from smartbrain.domain.record import Record

TEXT = st.text(max_size=8) | st.sampled_from(["偏好：深色模式", "dark mode 深色", "🌙"])
TIMES = st.datetimes(
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(-timedelta(minutes=30))])
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    Any: JSON,
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: TEXT,
    datetime: TIMES,
    type(None): st.none(),
}


def records(cls: type[Record]) -> st.SearchStrategy[Any]:
    """Build any instance of a record class."""
    hints = typing.get_type_hints(cls)
    return st.builds(cls, **{name: values(hints[name]) for name in cls.__struct_fields__})


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Build any value of a declared type."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if origin in (types.UnionType, typing.Union):
        return st.one_of([values(option) for option in options])
    if origin is Mapping:
        return st.dictionaries(values(options[0]), values(options[1]), max_size=2)
    if origin is tuple and options[-1] is Ellipsis:
        return st.lists(values(options[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, options))
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return records(hint)
