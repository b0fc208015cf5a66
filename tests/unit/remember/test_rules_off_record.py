"""What the user asks not to remember is found, with the words that it is about (K12)."""

from __future__ import annotations

import pytest
from rule_rows import load_rows, read_user

from smartbrain.remember.rules.forms import (
    asks_about_previous,
    find_off_record_words,
    is_off_record,
)


@pytest.mark.spec("C1", "K12")
def test_requests_not_to_remember_are_found() -> None:
    """With words of their own, alone for the turn before, and not where nothing is asked."""
    for row in load_rows("off_record"):
        said = read_user(row["text"])
        words = "".join(find_off_record_words(one, said) for one in said.sentences)
        expected = (row["words"], row["kind"] == "off", row["kind"] == "alone")
        assert expected == (words, is_off_record(said), asks_about_previous(said)), row["text"]


@pytest.mark.spec("C1", "K12")
@pytest.mark.parametrize(
    "text", ["别记这个。我在云雀公司上班。", "Don't note this. I live in Rome."]
)
def test_the_sentence_after_a_request_is_off_the_record(text: str) -> None:
    """A request that says nothing else is about what follows it."""
    said = read_user(text)
    last = said.sentences[-1]
    assert last.text == find_off_record_words(last, said)
    assert is_off_record(said)
