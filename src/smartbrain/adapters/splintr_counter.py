"""Exact token counts by splintr, which carries the vocabularies of many models in itself.

In: the name of an encoding and texts. Out: how many tokens each has; marks such as
`<|endoftext|>` are text like any other. Nothing is fetched. splintr is an extra; without it, making
a counter says how to install it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from smartbrain.domain.policy import CompositionRules
from smartbrain.errors import UsageError
from smartbrain.ports.token_counter import TokenCounter
from smartbrain.text.tokens import EstimatedTokens


class SplintrCounter:
    """Counts the tokens of one encoding; threads may share it."""

    def __init__(self, name: str) -> None:
        """Load the vocabulary, which takes a tenth of a second or two."""
        self.name = name
        library = _library(name)
        try:
            self._tokenizer: Any = library.Tokenizer.from_pretrained(name)
        except ValueError:
            version = library.__version__
            raise UsageError(
                f"splintr {version} has no encoding {name!r:.60}; choose another tokenizer",
                code="config",
            ) from None

    def count(self, text: str) -> int:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return len(self._tokenizer.encode_ordinary(whole))


def _library(name: str) -> Any:
    try:
        return import_module("splintr")
    except ModuleNotFoundError:
        raise UsageError(
            f"the tokenizer {name!r:.60} needs splintr; run: pip install 'smartbrain[tokens]'",
            code="config",
        ) from None


def token_counter(rules: CompositionRules) -> TokenCounter:
    """Return the counter that the rules name: the estimate, or an exact one, loaded once."""
    estimated = EstimatedTokens()
    return estimated if rules.tokenizer == estimated.name else _exact(rules.tokenizer)


@cache
def _exact(name: str) -> SplintrCounter:
    return SplintrCounter(name)
