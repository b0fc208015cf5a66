"""The formulas of a score, and what counts as equal.

In: counts and hits. Out: numbers that anybody can check by hand.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.search import Scored, WeightedTerm
from smartbrain.text.bm25 import (
    MOST_CLAUSES,
    TIE,
    clauses,
    length_norm,
    phrase_gain,
    ranked,
    rarity,
    rounded_length,
    saturation,
    tie_end,
    typical_length,
)


def test_the_formula_is_bm25() -> None:
    """A term in 3 of 10 documents, twice in one of average length, by hand."""
    expected = math.log(1 + (10 - 3 + 0.5) / (3 + 0.5)) * 2.2 * 2 / (2 + 1.2)
    ((_, gain),) = clauses([WeightedTerm("a")], 10, lambda _: 3)
    assert expected == pytest.approx(gain * saturation(2, length_norm(16, 16)))


def test_a_longer_document_needs_more_of_a_term() -> None:
    """Twice the typical length sets 1.75 times as much against a count."""
    assert length_norm(32, 16) == pytest.approx(1.2 * 1.75)
    assert length_norm(0, 16) == pytest.approx(1.2 * 0.25)


def test_lengths_are_exact_when_short_and_rounded_down_when_long() -> None:
    """All up to 40 are told apart, then eight to each doubling; there is no longest."""
    assert list(range(41)) == [rounded_length(length) for length in range(41)]
    rounded = [rounded_length(length) for length in (41, 42, 43, 57, 1_000, 1_000_000, 2**40)]
    assert rounded == [40, 42, 42, 56, 984, 983_064, 2_013_265_944]


@given(st.integers(0, 2**31))
def test_rounding_loses_at_most_an_eighth(length: int) -> None:
    """A rounded length is never more, and never less than seven eighths."""
    assert length * 7 / 8 <= rounded_length(length) <= length or length > 2_013_265_944


@pytest.mark.parametrize(
    ("tokens", "documents", "expected"),
    [(0, 0, 1), (0, 5, 1), (5, 5, 1), (20, 10, 2), (640, 10, 64), (900, 10, 64), (906, 10, 91)],
)
def test_the_typical_length_moves_in_half_octaves(
    tokens: int, documents: int, expected: int
) -> None:
    """It is at most the average, more than seven tenths of it, and at least 1."""
    assert expected == typical_length(tokens, documents)


def test_a_rare_term_says_more() -> None:
    """Rarity falls with every document that holds the term and never to nothing."""
    values = [rarity(100, holding) for holding in range(1, 101)]
    assert sorted(values, reverse=True) == values
    assert values[-1] > 0


def test_only_what_can_add_most_is_scored() -> None:
    """Of many terms the strongest stay; unknown ones are left out, doubles count once."""
    terms = [WeightedTerm(f"t{number:03}", 1 + number % 100) for number in range(300)]
    strongest = {one.term for one in terms if one.weight > 79} | {"t078"}
    found = clauses([*terms, WeightedTerm("none")], 1_000, lambda term: int(term != "none"))
    assert len(found) == MOST_CLAUSES
    assert strongest == {term for term, _ in found}
    doubled = clauses([WeightedTerm("a", 2.0), WeightedTerm("a", 1.0)], 10, lambda _: 1)
    assert doubled == clauses([WeightedTerm("a", 2.0)], 10, lambda _: 1)


def test_a_phrase_adds_the_rarity_of_its_words() -> None:
    """Each word once, and stop words, which nothing is ranked by, nothing."""
    holding = {"weekly": 2, "report": 5}
    gain = phrase_gain(("the", "weekly", "report", "report"), 0.5, 10, lambda t: holding.get(t, 0))
    assert 0.5 * (rarity(10, 2) + rarity(10, 5)) == pytest.approx(gain)


def test_a_phrase_of_stop_words_adds_a_little() -> None:
    """Else nothing could be told by it from what does not have it."""
    assert 0 < phrase_gain(("i", "am"), 1.0, 10, lambda _: 0) < rarity(10, 2)


def test_the_best_come_first_and_equals_by_number() -> None:
    """What differs by less than the tolerance counts as equal, in runs of any length."""
    near = [(1.0 - TIE / 2 * place, num) for place, num in enumerate((9, 2, 7, 4, 1))]
    hits = [(0.5, 3), *near, (2.0, 8), (0.5, 0)]
    assert [hit.num for hit in ranked(hits, 10)] == [8, 1, 2, 4, 7, 9, 0, 3]
    assert [hit.num for hit in ranked(hits, 3)] == [8, 1, 2]
    assert ranked([(2.0, 8)], 1) == [Scored(8, 2.0)]
    assert ranked([], 5) == []


@given(st.lists(st.tuples(st.sampled_from((0.0, 1.0, 1.0 + 1e-7, 2.5, 3.0)), st.integers(0, 99))))
def test_ranking_is_sorting_where_scores_differ_clearly(hits: list[tuple[float, int]]) -> None:
    """Rounded to what can be told apart, the order is by score, then number."""
    expected = sorted(hits, key=lambda hit: (-round(hit[0], 5), hit[1]))
    assert [num for _, num in expected] == [hit.num for hit in ranked(hits, len(hits) + 1)]


def test_a_run_of_equals_ends_at_the_first_clear_step() -> None:
    """The end is where the next score is smaller by more than the tolerance."""
    scores = [2.0, 1.0, 1.0, 1.0 - TIE / 2, 0.9]
    assert [tie_end(scores, place) for place in range(5)] == [1, 4, 4, 4, 5]
