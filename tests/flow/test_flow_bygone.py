"""What was so once, was thought to be so or came to nothing is not how things are."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_flow_taken_back import standing

_RABBIT = "We decided to use RabbitMQ."
_USES_RABBIT = "message_queue=use RabbitMQ"

BYGONE = [
    ("我用 emacs", "以前我用 vim", {"editor=emacs"}),
    ("我用 emacs", "大学的时候我用 vim", {"editor=emacs"}),
    ("I use emacs.", "Back then I used vim.", {"editor=emacs"}),
    (_RABBIT, "I thought we decided to use Kafka.", {_USES_RABBIT}),
    (_RABBIT, "At my last job, we decided to use Kafka.", {_USES_RABBIT}),
    ("我们决定用 Go", "我们曾经决定用 Java", {"language=用 Go"}),
    ("我们决定用 Go", "我还以为我们决定用 Java 了", {"language=用 Go"}),
    ("我们决定用 Go", "在我上一家公司，我们决定用 Java", {"language=用 Go"}),
]


@pytest.mark.spec("C1", "C4", "C6")
@pytest.mark.parametrize(("said", "then", "stand"), BYGONE)
def test_what_was_once_does_not_replace_what_is(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """It is no later word on the same."""
    assert stand == standing(tmp_path, said, then)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "之前我们决定用 Kafka，但后来取消了",
        "我们决定用 Kafka，可是最后放弃了",
        "我差点就决定用 Kafka 了",
        "我以为我们决定用 Kafka 了",
        "We had decided to use Kafka, but then the budget was cut.",
        "We decided to use Kafka, but it fell through.",
        "Originally we decided to use Kafka.",
        "小时候我喜欢画画",
        "小时候，我喜欢画画",
        "以前我喜欢喝可乐",
        "上学的时候我喜欢踢足球",
        "在我上一家公司，我们用 Oracle",
        "原来我们用 MySQL",
        "那时候我用 Windows",
        "端口以前是 8080",
        "我以为端口是 8080",
        "I assumed the API port is 8080.",
        "When I was a kid I loved painting.",
        "At my previous company we used Oracle.",
        "小时候，我住在北京",
        "在我上一家公司，我是经理",
        "At my last job, I'm a manager.",
        "我的目标以前是当医生",
    ],
)
def test_what_is_over_or_was_an_error_is_nothing_new(tmp_path: Path, text: str) -> None:
    """Not a decision, not a taste, not a fact."""
    assert set() == standing(tmp_path, text)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "stand"),
    [
        ("之前我们决定用 Kafka", {"message_queue=用 Kafka"}),
        ("会议之前我们决定用 Kafka", {"message_queue=用 Kafka"}),
        ("We decided last week to use Kafka.", {"message_queue=use Kafka"}),
        ("I thought about it and we decided to use Kafka.", {"message_queue=use Kafka"}),
        ("我从小喜欢画画", {"画画=画画"}),
        ("I have always liked tea.", {"tea=tea"}),
        ("我从小在北京长大", {"hometown=北京"}),
        ("When I was small, I grew up in Paris.", {"hometown=Paris"}),
        ("以前我用 vim，现在用 emacs", {"editor=emacs"}),
        ("以前我们决定用 Java，后来决定用 Go", {"language=用 Go"}),
        ("端口之前是 8080，现在是 9090", {"9090"}),
    ],
)
def test_what_still_holds_is_kept(tmp_path: Path, text: str, stand: set[str]) -> None:
    """That it began earlier, or was decided some time ago, ends nothing."""
    assert stand == standing(tmp_path, text)


@pytest.mark.spec("C4")
def test_what_was_and_is_no_more_was_no_error(tmp_path: Path) -> None:
    """The new value takes the place of the old one without a dispute."""
    assert {"9090"} == standing(tmp_path, "端口是 8080", "端口之前是 8080，现在是 9090")


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("said", "then", "stand"),
    [
        ("我们决定用 Kafka", "之前我们决定用 Kafka，但后来取消了", set()),
        ("We decided to use Kafka.", "We had decided to use Kafka, but then we dropped it.", set()),
        (_RABBIT, "We had decided to use Kafka, but it fell through.", {_USES_RABBIT}),
    ],
)
def test_what_came_to_nothing_ends(tmp_path: Path, said: str, then: str, stand: set[str]) -> None:
    """And nothing else does."""
    assert stand == standing(tmp_path, said, then)
