"""What is given to be remembered: it corrects and ends as the same words do in a conversation."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain import SmartBrain

ENDED = [
    ("I live in Paris", "I no longer live in Paris"),
    ("我住在北京", "我不住在北京了"),
    ("The API port is 8080", "The API port is not 8080"),
    ("端口是 8080", "端口不是 8080"),
    ("I'm allergic to peanuts", "I'm not allergic to peanuts"),
    ("我对花生过敏", "我对花生不过敏"),
    ("I work at Google", "I left Google"),
    ("我在腾讯工作", "我从腾讯离职了"),
    ("The meeting with Bob is on Friday", "The meeting with Bob is cancelled"),
    ("我要写周报", "周报不用写了"),
    ("We use Kafka", "We are not using Kafka anymore"),
    ("I like tea", "I no longer like tea"),
    ("我喜欢喝茶", "我不再喜欢喝茶了"),
    ("我用 vim", "我不再用 vim 了"),
]
KEPT_OUT = ("episodes", "statements", "entities", "concepts")


def told(brain: SmartBrain, status: str | None = "active") -> list[tuple[str, str]]:
    """Return the keys of what is remembered, each with what it says."""
    rows = brain.memories.list(status=status, limit=1_000).items
    kept = [one for one in rows if one.type not in KEPT_OUT]
    return [(one.key, str(one.value.get("value") or one.value)) for one in kept]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("before", "now"), ENDED)
def test_a_denial_given_by_hand_ends_what_it_denies(tmp_path: Path, before: str, now: str) -> None:
    """It is no memory beside the one that it takes back."""
    with fake_brain(tmp_path) as brain:
        brain.remember(before)
        assert told(brain)
        brain.remember(now)
        assert told(brain) == []
        gone = brain.memories.list("facts", status=None).items
        assert {one.status.value for one in gone} <= {"retracted", "superseded"}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The API port is 8080", "Remember that the API port is not 8080"),
        ("端口是 8080", "记住端口不是 8080"),
        ("I like tea", "Don't forget that I no longer like tea"),
        ("我喜欢喝茶", "别忘了，我不再喜欢喝茶了"),
        ("I'm allergic to peanuts", "Please remember I'm not allergic to peanuts"),
        ("我对花生过敏", "请记住我对花生不过敏"),
        ("I work at Google", "Remember: I left Google"),
        ("The meeting with Bob is on Friday", "Please note that the meeting with Bob is cancelled"),
        ("We use Kafka", "记一下：we are not using Kafka anymore"),
    ],
)
def test_a_denial_that_is_to_be_remembered_ends_what_it_denies(
    tmp_path: Path, before: str, now: str
) -> None:
    """Somebody may ask for it in a conversation as well."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(before)])
        assert told(brain)
        brain.commit_turn("s", [user(now)])
        assert told(brain) == []


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("before", "now", "value"),
    [
        ("The API port is 8080", "No, it's 9090", "9090"),
        ("The API port is 8080", "The API port is not 8080 but 9090", "9090"),
        ("API 端口是 8080", "不对，是 9090", "9090"),
        ("API 端口是 8080", "API 端口不是 8080，是 9090", "9090"),
    ],
)
def test_a_correction_given_by_hand_takes_the_place_of_what_was_wrong(
    tmp_path: Path, before: str, now: str, value: str
) -> None:
    """The wrong value is retracted, under one key."""
    with fake_brain(tmp_path) as brain:
        brain.remember(before)
        ((key, _),) = told(brain)
        brain.remember(now)
        assert told(brain) == [(key, value)]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("before", "now"),
    [("I like tea", "forget that I like tea"), ("我喜欢喝茶", "忘掉我喜欢喝茶")],
)
def test_what_is_to_be_forgotten_is_not_noted(tmp_path: Path, before: str, now: str) -> None:
    """Neither where it was known nor where it was not."""
    with fake_brain(tmp_path) as brain:
        brain.remember(before)
        brain.remember(now)
        assert told(brain) == []
        brain.remember(now)
        assert told(brain) == []


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize("text", [now for _, now in ENDED])
def test_a_denial_of_what_nobody_knows_is_kept_as_a_note(tmp_path: Path, text: str) -> None:
    """What is given by hand is not lost, and what it denies is not remembered."""
    with fake_brain(tmp_path) as brain:
        brain.remember(text)
        ((_, said),) = told(brain)
        assert said == text


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("before", "now"), [("I need to call mom", "I called mom"), ("我要发报价单", "报价单发了")]
)
def test_a_deed_given_by_hand_closes_its_task_and_is_nothing_else(
    tmp_path: Path, before: str, now: str
) -> None:
    """It is done, and there is no note of it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(before)])
        brain.remember(now)
        (task,) = brain.memories.list("tasks").items
        assert task.value["status"] == "done"
        assert not brain.memories.list("facts").items


@pytest.mark.spec("C1")
@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "Don't remember this: I like pink",
        "Please do not store the following: I live in Rome.",
        "Don't memorize this: TODO call Bob",
        "Don't remember this. I like pink.",
        "I like pink, but don't remember that.",
        "Off the record: I work at Google",
        "You don't need to remember this: my name is Bob",
        "别记住这个：我喜欢粉色",
        "不要记录以下内容：我住在罗马",
        "这个不用记：我在 Google 工作",
        "我喜欢粉色，这个别记",
        "别记这个。我喜欢粉色。",
        "别把这个记下来：我喜欢粉色",
        "Please don’t note this down: I like pink",
        "Never save this: I like pink",
        "No need to remember this: I like pink",
    ],
)
def test_what_is_told_not_to_be_remembered_is_not(
    tmp_path: Path, text: str, *, by_hand: bool
) -> None:
    """It stays in the events."""
    with fake_brain(tmp_path) as brain:
        if by_hand:
            brain.remember(text)
        else:
            brain.commit_turn("s", [user(text)])
        assert told(brain, status=None) == []


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "told_so",
    [
        ("I like pink.", "Don't remember that."),
        ("I like pink. Don't remember this.",),
        ("My PIN is 1234, (don't remember this)",),
        ("我的门禁密码是1234，（这个别记）",),
        ("I like pink.", "Don't remember this: I like pink"),
        ("我喜欢粉色。", "别记这个。"),
        ("我喜欢粉色。不要记住这个。",),
        ("我喜欢粉色。", "这个不用记：我喜欢粉色"),
    ],
)
def test_what_was_said_before_and_is_not_to_be_remembered_goes(
    tmp_path: Path, told_so: tuple[str, ...]
) -> None:
    """The request means what was said last, if nothing comes after it."""
    with fake_brain(tmp_path) as brain:
        for text in told_so:
            brain.commit_turn("s", [user(text)])
        assert told(brain) == []


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "text",
    [
        "Don't forget this: I like pink",
        "I don't remember that. I like pink.",
        "Don't save the file: I like pink",
        "I like pink, I don't remember since when.",
        "别忘了：我喜欢粉色",
        "我不记得了。我喜欢粉色",
        "不用记笔记，我喜欢粉色",
        "别记错了，我喜欢粉色",
    ],
)
def test_other_words_of_remembering_keep_nothing_out(tmp_path: Path, text: str) -> None:
    """Who does not remember, or is not to forget, says what is so."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        assert [one.type for one in brain.memories.list("preferences").items] == ["preferences"]
