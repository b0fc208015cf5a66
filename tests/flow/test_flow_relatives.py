"""What is told of the user's family: what they do and where they live is not their name."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def known_of_family(path: Path, *texts: str) -> set[str]:
    """Return what stands after some messages, by key; tasks as well."""
    with fake_brain(path) as brain:
        for text in texts:
            brain.commit_turn("s", [user(text)])
        facts = {f"{one.key}={one.value['value']}" for one in brain.memories.list("facts").items}
        return facts | {one.key for one in brain.memories.list("tasks").items}


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我老公是程序员", {"fact:husband:role=程序员"}),
        ("我老婆是老师", {"fact:wife:role=老师"}),
        ("我爸是医生", {"fact:father:role=医生"}),
        ("My sister is a nurse.", {"fact:sister:role=nurse"}),
        ("我女儿是小孩", set()),
        ("我弟弟是高中生", set()),
        ("我弟弟搬到上海了", {"fact:younger_brother:location=上海"}),
        ("小王搬到上海了", set()),
        ("My brother moved to Berlin.", {"fact:brother:location=Berlin"}),
        ("My brother is moving to Berlin.", set()),
        ("My boss moved to Google.", set()),
        ("My sister went to Paris.", set()),
        ("My sister 去了 Paris", set()),
        ("我妹妹叫小红", {"fact:younger_sister:name=小红"}),
        ("我老婆是王芳", {"fact:wife:name=王芳"}),
        ("My wife is Anna.", {"fact:wife:name=Anna"}),
        ("The project name changed to Apollo.", {"fact:project:name=Apollo"}),
    ],
)
def test_a_trade_or_a_city_is_no_name(tmp_path: Path, text: str, known: set[str]) -> None:
    """And nobody who moves is a task that is done."""
    assert known == known_of_family(tmp_path, text)


@pytest.mark.spec("C4")
def test_a_trade_does_not_dispute_a_name(tmp_path: Path) -> None:
    """Both stand."""
    known = {"fact:mother:name=王芳", "fact:mother:role=老师"}
    assert known == known_of_family(tmp_path, "我妈叫王芳", "我妈是老师")
