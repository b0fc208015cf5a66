"""What a sentence tells by its words, and the first sentences of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.text.sentences import first_sentences
from smartbrain.text.telling import asks, decides, instructs, is_exact


@pytest.mark.parametrize(
    "text", ["Never push to main", "以后都用中文", "请叫我小李", "make sure of it"]
)
def test_instructions_are_told_by_their_words(text: str) -> None:
    """They say how things are to be done."""
    assert instructs(text)
    assert not decides(text)


@pytest.mark.parametrize(
    "text", ["We decided on Redis", "就用第二个方案", "deadline is Friday", "敲定了"]
)
def test_decisions_are_told_by_their_words(text: str) -> None:
    """They settle something."""
    assert decides(text)
    assert not instructs(text)


@pytest.mark.parametrize("text", ["I like tea", "别的都行", "天气不错", "undecided weather"])
def test_chat_is_neither(text: str) -> None:
    """Words that only look alike do not count."""
    assert not instructs(text)
    assert not decides(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("预算 4800", True),
        ("三点见", True),
        ("see src/app", True),
        ("snake_case", True),
        ("嗯", False),
    ],
)
def test_figures_and_names_are_exact(text: str, expected: bool) -> None:
    """Only the words themselves give them."""
    assert expected is is_exact(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("好吗？", True),
        ("你呢", True),
        ("really?!", True),
        ("really? ...", True),
        ("好吗～", True),
        ("好的。", False),
        ("吗啡", False),
        ("?" * 50_000 + "a", False),
        ("!?!", True),
        ("", False),
    ],
)
def test_questions_end_as_questions(text: str, expected: bool) -> None:
    """By their mark or their last word."""
    assert expected is asks(text)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("一句。两句。三句很长很长。", 8, "一句。两句。"),
        ("One is here. Two is here. Three.", 26, "One is here. Two is here."),
        ("  whole \n", 20, "whole"),
        ("a line\nanother line", 12, "a line"),
        ("一个没有句号的很长的句子", 6, "一个没有句…"),
        ("One is here and goes on", 11, "One is…"),
        ("One is here. And goes on", 12, "One is here."),
        ("anything", 0, ""),
    ],
)
def test_the_first_sentences_fit(text: str, limit: int, expected: str) -> None:
    """Whole sentences as long as there is room, else the beginning of the first one."""
    assert expected == first_sentences(text, limit)


@given(text=st.text(max_size=300), limit=st.integers(0, 120))
def test_first_sentences_are_never_too_long(text: str, limit: int) -> None:
    """Whatever the text, it is within the limit and begins as the text does."""
    shown = first_sentences(text, limit)
    assert len(shown) <= limit
    assert text.strip().startswith(shown.removesuffix("…").rstrip())
