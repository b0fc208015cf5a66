"""Whom the user has stopped to work for, and whom they work for since."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.profile_departures import find
from smartbrain.remember.extract.said import read_said

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found_in(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the departures that a message holds."""
    said = read_said(text, source=source, speaker=str(source), at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I left Google.", "Google"),
        ("I've just left Google last month.", "Google"),
        ("I quit my job at Bright Smiles.", "Bright Smiles"),
        ("I resigned from Siemens.", "Siemens"),
        ("I got laid off by Tern.", "Tern"),
        ("I quit my job.", ""),
        ("从腾讯离职了", "腾讯"),
        ("我从腾讯离职了。", "腾讯"),
        ("我上个月从 Google 离职了", "Google"),
        ("我离开腾讯了", "腾讯"),
        ("我被腾讯裁了", "腾讯"),
        ("我辞职了！", ""),
    ],
)
def test_who_has_left_works_there_no_more(text: str, left: str) -> None:
    """The old employer is taken back; one that is not named is whoever it is."""
    (one,) = found_in(text)
    assert CandidateAction.RETRACT is one.action
    assert [{"k": "employer", "v": left}] == one.value["facts"]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("I left Google and joined Stripe.", "Stripe"),
        ("I left Google to join Acme Rail.", "Acme Rail"),
        ("I quit my job and now work for Tern.", "Tern"),
        ("我从腾讯跳槽到阿里了", "阿里"),
        ("我从腾讯离职，加入了阿里。", "阿里"),
        ("我从 Google 离职后加入了 Stripe", "Stripe"),
    ],
)
def test_who_has_left_for_another_works_there(text: str, joined: str) -> None:
    """The new employer takes the place of the old one."""
    (one,) = found_in(text)
    assert CandidateAction.WRITE is one.action
    assert [{"k": "employer", "v": joined}] == one.value["facts"]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    "text",
    [
        "I left Google early today.",
        "I left my keys at home.",
        "I left my company laptop at home.",
        "I was fired up about it.",
        "I resigned myself to it.",
        "我离开北京了",
        "I quit my job in 2015.",
        "I want to quit my job.",
        "If I left Google, I'd travel.",
        "Did I tell you I left Google?",
        "My wife left Google.",
        "老王从腾讯离职了",
        "我老婆从腾讯离职了",
        "小李上周走了，从腾讯离职了",
        "我打算从腾讯离职",
        "我想辞职",
        "他被裁了",
    ],
)
def test_what_ends_no_employment_is_left_alone(text: str) -> None:
    """Others, plans, questions, long ago and the end of a day end nothing."""
    assert [] == found_in(text)


@pytest.mark.spec("C6")
def test_leaving_may_be_an_event_as_well() -> None:
    """It claims none of its words, so that other finders read them too."""
    said = read_said("我上个月从腾讯离职了", source=Source.USER, speaker="user", at=AT)
    assert {"profile", "events"} == {one.type for one in find_stated(said)}


@pytest.mark.spec("C1")
def test_the_assistant_ends_no_employment() -> None:
    """Only the user tells where they work."""
    assert [] == found_in("I left Google.", Source.ASSISTANT)
