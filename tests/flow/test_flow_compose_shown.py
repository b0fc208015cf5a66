"""What a context says of each thing it shows: the day it was said on, and why it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user


@pytest.mark.spec("R17")
@pytest.mark.parametrize(
    ("said", "question"),
    [
        (
            ("My name is Mei.", "The launch is on 20 March.", "The launch moved to 18 March."),
            "When is the launch?",
        ),
        (("我叫小梅。", "发布日期是三月二十日。", "发布日期改到三月十八日。"), "发布日期是哪天？"),
    ],
)
def test_each_line_of_evidence_bears_the_day_it_was_said_on(
    tmp_path: Path, said: tuple[str, str, str], question: str
) -> None:
    """Lines of several days in one quote say their dates; the rest are of the day before them."""
    days = ("2001-05-07", "2001-05-07", "2001-05-14")
    with fake_brain(tmp_path) as brain:
        for day, words in zip(days, said, strict=True):
            turn = {
                "at": f"{day}T09:00:00+00:00",
                "messages": [user(words), assistant("It is on the board.")],
            }
            brain.commit_turn("launch", turn)
        text = brain.compose_context("now", question).text()
    lines = text[text.index("] chat — ") :].splitlines()
    expected = [
        f"2001-05-07, user: {said[0]}",
        "assistant: It is on the board.",
        f"user: {said[1]}",
    ]
    expected += [
        "assistant: It is on the board.",
        f"2001-05-14, user: {said[2]}",
        "assistant: It is on the board.",
    ]
    assert expected == lines[1:7]


@pytest.mark.spec("R1")
def test_everything_that_is_shown_says_why(tmp_path: Path) -> None:
    """Blocks, pins, to-dos, notes, turns, evidence, outcome and message have a reason each."""
    with fake_brain(tmp_path) as brain:
        brain.remember("以后都用中文回答。")
        brain.commit_turn("long ago", [user("Mara lives in Lisbon now."), assistant("Nice.")])
        turn = brain.commit_turn("now", [user("Where does Mara live? 跑一下测试。")]).turn_id
        call = {"id": "c1", "name": "pytest", "args": {}, "result": "1 passed"}
        brain.commit_turn("now", {"tool_calls": [call]}, turn_id=turn)
        brain.pins.add("command", "测试", "pytest -q", f"chat:{turn}")
        brain.plan.add("now", "run the tests")
        brain.fastmemo.add("user", "喜欢短句")
        package = brain.compose_context(
            "now", None, {"system": "Be brief."}, turn_id=turn, recipe="tool_loop"
        )
        answer = brain.compose_context("now", "Where does Mara live now?")
    shown = [
        *(("system_blocks", one.type) for one in package.system_blocks),
        *(("pins", one.id) for one in package.pins),
        *(("plan", one.id) for one in package.plan),
        *(("notebook", one.id) for one in package.notebook),
        *(("recent_turns", one.turn_id) for one in package.recent_turns),
        *(
            ("tool_result", one.id)
            for one in (*package.parallel_results, package.tool_result)
            if one
        ),
    ]
    assert len(shown) >= 7
    assert shown == [(one.type, one.id) for one in package.debug.why_selected]
    assert all(one.code and one.reason for one in package.debug.why_selected)
    slots = [one.type for one in answer.debug.why_selected]
    assert len(answer.evidence) == slots.count("evidence") > 0
    assert slots[-1] == "user_message"
