"""Texts cut and grouped for a service: nothing lost, nothing reordered, no limit passed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.adapters.models.http_models import batches, shortened
from smartbrain.text.tokens import estimate_tokens

TEXTS = st.lists(st.text(st.sampled_from("ab 中文。🎉\n"), max_size=40), max_size=30)


@settings(deadline=None)
@given(texts=TEXTS, most=st.integers(1, 9), tokens=st.integers(1, 60))
def test_groups_keep_order_and_limits(texts: list[str], most: int, tokens: int) -> None:
    """All texts come out once, in order; only a text too large by itself passes the limit."""
    groups = list(batches(texts, most, tokens))
    assert texts == [text for group in groups for text in group]
    assert all(groups)
    for group in groups:
        assert len(group) <= most
        assert len(group) == 1 or sum(map(estimate_tokens, group)) <= tokens


def test_groups_are_as_large_as_allowed() -> None:
    """A group is closed only when the next text would not fit."""
    assert [3, 3, 1] == [len(group) for group in batches(["word"] * 7, 3, 1000)]
    cost = estimate_tokens("中文消息")
    assert [2, 2, 1] == [len(group) for group in batches(["中文消息"] * 5, 99, cost * 2)]


@settings(deadline=None)
@given(text=st.text(max_size=300), tokens=st.integers(1, 50))
def test_a_shortened_text_is_a_beginning_that_fits(text: str, tokens: int) -> None:
    """Whatever the script, the beginning is kept and the estimate respected."""
    short = shortened(text, tokens)
    assert text.startswith(short)
    assert estimate_tokens(short) <= tokens or len(short) == 1
    assert bool(text) == bool(short)


@pytest.mark.parametrize("text", ["a plain English sentence. ", "一个普通的中文句子。"])
def test_a_huge_text_is_cut_close_to_the_limit(text: str) -> None:
    """A text of a million characters keeps most of what may be kept."""
    cost = estimate_tokens(shortened(text * 50_000, 1_000))
    assert 500 <= cost <= 1_000


def test_a_short_text_stays_as_it_is() -> None:
    """What fits is not touched."""
    assert shortened("不变 unchanged", 100) == "不变 unchanged"


def test_a_huge_text_is_not_counted_whole() -> None:
    """Blanks cost next to nothing, so the limit on characters is what ends them."""
    assert len(shortened("x" + " " * 1_000_000, 10)) == 160
