"""Questions for a time that is over: what was said then comes, whatever words name that time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, arm, opened, say

from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

DEEDS = [
    "修好厨房水龙头 fixed the kitchen tap",
    "买自行车 bought a red bicycle",
    "和李雷吃火锅 had hotpot with Li Lei",
    "团队会议推迟到周五，上午再说 the last meeting was put off by a week",
    "我们讨论预算 talked about the budget",
    "去看电影 saw a movie",
]


def told(path: Path) -> SmartBrain:
    """Open a brain with a week that is over, and talk of weeks from long before it."""
    clock = FakeClock(NOW - timedelta(days=90))
    brain = opened(path, clock=clock)
    for place in range(8):
        say(brain, f"上周天气 {place} was the last week of rain", session=f"old{place}")
    clock.now = NOW - timedelta(days=7)
    for place, deed in enumerate(DEEDS):
        clock.now += timedelta(minutes=9)
        say(brain, deed, session=f"s{place}")
    clock.now = NOW
    return brain


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize(
    "query",
    ["上周", "上周做过什么？", "last week", "What did I do last week?", "last week 做了什么"],
)
def test_the_words_that_name_a_time_are_not_what_is_looked_for(tmp_path: Path, query: str) -> None:
    """All that was said then comes first, the newest at the top."""
    with told(tmp_path) as brain:
        answer = brain.recall(query, types="episodes")
        packet = brain.build_memory_packet("n", query)
    sessions = [one.session_id for one in answer[: len(DEEDS)]]
    assert {f"s{place}" for place in range(len(DEEDS))} == {*sessions}
    assert len(DEEDS) == arm(answer, "time").hits
    assert () == answer.trace.cues.keywords
    assert {*sessions} <= {one.session_id for one in packet.episodes}


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize(
    "query", ["上周我们讨论了什么？", "What did we say about the budget last week?"]
)
def test_the_newest_of_a_time_come_behind_what_holds_the_words(tmp_path: Path, query: str) -> None:
    """A word that few have brings those first, and the rest of the week after them."""
    with told(tmp_path) as brain:
        answer = brain.recall(query, types="episodes")
    then = [one.session_id for one in answer if one.session_id in {f"s{n}" for n in range(6)}]
    assert "s4" == answer[0].session_id == then[0]
    assert len(DEEDS) == len(then) == arm(answer, "time").hits


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("上周五下午的会议", ("会议",)),
        ("the meeting on Friday afternoon", ("meeting",)),
        ("recently fixed bugs", ("fixed", "bugs")),
        ("What did we eat at Christmas?", ("eat", "christmas")),
        ("圣诞节聚会吃了什么", ("聚会",)),
        ("the standup every Monday", ("standup", "every", "monday")),
    ],
)
def test_a_time_is_no_keyword_unless_it_is_also_something(
    tmp_path: Path, query: str, keywords: tuple[str, ...]
) -> None:
    """A holiday is spoken of, and what recurs is known by its day."""
    with opened(tmp_path) as brain:
        assert keywords == brain.recall(query).trace.cues.keywords
