"""What holds for the terms of any text at all.

In: random strings, control characters and lone surrogates among them. Out: terms that an index can
take, the same ones every time, and quickly.
"""

from __future__ import annotations

from itertools import pairwise
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.text import tokenise
from smartbrain.text.query import cut_lines
from smartbrain.text.tokenise import (
    LONGEST,
    cut_text,
    index_terms,
    phrase_terms,
    query_terms,
)
from smartbrain.text.word_list import STOP_WORDS

anything = st.text(st.characters(), max_size=60)
STOPPED = frozenset(term for word in STOP_WORDS for term in phrase_terms(word))
words = st.text("abcXYZ019_-./:=@'#+ 评审会茶한ก👍", max_size=60)


@given(anything | words)
def test_terms_can_be_written_and_told_apart(text: str) -> None:
    """A term is not empty, has no blanks or controls, is UTF-8 of at most 100 bytes."""
    terms = {*index_terms(text), *phrase_terms(text), *cut_text(text).singles}
    for term in terms | {term for term, _ in query_terms(text)}:
        assert term
        assert not any(one.isspace() or ord(one) < 32 for one in term)
        assert len(term.encode()) <= LONGEST


@given(anything | words)
def test_a_text_is_found_by_itself(text: str) -> None:
    """Whatever a query asks for is among the terms that its text is indexed by."""
    indexed = {*index_terms(text), *cut_text(text).singles}
    assert {term for term, _ in query_terms(text)} == indexed


@given(anything | words)
def test_ranked_words_of_a_phrase_are_indexed(text: str) -> None:
    """A word of a phrase is among the indexed terms unless it is a stop word."""
    indexed = {*index_terms(text), *cut_text(text).singles}
    for word in phrase_terms(text):
        assert word in indexed or word in STOPPED or index_terms(word) == []


@given(st.lists(anything | words, max_size=3))
def test_no_term_reaches_over_the_end_of_a_line(lines: list[str]) -> None:
    """Lines cut one by one give what the whole text gives."""
    text = "\n".join(lines)
    assert cut_text(text) == cut_lines(text)


@given(words)
def test_remembering_changes_nothing(text: str) -> None:
    """The terms are the same the first time and when every piece is known already."""
    for known in (tokenise._known_stems, tokenise._known_cuts, tokenise._known_weights):
        known.clear()
    first = index_terms(text), phrase_terms(text), query_terms(text)
    assert first == (index_terms(text), phrase_terms(text), query_terms(text))


@given(st.lists(st.sampled_from(("report", "评审会", "v1.2", "👍", "the")), max_size=8))
def test_weights_are_between_nothing_and_one(parts: list[str]) -> None:
    """Every weight is positive and at most 1, and no term comes twice."""
    terms = query_terms(" ".join(parts))
    assert all(0 < weight <= 1 for _, weight in terms)
    assert all(one != other for one, other in pairwise(sorted(term for term, _ in terms)))


@pytest.mark.parametrize(
    "piece", ["a'", "a.", "1,", "_a", "評", "a\u0301", "A", "aB", "=", "://", "👍", "\u200b", "C#"]
)
def test_no_text_is_slow(piece: str) -> None:
    """A hundred thousand repetitions of anything take time in proportion, not in its square."""
    start = thread_time()
    index_terms(piece * 100_000)
    phrase_terms(piece * 100_000)
    assert thread_time() - start < 5
