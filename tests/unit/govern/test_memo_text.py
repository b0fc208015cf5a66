"""FastMemo as text: within its limit whatever it holds, and read back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.domain.policy import FastMemoRules
from smartbrain.domain.working import MemoSection
from smartbrain.govern.fastmemo import longest_bullet, memo_text, one_line, read_memo_text

line = st.text(st.sampled_from("ab 茶，。;"), min_size=1, max_size=300).filter(
    lambda text: text == " ".join(text.split()) and text != ""
)
memo = st.dictionaries(st.sampled_from(list(MemoSection)), st.lists(line, min_size=1, max_size=10))


@pytest.mark.spec("W7")
@settings(max_examples=60, deadline=None)
@given(sections=memo, limit=st.integers(100, 2000))
def test_the_text_never_passes_its_limit(
    sections: dict[MemoSection, list[str]], limit: int
) -> None:
    """It is cut where it is longest, oldest first; without a limit it reads back the same."""
    assert len(memo_text(sections, limit)) <= limit
    assert sections == read_memo_text(memo_text(sections))


@pytest.mark.spec("W7")
def test_the_newest_lines_of_the_longest_section_stay() -> None:
    """What was said long ago in the fullest section goes first."""
    text = memo_text({"user": ["茶"], "history": [f"{n} " + "很长" * 40 for n in range(5)]}, 260)
    assert "- 茶" in text
    assert "- 4 " in text
    assert "- 0 " not in text


@pytest.mark.spec("W7")
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(line, min_size=1, max_size=10))
def test_several_lines_become_one_that_fits(texts: list[str]) -> None:
    """One line, not blank, with the newest in it."""
    longest = longest_bullet(FastMemoRules())
    made = one_line(texts, longest)
    assert "\n" not in made
    assert made
    assert len(made) <= longest
