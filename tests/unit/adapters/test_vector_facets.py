"""Filters on columns must mean exactly what `IndexFilter.admits` says.

In: facets and filters as hypothesis invents them. Out: the same verdict, row by row.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.adapters.faiss.exact import ExactVectors
from smartbrain.adapters.faiss.files import REMEMBERED, FacetColumns, times_of
from smartbrain.domain.search import Facets, IndexFilter
from smartbrain.errors import UsageError

EARLY = datetime.fromisoformat("1969-12-31")
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-3.5))])
TIMES = st.none() | st.datetimes(
    min_value=EARLY, max_value=EARLY + timedelta(days=2), timezones=ZONES
)
WORDS = st.sampled_from(["", "fact", "事实", "fact/1", "fac", "F"])
LISTS = st.lists(WORDS, max_size=3).map(tuple)
FACETS = st.builds(
    Facets,
    type=WORDS,
    status=WORDS,
    layer=WORDS,
    at=TIMES,
    source=WORDS,
    language=WORDS,
    tags=LISTS,
)
FILTERS = st.builds(
    IndexFilter,
    types=LISTS,
    statuses=LISTS,
    layers=LISTS,
    since=TIMES,
    until=TIMES,
    source_prefix=st.none() | WORDS,
    languages=LISTS,
    tags=LISTS,
)


def _columns(facets: list[Facets]) -> FacetColumns:
    columns = FacetColumns()
    columns.extend(facets, times_of(facets))
    return columns


@pytest.mark.spec("R14")
@settings(max_examples=100, deadline=None)
@given(st.lists(FACETS, max_size=12), st.lists(FACETS, max_size=4), FILTERS)
def test_a_mask_is_what_the_filter_admits(
    first: list[Facets], later: list[Facets], only: IndexFilter
) -> None:
    """Asked before and after rows came, and after only some of them stay, the verdict is right."""
    columns = _columns(first)
    assert [only.admits(one) for one in first] == columns.mask(only, len(first)).tolist()
    columns.extend(later, times_of(later))
    every = [*first, *later]
    assert [only.admits(one) for one in every] == columns.mask(only, len(every)).tolist()
    assert [only.admits(one) for one in first] == columns.mask(only, len(first)).tolist()
    odd = np.arange(1, len(every), 2)
    kept = columns.subset(odd)
    assert [only.admits(one) for one in every[1::2]] == kept.mask(only, len(odd)).tolist()
    assert every[1::2] == [kept.at(row) for row in range(len(odd))]


def test_only_so_many_filters_are_remembered() -> None:
    """Filters that never come again, such as times, do not pile up."""
    columns = _columns([Facets(type="事实")] * 10)
    for number in range(3 * REMEMBERED):
        columns.mask(IndexFilter(types=(str(number),)), 10)
    assert REMEMBERED == len(columns._remembered)


def test_values_of_removed_rows_are_given_up() -> None:
    """After rows are moved together, no trace is left of a source that none of them has."""
    columns = _columns([Facets(source=f"私密/{number}", tags=("t",)) for number in range(9)])
    kept = columns.subset(np.array([3, 5]))
    assert ["私密/3", "私密/5"] == kept.sources.values


def test_a_time_without_an_offset_is_refused() -> None:
    """A time that could mean any instant is an error in a node and in a filter, not a guess."""
    naive = datetime.fromisoformat("2026-01-01")
    index = ExactVectors(2)
    with pytest.raises(UsageError) as stored:
        index.upsert([1], [[1, 0]], [Facets(at=naive)])
    assert ("bad_time", 0) == (stored.value.code, index.stats().count)
    index.upsert([1], [[1, 0]], [Facets(at=naive.replace(tzinfo=UTC))])
    with pytest.raises(UsageError) as asked:
        index.search([1, 0], k=1, only=IndexFilter(since=naive))
    assert "bad_time" == asked.value.code
