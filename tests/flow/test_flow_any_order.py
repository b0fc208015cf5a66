"""Histories in any order: what was said first and what was said last is told by the turns' times.

In: the same turns, committed in every order. Out: the same memories with the same versions, as if
they had been told in order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from any_order import assert_replays, entities, memories
from flow_builders import assistant, fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.domain.graph import EdgeType

DENIED = [
    ["I work at Google", "I no longer work at Google"],
    ["我在腾讯工作", "我不在腾讯工作了"],
    ["We decided to use Postgres for the backend", "We no longer use Postgres for the backend."],
    ["I prefer vim", "I no longer use vim"],
    ["I need to call Bob", "I no longer need to call Bob"],
]
MIXED = [
    ["I prefer vim", "I no longer use vim", "I prefer emacs"],
    ["我在腾讯工作", "我不在腾讯工作了", "我在字节工作"],
    ["I work at Google", "I live in Berlin", "I no longer work at Google"],
    ["我在腾讯工作", "我住在北京", "我不在腾讯工作了"],
    [
        "We decided to use Postgres for the backend",
        "We decided to use MySQL for the backend",
        "we are not going to use MySQL after all",
    ],
    ["The staging port is 8080", "Correction: the staging port is 9090, not 8080"],
    ["I prefer dark mode", "I prefer dark mode", "I prefer light mode"],
    ["I work at Google", "I live in Berlin", "I work at Stripe"],
    ["I use vim", "I use emacs", "I no longer use vim"],
    ["我用 vim", "我用 emacs", "我不再用 vim 了"],
    ["I use vim", "I use emacs", "I no longer use emacs"],
    ["我用 vim", "我不再用 emacs 了", "我用 emacs"],
    ["I use vim", "I don't use vim"],
    ["我用 vim", "我不用 vim"],
]
TAKEN_UP_AGAIN = [
    ["I like tea.", "I don't like tea.", "I like tea."],
    ["我喜欢茶", "我不喜欢茶了", "我喜欢茶"],
    ["I work at Google", "I no longer work at Google", "I work at Google"],
    ["我在腾讯工作", "我不在腾讯工作了", "我在腾讯工作"],
    ["I use vim.", "I don't use vim.", "I use vim."],
    ["我用 vim", "我不用 vim", "我用 vim"],
    ["We decided to use MySQL for the database.", "不是 MySQL，而是 SQLite"] * 2,
    ["I need to renew my passport.", "The passport renewal is done."] * 2,
    ["我要写周报", "周报完成了", "我要写周报"],
    ["My goal is to run a marathon.", "I gave up on the marathon."] * 2,
    ["我的目标是跑马拉松", "我放弃跑马拉松了", "我的目标是跑马拉松"],
    ["我用 vim", "我不用 vim 了，我用 emacs", "我用 vim"],
    ["I use vim.", "I don't use vim anymore, I use emacs.", "I use vim."],
    ["I use vim.", "I no longer use vim. I use emacs.", "I use vim."],
]
BESIDE = [
    ["I use emacs.", "I don't use vim.", "I use vim."],
    ["我用 emacs", "我不用 vim", "我用 vim"],
    ["I use vim.", "I don't use vim.", "I use emacs."],
    ["我用 vim", "我不用 vim", "我用 emacs"],
]
LONG = [
    ["I use vim.", "I use vim.", "No, I use emacs.", "I use vim."],
    ["我用 vim", "我用 vim", "不对，我用 emacs", "我用 vim"],
    ["I use vim.", "I use emacs now.", "I no longer use emacs.", "I use nano."],
    ["I work at Google.", "I live in Oslo.", "I no longer work at Google.", "I work at Apple."],
    ["我在腾讯工作", "我住在北京", "我不在腾讯工作了", "我在字节工作"],
    [
        "I need to renew my passport.",
        "I fixed the passport thing.",
        "The passport renewal is done.",
        "I need to renew my passport.",
    ],
    [
        "The staging database is Postgres 15.",
        "The staging database is Postgres 16.",
        "No, the staging database is Postgres 14.",
        "The staging database is Postgres 16.",
    ],
    [
        "测试库的端口是 5432",
        "测试库的端口是 5433",
        "不对，测试库的端口是 5434",
        "测试库的端口是 5433",
    ],
]
DONE_IN_PASSING = [
    ["I need to buy milk.", "I bought the milk."],
    ["我得发报价单", "报价单发了"],
    ["My goal is to run a marathon.", "I ran the marathon!"],
    ["我的目标是跑马拉松", "我跑完马拉松了"],
    ["I need to buy milk.", "I bought the milk.", "I need to buy milk."],
    ["我得发报价单", "报价单发了", "我得发报价单"],
    ["My goal is to run a marathon.", "I ran the marathon!", "My goal is to run a marathon."],
    ["I need to fix the login bug.", "Assistant: I fixed the login bug."],
    ["我要修好登录的 bug", "Assistant: 我修好了登录的 bug。"],
    ["My goal is to run a marathon.", "Assistant: I ran the marathon!"],
    ["I need to buy milk.", "I bought the milk.", "I bought the milk yesterday."],
    ["我得买牛奶", "牛奶买了", "牛奶买好了", "我得买牛奶"],
    ["I need to buy milk.", "I bought the milk."] * 2,
    ["I need to buy milk.", "I no longer need to buy milk.", "I bought the milk."],
    ["I need to buy milk.", "I bought the milk.", "I no longer need to buy milk."],
    ["I need to call mom.", "I need to call mom about the trip.", "I called mom.", "I called mom."],
    ["I need to buy milk.", "I bought the milk.", "Buying milk is done.", "I bought the milk."],
    ["I bought the milk.", "I need to buy milk.", "I bought bread."],
    ["I need to buy milk.", "I bought the milk. I need to buy milk again."],
    ["我得发报价单", "报价单发了。我得发报价单"],
    ["I need to run a marathon.", "My goal is to run a marathon.", "I ran a marathon."],
    ["I need to call mom.", "I need to buy milk.", "I called mom and bought milk."],
    ["我要给妈妈打电话", "我要买牛奶", "我给妈妈打了电话还买了牛奶"],
]
APART = [
    ["I need to book a hotel.", "I need to book a hotel in Rome.", "The hotel is booked."],
    [
        "I need to book the hotel in Rome.",
        "Booking the hotel is done.",
        "I need to book the hotel.",
    ],
    ["我要订罗马的酒店", "酒店订好了", "我要订酒店"],
    ["我要买牛奶", "我要买牛奶糖", "我买了牛奶"],
    ["我要买牛奶糖", "我不用买牛奶了", "我要买牛奶"],
]
UNDONE = [
    [
        "I need to clean the kitchen.",
        "I cleaned the kitchen.",
        "Actually, I didn't clean the kitchen.",
    ],
    ["我要打扫厨房", "我打扫了厨房", "其实我没打扫厨房"],
    ["Cleaned the kitchen, done.", "Actually, I didn't clean the kitchen."],
    [
        "My goal is to run a marathon.",
        "I ran the marathon!",
        "Actually, I didn't run the marathon.",
    ],
]
OLD = [
    ["I need to buy milk.", "I bought the milk."],
    ["I need to buy milk.", "I bought the milk.", "I need to buy milk."],
    ["I need to buy milk.", "I need to buy milk."],
    ["I need to buy milk.", "I no longer need to buy milk."],
    ["My goal is to run a marathon.", "I ran the marathon!"],
    ["我要写周报", "周报完成了"],
    ["我得发报价单", "报价单发了", "我得发报价单"],
    ["我得发报价单", "我得发报价单"],
]
MOVED = [
    ["The launch is on May 1", "The launch is postponed to May 8"],
    [
        "The meeting is on March 20",
        "The meeting is moved to March 25",
        "The meeting is moved to March 27",
    ],
    ["发布会定在5月1日", "发布会推迟到5月8日", "发布会取消了"],
    ["The launch is on May 1", "The launch is cancelled", "The launch is on June 3"],
    ["The launch is on May 1", "The launch is on May 3", "The launch on May 1 is cancelled"],
    ["The demo is on March 20", "The demo is on March 25", "The demo is moved to March 27"],
    ["评审会定在3月20日", "评审会改到3月25日", "评审会改到3月27日", "评审会改到3月20日"],
    ["The launch is on May 1", "The demo is on May 2", "We called off the launch"],
    [
        "The design review is on March 20",
        "The review is moved to March 25",
        "The design review is cancelled",
        "The code review is on March 21",
    ],
    ["下周三和王总开会", "会议改到周四了", "和王总的会取消了"],
    ["下周三和王总开会", "和李总的会定在1月14日", "会议改到周四了"],
    ["Meeting with Jake next Thursday", "The meeting slipped to Friday", "Meeting with Ann today"],
    ["The design review is on January 7", "Friday's meeting is cancelled", "会议定在1月8日"],
]
MARATHON = {"project": "general", "name": "run a marathon"}
VERSIONS = [f"The staging database is {one}" for one in ("MySQL 8", "Redis 7", "Oracle 23")]


def tell(brain: SmartBrain, told: Sequence[str], order: Sequence[int]) -> None:
    """Commit turns of one day each in some order."""
    for day in order:
        at = f"2000-01-{day + 1:02}T00:00:00Z"
        said = told[day].removeprefix("Assistant: ")
        message = user(said) if said == told[day] else assistant(said)
        brain.commit_turn(f"s{day}", {"at": at, "messages": [message]})


def import_day(brain: SmartBrain, file: Path, day: int, said: str) -> None:
    """Import a history of one turn of a day."""
    line = {"role": "user", "content": said, "at": f"2000-01-{day + 1:02}T00:00:00Z"}
    file.write_text(json.dumps({**line, "session": f"s{day}"}) + "\n", encoding="utf-8")
    brain.import_chat(file)


def opposed(brain: SmartBrain, kind: str) -> set[tuple[str, str, str, str]]:
    """Return what of a type contradicts each other in a brain, with the times."""
    told = {one.id: one for one in brain.memories.list(kind, status=None).items}
    with inside(brain) as transaction:
        edges = [edge for one in told for edge in transaction.edges.of(one)]
    ends = [(told[one.src], told[one.dst]) for one in edges if one.type is EdgeType.CONTRADICTS]
    return {(a.text, str(a.said_at), b.text, str(b.said_at)) for a, b in ends}


@pytest.mark.spec("M4", "C4")
@pytest.mark.parametrize(
    "told",
    [
        *DENIED,
        *MIXED,
        *BESIDE,
        *LONG,
        *TAKEN_UP_AGAIN,
        *DONE_IN_PASSING,
        *APART,
        *UNDONE,
        *MOVED,
        VERSIONS,
    ],
    ids=" / ".join,
)
def test_the_order_of_arrival_decides_nothing(tmp_path: Path, told: list[str]) -> None:
    """Whatever comes first, the same versions come out, and they come out again in a replay."""
    orders = list(permutations(range(len(told))))
    outcomes, contradictions = [], []
    for number, order in enumerate(orders):
        with fake_brain(tmp_path / str(number)) as brain:
            tell(brain, told, order)
            outcomes.append(memories(brain) + entities(brain))
            contradictions.append(opposed(brain, "facts"))
            if number % 5 == 0 or order == orders[-1]:
                assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert outcomes[0]
    assert [contradictions[0]] * len(contradictions) == contradictions


@pytest.mark.spec("C7", "C5")
@pytest.mark.parametrize(
    ("told", "pairs"),
    [
        (["我用 vim", "我不用 vim 了，我用 emacs", "我用 vim"], 2),
        (["I use vim.", "I no longer use vim. I use emacs.", "I use vim."], 2),
        (["I use vim.", "I use vim.", "I no longer use vim."], 1),
        (["我用 vim", "我用 vim", "我不用 vim 了", "我不用 vim 了"], 2),
    ],
)
def test_the_order_of_arrival_decides_no_contradiction(
    tmp_path: Path, told: list[str], pairs: int
) -> None:
    """A statement is tied to the last one before it that says the contrary, by their times."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(
            tmp_path / str(number), policies={"linking": {"same_event_days": 9}}
        ) as brain:
            tell(brain, told, order)
            outcomes.append(opposed(brain, "statements"))
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert 2 * pairs == len(outcomes[0])


@pytest.mark.spec("S1", "M4", "C4")
@pytest.mark.parametrize("told", OLD, ids=" / ".join)
def test_the_order_of_imports_decides_nothing(tmp_path: Path, told: list[str]) -> None:
    """What arrives archived for its age ends, goes on and is taken back like what stands."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in order:
                import_day(brain, tmp_path / f"{number}_{day}.jsonl", day, told[day])
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert outcomes[0]


@pytest.mark.spec("S1", "C1", "C4")
@pytest.mark.parametrize(
    ("old", "now", "came"),
    [
        ("I need to renew my passport.", "Renewing my passport is done.", ("active", "done")),
        ("I need to renew my passport.", "I need to renew my passport.", ("active", "todo")),
        (
            "I need to renew my passport.",
            {"retractions": [{"type": "tasks", "key": "task:general:renew_my_passport"}]},
            None,
        ),
        (
            "My goal is to run a marathon.",
            {"goals": [{**MARATHON, "status": "achieved", "confirmed": True}]},
            ("active", "achieved"),
        ),
        ("我要换护照", "护照换好了", ("active", "done")),
        ("我要写周报", "周报完成了", ("active", "done")),
        ("我要写周报", "我要写周报", ("active", "todo")),
    ],
)
def test_what_was_put_away_is_spoken_of_again(
    tmp_path: Path, old: str, now: str | dict[str, Any], came: tuple[str, str] | None
) -> None:
    """A turn after the import finds it, and no other memory comes of it; a replay agrees."""
    with fake_brain(tmp_path / "brain") as brain:
        import_day(brain, tmp_path / "old.jsonl", 0, old)
        brain.commit_turn("now", now if isinstance(now, dict) else {"messages": [user(now)]})
        found = memories(brain)
        assert 1 == len({one["key"] for one in found})
        stands = [one for one in found if one["status"] in ("active", "archived")]
        assert [came] * (came is not None) == [
            (one["status"], one["value"]["status"]) for one in stands
        ]
        assert_replays(brain)


@pytest.mark.spec("C4")
@pytest.mark.parametrize("told", DENIED, ids=lambda told: told[-1])
def test_what_was_denied_before_it_arrives_does_not_stand(tmp_path: Path, told: list[str]) -> None:
    """It is kept with the time in which it held, and the result says what became of it."""
    with fake_brain(tmp_path) as brain:
        tell(brain, told, (1,))
        at = {"at": "2000-01-01T00:00:00Z", "messages": [user(told[0])]}
        result = brain.commit_turn("s0", at)
        (memory,) = memories(brain)
    assert ("superseded", "2000-01-02T00:00:00+00:00") == (memory["status"], memory["valid_until"])
    assert ["older_than_active"] == [
        one.code for one in result.explain.retention if one.type not in ("episodes", "entities")
    ]


@pytest.mark.spec("M4", "C5")
def test_a_fact_that_arrives_late_held_until_the_next_was_said(tmp_path: Path) -> None:
    """As of a time between two versions the older one is the answer."""
    with fake_brain(tmp_path) as brain:
        tell(brain, VERSIONS, (2, 0, 1))
        asked = "What is the staging database?"
        answers = [
            brain.recall(asked, types="facts", as_of=f"2000-01-{day:02}T12:00:00Z").items[0].text
            for day in (1, 2, 3)
        ]
    assert VERSIONS == answers


def chat(number: int, at: float, said: str) -> dict[str, Any]:
    """Return a conversation of a ChatGPT export."""
    message = {
        "id": f"m{number}",
        "author": {"role": "user"},
        "create_time": at,
        "content": {"content_type": "text", "parts": [said]},
    }
    nodes = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["m"]},
        "m": {"id": "m", "message": message, "parent": "root", "children": []},
    }
    about = {"conversation_id": f"c{number}", "title": f"t{number}", "current_node": "m"}
    return {**about, "create_time": at, "mapping": nodes}


@pytest.mark.spec("S1", "M4")
@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(
    "told",
    [
        ("I need to buy milk", "Buying milk is done", "buy_milk"),
    ],
)
def test_an_export_is_read_from_its_oldest_conversation_on(
    tmp_path: Path, newest_first: bool, told: tuple[str, str, str]
) -> None:
    """A task that is ended in a newer conversation, which the file has first, is the same one."""
    chats = [chat(1, 9e8, told[0]), chat(2, 9.1e8, told[1])]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(chats[::-1] if newest_first else chats), encoding="utf-8")
    with fake_brain(tmp_path / "brain") as brain:
        report = brain.import_chat(file)
        tasks = brain.memories.list("tasks", status="active").items
    assert 2 == report.turns
    assert [(f"task:general:{told[2]}", "done")] == [
        (one.key, one.value["status"]) for one in tasks
    ]
