"""Texts cut and grouped for a service that limits a request by texts and by tokens.

In: texts of any length. Out: texts that fit, in groups that fit, in the same order. Tokens are
estimated, with a margin, because the tokenizer of a service is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.text.tokens import estimate_tokens

_LONGEST_TOKEN: Final = 16
"""Characters after which a token is taken to end, so that a huge text is not counted whole."""


def shortened(text: str, tokens: int) -> str:
    """Return the beginning of a text that costs at most so many tokens, by estimate."""
    text = text[: tokens * _LONGEST_TOKEN]
    while (cost := estimate_tokens(text)) > tokens and len(text) > 1:
        text = text[: min(len(text) - 1, len(text) * tokens // cost)] or text[:1]
    return text


def batches(texts: Sequence[str], most: int, tokens: int) -> Iterator[list[str]]:
    """Yield the texts in groups of at most `most` texts and `tokens` tokens; one always fits."""
    group: list[str] = []
    used = 0
    for text in texts:
        cost = estimate_tokens(text)
        if group and (len(group) == most or used + cost > tokens):
            yield group
            group, used = [], 0
        group.append(text)
        used += cost
    if group:
        yield group
