"""Facts that change, change back, and are told again in another spelling or language."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain.domain.memory import Memory

_DAYS = [f"2001-05-{day:02}T10:00:00Z" for day in (7, 8, 9, 10)]


def _told(folder: Path, texts: tuple[str, ...], order: tuple[int, ...]) -> list[Memory]:
    """Commit texts, each said on its day, in some order; return all facts by their time."""
    with fake_brain(folder) as brain:
        for place in order:
            turn = {"messages": [user(texts[place])], "at": _DAYS[place]}
            brain.commit_turn("s", turn)
        found = brain.memories.list("facts", status=None).items
        assert not brain.memories.list("events", status=None).items
    return sorted(found, key=lambda one: one.said_at)


@pytest.mark.spec("C4", "C5", "M1")
@pytest.mark.parametrize("say", ["The API port is {}.", "接口端口是{}。"])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_fact_told_again_is_not_in_dispute_with_itself(
    tmp_path: Path, say: str, order: tuple[int, ...]
) -> None:
    """A, then B, then A again: A stands, and B and the first A are earlier versions."""
    texts = tuple(say.format(port) for port in (8080, 8081, 8080))
    versions = _told(tmp_path, texts, order)
    told = [(one.value["value"], str(one.status)) for one in versions]
    assert told == [("8080", "superseded"), ("8081", "superseded"), ("8080", "active")]
    ends = [one.valid_until and one.valid_until.day for one in versions]
    assert ends == [8, 9, None]


@pytest.mark.spec("C4", "C11", "M2")
@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("截止日期是6月30日。", "The deadline is June 30."), "June 30"),
        (("The deadline is June 30.", "截止日期是6月30日。"), "6月30日"),
        (("The deadline is 30 June.", "The deadline is 2001-06-30."), "2001-06-30"),
        (("The deadline is June 30.", "The deadline is 6/30."), "6/30"),
        (("The deadline is May 11.", "The deadline is Friday."), "May 11"),
        (("The Python version is 3.11.", "Python 的版本是 v3.11。"), "v3.11"),
        (("The team has 12 people.", "团队有12人。"), "12人"),
        (("The project budget is $5,000.", "项目预算是5000美元。"), "5000美元"),
        (("The retention is 30 days.", "保留期是30天。"), "30天"),
    ],
)
def test_one_value_in_two_spellings_is_one_fact(
    tmp_path: Path, texts: tuple[str, ...], value: str
) -> None:
    """It is told twice, and nothing is in dispute; what says more plainly when is kept."""
    for place, order in enumerate(((0, 1), (1, 0))):
        (fact,) = _told(tmp_path / str(place), texts, order)
        assert (value, "active", 2) == (fact.value["value"], str(fact.status), fact.frequency)


@pytest.mark.spec("C4", "C5")
@pytest.mark.parametrize(
    "texts",
    [
        ("The deadline is June 30.", "The deadline is 2002-06-30."),
        ("The Python version is 3.1.", "Python 版本是3.10。"),
        ("The retention is 30 days.", "保留期是30周。"),
    ],
)
def test_other_values_are_other_versions(tmp_path: Path, texts: tuple[str, ...]) -> None:
    """A day of another year, another version or another unit is not the same."""
    assert len(_told(tmp_path, texts, (0, 1))) == 2


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("texts", "key", "value"),
    [
        (("The deadline is June 30.", "Thanks!", "The deadline moved to July 5."),
         "fact:general:deadline", "July 5"),
        (("The deadline is June 30.", "谢谢", "截止日期改到7月5日。"),
         "fact:general:deadline", "7月5日"),
        (("截止日期是6月30日。", "谢谢", "截止时间延到下周一。"),
         "fact:general:deadline", "下周一"),
        (("The API port is 8080.", "ok", "We changed the API port to 8081."),
         "fact:API:port", "8081"),
        (("API端口是8080。", "好的", "API端口从8080改成8081了。"), "fact:API:port", "8081"),
        (("The API port is 8080.", "ok", "The API port is now 8081."), "fact:API:port", "8081"),
        (("API端口是8080。", "好的", "API端口现在是8081。"), "fact:API:port", "8081"),
        (("The standup is at 9am.", "ok", "The standup moved from 9am to 10am."),
         "fact:standup:schedule", "10am"),
        (("晨会是9点。", "好的", "晨会从9点改到10点。"), "fact:standup:schedule", "10点"),
    ],
)  # fmt: skip
def test_what_is_told_as_a_change_takes_the_place_of_the_old(
    tmp_path: Path, texts: tuple[str, ...], key: str, value: str
) -> None:
    """Whatever was said between, and in whatever order it arrives; the old is no error."""
    for place, order in enumerate(((0, 1, 2), (2, 1, 0))):
        old, new = _told(tmp_path / str(place), texts, order)
        assert (key, value, "active") == (new.key, new.value["value"], str(new.status))
        assert (key, "superseded", new.valid_since) == (old.key, str(old.status), old.valid_until)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    ["Change the API port to 8081.", "把端口改成8081", "We might push the deadline to July 5.",
     "数据截止到6月30日。", "会议改到下午3点。", "The meeting moved to 3pm.", "电影9点结束。"],
)  # fmt: skip
def test_what_is_no_change_of_a_fact(tmp_path: Path, text: str) -> None:
    """A request, a guess, an hour of whatever day."""
    assert not _told(tmp_path, (text,), (0,))


@pytest.mark.spec("C6", "M1")
@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("sprint ends Friday", "fact:sprint:end", "Friday"),
        ("The sprint ends on Friday.", "fact:sprint:end", "Friday"),
        ("冲刺周五结束", "fact:sprint:end", "周五"),
        ("本次迭代6月20日结束。", "fact:sprint:end", "6月20日"),
        ("The deadline for the report is Friday.", "fact:report:deadline", "Friday"),
        ("周五截止", "fact:general:deadline", "周五"),
        ("报名6月20日截止。", "fact:报名:deadline", "6月20日"),
        ("合同6月30日到期。", "fact:contract:expiry", "6月30日"),
    ],
)
def test_when_something_ends_is_a_fact(tmp_path: Path, text: str, key: str, value: str) -> None:
    """And no meeting on that day."""
    (fact,) = _told(tmp_path, (text,), (0,))
    assert (key, value) == (fact.key, fact.value["value"])


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("我离婚了。", [("marital_status", "离异")]),
        ("I got divorced.", [("marital_status", "divorced")]),
        ("I'm originally from a small town near Lyon in France but grew up in Paris.",
         [("hometown", "a small town near Lyon in France")]),
        ("我老家在四川成都郊区的一个小镇不过现在住北京。",
         [("hometown", "四川成都郊区的一个小镇"), ("home", "北京")]),
        ("我老家在湖南，现在住深圳。", [("hometown", "湖南"), ("home", "深圳")]),
    ],
)  # fmt: skip
def test_a_profile_is_told_once(tmp_path: Path, text: str, facts: list[tuple[str, str]]) -> None:
    """In one version, with one value for what there is one of."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        (one,) = brain.memories.history("profile:user")
    assert facts == [(fact["k"], fact["v"]) for fact in one.value["facts"]]
