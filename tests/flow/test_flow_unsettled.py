"""What is hoped for, awaited, nearly there, heard of or denied is not done.

In: something to do, then somebody who speaks of it as finished without saying that it is. Out: the
task, open as it was. What is plainly told as done is done.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def state(folder: Path, *messages: str) -> list[str]:
    """Return the states of the tasks that stand after messages of the user."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        return [str(one.value["status"]) for one in brain.memories.list("tasks").items]


@pytest.mark.spec("C1", "C4", "C6")
@pytest.mark.parametrize(
    "said",
    [
        "Let me know when the login bug is fixed",
        "Ping me once the login bug is fixed",
        "I hope the login bug is fixed",
        "Hopefully the login bug is fixed",
        "Make sure the login bug is fixed",
        "Check that the login bug is fixed",
        "Once the login bug is fixed, tell me",
        "As soon as the login bug is fixed we deploy",
        "After the login bug is fixed we deploy",
        "We can ship after the login bug is fixed",
        "I'm waiting until the login bug is fixed",
        "After I've fixed the login bug I'll call you",
        "The login bug is almost fixed",
        "The login bug is nearly fixed",
        "I almost fixed the login bug",
        "I've nearly finished fixing the login bug",
        "I thought the login bug was fixed",
        "I doubt the login bug is fixed",
        "I wouldn't say the login bug is fixed",
        "I want to see that the login bug is fixed",
        "I heard the login bug is fixed",
        "Yesterday our PM told us the login bug is fixed",
        "The client claims that the login bug is fixed",
        "Tom said the login bug is fixed",
    ],
)
def test_english_that_does_not_say_that_it_is_done_closes_nothing(
    tmp_path: Path, said: str
) -> None:
    """A hope, a condition, a request, a report of others and "almost" leave a task as it is."""
    assert ["todo"] == state(tmp_path, "I need to fix the login bug", said)


@pytest.mark.spec("C1", "C4", "C6")
@pytest.mark.parametrize(
    "said",
    [
        "登录 bug 以为修好了，结果没有",
        "登录 bug 不算修好了",
        "登录 bug 快修好了",
        "登录 bug 马上就修好了",
        "登录 bug 就要修好了",
        "登录 bug 几乎修好了",
        "登录 bug 差不多修好了",
        "登录 bug 应该修好了",
        "登录 bug 离修好了还远",
        "一旦登录 bug 修好了就上线",
        "等登录 bug 修好了，我们上线",
        "登录 bug 修好了就告诉我",
        "登录 bug 修好了，告诉我一声",
        "登录 bug 修好了再上线",
        "登录 bug 修好了之后我们上线",
        "希望登录 bug 修好了",
        "确保登录 bug 修好了",
        "小王说登录 bug 修好了",
        "小李告诉我登录 bug 已经修好了",
        "测试跟我讲登录 bug 修好了",
        "Tom 说登录 bug 修好了",
        "登录 bug is almost fixed",
    ],
)
def test_chinese_that_does_not_say_that_it_is_done_closes_nothing(
    tmp_path: Path, said: str
) -> None:
    """Neither does it take the task back: what is not done is still to be done."""
    assert ["todo"] == state(tmp_path, "待办：修登录 bug", said)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("I need to fix the login bug", "The login bug is fixed, let me know when you deploy"),
        ("I need to fix the login bug", "I checked and the login bug is fixed"),
        ("I need to fix the login bug", "I'm happy to say the login bug is fixed"),
        ("I need to fix the login bug", "Like I said the login bug is fixed"),
        ("I need to fix the login bug", "Now that the login bug is fixed, we can deploy"),
        ("I need to fix the login bug", "After I fixed the login bug I went home"),
        ("I need to fix the login bug", "I fixed the login bug as soon as I woke up"),
        ("I need to fix the login bug", "As expected the login bug is fixed"),
        ("I need to fix the login bug", "After I fixed the login bug the app is fast again"),
        ("I need to send the sales reports", "The sales reports are sent"),
        ("待办：修登录 bug", "登录 bug 终于修好了，可以上线了"),
        ("待办：修登录 bug", "登录 bug 修好了就睡了"),
        ("待办：修登录 bug", "登录 bug 修好了，我告诉他了"),
        ("待办：写产品说明文档", "产品说明文档写完了"),
        ("待办：写数据说明", "数据说明写完了"),
        ("待办：处理用户反馈", "用户反馈处理完了"),
        ("待办：修登录 bug", "登录 bug 修好了就差测试"),
        ("待办：寄快递", "快递寄好了"),
        ("待办：交保证金", "保证金交了"),
        ("待办：买牛奶", "老实说牛奶买好了"),
    ],
)
def test_what_is_told_as_done_is_done(tmp_path: Path, asked: str, said: str) -> None:
    """Words of hope or hearsay beside it, or inside a name, take nothing from that."""
    assert ["done"] == state(tmp_path, asked, said)


@pytest.mark.spec("C1", "C6")
def test_one_of_two_may_be_nearly_there(tmp_path: Path) -> None:
    """What is said of the second thing does not hold back the first."""
    said = "登录 bug 修好了，支付 bug 快修好了"
    assert ["done", "todo"] == sorted(state(tmp_path, "待办：修登录 bug，修支付 bug", said))
    said = "The login bug is fixed, I hope the payment bug is fixed"
    asked = "I need to fix the login bug and fix the payment bug"
    assert ["done", "todo"] == sorted(state(tmp_path / "en", asked, said))
