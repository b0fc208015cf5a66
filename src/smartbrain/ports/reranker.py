"""The reranker port: how well texts answer a question, read together by one model.

In: a question and texts. Out: a number a text. From 0 to 1 they are probabilities, beyond that all
numbers of the answer are log-odds; either way the greater one answers better. Nothing depends on a
reranker being there: without one, or when it is late, the order of recall stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, isfinite
from typing import Protocol, runtime_checkable

from smartbrain.errors import AdapterError, UsageError


@runtime_checkable
class Reranker(Protocol):
    """One model that reads a question and a text together; threads may share it."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one finite number a text, in their order; the same for the same input."""

    def close(self) -> None:
        """Let go of the model or its connections; closing again does nothing."""


def readable(text: str) -> str:
    """Return a text as every model can read it: halves of characters are joined or replaced."""
    if not text.strip():
        raise UsageError("a blank text answers nothing; leave it out")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_scores(given: Iterable[object], count: int) -> list[float]:
    """Return what a model said as numbers."""
    scores = [
        float(one) if isinstance(one, int | float) and not isinstance(one, bool) else float("nan")
        for one in given
    ]
    if len(scores) != count:
        raise AdapterError(f"it gave {len(scores)} scores for {count} texts", retryable=False)
    if not all(map(isfinite, scores)):
        raise AdapterError("a score is no finite number", retryable=False)
    return scores


def probability(log_odds: float) -> float:
    """Return log-odds as a number from 0 to 1, however large they are."""
    small = exp(-abs(log_odds))
    return 1.0 / (1.0 + small) if log_odds >= 0 else small / (1.0 + small)
