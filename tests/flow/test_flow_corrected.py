"""Corrections of what stands under keys of its own: the day of an event, a thing that is liked.

In: what somebody says and how they correct it, in Chinese and English. Out: the wrong one taken
back under its own key, the right one under its own, and nothing else touched.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.memory import Memory, Status

WEDNESDAY = datetime(2026, 3, 4, 8, 30, tzinfo=UTC)


def say(brain: SmartBrain, *messages: str, apart: timedelta = timedelta(minutes=1)) -> None:
    """Commit messages of the user from a Wednesday on, a turn each."""
    for number, message in enumerate(messages):
        at = (WEDNESDAY + number * apart).isoformat()
        brain.commit_turn("s", {"at": at, "messages": [user(message)]})


def told(brain: SmartBrain, kind: str) -> tuple[list[Memory], list[Memory]]:
    """Return what stands of a kind and what was taken back."""
    found = brain.memories.list(kind, status=None).items
    active = [one for one in found if one.status is Status.ACTIVE]
    return active, [one for one in found if one.status is Status.RETRACTED]


HOURS = [
    ("The design review is at 3pm tomorrow.", "No, actually it's at 4pm.", "4pm tomorrow"),
    ("The design review is at 3pm tomorrow.", "No, it's at 4.", "4pm tomorrow"),
    ("The design review is at 3pm tomorrow.", "It's not at 3pm but at 4pm.", "4pm tomorrow"),
    ("The design review is at 3pm tomorrow.", "No, the design review is at 4pm.", "4pm tomorrow"),
    ("The demo is tomorrow at 3pm.", "Correction: it's at 16:00.", "tomorrow at 16:00"),
    ("The meeting is at 3pm tomorrow", "No, actually it's at 4pm.", "4pm tomorrow"),
    ("The demo is tomorrow.", "No, actually it's at 4pm.", "tomorrow at 4pm"),
    ("明天下午3点开产品评审会", "不对，是下午4点", "明天下午4点"),
    ("明天下午3点开产品评审会", "不对，下午4点开产品评审会", "明天下午4点"),
    ("产品评审会在明天下午三点", "不对，应该是下午四点", "明天下午四点"),
    ("明天下午3点开产品评审会", "不是下午3点而是上午10点", "明天上午10点"),
    ("明天下午3点开会", "不对，是4点", "明天下午4点"),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("said", "then", "words"), HOURS)
def test_a_corrected_hour_leaves_the_day(tmp_path: Path, said: str, then: str, words: str) -> None:
    """The event stays on its day; the version with the wrong hour is taken back."""
    with fake_brain(tmp_path) as brain:
        say(brain, said, then)
        (active,), (wrong,) = told(brain, "events")
        assert "2026-03-05" == active.value["date"] == wrong.value["date"]
        assert active.key == wrong.key
        assert words in active.text
        assert words not in wrong.text


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("said", "then", "words"),
    [
        ("The demo is at 3pm on Friday.", "No, actually it's at 4pm.", "at 4pm on Friday"),
        ("The demo is at 3pm tomorrow.", "No, actually it's at 4pm.", "at 4pm 2026-03-05"),
        ("明天下午3点开产品评审会", "不对，是下午4点", "2026-03-05下午4点"),
    ],
)
def test_a_day_that_was_told_before_is_the_same_day_later(
    tmp_path: Path, said: str, then: str, words: str
) -> None:
    """Tomorrow is the day after it was said, though the hour is corrected half a day later."""
    with fake_brain(tmp_path) as brain:
        say(brain, said, then, apart=timedelta(hours=18))
        (active,), (wrong,) = told(brain, "events")
        assert active.value["date"] == wrong.value["date"]
        assert words in active.text


DAYS = [
    ("The design review is at 3pm tomorrow.", "No, actually it's on Friday.", "06", "3pm Friday"),
    ("The design review is at 3pm tomorrow.", "No, it's on Friday at 4pm.", "06", "Friday at 4pm"),
    ("The meeting is on Friday.", "No, actually it's on Thursday.", "05", "on Thursday"),
    ("The meeting is on Friday.", "It's not on Friday but on Thursday.", "05", "on Thursday"),
    ("The meeting is on Friday.", "It's on Thursday, not on Friday.", "05", "on Thursday"),
    ("The meeting is on Friday.", "No, the meeting is on Thursday.", "05", "on Thursday"),
    ("明天下午3点开产品评审会", "不对，是后天", "06", "后天下午3点"),
    ("明天下午3点开产品评审会", "不对，是后天下午4点", "06", "后天下午4点"),
    ("会议在周五", "不是周五而是周四", "05", "周四"),
    ("会议在周五", "是周四，不是周五", "05", "周四"),
    ("会议在周五", "应该是周四，而不是周五", "05", "周四"),
    ("周五开会", "不对，周四开会", "05", "周四"),
    ("明天开会", "不对，是后天", "06", "后天"),
    ("下周五开评审会", "不对，是周四", "12", "周四"),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("said", "then", "day", "words"), DAYS)
def test_a_corrected_day_leaves_the_hour(
    tmp_path: Path, said: str, then: str, day: str, words: str
) -> None:
    """Whatever a meeting is called, it is on one day afterwards, at the hour that was said."""
    with fake_brain(tmp_path) as brain:
        say(brain, said, then)
        (active,), (wrong,) = told(brain, "events")
        assert f"2026-03-{day}" == active.value["date"] != wrong.value["date"]
        assert words in active.text


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("others", "then", "left"),
    [
        (("The review is on Monday.", "The meeting is on Friday."),
         "No, actually it's on Thursday.", {"2026-03-05", "2026-03-09"}),
        (("下周一开评审会", "周五开会"), "不对，是周四", {"2026-03-05", "2026-03-09"}),
        (("The demo is on Friday. The review is on Monday.",),
         "No, the demo is on Thursday.", {"2026-03-05", "2026-03-09"}),
    ],
)  # fmt: skip
def test_a_correction_moves_what_it_means_alone(
    tmp_path: Path, others: tuple[str, ...], then: str, left: set[str]
) -> None:
    """Another meeting stays on its day."""
    with fake_brain(tmp_path) as brain:
        say(brain, *others, then)
        active, gone = told(brain, "events")
        assert left == {one.value["date"] for one in active}
        assert ["2026-03-06"] == [one.value["date"] for one in gone]


LIKINGS = [
    ("我喜欢喝咖啡", "其实我更喜欢喝茶", "喝咖啡", "喝茶"),
    ("我喜欢猫", "我喜欢的不是猫而是狗", "猫", "狗"),
    ("我喜欢猫", "不对，我喜欢狗", "猫", "狗"),
    ("I like cats.", "No, actually I like dogs.", "cats", "dogs"),
    ("I like coffee.", "Actually, I prefer tea.", "coffee", "tea"),
    ("I prefer rye bread.", "I changed my mind, I prefer wheat bread.", "rye_bread", "wheat_bread"),
]


@pytest.mark.spec("C4", "M2")
@pytest.mark.parametrize(("said", "then", "old", "new"), LIKINGS)
def test_a_corrected_liking_has_its_own_key(
    tmp_path: Path, said: str, then: str, old: str, new: str
) -> None:
    """What is not meant is taken back; the other is the same one when it is said again."""
    again = f"I like {new.replace('_', ' ')}." if new.isascii() else f"我喜欢{new}"
    with fake_brain(tmp_path) as brain:
        say(brain, said, then, again)
        active, gone = told(brain, "preferences")
        assert [(f"pref:other:{new}", 2)] == [(one.key, one.frequency) for one in active]
        assert [f"pref:other:{old}"] == [one.key for one in gone]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("I like cats.", "I no longer like tea, I like coffee."),
        ("我喜欢猫", "我不再喜欢茶了，我喜欢咖啡"),
        ("I like cats.", "Actually, I like dogs too."),
        ("我喜欢猫", "其实我也喜欢狗"),
    ],
)
def test_what_is_liked_besides_takes_nothing_back(tmp_path: Path, said: str, then: str) -> None:
    """Another thing that is not liked any more, or one that is liked too, ends no liking."""
    with fake_brain(tmp_path) as brain:
        say(brain, said, then)
        active, gone = told(brain, "preferences")
        assert 2 == len(active)
        assert [] == gone


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("We decided to use MySQL.", "No, actually we decided to use PostgreSQL."),
        ("我们决定用 MySQL", "不对，我们决定用 PostgreSQL"),
    ],
)
def test_a_corrected_decision_is_taken_back_in_either_language(
    tmp_path: Path, said: str, then: str
) -> None:
    """What was never decided is no version of what was."""
    with fake_brain(tmp_path) as brain:
        say(brain, said, then)
        (active,), (gone,) = told(brain, "decisions")
        assert "decision:general:database" == active.key == gone.key
        assert ("PostgreSQL" in active.text, "MySQL" in gone.text) == (True, True)


@pytest.mark.spec("M4", "C4", "E1")
@pytest.mark.parametrize(
    "messages",
    [
        [
            "The demo is at 3pm tomorrow.",
            "No, actually it's at 4pm.",
            "The demo is at 5pm tomorrow.",
        ],
        ["明天下午3点开产品评审会", "不对，是下午4点", "不对，是后天"],
        ["会议在周五", "不是周五而是周四", "会议在周四"],
        ["I like cats.", "No, actually I like dogs.", "I like dogs."],
        ["我喜欢喝咖啡", "其实我更喜欢喝茶", "我喜欢喝咖啡"],
        ["我们决定用 MySQL", "不对，我们决定用 PostgreSQL", "我们决定用 MySQL"],
    ],
    ids=" | ".join,
)
def test_corrections_come_out_the_same_in_any_order(tmp_path: Path, messages: list[str]) -> None:
    """Whenever a correction arrives, and what it corrects, the same is known and runs again."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(messages)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for place in order:
                at = (WEDNESDAY - timedelta(days=9_500) + place * timedelta(hours=1)).isoformat()
                brain.commit_turn("s", {"at": at, "messages": [user(messages[place])]})
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert outcomes[0]
