"""Long tool loops through the facade: what of past runs comes back, and what never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.audience import Audience
from smartbrain.domain.recipe import BUILTIN_RECIPES
from smartbrain.text.tokens import estimate_tokens

TASKS = ("Check the stock of the warehouse.", "检查仓库的库存。")


def step(brain: SmartBrain, turn: str, number: int, output: str, **more: Any) -> str:
    """Commit a call with its output as a step of a turn, and return the call's id."""
    call = {"id": f"c{number}", "name": "run", "args": {"step": number}, "result": output, **more}
    events = {"messages": [assistant(f"Step {number}，继续。")], "tool_calls": [call]}
    return brain.commit_turn("loop", events, turn_id=turn).artifacts[-1].id


def lines(number: int, hidden: str) -> str:
    """Return the output of a call: many lines, one of which is hidden in their midst."""
    shelves = [f"shelf {number}-{n} 货架 ok" for n in range(400)]
    return "\n".join([*shelves[:200], hidden, *shelves[200:]])


def shown(brain: SmartBrain, recipe: str, **asked: Any) -> str:
    """Return a context in all of its forms as one text."""
    package = brain.compose_context("loop", recipe=recipe, **asked)
    forms = [str(package.request(form)) for form in ("openai", "anthropic")]
    return "\n".join([package.text(), *forms])


@pytest.mark.spec("R18", "R15", "W6")
@pytest.mark.parametrize("task", TASKS)
def test_output_of_the_past_never_comes_back(tmp_path: Path, task: str) -> None:
    """After thirty calls no recipe and no audience is shown what tools printed; chat not a line."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("loop", [user(task)]).turn_id
        for number in range(30):
            step(brain, turn, number, lines(number, f"SECRET-{number} 秘密"))
        for recipe in BUILTIN_RECIPES:
            for audience in Audience:
                for asked in ({"turn_id": turn}, {"user_message": f"{task} shelf 货架?"}):
                    text = shown(brain, recipe.name, audience=audience.value, **asked)
                    assert "SECRET" not in text
                    assert "秘密" not in text
                    assert recipe.tool_calls or "shelf 2" not in text


@pytest.mark.spec("R15", "R18", "W6")
@pytest.mark.parametrize(
    "failed",
    [
        "FAILED tests/test_pay.py::test_paid - assert 'paid' == 'open'",
        "FAILED tests/test_pay.py::test_paid - assert '已付' == '未付'",
    ],
)
def test_a_loop_tells_its_last_calls_by_their_summaries(tmp_path: Path, failed: str) -> None:
    """Two steps later the line that failed is still told, with what was called and where it is."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("loop", [user("Run the tests.")]).turn_id
        tests = "\n".join([*(f"tests/test_{n}.py PASSED" for n in range(400)), failed])
        artifact = step(brain, turn, 0, f"{tests}\n1 failed, 400 passed in 3.12s", exit_code=1)
        for number in (1, 2):
            step(brain, turn, number, lines(number, "nothing"))
        package = brain.compose_context("loop", recipe="tool_loop", turn_id=turn)
        step(brain, turn, 3, lines(3, "nothing"))
        later = brain.compose_context("loop", recipe="tool_loop", turn_id=turn)
    first, _, _ = package.recent_turns[-1].tool_calls
    assert artifact == first.id
    assert failed in first.summary
    assert {"step": 0} == first.args
    assert failed in package.text()
    assert f"artifact {artifact}" in package.text()
    assert failed not in later.text()
    assert any(note.source == f"tool:{artifact}" for note in later.notebook)


@pytest.mark.spec("R15", "R18", "W4")
def test_a_loop_shows_the_notes_that_people_wrote_and_few_others(tmp_path: Path) -> None:
    """However many runs and failures there are, notes stay few, and what was written stays."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("loop", [user("Try it.")]).turn_id
        sizes, counts = [], []
        for number in range(36):
            step(brain, turn, number, "no luck\n", exit_code=number % 2)
            if number == 20:
                brain.notebook.add("loop", "Decided: 改用 PostgreSQL.")
            package = brain.compose_context("loop", recipe="tool_loop", turn_id=turn)
            told = {call.id for one in package.recent_turns for call in one.tool_calls}
            assert not told & {
                (note.source or "").removeprefix("tool:") for note in package.notebook
            }
            sizes.append(estimate_tokens(package.text()))
            counts.append(len(package.notebook))
        assert 36 < len(brain.notebook.list("loop")) <= 40
    assert 10 == max(counts)
    assert max(sizes[-10:]) <= 1.05 * max(sizes[-20:-10])
    assert any("改用 PostgreSQL" in note.text for note in package.notebook)


@pytest.mark.spec("R15", "E5")
def test_a_loop_goes_on_where_the_output_of_an_earlier_call_is_lost(tmp_path: Path) -> None:
    """How the call ended is still told, without its summary."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("loop", [user("看一下日志 look")]).turn_id
        step(brain, turn, 0, "一段很长的原文 a long text\n" * 500)
        files = list(tmp_path.rglob("*.zst"))
        assert files
        for file in files:
            file.unlink()
        step(brain, turn, 1, "done 完成")
        package = brain.compose_context("loop", recipe="tool_loop", turn_id=turn)
    lost, _ = package.recent_turns[-1].tool_calls
    assert f"run: unknown, {lost.bytes:,} bytes" == lost.summary
    assert "done 完成" in package.text()


@pytest.mark.spec("R15", "R16")
def test_the_window_of_turns_moves_on_by_several_turns_at_once(tmp_path: Path) -> None:
    """Of eight turns the first four leave together; of the three of a loop one at a time."""
    with fake_brain(tmp_path) as brain:
        standard, loop = [], []
        for number in range(14):
            brain.commit_turn("loop", [user(f"第 {number} 句"), assistant("Good.")])
            standard.append(brain.compose_context("loop", "next").recent_turns)
            loop.append(brain.compose_context("loop", "next", recipe="tool_loop").recent_turns)
    assert [1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6] == list(map(len, standard))
    assert [1, 2, *[3] * 12] == list(map(len, loop))
    assert "第 13 句" == standard[-1][-1].messages[0].content
