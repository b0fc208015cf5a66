"""Two values of one attribute of somebody: what the later one does to the one that is known."""

from __future__ import annotations

import pytest

from smartbrain.remember.match import (
    has_many,
    is_denied,
    replaces,
    says_no_more,
)


@pytest.mark.spec("K3", "M1")
@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("allergy", True),
        ("pet", True),
        ("hobby", True),
        ("family", True),
        ("home", False),
        ("employer", False),
        ("name", False),
        ("nothing_known", False),
    ],
)
def test_the_ontology_says_how_many_values_there_are(name: str, many: bool) -> None:
    """What it does not name has one, but for a few things that can be said several times."""
    assert many == has_many(name)


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("known", "said", "takes_place"),
    [
        ("对花生过敏", "allergic to penicillin", False),
        ("a dog called Rex", "a cat called Tom", False),
        ("a dog called Rex", "another dog", False),
        ("一只橘猫", "一条狗", False),
        ("two sons", "a daughter", False),
        ("a dog", "a dog called Rex", True),
        ("two kids", "three kids", True),
        ("一个儿子", "两个儿子", True),
        ("diabetes", "type 1 diabetes", True),
        ("French", "french", True),
    ],
)
def test_more_words_or_another_number_take_the_place_of_a_value(
    known: str, said: str, takes_place: bool
) -> None:
    """A second allergy does not cure the first."""
    assert takes_place == replaces(said, known)


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("known", "said", "many", "no_more"),
    [
        ("a dog called Rex", "a dog", True, True),
        ("a dog", "a dog called Rex", True, False),
        ("French", "french", False, True),
        ("上海", "Oslo", False, False),
        ("一只橘猫", "一只橘猫", True, True),
    ],
)
def test_fewer_words_of_a_value_say_no_more(
    known: str, said: str, many: bool, no_more: bool
) -> None:
    """It is told again, and stays as it was told first."""
    assert no_more == says_no_more(said, known, many=many)


@pytest.mark.spec("C4", "K9")
@pytest.mark.parametrize(
    ("denied", "known", "many", "meant"),
    [
        ("对花生过敏", "对花生过敏", True, True),
        ("对花生过敏", "对牛奶过敏", True, False),
        ("a dog", "a dog called Rex", True, True),
        ("a dog", "a cat called Tom", True, False),
        ("猫", "一只橘猫", True, True),
        ("Google", "Stripe", False, False),
        ("Google", "谷歌", False, True),
        ("French", "日语", True, False),
    ],
)
def test_a_denial_means_what_it_names(denied: str, known: str, many: bool, meant: bool) -> None:
    """Others of the kind stand; what there is one of may be named in the other script."""
    assert meant == is_denied(denied, known, many=many)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("denied", "known", "meant"),
    [
        ("a dog", "a black dog", True),
        ("猫", "一只橘猫", True),
        ("a black dog", "a dog", False),
        ("2 dogs", "3 dogs", False),
        ("Google", "谷歌", True),
        ("Google", "腾讯", False),
    ],
)
def test_an_exact_denial_means_nothing_that_is_told_in_fewer_words(
    denied: str, known: str, meant: bool
) -> None:
    """A denied value that is named by its very words."""
    assert meant == is_denied(denied, known, many=False, exact=True)
