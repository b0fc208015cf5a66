"""Memories are found by the words they were told in, of whatever language their value is.

In: facts and a profile whose keys are English words, said in Chinese, English and both. Out: what
the text arm alone finds, for how much, and that an index of before is built anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from recall_builders import opened, say

from smartbrain import SmartBrain
from smartbrain.domain.recall import RecallItem

ALONE = {"recall.graph.enabled": False, "recall.raw.enabled": False}
SAID = [
    (("服务器的端口是 3306。", "服务器的端口改成 5432 了。"), "端口", "facts", "5432"),
    (
        ("服务器的端口是 3306。", "服务器的端口改成 5432 了。"),
        "服务器的端口是多少？",
        "facts",
        "5432",
    ),
    (("The server's port is 3306.", "The server's port is now 5432."), "port", "facts", "5432"),
    (("数据库的 password 长度是 12。",), "数据库", "facts", "12"),
    (("我住在上海。", "我住在北京。"), "住在哪里", "profile", "北京"),
    (("I live in Shanghai.", "I live in Beijing."), "live", "profile", "Beijing"),
    (("我最喜欢的颜色是蓝色。",), "喜欢", "preferences", "蓝色"),
]


def of_type(brain: SmartBrain, query: str, kind: str) -> list[RecallItem]:
    """Return what the text arm finds of a type."""
    return [one for one in brain.recall(query, types=kind) if "text" in one.found_by]


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize(("said", "query", "kind", "value"), SAID)
def test_a_memory_is_found_by_the_words_it_was_told_in(
    tmp_path: Path, said: tuple[str, ...], query: str, kind: str, value: str
) -> None:
    """Its value may be put into other words, or into those of another language."""
    with opened(tmp_path) as brain:
        for place, text in enumerate(said):
            say(brain, text, session=f"s{place}")
        brain.configure(ALONE)
        first, *others = of_type(brain, query, kind)
        assert value in first.text
        assert not others


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("said", "query"),
    [
        (("服务器的端口是 3306。", "服务器的端口改成 5432 了。"), "端口"),
        (("The server's port is 3306.", "The server's port is now 5432."), "port"),
    ],
)
def test_what_stands_comes_before_the_turn_that_told_otherwise(
    tmp_path: Path, said: tuple[str, ...], query: str
) -> None:
    """Its own words count as much in Chinese as in English, where they are those of its key."""
    with opened(tmp_path) as brain:
        for place, text in enumerate(said):
            say(brain, text, session=f"s{place}")
        told = [one.text for one in brain.recall(query, types=("facts", "episodes"))]
        (stands,) = [place for place, text in enumerate(told) if "user:" not in text]
        (outdated,) = [place for place, text in enumerate(told) if "3306" in text]
        assert stands < outdated
        assert all("3306" not in one.text for one in brain.recall(query, types="facts"))


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("服务器的端口改成 5432 了。", "“端口改成”"),
        ("The server's port is now 5432.", '"port is now"'),
    ],
)
def test_a_quoted_phrase_is_looked_for_in_those_words_too(
    tmp_path: Path, said: str, phrase: str
) -> None:
    """What a memory says itself holds a phrase, and not only the turn that it was said in."""
    with opened(tmp_path) as brain:
        say(brain, said)
        assert [
            one.type for one in brain.recall(phrase, types="facts") if "exact" in one.found_by
        ] == ["facts"]
