"""Masking and putting back: whatever was said comes back to the letter.

In: JSON values in which personal data stands anywhere, in Chinese and English. Out: the difference
that masking makes, and the value it restores after a trip through JSON.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.pii import restored
from smartbrain.remember.privacy import difference_of, masked

WORDS = st.sampled_from(
    [
        "bob@example.com",
        "13812345678",
        "打给",
        " call ",
        "[email]",
        "，",
        "x",
        "😀",
        "8.8.4.4",
        "\n",
    ]
)
TEXTS = st.lists(WORDS, max_size=6).map("".join)
VALUES = st.recursive(
    TEXTS | st.integers() | st.sampled_from([13812345678, 4111111111111111.0]) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.spec("C10")
@given(VALUES)
def test_what_was_masked_is_put_back(said: Any) -> None:
    """Names of fields and words alike; marks that somebody wrote himself stay as they are."""
    shown = masked(said)
    difference = difference_of(said, shown)
    assert (difference is None) == (shown == said)
    if difference is not None:
        again = restored(json.loads(json.dumps(shown)), json.loads(json.dumps(difference)))
        assert json.dumps(said) == json.dumps(again)


@pytest.mark.spec("C10")
def test_a_difference_holds_the_words_and_their_places_alone() -> None:
    """So a long output with one address costs a line, not a copy."""
    said = "好" * 100_000 + " bob@example.com"
    assert {"cuts": [[100_001, 7, "bob@example.com"]]} == difference_of(said, masked(said))
