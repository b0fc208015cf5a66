"""Cutting Chinese text into tagged words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.text.segment import tag


@pytest.mark.spec("C7")
def test_words_come_with_their_tags() -> None:
    """A sentence is cut into words, each with its part of speech."""
    assert [("妈妈", "n"), ("在", "p"), ("厨房", "n"), ("做饭", "v")] == tag("妈妈在厨房做饭")


def test_nothing_has_no_words() -> None:
    """An empty text gives no words."""
    assert [] == tag("")


def test_the_answer_is_the_callers_own() -> None:
    """Changing an answer does not change the next one."""
    tag("小明在公园").clear()
    assert "小明" == tag("小明在公园")[0][0]


@given(st.text(alphabet=st.characters(), max_size=60))
def test_the_words_put_together_are_the_text(text: str) -> None:
    """No character is lost or changed, whatever the text holds."""
    assert text == "".join(word for word, _ in tag(text))


def test_half_a_character_is_kept() -> None:
    """A lone surrogate, which no UTF-8 can hold, does no harm."""
    assert "小明\ud800在" == "".join(word for word, _ in tag("小明\ud800在"))


def test_several_threads_may_cut_at_once() -> None:
    """Many threads get what one would get."""
    texts = [f"第{number}次我们在上海开会" for number in range(200)]
    expected = [tag(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert expected == list(pool.map(tag, texts))
