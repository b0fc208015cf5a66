"""How a message, its expansions and its phrases become one query.

In: texts. Out: weighted terms and phrases, never more than an index takes.
"""

from __future__ import annotations

import pytest

from smartbrain.domain.search import TextQuery, WeightedPhrase
from smartbrain.ports.text_index import LONGEST_PHRASE, check_search
from smartbrain.text.query import MOST_TERMS, text_query


@pytest.mark.spec("R12")
def test_expansions_are_weighted_clauses_of_one_query() -> None:
    """A term counts at its highest weight, whether from the message or from an expansion."""
    query = text_query("weekly report", expansions=[("report summary", 0.6), ("周报 summary", 0.8)])
    weights = dict(query.terms)
    assert weights["report"] == 1.0
    assert weights["summari"] == weights["周报"] == 0.8
    assert weights["周"] == pytest.approx(0.16)


def test_phrases_narrow_and_favour() -> None:
    """Phrases that must be there are also looked for; those that should be only count more."""
    query = text_query("plan", must=["to be 评审"], should=[("the report", 0.5)])
    assert query.must == (("to", "be", "评", "审"),)
    assert query.should == (WeightedPhrase(("the", "report"), 0.5),)
    assert {"plan", "评审", "评", "审"} == {term for term, _ in query.terms}


def test_nothing_to_look_for_is_an_empty_query() -> None:
    """Signs ask for nothing, a stop word alone neither, and phrases without words are none."""
    assert text_query("?!", must=["。"], should=[("", 1.0)]) == TextQuery()
    assert text_query("the") == TextQuery()


@pytest.mark.spec("R12")
def test_stop_words_are_looked_for_by_how_they_stand_together() -> None:
    """Where a message has nothing else, in either order, whatever widens it."""
    query = text_query("who am I?", expansions=[("profile name", 0.5)])
    pairs = [("am", "who"), ("who", "am"), ("i", "am"), ("am", "i")]
    assert pairs == [phrase.terms for phrase in query.should]
    assert () == text_query("who am I, Ann?").should
    check_search(text_query("to be or not " * 9_000), 10, None)


def test_however_long_the_texts_the_query_is_accepted() -> None:
    """Only the beginning of a megabyte is read, of phrases too."""
    text = " ".join(f"词{number}word" for number in range(100_000))
    query = text_query(text, must=[text], should=[(text, 0.5)], expansions=[(text, 0.5)])
    check_search(query, 10, None)
    assert len(query.terms) == MOST_TERMS
    assert len(query.must[0]) == LONGEST_PHRASE
