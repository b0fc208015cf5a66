"""Corrections: what the user takes back, and what is true instead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import corrections
from smartbrain.remember.extract.said import Earlier, read_said

CORRECTING = (
    "no actually not the gate code is 5 it's correction: , . 不对 不是 而是 端口 改成 了 不用"
)
WORDS = CORRECTING.split()
AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found_in(text: str, *earlier: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the corrections that a message holds, after these messages of the user."""
    before = tuple(Earlier(Source.USER, one) for one in earlier)
    said = read_said(text, source=source, speaker=str(source), at=AT, earlier=before)
    return [one for sentence in said.sentences for one in corrections.find(sentence, said)]


def key_of(candidate: Candidate) -> str:
    """Return a candidate's key, after its value was checked against its type."""
    kind = BUILTIN_TYPES.get(candidate.type)
    key = kind.key_of(candidate.value)
    kind.complete(key, candidate.value)
    return key


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "text", "key", "value"),
    [
        ("The gate code is 1199.", "No, actually the gate code is 1198.", "gate:code", "1198"),
        ("The gate code is 1199.", "Sorry, it's 1198.", "gate:code", "1198"),
        ("The gate code is 1199.", "It's not 1199, it's 1198.", "gate:code", "1198"),
        ("The gate code is 1199.", "The gate code isn't 1199 but 1198.", "gate:code", "1198"),
        ("The gate code is 1199.", "That's wrong. It's 1198.", "gate:code", "1198"),
        ("The gate code is 1199.", "Correction: the code should be 1198.", "gate:code", "1198"),
        ("Our depot is in Metz.", "Our depot isn't in Metz any more, it's in Nancy.",
         "depot:location", "Nancy"),
        ("网关的端口是 9000。", "不对，是 9001。", "网关:port", "9001"),
        ("网关的端口是 9000。", "说错了，端口应该是 9001。", "网关:port", "9001"),
        ("网关的端口是 9000。", "端口不是 9000，而是 9001。", "网关:port", "9001"),
        ("网关的端口是 9000。", "更正：网关的端口是 9001，刚才说成 9000 了。", "网关:port", "9001"),
        ("店长是老冯。", "不是老冯，是老何。", "general:manager", "老何"),
        ("网关的端口是 9000。", "更正：网关的端口是9001不是9000", "网关:port", "9001"),
        ("The budget is 15k.", "Correction: the budget is 20k not 15k", "general:budget", "20k"),
        ("staging 的分支是 dev。", "其实 staging 的分支是 next", "staging:branch", "next"),
    ],
)  # fmt: skip
def test_puts_the_right_value_in_place(before: str, text: str, key: str, value: str) -> None:
    """A correction keeps the key of what it corrects and has the new value."""
    found = found_in(text, before)
    assert [f"fact:{key}"] == [key_of(one) for one in found]
    assert [value] == [one.value["value"] for one in found]
    assert all(one.corrects and one.action is CandidateAction.WRITE for one in found)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "text", "key", "value"),
    [
        ("库房密码是 5512。", "库房密码改成 5513 了。", "库房:password", "5513"),
        ("Our deadline is May 1.", "The deadline has been moved to May 15.",
         "general:deadline", "May 15"),
        ("项目的截止日期是5月1号。", "项目截止日期延期到5月15号了。",
         "project:deadline", "5月15号"),
        ("网关的端口是 9000。", "端口改成 9001 了。", "网关:port", "9001"),
    ],
)  # fmt: skip
def test_a_change_is_no_correction(before: str, text: str, key: str, value: str) -> None:
    """What was so before a change was not wrong; it is named like what was said before."""
    (one,) = found_in(text, before)
    assert (f"fact:{key}", value) == (key_of(one), one.value["value"])
    assert ("facts.changed", False) == (one.rule, one.corrects)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "text", "kind", "word"),
    [
        ("I live in Metz.", "I was wrong, I live in Nancy.", "profile", "Nancy"),
        ("I work at Tern.", "I don't work at Tern any more. I work at Ibis.", "profile", "Ibis"),
        ("We decided to use Redis.", "Scrap that, we decided to use NATS.", "decisions", "NATS"),
        ("We decided to go with Fly.io.", "Change of plan: we're not going with Fly.io after all,"
         " it's Heroku now.", "decisions", "Heroku"),
        ("缓存就定Redis了", "改主意了，缓存不用Redis，换成Valkey", "decisions", "Valkey"),
        ("我住在大连。", "其实我不住在大连了，我现在住在青岛。", "profile", "青岛"),
    ],
)  # fmt: skip
def test_corrects_with_the_type_that_fits(before: str, text: str, kind: str, word: str) -> None:
    """The corrected clause is read by the finder that it belongs to."""
    found = found_in(text, before)
    assert [(kind, True)] == [(one.type, one.corrects) for one in found]
    assert word in f"{found[0].text} {found[0].value}"


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我的生日不是5月3号,而是5月13号", {"k": "birthday", "v": "5月13号"}),
        ("我不是医生，而是护士。", {"k": "role", "v": "护士"}),
        ("我不叫小王，叫小李。", {"k": "name", "v": "小李"}),
        ("我的生日不是 May 3，而是 May 13", {"k": "birthday", "v": "May 13"}),
        ("My birthday isn't May 3, it's May 13.", {"k": "birthday", "v": "May 13"}),
        ("My birthday is not May 3 but May 13.", {"k": "birthday", "v": "May 13"}),
        ("My name isn't Jon, it's John.", {"k": "name", "v": "John"}),
        ("I'm not a doctor but a nurse.", {"k": "role", "v": "nurse"}),
    ],
)
def test_a_contrast_says_what_is_so_though_nothing_was_said_before(
    text: str, fact: dict[str, str]
) -> None:
    """What the user says of themselves instead is written, and never what they deny."""
    written = [one for one in found_in(text) if one.action is CandidateAction.WRITE]
    assert [[fact]] == [one.value["facts"] for one in written]
    assert all(one.corrects for one in written)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "text", ["The trouble isn't the code, it's Kafka.", "这不是bug，而是feature"]
)
def test_a_manner_of_speaking_is_no_correction(text: str) -> None:
    """A contrast about a thing that nobody spoke of corrects nothing."""
    assert [] == found_in(text)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "text", "kind", "word"),
    [
        ("I use Kakoune for everything.", "I no longer use Kakoune.", "preferences", "Kakoune"),
        ("I need to repair the fence.", "No need to repair the fence anymore.", "tasks", "fence"),
        ("I need to repair the fence.", "Scratch that.", "tasks", "fence"),
        ("We decided to use Redis.", "We're not going with Redis after all.", "decisions", "Redis"),
        ("My goal is to learn Danish.", "I gave up on Danish.", "goals", "Danish"),
        ("The depot is in Metz.", "The depot is no longer in Metz.", "facts", "Metz"),
        ("The attic key is in box 4.", "Forget what I said about the attic key.", "facts", "attic"),
        ("我在海信上班。", "我不在海信上班了。", "profile", "海信"),
        ("待办：给窗户换玻璃", "换玻璃那件事不用做了。", "tasks", "玻璃"),
        ("我的目标是学会弹琴。", "我不打算学弹琴了。", "goals", "弹琴"),
        ("我们决定用 Redis 做缓存。", "那个决定作废，不用 Redis 了。", "decisions", "Redis"),
    ],
)  # fmt: skip
def test_retracts_what_nothing_replaces(before: str, text: str, kind: str, word: str) -> None:
    """A denial asks for the retraction of what was said, with its key where there is one."""
    found = found_in(text, before)
    assert [(kind, CandidateAction.RETRACT)] == [(one.type, one.action) for one in found]
    assert word in f"{found[0].text} {found[0].value}"
    assert key_of(found[0])


@pytest.mark.spec("C4")
def test_retracts_from_its_words_alone_when_nothing_was_said_before() -> None:
    """A denial of something older says what is meant by its own words."""
    (found,) = found_in("我不在海信上班了。")
    assert ("profile", CandidateAction.RETRACT) == (found.type, found.action)
    assert "海信" in str(found.value)


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    "text",
    [
        "Actually I love it.",
        "No worries, thanks!",
        "No, thanks.",
        "Never mind.",
        "Forget it.",
        "That's wrong.",
        "I can't take it any more.",
        "It's not raining any more.",
        "I'm not a lawyer.",
        "Did you say the port is not 9000 but 9001?",
        "Don't recommend paid apps any more.",
        "I'll set a reminder so I don't forget about my yoga practice.",
        "我打定主意不读研了",
        "其实还好。",
        "不对劲啊。",
        "不说了，睡觉。",
        "我受不了了。",
        "不要再给我发广告了。",
        "是不是改成 5513 了？",
    ],
)
def test_leaves_what_corrects_nothing(text: str) -> None:
    """Fillers, refusals and complaints correct nothing."""
    assert [] == found_in(text)


@pytest.mark.spec("C4")
def test_a_filler_after_something_unrelated_corrects_nothing() -> None:
    """`Actually` alone does not turn a new statement into a correction."""
    assert [] == found_in("Actually the gym is in Metz.", "The gate code is 1199.")


@pytest.mark.spec("C1")
def test_takes_no_correction_from_the_assistant() -> None:
    """Only the user can take back what the user said."""
    before = "The gate code is 1199."
    assert [] == found_in("Correction: the gate code is 1.", before, source=Source.ASSISTANT)


@pytest.mark.spec("C6")
def test_points_at_the_words_that_correct() -> None:
    """The place is that of the new value's clause."""
    text = "Hello! Sorry, I was wrong: the gate code is 1198, not 1199."
    (found,) = found_in(text, "The gate code is 1199.")
    assert "the gate code is 1198" == text[found.offset : found.offset + found.length]


@pytest.mark.spec("C6")
@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=10),
            st.sampled_from(WORDS),
        ),
        max_size=14,
    ).map(" ".join)
)
def test_makes_valid_candidates_of_any_text(text: str) -> None:
    """Whatever is said, a written candidate is valid and every one has a place in the message."""
    for one in found_in(text, "The gate code is 1199.", "网关的端口是 9000。"):
        assert 0 <= one.offset < one.offset + one.length <= len(text)
        if one.action is CandidateAction.WRITE:
            assert key_of(one)


@pytest.mark.spec("C4", "C5")
@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("We decided to drop the export feature.", "We decided to drop the import feature."),
        ("我们决定砍掉导出功能。", "我们决定砍掉导入功能。"),
        ("The backend uses Kafka.", "Actually the backend uses Postgres."),
        ("小王负责支付。", "其实小王负责退款。"),
        ("The report deadline is May 1.", "The homework deadline was moved to May 8."),
        ("The deadline is May 1.", "The deadline was not moved to May 8."),
        ("截止日期是5月1日。", "客户希望截止日期推迟到5月8日。"),
        ("我喜欢喝茶。", "我其实也喜欢喝咖啡。"),
    ],
)
def test_what_is_about_something_else_takes_back_nothing(before: str, text: str) -> None:
    """What was said before stands beside it."""
    assert [] == found_in(text, before)
