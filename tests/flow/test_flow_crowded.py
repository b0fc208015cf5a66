"""What much of one kind leaves of the others: nothing is crowded out of a packet without a word.

In: brains that were told of one thing over and over, or have more standing than is looked at. Out:
packets that still hold what was decided, what instructs and what is open, and say what they leave.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import user
from recall_builders import NOW, opened, put, say

from smartbrain import SmartBrain
from smartbrain.domain.explanation import Verdict
from smartbrain.domain.packet import Degradation, MemoryPacket

GATEWAY = {"project": "general", "topic": "rollout"}


def tell(brain: SmartBrain, text: str, times: int) -> None:
    """Tell of the same thing many times, lately."""
    for n in range(times):
        brain.commit_turn(
            f"e{n % 6}",
            {
                "at": NOW - timedelta(minutes=n + 1),
                "messages": [{"role": "user", "content": text.format(n)}],
            },
        )


@pytest.mark.spec("R3", "R7", "R8")
@pytest.mark.parametrize("times", [120, 260])
@pytest.mark.parametrize(
    ("decided", "told", "asked"),
    [
        (
            "use blue-green rollout for the gateway deploy",
            "gateway deploy {} was slow again",
            "how do we do the gateway deploy?",
        ),
        ("用蓝绿发布来部署网关", "网关部署第{}次又慢了", "网关部署"),
    ],
)
def test_what_was_decided_is_not_crowded_out(
    tmp_path: Path, decided: str, told: str, asked: str, times: int
) -> None:
    """However often it is spoken of: in the packet, ranked by recall, and the rest is counted."""
    with opened(tmp_path) as brain:
        events = {"at": NOW - timedelta(days=20), "messages": [user("ok")]}
        brain.commit_turn("d", {**events, "decisions": [{**GATEWAY, "decision": decided}]})
        (decision,) = brain.memories.list(type="decisions").items
        tell(brain, told, times)
        packet = brain.build_memory_packet("q", asked)
        answer = brain.recall(asked, k=20)
    assert decision.id in [one.id for one in packet.facts]
    assert packet.episodes
    known = [one.id for one in answer] + [one.id for one in answer.trace.omitted]
    assert decision.id in known
    unread = [one for one in answer.trace.omitted if one.code == "not_read"]
    assert "text" in [one.detail["arm"] for one in unread]
    assert all(one.detail["memories"] > 0 for one in unread)


@pytest.mark.spec("R3", "R7")
@pytest.mark.parametrize("word", ["gateway", "网关"])
def test_what_happened_is_not_crowded_out(tmp_path: Path, word: str) -> None:
    """The other way round: hundreds of facts about it leave room for the one turn that told it."""
    with opened(tmp_path) as brain:
        turn = say(brain, f"{word} moved to the new rack with Dana 搬到新机柜", at=NOW)
        for n in range(260):
            put(brain, f"fact:{word}:{word}{n}", f"{word} {word} {n}")
        packet = brain.build_memory_packet("q", word)
    assert [turn] == [one.source_turn_id for one in packet.episodes if one.type == "episodes"]


@pytest.mark.spec("R7")
@pytest.mark.parametrize(
    "rule", ["以后都用中文回答我", "Always answer with metric units from now on."]
)
def test_an_instruction_stands_however_many_wishes_are_newer(tmp_path: Path, rule: str) -> None:
    """Those that instruct are looked at first; how many are not looked at is said."""
    with opened(tmp_path) as brain:
        say(brain, rule, at=NOW - timedelta(days=200))
        (instruction,) = brain.memories.list(type="preferences").items
        for n in range(60):
            brain.memories.put("preferences", f"pref:other:thing{n}", {"value": f"flavour {n}"})
        packet = brain.build_memory_packet("q", "hello, write a mail to Bob 你好")
    assert instruction.id == packet.facts[0].id
    (unread,) = [one for one in packet.explain.omitted if one.code == "reduce_top_k"]
    assert ("preferences", 31) == (unread.type, unread.detail["memories"])
    assert [("reduce_top_k", "preferences", 61, 30)] == [
        (one.code, one.type, one.before, one.after) for one in packet.budget_report.degradations
    ]


@pytest.mark.spec("R7")
@pytest.mark.parametrize(
    ("kind", "over"), [("tasks", "done"), ("goals", "Cancelled"), ("goals", "已完成")]
)
def test_what_is_open_stands_however_much_was_done_since(
    tmp_path: Path, kind: str, over: str
) -> None:
    """What is over takes no place of what is not."""
    name: dict[str, Any] = {"tasks": {"title": "护照 passport"}, "goals": {"description": "护照"}}
    with opened(tmp_path) as brain:
        written = brain.memories.put(kind, f"{kind[:-1]}:home:passport", name[kind])
        for n in range(60):
            value = name[kind] | {"status": over}
            brain.memories.put(kind, f"{kind[:-1]}:home:chore{n}", value)
        packet = brain.build_memory_packet("q", "Guten Tag Bob")
    assert [written.memory_written.items[0].id] == [one.id for one in packet.facts]
    codes = [one.code for one in packet.explain.omitted if one.type == kind]
    assert (29, 1) == (codes.count("closed"), codes.count("not_read"))
    assert () == packet.budget_report.degradations


@pytest.mark.spec("R8", "S1")
@pytest.mark.parametrize("hello", ["hello", "你好", "hello 你好 Bob"])
def test_what_stands_and_is_left_by_a_limit_alone_is_told_so(tmp_path: Path, hello: str) -> None:
    """It stands as the others do, so it was not to be found: there were too many of them."""
    with opened(tmp_path) as brain:
        for n in range(45):
            value = {"scope": "tools", "name": f"t{n}", "value": f"工具 v{n}"}
            brain.memories.put("preferences", f"pref:tools:t{n}", value)
            value = {"title": f"事 chore {n}", "status": "done" if n == 0 else "todo"}
            brain.memories.put("tasks", f"task:home:t{n}", value)
        packet = brain.build_memory_packet("s", hello)
        told = {
            key: brain.explain(query=hello, expect=key)
            for key in ("pref:tools:t0", "task:home:t1", "task:home:t0", "pref:tools:t44")
        }
        given = brain.explain(query=hello, expect="pref:tools:t0", k=5)
        context = brain.compose_context("s", hello)
        composed = brain.explain(context.context_id, expect="pref:tools:t0")
    shown = {one.key for one in packet.facts}
    assert (30, False) == (len(shown), bool(shown & {"pref:tools:t0", "task:home:t0"}))
    steps = {one.type: (one.before, one.after) for one in packet.budget_report.degradations}
    assert {"preferences": (45, 30), "tasks": (45, 30), "facts": (60, 30)} == steps
    assert {"reduce_top_k"} == {one.code for one in packet.budget_report.degradations}
    verdicts = [one.verdict for one in told.values()]
    assert [Verdict.OVER_LIMIT] * 2 == verdicts[:2]
    assert "at most 30 preferences" in told["pref:tools:t0"].reason
    assert "packet" in told["pref:tools:t0"].hint
    assert Verdict.NOT_FOUND is verdicts[2]
    assert "it is done" in told["task:home:t0"].trail[-1].reason
    assert Verdict.OVER_LIMIT is not given.verdict
    assert Verdict.OVER_LIMIT is composed.verdict


def _steps(packet: MemoryPacket) -> tuple[Degradation, ...]:
    return tuple(packet.budget_report.degradations)


@pytest.mark.spec("W3", "R8")
@pytest.mark.parametrize("count", [10, 12, 100])
def test_a_run_that_supposes_more_than_it_keeps_says_so(tmp_path: Path, count: int) -> None:
    """The surest are there; how many there were is told, and which went last."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s")
        made = [brain.runs.insight(run, f"猜想 guess {n}", n / 100) for n in range(count)]
        planner = brain.build_memory_packet("s", "hello 你好", run_id=run, audience="planner")
        responder = brain.build_memory_packet("s", "hello 你好", run_id=run)
    assert made[-10:] == [one.id for one in reversed(planner.insights)]
    steps = [(one.code, one.type, one.before, one.after) for one in _steps(planner)]
    assert ([("reduce_top_k", "insights", count, 10)] if count > 10 else []) == steps
    left = [one for one in planner.explain.omitted if one.type == "insights"]
    named = [one.id for one in left if one.id is not None]
    assert made[:-10][-10:] == named
    rest = [one.detail["memories"] for one in left if one.id is None]
    assert ([count - 20] if count > 20 else []) == rest
    assert {"reduce_top_k"} >= {one.code for one in left}
    assert () == tuple(_steps(responder))


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (
            "deploy attempt {} of the gateway failed. " + "We tried again after lunch. " * 9,
            "gateway deploy",
        ),
        (
            "The gateway status report number {} arrived. " + "We tried again after lunch. " * 9,
            "gateway deploy status of the server",
        ),
        ("网关第{}次部署失败了。" + "午饭以后我们又试了一次，还是不行。" * 12, "网关部署"),
    ],
)
def test_more_episodes_than_thirty_are_shown_shorter(tmp_path: Path, told: str, asked: str) -> None:
    """Whatever comes to mind counts, whether it answers as well as the best or not."""
    with opened(tmp_path) as brain:
        tell(brain, told, 20)
        few = brain.build_memory_packet("q", asked)
        tell(brain, told, 50)
        many = brain.build_memory_packet("q", asked)
    assert {"raw"} == {one.compression.value for one in few.episodes}
    assert {"phase"} == {one.compression.value for one in many.episodes}
    steps = [one.code for one in many.budget_report.degradations if one.type == "episodes"]
    assert ["reduce_top_k", "raise_compression"] == steps
    assert 30 < many.metrics["candidate_count_by_type"]["episodes"]


@pytest.mark.spec("R9", "R8")
@pytest.mark.parametrize(
    ("best", "other", "asked"),
    [
        (
            "The zebra server status report number {} arrived.",
            "The zebra had visitor number {} today.",
            "zebra server",
        ),
        ("斑马服务器第{}份状态报告到了。", "斑马今天来了第{}位访客。", "斑马服务器"),
    ],
)
def test_what_answers_less_well_came_to_mind_too(
    tmp_path: Path, best: str, other: str, asked: str
) -> None:
    """The best are shown, shorter; every one that is not is told of by the step that left it."""
    with opened(tmp_path) as brain:
        tell(brain, best, 30)
        tell(brain, other, 30)
        packet = brain.build_memory_packet("q", asked)
    (cut, shorter) = [one for one in _steps(packet) if one.type == "episodes"]
    assert ("reduce_top_k", "raise_compression") == (cut.code, shorter.code)
    assert (20, True) == (cut.after, int(str(cut.before)) > 30)
    assert {"phase"} == {one.compression.value for one in packet.episodes}
    assert f"{cut.before} episodes came to mind" in shorter.reason
    left = [one for one in packet.explain.omitted if one.code == "reduce_top_k"]
    assert int(str(cut.before)) - 20 == len([one for one in left if one.type == "episodes"])


@pytest.mark.spec("R7", "W1")
@pytest.mark.parametrize("audience", ["planner", "responder"])
def test_a_run_that_has_ended_has_nothing_in_mind(tmp_path: Path, audience: str) -> None:
    """A packet and a context are made for it all the same, whomever they are for."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s", "目标 goal")
        brain.runs.insight(run, "maybe the cache is stale 缓存", 0.4)
        brain.runs.end(run)
        packet = brain.build_memory_packet("s", "cache 缓存", run_id=run, audience=audience)
        brain.compose_context("s", "cache 缓存", run_id=run, audience=audience)
    assert (None, ()) == (packet.working_memory, packet.insights)
