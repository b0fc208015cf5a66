"""The share of each section of a working summary, and how long a question stays open in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from summarise_talks import Talk, assistant, decision, goal, ref, task, user

from smartbrain.domain.summary import QUESTIONS, SECTIONS
from smartbrain.domain.turn import Message
from smartbrain.text.tokens import estimate_tokens

LONG_ZH = "采用三个可用区的主从架构并且保留三个月的备份，理由是团队熟悉这一套工具" * 4
LONG_EN = "keep three replicas in three zones and back them up for three months, as agreed " * 2


def goes_on(talk: Talk, turns: int = 14) -> None:
    """Let a talk go on about other things until the next summary."""
    for _ in range(turns):
        talk.say(user("继续。 Go on."), assistant("好的。 Sure."))


@pytest.mark.spec("C8", "R16")
@pytest.mark.parametrize(("chosen", "asked"), [(LONG_ZH, "谁来部署？"), (LONG_EN, "Who deploys?")])
def test_sixty_decisions_leave_room_for_every_section(chosen: str, asked: str) -> None:
    """What there is little of is shown whole; the newest decisions stand, others are counted."""
    talk = Talk()
    talk.say(
        user(asked),
        refs=[ref("docs/a.md")],
        told=[goal("做一个本地优先的运行时"), task("接入记忆", "doing"), task("write docs")],
    )
    for number in range(60):
        talk.say(told=[decision(f"topic {number}", chosen)], refs=[ref(chosen)])
    summary = talk.latest()
    shown = summary.sections["Decisions"]
    assert set(SECTIONS) == set(summary.sections)
    assert ("[doing] 接入记忆", "[todo] write docs") == summary.sections["Tasks"]
    assert (asked,) == summary.sections[QUESTIONS]
    assert "topic 59:" in shown[0]
    assert f"- ({60 - len(shown)} more)\nTasks:" in summary.text
    assert estimate_tokens(summary.text) <= 600


@pytest.mark.spec("C8", "R16")
@given(
    counts=st.lists(st.integers(0, 30), min_size=4, max_size=4),
    text=st.sampled_from(["短", "short", LONG_ZH, LONG_EN, "👨‍👩‍👧" * 60, "𠀀" * 150]),
)
@settings(max_examples=15, deadline=None)
def test_any_mix_fits_with_every_section(counts: list[int], text: str) -> None:
    """However much there is of each, nothing is over the limit and no section is lost."""
    goals, decisions, tasks, questions = counts
    talk = Talk()
    asked = [user(f"{number} {text}？") for number in range(questions)]
    talk.say(*asked, told=[goal(f"{number} {text}") for number in range(goals)])
    told = [task(f"{number} {text}") for number in range(tasks)]
    talk.say(told=[*told, *(decision(f"{number}", text) for number in range(decisions))])
    talk.say(told=[decision("the end", text)])
    wanted = dict(zip(SECTIONS, (goals, decisions + 1, tasks, 0, questions), strict=True))
    summary = talk.latest()
    assert estimate_tokens(summary.text) <= 600
    assert {title for title, count in wanted.items() if count} == set(summary.sections)
    assert sum(wanted.values()) == summary.left_out + sum(map(len, summary.sections.values()))


@pytest.mark.spec("C8")
@pytest.mark.parametrize("asked", ["谁来负责生产环境的部署？", "Which port does the gateway use?"])
@pytest.mark.parametrize(
    "reply", [[], [assistant("我去查一下。")], [assistant("I don't know yet.")]]
)
def test_a_question_stays_until_it_is_answered(asked: str, reply: list[Message]) -> None:
    """Summary after summary, however long ago it was asked."""
    talk = Talk()
    talk.say(user(asked), *reply)
    for _ in range(3):
        goes_on(talk)
    assert (asked,) == talk.latest().sections[QUESTIONS]


ANSWERS = [
    ("谁来负责生产环境的部署？", "小李来负责生产环境的部署。", "生产环境今天很稳定。"),
    ("端口是多少？", "查到了，端口是 8080。", "防火墙挡住了它。"),
    ("我们什么时候发布新版本？", "新版本下周五发布。", "发布之前要先跑完测试。"),
    ("为什么登录接口会超时？", "登录接口超时是因为连接池太小。", "登录接口加了日志。"),
    ("Who owns the billing service?", "Alice owns the billing service.", "Billing costs a lot."),
    ("Why is the login slow?", "The login is slow because of DNS.", "The login page is new."),
    ("缓存要不要用 Redis？", "缓存就用 Redis 吧。", "Redis 发了新版本。"),
    (
        "Which port does the gateway use?",
        "The gateway uses port 8080.",
        "The gateway was down today.",
    ),
    ("When do we ship the release?", "We ship the release on Friday.", "The release has notes."),
    (
        "How many replicas does the database need?",
        "The database needs 3 replicas.",
        "The database is large, that much is clear.",
    ),
    ("Should we use Redis or Memcached?", "Let's use Redis.", "Memcached had a release."),
]


@pytest.mark.spec("C8")
@pytest.mark.parametrize("who", [user, assistant])
@pytest.mark.parametrize("later", [1, 20])
@pytest.mark.parametrize(("asked", "answer", "other"), ANSWERS)
def test_a_later_turn_answers(asked: str, answer: str, other: str, later: int, who: type) -> None:
    """A statement with what was asked for; not one that only speaks of the same, nor a question."""
    talk = Talk()
    talk.say(user(asked), assistant("还不清楚，我查一下。 I'll check."))
    goes_on(talk, later)
    talk.say(user("另外。 By the way."), who(other))
    talk.say(user("ok"), assistant(f"你是问：{asked}"))
    goes_on(talk)
    assert (asked,) == talk.latest().sections[QUESTIONS]
    talk.say(user("接着说。 Tell me."), who(answer))
    goes_on(talk)
    assert QUESTIONS not in talk.latest().sections


@pytest.mark.spec("C8")
@pytest.mark.parametrize(
    ("asked", "answer"), [("谁来部署？", "小李。"), ("Which port is it?", "8080.")]
)
@pytest.mark.parametrize("before", [0, 11, 12, 30])
def test_a_reply_in_the_next_turn_or_to_a_second_asking_answers(
    asked: str, answer: str, before: int
) -> None:
    """Wherever the last summary ended; what is asked again waits for the answer to that."""
    talk = Talk()
    goes_on(talk, before)
    talk.say(user(asked))
    talk.say(assistant(answer))
    goes_on(talk)
    assert QUESTIONS not in talk.latest().sections
    talk.say(user(asked))
    goes_on(talk)
    assert (asked,) == talk.latest().sections[QUESTIONS]
    talk.say(user(f"again: {asked}"), assistant(answer))
    goes_on(talk)
    assert QUESTIONS not in talk.latest().sections


@pytest.mark.spec("C8")
@pytest.mark.parametrize(
    "asked", ["第{}个模块由谁来维护？", "Who maintains module number {} of ours?"]
)
def test_newer_questions_push_out_older_ones(asked: str) -> None:
    """The newest come first; those beyond the section's share are counted, then forgotten."""
    talk = Talk()
    for number in range(80):
        talk.say(user(asked.format(number)))
    goes_on(talk)
    shown = talk.latest().sections[QUESTIONS]
    assert [asked.format(79 - n) for n in range(len(shown))] == list(shown)
    assert 5 < len(shown) < 80
