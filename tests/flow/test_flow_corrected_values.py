"""A correction puts the new value where the old one was, however shortly both are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_flow_taken_back import standing

_PEANUTS = "I'm allergic to peanuts."
_SHELLFISH = {"allergy=allergic to shellfish"}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("said", "then", "stand"),
    [
        ("我对花生过敏", "不对，不是花生，是海鲜过敏", {"allergy=对海鲜过敏"}),
        ("我对花生过敏", "不对，不是花生，是海鲜", {"allergy=对海鲜过敏"}),
        ("我对花生过敏", "搞错了，是海鲜过敏", {"allergy=海鲜过敏"}),
        (_PEANUTS, "Actually I'm not allergic to peanuts, it's shellfish.", _SHELLFISH),
        (_PEANUTS, "I'm not allergic to peanuts but to shellfish.", _SHELLFISH),
        (_PEANUTS, "Actually I'm not allergic to peanuts.", set()),
        (
            _PEANUTS,
            "Actually I'm not allergic to gluten, it's fine.",
            {"allergy=allergic to peanuts"},
        ),
        ("我会法语", "不对，不是法语，是德语", {"language=德语"}),
    ],
)
def test_one_of_several_is_corrected(tmp_path: Path, said: str, then: str, stand: set[str]) -> None:
    """The thing alone says which one is meant."""
    assert stand == standing(tmp_path, said, then)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("told", "stands"),
    [
        (("我们决定用 Kafka", "还是用 RabbitMQ 吧", "还是用 Kafka 吧"), "Kafka"),
        (("我们决定用 Kafka", "还是用 RabbitMQ 吧", "换回 Kafka 吧"), "Kafka"),
        (("We decided to use Kafka.", "Let's go back to RabbitMQ."), "RabbitMQ"),
        (
            ("We decided to use Kafka.", "Thanks.", "Bye.", "Let's switch back to RabbitMQ."),
            "RabbitMQ",
        ),
        (("We decided to use Kafka.", "Let's go back to Kafka."), "use Kafka"),
        (("我们决定用 Kafka", "Let's go back to the office."), "用 Kafka"),
        (("我们决定用 Kafka", "还是用心一点吧"), "用 Kafka"),
    ],
)
def test_what_is_gone_back_to_is_decided_for(
    tmp_path: Path, told: tuple[str, ...], stands: str
) -> None:
    """Whatever was said just before it."""
    assert {f"message_queue={stands}"} == standing(tmp_path, *told)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("said", "then", "stand"),
    [
        ("我喜欢喝咖啡", "我不喝咖啡了，改喝茶", {"喝茶=喝茶"}),
        ("我爱吃肉", "我不吃肉了，改吃素", {"diet=吃素"}),
        ("I like coffee.", "I don't drink coffee anymore, I drink tea now.", {"tea=tea"}),
        ("I like coffee.", "I no longer drink coffee.", set()),
        ("我喜欢喝咖啡", "我不喝咖啡了", set()),
    ],
)
def test_what_is_taken_up_instead_is_kept(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """And what it takes the place of ends."""
    assert stand == standing(tmp_path, said, then)
