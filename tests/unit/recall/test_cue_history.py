"""Whether a message asks how it was, or only uses words that could say so."""

from __future__ import annotations

import pytest

from smartbrain.recall.cue_history import asks_how_it_was
from smartbrain.recall.cue_words import simplified


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我以前住在哪里", True),
        ("项目之前是用什么写的", True),
        ("他曾经养过狗吗", True),
        ("原来的方案是什么", True),
        ("我的旧地址", True),
        ("Where did I use to live?", True),
        ("Ann used to work at Bosch", True),
        ("What was my job previously?", True),
        ("the history of our database choice", True),
        ("What tea did I use to like?", True),
        ("Which room did the printer use to be in?", True),
        ("What tool did you use to build this?", False),
        ("Which knife did she use to cut it?", False),
        ("Where did we live before the move?", True),
        ("之前我住在哪里", True),
        ("之前他们用的什么数据库", True),
        ("之前你说过什么", False),
        ("Where did I live before?", True),
        ("what did I drive before I moved to Berlin", True),
        ("周五之前提交报告", False),
        ("三年以前", False),
        ("原来如此", False),
        ("之前说的那个链接", False),
        ("the tool is used to deploy", False),
        ("I am getting used to it", False),
        ("send it before Friday", False),
        ("How many films did I see in the past few months?", False),
        ("reading 'A Short History of Tea'", False),
        ("What flour did Nate use to make it lighter?", False),
        ("the day before.", False),
        ("我住在哪里", False),
    ],
)
def test_history_asks_how_it_was(text: str, expected: bool) -> None:
    """Words for a former state ask for it; deadlines, habits and turns of talk do not."""
    assert expected == asks_how_it_was(simplified(text))


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    [
        "What used to cause the zebra outage?",
        "I used to play tennis in high school",
        "What activity did Caroline used to do with her dad?",
        "Ann used to sing in a choir",
        "My mom used to bake bread",
        "Which bakery used to sell rye bread?",
        "The port used to be 8080",
        "What did the server's port used to be?",
        "the server used to listen on port 80",
        "The service used to run on Heroku",
        "the game I used to play",
        "What is the company Bob used to work for?",
        "Where is the house my parents used to own?",
        "people used to write letters",
        "the man who used to deliver the milk",
        "We never used to lock the door",
        "we didn't used to lock the door",
        "What was the previous port of the server?",
        "old port",
        "former port",
        "what is the server's old port?",
        "my old email address",
        "What was my previous occupation?",
        "What was my previous personal best time for the run?",
        "the former landlord of the flat",
        "历史端口",
        "之前的端口",
        "原来的端口",
        "服务器此前的端口是多少",
        "老地址是什么",
        "旧端口",
        "旧的密码",
        "上一个版本是什么",
        "前任负责人是谁",
        "服务器 previous port 是多少",
        "服务器的历史 port",
    ],
)
def test_what_was_done_or_held_is_history(text: str) -> None:
    """What lasted, what somebody did, and the earlier version of what has versions."""
    assert asks_how_it_was(simplified(text))


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    [
        "What is the port used to access the server?",
        "The port used to connect to the server?",
        "the server port used to log in",
        "Which key is used to sign it?",
        "the key I used to sign the file",
        "the password we used to open the archive",
        "whole wheat flour, which I used to make a delicious baguette",
        "what are some common techniques used to enhance the quality of the images?",
        "tell me the command used to start the server",
        "Do you know the account used to pay the invoice?",
        "Where is the script used to build the release?",
        "how the funds will be used to support research",
        "I am used to it",
        "She is not used to driving on the left",
        "we got used to the noise",
        "these tools, often used to deploy, are slow",
        "the old server",
        "What is the old server's port?",
        "my old friend Tom",
        "How old is the port?",
        "the previous message",
        "what did we say in the previous meeting",
        "the previous day",
        "Can you use the same method as my previous bookings?",
        "the former is better",
        "any prior experience with ports?",
        "当前任务是什么",
        "历史课几点",
        "历史老师是谁",
        "历史人物",
        "老服务器的端口",
        "旧服务器",
        "明早前的任务",
        "端口用来连接服务器",
        "用来登录的 port used to log in 是哪个",
        "上一个电话是谁打的",
        "目前任职的公司",
    ],
)
def test_what_something_is_for_is_no_history(text: str) -> None:
    """A means, an old thing, what was said before in a talk: none of them is an earlier version."""
    assert not asks_how_it_was(simplified(text))
