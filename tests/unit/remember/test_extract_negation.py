"""A denial is never taken for what it denies, whatever form it is put in."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from test_extract_profile_find import FACTS

from smartbrain import SmartBrain
from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
_DO: Final = "work|live|have|own|play|speak|teach|volunteer|earn"
_WAYS: Final = tuple(
    (re.compile(shape), instead)
    for shape, instead in (
        *((r"\bI'm (?=.)", f"{one} ") for one in ("I'm not", "I am not", "I'm really not")),
        *(
            (r"\bI'm (?=.)", f"{one} ")
            for one in ("I'm never", "I was never", "I'm definitely not")
        ),
        *((r"\bI've been ", f"{one} been ") for one in ("I have not", "I've never", "I haven't")),
        *(
            (rf"\bI (?:mostly )?(?={_DO})", f"{one} ")
            for one in ("I don't", "I do not", "I don’t", "I don't actually")
        ),
        (r"\bWe have ", "We don't have "),
        (r"\bI graduated", "I never graduated"),
        (r"\bI started", "I never started"),
        *((r"^My ([\w ]+) is ", rf"My \1 {one} ") for one in ("is not", "isn't", "was never")),
        (r"\bcall me", "don't call me"),
        (r"^Name's", "Name's not"),
        (r"^(?:Just a )?(?=[A-Za-z ]+ (?:here|by trade))", "Not a "),
        (r"^我(?:最近才发现我)?是", "我不是"),
        (r"^我(?:平时|周五)?在", "我不在"),
        *((r"^我住", one) for one in ("我不住", "我没住", "我没有住", "我并不住")),
        *((r"^我有", one) for one in ("我没有", "我并没有")),
        *((r"^我养了", one) for one in ("我没养", "我没有养", "我不养")),
        (r"^我会", "我不会"),
        *((r"过敏", one) for one in ("不过敏", "没有过敏", "不会过敏", "不太过敏", "从不过敏")),
        *(
            (r"^(我|本人)(?:今年|平时)?", rf"\1{one}")
            for one in ("没", "没有", "未", "并非", "从来不")
        ),
        (r"^(我的[^是]+)是", r"\1不是"),
        (r"都叫我", "都不叫我"),
    )
)
_MORE: Final = (
    ("I'm married.", (("marital_status", "married"),)),
    ("我已婚", (("marital_status", "已婚"),)),
    ("My height is 180 cm.", (("height", "180 cm"),)),
    ("我身高180cm", (("height", "180cm"),)),
    ("My weight is 75 kg.", (("weight", "75 kg"),)),
    ("我体重75公斤", (("weight", "75公斤"),)),
)
_TWO: Final = re.compile(r" and I\b|，现在")  # what follows is another statement
TABLE: Final = sorted(
    {
        (facts[0][0], denied)
        for text, facts in (*FACTS, *_MORE)
        for shape, instead in _WAYS
        if len({name for name, _ in facts}) == 1 and not _TWO.search(text)
        if (denied := shape.sub(instead, text, count=1)) != text
    }
)


def found(text: str) -> list[Candidate]:
    """Return what all finders read in a message of the user."""
    return find_stated(read_said(text, source=Source.USER, speaker="user", at=AT))


def written(text: str) -> list[str]:
    """Return what a message would have remembered of the user, and what it would have liked."""
    told = [one for one in found(text) if one.action is CandidateAction.WRITE]
    return [str(dict(one.value)) for one in told if one.type in ("profile", "preferences")]


@pytest.mark.spec("C6")
def test_every_attribute_has_a_denial_in_the_table() -> None:
    """The table is made of the examples that tell one thing; nobody denies how long or what sex."""
    named = {name for _, facts in FACTS for name, _ in facts}
    assert named - {name for name, _ in TABLE} <= {"gender", "tenure"}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("name", "text"), TABLE)
def test_what_somebody_is_not_is_never_remembered_of_them(name: str, text: str) -> None:
    """Neither the value that is denied nor the words that deny it; when to work is a habit."""
    habit = name == "work_mode"
    assert [] == [one for one in written(text) if not (habit and "don't work" in one)]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *("I'm not 30 years old.", "I work not remotely but on site.", "Never a nurse here."),
        *("I'm not allergic to nuts, milk and eggs.", "Not a nurse by trade."),
        *("我查出没有糖尿病", "我在北京没有工作", "我在腾讯没工作过", "我在公司不做开发"),
        *("我和父母不一起住", "我还没大学毕业", "我老家不在北京", "我老家不是北京"),
        *("我不常用 vim", "我写代码不一直用 vim", "我不经常喝咖啡", "我最喜欢的不是咖啡"),
        *("我的编辑器不是 vim", "我的编辑器并非 vim", "我最喜欢的饮料不是咖啡"),
    ],
)
def test_no_form_reads_over_a_denial(text: str) -> None:
    """What stands between the speaker and the value may turn it into its opposite."""
    assert [] == written(text)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "told"),
    [("I'm a nurse, not allergic to nuts.", "nurse"), ("我是老师，不当医生", "老师")],
)
def test_what_is_so_stands_beside_what_is_not(text: str, told: str) -> None:
    """A clause that goes on about the speaker may deny something."""
    (one,) = [one for one in found(text) if one.action is CandidateAction.WRITE]
    assert [told] == [fact["v"] for fact in one.value["facts"]]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I'm really not into jazz.", "not jazz"),
        ("I'm just not fond of jazz.", "not jazz"),
        ("I do not like cilantro.", "not cilantro"),
        ("咖啡不是我的最爱", "咖啡不是我的最爱"),
        ("我对咖啡不太感兴趣", "我对咖啡不太感兴趣"),
    ],
)
def test_what_is_not_liked_is_kept_as_that(text: str, value: str) -> None:
    """A dislike is remembered, under the thing itself."""
    (one,) = found(text)
    assert value == one.value["value"]
    assert "不" not in one.value["name"]
    assert "not" not in one.value["name"]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("我对无花果过敏", "对无花果过敏"),
        ("我对不锈钢过敏", "对不锈钢过敏"),
        ("我住在不丹", "不丹"),
        ("我未婚", "未婚"),
        ("我不能吃海鲜", "不能吃海鲜"),
        ("I can't eat gluten.", "can't eat gluten"),
        ("I have no kids.", "no kids"),
    ],
)
def test_a_word_with_a_no_in_it_denies_nothing(text: str, value: str) -> None:
    """Names, diets and what somebody has none of are told as they are."""
    (one,) = found(text)
    assert [value] == [fact["v"] for fact in one.value["facts"]]


@pytest.mark.spec("C4")
def test_an_allergy_that_is_denied_is_not_said_twice(tmp_path: Path) -> None:
    """The denial takes it back."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        for text in ("I'm allergic to nuts.", "I'm not allergic to nuts."):
            brain.commit_turn("s", [{"role": "user", "content": text}])
        (one,) = brain.memories.list("profile", status=None).items
    assert ("retracted", 1) == (one.status.value, one.frequency)
