"""What was done in passing closes the task that it was, whoever did it, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from smartbrain import SmartBrain
from smartbrain.domain.result import CommitResult
from smartbrain.remember.extract.deeds import deed_of

AT: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)


def said(brain: SmartBrain, *texts: str, last: str = "user") -> CommitResult:
    """Commit messages of the user one after the other; return what became of the last.

    `last` is who says the last of them.
    """
    for minutes, text in enumerate(texts, start=1):
        at = (AT + timedelta(minutes=minutes)).isoformat()
        role = last if minutes == len(texts) else "user"
        result = brain.commit_turn("s", {"messages": [{"role": role, "content": text}], "at": at})
    return result


def states(brain: SmartBrain) -> list[tuple[str, str]]:
    """Return the tasks and their states."""
    tasks = brain.memories.list(type="tasks").items
    return sorted((one.value["title"], one.value["status"]) for one in tasks)


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "done", "title"),
    [
        ("I need to call mom", "called mom", "call mom"),
        ("I need to buy milk", "I bought the milk yesterday", "buy milk"),
        ("I need to review PR #13", "PR #13 is reviewed", "review PR #13"),
        ("I need to renew my passport", "I've renewed my passport", "renew my passport"),
        ("I need to call Tom", "I called Tom an hour ago.", "call Tom"),
        ("I need to call Tom", "Called Tom about the trip", "call Tom"),
        ("I need to email Bob the slides", "Just emailed Bob the slides.", "email Bob the slides"),
        ("我得发报价单", "报价单发了", "发报价单"),
        ("我得买牛奶", "牛奶买了，顺便逛了逛", "买牛奶"),
        ("我需要给妈妈打电话", "给妈妈打过电话了", "给妈妈打电话"),
        ("我得review PR #13", "PR #13 review了", "review PR #13"),
        ("I need to buy milk and eggs", "I bought the milk and the eggs", "buy milk and eggs"),
        ("要买牛奶和鸡蛋", "牛奶和鸡蛋都买好了", "买牛奶和鸡蛋"),
    ],
)
def test_what_was_to_be_done_and_is_done_is_closed(
    todo: str, done: str, title: str, tmp_path: Path
) -> None:
    """A deed in the past with the words of an open task sets it to done, and says so."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        result = said(brain, todo, done)
        assert [(title, "done")] == states(brain)
        assert "nothing_lasting" not in [one.code for one in result.explain.retention]


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("todo", "later"),
    [
        ("I need to call mom", "Mom called"),
        ("I need to call mom", "I haven't called mom"),
        ("I need to call mom", "I called Bob"),
        ("I need to call mom", "I called mom two years ago."),
        ("I need to buy milk", "I bought milk chocolate."),
        ("I need to call Tom", "I called Tom's lawyer."),
        ("I need to write the report", "I wrote half of the report."),
        ("我需要给妈妈打电话", "两年前给妈妈打过电话了"),
        ("I need to buy milk and eggs", "I bought the milk"),
        ("I need to call Anna and Bob", "I called Anna"),
        ("I need to call mom", "If I called mom, she would be happy"),
        ("I need to review PR #13", "PR #14 is reviewed"),
        ("I need to book a flight to Oslo", "I booked a flight to Paris"),
        ("我需要给妈妈打电话", "妈妈打电话了"),
        ("我需要发报价单", "客户发了报价单"),
        ("我需要发报价单", "报价单还没发"),
        ("我得买牛奶", "我买了面包"),
    ],
)
def test_other_deeds_close_nothing(todo: str, later: str, tmp_path: Path) -> None:
    """What others do, what was not done and what is done to something else leaves a task open."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, todo, later)
        assert ["todo"] == [state for _, state in states(brain)]


@pytest.mark.spec("C1", "C3", "C4")
@pytest.mark.parametrize(
    ("todo", "told"),
    [
        ("I need to fix the login bug.", "I fixed the login bug."),
        ("I need to fix the login bug.", "Done! I've fixed the login bug, all tests pass."),
        ("我要修好登录的 bug", "我修好了登录的 bug。"),
        ("我得发报价单", "报价单发了。"),
    ],
)
def test_the_assistant_reports_that_a_task_is_done(todo: str, told: str, tmp_path: Path) -> None:
    """It closes what the user has to do; it is no more sure than the assistant's word is."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        result = said(brain, todo, told, last="assistant")
        (task,) = brain.memories.list(type="tasks").items
        assert "done" == task.value["status"]
        assert task.confidence <= 0.6
        assert "assistant_word" not in [one.code for one in result.explain.retention]


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("I need to fix the login bug.", "I fixed the signup bug."),
        ("I need to fix the login bug.", "I haven't fixed the login bug yet."),
        ("I need to fix the login bug.", "I think I fixed the login bug."),
        ("I need to fix the login bug.", "Have I fixed the login bug?"),
        ("I need to buy milk", "Great, you bought the milk."),
        ("我要修好登录的 bug", "我还没修好登录的 bug。"),
        ("我得发报价单", "如果报价单发了，客户会高兴。"),
        ("My goal is to run a marathon this year.", "I ran the marathon!"),
        ("Hello 你好", "I fixed the login bug."),
        ("Hello 你好", "报价单发了。"),
    ],
)
def test_the_assistant_closes_nothing_else(before: str, told: str, tmp_path: Path) -> None:
    """Not what it has not done or guesses, not a goal, and nothing that nobody had to do."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        assert () == said(brain, before, told, last="assistant").memory_written.items
        standing = [*brain.memories.list("tasks").items, *brain.memories.list("goals").items]
        assert all(one.value["status"] in ("todo", "active") for one in standing)


@pytest.mark.spec("C1")
@pytest.mark.parametrize("text", ["I bought the milk", "called mom", "报价单发了", "牛奶买了"])
def test_a_deed_that_was_no_task_is_not_remembered(text: str, tmp_path: Path) -> None:
    """Without an open task it is chit-chat."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        assert () == said(brain, text).memory_written.items


@pytest.mark.parametrize("text", ["", "we", "is done", "I will call Bob", "了", "was", "还没买"])
def test_scraps_are_no_deeds(text: str) -> None:
    """What names no deed of the past is none."""
    assert deed_of(text) is None


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "told"),
    [
        (("I need to call mom.", "I need to buy milk."), "I called mom and bought milk."),
        (("I need to call mom.", "I need to buy milk."), "Bought milk and then called mom!"),
        (("I need to call mom.", "I need to buy milk."), "The milk is bought and mom is called."),
        (("我要给妈妈打电话", "我要买牛奶"), "我给妈妈打了电话，也买了牛奶"),
        (("我要给妈妈打电话", "我要买牛奶"), "我给妈妈打了电话还买了牛奶"),
        (
            ("I need to call mom.", "I need to buy milk.", "I need to book a hotel."),
            "I called mom and bought milk and booked a hotel.",
        ),
        (("I need to fix the login bug.",), "I fixed and tested the login bug."),
    ],
)
def test_every_deed_of_a_sentence_closes_its_task(
    todo: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    """What is told in one breath is done all the same."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, *todo, told)
        assert ["done"] * len(todo) == [state for _, state in states(brain)]


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("told", "done"),
    [
        ("I called mom and forgot the milk.", ["call mom"]),
        ("I called mom and Bob bought milk.", ["call mom"]),
        ("我给妈妈打了电话还没买牛奶", []),
    ],
)
def test_the_other_half_of_a_sentence_may_be_no_deed(
    told: str, done: list[str], tmp_path: Path
) -> None:
    """It closes nothing."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        zh = not told.isascii()
        todo = (
            ("我要给妈妈打电话", "我要买牛奶")
            if zh
            else ("I need to call mom", "I need to buy milk")
        )
        said(brain, *todo, told)
        assert done == [title for title, state in states(brain) if state == "done"]


@pytest.mark.spec("C1", "C4")
def test_one_of_several_things_that_is_done_leaves_the_others_open(tmp_path: Path) -> None:
    """What is told as done stands by itself beside what was to be done with it."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, "要买牛奶和鸡蛋。", "牛奶买好了。")
        assert [("买牛奶", "done"), ("买牛奶和鸡蛋", "todo")] == states(brain)


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("aim", "told", "status"),
    [
        ("My goal is to run a marathon this year.", "I ran the marathon!", "achieved"),
        ("我今年的目标是跑一次马拉松。", "我跑完马拉松了！", "achieved"),
        ("我想今年学会游泳。", "我学会游泳了。", "achieved"),
        ("My goal is to read 20 books this year.", "I read a book.", "active"),
        ("My goal is to run a marathon.", "I ran half a marathon.", "active"),
        ("My goal is to visit Japan.", "I visited Japan in 2012.", "active"),
        ("我的目标是跑马拉松。", "我跑了半程马拉松。", "active"),
        ("我的目标是减肥十斤。", "我减了两斤。", "active"),
    ],
)
def test_a_goal_is_achieved_by_all_of_what_it_is(
    aim: str, told: str, status: str, tmp_path: Path
) -> None:
    """A deed with every word of a goal reaches it; a part of it does not."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, aim, told)
        assert [status] == [one.value["status"] for one in brain.memories.list("goals").items]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "told", "status"),
    [
        ("I need to buy milk.", "I bought the milk. I need to buy milk again.", "todo"),
        ("I need to buy milk.", "I need to buy milk. I bought the milk.", "done"),
        ("我得发报价单", "报价单发了。我得发报价单", "todo"),
        ("我得发报价单", "我得发报价单。报价单发了。", "done"),
    ],
)
def test_a_deed_and_a_need_of_one_turn_are_taken_in_their_order(
    todo: str, told: str, status: str, tmp_path: Path
) -> None:
    """What is said last of a task is how far it is."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, todo, told)
        assert [status] == [state for _, state in states(brain)]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("texts", "status"),
    [
        (("I need to buy milk.", "Done."), ["done"]),
        (("I need to fix the login bug.", "It's done."), ["done"]),
        (("I need to fix the login bug.", "Fixed."), ["done"]),
        (("我得发报价单", "搞定了"), ["done"]),
        (("我得发报价单", "完成了"), ["done"]),
        (("I need to buy milk.", "Done?"), ["todo"]),
        (("I need to buy milk.", "Nice weather today.", "Done."), ["todo"]),
        (("I need to buy milk. I need to call mom.", "Done."), ["todo", "todo"]),
        (("我得发报价单", "今天天气不错", "搞定了"), ["todo"]),
        (("Hello", "Done."), []),
        (("你好", "搞定了"), []),
    ],
)
def test_a_bare_word_ends_the_one_task_just_spoken_of(
    texts: tuple[str, ...], status: list[str], tmp_path: Path
) -> None:
    """Where several tasks were spoken of, or none, it ends nothing."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, *texts)
        assert status == [state for _, state in states(brain)]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "later"),
    [
        ("I need to call Bob", "Forget about calling Bob"),
        ("I need to call Bob", "No need to call Bob any more"),
        ("I need to call Bob", "Don't bother calling Bob."),
        ("I need to buy milk", "Let's skip buying milk"),
        ("I need to write the report", "Never mind the report"),
        ("我要给 Bob 打电话", "不用给 Bob 打电话了"),
        ("我要给 Bob 打电话", "别给 Bob 打电话了"),
        ("我要写周报", "没必要写周报了"),
    ],
)
def test_what_is_not_to_be_done_any_more_is_taken_back(
    todo: str, later: str, tmp_path: Path
) -> None:
    """The task is there no more, nothing else is written, and it can be taken up again."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        assert said(brain, later).memory_written.count == 0
        said(brain, todo, later)
        assert [] == states(brain)
        said(brain, todo, later, todo)
        assert ["todo"] == [status for _, status in states(brain)]


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "later",
    ["Forget about calling Alice", "Never mind", "No need to thank me", "Never mind the weather"],
)
def test_what_names_no_task_takes_none_back(later: str, tmp_path: Path) -> None:
    """A manner of speaking, and what is about somebody else, leaves a task as it is."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, "I need to call Bob", later)
        assert [("call Bob", "todo")] == states(brain)


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [
        (
            "Alice needs to write the docs by Friday",
            "Alice finished the docs",
            ("write the docs", "done"),
        ),
        (
            "Alice needs to write the docs by Friday",
            "Alice wrote the docs.",
            ("write the docs", "done"),
        ),
        (
            "Alice needs to write the docs by Friday",
            "Alice's docs are finished",
            ("write the docs", "done"),
        ),
        (
            "Alice needs to write the docs by Friday",
            "Bob wrote the docs",
            ("write the docs", "todo"),
        ),
        (
            "Alice needs to write the docs by Friday",
            "Alice finished the slides",
            ("write the docs", "todo"),
        ),
        ("I need to call mom", "Bob called mom", ("call mom", "todo")),
        ("让小李去写文档", "小李的文档写完了", ("写文档", "done")),
        ("让小李去写文档", "小李写完文档了", ("写文档", "done")),
        ("让小李去写文档", "小李把文档写完了", ("写文档", "done")),
        ("让小李去写文档", "小王写完文档了", ("写文档", "todo")),
        ("I finished the slides", "The slides aren't finished", ("slides", "todo")),
        ("幻灯片写完了", "幻灯片没写完", ("写幻灯片", "todo")),
        ("幻灯片写完了", "重新打开幻灯片任务", ("写幻灯片", "todo")),
        ("幻灯片写完了", "把幻灯片这个任务重新打开", ("写幻灯片", "todo")),
        ("TODO: auth migration", "auth migration 进度50%了", ("auth migration", "doing")),
        ("我需要开发导出feature", "那个导出feature先hold住", ("开发导出feature", "blocked")),
        ("我需要开发导出功能", "导出功能先放一放", ("开发导出功能", "blocked")),
        ("TODO: pay rent", "rent is paid", ("pay rent", "done")),
    ],
)
def test_a_report_is_about_the_task_that_is_known(
    first: str, later: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    """Whose it is, that it is open again or how far it has come: it stays one task."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, first, later)
        assert [expected] == states(brain)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "text",
    ["Alice finished the docs", "那个feature先hold住", "PR还没merge", "The game isn't finished."],
)
def test_a_report_of_nothing_known_writes_nothing(text: str, tmp_path: Path) -> None:
    """What others did and things without a name are no tasks."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, text)
        assert [] == states(brain)


@pytest.mark.spec("C1")
def test_how_far_a_task_is_stands_in_its_notes_until_it_is_done(tmp_path: Path) -> None:
    """A newer report takes the place of the older one."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        said(brain, "我在做auth migration", "auth migration 进度50%了", "auth migration 进度80%")
        (task,) = brain.memories.list(type="tasks").items
        assert ["进度80%"] == task.value["notes"]
        at = (AT + timedelta(minutes=9)).isoformat()
        done = {"role": "user", "content": "auth migration 做完了"}
        brain.commit_turn("s", {"messages": [done], "at": at})
        (task,) = brain.memories.list(type="tasks").items
        assert ("done", []) == (task.value["status"], task.value.get("notes", []))
