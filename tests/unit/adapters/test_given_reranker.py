"""A caller's own reranker: whatever it lets out becomes an error of ours, or scores.

In: rerankers that misbehave. Out: one kind of error, and plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from smartbrain.adapters.models.given import GivenReranker
from smartbrain.errors import AdapterError, Conflict, SmartBrainError, UsageError
from smartbrain.testing.models import ScriptedReranker

pytestmark = pytest.mark.spec("R3", "S1")
TEXTS = ["猫", "cat"]


class Own:
    """Returns or raises what a test gives it."""

    name = "own"

    def __init__(self, said: Any) -> None:
        self.said = said

    def score(self, query: str, texts: Sequence[str]) -> Any:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said

    def close(self) -> None: ...


def test_scores_of_any_number_type_are_plain_numbers() -> None:
    """Arrays, whole numbers and generators are as good as lists."""
    for said in ([1, 0.5], np.array([1, 0.5], dtype=np.float32), (x for x in (1, 0.5))):
        scores = GivenReranker(Own(said)).score("猫", TEXTS)
        assert [1.0, 0.5] == scores
        assert {float} == {type(score) for score in scores}


@pytest.mark.parametrize(
    "said",
    [
        [1.0],
        [1.0, 2.0, 3.0],
        [1.0, float("nan")],
        [1.0, float("inf")],
        [1.0, None],
        [1.0, "high"],
        None,
        3,
        RuntimeError("a\nb"),
        KeyError("x"),
        Conflict("no"),
    ],
)
def test_whatever_else_it_does_is_one_error(said: Any) -> None:
    """Of one line, which will not pass by waiting."""
    with pytest.raises(AdapterError, match=r"^the reranker failed") as caught:
        GivenReranker(Own(said)).score("猫", TEXTS)
    assert "\n" not in caught.value.message
    assert not caught.value.retryable


@pytest.mark.parametrize(
    "said", [AdapterError("busy", retryable=True), UsageError("closed", code="closed")]
)
def test_errors_of_the_port_keep_their_meaning(said: SmartBrainError) -> None:
    """An adapter error says if waiting helps, a usage error is the caller's."""
    with pytest.raises(type(said), match=said.message) as caught:
        GivenReranker(ScriptedReranker([said])).score("猫", TEXTS)
    assert said.code == caught.value.code
    assert getattr(said, "retryable", None) == getattr(caught.value, "retryable", None)


def test_one_that_cannot_say_its_name_is_refused() -> None:
    """At once, not in the middle of a recall."""

    class Nameless(Own):
        @property
        def name(self) -> str:
            raise RuntimeError("no name")

    with pytest.raises(AdapterError, match="does not say what it is"):
        GivenReranker(Nameless([]))


def test_no_texts_are_not_asked_about() -> None:
    """Nothing is called for nothing."""
    scripted = ScriptedReranker([[1.0]])
    assert [] == GivenReranker(scripted).score("猫", [])
    assert [] == scripted.asked
