"""Sessions page by page: every one once, the one spoken in last first.

In: many sessions, some of the same time. Out: pages that follow each other without a gap.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import inside, user

from smartbrain import SmartBrain

OLD = datetime(1969, 12, 31, 23, 59, 58, tzinfo=UTC)


def pages(brain: SmartBrain, limit: int) -> list[list[str]]:
    """Return the sessions' names, page by page."""
    found, cursor = [], None
    while not found or cursor:
        page = brain.sessions.list(limit=limit, cursor=cursor)
        found.append([session.id for session in page])
        cursor = page.cursor
    return found


@pytest.mark.spec("S1", "E1")
def test_pages_of_sessions_follow_each_other(tmp_path: Path) -> None:
    """Whatever the size of a page, each session comes once; equal times keep an order."""
    with SmartBrain.open(tmp_path) as brain:
        assert [[]] == pages(brain, 3)
        for n in range(7):
            at = OLD + timedelta(seconds=n // 2)  # two of each time, before 1970 and after
            brain.commit_turn(f"会话 {n}", {"at": at, "messages": [user("hi")]})
        expected = [f"会话 {n}" for n in reversed(range(7))]
        for limit in (1, 2, 3, 6, 7, 8):
            found = pages(brain, limit)
            assert expected == [name for page in found for name in page]
            assert [limit] * (len(found) - 1) == [len(page) for page in found[:-1]]
        assert 3 == len(pages(brain, 3))
        assert 1 == len(pages(brain, 7))


@pytest.mark.spec("S1")
def test_what_is_said_between_two_pages_repeats_nothing(tmp_path: Path) -> None:
    """A session that was spoken in again moves to the front, which later pages are past."""
    with SmartBrain.open(tmp_path) as brain:
        for n in range(4):
            brain.commit_turn(str(n), [user("一")])
        first = brain.sessions.list(limit=2)
        brain.commit_turn("2", [user("二")])
        brain.commit_turn("new", [user("三")])
        rest = brain.sessions.list(cursor=first.cursor)
        assert (["3", "2"], ["1", "0"]) == ([one.id for one in first], [one.id for one in rest])


@pytest.mark.spec("S1")
def test_a_page_of_sessions_is_read_from_its_index(tmp_path: Path) -> None:
    """Neither a whole table nor a sort stands behind a page, however many sessions there are."""
    asked: list[tuple[Any, ...]] = []
    with SmartBrain.open(tmp_path) as brain, inside(brain) as transaction:
        execute = transaction.events._execute
        transaction.events._execute = lambda *query: asked.append(query) or execute(*query)
        transaction.events.sessions(after=(5, 5), limit=10)
        ((sql, given),) = asked
        plan = [row[3] for row in execute(f"EXPLAIN QUERY PLAN {sql}", given)]
    assert ["SEARCH sessions USING INDEX sessions_by_time (last_at<?)"] == plan


@pytest.mark.spec("W2")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided to use port 80{} for the service.", "Now about the garden."),
        ("我们决定用 Redis80{} 做缓存。", "现在说说花园。"),
    ],
)
def test_a_session_that_goes_on_after_its_end_begins_anew(
    tmp_path: Path, before: str, after: str
) -> None:
    """Neither its summary nor quotes nor turns of before its end are in mind again."""
    with SmartBrain.open(tmp_path) as brain:
        for n in range(15):
            brain.commit_turn("s", [user(before.format(n))])
        old = brain.build_memory_packet("s", "?", audience="planner").stm
        brain.sessions.end("s")
        brain.commit_turn("s", [user(after)])
        stm = brain.build_memory_packet("s", "?", audience="planner").stm
        recent = brain.compose_context("s", "?").recent_turns
        for n in range(12):
            brain.commit_turn("s", [user(f"{after} {n}")])
        later = brain.build_memory_packet("s", "?", audience="planner").stm
    assert all((old.summary, old.key_quotes, len(old.window) == 5))
    assert ("", (), 1, 1) == (stm.summary, stm.key_quotes, len(stm.window), len(recent))
    assert (5, True) == (len(later.window), bool(later.summary))
    assert not [one for one in later.key_quotes if "80" in one.text]


TALK = {
    "ferry": (
        "The ferry to Tiree leaves from the old harbour in Oban",
        "Murdo plays the fiddle on the ferry and nobody minds",
        "Seals were lying on the rocks below the lighthouse",
        "We ate smoked mackerel on the pier with cold hands",
    ),
    "渡轮": (
        "去泰里岛的渡轮从奥本老码头出发",
        "莫多在渡轮上拉小提琴，没人介意",
        "灯塔下面的礁石上躺着海豹",
        "我们在栈桥上吃熏鲭鱼，手都冻僵了",
    ),
}


@pytest.mark.spec("C8", "W2")
@pytest.mark.parametrize("word", TALK)
def test_a_summary_tells_what_was_talked_about(tmp_path: Path, word: str) -> None:
    """Where there is no goal, decision or task to name, what left the window is not lost."""
    with SmartBrain.open(tmp_path) as brain:
        for said in (*TALK[word], *("ok" if word.isascii() else "嗯",) * 10):
            brain.commit_turn("s", [{"role": "user", "content": said}])
        context = brain.compose_context("s", "hm", token_limit=4000)
    assert word in context.working_summary
