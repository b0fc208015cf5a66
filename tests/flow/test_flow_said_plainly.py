"""Plain things that people say: what they take up again, own, agree to, and tell too late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from any_order import assert_replays
from flow_builders import assistant, fake_brain, user

from smartbrain import UsageError


def keys(path: Path, *messages: dict[str, Any]) -> list[tuple[str, str]]:
    """Commit a turn; return the keys and the values of what stands then."""
    with fake_brain(path) as brain:
        brain.commit_turn("s", list(messages))
        kinds = ("preferences", "facts", "decisions", "tasks")
        found = [one for kind in kinds for one in brain.memories.list(kind).items]
        return [
            (one.key, str(one.value.get("value") or one.value.get("decision"))) for one in found
        ]


@pytest.mark.spec("C11", "C6")
@pytest.mark.parametrize(
    ("told", "ended", "again"),
    [
        ("I use vim.", "I no longer use vim.", "I use vim again."),
        ("I use vim.", "I no longer use vim.", "I'm using vim again."),
        ("I use vim.", "I no longer use vim.", "I went back to vim."),
        ("I use vim.", "I no longer use vim.", "I'm back on vim."),
        ("I like coffee.", "I no longer like coffee.", "I like coffee again."),
        ("我用 vim", "我不用 vim 了", "我又用 vim 了"),
        ("我用 vim", "我不用 vim 了", "我重新用 vim 了"),
        ("我用 vim", "我不用 vim 了", "我换回 vim 了"),
        ("我喜欢咖啡", "我不喜欢咖啡了", "我又喜欢咖啡了"),
    ],
)
def test_what_is_taken_up_again_stands_again(
    tmp_path: Path, told: str, ended: str, again: str
) -> None:
    """A new assertion of the user brings back what the user had taken back."""
    with fake_brain(tmp_path) as brain:
        for day, text in enumerate((told, ended, again), start=1):
            brain.commit_turn("s", {"at": f"2001-05-{day:02}T10:00:00Z", "messages": [user(text)]})
        (one,) = brain.memories.list("preferences").items
        assert "2001-05-03" == one.said_at.date().isoformat()
        assert one.value["value"] in told
        assert_replays(brain)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My phone is +14155552671", [("fact:user:phone", "+14155552671")]),
        ("我的电话是13800138000", [("fact:user:phone", "13800138000")]),
        ("My phone is broken.", []),
        ("My notes app is broken", []),
        ("My editor is slow", []),
        ("我的手机坏了", []),
        ("我的编辑器坏了", []),
        ("我的浏览器一直崩溃", []),
        ("我的输入法有问题", []),
        ("My editor is vim", [("pref:tools:editor", "vim")]),
        ("我的编辑器是 vim", [("pref:tools:editor", "vim")]),
    ],
)
def test_the_state_of_a_thing_is_no_taste(
    tmp_path: Path, text: str, expected: list[tuple[str, str]]
) -> None:
    """A number is how to reach somebody, and a broken thing is nothing to remember."""
    assert expected == keys(tmp_path, user(text))


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    "asked",
    ["Shall we?", "Want to do that?", "Should we do that?", "Do you want to go with that?"],
)
@pytest.mark.parametrize("answer", ["Yes, let's do that.", "Yes"])
def test_a_yes_to_a_bare_question_takes_what_was_proposed(
    tmp_path: Path, asked: str, answer: str
) -> None:
    """A question that names nothing is about what was said before it."""
    proposed = f"I suggest we use PostgreSQL for the database. {asked}"
    expected = [("decision:general:database", "PostgreSQL for the database")]
    assert expected == keys(tmp_path, assistant(proposed), user(answer))


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize("asked", ["要这样做吗？", "要不要这么做？", "就这样做吗？"])
def test_a_chinese_yes_to_a_bare_question_takes_what_was_proposed(
    tmp_path: Path, asked: str
) -> None:
    """It is the same in Chinese."""
    said = keys(tmp_path, assistant(f"建议数据库用 PostgreSQL。{asked}"), user("好的，就这么办"))
    assert [("decision:general:database", "数据库用 PostgreSQL")] == said


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("The weather is nice. Should we do that?", "Yes"),
        ("I suggest we use PostgreSQL. What is your budget?", "Yes"),
        ("建议数据库用 PostgreSQL。要不要这么做？", "不要"),
    ],
)
def test_a_bare_question_alone_decides_nothing(tmp_path: Path, said: str, answer: str) -> None:
    """Where nothing was proposed, or the answer is no, nothing is decided."""
    assert [] == keys(tmp_path, assistant(said), user(answer))


@pytest.mark.spec("C1", "M4")
def test_every_turn_that_is_late_is_told_so(tmp_path: Path) -> None:
    """It is compared with the latest of its session by time, not with the last to arrive."""
    days = ("2001-03-05T10", "2001-02-01T10", "2001-02-01T11", "2001-02-15T10", "2001-03-06T10")
    with fake_brain(tmp_path) as brain:
        results = [
            brain.commit_turn("s", {"at": f"{day}:00:00Z", "messages": [user("hello")]})
            for day in days
        ]
    codes = [result.explain.retention[0].code for result in results]
    assert ["episode", *["episode_late"] * 3, "episode"] == codes


@pytest.mark.spec("M1")
@pytest.mark.parametrize("given", [{"key": "fact:a:b"}, {"type": "", "key": "fact:a:b"}])
def test_a_retraction_without_a_type_is_told_that_it_is_missing(
    tmp_path: Path, given: dict[str, str]
) -> None:
    """The error names the field."""
    with fake_brain(tmp_path) as brain, pytest.raises(UsageError, match="`type` is missing"):
        brain.commit_turn("s", {"messages": [user("x")], "retractions": [given]})


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("小王说他在腾讯工作", "hearsay"),
        ("张伟告诉我他不来了", "hearsay"),
        ("Tom said he works at Google", "hearsay"),
        ("小王说的对", "nothing_lasting"),
        ("今天说了很多", "nothing_lasting"),
    ],
)
def test_what_somebody_by_name_says_is_hearsay(tmp_path: Path, text: str, code: str) -> None:
    """The reason says that it is not the user's word."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
    assert code == result.explain.retention[-1].code
