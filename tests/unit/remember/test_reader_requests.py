"""Requests to forget, read from words: what is asked for, and what only sounds like it."""

from __future__ import annotations

from typing import Final

import pytest

from smartbrain.remember.reader import requests
from smartbrain.remember.reader.requests import AskKind, ForgetWords, name_of
from smartbrain.text.ontology import load_ontology

ONTOLOGY: Final = load_ontology()
ASKED: Final = (
    ("Please forget my phone number.", "my phone number"),
    ("Can you forget where I live?", "where I live"),
    ("delete everything about Alibaba", "Alibaba"),
    ("Please delete my home address from your memory.", "my home address"),
    ("I'd like you to forget that I live in Rome.", "I live in Rome"),
    ("Stop remembering my salary.", "my salary"),
    ("forget Anna's birthday, please", "Anna's birthday"),
    ("Hi! My day was fine. Could you please forget the gate code?", "the gate code"),
    ("忘掉张伟的事", "张伟"),
    ("把密码忘了吧", "密码"),
    ("请忘记我的手机号", "我的手机号"),
    ("请把我的家庭住址删掉", "我的家庭住址"),
    ("删除关于阿里巴巴的一切", "阿里巴巴"),
    ("不要再记我的工资了", "我的工资"),
    ("今天天气不错。麻烦忘掉我对花生过敏这件事", "我对花生过敏"),
)
IDLE: Final = (
    "forget it, let's use redis",
    "Forget about it.",
    "Don't forget to call Bob.",
    "I forgot my keys",
    "I forgot my password, how do I reset it?",
    "Did you forget my birthday?",
    "Let's forget the past and move on.",
    "How do I make git forget my credentials?",
    "Forget calling Bob, I'll do it myself.",
    "Delete the temp file in /tmp.",
    "Drop the database table users.",
    'Can you translate "forget my phone number" into Chinese?',
    "别忘了明天开会",
    "我忘了带钥匙",
    "忘记密码了怎么办",
    "我把密码忘了",
    "你忘了我的生日",
    "他忘了我的生日",
    "差点忘了告诉你",
    "忘了说，我下周出差",
    "我永远忘不了那天",
    "帮我翻译：忘掉我的手机号",
)


def find_requests(text: str) -> list[ForgetWords]:
    """Return what a message asks for."""
    return requests.find_requests(text, ontology=ONTOLOGY)


@pytest.mark.spec("J7")
@pytest.mark.parametrize(("text", "named"), ASKED)
def test_a_request_names_what_to_forget(text: str, named: str) -> None:
    """In the words of the speaker, and where they stand."""
    (asked,) = find_requests(text)
    assert asked.kind is AskKind.FORGET
    assert named in asked.named[0]
    assert asked.named[0] in text[asked.start : asked.end]


@pytest.mark.spec("J7")
@pytest.mark.parametrize("text", IDLE)
def test_what_sounds_like_a_request_is_none(text: str) -> None:
    """Who has forgotten something, or drops a plan, asks for nothing."""
    assert find_requests(text) == []


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Actually, keep it after all.", AskKind.TAKE_BACK),
        ("undo that forgetting", AskKind.TAKE_BACK),
        ("撤销刚才的遗忘", AskKind.TAKE_BACK),
        ("Never mention my ex again.", AskKind.MUTE),
        ("别再提我前妻了", AskKind.MUTE),
    ],
)
def test_taking_back_and_muting_are_told_apart(text: str, kind: AskKind) -> None:
    """Neither of them forgets anything."""
    assert [one.kind for one in find_requests(text)] == [kind]


def test_small_words_are_no_part_of_a_name() -> None:
    """Nor is a possessive."""
    assert [name_of("my phone"), name_of("所有关于张伟的"), name_of("the gate")] == [
        "phone",
        "张伟",
        "gate",
    ]


@pytest.mark.parametrize("piece", ["please ", "请你", "forget everything about ", "忘掉", "a, "])
def test_long_texts_are_read_in_time(piece: str) -> None:
    """What repeats itself for 100 KB asks for nothing, and is read in time."""
    assert find_requests(piece * (100_000 // len(piece))) == []
