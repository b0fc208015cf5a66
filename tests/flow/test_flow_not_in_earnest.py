"""What others advise or suspect, what is so in a story and what an exercise says is no memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

KINDS = ("profile", "preferences", "decisions", "facts", "goals", "tasks")


def known(path: Path, text: str) -> set[str]:
    """Return the keys of what stands after one message."""
    with fake_brain(path) as brain:
        brain.commit_turn("s", [user(text)])
        return {one.key for kind in KINDS for one in brain.memories.list(kind).items}


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "医生怀疑我对花生过敏",
        "My doctor suspects I'm allergic to peanuts.",
        "同事推荐我用 Notion",
        "小王推荐我用 Notion",
        "My colleague recommended I use Notion.",
        "老师要求我们用 LaTeX",
        "客户希望我们用 Azure",
        "The client wants us to use Azure.",
        "文档写的是端口 8080",
        "手册上写着端口是 8080",
        "The docs say the port is 8080.",
        "In the novel, I'm a detective.",
        "In this story I live in Mars City and I'm a pilot.",
        "In my dream, I was a doctor and I live in Paris.",
        "在小说里，我是侦探",
        "在梦里我是医生",
        "扮演一个角色：你是我的老板，我是程序员",
        "Let's role-play: you are my boss and I'm a programmer.",
        "用“决定”造句：我决定去北京。",
        "请用「喜欢」造个句子：我喜欢喝茶",
        'Make a sentence with "decide": I decided to use Kafka.',
    ],
)
def test_what_is_not_the_user_s_own_word_is_not_kept(tmp_path: Path, text: str) -> None:
    """What others demand is neither a decision nor a taste of the user."""
    assert set() == known(tmp_path, text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("In the office, I'm a manager.", "profile:user"),
        ("In the movie industry, I'm a director.", "profile:user"),
        ("In the story, I need to add a dragon.", "task:general:add_a_dragon"),
        ("老板要求我周五前交报告", "task:general:交报告"),
        ("文档写完了", "task:general:写文档"),
        ("我们决定用 Kafka，客户希望的", "decision:general:message_queue"),
        ("我是作家", "profile:user"),
    ],
)
def test_what_is_said_in_earnest_is_kept(tmp_path: Path, text: str, key: str) -> None:
    """Whatever words it has in common with the others."""
    assert {key} == known(tmp_path, text)
