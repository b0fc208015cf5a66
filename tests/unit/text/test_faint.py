"""Which terms of a query say too little to be found by alone, in Chinese and English (R9)."""

from __future__ import annotations

import pytest

from smartbrain.text.query import text_query


def telling(text: str) -> set[str]:
    """Return the terms that something may be found by."""
    query = text_query(text, said=True)
    return {term for term, _ in query.terms} - query.faint


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("好的，谢谢", set()),
        ("好了", set()),
        ("早上好", set()),
        ("Hello, thank you!", set()),
        ("Good morning, hello", set()),
        ("謝謝，再見", set()),
        ("我的猫呢", {"的猫", "猫呢", "猫"}),
        ("猫", {"猫"}),
        ("修好了吗", {"修好", "修"}),
        ("你好，锅炉", {"锅炉"}),
        ("Hello, the boiler broke today", {"boiler", "broke"}),
        ("good harbour", {"good", "harbour"}),
    ],
)
def test_greetings_and_bare_characters_are_faint(text: str, expected: set[str]) -> None:
    """Pairs of characters tell unless both only hold a sentence together; so do words of one."""
    assert expected == telling(text)


@pytest.mark.parametrize("text", ["谢谢，好的", "hello today"])
def test_who_searches_for_words_means_all_of_them(text: str) -> None:
    """Only what is said to somebody may hold words that ask for nothing."""
    assert frozenset() == text_query(text).faint


@pytest.mark.spec("R9", "R12")
def test_what_widens_a_message_tells_too() -> None:
    """A word of one character, and the pairs of a longer one; its characters do not."""
    query = text_query("hello cat", expansions=[("猫", 0.8), ("锅炉", 0.8)], said=True)
    assert frozenset({"hello", "锅", "炉"}) == query.faint
