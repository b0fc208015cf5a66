"""Every token counter, held to the one contract of the port; the exact ones where they can run."""

from __future__ import annotations

from functools import cache

import pytest

from smartbrain.adapters.splintr_counter import SplintrCounter
from smartbrain.domain.policy import CompositionRules
from smartbrain.ports.token_counter import TokenCounter
from smartbrain.testing.contracts.models import TEXTS, TokenCounterContract
from smartbrain.text.tokens import EstimatedTokens

pytestmark = pytest.mark.spec("R16")
exact_counter = cache(SplintrCounter)
"""The counter of an encoding, loaded once."""


class TestEstimatedTokens(TokenCounterContract):
    def make(self) -> TokenCounter:
        return EstimatedTokens()


class TestO200k(TokenCounterContract):
    encoding = "o200k_base"

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("splintr")

    def make(self) -> TokenCounter:
        return exact_counter(self.encoding)


class TestCl100k(TestO200k):
    encoding = "cl100k_base"


class TestQwen(TestO200k):
    encoding = "qwen3"


def test_known_texts_have_their_known_counts() -> None:
    """As the provider's own tokenizer counts them."""
    pytest.importorskip("splintr")
    counter = exact_counter("o200k_base")
    assert [2, 2, 7] == [
        counter.count(text) for text in ("hello world", "你好世界", "<|endoftext|>")
    ]


def test_the_estimate_is_not_below_the_truth() -> None:
    """With its margin it covers what the texts of every kind cost in o200k."""
    pytest.importorskip("splintr")
    exact, estimated = exact_counter("o200k_base"), EstimatedTokens()
    low = [text for text in TEXTS[:5] if estimated.count(text) < exact.count(text)]
    assert [] == low


def test_every_encoding_that_can_be_chosen_is_there() -> None:
    """No choice of the setting fails once the extra is installed."""
    pytest.importorskip("splintr")
    meta = CompositionRules.__dataclass_fields__["tokenizer"].metadata
    encodings = [name for name in meta["choices"] if name != "heuristic"]
    assert all(exact_counter(name).count("你好 world") in range(2, 8) for name in encodings)
