"""Logs that are not in the order of their times: newest first, shuffled, or with a few late lines.

In: files of messages with times. Out: the turns, and the keys, of the same log in order.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from history_files import contents, keys, log, read, turns, written

pytestmark = pytest.mark.spec("S1", "M4")


def said(role: str, content: str, at: str | None = None, **more: Any) -> dict[str, Any]:
    """Build a message; its time is that of a day."""
    dated = {} if at is None else {"at": f"2024-03-01T{at}"}
    return {"role": role, "content": content, **dated, **more}


def user(content: str, at: str | None = None, **more: Any) -> dict[str, Any]:
    """Build a message of the user."""
    return said("user", content, at, **more)


def answer(content: str, at: str | None = None, **more: Any) -> dict[str, Any]:
    """Build a message of the assistant."""
    return said("assistant", content, at, **more)


TALK = [
    user("I weigh 80 kg.", "10:00:00"),
    answer("Noted.", "10:00:05"),
    user("不对，是81", "10:01:00"),
    answer("好的。", "10:01:05"),
    user("Thanks.", "10:02:00"),
]
TOLD = [["I weigh 80 kg.", "Noted."], ["不对，是81", "好的。"], ["Thanks."]]


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_whatever_the_order_of_a_file_the_turns_are_the_same(tmp_path: Path, suffix: str) -> None:
    """Newest first and shuffled: the same turns under the same keys."""
    orders = [TALK[::-1], *(random.Random(seed).sample(TALK, len(TALK)) for seed in range(8))]
    expected = keys(turns(log(tmp_path / "a.jsonl", *TALK)))
    for entries in orders:
        path = tmp_path / f"a.{suffix}"
        if suffix == "jsonl":
            log(path, *entries)
        else:
            path.write_text(json.dumps(entries), encoding="utf-8")
        found = turns(path)
        assert TOLD == contents(found)
        assert expected == keys(found)


def test_a_transcript_newest_first_is_read_from_its_end(tmp_path: Path) -> None:
    """Lines that go on with a message stay with it."""
    lines = [
        "[2024-03-01 10:02] Assistant: 好的。",
        "[2024-03-01 10:02] User: 不对，是81",
        "公斤",
        "[2024-03-01 10:00] Assistant: Noted.",
        "[2024-03-01 10:00] User: I weigh 80 kg.",
    ]
    found = turns(written(tmp_path / "a.txt", "\n".join(lines)))
    assert [["I weigh 80 kg.", "Noted."], ["不对，是81\n公斤", "好的。"]] == contents(found)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param(
            [answer("d", "11:00"), user("c", "11:00"), answer("b", "10:00"), user("a", "10:00")],
            [["a", "b"], ["c", "d"]],
            id="an answer stands before what it answers",
        ),
        pytest.param(
            [user("c", "11:00"), answer("d", "11:00"), user("a", "10:00"), answer("b", "10:00")],
            [["a", "b"], ["c", "d"]],
            id="an answer stands behind what it answers",
        ),
        pytest.param(
            [user("c", "11:00"), user("b", "10:00"), user("a", "10:00")],
            [["a"], ["b"], ["c"]],
            id="newest first within one time",
        ),
        pytest.param(
            [user("c", "11:00"), user("a", "10:00"), user("b", "10:00"), user("d", "12:00")],
            [["a"], ["b"], ["c"], ["d"]],
            id="as they stand within one time",
        ),
        pytest.param(
            [said("system", "s"), user("c", "11:00"), answer("d"), user("a", "10:00"), answer("b")],
            [["s"], ["a", "b"], ["c", "d"]],
            id="what has no time stays behind what it follows",
        ),
        pytest.param(
            [
                {"messages": [user("c"), answer("d")], "at": "2024-03-01T11:00"},
                {"messages": [user("a", "10:00"), answer("b", "10:01")]},
            ],
            [["a", "b"], ["c", "d"]],
            id="a line that is a whole turn",
        ),
        pytest.param(
            [user("b", "10:00:00+00:00"), user("a", "11:00:00+02:00")],
            [["a"], ["b"]],
            id="times with their offsets",
        ),
    ],
)
def test_messages_are_put_in_the_order_of_their_times(
    tmp_path: Path, entries: list[Any], expected: list[list[str]]
) -> None:
    """Of one time, a user's message comes before what answers it."""
    assert expected == contents(turns(log(tmp_path / "a.jsonl", *entries)))


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(
            [user("a", "10:00:00.7"), answer("b", "10:00:00"), user("c", "10:01")],
            id="the clock of the answers counts whole seconds",
        ),
        pytest.param(
            [user("a", "18:00"), answer("b", "10:00:05+00:00"), user("c", "18:01")],
            id="some times have no offset",
        ),
    ],
)
def test_clocks_that_differ_are_no_other_order(tmp_path: Path, entries: list[Any]) -> None:
    """What is in order stays so."""
    assert [["a", "b"], ["c"]] == contents(turns(log(tmp_path / "a.jsonl", *entries)))


def test_the_oldest_turn_of_all_sessions_comes_first(tmp_path: Path) -> None:
    """However sessions are interleaved; a problem comes before all turns, and nothing is lost."""
    path = log(
        tmp_path / "a.jsonl",
        user("late 2", "12:01", session="late"),
        user("first 1", "13:00", session="first"),
        user("late 1", "12:00", session="late"),
        '{"role": ',
        user("early 2", "09:01", session="early"),
        user("early 1", "09:00", session="early"),
        user("first 2", "13:01", session="first"),
    )
    found, problems = read(path)
    assert ["line 4"] == [problem.where for problem in problems]
    expected = ["early 1", "early 2", "late 1", "late 2", "first 1", "first 2"]
    assert expected == [text for (text,) in contents(found)]
    places = [turn.place for turn in found]
    assert places == sorted(places)
    assert (path.stat().st_size, path.stat().st_size) == (places[-1], found[-1].total)
