"""Which way tokens are counted: the estimate by default, an exact one by setting.

In: the rules of composition. Out: a token counter. An exact one is loaded once and kept, whoever
asks for it.
"""

from __future__ import annotations

from functools import cache

from smartbrain.adapters.splintr_counter import SplintrCounter
from smartbrain.domain.policy import CompositionRules
from smartbrain.ports.token_counter import TokenCounter
from smartbrain.text.tokens import EstimatedTokens


def token_counter(rules: CompositionRules) -> TokenCounter:
    """Return the counter that the rules name."""
    estimated = EstimatedTokens()
    return estimated if rules.tokenizer == estimated.name else _exact(rules.tokenizer)


@cache
def _exact(name: str) -> SplintrCounter:
    return SplintrCounter(name)
