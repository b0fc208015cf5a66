"""Turns of one session in any order of their arrival: each refers to the one before it in time.

In: dialogues whose turns mean something only behind another one. Out: the same memories always.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import assistant, fake_brain, user

REFERRING = [
    ["I prefer dark mode.", "Scratch that."],
    ["Hi. / Shall I remember that you prefer dark mode?", "Yes, please."],
    ["你好 / 要我记住你喜欢深色模式吗？", "好的，记住吧"],
    ["I need to buy milk.", "Done."],
    ["待办：写周报", "搞定了"],
    ["We decided to use MySQL for the database.", "No, actually SQLite."],
    ["I live in Oslo.", "Scratch that.", "I work at Google."],
    ["I live in Oslo.", "I prefer dark mode.", "Scratch that."],
    ["I live in Oslo.", "I prefer dark mode.", "Don't remember that."],
    ["我住在北京", "别记这个。", "待办：写周报"],
    ["I need to buy milk.", "I need to call Bob.", "Done."],
    ["待办：写周报", "我要发报价单", "搞定了"],
    ["The staging port is 8080.", "No, it's 9090.", "No, it's 7070."],
    ["测试库的端口是 5432", "不对，是 5433", "待办：写周报", "搞定了"],
    ["I prefer dark mode.", "Scratch that.", "I prefer dark mode.", "I need to call Bob."],
]


@pytest.mark.spec("M4", "C4")
@pytest.mark.parametrize("told", REFERRING, ids=" | ".join)
def test_the_order_within_a_session_decides_nothing(tmp_path: Path, told: list[str]) -> None:
    """A turn that refers to the one before it finds it, though that one arrives after it."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in order:
                said, *answers = told[day].split(" / ")
                messages = [user(said), *map(assistant, answers)]
                at = f"2000-01-{day + 1:02}T00:00:00Z"
                brain.commit_turn("s", {"at": at, "messages": messages})
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert outcomes[0]


@pytest.mark.spec("M4", "C4", "E1")
def test_what_a_turn_does_not_say_after_all_comes_from_who_said_it_later(tmp_path: Path) -> None:
    """A correction that turns out to mean something else leaves its value to who repeats it."""
    told = [(1, "The staging port is 8080."), (3, "No, it's 9090.")]
    with fake_brain(tmp_path) as brain:
        turns = {
            day: brain.commit_turn("s", {"at": f"2000-01-0{day}", "messages": [user(said)]}).turn_id
            for day, said in told
        }
        last = {"at": "2000-01-04", "messages": [user("The staging port is 9090.")]}
        turns[4] = brain.commit_turn("other", last).turn_id
        late = {"at": "2000-01-02", "messages": [user("I prefer dark mode.")]}
        brain.commit_turn("s", late)
        old, new = brain.memories.history("fact:staging:port")
        assert [turns[1], turns[4]] == [old.source_turn_id, new.source_turn_id]
        assert ["8080", "9090"] == [one.value["value"] for one in (old, new)]
        assert_replays(brain)


@pytest.mark.spec("M4", "C4")
@pytest.mark.parametrize("told", [("I need to buy milk.", "Done."), ("待办：写周报", "搞定了")])
def test_a_bare_done_stays_when_more_of_its_task_arrives(
    tmp_path: Path, told: tuple[str, str]
) -> None:
    """It names nothing, but what it ended is known."""
    days = (("s", "01", told[0]), ("s", "03", told[1]), ("other", "02", told[0]))
    with fake_brain(tmp_path) as brain:
        for session, day, said in days:
            brain.commit_turn(session, {"at": f"2000-01-{day}", "messages": [user(said)]})
        assert ["todo", "done"] == [one["value"]["status"] for one in memories(brain)]
        assert_replays(brain)


ASKED = [
    ("Shall I remind you to buy milk?", "Yes, please."),
    ("需要我把买牛奶加到待办清单吗？", "好的"),
]


@pytest.mark.spec("M4", "K12")
@pytest.mark.parametrize(("asked", "agreed"), ASKED)
def test_a_turn_that_is_read_again_says_why(tmp_path: Path, asked: str, agreed: str) -> None:
    """What became of it stands behind what was said of it first."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", {"at": "2000-01-02", "messages": [user(agreed)]}).turn_id
        assert 1 == len(brain.explain(turn_id=turn).steps)
        before = {"at": "2000-01-01", "messages": [user("Hi."), assistant(asked)]}
        brain.commit_turn("s", before)
        _, again = brain.explain(turn_id=turn).steps
    assert [("tasks", "new")] == [(one.type, one.code) for one in again.retention]


@pytest.mark.spec("M4", "K12")
@pytest.mark.parametrize("days", [(1, 3, 2), (3, 1, 4)])
@pytest.mark.parametrize(("asked", "agreed"), ASKED)
def test_a_turn_refers_to_the_one_before_it_in_time(
    tmp_path: Path, asked: str, agreed: str, days: tuple[int, ...]
) -> None:
    """Not to the one that arrived before it, which is of another day of the same session."""
    said = ([user("Hi."), assistant(asked)], [user("Hi.")], [user(agreed)])
    with fake_brain(tmp_path) as brain:
        for day, messages in zip(days, said, strict=True):
            brain.commit_turn("s", {"at": f"2000-01-{day:02}T00:00:00Z", "messages": messages})
        (task,) = memories(brain)
        assert f"2000-01-{days[2]:02}T00:00:00+00:00" == task["valid_since"]
        assert_replays(brain)
