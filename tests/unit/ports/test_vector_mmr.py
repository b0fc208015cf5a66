"""Maximal marginal relevance: near to the question, and not all the same.

In: scored candidates with their vectors. Out: an order that a loop written from the definition
gives too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from smartbrain.domain.search import Scored
from smartbrain.errors import UsageError
from smartbrain.ports.vector_index import mmr


def _units(rows: Any) -> Any:
    array = np.array(rows, dtype=np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def _by_definition(candidates: list[Scored], vectors: Any, k: int, lambda_: float) -> list[Scored]:
    left = list(range(len(candidates)))
    similar = (vectors @ vectors.T).round(6).tolist()
    chosen: list[int] = []
    while left and len(chosen) < k:

        def worth(one: int) -> tuple[float, float, int]:
            near = max((similar[one][other] for other in chosen), default=0.0)
            score, num = candidates[one].score, candidates[one].num
            return lambda_ * score - (1 - lambda_) * near, score, -num

        best = max(left, key=worth)
        left.remove(best)
        chosen.append(best)
    return [candidates[one] for one in chosen]


@pytest.mark.spec("R3")
def test_a_repetition_gives_way_to_something_else() -> None:
    """The second best that says the same as the best comes after a worse one that does not."""
    candidates = [Scored(1, 0.9), Scored(2, 0.89), Scored(3, 0.6)]
    vectors = _units([[1, 0], [1, 0.01], [0, 1]])
    assert [1, 3, 2] == [one.num for one in mmr(candidates, vectors, 3)]
    assert [1, 2, 3] == [one.num for one in mmr(candidates, vectors, 3, lambda_=1.0)]


@pytest.mark.spec("R3")
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.7, 1.0])
def test_the_order_is_that_of_the_definition(lambda_: float) -> None:
    """On random candidates, every choice is the best of what is left."""
    random = np.random.default_rng(2)
    vectors = _units(random.standard_normal((40, 6)))
    candidates = [Scored(int(n), float(s)) for n, s in enumerate(random.random(40).round(2))]
    for k in (0, 1, 7, 40, 99):
        assert _by_definition(candidates, vectors, k, lambda_) == mmr(
            candidates, vectors, k, lambda_
        )


def test_equal_candidates_go_by_number_in_any_order_given() -> None:
    """Of the same score and vector, the lower number is chosen first."""
    candidates = [Scored(num, 0.5) for num in (9, 3, 7, 1)]
    vectors = _units([[1, 2, 3]] * 4)
    assert [1, 3, 7, 9] == [one.num for one in mmr(candidates, vectors, 4)]
    assert [1, 3] == [one.num for one in mmr(candidates[::-1], vectors, 2)]


def test_nothing_comes_of_nothing() -> None:
    """Without candidates there is nothing to choose."""
    assert [] == mmr([], np.zeros((0, 3), dtype=np.float32), 5)


@pytest.mark.parametrize(
    ("rows", "k", "lambda_"), [(1, 1, 0.7), (2, -1, 0.7), (2, 1, -0.1), (2, 1, 1.1)]
)
def test_arguments_out_of_range_are_refused(rows: int, k: int, lambda_: float) -> None:
    """Another number of vectors, a negative count and a share beyond 0 to 1 are errors."""
    vectors = np.ones((rows, 2), dtype=np.float32)
    with pytest.raises(UsageError) as caught:
        mmr([Scored(1, 0.5), Scored(2, 0.4)], vectors, k, lambda_)
    assert "bad_value" == caught.value.code
