"""Steps of one turn by `turn_id`, and repeats by idempotency key.

In: the same things handed in twice, as agents do. Out: each stored once, and said so.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, episode_of, fake_brain, user

from smartbrain import Conflict, SmartBrain

LONG = "日志 line of a tool that prints much. " * 1000


def contents(brain: SmartBrain) -> list[str]:
    """Return the texts of the only turn of the session."""
    (turn,) = brain.sessions.turns("s")
    return [message.content for message in turn.messages]


def said(brain: SmartBrain, turn_id: str, events: Any) -> list[str]:
    """Add a step and return what was reported as stored already."""
    result = brain.commit_turn("s", events, turn_id=turn_id)
    assert turn_id == result.turn_id
    return [reason.reason.split(" are ")[0] for reason in result.explain.ignored]


@pytest.mark.spec("S1", "E1")
def test_a_growing_list_of_messages_is_one_turn(tmp_path: Path) -> None:
    """Each step hands over everything so far; only what is new is added, the rest is named."""
    with SmartBrain.open(tmp_path) as brain:
        first = [user("查一下蓝牙日志")]
        turn_id = brain.commit_turn("s", first).turn_id
        second = [*first, assistant("running the tool")]
        assert ["1 message(s)"] == said(brain, turn_id, second)
        third = [*second, assistant("找到了 60 条")]
        assert ["2 message(s)"] == said(brain, turn_id, third)
        assert ["3 message(s)"] == said(brain, turn_id, third)
        assert ["查一下蓝牙日志", "running the tool", "找到了 60 条"] == contents(brain)
        assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S1")
def test_a_message_said_twice_is_stored_twice(tmp_path: Path) -> None:
    """Messages without ids are counted: the second "继续" of a longer list is new."""
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [user("继续"), assistant("好")]).turn_id
        step = [user("继续"), assistant("好"), user("继续")]
        assert ["2 message(s)"] == said(brain, turn_id, step)
        assert ["继续", "好", "继续"] == contents(brain)


@pytest.mark.spec("S1")
def test_a_message_is_known_by_its_own_id(tmp_path: Path) -> None:
    """Same id and text is the same message; another id, or a stream's whole text, is appended."""
    half, whole = assistant("half of the stre", id="m1"), assistant("the whole 流", id="m1")
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [half]).turn_id
        assert ["1 message(s)"] == said(brain, turn_id, [half, whole])
        assert [] == said(brain, turn_id, [assistant("half of the stre", id="m2")])
        assert ["half of the stre", "the whole 流", "half of the stre"] == contents(brain)


@pytest.mark.spec("S1")
def test_role_and_name_tell_messages_apart(tmp_path: Path) -> None:
    """The same words from somebody else are another message."""
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [user("好")]).turn_id
        step = [assistant("好"), user("好", name="张三"), user("好")]
        assert ["1 message(s)"] == said(brain, turn_id, step)
        assert ["好"] * 3 == contents(brain)


@pytest.mark.spec("S1", "E2")
def test_calls_and_refs_of_a_turn_are_not_repeated(tmp_path: Path) -> None:
    """A call is known by its id, a ref by its type and uri; only new calls are artifacts."""
    call = {"id": "c1", "name": "log", "stdout": LONG}
    ref = {"ref_type": "url", "ref_uri": "https://example.com"}
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", {"tool_calls": [call], "refs": [ref]})
        again = brain.commit_turn(
            "s",
            {
                "tool_calls": [call, {**call, "id": "c2"}],
                "refs": [ref, {**ref, "ref_type": "file"}],
            },
            turn_id=result.turn_id,
        )
        (turn,) = brain.sessions.turns("s")
        assert [] == SmartBrain.doctor(tmp_path).all()
    assert ["1 tool call(s)", "1 ref(s)"] == [
        reason.reason.split(" are ")[0] for reason in again.explain.ignored
    ]
    assert ["c1", "c2"] == [one.call_id for one in turn.tool_calls]
    assert [turn.tool_calls[1].id] == [artifact.id for artifact in again.artifacts]
    assert [LONG, LONG] == [one.stdout for one in turn.tool_calls]
    assert ["url", "file"] == [one.ref_type for one in turn.refs]


@pytest.mark.spec("S1")
def test_calls_without_an_id_are_all_kept(tmp_path: Path) -> None:
    """The same command may well be run twice."""
    step = {"tool_calls": [{"name": "ls", "stdout": "a"}]}
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", step).turn_id
        assert [] == said(brain, turn_id, step)
        (turn,) = brain.sessions.turns("s")
    assert ["a", "a"] == [call.stdout for call in turn.tool_calls]


@pytest.mark.spec("S1", "C7")
def test_a_step_grows_the_episode_and_keeps_the_rest(tmp_path: Path) -> None:
    """One turn has one episode however many steps it took; only `updated_at` moves."""
    with fake_brain(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [user("又打不开了")]).turn_id
        before = episode_of(brain, turn_id)
        brain.commit_turn("s", [assistant("fixed by a new driver")], turn_id=turn_id)
        after = episode_of(brain, turn_id)
        assert 1 == brain.status().rows["memories"]
    assert "user: 又打不开了\nassistant: fixed by a new driver" == after.text
    assert (before.id, before.created_at, before.version) == (
        after.id,
        after.created_at,
        after.version,
    )
    assert after.updated_at > before.updated_at
    assert {"user", "assistant"} == set(after.value["speakers"])
    assert 2 == len(after.raw_refs)


@pytest.mark.spec("S1", "E1")
def test_a_step_keeps_its_proposals(tmp_path: Path) -> None:
    """Proposals of several steps lie with the turn, in their order."""
    first = {"key": "task:SmartBot:a", "title": "A"}
    second = {"key": "task:SmartBot:b", "title": "乙"}
    decision = {"key": "decision:SmartBot:db", "decision": "SQLite"}
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", {"tasks": [first]}).turn_id
        brain.commit_turn("s", {"tasks": [second], "decisions": [decision]}, turn_id=turn_id)
        (turn,) = brain.sessions.turns("s")
    assert {"tasks": [first, second], "decisions": [decision]} == turn.proposals


@pytest.mark.spec("S1")
def test_a_turn_keeps_its_time_run_and_context(tmp_path: Path) -> None:
    """Whatever a step says of them."""
    with SmartBrain.open(tmp_path) as brain:
        events = {"at": "2020-01-01T00:00:00Z", "messages": [user("一")]}
        turn_id = brain.commit_turn("s", events, run_id="r1").turn_id
        same = brain.commit_turn("s", {**events}, turn_id=turn_id, run_id="r1")
        brain.commit_turn(
            "s",
            {"at": "2021-01-01T00:00:00Z", "messages": [user("二")]},
            turn_id=turn_id,
            run_id="r2",
            context_id="c1",
        )
        (turn,) = brain.sessions.turns("s")
    assert ["already_stored"] == [reason.code for reason in same.explain.ignored]
    assert (2020, "r1", None) == (turn.at.year, turn.run_id, turn.context_id)


@pytest.mark.spec("S1")
def test_run_and_context_are_kept_with_a_turn(tmp_path: Path) -> None:
    """They come back as they were given."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [user("x")], run_id="运行-1", context_id="ctx-1")
        (turn,) = brain.sessions.turns("s")
    assert ("运行-1", "ctx-1") == (turn.run_id, turn.context_id)


@pytest.mark.spec("E4")
def test_a_repeated_key_returns_the_first_result(tmp_path: Path) -> None:
    """Nothing is written again, also after the brain was closed and opened."""
    events = {
        "messages": [user("记住 this")],
        "tool_calls": [{"name": "t", "stdout": LONG, "exit_code": 0}],
        "mood": 1,
    }
    with SmartBrain.open(tmp_path) as brain:
        first = brain.commit_turn("s", events, idempotency_key="键-1")
        again = brain.commit_turn("s", events, idempotency_key="键-1")
        rows = brain.status().rows
    with SmartBrain.open(tmp_path) as brain:
        later = brain.commit_turn("s", events, idempotency_key="键-1")
        assert rows == brain.status().rows
    assert [False, True, True] == [one.replayed for one in (first, again, later)]
    assert again == later
    assert {**first.to_dict(), "replayed": True} == again.to_dict()


@pytest.mark.spec("E4")
@pytest.mark.parametrize(
    ("session", "events", "more"),
    [
        ("s", [user("other")], {}),
        ("other", [user("x")], {}),
        ("s", {"messages": [user("x")], "at": 0}, {}),
        ("s", [user("x", name="n")], {}),
        ("s", [user("x"), assistant("")], {}),
        ("s", {"messages": [user("x")], "tasks": [{"key": "task:a:b", "title": "c"}]}, {}),
        ("s", [user("x")], {"run_id": "r"}),
        ("s", [user("x")], {"context_id": "c"}),
    ],
)
def test_a_key_with_another_body_is_a_conflict(
    tmp_path: Path, session: str, events: Any, more: dict[str, str]
) -> None:
    """Whatever differs, nothing is written and the code says why."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [user("x")], idempotency_key="k")
        rows = brain.status().rows
        with pytest.raises(Conflict) as caught:
            brain.commit_turn(session, events, idempotency_key="k", **more)
        assert "idempotency_conflict" == caught.value.code
        assert rows == brain.status().rows


@pytest.mark.spec("E4")
def test_keys_belong_to_one_tenant(tmp_path: Path) -> None:
    """The same key of another tenant is another call."""
    with SmartBrain.open(tmp_path) as brain:
        mine = brain.commit_turn("s", [user("x")], idempotency_key="k")
        other = brain.tenant("李四").commit_turn("s", [user("y")], idempotency_key="k")
    assert (False, False) == (mine.replayed, other.replayed)


@pytest.mark.spec("E4")
def test_a_repeated_step_is_one_step(tmp_path: Path) -> None:
    """A retry of a step without message ids does not store its messages twice."""
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [user("a")]).turn_id
        results = [
            brain.commit_turn(
                "s", {"tool_calls": [{"name": "ls"}]}, turn_id=turn_id, idempotency_key="step"
            )
            for _ in range(3)
        ]
        (turn,) = brain.sessions.turns("s")
    assert [False, True, True] == [result.replayed for result in results]
    assert 1 == len(turn.tool_calls)


@pytest.mark.spec("E4")
def test_repeats_at_the_same_time_give_one_turn(tmp_path: Path) -> None:
    """Eight threads with one key: one writes, all get its result."""
    events = {"messages": [user("同时")], "tool_calls": [{"name": "t", "stdout": LONG}]}
    with SmartBrain.open(tmp_path) as brain, ThreadPoolExecutor(8) as pool:
        for key in ("k1", "k2", "k3"):
            calls = [
                pool.submit(brain.commit_turn, "s", events, idempotency_key=key) for _ in range(8)
            ]
            results = [call.result() for call in calls]
            assert 1 == len({result.turn_id for result in results})
            assert 7 == sum(result.replayed for result in results)
        assert 3 == len(brain.sessions.turns("s"))
        assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S1")
def test_many_threads_write_one_session_without_loss(tmp_path: Path) -> None:
    """Every turn has a place of its own, without a gap, and the chain in time is whole."""
    with SmartBrain.open(tmp_path) as brain:
        with ThreadPoolExecutor(8) as pool:
            texts = [f"第 {n} 句" for n in range(40)]
            results = list(pool.map(lambda text: brain.commit_turn("s", [user(text)]), texts))
        turns = brain.sessions.turns("s")
        assert [] == SmartBrain.doctor(tmp_path).all()
    assert list(range(1, 41)) == [turn.seq for turn in turns]
    assert sorted(texts) == sorted(turn.messages[0].content for turn in turns)
    assert {result.turn_id for result in results} == {turn.id for turn in turns}


@pytest.mark.spec("E1", "S1")
def test_a_call_that_was_still_running_is_completed_by_a_later_step(tmp_path: Path) -> None:
    """The outcome joins the call it belongs to, once; another outcome is another call."""
    begun = {"id": "call_1", "name": "pytest", "args": {"path": "测试"}}
    ended = {**begun, "stdout": "2 passed", "exit_code": 0}
    with SmartBrain.open(tmp_path) as brain:
        first = brain.commit_turn("s", {"messages": [user("跑测试")], "tool_calls": [begun]})
        second = brain.commit_turn("s", {"tool_calls": [ended]}, turn_id=first.turn_id)
        changed = {**ended, "stdout": "3 failed", "exit_code": 1}
        brain.commit_turn("s", {"tool_calls": [changed]}, turn_id=first.turn_id)
        (turn,) = brain.sessions.turns("s")
        call, other = turn.tool_calls
        episode = brain.memories.list(type="episodes").items[0]
    assert ("2 passed", 0, {"path": "测试"}) == (call.stdout, call.exit_code, call.args)
    assert [call.id] == [artifact.id for artifact in second.artifacts]
    assert ("3 failed", 1) == (other.stdout, other.exit_code)
    assert "exit code 0" in episode.text
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E1", "E2")
@pytest.mark.parametrize("begun", [1, 2])
def test_two_outcomes_of_one_call_are_both_kept(tmp_path: Path, begun: int) -> None:
    """Whatever ids repeat, every output is there and the counts stay right."""
    call = {"id": "c", "name": "ls"}
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", {"tool_calls": [call] * begun}).turn_id
        step = {"tool_calls": [{**call, "result": "A 甲"}, {**call, "result": "B 乙"}]}
        for _ in range(2):
            brain.commit_turn("s", step, turn_id=turn_id)
        results = [one.result for one in brain.sessions.turns("s")[0].tool_calls]
    assert ["A 甲", "B 乙"] == results
    assert () == SmartBrain.doctor(tmp_path).tenants[0].findings
