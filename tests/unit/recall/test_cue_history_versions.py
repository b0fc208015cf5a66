"""Whether a message asks for an earlier version of something, in the ways that people do.

In: questions for what was before a value, at first, or in all versions, and others that share their
words. Out: yes for the first, no for the others.
"""

from __future__ import annotations

import pytest

from smartbrain.recall.cue_history import asks_how_it_was
from smartbrain.recall.cue_words import simplified

ASKED = [
    "what was the old staging port",
    "what was the old DB port?",
    "the original staging port",
    "earlier staging port",
    "staging port history",
    "how has the staging port changed?",
    "what did the staging port change from?",
    "what was it before 5544",
    "what was the staging port before 5544",
    "which port did staging have at first?",
    "where did I live before Munich",
    "where did i live before munich?",
    "what did we use before PostgreSQL?",
    "what were all the staging ports so far",
    "has the staging port ever changed?",
    "when did the deadline change?",
    "how many times has the port changed",
    "what database did we use before Postgres 16?",
    "where did I live before that?",
    "where did she work before Acme Corp?",
    "who was my boss before Anna",
    "the original budget",
    "what was the password before 20331",
    "how did the price change over time",
    "旧的staging端口",
    "旧的 staging 端口",
    "旧staging端口",
    "最初的端口",
    "最初的 staging 端口是多少",
    "最早的数据库端口",
    "一开始用的什么数据库",
    "起初是哪个端口",
    "端口改过吗",
    "端口换过几次",
    "端口有没有改过",
    "我换过几次工作",
    "我搬过几次家",
    "密码从什么改成现在这个的",
    "端口历史",
    "端口变更记录",
    "端口是怎么变的",
    "慕尼黑之前我住在哪里",
    "PostgreSQL之前我们用什么",
    "端口改成5544之前是多少",
    "更早的端口",
    "老的数据库端口",
]
OTHERS = [
    "an old server",
    "before Friday",
    "before deploying, what should I check?",
    "what should I check before deploying?",
    "the original author",
    "who is the original author of the book",
    "in the earlier message",
    "in the earlier message about the port",
    "以前说过这个端口",
    "之前说的端口",
    "how old is my car",
    "how old is the new phone",
    "what did I eat before lunch",
    "what did we do before Christmas",
    "what was I doing before Munich",
    "where did we go before Rome",
    "what did Tom say before Anna left",
    "what did you use before lunch?",
    "what did I have before dinner",
    "what was the weather before Monday",
    "how did you change the port",
    "how did the team change the port?",
    "how do I change the port?",
    "has anything changed?",
    "what looks good at first glance",
    "at first I was afraid",
    "chat history",
    "git history",
    "the history teacher",
    "an old friend of mine works at a company",
    "the oldest port",
    "what was the plan before 2020",
    "what did we use before 5 pm",
    "最初的作者是谁",
    "最早的航班几点",
    "最早的侦探片叫什么名字",
    "早前的消息",
    "一开始就说好了",
    "端口怎么改",
    "端口怎么换",
    "旧的服务器在哪",
    "改过来了",
    "周五之前交报告",
    "换过来吧",
    "什么时候最早能到",
    "what was the meeting before the review",
    "did you change the port?",
]


@pytest.mark.spec("R2")
@pytest.mark.parametrize("text", ASKED)
def test_an_earlier_version_is_history(text: str) -> None:
    """The old one of some kind, what was before a value or at first, how often it changed."""
    assert asks_how_it_was(simplified(text))


@pytest.mark.spec("R2")
@pytest.mark.parametrize("text", OTHERS)
def test_another_thing_or_another_time_is_no_history(text: str) -> None:
    """An old thing, a deadline, a sequence of deeds, how to change something."""
    assert not asks_how_it_was(simplified(text))
