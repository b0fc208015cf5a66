"""Records of every kind, made at random from the types of their fields.

In: a kind of record, and what is known of it. Out: strategies of Hypothesis, and a truth in memory
that holds what the records lead to.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, replace

from conftest import is_full
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.claim import ClaimStatus
from smartbrain.domain.memory import Span
from smartbrain.testing import builders
from smartbrain.testing.clock import START, FakeClock
from smartbrain.testing.contracts.truth_suite import with_source

CHUNKS = tuple(map(builders.raw_chunk, ("第一段。", "second part", "第三 part 😀", "")))
ENDS = (builders.memory("fact:左:一"), builders.memory("fact:right:two"))
TENANT = "租户 tenant"
MANY = settings(max_examples=500 if is_full() else 40, deadline=None)
COUNTING = (ClaimStatus.COUNTED, ClaimStatus.CANDIDATE)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.builds(
    lambda micros, zone: (START + timedelta(microseconds=micros)).astimezone(zone),
    st.integers(-(2**50), 2**50),
    zones,
)
PLAIN: dict[object, st.SearchStrategy[Any]] = {
    str: texts,
    bool: st.booleans(),
    int: st.integers(0, 2**40),
    float: st.floats(0, 1),
    bytes: st.binary(max_size=20),
    datetime: instants,
    Any: json_values,
    NoneType: st.none(),
    Span: st.sampled_from([Span(one.id, 0, one.length) for one in CHUNKS]),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return what a field of a type may hold."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([values_of(part) for part in parts])
    if origin is tuple:
        return st.lists(values_of(parts[0]), max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(texts, values_of(parts[1]), max_size=3)
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return records_of(hint)


def records_of(kind: type[Struct], /, **known: Any) -> st.SearchStrategy[Any]:
    """Return records of a kind; what is `known` of them is a value, or what gives one."""
    hints = get_type_hints(kind)
    given = {
        one.name: known[one.name] if one.name in known else values_of(hints[one.name])
        for one in fields(kind)
    }
    made = {
        name: one if isinstance(one, st.SearchStrategy) else st.just(one)
        for name, one in given.items()
    }
    return st.builds(kind, **made)


def numbered(records: list[Any], name: str = "id") -> list[Any]:
    """Return records with ids of their own."""
    return [replace(one, **{name: f"{place}-名"}) for place, one in enumerate(records)]


def new_truth() -> SqliteTruth:
    """Return a truth in memory that holds the chunks and two memories."""
    truth = with_source(SqliteTruth(None, tenant=TENANT, clock=FakeClock()))
    with truth.write() as transaction:
        transaction.raw.hold(CHUNKS)
        transaction.memories.add(ENDS)
    return truth
