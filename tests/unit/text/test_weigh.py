"""How often the parts of a document count.

In: documents with and without neighbours. Out: term counts.
"""

from __future__ import annotations

import pytest

from smartbrain.domain.search import Nearby, TextDocument
from smartbrain.text.query import WeighRules, weigh


def _words(first: int, count: int) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


@pytest.mark.spec("R3")
def test_without_neighbours_every_part_counts_once() -> None:
    """Text, title, entities, date and speakers add up term by term."""
    document = TextDocument(
        num=1,
        text="weekly report report",
        title="Report",
        entities=("Mei",),
        date="Monday",
        speakers=("user",),
    )
    expected = {"week": 1, "report": 3, "mei": 1, "monday": 1, "user": 1}
    assert expected == weigh(document).counts


@pytest.mark.spec("R3")
def test_own_words_count_more_than_their_neighbours() -> None:
    """With neighbours own words count three times, the next ones twice, those beyond once."""
    document = TextDocument(
        num=1,
        text="agreed",
        title="lunch",
        nearby=(Nearby("noon", 1), Nearby("agreed hungry", 2), Nearby("far", 3)),
        date="Monday",
    )
    expected = {"agre": 4, "lunch": 3, "noon": 2, "hungri": 1, "monday": 1}
    assert expected == weigh(document).counts


def test_neighbours_that_say_nothing_change_nothing() -> None:
    """A neighbour without terms, or too far away, is as none at all."""
    plain = weigh(TextDocument(num=1, text="agreed"))
    for nearby in (Nearby("the of", 1), Nearby("", 2), Nearby("words", 3), Nearby("words", 0)):
        assert plain == weigh(TextDocument(num=1, text="agreed", nearby=(nearby,)))


def test_a_neighbour_gives_only_its_first_terms() -> None:
    """Thirty terms of each at most."""
    counts = weigh(TextDocument(num=1, text="report", nearby=(Nearby(_words(0, 50), 1),))).counts
    assert counts["w29"] == 2
    assert "w30" not in counts


def test_a_text_that_is_long_enough_takes_no_more_neighbours() -> None:
    """They join until there are eighty terms: the last one that joins does so whole."""
    near = tuple(Nearby(_words(100 * number, 30), 1) for number in range(1, 5))
    counts = weigh(TextDocument(num=1, text=_words(0, 30), nearby=near)).counts
    assert {"w129", "w229"} <= counts.keys()
    assert {"w300", "w400"}.isdisjoint(counts)
    alone = weigh(TextDocument(num=1, text=_words(0, 80), nearby=near)).counts
    assert dict.fromkeys((f"w{number}" for number in range(80)), 3) == alone


def test_single_characters_count_once() -> None:
    """However often a character stands there and whatever else counts more."""
    document = TextDocument(num=1, text="花生花生", nearby=(Nearby("过敏", 1),))
    expected = {"花生": 6, "生花": 3, "过敏": 2, "花": 1, "生": 1}
    assert expected == weigh(document).counts


def test_phrases_are_of_own_words_alone() -> None:
    """Title and neighbours are not quoted from."""
    document = TextDocument(num=1, text="To be 花生", title="Lunch", nearby=(Nearby("noon", 1),))
    assert weigh(document).words == ["to", "be", "花", "生"]


def test_the_rule_can_be_changed() -> None:
    """Weights, reach and limits are one value."""
    rules = WeighRules(own=2, nearby=(1,), nearby_terms=1, enough_terms=2)
    near = (Nearby("first second", 1), Nearby("third", 1), Nearby("fourth", 2))
    counts = weigh(TextDocument(num=1, text="report", nearby=near), rules).counts
    assert counts == {"report": 2, "first": 1}


@pytest.mark.spec("R3")
def test_words_that_a_document_is_retold_in_count_if_it_lacks_them() -> None:
    """Each as much as one of its value, which stands in text, title and key; none of them twice."""
    document = TextDocument(
        num=1,
        text="server 端口: 5432",
        title="server port",
        retold="the server 端口改成 5432, 改成",
    )
    counts, words = weigh(document)
    both = {"server": 2, "port": 1, "端口": 1, "5432": 1, "口改": 3, "改成": 3}
    assert {**both, "端": 1, "口": 1, "改": 1, "成": 1} == counts
    assert "server 端 口 5432 the server 端 口 改 成 5432 改 成" == " ".join(words)
    plain = document._replace(retold="")
    assert weigh(plain) == weigh(plain._replace(retold="Server, port: 5432"))._replace(
        words=weigh(plain).words
    )
