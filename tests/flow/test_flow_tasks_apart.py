"""Which task is meant: one task in several wordings is one, and two that sound alike are two.

In: what somebody has to do, has done or need not do any more, a turn each. Out: the tasks that
stand, with their states.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def tasks(folder: Path, *messages: str) -> dict[str, str]:
    """Return the states of the tasks that stand after messages of the user, by their keys."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        found = brain.memories.list("tasks").items
    return {one.key.removeprefix("task:general:"): one.value["status"] for one in found}


@pytest.mark.spec("M2", "C1")
@pytest.mark.parametrize(
    ("said", "key", "state"),
    [
        ("I need to buy milk.", "buy_milk", "todo"),
        ("Buying milk is done.", "buy_milk", "done"),
        ("Buying milk: done", "buy_milk", "done"),
        ("Mark buying milk as done.", "buy_milk", "done"),
        ("Booking the hotel is done.", "book_the_hotel", "done"),
        ("Migrating the users is in progress.", "migrate_the_users", "doing"),
        ("买牛奶完成了", "买牛奶", "done"),
        ("牛奶买好了", "买牛奶", "done"),
        ("The landing page is done.", "landing_page", "done"),
        ("Shopping list is done.", "shopping_list", "done"),
        ("The building permit is done.", "building_permit", "done"),
    ],
)
def test_a_task_has_one_name_in_every_wording(
    tmp_path: Path, said: str, key: str, state: str
) -> None:
    """The act of doing it names it as well; a thing that only sounds like an act is a thing."""
    assert {key: state} == tasks(tmp_path, said)


@pytest.mark.spec("M2", "C4")
@pytest.mark.parametrize(
    "told",
    [
        ("Buying milk is done.", "I need to buy milk.", "I no longer need to buy milk."),
        ("I need to buy milk.", "Buying milk is blocked.", "I no longer need to buy milk."),
        ("买牛奶完成了", "我要买牛奶", "我不用买牛奶了"),
        ("牛奶买好了", "我要买牛奶", "我不用买牛奶了"),
    ],
)
def test_what_is_told_denied_and_done_is_one_task(tmp_path: Path, told: tuple[str, ...]) -> None:
    """A denial finds it, whichever wording came first."""
    assert {} == tasks(tmp_path, *told)


TWO = [
    ("I need to book a hotel.", "I need to book a hotel in Rome."),
    ("I need to buy milk.", "I need to buy milk chocolate."),
    ("我要订酒店", "我要订罗马的酒店"),
    ("我要买牛奶", "我要买牛奶糖"),
    ("我要写周报", "我要写周报模板"),
]


@pytest.mark.spec("C1", "M2")
@pytest.mark.parametrize("told", [*TWO, *(pair[::-1] for pair in TWO)])
def test_one_that_says_more_is_another_task(tmp_path: Path, told: tuple[str, str]) -> None:
    """Both are open, whichever was told first."""
    assert ["todo", "todo"] == list(tasks(tmp_path, *told).values())


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("told", "stand"),
    [
        (("I need to book a hotel in Rome.", "The hotel is booked."), ["done"]),
        (("I need to book a hotel.", "The hotel is booked."), ["done"]),
        (("我要订罗马的酒店", "酒店订好了"), ["done"]),
        (("我要订罗马的酒店", "我订了酒店"), ["done"]),
        (("I need to fix the login page.", "The login is fixed."), ["done"]),
    ],
)
def test_the_one_task_that_is_meant_is_named_by_few_words(
    tmp_path: Path, told: tuple[str, str], stand: list[str]
) -> None:
    """Where there is no other, it need not be told in full."""
    assert stand == list(tasks(tmp_path, *told).values())


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("done", "key"),
    [
        ("The hotel is booked.", "book_a_hotel"),
        ("I booked a hotel.", "book_a_hotel"),
        ("The hotel in Rome is booked.", "book_a_hotel_in_rome"),
    ],
)
@pytest.mark.parametrize("told", [TWO[0], TWO[0][::-1]])
def test_of_two_the_one_is_done_that_is_called_so(
    tmp_path: Path, told: tuple[str, str], done: str, key: str
) -> None:
    """Whichever was told last."""
    states = tasks(tmp_path, *told, done)
    assert [key] == [one for one, state in states.items() if state == "done"]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "then"),
    [
        ("I need to buy milk.", "Buying milk chocolate is done."),
        ("I need to buy milk.", "I no longer need to buy milk chocolate."),
        ("I need to buy milk chocolate.", "I bought milk."),
        ("I need to buy milk chocolate.", "The milk is bought."),
        ("I need to buy milk chocolate.", "I no longer need to buy milk."),
        ("我要买牛奶", "我买了牛奶糖"),
        ("我要买牛奶", "买牛奶糖完成了"),
        ("我要买牛奶", "我不用买牛奶糖了"),
        ("我要买牛奶糖", "我买了牛奶"),
        ("我要买牛奶糖", "我不用买牛奶了"),
        ("我要联系李雷", "我联系了李雷的老师"),
    ],
)
def test_what_becomes_of_another_thing_leaves_a_task_open(
    tmp_path: Path, todo: str, then: str
) -> None:
    """A name that goes on is the name of something else."""
    states = tasks(tmp_path, todo, then)
    assert "todo" == next(iter(states.values()))


@pytest.mark.spec("C1", "M2")
@pytest.mark.parametrize(
    ("todo", "then"),
    [
        ("I need to fix the login bug", "I fixed the signup bug"),
        ("I need to fix the login bug", "Fixed the payment bug"),
        ("I need to fix the login bug", "I fixed the login page"),
        ("I need to fix the login bug", "I fixed a typo in the login docs"),
        ("I need to fix the login bug", "I'm blocked on the signup bug"),
        ("I need to deploy the API server", "I deployed the web server"),
        ("I need to submit the tax form", "I submitted the visa form"),
        ("待办：修登录 bug", "登录页面修好了"),
        ("待办：修登录 bug", "我修好了注册 bug"),
        ("待办：修登录 bug", "登录文档的错别字修好了"),
        ("待办：fix 登录 bug", "I fixed the 支付 bug"),
    ],
)
def test_what_shares_some_words_with_a_task_is_another(
    tmp_path: Path, todo: str, then: str
) -> None:
    """Each names something that the other does not: the one stays open beside the other."""
    states = list(tasks(tmp_path, todo, then).values())
    assert "todo" in states
    assert len(states) == 2 or "错别字" in then


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "then",
    ["I bought a book about milk", "The book about milk is bought", "我买了一本关于牛奶的书"],
)
def test_what_is_of_a_thing_is_not_the_thing(tmp_path: Path, then: str) -> None:
    """A book about milk is a book."""
    todo = "待办：买牛奶" if not then.isascii() else "I need to buy milk"
    assert ["todo"] == list(tasks(tmp_path, todo, then).values())


@pytest.mark.spec("C1", "M2")
@pytest.mark.parametrize(
    ("todo", "then"),
    [
        ("I need to fix the login bug", "I fixed the bug"),
        ("I need to fix the login bug", "Fixed"),
        ("I need to fix the login bug", "fixed the bug in the login"),
        ("I need to fix the login bug", "I resolved the login bug"),
        ("I need to fix the login bug", "I fixed the login issue"),
        ("I need to fix the login bug", "The login bug fix is done"),
        ("I need to buy milk", "I bought a bottle of milk"),
        ("I need to water the plants", "I watered all of the plants"),
        ("I need to call the doctor", "I called the doctor about the results"),
        ("I need to book a flight to Rome", "I booked the flight"),
        ("I need to write unit tests for the parser", "I finished the parser tests"),
        ("待办：修登录 bug", "修好了"),
        ("待办：修登录 bug", "bug 修好了"),
        ("待办：修登录 bug", "登录的 bug 修好了"),
        ("待办：修登录 bug", "登录问题修好了"),
        ("待办：买牛奶", "我买了两瓶牛奶"),
        ("待办：给客户发报价单", "报价单发给客户了"),
        ("待办：fix 登录 bug", "I fixed the 登录 bug"),
    ],
)
def test_a_task_is_closed_by_other_words_of_the_same_thing(
    tmp_path: Path, todo: str, then: str
) -> None:
    """Fewer words, another verb, how much of it, and to whom: it is the same."""
    assert ["done"] == list(tasks(tmp_path, todo, then).values())


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("said", "key", "state"),
    [
        ("The login screen is done", "login_screen", "done"),
        ("The home screen is finished", "home_screen", "done"),
        ("The settings window is blocked", "settings_window", "blocked"),
        ("登录屏幕做完了", "登录屏幕", "done"),
    ],
)
def test_how_far_a_thing_is_that_nobody_knew_writes_it(
    tmp_path: Path, said: str, key: str, state: str
) -> None:
    """A screen of a program is work, told by which one it is."""
    assert {key: state} == tasks(tmp_path, said)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "said", ["The screen is fixed", "My phone screen is fixed", "The window is fixed", "屏幕修好了"]
)
def test_a_thing_of_the_house_is_no_work(tmp_path: Path, said: str) -> None:
    """That a screen works again is small talk."""
    assert {} == tasks(tmp_path, said)
