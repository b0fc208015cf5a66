"""Words such as "tomorrow" in the tenant's own time zone, for turns and questions without a time.

In: brains whose clock tells UTC while it is another day where the user lives. Out: what becomes of
their words, and where a question looks for "yesterday".
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from flow_builders import user

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay

# A zone, the present, which is of another day in UTC, the day that it is there, and its offset.
ZONES = [
    ("Asia/Shanghai", datetime(2026, 3, 11, 23, tzinfo=UTC), 12, "+08:00"),
    ("America/New_York", datetime(2026, 3, 12, 1, tzinfo=UTC), 11, "-04:00"),
]


def brain_in(path: Path, zone: str, now: datetime) -> SmartBrain:
    """Open a brain of somebody who lives in a time zone."""
    return SmartBrain.open(path, config={"timezone": zone}, clock=lambda: now)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("zone", "now", "today", "_offset"), ZONES)
@pytest.mark.parametrize("said", ["I need to call mom tomorrow", "我明天要给妈妈打电话"])
def test_tomorrow_is_the_day_after_the_users_own_today(
    tmp_path: Path, zone: str, now: datetime, today: int, _offset: str, said: str
) -> None:
    """A turn without a time is said at the tenant's offset, and runs again the same."""
    with brain_in(tmp_path, zone, now) as brain:
        brain.commit_turn("s", [user(said)])
        (task,) = brain.memories.list("tasks").items
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert f"2026-03-{today + 1}" == task.value["due"]
    assert now == task.said_at
    assert 0 == report.differing


@pytest.mark.spec("S1", "R2")
@pytest.mark.parametrize(("zone", "now", "today", "offset"), ZONES)
@pytest.mark.parametrize("asked", ["What did I say yesterday?", "我昨天说了什么？"])
def test_a_question_looks_for_yesterday_where_the_user_lives(
    tmp_path: Path, zone: str, now: datetime, today: int, offset: str, asked: str
) -> None:
    """Recall reads its words at the tenant's offset."""
    with brain_in(tmp_path, zone, now) as brain:
        (time,) = brain.recall(asked).trace.cues.times
    assert f"2026-03-{today - 1}T00:00:00{offset}" == time.since.isoformat()


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("zone", "now", "today", "offset"), ZONES)
def test_packets_and_contexts_look_for_yesterday_there_too(
    tmp_path: Path, zone: str, now: datetime, today: int, offset: str
) -> None:
    """What was said on the user's yesterday comes, what was said on UTC's does not."""
    said = {12: "grey pots", 11: "blue plates", 10: "red cups", 9: "green bowls"}
    with brain_in(tmp_path, zone, now) as brain:
        for day, words in said.items():
            at = f"2026-03-{day:02}T06:00:00{offset}"
            brain.commit_turn(f"s{day}", {"at": at, "messages": [user(f"We painted {words}.")]})
        packet = brain.build_memory_packet("new", "What did we paint yesterday?")
        context = brain.compose_context("new", "What did we paint yesterday?")
    assert f"We painted {said[today - 1]}." in packet.episodes[0].text
    assert f"2026-03-{today}" == context.created_at.date().isoformat()
