"""The words that a text is about, in both languages."""

from __future__ import annotations

import pytest

from smartbrain.text.keywords import keywords_of


@pytest.mark.spec("R2", "M3")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does CI run on?", ("ci", "run")),
        ("Ask AJ of HR in the US", ("ask", "aj", "hr", "us")),
        ("CI", ("ci",)),
        ("CI跑在Jenkins上", ("ci", "jenkins")),
        ("我们的HR是谁", ("hr",)),
        ("OK, so IT is up at 5 PM", ()),
        ("WHAT IS IT WE DO IN GO", ()),
        ("we go as an ex do", ()),
        ("le café noir", ("café", "noir")),
    ],
)
def test_two_capitals_are_a_name(text: str, expected: tuple[str, ...]) -> None:
    """Not where all is in capitals, nor where they say nothing; and no word has Chinese in it."""
    assert expected == keywords_of(text)


@pytest.mark.spec("R2", "M3")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我的生日是五月三号。", ("生日",)),
        ("今天，明年五月", ()),
        ("奶奶的忌日和孕期", ("奶奶", "忌日", "孕期")),
    ],
)
def test_an_occasion_is_spoken_of_and_tells_no_time(text: str, expected: tuple[str, ...]) -> None:
    """A birthday is what a sentence is about; the day it is on is not."""
    assert expected == keywords_of(text)


@pytest.mark.spec("R2", "M3")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("服务器端口", {"服务器", "端口"}),
        ("服务器端口是多少", {"服务器", "端口"}),
        ("服务器的端口", {"服务器", "端口"}),
        ("客户端口味", {"客户端", "口味"}),
    ],
)
def test_words_that_are_cut_wrongly_are_there_as_well(text: str, words: set[str]) -> None:
    """What is left of a word may be the end of another one."""
    assert words <= {*keywords_of(text)}


@pytest.mark.spec("R2", "M3")
def test_a_word_that_would_leave_none_behind_stays_whole() -> None:
    """Only what makes two words is cut otherwise."""
    assert "服务器" not in keywords_of("服务器端好")
