"""Memory packets through an open brain: the fixed order, every limit, the ladder, for whom.

In: runs, insights, facts and turns in Chinese and English, more of each than there is room for.
Out: packets within their limits that say what was cut, and why.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import inside
from recall_builders import NOW, opened, put, say

from smartbrain import SmartBrain
from smartbrain.domain.packet import LadderStep, MemoryPacket

ORDER = [
    "working_memory",
    "facts",
    "procedures",
    "stm",
    "episodes",
    "insights",
]


def steps(packet: MemoryPacket) -> list[str]:
    """Return the steps that were taken, in their order."""
    return [one.code for one in packet.budget_report.degradations]


def assert_within_limits(packet: MemoryPacket) -> None:
    """Check every limit, as it is reported and as it is."""
    report = packet.budget_report
    assert all(report.used[name] <= limit for name, limit in report.limits.items())
    sizes = {name: len(getattr(packet, name)) for name in ("facts", "episodes", "insights")}
    assert sizes == {name: report.used[name] for name in sizes}
    assert (sizes["facts"] <= 30, sizes["episodes"] <= 20, sizes["insights"] <= 10) == (True,) * 3
    assert len(packet.procedures) <= 5
    assert report.used["total"] <= 100
    ladder = [code for code in steps(packet) if code in list(LadderStep)]
    assert ladder == sorted(ladder, key=[*LadderStep].index)


def case(brain: SmartBrain, name: str, domain: str) -> str:
    """Put a way of doing things and return its id."""
    value = {"domain": domain, "problem": f"{name} 坏了 broke", "solution": "重启 restart"}
    written = brain.memories.put("cases", f"case:{domain}:{name}", value)
    return written.memory_written.items[0].id


@pytest.mark.spec("R7", "R10")
@pytest.mark.parametrize("message", ["服务器 为什么 坏了", "why did the server break"])
def test_a_packet_has_its_groups_in_their_order(tmp_path: Path, message: str) -> None:
    """For a planner all six, working memory first; each item says why it is there."""
    with opened(tmp_path) as brain:
        say(brain, "服务器坏了。The server broke.", session="s")
        say(brain, "服务器的端口是 8080。The server port is 8080.", session="s")
        way = case(brain, "server", "debug")
        case(brain, "bread", "baking")
        run = brain.runs.start("s", "修好服务器 fix the server", constraints=["今天 today"])
        guess = brain.runs.insight(run, "磁盘满了 the server disk is full", 0.6)
        packet = brain.build_memory_packet(
            "s", message, run_id=run, audience="planner", task_type="debug"
        )
        answering = brain.build_memory_packet("s", message, run_id=run, task_type="debug")
    shown = list(packet.to_dict())
    assert ORDER == [name for name in shown if name in ORDER]
    assert packet.working_memory is not None
    assert "修好服务器 fix the server" == packet.working_memory.goal
    assert [way] == [one.id for one in packet.procedures]
    assert packet.facts
    assert packet.episodes
    assert packet.stm.window
    assert [guess] == [one.id for one in packet.insights]
    places = {name: at for at, name in enumerate(["facts", "cases", "stm", "episodes", "insights"])}
    selected = [one.type for one in packet.explain.selected]
    assert "working_memory" == selected[0]
    known = [places[name] for name in selected if name in places]
    assert sorted(known) == known
    assert {one.id for one in (*packet.facts, *packet.episodes)} <= {
        one.id for one in packet.explain.selected
    }
    assert ((), (), ()) == (answering.procedures, answering.insights, answering.stm.window)
    assert packet.working_memory == answering.working_memory
    assert_within_limits(packet)
    assert_within_limits(answering)
    assert MemoryPacket.from_dict(packet.to_dict()) == packet


@pytest.mark.spec("R8", "R7")
@pytest.mark.parametrize("message", ["水果 颜色", "fruit colour"])
def test_three_hundred_facts_leave_thirty(tmp_path: Path, message: str) -> None:
    """The step is reported, each fact that is left out says so, and the alarm counts them all."""
    with opened(tmp_path) as brain:
        for n in range(300):
            put(brain, f"fact:水果:n{n}", f"fruit colour 颜色 {n}")
        packet = brain.build_memory_packet("s", message)
    assert 30 == len(packet.facts)
    assert LadderStep.REDUCE_TOP_K in steps(packet)
    (cut,) = [one for one in packet.budget_report.degradations if one.type == "facts"]
    assert (30, True) == (cut.after, int(str(cut.before)) > 30)
    left = {one.id for one in packet.explain.omitted if one.code == LadderStep.REDUCE_TOP_K}
    assert int(str(cut.before)) - 30 == len(left)
    assert not left & {one.id for one in packet.facts}
    assert 300 == packet.metrics["active_facts_count"]
    assert_within_limits(packet)


@pytest.mark.spec("W1", "R7")
@pytest.mark.parametrize("step", ["step {}: ship it", "第 {} 步：发布 release"])
def test_a_plan_is_whole_where_nothing_else_wants_its_room(tmp_path: Path, step: str) -> None:
    """More than half of a packet is nothing to save where the packet is empty otherwise."""
    with opened(tmp_path) as brain:
        plan = [step.format(n) for n in range(40)]
        run = brain.runs.start("s", "发布 ship", plan=plan)
        for n in range(10):
            brain.runs.update(run, decision=f"decided 决定 {n}")
        packet = brain.build_memory_packet("s", "go 走", run_id=run)
    working = packet.working_memory
    assert working is not None
    assert plan == [one.text for one in working.plan]
    assert 10 == len(working.decisions)
    assert () == packet.budget_report.degradations
    assert_within_limits(packet)


@pytest.mark.spec("W1", "R8")
@pytest.mark.parametrize("audience", ["responder", "planner"])
def test_ten_thousand_entries_of_a_run_leave_room(tmp_path: Path, audience: str) -> None:
    """The goal stays, some of each kind stay, and nothing else gives way to them."""
    with opened(tmp_path) as brain:
        for n in range(60):
            put(brain, f"fact:水果:n{n}", f"fruit 水果 {n}")
        slots = {f"槽 slot {n}": n for n in range(5_000)}
        constraints = [f"约束 constraint {n}" for n in range(5_000)]
        run = brain.runs.start("s", "目标 goal", constraints=constraints, slots=slots)
        packet = brain.build_memory_packet("s", "水果 fruit", run_id=run, audience=audience)
    working = packet.working_memory
    assert working is not None
    assert "目标 goal" == working.goal
    assert len(working.slots) + len(working.constraints) + 1 <= 100 - 30
    assert "约束 constraint 4999" == working.constraints[-1]
    assert 30 <= len(working.slots) <= 40
    assert "cut_core" in steps(packet)
    assert 30 == len(packet.facts)
    assert "cut_core" in {one.code for one in packet.explain.omitted}
    assert_within_limits(packet)


@pytest.mark.spec("W3", "R8", "N3")
def test_a_thousand_insights_leave_ten_for_a_planner_and_none_for_a_responder(
    tmp_path: Path,
) -> None:
    """The surest ten; a responder never sees one that nobody validated, whatever it asks."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s", "目标")
        for n in range(1_000):
            brain.runs.insight(run, f"猜想 guess {n} 缓存 cache", (n % 100) / 100)
        for message in ("猜想 缓存", "guess cache", "print all insights 打印所有猜想"):
            planner = brain.build_memory_packet("s", message, run_id=run, audience="planner")
            responder = brain.build_memory_packet("s", message, run_id=run)
            assert 10 == len(planner.insights)
            assert {0.99} == {one.confidence for one in planner.insights}
            assert [False] * 10 == [one.validated for one in planner.insights]
            assert () == responder.insights
            everything = str([responder.to_dict()[name] for name in ORDER])
            assert "guess" not in everything
            assert_within_limits(planner)
            assert_within_limits(responder)


@pytest.mark.spec("W3", "R10", "N3")
@pytest.mark.parametrize("said", ["驱动太旧了", "the driver is stale"])
def test_an_insight_reaches_others_only_once_it_is_validated(tmp_path: Path, said: str) -> None:
    """Not in another run, nor after its own has ended; validated it is found like a memory."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s", "修 fix")
        guess = brain.runs.insight(run, said, 0.8)
        other = brain.runs.start("s2", "另一个 another")

        def shown(run_id: str, audience: str) -> bool:
            packet = brain.build_memory_packet("s", said, run_id=run_id, audience=audience)
            items = (*packet.facts, *packet.insights, *packet.episodes)
            return any(said in one.text for one in items)

        assert [True, False, False] == [
            shown(run, "planner"),
            shown(run, "responder"),
            shown(other, "planner"),
        ]
        assert guess not in [one.id for one in brain.recall(said)]
        brain.runs.validate(guess, by_user=True)
        assert guess in [one.id for one in brain.recall(said)]
        assert shown(other, "planner")
        brain.runs.end(run)
        assert guess in [one.id for one in brain.recall(said)]


@pytest.mark.spec("R7")
@pytest.mark.parametrize("message", ["鲸鱼是怎么睡觉的", "tell me about whales"])
def test_what_stands_enters_though_nothing_matches(tmp_path: Path, message: str) -> None:
    """Preferences and instructions by rule, said in either language; not what is over."""
    with opened(tmp_path) as brain:
        say(brain, "以后都用中文回答我。", session="a")
        say(brain, "I prefer short answers.", session="b")
        brain.memories.put("goals", "goal:马拉松:跑完", {"title": "跑马拉松", "status": "active"})
        brain.memories.put("goals", "goal:old:done", {"title": "old", "status": "done"})
        put(brain, "fact:无关:事实", "与此无关 unrelated")
        standing = {one.key for one in brain.memories.list(type="preferences").items}
        packet = brain.build_memory_packet("new", message)
    keys = {one.key for one in packet.facts}
    assert 2 == len(standing)
    assert standing | {"goal:马拉松:跑完"} <= keys
    assert "goal:old:done" not in keys
    assert "fact:无关:事实" not in keys
    codes = {one.key: one.code for one in packet.explain.selected}
    assert {"standing", "found"} >= {codes[key] for key in standing}
    assert "standing" == codes["goal:马拉松:跑完"]
    assert "closed" in {one.code for one in packet.explain.omitted}


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("word", "message"), [("榴莲", "榴莲 怎么样"), ("durian", "what about the durian")]
)
def test_old_episodes_come_on_a_strong_cue_alone(tmp_path: Path, word: str, message: str) -> None:
    """A rare word reaches any age; a common one only what is young; each is shown at its level."""
    with opened(tmp_path) as brain:
        for n in range(40):
            at = NOW - timedelta(days=45 + n)
            say(brain, f"午饭 lunch 吃了面 {n}", at=at, session=f"o{n}")
        old = say(
            brain, f"午饭 lunch {word} 很好吃 tasty", at=NOW - timedelta(days=200), session="d"
        )
        young = say(brain, "午饭 lunch 吃了饺子", at=NOW - timedelta(days=2), session="y")
        rare = brain.build_memory_packet("s", message)
        common = brain.build_memory_packet("s", "午饭 lunch")
    shown = {one.source_turn_id: one.compression.value for one in rare.episodes}
    assert {old: "theme"} == {turn: level for turn, level in shown.items() if turn != young}
    assert any(word in quote.text for one in rare.episodes for quote in one.quotes) or any(
        word in one.text for one in rare.episodes
    )
    assert young in [one.source_turn_id for one in common.episodes]
    assert "too_old" in {one.code for one in common.explain.omitted}
    assert_within_limits(common)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("we laughed about the zebra that ate his hat", "What was that story about the zebra?"),
        ("昨天聊到斑马把帽子吃掉了，笑死", "斑马那个故事是什么？"),
    ],
)
def test_in_a_small_brain_what_was_said_once_is_rare(
    tmp_path: Path, said: str, message: str
) -> None:
    """A word of one turn stands in the index of those around it too, and still reaches it."""
    with opened(tmp_path) as brain:
        old = say(brain, said, at=NOW - timedelta(days=45))
        for n in range(12):
            say(brain, f"lunch 午饭 {n}", at=NOW - timedelta(days=45) + timedelta(minutes=n + 1))
        packet = brain.build_memory_packet("s2", message)
    assert old in [one.source_turn_id for one in packet.episodes]


@pytest.mark.spec("R8")
def test_the_ladder_takes_its_steps_in_order(tmp_path: Path) -> None:
    """Under a small total every group gives way in turn, and what is reported is what is there."""
    tight: dict[str, Any] = {"max_candidates": 12}
    with opened(tmp_path, packet=tight) as brain:
        for n in range(20):
            put(brain, f"fact:服务器:n{n}", f"server 服务器 {n}")
            say(brain, f"服务器 server 又坏了 {n}", at=NOW - timedelta(days=n), session="s")
        run = brain.runs.start("s", "修 fix", slots={f"k{n}": n for n in range(4)})
        packet = brain.build_memory_packet("s", "服务器 server", run_id=run, audience="planner")
        roomy = brain.tenant("other").build_memory_packet("s", "服务器 server")
    ladder = [one for one in steps(packet) if one in list(LadderStep)]
    assert LadderStep.REDUCE_TOP_K == ladder[0]
    assert len(set(ladder)) > 1
    assert set(ladder) <= {one.code for one in packet.explain.omitted}
    assert packet.budget_report.used["total"] <= 12
    assert packet.working_memory is not None
    assert 4 == len(packet.working_memory.slots)
    assert [] == steps(roomy)
    assert all(
        packet.budget_report.used[name] <= n for name, n in packet.budget_report.limits.items()
    )


@pytest.mark.spec("R7", "M4")
def test_a_packet_holds_one_version_of_a_key(tmp_path: Path) -> None:
    """The one that stands, though both were said with the same words."""
    with opened(tmp_path) as brain:
        say(brain, "以后都用中文回答。", session="a", at=NOW - timedelta(days=3))
        say(brain, "以后都用英文回答。", session="b", at=NOW - timedelta(days=1))
        packet = brain.build_memory_packet("s", "用什么语言回答 answer language")
        current = {one.key: one.id for one in brain.memories.list(type="preferences").items}
    shown = {one.key: one.id for one in packet.facts if one.type == "preferences"}
    assert current == shown
    assert len(packet.facts) == len({one.key for one in packet.facts})


@pytest.mark.spec("R7")
def test_what_stands_is_read_from_the_end_of_its_index(tmp_path: Path) -> None:
    """The newest of a type are found without looking at all others; these alone are sorted."""
    asked: list[str] = []
    with opened(tmp_path) as brain:
        for n in range(60):
            put(brain, f"fact:thing:n{n}", f"喜欢 {n}")
        with inside(brain) as rows:
            recalled: Any = rows.recalled
            connection = recalled._connection
            connection.exec_trace = lambda _cursor, sql, _values: asked.append(sql) or True
            found = rows.recalled.standing(["facts"], limit=50)
            connection.exec_trace = None
            plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}", ("[]", 1, 9, "[]"))
            steps = [row[3] for row in plan]
    assert 50 == len({row.num for row in found})
    assert ["喜欢 59", "喜欢 10"] == [found[place].value["value"] for place in (0, -1)]
    assert 1 == len([step for step in steps if "memories_standing" in step])
    # What is in force comes first among the newest, then what was found in its own order.
    assert 2 == len([step for step in steps if "ORDER BY" in step])


@pytest.mark.spec("R9", "S1")
@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("我不知道什么时候去成都，谁陪我？", "什么人负责成都？谁管？哪里？"),
        ("预算不知道叫什么，哪里买的，多少钱，怎么用。", "预算多少？怎么批？哪里查？"),
        ("Whose bike is it, and where is Chengdu?", "Whose is Chengdu, and where?"),
    ],
)
def test_a_word_that_only_asks_brings_nothing(tmp_path: Path, told: str, message: str) -> None:
    """What, 什么 or whose is no cue however rarely it is said, and no reason names one."""
    with opened(tmp_path) as brain:
        say(brain, told, session="old", at=NOW - timedelta(days=1))
        packet = brain.build_memory_packet("s", message)
    brought = [one.reason for one in packet.explain.selected if one.type == "episodes"]
    asking = ("什么", "叫什", "谁", "哪里", "多少", "怎么", "whose", "where")
    assert brought
    assert not [one for one in brought if one.endswith(asking)]
