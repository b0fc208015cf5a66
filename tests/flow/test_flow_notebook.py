"""Plan and notebook of a session through the public calls, and what turns write there themselves.

In: steps, notes and tool runs in Chinese and English. Out: the lists, folded notes, one plan for
a session and its runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import NotFound, UsageError
from smartbrain.domain.packet import PlanEntry


@pytest.mark.spec("W4", "S1")
@pytest.mark.parametrize(
    ("text", "when"), [("看日志", "找到原因"), ("read the log", "cause found")]
)
def test_a_plan_is_kept_ticked_off_and_rolled_back(tmp_path: Path, text: str, when: str) -> None:
    """Steps have small numbers and stay in order; each session has its own."""
    with fake_brain(tmp_path) as brain:
        first = brain.plan.add("会话", text, when)
        brain.plan.add("会话", "2")
        brain.plan.add("other", "elsewhere")
        done = brain.plan.check("会话", 1)
        brain.plan.remove("会话", ["#2"])
        assert [done] == brain.plan.list("会话")
        assert [first, PlanEntry(id="2", text="2")] == brain.plan.rollback("会话", 2)
        assert not brain.plan.check("会话", "1", done=False).done
        assert "3" == brain.plan.add("会话", "3").id
        assert 1 == len(brain.plan.list("other"))
        for kind, call in (
            (NotFound, lambda: brain.plan.check("会话", 9)),
            (NotFound, lambda: brain.plan.remove("none", 1)),
            (UsageError, lambda: brain.plan.add("会话", " ")),
            (UsageError, lambda: brain.plan.check("会话", 1, done="yes")),
        ):
            with pytest.raises(kind):
                call()
        assert "plan.rollback" == brain.plan.history("会话")[1].action
    assert PlanEntry(id="1", text=text, done=True, done_when=when) == done


@pytest.mark.spec("W1", "W4")
def test_a_run_has_the_plan_of_its_session_in_mind(tmp_path: Path) -> None:
    """What either is told the other knows; a run without a plan leaves it, and its end too."""
    with fake_brain(tmp_path) as brain:
        brain.plan.add("s", "先有的")
        run = brain.runs.start("s", "goal")
        assert ["先有的"] == [one.text for one in seen(brain.runs.get(run).working_memory)]
        brain.runs.update(run, plan=["一", {"id": "二", "text": "two"}])
        brain.plan.check("s", "二")
        brain.plan.add("s", "三")
        working = brain.runs.update(run, decision="so be it")
        assert [("1", "一", False), ("二", "two", True), ("2", "三", False)] == [
            (one.id, one.text, one.done) for one in seen(working)
        ]
        brain.runs.end(run)
        assert 3 == len(brain.plan.list("s"))
        actions = [one.action for one in brain.plan.history("s")]
    assert ["plan.add", "plan.check", "run_update", "plan.add"] == actions


def seen(working: Any) -> tuple[PlanEntry, ...]:
    """Return the plan of a working memory."""
    plan: tuple[PlanEntry, ...] = working.plan
    return plan


CALLS = [
    {"id": "c1", "name": "pytest", "stdout": "3 passed", "exit_code": 0},
    {"id": "c2", "name": "部署", "stderr": "密码墙 raw output", "exit_code": 2},
    {"id": "c3", "name": "wait"},
]


@pytest.mark.spec("W4", "W6")
def test_each_finished_tool_run_leaves_a_note(tmp_path: Path) -> None:
    """One short line without output, with its source; an open call leaves it when it has ended."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", {"messages": [user("去")], "tool_calls": CALLS}).turn_id
        notes = brain.notebook.list("s")
        brain.commit_turn("s", {"tool_calls": [{**CALLS[2], "result": "ok"}]}, turn_id=turn)
        third = brain.notebook.list("s")[2]
        ids = {call.call_id: call.id for call in brain.sessions.turns("s")[0].tool_calls}
    assert ["pytest: exit code 0, 8 bytes", "部署: exit code 2, 20 bytes"] == [
        one.text for one in notes
    ]
    assert [False, True] == [one.milestone for one in notes]
    assert [f"tool:{ids['c1']}", f"tool:{ids['c2']}"] == [one.source for one in notes]
    assert ("wait: unknown, 2 bytes", "3") == (third.text, third.id)


@pytest.mark.spec("W4")
def test_notes_of_tools_can_be_switched_off(tmp_path: Path) -> None:
    """With notebook.auto: false only what is written down is there."""
    with fake_brain(tmp_path, **{"notebook.auto": False}) as brain:
        brain.commit_turn("s", {"tool_calls": CALLS})
        assert [] == brain.notebook.list("s")


FOLDED = [
    (
        "查看 {}",
        "我们决定用 FastAPI",
        "9 条较早的笔记（至 2001-05-17 08:30）：查看 9",
    ),
    ("look {}", "we decided on FastAPI", "9 earlier notes (to 2001-05-17 08:30)"),
]


@pytest.mark.spec("W4")
@pytest.mark.parametrize(("line", "decision", "told"), FOLDED)
def test_older_notes_are_folded_and_milestones_stay(
    tmp_path: Path, line: str, decision: str, told: str
) -> None:
    """Above the limit all but the latest become one line; folding again adds up the counts."""
    with fake_brain(tmp_path, **{"notebook.max_notes": 12, "notebook.keep": 2}) as brain:
        brain.notebook.add("s", decision)
        brain.notebook.add("s", "marked 标记", milestone=True)
        for n in range(11):
            brain.notebook.add("s", line.format(n))
        notes = brain.notebook.list("s")
        assert [decision, "marked 标记", line.format(9), line.format(10)] == [
            one.text for one in notes[1:]
        ]
        assert (True, 9) == (notes[0].text.startswith(told), notes[0].folded)
        brain.notebook.add("s", "more")
        again = brain.notebook.compact("s")
        assert 10 == again[0].folded
        assert again == brain.notebook.compact("s")
        last = brain.notebook.history("s")[0]
        before = brain.notebook.rollback("s", last.number - 1)
    assert 6 == len(before)
    assert "notebook.compact" == last.action


@pytest.mark.spec("W4")
def test_a_notebook_never_outgrows_its_limit(tmp_path: Path) -> None:
    """Even if every note is a milestone."""
    with fake_brain(tmp_path, **{"notebook.max_notes": 6, "notebook.keep": 2}) as brain:
        for n in range(30):
            brain.notebook.add("s", f"{n}", milestone=True)
            assert len(brain.notebook.list("s")) <= 6
        assert 30 == sum(one.folded or 1 for one in brain.notebook.list("s"))


@pytest.mark.spec("R19", "W7")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("我们决定第 {} 步用 PostgreSQL。", "第 1–"),
        ("The staging host number {} is slow.", "turns 1–"),
    ],
)
def test_a_long_chat_is_compacted_once_its_chain_has_ended(
    tmp_path: Path, said: str, told: str
) -> None:
    """At the limit it is due; an open tool call delays it; the latest three rounds stay."""
    limit = {"policies.composition.ctx_recent_max_tokens": 200}
    with fake_brain(tmp_path, **limit) as brain:
        n = 0
        while not brain.state.compaction("s").pending:
            n += 1
            open_call = {"tool_calls": [{"id": f"c{n}", "name": "run"}]}
            events = {"messages": [user(said.format(n)), assistant("好 " * 9)], **open_call}
            turn = brain.commit_turn("s", events).turn_id
        assert n > 4
        assert () == brain.fastmemo.read().sections.get("dynamic")
        due = brain.state.compaction("s")
        assert 200 <= due.tokens
        ended = {"tool_calls": [{"id": f"c{n}", "name": "run", "exit_code": 0}]}
        brain.commit_turn("s", ended, turn_id=turn)
        after = brain.state.compaction("s")
        (*_, bullet) = brain.fastmemo.read().sections["dynamic"]
        trail = brain.fastmemo.history()
    assert (n - 3, 3, False) == (after.up_to, len(after.turns), after.pending)
    assert bullet.startswith(told)
    assert "1" in bullet
    assert len(bullet) <= 300
    assert ("chat.compact", "system") == (trail[0].action, trail[0].actor)


@pytest.mark.spec("R19")
@pytest.mark.parametrize("said", ["运行第 {} 步。", "Run step {}."])
def test_a_chain_lasts_until_the_assistant_answers(tmp_path: Path, said: str) -> None:
    """The outcome of a call that a provider's message asked for does not end the chain yet."""
    limit = {"policies.composition.ctx_recent_max_tokens": 40}
    with fake_brain(tmp_path, **limit) as brain:
        for number in range(3):
            brain.commit_turn("s", [user(said.format(number))])
        function = {"name": "ls", "arguments": "{}"}
        asks = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        begun = [user(said.format(3) * 9), assistant(None, **asks)]
        turn = brain.commit_turn("s", begun).turn_id
        result = {"role": "tool", "tool_call_id": "c1", "content": "a.txt"}
        brain.commit_turn("s", [result], turn_id=turn)
        waits = brain.state.compaction("s")
        brain.commit_turn("s", [assistant("Done.")], turn_id=turn)
        after = brain.state.compaction("s")
    assert (True, 0) == (waits.pending, waits.up_to)
    assert (1, 3) == (after.up_to, len(after.turns))
