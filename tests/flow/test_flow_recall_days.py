"""Questions about days, to come or gone by, and the memories that bear those days."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, arm, opened, say

from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

ASKED = NOW + timedelta(days=4)  # Saturday, the 14th of March
FLIGHT = "event:general:2026-03-15:flight_to_tokyo"
CHECK_UP = "event:general:2026-03-17:去体检"
EXAM = "event:general:2026-08-20:exam"
RELEASE = "event:general:2026-03-03:release_2.0"
REVIEW = "event:general:2026-03-04:开了复盘会"


def put_event(brain: SmartBrain, key: str, title: str) -> None:
    """State an event by its key, which names its day."""
    brain.memories.put("events", key, {"title": title, "date": key.split(":")[2]})


def told(path: Path, clock: FakeClock, **config: object) -> SmartBrain:
    """Open a brain that was told of two days to come, and of much else."""
    brain = opened(path, clock=clock, recall=config)
    put_event(brain, FLIGHT, "flight to Tokyo")
    put_event(brain, CHECK_UP, "去体检")
    for n in range(10):
        say(brain, f"Tell me something about soup {n}. 今天的汤有什么材料？", session=f"n{n}")
    clock.now = ASKED
    return brain


TOMORROW = [
    "What do I have planned for tomorrow?",
    "明天有什么安排？",
    "what about the 15th, 明天?",
]


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize("switches", [{}, {"use_node_index": False}])
@pytest.mark.parametrize("query", TOMORROW)
def test_what_bears_the_day_asked_for_comes_first(
    tmp_path: Path, query: str, switches: dict[str, bool]
) -> None:
    """It shares no word with the question, and its day was named when it was told."""
    with told(tmp_path, FakeClock(NOW), **switches) as brain:
        answer = brain.recall(query, k=3)
    assert FLIGHT == answer[0].key
    assert "days" in answer[0].found_by
    assert 1.0 == answer[0].signals.time_score
    assert ("ok", 1) == (arm(answer, "days").verdict, arm(answer, "days").hits)
    assert CHECK_UP not in [one.key for one in answer if "days" in one.found_by]


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize("query", ["What is on next week?", "下周有什么事？", "接下来有什么安排"])
def test_the_soonest_of_a_stretch_comes_first(tmp_path: Path, query: str) -> None:
    """Of several days that are asked for, in their order."""
    with told(tmp_path, FakeClock(NOW)) as brain:
        brain.memories.put(
            "tasks", "task:home:rent", {"title": "pay the rent", "due": "2026-03-18"}
        )
        found = [one.key for one in brain.recall(query) if "days" in one.found_by]
    days = [CHECK_UP, "task:home:rent"]
    assert ([FLIGHT, *days] if "接下来" in query else days) == found


@pytest.mark.spec("R9", "R16")
@pytest.mark.parametrize("query", TOMORROW)
def test_packet_and_context_hold_what_bears_the_day(tmp_path: Path, query: str) -> None:
    """However long ago it was told: a day that is named is a strong cue."""
    clock = FakeClock(NOW)
    with told(tmp_path, clock) as brain:
        put_event(brain, EXAM, "exam")
        packet = brain.build_memory_packet("z", query)
        context = brain.compose_context("z", query).text()
        clock.now = NOW.replace(month=8, day=19)
        later = brain.build_memory_packet("z", query)
    assert FLIGHT in [one.key for one in packet.episodes]
    assert "flight to Tokyo" in context
    assert [EXAM] == [one.key for one in later.episodes if one.type == "events"]


@pytest.mark.spec("R2")
@pytest.mark.parametrize("query", ["今天要做什么", "What do I have to do today?"])
def test_the_day_of_telling_and_what_is_done_do_not_count(tmp_path: Path, query: str) -> None:
    """What was told today of another day is not due today; what is done is not due any more."""
    with opened(tmp_path) as brain:
        for name, due, status in (
            ("rent", "2026-03-10", "todo"),
            ("milk", "2026-03-10", "done"),
            ("car", "2026-03-12", "todo"),
        ):
            value = {"title": name, "due": due, "status": status}
            brain.memories.put("tasks", f"task:home:{name}", value)
        found = [one.key for one in brain.recall(query) if "days" in one.found_by]
    assert ["task:home:rent"] == found


@pytest.mark.spec("R2", "R3")
def test_types_that_bear_no_day_leave_the_arm_without_hits(tmp_path: Path) -> None:
    """What the caller does not ask for is not brought by its day."""
    with told(tmp_path, FakeClock(NOW)) as brain:
        answer = brain.recall("明天 tomorrow", types=["facts", "profile"])
    assert 0 == arm(answer, "days").hits


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("What happened on March 3?", RELEASE),
        ("3月4日发生了什么？", REVIEW),
        ("上周三我们做了什么？", REVIEW),
    ],
)
@pytest.mark.parametrize("switches", [{}, {"use_node_index": False}])
def test_what_happened_on_a_day_gone_by_is_found_by_that_day(
    tmp_path: Path, query: str, key: str, switches: dict[str, bool]
) -> None:
    """It was told on another day, and shares no word with the question."""
    clock = FakeClock(NOW)
    with opened(tmp_path, clock=clock, recall=switches) as brain:
        put_event(brain, RELEASE, "release 2.0")
        put_event(brain, REVIEW, "开了复盘会")
        for n in range(10):
            say(brain, f"Tell me something about soup {n}. 今天的汤有什么材料？", session=f"n{n}")
        clock.now = NOW + timedelta(days=2)
        answer = brain.recall(query, k=3)
    assert [key] == [one.key for one in answer if "days" in one.found_by]
    assert key in [one.key for one in answer[:2]]


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize("query", ["What happened in 2025?", "2025年发生了什么？"])
def test_a_long_stretch_of_the_past_is_no_day(tmp_path: Path, query: str) -> None:
    """In a year so much has happened that its days tell nothing; words have to."""
    with opened(tmp_path) as brain:
        put_event(brain, "event:general:2025-05-03:release_1.0", "release 1.0")
        answer = brain.recall(query, k=3)
    assert 0 == arm(answer, "days").hits
