"""Calls that a model makes together: a step shows what came of each, and of no step before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.text.tokens import estimate_tokens

WORDS = [("Check all shelves.", "shelf"), ("检查所有货架。", "货架")]


def step(brain: SmartBrain, turn: str, name: str, outputs: list[str]) -> list[str]:
    """Commit a message that makes calls together, with their results; return their ids."""
    calls = [
        {"id": f"{name}{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for n in range(len(outputs))
    ]
    results = [
        {"role": "tool", "tool_call_id": f"{name}{n}", "content": text}
        for n, text in enumerate(outputs)
    ]
    said = assistant(f"Looking, {name}.", tool_calls=calls)
    made = brain.commit_turn("s", [said, *results], turn_id=turn)
    return [one.id for one in made.artifacts]


def printed(word: str, name: str, lines: int = 400) -> str:
    """Return what a tool prints."""
    return "\n".join(f"{word} {name}-{n} ok" for n in range(lines))


def answers(package: ContextPackage, form: str) -> dict[str, str]:
    """Return what each call of a request is answered with, by its id."""
    messages = package.messages(form)
    if form == "openai":
        return {one["tool_call_id"]: one["content"] for one in messages if one["role"] == "tool"}
    parts = [
        part for one in messages if isinstance(one["content"], list) for part in one["content"]
    ]
    return {p["tool_use_id"]: p["content"] for p in parts if p["type"] == "tool_result"}


@pytest.mark.spec("R15", "R18", "W6")
@pytest.mark.parametrize(("task", "word"), WORDS)
@pytest.mark.parametrize("recipe", ["tool_loop", "standard"])
def test_each_call_of_the_last_step_shows_its_outcome(
    tmp_path: Path, task: str, word: str, recipe: str
) -> None:
    """An excerpt, a summary and an id of each, in their order; of the step before no output."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(task)]).turn_id
        step(brain, turn, "old", [printed(word, f"past{n}") for n in range(2)])
        ids = step(brain, turn, "new", [printed(word, f"now{n}") for n in range(4)])
        package = brain.compose_context("s", recipe=recipe, turn_id=turn, token_limit=4000)
        assert brain.replay(package.context_id, {}).same
    shown = (*package.parallel_results, package.tool_result)
    assert ids == [one.id for one in shown if one]
    reasons = [one.id for one in package.debug.why_selected if one.type == "tool_result"]
    assert ids == reasons
    assert f"{word} past0-9 ok" not in package.text()
    for form in ("openai", "anthropic"):
        found = answers(package, form)
        for n, artifact in enumerate(ids):
            assert f"{word} now{n}-1 ok" in found[f"new{n}"]
            assert f"artifact {artifact}" in found[f"new{n}"]
            assert "look: ok" in found[f"new{n}"]
            assert artifact in package.text()
        assert all(f"{word} past" not in text for name, text in found.items() if "old" in name)


@pytest.mark.spec("R15", "R16", "R18")
@pytest.mark.parametrize(("task", "word"), WORDS)
def test_calls_made_together_share_the_room_of_one(tmp_path: Path, task: str, word: str) -> None:
    """Eight outputs take about what one takes, and every limit holds with all of them named."""
    sizes: list[int] = []
    with fake_brain(tmp_path) as brain:
        for count in (1, 8):
            turn = brain.commit_turn("s", [user(task)]).turn_id
            ids = step(brain, turn, f"c{count}-", [printed(word, f"p{n}") for n in range(count)])
            package = brain.compose_context("s", recipe="tool_loop", turn_id=turn)
            results = [*package.parallel_results, package.tool_result]
            sizes.append(sum(len(one.text) for one in results if one))
        for limit in (400, 900, 2000):
            package = brain.compose_context(
                "s", recipe="tool_loop", turn_id=turn, token_limit=limit
            )
            assert estimate_tokens(package.text()) <= limit
            for form in ("openai", "anthropic"):
                assert (
                    estimate_tokens(json.dumps(answers(package, form), ensure_ascii=False)) <= limit
                )
        told = package.text()
    assert sizes[1] <= sizes[0] * 1.1
    assert all(name in told for name in ids)


@pytest.mark.spec("R15")
@pytest.mark.parametrize("content", ["Two at once.", "两个一起。"])
def test_an_id_that_comes_again_belongs_to_the_last_step(tmp_path: Path, content: str) -> None:
    """Some servers number calls anew in every message; only those of the last are shown."""
    call: dict[str, Any] = {"type": "tool_use", "name": "look", "input": {}}
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(content)]).turn_id
        for word in ("first", "second"):
            made = [{**call, "id": f"t{n}"} for n in range(2)]
            done = [
                {"type": "tool_result", "tool_use_id": one["id"], "content": f"{word} {n}"}
                for n, one in enumerate(made)
            ]
            said = [{"type": "text", "text": f"{content} {word}"}, *made]
            events = [{"role": "assistant", "content": said}, {"role": "user", "content": done}]
            brain.commit_turn("s", events, turn_id=turn)
        package = brain.compose_context("s", recipe="tool_loop", turn_id=turn)
    assert package.tool_result is not None
    assert ["second 0"] == [one.text for one in package.parallel_results]
    assert "second 1" == package.tool_result.text


@pytest.mark.spec("W5", "R15")
@pytest.mark.parametrize("words", [None, "Looking again.", "再看一次。"])
def test_messages_that_differ_in_their_calls_alone_are_all_kept(
    tmp_path: Path, words: str | None
) -> None:
    """A step whose words were said before keeps its message; handed over again it comes once."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user("Go on. 继续。")]).turn_id
        for name in ("a", "b", "b"):
            call = {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            result = {"role": "tool", "tool_call_id": name, "content": name}
            said = assistant(words, tool_calls=[call])
            brain.commit_turn("s", [said, result], turn_id=turn)
        (stored,) = brain.sessions.turns("s")
    assert [["a"], ["b"]] == [one.meta["tool_calls"] for one in stored.messages[1:]]
