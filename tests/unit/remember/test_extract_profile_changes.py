"""What holds of the user since something happened in their life."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.profile_changes import find
from smartbrain.remember.extract.said import read_said

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found_in(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the changes that a message holds."""
    said = read_said(text, source=source, speaker=str(source), at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("I turned 35 today.", "age", "35"),
        ("I've just turned 40!", "age", "40"),
        ("我今天35岁了。", "age", "35岁"),
        ("我刚满18岁了，好开心", "age", "18岁"),
        ("I got promoted to senior PM last week.", "role", "senior PM"),
        ("I've been promoted to team lead, finally.", "role", "team lead"),
        ("我上个月升为产品总监了。", "role", "产品总监"),
        ("我升职了，现在是产品总监。", "role", "产品总监"),
        ("I got engaged last week.", "marital_status", "engaged"),
        ("Anna and I got married yesterday!", "marital_status", "married"),
        ("我上周结婚了。", "marital_status", "已婚"),
        ("我和小芳领证了！", "marital_status", "已婚"),
        ("我离婚了。", "marital_status", "离异"),
    ],
)
def test_a_change_is_what_holds_now(text: str, name: str, value: str) -> None:
    """It is told beside the event, and takes the place of what was known."""
    (one,) = found_in(text)
    assert [{"k": name, "v": value}] == one.value["facts"]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "I turned 30 pages.",
        "My sister got married last week.",
        "我妹妹上周结婚了。",
        "我们结婚了吗？",
        "I got married in 2015.",
        "We're getting married in May.",
        "我们5月要结婚。",
        "He got promoted to manager.",
        "If I got promoted to manager, I would move.",
        "他升职了，现在是总监。",
        *(
            "我跟你说小李结婚了",
            "我和同事聊天知道老板离婚了",
            "我结婚了的话会搬家",
            "我离婚了的朋友搬家了",
        ),
        *(
            "我去年离婚了，后来复婚了",
            "我们已经升到 Python 3.12",
            "我升到30级了",
            "我晋升为总监的申请没通过",
        ),
        *("我转岗了，现在做饭都没时间", "我去年34岁了", "我都30岁了还没结婚"),
        *("I got promoted to the second round in the tournament.", "I got promoted to Gold tier."),
        *("I was promoted to sergeant in the army when I was 20.", "We are now engaged in talks."),
        *("I got married at 22, divorced at 30.", "I got married young.", "I turned 21 on a ship."),
        "I turned 18 and moved to Berlin, that was long ago.",
    ],
)
def test_plans_questions_and_others_change_nothing(text: str) -> None:
    """What is to come, is asked, was long ago or happened to others is no change of the user's."""
    assert [] == found_in(text)


@pytest.mark.spec("C1")
def test_the_assistant_changes_nobody() -> None:
    """Nor does the event that the same words tell get lost."""
    assert [] == found_in("I turned 35 today.", Source.ASSISTANT)
    said = read_said("I got engaged yesterday.", source=Source.USER, speaker="user", at=AT)
    assert ["events", "profile"] == sorted(one.type for one in find_stated(said))
