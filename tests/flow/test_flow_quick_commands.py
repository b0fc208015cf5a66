"""Quick commands in what users say: carried out with the turn, told of, and never remembered.

In: messages in Chinese and English, commands switched on and off. Out: pins, plan and notes, and
what the commit says about each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.replay import ReplayReport
from smartbrain.domain.result import CommitResult
from smartbrain.jobs.replay import replay
from smartbrain.testing.clock import FakeClock

ON = {"commands.enabled": True}


def told(result: CommitResult) -> list[tuple[str, str]]:
    """Return what a commit says about each command: the call and the code."""
    return [(one.key, one.code) for one in result.explain.retention if one.type == "command"]


BOTH = [
    (
        "!pin Never deploy on Mondays\n!todo add read the log\n!todo add fix it\n"
        "!todo done 2\n!note waiting for Anna\nI live in Berlin.",
        "!unpin 1\n!todo remove #1 #2",
        "Berlin",
    ),
    (
        "！置顶 周一不要部署\n！待办 添加 看日志\n!待办 添加 修复\n!待办 完成 2\n"
        "!笔记 在等安娜\n我住在上海。",
        "!取消置顶 1\n!待办 删除 #1 #2",
        "上海",
    ),
]


@pytest.mark.spec("W4", "W5")
@pytest.mark.parametrize(("first", "second", "city"), BOTH)
def test_commands_are_carried_out_with_the_turn(
    tmp_path: Path, first: str, second: str, city: str
) -> None:
    """Each does what its call does; what else is said is remembered, the commands are not."""
    with fake_brain(tmp_path, **ON) as brain:
        result = brain.commit_turn("s", [user(first), assistant("!pin 不是用户说的")])
        (pin,) = brain.pins.list()
        plan, notes = brain.plan.list("s"), brain.notebook.list("s")
        again = brain.commit_turn("s", [user(second)])
        assert ([], []) == (brain.pins.list(), brain.plan.list("s"))
        memories = brain.memories.list(status=None, limit=1000).items
        report = replayed(brain)
    source = f"chat:{result.turn_id}"
    assert ("constraint", source, "s") == (pin.type, pin.source, pin.session_id)
    assert [False, True] == [one.done for one in plan]
    assert [source] == [one.source for one in notes]
    done = "command_done"
    assert [
        ("pins.add", done),
        ("plan.add", done),
        ("plan.add", done),
        ("plan.check", done),
        ("notebook.add", done),
    ] == told(result)
    assert [("pins.remove", done), ("plan.remove", done)] == told(again)
    known = [one for one in memories if one.type != "episodes" and one.status == "active"]
    assert any(city in str(one.value) for one in known)
    assert not [one for one in known if "log" in str(one.value) or "日志" in str(one.value)]
    assert report.identical


NUMBERS = ["1、3", "1，3", "1,3", "1 3", "#1;#3", "１、３", "＃1 3。", "1和3", "1 and 3."]


@pytest.mark.spec("W4", "W5")
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("command", ["!todo done ", "!待办　完成　", "！待办：完成"])
def test_numbers_are_set_apart_as_people_do_it(tmp_path: Path, command: str, numbers: str) -> None:
    """In commands that tick off, remove and unpin, in calls and in a model's arguments."""
    with fake_brain(tmp_path, **ON) as brain:
        brain.commit_turn("s", [user("!todo add a\n!todo add b\n!todo add c\n!待办 添加丁")])
        brain.commit_turn("s", [user("!pin a\n!pin b\n!pin c")])
        done = brain.commit_turn("s", [user(command + numbers)])
        assert [True, False, True, False] == [one.done for one in brain.plan.list("s")]
        assert [("plan.check", "command_done")] * 2 == told(done)
        brain.commit_turn("s", [user(f"!todo remove {numbers}\n!unpin {numbers}")])
        assert ["2", "4"] == [one.id for one in brain.plan.list("s")]
        assert ["2"] == [one.id for one in brain.pins.list()]
        brain.plan.rollback("s", 4)
        opened = {"action": "check", "ids": [numbers], "done": False}
        assert not brain.call_tool("s", {"name": "plan", "arguments": opened}).is_error
        assert ["1", "3"] == [one.id for one in brain.plan.remove("s", numbers)]


@pytest.mark.spec("W5")
def test_a_refused_command_is_told_and_the_turn_is_kept(tmp_path: Path) -> None:
    """A pin that is not there, too long, unclear: code and sentence, and the rest is done."""
    said = (
        f"!unpin 7\n!pin {'长' * 601}\n!todo\n!todo add\n!todo fly 3\n!pin\n!unpin\n!note\n!note ok"
    )
    with fake_brain(tmp_path, **ON) as brain:
        result = brain.commit_turn("s", [user(said)])
        assert ["ok"] == [one.text for one in brain.notebook.list("s")]
        assert 1 == len(brain.sessions.turns("s"))
        assert [] == brain.pins.list()
    unclear = [("", "command_unclear")] * 6
    assert [
        ("pins.remove", "not_found"),
        ("pins.add", "usage"),
        *unclear,
        ("notebook.add", "command_done"),
    ] == told(result)
    reasons = [one.reason for one in result.explain.retention if one.type == "command"]
    assert "!unpin 7: there is no pin '7'; the pins are none" == reasons[0]


NOT_COMMANDS = [
    "say !pin x",
    "```\n!pin x\n```",
    "!pinned x",
    "!important x",
    "pin x",
    "! pin x",
    "~~~\n!笔记 x",
    "!",
]


@pytest.mark.spec("W5")
@pytest.mark.parametrize("said", NOT_COMMANDS)
def test_only_a_line_of_its_own_outside_code_is_a_command(tmp_path: Path, said: str) -> None:
    """Anything else is just said."""
    with fake_brain(tmp_path, **ON) as brain:
        assert [] == told(brain.commit_turn("s", [user(said)]))
        assert ([], []) == (brain.pins.list(), brain.notebook.list("s"))


@pytest.mark.spec("W5")
def test_commands_are_off_unless_switched_on(tmp_path: Path) -> None:
    """Without the setting a line is a line."""
    with fake_brain(tmp_path) as brain:
        assert [] == told(brain.commit_turn("s", [user("!pin x")]))
        assert [] == brain.pins.list()


@pytest.mark.spec("W5", "W4")
def test_a_turn_of_the_past_changes_nothing(tmp_path: Path) -> None:
    """A history that is brought in later is remembered, and nobody works on it any more."""
    events = {
        "at": "2001-05-10T08:00:00+08:00",
        "messages": [user("!置顶 端口 8080\n我住在上海。"), assistant("ok " * 100)],
        "tool_calls": [{"name": "ls", "exit_code": 0}],
    }
    with fake_brain(tmp_path, **ON) as brain:
        result = brain.commit_turn("s", events)
        assert ([], []) == (brain.pins.list(), brain.notebook.list("s"))
        assert 0 == brain.state.compaction("s").tokens
    assert [] == told(result)
    assert result.memory_written.count > 0


@pytest.mark.spec("W5")
def test_a_repeated_commit_carries_nothing_out_twice(tmp_path: Path) -> None:
    """Neither by its idempotency key nor as a step that hands over what the turn has already."""
    with fake_brain(tmp_path, **ON) as brain:
        first = brain.commit_turn("s", [user("!pin x")], idempotency_key="k")
        assert told(first) == told(brain.commit_turn("s", [user("!pin x")], idempotency_key="k"))
        brain.commit_turn("s", [user("!pin x"), assistant("ok")], turn_id=first.turn_id)
        assert 1 == len(brain.pins.list())


PIN_TYPES = [
    ("path: the log is there", "path", "the log is there"),
    ("约束：用中文", "constraint", "用中文"),
    ("/var/log/app.log", "path", "/var/log/app.log"),
    ("`make test`", "command", "`make test`"),
    ("端口是 8080", "conclusion", "端口是 8080"),
]


@pytest.mark.spec("W5")
@pytest.mark.parametrize(("said", "kind", "summary"), PIN_TYPES)
def test_what_is_pinned_gets_a_type(tmp_path: Path, said: str, kind: str, summary: str) -> None:
    """By the word before the colon, else by its look."""
    with fake_brain(tmp_path, **ON) as brain:
        brain.commit_turn("s", [user(f"!pin {said}")])
        (pin,) = brain.pins.list()
    assert (kind, summary) == (pin.type, pin.summary)


def replayed(brain: SmartBrain) -> ReplayReport:
    """Run a brain's events again."""
    with brain._lease() as tenant:
        return check_replay(tenant, brain._root.rules)


def everything(brain: SmartBrain, folder: Path) -> None:
    """Use every call there is about what is governed."""
    clock: Any = brain._root.clock.clock
    turn = brain.commit_turn("s", [user("!pin 一\n!todo add 二"), assistant("ok")]).turn_id
    source = f"chat:{turn}"
    file = folder / "gone.txt"
    file.write_text("x\n", encoding="utf-8")
    brain.pins.add("path", "文件", "a file", f"file:{file}#L1", ttl="2 sessions")
    file.unlink()
    brain.pins.add("code", "proposed", "x", source, actor="agent")
    brain.pins.accept(3)
    brain.pins.update(3, title="标题", source=source)
    brain.pins.renew(3, "9d")
    brain.pins.remove(1)
    brain.plan.add("s", "三", "done")
    brain.plan.check("s", 1, actor="agent")
    brain.plan.remove("s", 2)
    brain.plan.rollback("s", 2)
    for n in range(14):
        brain.notebook.add("s", f"note {n}")
        brain.fastmemo.add("self", f"第 {n} 行")
    brain.notebook.compact("s")
    brain.notebook.rollback("s", 3)
    brain.fastmemo.compact()
    brain.fastmemo.rollback(clock())
    brain.fastmemo.export(folder / "memo.txt")
    brain.fastmemo.load(folder / "memo.txt")
    brain.state.export("s", folder / "state.json")
    brain.plan.rollback("s", 0)
    brain.state.load("s", folder / "state.json")
    brain.pins.rollback(3)
    run = brain.runs.start("s", "goal", plan=["计划"])
    brain.runs.update(run, plan=["a", "b"])
    for n in range(12):
        call = {"id": f"c{n}", "name": "ls", "exit_code": n % 2, "stdout": "x"}
        events = {"messages": [user(f"说第 {n} 句话"), assistant("好 " * 20)], "tool_calls": [call]}
        brain.commit_turn(f"s{n % 3}", events)
    clock.advance(days=30)
    brain.commit_turn("s", [user("later")])


@pytest.mark.spec("E1", "W4", "W8")
def test_everything_governed_comes_out_the_same_when_replayed(tmp_path: Path) -> None:
    """Every list, number, note and count, though the file that a pin came from is gone."""
    small = {"notebook.max_notes": 8, "notebook.keep": 3, "pins.require_acceptance": True}
    small |= {"policies.composition.ctx_recent_max_tokens": 60}
    with fake_brain(tmp_path / "b", **ON, **small) as brain:
        everything(brain, tmp_path)
        with brain._lease() as tenant:
            again = SqliteTruth(None, tenant="t", clock=FakeClock())
            target = type(tenant.ports)(
                again, tenant.ports.blobs, FakeClock(), tenant.ports.ids, tenant.ports.types
            )
            report = replay(tenant.ports, target, rules=brain._root.rules)
        owners = ["tenant", *(f"session:{name}" for name in ("s", "s0", "s1", "s2"))]
        with inside(brain) as rows, again.read() as others:
            for owner in owners:
                assert rows.working.state(owner) == others.working.state(owner)
            assert rows.ledger.audit(limit=1000) == others.ledger.audit(limit=1000)
            assert 40 < len(rows.ledger.audit(limit=1000))
        again.close()
    assert () == report.not_run
    assert report.identical
