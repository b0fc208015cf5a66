"""A whole life, run again: the same memories, edges and ids, from nothing but its events.

In: brains that were told a lot, in Chinese and English, in every way there is. Out: what the replay
of each finds, before and after its rows or its texts were damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from flow_builders import assistant, fake_brain, inside, table_rows, user
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.audience import pack_marks
from smartbrain.domain.job import Trace
from smartbrain.domain.replay import ReplayReport
from smartbrain.remember.read_turn import sentence_mark

LONG = "".join(f"{n}. The driver did not start; 蓝牙驱动没有启动。\n\n" for n in range(500))


def replayed(brain: SmartBrain) -> ReplayReport:
    """Run a brain's events again."""
    with brain._lease() as tenant:
        return check_replay(tenant, brain._root.rules)


def steps(brain: SmartBrain) -> None:
    """Grow a turn step by step, with calls that end later and messages that come twice."""
    begun = {
        "messages": [user("部署 staging，数据库用 MySQL", id="m1")],
        "tool_calls": [
            {"id": "c1", "name": "deploy", "args": {"z": 1, "a": [2]}},
            {"id": "c2", "name": "list_tasks"},
        ],
        "tasks": [{"key": "task:SmartBot:部署", "title": "部署 staging"}],
    }
    turn = brain.commit_turn("工具", begun).turn_id
    brain.commit_turn("s", [user("I prefer tabs over spaces.")])
    done = {
        "messages": [user("部署 staging，数据库用 MySQL", id="m1"), assistant("ok"), user("ok")],
        "tool_calls": [
            {"id": "c3", "name": "lint", "stdout": "", "exit_code": 0},
            {
                "id": "c2",
                "name": "list_tasks",
                "result": {
                    "tasks": [
                        {"title": "Write the docs", "status": "open", "project": "beta"},
                        {"title": "修复登录问题", "status": "done", "project": "alpha"},
                    ],
                    "facts": [{"subject": "staging", "attribute": "region", "value": "eu-1"}],
                },
            },
            {"id": "c1", "name": "deploy", "stdout": LONG, "stderr": "fail", "exit_code": 1},
        ],
        "refs": [{"ref_type": "file", "ref_uri": "file:///srv/app/配置.yml"}],
        "retractions": [{"type": "tasks", "key": "task:SmartBot:部署", "reason": "不做了"}],
        "facts": [{"subject": "api", "attribute": "port", "value": "80", "confirmed": True}],
    }
    brain.commit_turn("工具", done, turn_id=turn, context_id="ctx-2", run_id="r")
    brain.commit_turn("工具", [user("ok"), user("ok")], turn_id=turn)
    brain.commit_turn("工具", {"tasks": [{"project": "p", "title": "Later"}]}, turn_id=turn)


def talk(brain: SmartBrain) -> None:
    """Say, correct, repeat, deny, and say old things late."""
    brain.commit_turn(
        "会话", [user("我叫林小明，我住在上海。以后请都用中文回答。"), assistant("好的。")]
    )
    brain.commit_turn("会话", [user("不对，我住在北京，不是上海。")])
    brain.commit_turn("s", [user("The staging database is PostgreSQL 14.")])
    brain.commit_turn("s", [user("The staging database is PostgreSQL 16.")])
    brain.commit_turn("旧", {"at": "2001-01-02T08:00:00+08:00", "messages": [user("我住在广州。")]})
    brain.commit_turn(
        "old", {"at": "2001-03-01T12:00:00-05:00", "messages": [user("I use Vim. I like tabs.")]}
    )
    brain.commit_turn("s", [user("Remind me to send the report to Anna on Friday.")])
    brain.commit_turn("s", [user("I sent the report to Anna.")], idempotency_key="k")
    brain.commit_turn("s", [user("I sent the report to Anna.")], idempotency_key="k")
    brain.commit_turn("s", [assistant("Shall we use FastAPI for the API?"), user("Yes, let's.")])
    brain.commit_turn("会话", [user("记住：我们决定每周五发布，因为周末流量低。")])
    brain.sessions.end("会话")
    for n in range(4):
        brain.commit_turn("会话", [user(f"第 {n} 次：看看 https://example.com/蓝牙 和 SmartBot。")])


def operations(brain: SmartBrain) -> None:
    """Write by hand: put, correct, retract, feedback, nodes and edges."""
    put = brain.memories.put
    written = put("facts", "fact:prod:region", {"value": "eu-1", "zeta": {"b": 1}, "alpha": "x"})
    brain.memories.correct("fact:prod:region", {"value": "us-2"}, "搬家了")
    put("concepts", "concept:蓝牙", {"description": "无线", "keywords": ["bluetooth"]})
    brain.memories.retract("concept:蓝牙", "no more")
    put("facts", "fact:prod:size", {"value": "small"})
    size = brain.memories.get("fact:prod:size")
    brain.feedback(size.id, "pin")
    node = brain.graph.add_node("Concept:蓝牙故障")
    brain.graph.add_node("Entity:Win11")
    brain.graph.add_edge("Concept:蓝牙故障", "CAUSED_BY", "Entity:Win11", 0.5)
    brain.graph.add_edge("Concept:蓝牙故障", "CAUSED_BY", "Entity:Win11", 0.75)
    brain.graph.add_edge(node.id, "ABOUT", size.id)
    assert 1 == written.memory_written.count


def documents(brain: SmartBrain) -> None:
    """Keep a document, talk on, and make a graph of it later."""
    text = "小王在周一修复了登录问题。Alice deployed the new build on Friday."
    raw = brain.ingest(text, meta={"b": 1})
    brain.graph.add_edge("Entity:Win11", "DERIVED_FROM", raw[0])
    brain.commit_turn("s", [user("Alice is on holiday next week.")])
    brain.r2g()
    brain.ingest("还没有处理")


def lived(brain: SmartBrain) -> None:
    """Do everything there is, in one order."""
    for part in (talk, steps, operations, documents, talk):
        part(brain)


def changed(place: Path, sql: str) -> None:
    """Change a tenant's database behind our back."""
    connection = apsw.Connection(str(place / "tenants" / "t" / "brain.db"))
    connection.execute(sql)
    assert connection.changes()
    connection.close()


@pytest.mark.spec("E1", "M4", "S1")
def test_a_whole_life_comes_out_the_same(tmp_path: Path) -> None:
    """Talk, steps, operations, documents: nothing differs, and the tenant is as it was."""
    database = tmp_path / "tenants" / "t" / "brain.db"
    with fake_brain(tmp_path) as brain:
        lived(brain)
        before = table_rows(database)
        report = replayed(brain)
        assert before == table_rows(database)
    assert () == report.not_run
    assert () == report.differences
    assert report.identical
    counts = {name: len(rows) for name, rows in before.items()}
    assert counts["steps"] == report.steps > 30
    assert counts["operations"] == report.operations == 12
    assert counts["memories"] == report.memories > 60
    assert counts["edges"] == report.edges > 100
    assert 0 == report.other_rules
    statuses = {row[4] for row in before["memories"]}
    assert {"active", "candidate", "superseded", "retracted"} <= statuses


DAMAGE = [
    ("UPDATE memories SET text = '别的' WHERE key = 'fact:prod:size'", "memory", "别的"),
    ("UPDATE memories SET status = 'archived' WHERE key = 'fact:prod:size'", "memory", "archived"),
    ("UPDATE memories SET frequency = 99 WHERE key = 'fact:prod:size'", "memory", "99"),
    ("UPDATE chunks SET text = 'x' WHERE text LIKE '%fact:prod:size%'", "memory", "search texts"),
    ("UPDATE edges SET weight = 0.25 WHERE type = 'CAUSED_BY'", "edge", "0.25"),
    ("DELETE FROM edges WHERE type = 'CAUSED_BY'", "edge", "not stored"),
    ("UPDATE edges SET id = 'edge_other' WHERE type = 'CAUSED_BY'", "edge", "not made again"),
]


@pytest.mark.spec("E1", "M4")
@pytest.mark.parametrize(("sql", "kind", "told"), DAMAGE)
def test_a_changed_row_is_named(tmp_path: Path, sql: str, kind: str, told: str) -> None:
    """A memory, a search text or an edge that is not what its events make of it is reported."""
    with fake_brain(tmp_path) as brain:
        operations(brain)
        changed(tmp_path, sql)
        report = replayed(brain)
    assert not report.identical
    assert {kind} == {one.kind for one in report.differences}
    assert any(told in one.what for one in report.differences), report.differences
    assert len(report.differences) == report.differing


@pytest.mark.spec("E1")
def test_other_rules_are_told_of(tmp_path: Path) -> None:
    """Events that ran under other rules are counted; all of them are run all the same."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("我住在上海。")])
    with fake_brain(tmp_path, seed=2, **{"privacy.scope": "team"}) as brain:
        brain.commit_turn("s", [user("I live in Berlin.")])
        report = replayed(brain)
    assert (2, 1) == (report.steps, report.other_rules)
    assert 'scope":"team' in report.differences[0].what


@pytest.mark.spec("E1")
def test_a_turn_whose_text_is_damaged_is_named(tmp_path: Path) -> None:
    """It cannot be run, nor can its later steps; the others are, and its memories are missing."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user("The port is 80.")]).turn_id
        brain.commit_turn("s", [assistant("好")], turn_id=turn)
        brain.commit_turn("s", [user("我住在上海。")])
        changed(tmp_path, "UPDATE raw_chunks SET body = x'00' WHERE length = 15")
        report = replayed(brain)
    assert [("turn", turn)] * 2 == [(one.kind, one.id) for one in report.not_run]
    assert "does not match its hash" in report.not_run[0].reason
    assert "earlier step" in report.not_run[1].reason
    assert (3, 2) == (report.steps, report.failed)
    assert any("was not made again" in one.what for one in report.differences)
    assert not report.identical


@pytest.mark.spec("E1")
def test_a_lost_file_and_an_unknown_operation_are_named(tmp_path: Path) -> None:
    """A text that lay in a lost file, and an operation of a kind that nobody can run, are told."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(LONG)]).turn_id
        node = brain.graph.add_node("Concept:蓝牙")
        for path in (tmp_path / "tenants").rglob("*.zst"):
            path.unlink()
        changed(tmp_path, "UPDATE operations SET kind = 'dream'")
        report = replayed(brain)
    assert [("turn", turn), ("operation", node.source_operation_id)] == [
        (one.kind, one.id) for one in report.not_run
    ]
    assert "'dream' cannot be run again" in report.not_run[1].reason


@pytest.mark.spec("E1", "S1")
def test_a_turn_in_a_zone_whose_clocks_change_comes_out_the_same(tmp_path: Path) -> None:
    """Of a turn its offset is kept: yesterday, on summer time or not, is the same read again."""
    with fake_brain(tmp_path, timezone="Europe/Berlin") as brain:
        for said in ("Alice deployed SmartBot yesterday.", "小王昨天修复了登录问题。"):
            brain.commit_turn("s", {"at": "2001-03-25T20:00:00", "messages": [user(said)]})
        found = brain.memories.list(type="statements", status=None).items
        report = replayed(brain)
    assert {"2001-03-24T00:00:00+02:00"} == {one.value["time"]["start"] for one in found}
    assert () == report.differences


@pytest.mark.spec("E1", "S1")
def test_the_order_of_fields_in_an_object_tells_nothing(tmp_path: Path) -> None:
    """Objects are stored in one order, so they are read in it from the start."""
    recipe = {"key": "recipe:<dish>", "value": {"dish": "text", "minutes": "integer"}}
    kind = {**recipe, "node_kind": "Procedure", "group": "procedures", "on_conflict": "overwrite"}
    board = {"project": "alpha", "title": "Write the docs"}
    key = "task:alpha:发布"
    with fake_brain(tmp_path, **{"types.recipes": kind}) as brain:
        brain.memories.put("recipes", "recipe:面", {"zest": "柠檬", "minutes": 9, "apron": "yes"})
        lists = {"z": [{**board, "status": "open"}], "a": [{**board, "status": "done"}]}
        brain.commit_turn("s", {"tool_calls": [{"name": "list_tasks", "result": lists}]})
        events = {"tasks": [{"key": key}], "retractions": [{"type": "tasks", "key": key}]}
        brain.commit_turn("s", events)
        tasks = brain.memories.list(type="tasks").items
        report = replayed(brain)
        (proposed,) = brain.memories.history(key)
        (stored,) = brain.memories.history("recipe:面")
    assert () == report.differences
    assert {"Write the docs": "todo", "发布": "todo"} == {
        one.value["title"]: one.value["status"] for one in tasks
    }
    assert "active" == proposed.status
    assert stored.text.index("apron") < stored.text.index("zest")


@pytest.mark.spec("E1")
def test_an_answer_is_read_against_what_it_was_shown(tmp_path: Path) -> None:
    """A context that was shown is brought along, so that its echo is left out again."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("hi")])
        with inside(brain) as rows:
            now = rows.events.turns("s")[0].created_at
        body = {"sentences": pack_marks([sentence_mark("we decided to use FastAPI")])}
        trace = Trace(context_id="ctx", session_id="s", created_at=now, body=body)
        with brain._lease() as tenant, tenant.ports.truth.write() as transaction:
            transaction.working.put_trace(trace)
        said = [assistant("We decided to use FastAPI.")]
        brain.commit_turn("s", said, context_id="ctx")
        echo = {row.key for row in brain.memories.list(type="decisions").items}
        brain.commit_turn("s", said)
        report = replayed(brain)
    assert set() == echo
    assert report.identical


EN = ["I live in", "We use", "I prefer", "Actually, I live in", "The database is", "I don't like"]
ZH = ["我住在", "我们用", "我喜欢", "不对，我住在", "数据库是", "我不喜欢"]
NAMES = ["Berlin", "上海", "PostgreSQL", "Vim", "北京", "SmartBot"]
said = st.one_of(
    st.builds("{} {}.".format, st.sampled_from(EN), st.sampled_from(NAMES)),
    st.builds("{}{}。".format, st.sampled_from(ZH), st.sampled_from(NAMES)),
    st.text(max_size=20).filter(lambda text: text.strip() and "\0" not in text),
)
message = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "user", "assistant"]),
    said,
)
days = st.integers(1, 28).map(lambda day: f"2001-02-{day:02}T10:00:00+08:00")
turns = st.fixed_dictionaries(
    {"messages": st.lists(message, min_size=1, max_size=3)}, optional={"at": days}
)
Act = Callable[[SmartBrain, list[str]], None]


def commit(session: str, events: dict[str, Any]) -> Act:
    def act(brain: SmartBrain, made: list[str]) -> None:
        made.append(brain.commit_turn(session, events).turn_id)

    return act


def extend(events: dict[str, Any]) -> Act:
    def act(brain: SmartBrain, made: list[str]) -> None:
        if made:
            brain.commit_turn("s", events, turn_id=made[0])

    return act


def put(name: str, value: str) -> Act:
    def act(brain: SmartBrain, _: list[str]) -> None:
        brain.memories.put("facts", f"fact:thing:{name}", {"value": value})

    return act


acts = st.one_of(
    st.builds(commit, st.just("s"), turns),
    st.builds(commit, st.sampled_from(["s", "会话"]), turns),
    st.builds(extend, turns),
    st.builds(put, st.sampled_from(["a", "b"]), st.sampled_from(NAMES)),
)


@pytest.mark.spec("E1", "M4", "S1")
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(acts, min_size=1, max_size=6))
def test_whatever_is_said_comes_out_the_same(script: list[Act]) -> None:
    """Random turns, steps and operations give identical memories when they are run again."""
    with TemporaryDirectory() as folder, fake_brain(Path(folder)) as brain:
        made: list[str] = []
        first = commit("s", {"messages": [user("开始 start")]})
        for act in (first, *script):
            act(brain, made)
        report = replayed(brain)
    assert () == report.differences
    assert report.identical
