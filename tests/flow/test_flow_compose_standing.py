"""What stands in every context: standing instructions, core memory and what a run has in mind."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

SAID = {
    "以后都用中文回答。": "中文回答",
    "Always keep your answers short.": "answers short",
    "I prefer dark mode in every editor.": "dark mode",
    "My name is Wei and I work as a nurse in Chengdu.": "nurse",
    "My goal is to learn piano this year.": "piano",
    "以后不要用表情符号。": "表情",
}
BOUND = ("中文回答", "answers short", "表情")


@pytest.mark.spec("R16", "C8")
@pytest.mark.parametrize("limit", [256, 500, 1000])
@pytest.mark.parametrize("message", ["推荐一个甜点", "Hello there"])
def test_nothing_that_stands_is_dropped_while_there_is_room(
    tmp_path: Path, message: str, limit: int
) -> None:
    """In a small context instructions stand first, and what has no room there is evidence."""
    with fake_brain(tmp_path) as brain:
        for said in SAID:
            brain.commit_turn("a", [user(said), assistant("ok")])
        package = brain.compose_context("z", message, token_limit=limit)
    standing = "\n".join(block.text for block in package.system_blocks)
    assert [] == [piece for piece in SAID.values() if piece not in package.text()]
    assert [] == [piece for piece in BOUND if piece not in standing]
    assert package.constraints.token_budget.used_estimate <= limit


@pytest.mark.spec("R15", "R16")
def test_what_stands_is_the_same_whatever_was_found(tmp_path: Path) -> None:
    """A small context that is full of evidence begins as one with none; so it does in a run."""
    with fake_brain(tmp_path) as brain:
        for said in SAID:
            brain.commit_turn("a", [user(said), assistant("ok")])
        for number in range(30):
            said = f"The bluetooth headset {number} lost its pairing. 耳机 {number} 断开了。"
            brain.commit_turn(f"b{number}", [user(said), assistant("ok")])
        run = brain.runs.start("z", goal="fix it")
        made = [
            brain.compose_context("z", asked, token_limit=1_200, run_id=named)
            for named in (None, run)
            for asked in ("hi", "Which bluetooth headset lost its pairing?", "哪个耳机断开了？")
        ]
        brain.runs.update(run, slots={"log": "日志 line " * 400})
        made.append(brain.compose_context("z", "hi", token_limit=1_200, run_id=run))
    assert [False, True, True] == ["] chat" in one.text() for one in made[:3]]
    core = {
        tuple(one.text for one in package.system_blocks if one.type != "working_memory")
        for package in made
    }
    assert 1 == len(core)


@pytest.mark.spec("W1")
def test_a_run_loses_old_details_before_its_decisions(tmp_path: Path) -> None:
    """Ten decisions with their reasons in a thousand tokens: all are shown, the latest in full."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s", goal="修复支付超时", constraints=["no downtime"])
        for number in range(10):
            detail = f"because of reason {number}. " * 5
            brain.runs.update(run, decision={"text": f"决定 {number}", "detail": detail})
        text = brain.compose_context("s", "hi", run_id=run, token_limit=1000).text()
    assert [] == [number for number in range(10) if f"Decided: 决定 {number}" not in text]
    assert (False, True) == ("reason 0" in text, "reason 9" in text)


@pytest.mark.spec("W1")
@pytest.mark.parametrize("limit", [1000, 8192])
@pytest.mark.parametrize("value", ["log line ", "一行日志 "])
def test_one_long_slot_does_not_hide_the_others(tmp_path: Path, value: str, limit: int) -> None:
    """A value that has no room is cut, in as much of it as the run has, and says so."""
    with fake_brain(tmp_path) as brain:
        slots = {"blob": value * 900, "env": "prod"}
        run = brain.runs.start("s", goal="fix it", slots=slots)
        package = brain.compose_context("s", "hi", run_id=run, token_limit=limit)
    (block,) = package.system_blocks
    assert ('env: "prod"', True) == (block.text.splitlines()[-1], "…" in block.text)
    assert package.constraints.token_budget.used_estimate > min(limit // 4, 800) * 0.6
    assert [("shortened", "working_memory")] == [
        (one.code, one.key) for one in package.debug.ignored if one.type == "system_blocks"
    ]
