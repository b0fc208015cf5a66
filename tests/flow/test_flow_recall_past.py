"""Questions for how it was: by the words of a message, and as of a time."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations
from pathlib import Path

import pytest
from recall_builders import NOW, opened, say

from smartbrain.testing.clock import FakeClock

DAY = timedelta(days=1)


@pytest.mark.spec("R2", "M4")
@pytest.mark.parametrize(
    "query",
    [
        "What was the printer room before?",
        "Which room did the printer use to be in?",
        "Where was the printer previously?",
        "printer 之前它在哪个 room？",
        "printer 的 room 以前是哪里",
    ],
)
def test_who_asks_how_it_was_finds_what_nothing_took_the_place_of(
    tmp_path: Path, query: str
) -> None:
    """It was taken back, and no version stands under its key."""
    with opened(tmp_path) as brain:
        value = {"subject": "printer", "attribute": "room", "value": "basement"}
        brain.memories.put("facts", "fact:printer:room", value)
        brain.memories.retract("fact:printer:room", reason="gone")
        assert [] == list(brain.recall("printer room"))
        (found,) = brain.recall(query)
        packet = brain.build_memory_packet("n", query)
    assert ("fact:printer:room", "retracted") == (found.key, found.status)
    assert "basement" in str(packet.to_dict())


ENDED = [
    ("我喜欢喝绿茶。", "我不再喜欢喝绿茶了。", "绿茶"),
    ("I prefer dark mode.", "I no longer prefer dark mode.", "dark mode"),
    ("The server port is 8080.", "The server port is no longer 8080.", "server port"),
]


@pytest.mark.spec("R3", "M4", "C4")
@pytest.mark.parametrize(("said", "over", "query"), ENDED)
def test_what_is_over_held_until_then(tmp_path: Path, said: str, over: str, query: str) -> None:
    """As of a time between the two it is known; before and after it is not."""
    clock = FakeClock(NOW)
    with opened(tmp_path, clock=clock) as brain:
        say(brain, said)
        clock.now = NOW + 5 * DAY
        say(brain, over)
        clock.now = NOW + 9 * DAY
        answers = [
            [one.status for one in brain.recall(query, types=["facts", "preferences"], as_of=at)]
            for at in (NOW - DAY, NOW + 2 * DAY, NOW + 6 * DAY, None)
        ]
    assert [[], ["superseded"], [], []] == answers


@pytest.mark.spec("R3", "M4", "C4")
@pytest.mark.parametrize(
    ("said", "wrong", "query"),
    [
        ("The server port is 8080.", "No, the server port is not 8080.", "server port"),
        ("服务器端口是 8080。", "不对，服务器端口不是 8080。", "服务器端口"),
    ],
)
def test_what_was_wrong_never_held(tmp_path: Path, said: str, wrong: str, query: str) -> None:
    """A correction counts for all times."""
    clock = FakeClock(NOW)
    with opened(tmp_path, clock=clock) as brain:
        say(brain, said)
        clock.now = NOW + 5 * DAY
        say(brain, wrong)
        found = brain.recall(query, types=["facts", "preferences"], as_of=NOW + 2 * DAY)
    assert [] == list(found)


@pytest.mark.spec("M4", "C4")
@pytest.mark.parametrize(("said", "over", "query"), ENDED[:2])
def test_what_is_over_is_so_in_any_order(tmp_path: Path, said: str, over: str, query: str) -> None:
    """Said, over, and said again: whichever turn arrives first."""
    told = [(said, NOW - 9 * DAY), (over, NOW - 6 * DAY), (said, NOW - 3 * DAY)]
    seen = set()
    for place, turns in enumerate(permutations(told)):
        with opened(tmp_path / str(place)) as brain:
            for words, at in turns:
                say(brain, words, at=at, session=at.isoformat())
            answers = tuple(
                tuple(one.text for one in brain.recall(query, types="preferences", as_of=at))
                for at in (NOW - 10 * DAY, NOW - 8 * DAY, NOW - 5 * DAY, NOW - 2 * DAY)
            )
            key = brain.recall(query, types="preferences")[0].key
            tags = tuple(one.tags for one in brain.memories.history(key))
            seen.add((tuple(map(len, answers)), tags))
    assert {((0, 1, 0, 1), (("ended",), ()))} == seen


BEFORE = ("Where did I live before?", "我以前住在哪里？")


@pytest.mark.spec("M4", "C11", "R7")
@pytest.mark.parametrize(
    ("turns", "query", "gone"),
    [
        (
            ["The server port is 8080.", "No, the server port is not 8080."],
            "What was the server port before?",
            "8080",
        ),
        (
            ["服务器端口是 8080。", "不对，服务器端口不是 8080。"],
            "服务器端口以前是多少？",
            "8080",
        ),
        (
            ["I am allergic to penicillin.", "No, I am not allergic to penicillin."],
            "What did I say previously about my allergy?",
            "penicillin",
        ),
    ],
)
def test_what_was_wrong_is_in_no_history(
    tmp_path: Path, turns: list[str], query: str, gone: str
) -> None:
    """Who asks how it was is not told what never was."""
    with opened(tmp_path) as brain:
        for place, text in enumerate(turns):
            say(brain, text, session=f"s{place}")
        packet = brain.build_memory_packet("n", query)
        found = brain.recall(query, types=["profile", "facts"], include_history=True)
    assert [] == [one.text for one in (*packet.facts, *found) if gone in f"{one.text} {one.value}"]


@pytest.mark.spec("M4", "R7")
@pytest.mark.parametrize(
    ("said", "later", "query", "held"),
    [
        ("I live in Bergen.", "I moved: I live in Oslo now.", BEFORE[0], "Bergen"),
        ("我住在杭州。", "我搬家了，现在住在苏州。", BEFORE[1], "杭州"),
        (
            "I work at Siemens.",
            "I no longer work at Siemens.",
            "Where did I work before?",
            "Siemens",
        ),
        ("我在腾讯上班。", "我不在腾讯上班了。", "我以前在哪里工作？", "腾讯"),
        ("我在阿里上班。", "我离职了，现在在腾讯上班。", "我以前在哪上班？", "阿里"),
    ],
)
def test_what_held_and_ended_is_history(
    tmp_path: Path, said: str, later: str, query: str, held: str
) -> None:
    """What changed or is over is told to who asks how it was."""
    with opened(tmp_path) as brain:
        say(brain, said)
        say(brain, later)
        packet = brain.build_memory_packet("n", query)
    assert any(held in one.text for one in packet.facts)


VERSIONS = [
    ("The server's port is 8080.", "The server's port is 9090."),
    ("服务器的端口是 8080。", "服务器的端口是 9090。"),
]


@pytest.mark.spec("R2", "R7", "M4")
@pytest.mark.parametrize(
    ("versions", "query", "asks_past"),
    [
        (VERSIONS[0], "What is the port used to access the server?", False),
        (VERSIONS[0], "The port used to connect to the server?", False),
        (VERSIONS[0], "the server port I used to open the console", False),
        (VERSIONS[0], "What is the port of the old server?", False),
        (VERSIONS[0], "What did the port of the server used to be?", True),
        (VERSIONS[0], "What was the previous port of the server?", True),
        (VERSIONS[0], "the former port of the server", True),
        (VERSIONS[0], "the server's old port", True),
        (VERSIONS[1], "用来登录服务器的端口是多少", False),
        (VERSIONS[1], "老服务器的端口是多少", False),
        (VERSIONS[1], "服务器的历史端口", True),
        (VERSIONS[1], "服务器之前的端口", True),
        (VERSIONS[1], "服务器原来的端口", True),
        (VERSIONS[1], "服务器端口 previous value 是多少", True),
    ],
)
def test_a_version_that_no_longer_holds_is_for_who_asks_for_it(
    tmp_path: Path, versions: tuple[str, str], query: str, asks_past: bool
) -> None:
    """Saying what something is used for does not ask how it was."""
    with opened(tmp_path) as brain:
        for said in versions:
            say(brain, said)
        facts = brain.build_memory_packet("n", query).facts
    values = {str(one.value.get("value")) for one in facts if one.type == "facts"}
    assert ({"8080", "9090"} if asks_past else {"9090"}) == values


@pytest.mark.spec("R2", "R12", "M4")
@pytest.mark.parametrize(
    "query",
    [
        "what was the old staging port",
        "what was the port before 5544",
        "最初的端口",
        "端口换过几次",
    ],
)
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("The staging port is 5433.", "The staging port is now 5544."),
        ("测试环境的端口是5433。", "测试环境的端口现在是5544。"),
    ],
)
def test_who_asks_for_an_earlier_version_finds_it_beside_the_one_that_stands(
    tmp_path: Path, first: str, then: str, query: str
) -> None:
    """In the language of the question or in the other one."""
    with opened(tmp_path) as brain:
        say(brain, first, at=NOW - 5 * DAY)
        say(brain, then, at=NOW - DAY)
        found = {one.status for one in brain.recall(query, types="facts")}
        now = [one.status for one in brain.recall("staging port 测试环境 端口", types="facts")]
    assert {"active", "superseded"} == found
    assert ["active"] == now
