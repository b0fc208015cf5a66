"""What a new word about somebody does to what is known of them."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.remember.profile_facts import added, is_meant, left


def facts(*told: tuple[str, Any]) -> list[dict[str, Any]]:
    """Return facts of a profile."""
    return [{"k": name, "v": value} for name, value in told]


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("allergy", "对花生过敏", "allergic to penicillin"),
        ("health", "diabetes", "asthma"),
        ("health", "高血压", "糖尿病"),
        ("pet", "a dog called Rex", "a cat called Tom"),
        ("pet", "a dog called Rex", "another dog"),
        ("pet", "一只橘猫", "一条狗"),
        ("family", "two sons", "a daughter"),
        ("language", "German", "法语"),
        ("education", "学的是会计", "a degree in law"),
        ("hobby", "play chess", "play the cello"),
    ],
)
def test_what_one_can_have_several_of_is_added(name: str, known: str, said: str) -> None:
    """A second allergy does not cure the first."""
    assert facts((name, known), (name, said)) == added(facts((name, known)), facts((name, said)))


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("name", "known", "said", "stands"),
    [
        ("pet", "a dog", "a dog called Rex", "a dog called Rex"),
        ("pet", "a dog called Rex", "a dog", "a dog called Rex"),
        ("family", "two kids", "three kids", "three kids"),
        ("family", "一个儿子", "两个儿子", "两个儿子"),
        ("health", "diabetes", "type 1 diabetes", "type 1 diabetes"),
        ("language", "French", "french", "French"),
        ("employer", "Siemens", "腾讯", "腾讯"),
        ("location", "上海", "Oslo", "Oslo"),
        ("marital_status", "single", "married", "married"),
    ],
)
def test_what_is_the_same_or_there_is_one_of_is_told_once(
    name: str, known: str, said: str, stands: str
) -> None:
    """More words of the same, another number and a new value of the only one take its place."""
    assert facts((name, stands)) == added(facts((name, known)), facts((name, said)))


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("denied", "known", "meant"),
    [
        (("allergy", "对花生过敏"), ("allergy", "对花生过敏"), True),
        (("allergy", "对花生过敏"), ("allergy", "对牛奶过敏"), False),
        (("pet", "a dog"), ("pet", "a dog called Rex"), True),
        (("pet", "a dog"), ("pet", "a cat called Tom"), False),
        (("pet", "a dog"), ("family", "a dog"), False),
        (("employer", "Google"), ("employer", "Stripe"), False),
        (("employer", "Google"), ("employer", "谷歌"), True),
        (("language", "French"), ("language", "日语"), False),
        (("employer", ""), ("employer", "腾讯"), True),
        (("employer", ""), ("role", "nurse"), False),
    ],
)
def test_a_denial_means_what_it_names(
    denied: tuple[str, str], known: tuple[str, str], meant: bool
) -> None:
    """Others of the kind stand; what there is one of may be named in the other script."""
    (one,), (other,) = facts(denied), facts(known)

    assert meant == is_meant(one, other)
    assert ([] if meant else [other]) == left([other], [one])


@pytest.mark.spec("M1")
def test_there_is_an_end_to_how_many_of_a_kind_are_kept() -> None:
    """The one that was told first goes; other attributes are not touched."""
    told = facts(("name", "Ann"), *(("hobby", f"collect {letter}s") for letter in "abcdefghij"))
    more = facts(*(("hobby", f"画{letter}") for letter in "甲乙丙丁戊己庚辛壬癸子丑"))
    kept = added(told, more)

    assert told[0] == kept[0]
    assert 20 == len(kept) - 1
    assert more == kept[-len(more) :]


@pytest.mark.spec("M1", "C4")
@pytest.mark.parametrize(
    ("told", "stand"),
    [
        (["1990", "5月6号"], ["1990", "5月6号"]),
        (["May 6", "1990年出生"], ["May 6", "1990年出生"]),
        (["5月6号", "1990", "1991"], ["5月6号", "1991"]),
        (["1990", "May 6", "5月7号"], ["1990", "5月7号"]),
        (["1990", "5月6号", "1992年5月7日"], ["1992年5月7日"]),
        (["1992年5月7日", "May 6"], ["May 6"]),
        (["May 6", "May 7"], ["May 7"]),
    ],
)
def test_the_year_and_the_day_of_a_birthday_come_together(
    told: list[str], stand: list[str]
) -> None:
    """The one does not replace the other; both of them told at once replace what was told."""
    facts: list[Any] = []
    for value in told:
        facts = added(facts, [{"k": "birthday", "v": value}])
    assert stand == [fact["v"] for fact in facts]


@pytest.mark.spec("C4")
def test_who_denies_the_year_of_a_birthday_keeps_its_day() -> None:
    """A day in the other script is no year."""
    facts = [{"k": "birthday", "v": "1990"}, {"k": "birthday", "v": "5月6号"}]
    assert facts[1:] == left(facts, [{"k": "birthday", "v": "1990"}])
    assert facts[:1] == left(facts, [{"k": "birthday", "v": "May 6"}])
