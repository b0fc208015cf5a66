"""Who has room in a crowded packet: what a run has in mind, what stands, the task's procedures.

In: brains with more of one kind than there is room for. Out: packets in which the first groups stay
whole as long as later ones can give way, and which tell every step.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, opened, put, say

from smartbrain.domain.packet import LadderStep, MemoryPacket


def steps(packet: MemoryPacket) -> list[tuple[str, str | None]]:
    """Return the steps that were taken, and of what."""
    return [(one.code, one.type) for one in packet.budget_report.degradations]


@pytest.mark.spec("R7", "W1", "R8")
@pytest.mark.parametrize("word", ["gateway", "网关"])
@pytest.mark.parametrize("audience", ["responder", "planner"])
def test_a_plan_is_whole_and_others_give_way(tmp_path: Path, word: str, audience: str) -> None:
    """A few too many in all cost a few episodes, not the plan."""
    with opened(tmp_path) as brain:
        for n in range(24):
            say(brain, f"{word} was slow again 又慢了 {n}", session=f"e{n}")
            put(brain, f"fact:{word}:n{n}", f"{word} 端口 port {n}")
        plan = [f"第 {n} 步 step" for n in range(44)]
        run = brain.runs.start("s", "发布 ship", [f"约束 {n}" for n in range(15)], plan=plan)
        packet = brain.build_memory_packet("s", word, run_id=run, audience=audience)
    working = packet.working_memory
    assert working is not None
    assert plan == [one.text for one in working.plan]
    assert 15 == len(working.constraints)
    used = packet.budget_report.used
    assert (100, 60) == (used["total"], used["working_memory"])
    assert used["facts"] + used["episodes"] == 40
    assert used["facts"] >= 24
    assert {code for code, _ in steps(packet)} <= set(LadderStep)
    assert {"episodes"} == {of for _, of in steps(packet)}
    assert {code for code, _ in steps(packet)} <= {one.code for one in packet.explain.omitted}


@pytest.mark.spec("R7", "R15")
@pytest.mark.parametrize("word", ["gateway", "网关"])
def test_a_long_plan_takes_no_evidence_from_a_context(tmp_path: Path, word: str) -> None:
    """There the plan has a slot of its own, so what comes to mind is what comes without it."""
    with opened(tmp_path) as brain:
        for n in range(24):
            put(brain, f"fact:{word}:n{n}", f"{word} 端口 port {n}")
        short = brain.runs.start("s1", "发布 ship", plan=["第一步 first step"])
        long = brain.runs.start("s2", "发布 ship", plan=[f"第 {n} 步 step" for n in range(95)])
        few, many = (
            brain.compose_context(session, word, run_id=run, token_limit=30_000)
            for session, run in (("s1", short), ("s2", long))
        )
        packet = brain.build_memory_packet("s2", word, run_id=long)
    assert [one.snippet for one in few.evidence] == [one.snippet for one in many.evidence]
    assert (1, 95) == (len(few.plan), len(many.plan))
    assert packet.working_memory is not None
    assert 95 == len(packet.working_memory.plan)


@pytest.mark.spec("R8", "R7")
@pytest.mark.parametrize(
    ("standing", "told", "asked"),
    [
        (
            ("Always answer in French.", "I am allergic to peanuts.", "I prefer dark mode."),
            "billing deploy note {}, nothing special",
            "billing deploy note",
        ),
        (
            ("以后都用法语回答我。", "我对花生过敏。", "我喜欢深色主题。"),
            "计费部署记录 {}，没什么特别的",
            "计费部署记录",
        ),
    ],
)
def test_what_stands_outlives_what_is_only_touched_on(
    tmp_path: Path, standing: tuple[str, ...], told: str, asked: str
) -> None:
    """In a small packet the user's instructions stay, and some of many like turns go."""
    with opened(tmp_path, packet={"max_candidates": 20}) as brain:
        for text in standing:
            say(brain, text, session="a")
        for n in range(26):
            say(brain, told.format(n), session=f"o{n}")
        roomy = brain.build_memory_packet("s", asked)
        run = brain.runs.start("s", "目标 goal", slots={f"k{n:02}": n for n in range(20)})
        packet = brain.build_memory_packet("s", asked, run_id=run)
    facts = [one.id for one in roomy.facts]
    assert len(standing) <= len(facts)
    assert facts == [one.id for one in packet.facts]
    assert packet.episodes
    assert ("drop_low", "episodes") in steps(packet)
    assert {code for code, _ in steps(packet)} <= {one.code for one in packet.explain.omitted}
    assert 20 == packet.budget_report.used["total"]


@pytest.mark.spec("S5")
@pytest.mark.parametrize("word", ["gateway", "网关"])
def test_how_much_is_shown_is_counted_of_episodes(tmp_path: Path, word: str) -> None:
    """What a packet says of itself is what the tenant's figures add up, whatever else it holds."""
    with opened(tmp_path) as brain:
        for n in range(5):
            put(brain, f"fact:{word}:n{n}", f"{word} 端口 port {n}")
        say(brain, f"{word} was slow 很慢", session="new")
        say(brain, f"{word} was down 坏了", session="old", at=NOW - timedelta(days=20))
        packet = brain.build_memory_packet("s", word)
        shown = brain.metrics()["compression_level_distribution"]
    said = packet.metrics["compression_level_distribution"]
    assert {"raw": 1, "phase": 1, "milestone": 0, "theme": 0} == said
    assert {level: count for level, count in said.items() if count} == shown
    assert packet.facts


@pytest.mark.spec("W1", "R8")
@pytest.mark.parametrize("name", ["a newest {}", "新 {}"])
def test_the_slots_written_last_are_shown(tmp_path: Path, name: str) -> None:
    """Whatever their names are; one that was updated is new again."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s", "目标 goal", slots={f"龙 {n:03}": n for n in range(200)})
        for n in range(3):
            brain.runs.update(run, slots={name.format(n): n})
        brain.runs.update(run, slots={"龙 000": "更新 updated"})
        packet = brain.build_memory_packet("s", "hello 你好", run_id=run)
        again = brain.build_memory_packet("s", "hello 你好", run_id=run)
    assert packet.working_memory is not None
    shown = list(packet.working_memory.slots)
    assert [name.format(0), name.format(1), name.format(2), "龙 000"] == shown[-4:]
    assert ("龙 105", 99) == (shown[0], len(shown))
    assert ("cut_core", "working_memory") in steps(packet)
    assert packet.working_memory == again.working_memory


@pytest.mark.spec("R7")
@pytest.mark.parametrize(
    ("domain", "task", "other"),
    [("deploy", "Deploy", "writing"), ("on_call", "On-Call", "deploy"), ("部署", "部署", "写作")],
)
def test_procedures_of_the_task_stay_however_many_others_are_newer(
    tmp_path: Path, domain: str, task: str, other: str
) -> None:
    """The best five of the task's type; how many were not looked at is told."""
    with opened(tmp_path) as brain:
        for n in range(4):
            value = {"domain": domain, "name": f"p{n}", "rule": "先备份 back up first"}
            brain.memories.put("patterns", f"pattern:{domain}:p{n}", value)
            way = {"domain": domain, "problem": f"坏了 broke {n}", "solution": "重启 restart"}
            brain.memories.put("cases", f"case:{domain}:c{n}", way)
        before = brain.build_memory_packet("s", "你好 hello", audience="planner", task_type=task)
        for n in range(40):
            value = {"domain": other, "name": f"p{n}", "rule": "少用形容词 no adjectives"}
            brain.memories.put("patterns", f"pattern:{other}:p{n}", value)
            way = {"domain": other, "problem": f"太长 too long {n}", "solution": "删 cut"}
            brain.memories.put("cases", f"case:{other}:c{n}", way)
        after = brain.build_memory_packet("s", "你好 hello", audience="planner", task_type=task)
    assert 5 == len(before.procedures)
    assert [one.id for one in before.procedures] == [one.id for one in after.procedures]
    assert {"task_type"} == {one.code for one in after.explain.selected if one.id}
    unread = {one.type: one for one in after.explain.omitted if one.code == "not_read"}
    assert {"cases": 40, "patterns": 40} == {
        kind: one.detail["memories"] for kind, one in unread.items()
    }
    assert all("of the task's type" in one.reason for one in unread.values())
