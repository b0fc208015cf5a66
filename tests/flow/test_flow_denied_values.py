"""Denials and dislikes that name a value: they end that one, and never another."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.result import CommitResult


def tell(brain: SmartBrain, *texts: str, session: str = "s") -> list[CommitResult]:
    """Say something on one day each, and return what became of it."""
    return [
        brain.commit_turn(session, {"at": f"2001-05-{day:02}T10:00:00Z", "messages": [user(text)]})
        for day, text in enumerate(texts, start=1)
    ]


def versions(brain: SmartBrain, kind: str) -> list[tuple[str, str]]:
    """Return the values of a type with their statuses, in the order of their keys."""
    found = brain.memories.list(kind, status=None).items
    told = [(one.value.get("value") or one.value["decision"], one.status.value) for one in found]
    return sorted(told)


OTHER = [
    ("preferences", "I use vim.", "I no longer use emacs."),
    ("preferences", "I prefer dark mode.", "I no longer like light mode."),
    ("preferences", "我用 vim", "我不再用 emacs 了"),
    ("preferences", "我喜欢深色主题。", "我不再喜欢浅色主题了。"),
    ("facts", "The staging database is Postgres 15.", "The staging database is no longer Oracle."),
    ("facts", "The office wifi is called Birch.", "The office wifi is no longer called Oak."),
    ("facts", "The team uses Scrum.", "The team no longer uses Kanban."),
    ("facts", "我们的测试数据库是 Postgres 15。", "测试数据库不再是 Postgres 14 了。"),
    ("facts", "团队用 Scrum。", "团队不再用 Kanban 了。"),
    ("decisions", "We decided to use Postgres for the database.",
     "We're no longer going with MySQL for the database."),
    ("decisions", "We decided to use Postgres for the database.",
     "We no longer use MySQL for the database."),
    ("decisions", "我们决定用 MySQL 作为数据库。", "我们不再用 Postgres 作为数据库了。"),
]  # fmt: skip


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("kind", "said", "denied"), OTHER)
def test_a_denial_of_another_value_leaves_what_stands(
    tmp_path: Path, kind: str, said: str, denied: str
) -> None:
    """Nothing that is remembered says what it denies, and the result tells so."""
    with fake_brain(tmp_path) as brain:
        _, result = tell(brain, said, denied)
        ((_, status),) = versions(brain, kind)
    assert "active" == status
    assert "nothing_to_retract" in [one.code for one in result.explain.retention]


SAME = [
    ("preferences", "I use vim.", "I no longer use vim for Python."),
    ("preferences", "I use Vim as my editor.", "I don't use vim any more."),
    ("preferences", "I prefer dark mode.", "I no longer like dark themes."),
    ("preferences", "I prefer dark mode.", "我不再喜欢深色模式了。"),
    ("preferences", "我喜欢深色主题。", "我不再喜欢深色模式了。"),
    ("facts", "The staging database is Postgres 15.", "The staging database is no longer Postgres"),
    ("facts", "我们的测试数据库是 Postgres 15。", "测试数据库不再是 Postgres 15 了。"),
    ("decisions", "We decided to use Postgres for the database.",
     "We are no longer using Postgres for the database."),
    ("decisions", "我们决定用 MySQL 作为数据库。", "我们不再用 MySQL 作为数据库了。"),
]  # fmt: skip


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("kind", "said", "denied"), SAME)
def test_a_denial_of_what_stands_takes_it_back_in_other_words_too(
    tmp_path: Path, kind: str, said: str, denied: str
) -> None:
    """A value may be named by less or more than its own words."""
    with fake_brain(tmp_path) as brain:
        tell(brain, said, denied)
        ((_, status),) = versions(brain, kind)
    assert "superseded" == status


AGAIN = [
    ("The office wifi is called Birch.", "No, that's wrong, the office wifi is called Oak."),
    ("测试库的端口是 5433。", "不对，测试库的端口是 5434。"),
]


@pytest.mark.spec("C11", "C5")
@pytest.mark.parametrize(("said", "corrected"), AGAIN)
def test_what_the_user_rejected_comes_back_when_the_user_says_it_again(
    tmp_path: Path, said: str, corrected: str
) -> None:
    """That it was rejected once does not count against them; the assistant cannot do it."""
    with fake_brain(tmp_path) as brain:
        tell(brain, said, corrected)
        right = brain.memories.list("facts").items[0].value["value"]
        brain.commit_turn("s", [{"role": "assistant", "content": said}])
        assert [right] == [one.value["value"] for one in brain.memories.list("facts").items]
        back = brain.commit_turn("s", [user(said)])
        (stands,) = brain.memories.list("facts").items
        first, *_ = brain.memories.history(stands.key)
    assert (first.value, "retracted") == (stands.value, first.status.value)
    assert ("facts", "written") in [(one.type, one.action) for one in back.explain.retention]


@pytest.mark.spec("C5")
@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("The office wifi is called Birch.", "Oak"),
        ("测试库的负责人是张伟。", "李雷"),
    ],
)
def test_what_is_told_of_a_version_is_the_status_that_it_has(
    tmp_path: Path, said: str, other: str
) -> None:
    """A tool that contradicts the user is decided on later, and its result says no more."""
    with fake_brain(tmp_path) as brain:
        tell(brain, said)
        (fact,) = brain.memories.list("facts").items
        key, result = fact.key, {"facts": [{**fact.value, "value": other}]}
        last = brain.commit_turn("s", {"tool_calls": [{"name": "facts", "result": result}]})
        (told,) = (one for one in last.explain.retention if one.type == "facts")
        statuses = [one.status.value for one in brain.memories.history(key)]
    assert ["active", "disputed"] == statuses
    assert ("deferred", "disputed") == (told.action, told.code)


BESIDE = [
    ("I use emacs.", "I don't use vim.", "pref:tools:editor", "pref:tools:vim"),
    ("I prefer dark mode.", "I don't like light mode.", "pref:ui:theme", "pref:ui:light_mode"),
    ("I use Firefox.", "I can't stand Chrome.", "pref:tools:browser", "pref:tools:chrome"),
    ("我用 emacs", "我不用 vim", "pref:tools:editor", "pref:tools:vim"),
    ("我喜欢深色主题", "我不喜欢浅色主题", "pref:ui:theme", "pref:ui:浅色主题"),
    ("我用 Firefox", "我受不了 Chrome", "pref:tools:browser", "pref:tools:chrome"),
    ("I prefer dark mode.", "我不喜欢浅色主题", "pref:ui:theme", "pref:ui:浅色主题"),
    ("I don't use vim.", "I don't use emacs.", "pref:tools:vim", "pref:tools:emacs"),
]


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("liked", "disliked", "key", "own"), BESIDE)
def test_a_dislike_of_another_thing_stands_beside_what_is_liked(
    tmp_path: Path, liked: str, disliked: str, key: str, own: str
) -> None:
    """What somebody does not use says nothing about what they do; said again it is the same."""
    with fake_brain(tmp_path) as brain:
        before, *_ = tell(brain, liked, disliked, disliked)
        found = {one.key: one for one in brain.memories.list("preferences", status=None).items}
    assert {key, own} == set(found)
    assert before.memory_written.items[0].id == found[key].id
    assert (1, "active", "active") == (
        found[key].frequency, found[key].status.value, found[own].status.value
    )  # fmt: skip
    assert 2 == found[own].frequency


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(
    ("liked", "disliked", "value", "told"),
    [
        ("I use vim.", "I don't use vim.", "vim", "not vim"),
        ("I prefer dark mode.", "I hate dark mode.", "dark mode", "not dark mode"),
        ("我用 vim", "我不用 vim", "vim", "不用vim"),
        ("我喜欢深色主题", "我讨厌深色主题", "深色主题", "讨厌深色主题"),
    ],
)
def test_a_dislike_of_what_stands_takes_it_back(
    tmp_path: Path, liked: str, disliked: str, value: str, told: str
) -> None:
    """It is denied, not only replaced, and what is said instead is remembered."""
    with fake_brain(tmp_path) as brain:
        tell(brain, liked, disliked)
        assert sorted([(value, "superseded"), (told, "active")]) == versions(brain, "preferences")


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(
    "told",
    [("I use emacs.", "I don't use vim.", "I use vim."), ("我用 emacs", "我不用 vim", "我用 vim")],
)
def test_who_uses_a_thing_after_all_dislikes_it_no_more(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """The two would contradict each other under two keys."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        (stands,) = brain.memories.list("preferences").items
    assert ("pref:tools:editor", "vim") == (stands.key, stands.value["value"])


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "key"),
    [("I don't use vim.", "pref:tools:vim"), ("我不用 vim", "pref:tools:vim")],
)
def test_a_dislike_that_meets_nothing_is_kept_where_it_belongs(
    tmp_path: Path, text: str, key: str
) -> None:
    """Under its own words: it says nothing of what is used instead."""
    with fake_brain(tmp_path) as brain:
        tell(brain, text)
        (stands,) = brain.memories.list("preferences").items
    assert key == stands.key


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("said", "then", "status"),
    [
        (*AGAIN[0], "retracted"),
        (*AGAIN[1], "retracted"),
        ("The office wifi is called Birch.",
         "The office wifi is no longer called Birch.", "superseded"),
        ("测试数据库是 Postgres 15。", "测试数据库不再是 Postgres 15 了。", "superseded"),
    ],
)  # fmt: skip
def test_what_was_taken_back_ends_when_it_was(
    tmp_path: Path, said: str, then: str, status: str
) -> None:
    """What is over held until then; what was a mistake never did."""
    with fake_brain(tmp_path) as brain:
        _, second = tell(brain, said, then)
        (key,) = {one.key for one in second.explain.retention if one.type == "facts"}
        first, *_ = brain.memories.history(key)
    assert (status, "2001-05-02T10:00:00+00:00") == (
        first.status.value, first.to_dict()["valid_until"]
    )  # fmt: skip


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("told", "stand"),
    [
        (("I like Python.", "I like Rust."), {"python": "Python", "rust": "Rust"}),
        (("我喜欢 Python", "我喜欢 Rust"), {"python": "Python", "rust": "Rust"}),
        (("I love Chrome.", "我喜欢 Firefox 浏览器"),
         {"chrome": "Chrome", "firefox": "Firefox 浏览器"}),
        (("I use vim.", "I like emacs."), {"editor": "vim", "emacs": "emacs"}),
        (("I like Python and Rust.", "I don't like Rust any more."), {"python": "Python"}),
        (("我喜欢 Python 和 Rust", "我不喜欢 Rust 了"), {"python": "Python"}),
        (("I like Python.", "我不再喜欢 Python 了。"), {}),
        (("I like Python.", "I don't like Python."), {"python": "not Python"}),
        (("I use vim.", "I don't like vim."), {"vim": "not vim"}),
        (("I prefer Python.", "I no longer like Python."), {}),
        (("I prefer vim over emacs.", "I prefer emacs over vim."), {"editor": "emacs over vim"}),
        (("我最喜欢 Python", "我最喜欢 Rust"), {"language": "Rust"}),
        (("I like Chrome best.", "I like Firefox best."), {"browser": "Firefox"}),
        (("I use vim as my editor.", "我用 emacs"), {"editor": "emacs"}),
        (("I like dark mode.", "I like light mode."), {"theme": "light mode"}),
        (("My favourite colour is blue.", "我最喜欢的颜色是绿色。"), {"favourite_color": "绿色"}),
    ],
)  # fmt: skip
def test_many_things_are_liked_and_one_is_preferred(
    tmp_path: Path, told: tuple[str, ...], stand: dict[str, str]
) -> None:
    """A liking takes nothing from another; what is preferred, used or liked best is the one."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        found = brain.memories.list("preferences").items
    assert stand == {one.value["name"]: one.value["value"] for one in found}


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "told",
    [
        ("I like Python.", "I like Rust.", "I don't like Python any more."),
        ("我喜欢 Python", "我用 vim", "我不喜欢 Python", "我喜欢 emacs"),
        ("I use vim.", "I like vim.", "I don't like vim.", "I like emacs."),
    ],
)
def test_likings_come_out_the_same_in_any_order(tmp_path: Path, told: tuple[str, ...]) -> None:
    """Whichever is told first, the same stand in the end."""
    days = [*enumerate(told, start=1)]
    ends = []
    for number, order in enumerate(permutations(days)):
        with fake_brain(tmp_path / str(number)) as brain:
            for day, text in order:
                turn = {"at": f"2001-05-{day:02}T10:00:00Z", "messages": [user(text)]}
                brain.commit_turn("s", turn)
            found = brain.memories.list("preferences").items
            ends.append(sorted((one.key, one.value["value"]) for one in found))
    assert [ends[0]] * len(ends) == ends
