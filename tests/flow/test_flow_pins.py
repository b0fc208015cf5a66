"""Pins through the public calls: sources, limits, expiry, acceptance, rollback.

In: pins in Chinese and English on a real brain. Out: the board, the notes that expired pins became,
and refusals that write nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flow_builders import START, assistant, fake_brain, table_rows, user

from smartbrain import Conflict, NotFound, SmartBrain, SmartBrainError, UsageError
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.testing.clock import FakeClock

SAID = [
    ("部署窗口", "只在周五 18 点后部署"),
    ("deploy window", "deploy on Fridays after 18:00 only"),
]


def spoken(brain: SmartBrain, session: str = "会话") -> str:
    """Say something and return the source it is."""
    return f"chat:{brain.commit_turn(session, [user('说一句 hello'), assistant('好')]).turn_id}"


def later(brain: SmartBrain, days: float) -> None:
    """Let days pass."""
    clock = brain._root.clock.clock
    assert isinstance(clock, FakeClock)
    clock.advance(days=days)


@pytest.mark.spec("W5", "S1")
@pytest.mark.parametrize(("title", "summary"), SAID)
def test_a_pin_is_kept_changed_and_taken_off(tmp_path: Path, title: str, summary: str) -> None:
    """It has a small number, every field reads back, and the trail tells each change."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        first = brain.pins.add("constraint", title, summary, source, artifact_ref="s3:1", ttl=3)
        second = brain.pins.add("path", "log", "/var/log/应用.log", source, ttl="30 sessions")
        changed = brain.pins.update(1, summary=f"{summary}!", type="conclusion")
        listed = brain.pins.list()
        gone = brain.pins.remove(["#1"])
        trail = brain.pins.history()
        third = brain.pins.add("code", "x", "y", source)
    assert ("1", "2", "3") == (first.id, second.id, third.id)
    assert ("constraint", title, summary, source) == (
        *(first.type, first.title, first.summary),
        first.source,
    )
    assert (3, None, None, 30) == (first.days, first.sessions, second.days, second.sessions)
    assert (7, 30, "会话") == (third.days, third.sessions, third.session_id)
    assert [changed, second] == list(listed)
    assert f"{summary}!" == changed.summary
    assert [changed] == list(gone)
    assert ["pins.remove", "pins.update", "pins.add", "pins.add"] == [one.action for one in trail]
    assert [4, 3, 2, 1] == [one.number for one in trail]
    assert (first.to_dict(),) == trail[2].before + trail[3].after


@pytest.mark.spec("W5")
def test_a_source_has_to_lead_somewhere(tmp_path: Path) -> None:
    """A turn, a message, a call by either id, a ref, a line of a file; anything else is refused."""
    file = tmp_path / "配置.yml"
    file.write_text("一\n二\n", encoding="utf-8")
    with fake_brain(tmp_path / "b") as brain:
        turn = brain.commit_turn(
            "s",
            {
                "messages": [user("hi")],
                "tool_calls": [{"id": "call-7", "name": "ls", "exit_code": 0}],
                "refs": [{"ref_type": "file", "ref_uri": "/srv/不在这里.txt"}],
            },
        ).turn_id
        (stored,) = brain.sessions.turns("s")
        good = [
            f"chat:{turn}",
            f"chat:{stored.messages[0].id}",
            f"tool:{stored.tool_calls[0].id}",
            "tool:call-7",
            "file:/srv/不在这里.txt#L9",
            f"file:{file}#L2",
        ]
        for source in good:
            brain.pins.add("code", "t", "s", source)
        bad = [
            None,
            "",
            "somewhere",
            "chat:",
            "chat:nobody",
            "tool:nobody",
            "file:/nowhere#L1",
            f"file:{file}",
            f"file:{file}#L3",
            f"file:{file}#L0",
            f"file:{tmp_path}#L1",
            "file:/dev/zero#L1",
        ]
        for wrong in bad:
            with pytest.raises(UsageError) as refused:
                brain.pins.add("code", "t", "s", wrong)
            assert "no_source" == refused.value.code, wrong
        assert good == [one.source for one in brain.pins.list()]
        with pytest.raises(UsageError, match="leads nowhere"):
            brain.tenant("另一个 other").pins.add("code", "t", "s", good[0])


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("must be one of", {"type": "secret"}),
    ("title", {"title": ""}),
    ("title", {"title": 3}),
    ("put the rest into an artifact", {"summary": "长" * 601}),
    ("summary is blank", {"summary": " \n "}),
    ("surrogate", {"summary": "\ud800"}),
    ("'30 sessions'", {"ttl": "soon"}),
    ("'30 sessions'", {"ttl": 0}),
    ("'30 sessions'", {"ttl": True}),
    ("JSON", {"ttl": object()}),
    ("actor", {"actor": "nobody"}),
]


@pytest.mark.spec("W5")
@pytest.mark.parametrize(("told", "given"), WRONG)
def test_a_wrong_pin_is_refused_and_nothing_is_written(
    tmp_path: Path, told: str, given: dict[str, Any]
) -> None:
    """One line says what to change, and the database is as it was."""
    database = tmp_path / "tenants" / "t" / "brain.db"
    with fake_brain(tmp_path) as brain:
        fields: dict[str, Any] = {"type": "code", "title": "t", "summary": "s"}
        fields["source"] = spoken(brain)
        before = table_rows(database)
        with pytest.raises(UsageError) as refused:
            brain.pins.add(**{**fields, **given})
        assert before == table_rows(database)
    assert told in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.spec("W5")
def test_a_full_board_refuses_and_names_what_to_unpin(tmp_path: Path) -> None:
    """The twenty-first is refused with the pins that were renewed longest ago."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        for n in range(20):
            brain.pins.add("conclusion", f"结论 {n + 1}", "很长" * 300, source)
        brain.pins.renew([1, "2"])
        with pytest.raises(Conflict, match=r"unpin one: 3 \(结论 3\), 4 \(结论 4\), 5") as refused:
            brain.pins.add("conclusion", "one more", "x", source)
        brain.pins.remove(3)
        assert "21" == brain.pins.add("conclusion", "one more", "x", source).id
    assert "pins_full" == refused.value.code


@pytest.mark.spec("W5")
def test_an_expired_pin_becomes_a_note(tmp_path: Path) -> None:
    """After its days it is no pin; with the next turn, of any session, it is a note of its own."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        brain.pins.add("constraint", "部署窗口", "只在周五部署", source)
        brain.pins.add("path", "log", "/var/log", source, ttl="8d")
        later(brain, 6)
        brain.pins.renew(2)
        later(brain, 2)
        assert ["2"] == [one.id for one in brain.pins.list()]
        assert ["2"] == [one.id for one in brain.state.governed("会话").pins]
        assert [] == brain.notebook.list("会话")
        brain.commit_turn("next", [user("go on")])
        assert [] == brain.notebook.list("next")
        (note,) = brain.notebook.list("会话")
        last = brain.pins.history()[0]
    assert (f"部署窗口: 只在周五部署 ({source})", source, True) == (
        *(note.text, note.source),
        note.milestone,
    )
    assert ("pins.expire", "system") == (last.action, last.actor)


@pytest.mark.spec("W5")
@pytest.mark.parametrize("noted", [False, True])
@pytest.mark.parametrize(("title", "summary"), SAID)
def test_an_expired_pin_can_be_renewed(
    tmp_path: Path, title: str, summary: str, noted: bool
) -> None:
    """Whether it is a note already or not, it comes back under its number; the trail tells it."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        pin = brain.pins.add("constraint", title, summary, source)
        brain.pins.add("path", "log", "/var/log", source, ttl="90d")
        later(brain, 8)
        if noted:
            brain.commit_turn("next", [user("go on")])
        (renewed,) = brain.pins.renew(1, "3d")
        notes = brain.notebook.list("会话")
        with brain._lease() as tenant:
            assert () == check_replay(tenant, brain._root.rules).differences
        later(brain, 2)
        assert {"1", "2"} == {one.id for one in brain.pins.list()}
        later(brain, 2)
        assert ["2"] == [one.id for one in brain.pins.list()]
    assert (pin.id, title, summary, 3) == (
        *(renewed.id, renewed.title, renewed.summary),
        renewed.days,
    )
    assert int(noted) == len(notes)


@pytest.mark.spec("W5")
def test_what_was_taken_off_or_has_no_place_is_not_renewed(tmp_path: Path) -> None:
    """Only time brings a pin to its end so that it may come back, and only to a free place."""
    with fake_brain(tmp_path, pins={"max_pins": 2}) as brain:
        source = spoken(brain)
        brain.pins.add("constraint", "旧的", "x", source)
        later(brain, 8)
        for title in ("a", "b"):
            brain.pins.add("code", title, "y", source)
        with pytest.raises(Conflict, match="unpin one: 2"):
            brain.pins.renew(1)
        brain.pins.remove(2)
        with pytest.raises(NotFound, match="the pins are 3"):
            brain.pins.renew(2)
        assert ["1"] == [one.id for one in brain.pins.renew(1)]


@pytest.mark.spec("W5")
def test_an_artifact_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    """A run by its id; what is kept elsewhere is the caller's business."""
    with fake_brain(tmp_path) as brain:
        calls = [{"id": "c1", "name": "ls", "stdout": "文件", "exit_code": 0}]
        run = brain.commit_turn("s", {"tool_calls": calls}).artifacts[0].id
        source = spoken(brain)
        for ref in (f"tool:{run}", "tool:c1", "s3://bucket/1"):
            assert ref == brain.pins.add("code", "x", "y", source, artifact_ref=ref).artifact_ref
        with pytest.raises(UsageError, match="artifact_ref 'tool:nope' leads nowhere") as refused:
            brain.pins.add("code", "x", "y", source, artifact_ref="tool:nope")
        with pytest.raises(UsageError, match="artifact_ref 'tool:无' leads nowhere"):
            brain.pins.update(1, artifact_ref="tool:无")
        assert 3 == len(brain.pins.list())
    assert "no_source" == refused.value.code


@pytest.mark.spec("W5")
def test_a_pin_may_live_for_some_sessions(tmp_path: Path) -> None:
    """It goes when as many have begun since; a session that goes on does not count."""
    with fake_brain(tmp_path) as brain:
        brain.pins.add("code", "短 short", "x", spoken(brain), ttl="2 sessions")
        brain.commit_turn("会话", [user("and on")])
        brain.commit_turn("b", [user("一")])
        assert ["1"] == [one.id for one in brain.pins.list()]
        brain.commit_turn("c", [user("二")])
        assert [] == brain.pins.list()
        assert ["短 short: x"] == [one.text.split(" (")[0] for one in brain.notebook.list("会话")]


@pytest.mark.spec("W5")
def test_an_expired_pin_without_a_turn_goes_to_its_own_session(tmp_path: Path) -> None:
    """The next call about pins writes the note to where the pin came from."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        brain.pins.add("code", "old", "x", source)
        later(brain, 8)
        assert "2" == brain.pins.add("code", "new", "y", source).id
        assert 1 == len(brain.notebook.list("会话"))
        assert [] == [one for one in brain.pins.list() if one.title == "old"]


@pytest.mark.spec("W5")
def test_what_an_agent_pins_can_be_made_to_wait(tmp_path: Path) -> None:
    """It is not shown until somebody accepts it, whatever way it came; a person's never waits."""
    file = tmp_path / "state.json"
    with fake_brain(tmp_path, **{"pins.require_acceptance": True}) as brain:
        source = spoken(brain)
        proposed = brain.pins.add("code", "由智能体", "x", source, actor="agent")
        own = brain.pins.add("code", "mine", "x", source)
        assert ("proposed", "active") == (proposed.state, own.state)
        assert ["2"] == [one.id for one in brain.state.governed("会话").pins]
        (accepted,) = brain.pins.accept(1)
        assert "active" == accepted.state
        assert ["1", "2"] == [one.id for one in brain.state.governed("会话").pins]
        brain.pins.update(1, title="改了", actor="agent")
        assert ["2"] == [one.id for one in brain.state.governed("会话").pins]
        brain.pins.accept(1)
        brain.state.export("会话", file)
        text = file.read_text(encoding="utf-8").replace("mine", "not mine")
        file.write_text(text, encoding="utf-8")
        brain.state.load("会话", file, actor="agent")
        assert ["1"] == [one.id for one in brain.state.governed("会话").pins]


@pytest.mark.spec("W5", "W4")
def test_the_board_can_be_rolled_back(tmp_path: Path) -> None:
    """To any change or time, exactly; that is on the trail, and can be undone the same way."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        states = [brain.pins.list()]
        for change in CHANGES:
            change(brain, source)
            states.append(brain.pins.list())
        times = [one.at for one in reversed(brain.pins.history())]
        for number in (3, 0, 5, 1):
            assert states[number] == brain.pins.rollback(number)
        assert states[4] == brain.pins.rollback(times[3])
        assert states[2] == brain.pins.rollback(times[1].isoformat())
        assert states[0] == brain.pins.rollback(START)
        trail = brain.pins.history()
        for wrong in (-1, trail[0].number + 1, "yesterday", True, START.replace(tzinfo=None)):
            with pytest.raises(UsageError):
                brain.pins.rollback(wrong)
    assert "pins.rollback" == trail[0].action
    assert "back to what it was after change 0" == trail[0].reason


CHANGES: list[Callable[[SmartBrain, str], object]] = [
    lambda brain, source: brain.pins.add("code", "一", "1", source),
    lambda brain, source: brain.pins.add("path", "two", "2", source),
    lambda brain, source: brain.pins.add("path", "三", "3", source),
    lambda brain, _: brain.pins.update(2, title="zwei"),
    lambda brain, _: brain.pins.remove([3, 1]),
]


@pytest.mark.spec("W5")
def test_calls_about_pins_that_are_not_there_say_so(tmp_path: Path) -> None:
    """Unknown numbers, no numbers, nothing to change: each refused in a sentence."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        brain.pins.add("code", "一", "1", source)
        calls: list[tuple[type[SmartBrainError], Callable[[], object]]] = [
            (NotFound, lambda: brain.pins.remove([1, 9])),
            (NotFound, lambda: brain.pins.update("9", title="x")),
            (NotFound, lambda: brain.pins.accept(2)),
            (UsageError, lambda: brain.pins.remove([])),
            (UsageError, lambda: brain.pins.remove([None])),
            (UsageError, lambda: brain.pins.update(1)),
            (UsageError, lambda: brain.pins.update(1, titel="x")),
            (UsageError, lambda: brain.pins.update(1, source="chat:nobody")),
        ]
        for kind, call in calls:
            with pytest.raises(kind):
                call()
        assert 1 == len(brain.pins.history())


@pytest.mark.spec("W5", "C10")
def test_personal_data_is_masked_in_pins_and_notes(tmp_path: Path) -> None:
    """With privacy.pii: mask no row of the database holds it; ids and sources stay."""
    with fake_brain(tmp_path, **{"privacy.pii": "mask"}) as brain:
        source = spoken(brain)
        brain.pins.add("conclusion", "电话 13812345678", "mail anna@example.com", source)
        brain.notebook.add("s", "call 13812345678")
        brain.plan.add("s", "write to anna@example.com", "13812345678 回复了")
        brain.fastmemo.add("user", "anna@example.com")
        (pin,) = brain.pins.list()
    assert source == pin.source
    rows = str(table_rows(tmp_path / "tenants" / "t" / "brain.db"))
    assert "13812345678" not in rows
    assert "anna@example.com" not in rows
