"""Who claims about people speak of: relation words, names given later, and several of a kind (K10).

In: claims in some order of arrival. Out: the people they are gathered by, always the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from smartbrain.domain.claim import Claim, Say
from smartbrain.remember.subjects import PEOPLE, Person, gather_people
from smartbrain.text.ontology import load_ontology

pytestmark = pytest.mark.spec("K10")

START = datetime(2026, 3, 1, tzinfo=UTC)


def told(
    minute: int,
    subject: str,
    attribute: str,
    value: str,
    say: Say = Say.ASSERT,
    **more: str,
) -> Claim:
    """Return a claim about somebody, a child unless said otherwise."""
    return Claim(
        id=f"clm_{minute}_{subject}_{attribute}_{value}_{say.value}",
        group=PEOPLE,
        type="profile",
        subject=subject,
        relation=more.get("relation", "child"),
        speaker=more.get("speaker", ""),
        attribute=attribute,
        value=value,
        say=say,
        turn_id=f"turn{minute}",
        said_at=START + timedelta(minutes=minute),
    )


def gathered(claims: Sequence[Claim]) -> tuple[list[Person], list[Claim]]:
    """Return the people of claims, put into the order in which they were said."""
    return gather_people(sorted(claims, key=lambda claim: claim.order), load_ontology())


def values(claims: Sequence[Claim]) -> dict[str, list[str]]:
    """Return what is said of each person, by their keys."""
    return {one.key: [str(claim.value) for claim in one.claims] for one in gathered(claims)[0]}


@pytest.mark.parametrize("words", ["女儿", "我女儿", "闺女", "my daughter", "the kid", "孩子"])
def test_relation_words_mean_the_only_one_who_bears_the_relation(words: str) -> None:
    """In either language, and whoever named her first keeps the key."""
    claims = [told(1, "我女儿", "age", "5岁"), told(2, words, "school", "大班")]
    assert {"我女儿": ["5岁", "大班"]} == values(claims)


def test_a_name_is_the_one_that_it_was_given_to_before_or_after() -> None:
    """Nora is the daughter from the moment she is named so, and what was said before is hers."""
    claims = [
        told(1, "my daughter", "age", "8"),
        told(2, "Nora", "hobby", "chess"),
        told(3, "my daughter", "name", "Nora"),
        told(4, "the kid", "allergy", "sesame"),
    ]
    assert {"my_daughter": ["8", "chess", "Nora", "sesame"]} == values(claims)
    first = told(1, "my daughter", "name", "Nora")
    assert ["nora"] == list(values([first, *claims[1:]]))


def test_a_name_beside_the_relation_names_as_well() -> None:
    """`my wife Anna` is the wife who was only called so, and Anna from then on."""
    claims = [
        told(1, "my wife", "age", "40", relation="partner"),
        told(2, "my wife Anna", "employer", "字节", relation="partner"),
        told(3, "Anna", "home", "Rome", relation="partner"),
    ]
    assert {"my_wife": ["40", "字节", "Rome"]} == values(claims)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("my son", "my daughter", "child"),
        ("我妈", "我爸", "parent"),
        ("my brother", "my sister", "sibling"),
        ("大女儿", "小女儿", "child"),
        ("my dog", "my cat", "pet"),
        ("奶奶", "舅舅", "relative"),
    ],
)
def test_words_for_two_people_are_two_people(one: str, other: str, relation: str) -> None:
    """Of one relation there may be several, told apart by their words."""
    claims = [
        told(1, one, "age", "5", relation=relation),
        told(2, other, "age", "8", relation=relation),
        told(3, one, "home", "Leeds", relation=relation),
    ]
    assert [["5", "Leeds"], ["8"]] == list(values(claims).values())


def test_with_several_only_the_name_decides() -> None:
    """A second child arrives: what was said before stays with the first, `my kid` means nobody."""
    claims = [
        told(1, "my kid", "age", "5"),
        told(2, "my kid", "name", "Max"),
        told(3, "my son Theo", "age", "1"),
        told(4, "my kid", "education", "Brookfield"),
        told(5, "Theo", "education", "Oakwood"),
    ]
    people, unknown = gathered(claims)
    assert [["5", "Max"], ["1", "Oakwood"]] == [
        [str(claim.value) for claim in person.claims] for person in people
    ]
    assert ["Brookfield"] == [claim.value for claim in unknown]


def test_a_second_name_for_the_same_words_is_a_second_person() -> None:
    """My son Max, my son Theo: nobody is renamed by it."""
    claims = [told(1, "my son", "name", "Max"), told(2, "my son", "name", "Theo")]
    assert {"max": ["Max"], "theo": ["Theo"]} == values(claims)


def test_taking_a_name_back_parts_what_it_had_joined() -> None:
    """Both are as if the name had never been given; giving it again joins them again."""
    claims = [
        told(1, "my daughter", "age", "8"),
        told(2, "my daughter", "name", "Nora"),
        told(3, "Nora", "hobby", "chess"),
    ]
    assert {"my_daughter": ["8", "Nora", "chess"]} == values(claims)
    wrong = told(4, "my daughter", "name", "Nora", Say.WRONG)
    assert {"my_daughter": ["8", "Nora", "Nora"], "nora": ["chess"]} == values([*claims, wrong])
    again = told(5, "my daughter", "name", "Nora")
    assert ["my_daughter"] == list(values([*claims, wrong, again]))


def test_one_name_in_two_relations_is_two_people_where_it_is_said_so() -> None:
    """A bare name means the only one who has it; said with another relation it is somebody else."""
    claims = [
        told(1, "my daughter", "name", "Nora"),
        told(2, "Nora", "age", "8", relation="friend"),
        told(3, "my colleague Nora", "age", "45", relation="colleague"),
    ]
    assert {"nora": ["Nora", "8"], "nora_colleague": ["45"]} == values(claims)


def test_each_speaker_has_a_family_of_their_own() -> None:
    """My daughter is not yours; a name is the same whoever says it."""
    claims = [
        told(1, "my daughter", "age", "8", speaker="Ann"),
        told(2, "my daughter", "age", "3", speaker="Bo"),
    ]
    assert [["8"], ["3"]] == list(values(claims).values())


def test_nobody_is_called_user() -> None:
    """However somebody is named, the user's own memory is not theirs."""
    claims = [told(1, "my son", "name", "User")]
    assert ["user_child"] == list(values(claims))


def test_the_order_of_arrival_does_not_matter() -> None:
    """Whoever comes first, the same people have the same claims."""
    claims = [
        told(1, "闺女", "age", "5岁"),
        told(2, "我女儿", "name", "朵朵"),
        told(3, "朵朵", "education", "大班"),
        told(4, "儿子", "age", "2岁"),
        told(5, "孩子", "hobby", "画画"),
    ]
    expected = values(claims)
    assert 2 == len(expected)
    for order in permutations(claims):
        assert expected == values(order)
