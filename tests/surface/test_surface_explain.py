"""`memctl explain` and `memctl diff`, as somebody at a prompt and a program use them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from cli_runs import memctl

from smartbrain import SmartBrain

EXPLANATION = [
    *("turn_id", "steps", "query", "expect", "verdict", "reason", "hint", "id", "key", "trail"),
    *("context_id", "context"),
]
CONTEXT = [
    *("session_id", "created_at", "message", "recipe", "audience", "run_id", "turn_id", "planner"),
    *("plan", "selected", "shortened", "left", "ignored", "budget", "limit", "used", "ids"),
    "not_kept",
]
DIFF = [
    *("context_id", "other_id", "overrides", "live", "entered", "left", "moved", "resized"),
    *("tokens", "limit", "used", "notes"),
]


class Made(NamedTuple):
    """The contexts and the turn that a brain was left with."""

    english: str
    chinese: str
    turn: str


def composed(tmp_path: Path) -> Made:
    """Make a brain in the working folder that has composed two contexts."""
    with SmartBrain.open(tmp_path / ".smartbrain") as brain:
        for name, text in (("a", "Mara lives in Lisbon now."), ("b", "豆豆最喜欢吃苹果。")):
            turn = brain.commit_turn(name, [{"role": "user", "content": text}]).turn_id
        english = brain.compose_context("s", "Where does Mara live?", token_limit=800)
        chinese = brain.compose_context("s", "豆豆最喜欢吃什么？")
    return Made(english.context_id, chinese.context_id, turn)


@pytest.mark.spec("S6", "S2")
def test_a_context_is_explained_to_people(tmp_path: Path) -> None:
    """Message, plan, choice with its reason and a bar for each slot are shown."""
    made = composed(tmp_path)
    run = memctl("explain", made.chinese, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    for piece in ("message: 豆豆最喜欢吃什么？", "plan", "chosen: ", "tokens", "evidence", "█"):
        assert piece in run.out
    assert "of 8,192 tokens" in run.out


@pytest.mark.spec("S6", "S2")
def test_an_explanation_has_stable_names_for_programs(tmp_path: Path) -> None:
    """JSON has the fields of the record, for a context, a turn and an expectation."""
    made = composed(tmp_path)
    told = memctl("explain", made.english, "--json", folder=tmp_path).json
    assert EXPLANATION == list(told)
    assert CONTEXT == list(told["context"])
    assert made.english == told["context_id"]
    turn = memctl("explain", "--turn", made.turn, "--json", folder=tmp_path).json
    assert made.turn == turn["turn_id"]
    asked = ("--query", "Where does Mara live?", "--expect", "Lisbon")
    assert "included" == memctl("explain", *asked, "--json", folder=tmp_path).json["verdict"]
    shown = memctl("explain", *asked, folder=tmp_path).out
    assert shown.startswith("included: ")
    told = memctl("explain", made.english, "--expect", "Lisbon", "--json", folder=tmp_path).json
    assert EXPLANATION == list(told)
    assert ("included", made.english) == (told["verdict"], told["context_id"])
    small = memctl("explain", *asked, "--budget", "1", folder=tmp_path).out
    assert small.startswith("over_budget: ")
    assert "raise budget_tokens" in small
    shown = memctl("explain", made.chinese, "--expect", "火星", folder=tmp_path).out
    assert shown.startswith("never_said: ")
    assert "episode" in memctl("explain", "--turn", made.turn, folder=tmp_path).out


@pytest.mark.spec("S6", "S2")
def test_two_contexts_are_compared(tmp_path: Path) -> None:
    """What came and went is marked; JSON has the fields of the record."""
    made = composed(tmp_path)
    run = memctl("diff", made.english, made.chinese, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    assert "limit: 800 → 8,192 tokens" in run.out
    told = memctl("diff", made.english, made.chinese, "--json", folder=tmp_path).json
    assert DIFF == list(told)
    assert made.chinese == told["other_id"]


@pytest.mark.spec("S6", "S2")
def test_a_context_is_replayed_under_settings(tmp_path: Path) -> None:
    """`--set` tries another value, a number or a word, and says what was read again."""
    made = composed(tmp_path)
    values = ("--set", "policies.composition.token_limit=256", "--set", "recipe=tool_loop")
    run = memctl("diff", made.english, *values, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    assert "- evidence 1." in run.out
    assert "note: turns were read again" in run.out
    told = memctl("diff", made.english, *values, "--json", folder=tmp_path).json
    assert {"policies.composition.token_limit": 256, "recipe": "tool_loop"} == told["overrides"]
    assert told["live"]


@pytest.mark.spec("S6", "S2")
@pytest.mark.parametrize(
    ("arguments", "code", "piece"),
    [
        (("explain", "nobody"), 3, "there is no trace of a context 'nobody'"),
        (("explain",), 2, "explain takes either"),
        (("diff", "{context}"), 2, "--set NAME=VALUE"),
        (("diff", "{context}", "--set", "recipe"), 2, "--set takes NAME=VALUE"),
        (("diff", "{context}", "--set", "recall.profil=x"), 2, "did you mean 'profile'"),
        (("diff", "{context}", "另一个"), 3, "另一个"),
    ],
)
def test_what_is_wrong_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], code: int, piece: str
) -> None:
    """A mistake is answered with one line on stderr and its exit code."""
    made = composed(tmp_path)
    run = memctl(*(one.format(context=made.english) for one in arguments), folder=tmp_path)
    assert (code, "", 1) == (run.code, run.out, run.err.count("\n"))
    assert piece in run.err


@pytest.mark.spec("S2")
def test_a_brain_without_tenants_has_nothing_to_explain(tmp_path: Path) -> None:
    """In a fresh brain there is no context; that is said."""
    memctl("init", folder=tmp_path)
    run = memctl("explain", "c", folder=tmp_path)
    assert (3, "") == (run.code, run.out)
    assert "nothing is stored yet" in run.err
