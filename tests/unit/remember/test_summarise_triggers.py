"""When a working summary is written: by turns, by tokens, by what has come to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from summarise_talks import Talk, assistant, call, composition, decision, goal, task, user

from smartbrain.domain.policy import ConsolidationRules, PoliciesRules, RetentionRules, Rules
from smartbrain.domain.result import SummaryUpdate
from smartbrain.domain.turn import CallStatus, Message, Role
from smartbrain.text.tokens import estimate_tokens

WORDS = "今天讨论一下发布计划，顺便 review the plan. " * 8


def every(turns: int, **consolidation: Any) -> Rules:
    """Return rules that write a summary after so many turns."""
    return Rules(
        policies=PoliciesRules(
            retention=RetentionRules(summarize_after_turns=turns),
            consolidation=ConsolidationRules(**consolidation),
        )
    )


@pytest.mark.spec("C8")
def test_twelve_turns_write_a_summary() -> None:
    """The twelfth turn does, and names the turns it was made from and the step's own time."""
    talk = Talk()
    ids = []
    for _ in range(12):
        turn_id, update = talk.say(user("继续 go on"), assistant("好"))
        assert (len(ids) == 11) == update.updated
        ids.append(turn_id)
    assert "turn_count" == update.trigger_reason
    assert 1 == update.version
    assert (ids[0], ids[-1]) == update.source_turn_range
    with talk.ports.truth.read() as rows:
        assert rows.events.turn(ids[-1]).created_at == update.generated_at


@pytest.mark.spec("C8")
def test_nothing_but_the_progress_is_written_before_that() -> None:
    """A turn that triggers nothing leaves one small entry and no version."""
    talk = Talk()
    assert SummaryUpdate() == talk.say(user("你好"))[1]
    talk.say(user("hi"))
    with talk.ports.truth.read() as rows:
        (entry,) = rows.working.state("session:s")
    said = estimate_tokens("你好") + estimate_tokens("hi")
    assert {"version": 0, "turns": 2, "tokens": said, "questions": [], "told": []} == entry.body
    assert [] == talk.versions()


@pytest.mark.spec("C8")
def test_steps_of_a_turn_are_one_turn() -> None:
    """However many steps a turn takes, it counts once, and the next summary begins anew."""
    talk = Talk(every(2))
    first, _ = talk.say(user("查一下"))
    for word in ("一", "二", "三"):
        assert not talk.say(assistant(word), turn_id=first)[1].updated
    second, update = talk.say(user("然后呢"))
    assert (1, (first, second)) == (update.version, update.source_turn_range)
    assert not talk.say(assistant("done"), turn_id=second)[1].updated
    third, update = talk.say(user("好"))
    assert not update.updated
    fourth, update = talk.say(user("好的"))
    assert (2, (third, fourth)) == (update.version, update.source_turn_range)


@pytest.mark.spec("C8")
def test_a_summary_that_comes_early_still_reads_the_usual_window() -> None:
    """After an early summary the next one reads at least as many turns as make one."""
    talk = Talk(every(3))
    ids = [talk.say(user("a"))[0], talk.say(user("b"), told=[decision("db", "SQLite")])[0]]
    ids.append(talk.say(user("c"), told=[decision("api", "REST")])[0])
    ids.append(talk.say(user("d"), told=[decision("ui", "TUI")])[0])
    ranges = [summary.source_turn_range for summary in talk.versions()]
    assert [(ids[0], ids[1]), (ids[0], ids[2]), (ids[1], ids[3])] == ranges


@pytest.mark.spec("C8")
def test_sessions_count_for_themselves() -> None:
    """A turn of another session brings no summary nearer."""
    talk = Talk(every(2))
    assert not talk.say(user("a"), session="一")[1].updated
    assert not talk.say(user("b"), session="二")[1].updated
    assert 1 == talk.say(user("c"), session="一")[1].version
    assert 1 == talk.say(user("d"), session="二")[1].version


@pytest.mark.spec("C8")
def test_many_chat_tokens_write_a_summary() -> None:
    """More than the given share of the token limit does, not as much; tools do not count."""
    share = 3 * estimate_tokens(WORDS) / 1024
    limits = composition(token_limit=1024)
    pressed = replace(limits.policies, consolidation=ConsolidationRules(token_pressure=share))
    talk = Talk(replace(limits, policies=pressed))
    printed = call("cat", stdout="x " * 2000, status=CallStatus.OK)
    assert not talk.say(user(WORDS), Message(id="", role=Role.TOOL, content=WORDS))[1].updated
    assert not talk.say(user(WORDS), assistant(WORDS), calls=[printed])[1].updated
    assert "token_pressure" == talk.say(user("再"))[1].trigger_reason
    assert not talk.say(user("说"))[1].updated


@pytest.mark.spec("C8")
@pytest.mark.parametrize("told", [task("写周报", "done"), decision("database", "用 SQLite")])
def test_a_task_done_or_a_decision_writes_a_summary(told: Any) -> None:
    """The turn that finishes something does; saying it again, or an open task, does not."""
    talk = Talk()
    assert not talk.say(user("还要写周报"), told=[task("买票"), goal("ship it")])[1].updated
    assert "stage_event" == talk.say(user("好了"), told=[told])[1].trigger_reason
    assert not talk.say(user("如前所述 as I said"), told=[told])[1].updated


@pytest.mark.spec("C8")
@pytest.mark.parametrize(
    ("made", "major"),
    [
        (call(status=CallStatus.ERROR), True),
        (call(exit_code=2), True),
        (call(exit_code=0, stdout="汉" * 1366), True),
        (call(status=CallStatus.OK, stdout="a" * 2048, stderr="b" * 2048), True),
        (call(status=CallStatus.OK, stdout="a" * 2047, stderr="b" * 2048), False),
        (call(exit_code=0), False),
        (call(), False),
    ],
)
def test_a_major_tool_result_writes_a_summary(made: Any, major: bool) -> None:
    """A call that failed or gave 4 KB or more is a stage; any other is not."""
    update = Talk().say(user("run"), calls=[made])[1]
    assert ("stage_event" if major else None) == update.trigger_reason


@pytest.mark.spec("C8")
def test_a_step_that_brings_the_outcome_of_a_call_counts() -> None:
    """A call that was open and then failed ends its stage in that step, once."""
    talk = Talk()
    begun = call(call_id="c1")
    turn_id, update = talk.say(user("run the tests"), calls=[begun])
    assert not update.updated
    ended = [structs.replace(begun, exit_code=1)]
    update = talk.say(calls=ended, turn_id=turn_id)[1]
    assert ("stage_event", (turn_id, turn_id)) == (update.trigger_reason, update.source_turn_range)
    assert not talk.say(calls=ended, turn_id=turn_id)[1].updated


@pytest.mark.spec("C8")
def test_the_first_reason_is_given() -> None:
    """A stage comes before tokens, tokens before turns."""
    limits = composition(token_limit=256).policies.composition
    all_at_once = every(1)
    all_at_once = replace(all_at_once, policies=replace(all_at_once.policies, composition=limits))
    talk = Talk(all_at_once)
    told = [decision("db", "SQLite")]
    assert "stage_event" == talk.say(user(WORDS * 2), told=told)[1].trigger_reason
    assert "token_pressure" == talk.say(user(WORDS * 2))[1].trigger_reason
    assert "turn_count" == talk.say(user("ok"))[1].trigger_reason


@pytest.mark.spec("C8")
def test_stage_events_can_be_switched_off() -> None:
    """Without them a decision and a failed call wait for the turns to come together."""
    talk = Talk(every(2, stage_events=False))
    told = [decision("db", "SQLite")]
    assert not talk.say(user("a"), calls=[call(exit_code=1)], told=told)[1].updated
    assert "turn_count" == talk.say(user("b"), calls=[call(exit_code=1)])[1].trigger_reason


@pytest.mark.spec("C8")
def test_the_last_twenty_versions_are_kept() -> None:
    """Versions count on; the oldest go, and the latest is the last one written."""
    talk = Talk(every(1))
    for place in range(23):
        talk.say(user(f"第 {place} 轮"))
    assert list(range(4, 24)) == [summary.version for summary in talk.versions()]
    assert talk.versions()[-1] == talk.latest()


@pytest.mark.spec("C8")
def test_a_session_without_a_summary_has_none() -> None:
    """Nothing is made up for a session that has not had one."""
    assert [] == Talk().versions("nobody")
