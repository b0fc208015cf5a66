"""Runs through the public calls: what they have in mind, what they suppose, what is left of them.

In: runs in Chinese and English on a real brain. Out: working memory, insights, refusals that write
nothing, and the same again when everything is replayed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, inside, table_rows, user

from smartbrain import Conflict, NotFound, SmartBrain, SmartBrainError, UsageError
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.packet import PlanEntry, RunDecision
from smartbrain.govern.insights import insight_counts, insights_of
from smartbrain.govern.run_row import open_row
from smartbrain.govern.runs import read_run

LANGUAGES = [
    ("修好蓝牙", "不要重启", {"型号": "T14"}, "先看日志", "驱动版本太旧"),
    ("fix the build", "keep the API", {"branch": "main"}, "read the log", "the cache is stale"),
]


def stored(brain: SmartBrain, insight_id: str) -> Memory:
    """Return an insight as it is stored, whatever its status."""
    return brain.memories.get(insight_id)


@pytest.mark.spec("W1", "S1")
@pytest.mark.parametrize(("goal", "rule", "slots", "step", "_said"), LANGUAGES)
def test_a_run_has_in_mind_what_it_was_told(
    tmp_path: Path, goal: str, rule: str, slots: dict[str, Any], step: str, _said: str
) -> None:
    """Start, update and read back; slots are merged, the plan is replaced, decisions add up."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("会话", goal, [rule], {**slots, "旧 old": 1}, [step])
        brain.runs.update(run, slots={"旧 old": None, "n": [1, {"二": 2}]})
        brain.runs.update(run, plan=[{"text": step, "done": True, "done_when": "ok"}])
        brain.runs.update(run, decision={"text": goal, "detail": rule})
        working = brain.runs.update(run, decision=RunDecision(text=step))
        shown = brain.runs.get(run)
    assert working == shown.working_memory
    assert (run, goal, (rule,)) == (working.run_id, working.goal, working.constraints)
    assert {**slots, "n": [1, {"二": 2}]} == working.slots
    assert (PlanEntry(id="1", text=step, done=True, done_when="ok"),) == working.plan
    assert [(goal, rule), (step, "")] == [(one.text, one.detail) for one in working.decisions]
    assert all(one.at is not None for one in working.decisions)
    assert "会话" == shown.session_id


@pytest.mark.spec("W1")
def test_the_end_clears_what_a_run_had_in_mind(tmp_path: Path) -> None:
    """Nothing of it is left but that it was there; other runs go on."""
    with fake_brain(tmp_path) as brain:
        first = brain.runs.start("s", "修好蓝牙", slots={"密": "只在这里 only here"})
        second = brain.runs.start("s2", "go on")
        brain.runs.update(first, decision="只在这里 only here")
        assert [first, second] == [one.run_id for one in brain.runs.list()]
        assert [first] == [one.run_id for one in brain.runs.list("s")]
        ended = brain.runs.end(first)
        again = brain.runs.get(first)
        assert [second] == [one.run_id for one in brain.runs.list()]
        for call in (
            lambda: brain.runs.update(first, goal="x"),
            lambda: brain.runs.insight(first, "x", 0.5),
            lambda: brain.runs.end(first),
        ):
            with pytest.raises(Conflict, match="ended at"):
                call()
        goal = brain.runs.get(second).working_memory
    rows = table_rows(tmp_path / "tenants" / "t" / "brain.db")["working_state"]
    assert ended.ended_at == again.ended_at is not None
    assert ended.working_memory is None
    assert goal is not None
    assert "go on" == goal.goal
    assert not [row for row in rows if "only here" in str(row)]


@pytest.mark.spec("W3")
@pytest.mark.parametrize("said", ["made up nonsense", "一派胡言", "nonsense", "fact:no:such"])
def test_words_that_name_nothing_are_no_evidence(tmp_path: Path, said: str) -> None:
    """A sentence promotes nothing, and the refusal says what may be given."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s", "goal")
        kept = brain.runs.insight(run, "retries hide the timeout", 0.2)
        with pytest.raises(UsageError, match="names nothing; give the id"):
            brain.runs.validate(kept, [said])
        assert Status.CANDIDATE is stored(brain, kept).status


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    "place", ["https://例子.cn/日志", "src/app.py:42", "/var/log/a b.txt", "notes.md#L7", "会话"]
)
def test_places_and_sessions_are_evidence(tmp_path: Path, place: str) -> None:
    """An address, the path of a file, a session, and the key of a memory."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("会话", [user("The server's port is 8080.")])
        brain.memories.put("facts", "fact:driver:age", {"value": "old"})
        run = brain.runs.start("会话", "goal")
        kept = brain.runs.insight(run, "retries hide the timeout", 0.2)
        stands = brain.runs.validate(kept, [place, "fact:driver:age"])
    assert (Status.ACTIVE, (place, "fact:driver:age")) == (stands.status, stands.evidence_refs)


@pytest.mark.spec("W3", "N3")
def test_an_insight_that_is_put_as_unvalidated_stays_so(tmp_path: Path) -> None:
    """Who states one outright stands for it, unless they say otherwise."""
    with fake_brain(tmp_path) as brain:
        for place, said in enumerate(({}, {"validated": True}, {"validated": False})):
            brain.memories.put("insights", f"insight:run:{place}", {"statement": "茶 tea"} | said)
        found = [
            brain.memories.history(f"insight:run:{place}")[0].value["validated"]
            for place in range(3)
        ]
        recalled = [one.key for one in brain.recall("茶 tea", types="insights")]
    assert [True, True, False] == found
    assert "insight:run:2" not in recalled


@pytest.mark.spec("W3", "M1")
@pytest.mark.parametrize(("goal", "_rule", "_slots", "_step", "said"), LANGUAGES)
def test_an_insight_is_no_memory_before_it_is_validated(
    tmp_path: Path, goal: str, _rule: str, _slots: object, _step: str, said: str
) -> None:
    """It waits as a candidate of its run; validated it is active and outlives the run."""
    with fake_brain(tmp_path) as brain:
        fact = brain.memories.put("facts", "fact:driver:age", {"value": "old"})
        run = brain.runs.start("s", goal)
        kept = brain.runs.insight(run, said, 0.4)
        lost = brain.runs.insight(run, f"{said}?", 0.9)
        waiting = stored(brain, kept)
        assert [lost, kept] == [one.id for one in brain.runs.get(run).insights]
        assert not brain.memories.list(type="insights").items
        proof = fact.memory_written.items[0].id
        stands = brain.runs.validate(kept, [proof])
        assert stands == brain.runs.validate(kept, by_user=True)
        ended = brain.runs.end(run)
        found = brain.memories.list(type="insights").items
        gone = stored(brain, lost)
        with inside(brain) as rows:
            edges = rows.edges.of(kept, outgoing=False)
            counts = insight_counts(transaction=rows)
            text = rows.replayed.chunks([kept]).get(kept, [])[0]
    assert (Status.CANDIDATE, False) == (waiting.status, waiting.value["validated"])
    assert f"insight:{run}:1" == waiting.key
    assert (said,) == tuple(one.text for one in found)
    assert ("evidence", (proof,)) == (stands.value["validated_by"], stands.evidence_refs)
    assert [(proof, "SUPPORTS")] == [(one.src, one.type.value) for one in edges]
    assert (Status.EXPIRED, ended.ended_at) == (gone.status, gone.valid_until)
    assert [(lost, "run_ended")] == [(one.id, one.code) for one in ended.dropped]
    assert (2, 1, 1, 0.5) == (counts.made, counts.validated, counts.expired, counts.expired_rate)
    assert "[validated]" in text
    with fake_brain(tmp_path, seed=2) as brain, pytest.raises(Conflict, match="expired"):
        brain.runs.validate(lost, by_user=True)


@pytest.mark.spec("W3")
def test_the_least_sure_insight_goes_first_and_it_is_said(tmp_path: Path) -> None:
    """Of a thousand insights ten live; each that went says so, the new one too if it was it."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s", "找原因 find the cause")
        made = [brain.runs.insight(run, f"假设 guess {n}", n % 100 / 100) for n in range(1_000)]
        living = brain.runs.get(run)
        weak = brain.runs.insight(run, "很弱 weak", 0.0)
        after = brain.runs.get(run)
        told = brain.explain(turn_id=str(stored(brain, weak).source_operation_id)).steps
        with inside(brain) as rows:
            counts = insight_counts(transaction=rows)
    assert [0.99] * 10 == [one.confidence for one in living.insights]
    assert {made[n] for n in range(99, 1_000, 100)} == {one.id for one in living.insights}
    assert living.insights == after.insights
    assert weak == after.dropped[-1].id
    assert "at most 10" in after.dropped[-1].reason
    assert [("refused", "over_limit")] == [(one.action, one.code) for one in told[0].retention]
    assert (1_001, 991) == (counts.made, counts.expired)


@pytest.mark.spec("W3")
def test_an_insight_has_a_time_to_live(tmp_path: Path) -> None:
    """After it nobody is shown the insight and it cannot be validated; the next write notes it."""
    with fake_brain(tmp_path, **{"working.insight_ttl_hours": 0.01}) as brain:
        run = brain.runs.start("s")
        short = brain.runs.insight(run, "马上过期 soon over", 0.9)
        assert [short] == [one.id for one in brain.runs.get(run).insights]
        for _ in range(40):
            brain._root.clock()
        assert () == brain.runs.get(run).insights
        with pytest.raises(Conflict, match="expired"):
            brain.runs.validate(short, by_user=True)
        new = brain.runs.insight(run, "新的 new", 0.1)
        shown = brain.runs.get(run)
        gone = stored(brain, short)
    assert [new] == [one.id for one in shown.insights]
    assert [(short, "ttl")] == [(one.id, one.code) for one in shown.dropped]
    assert Status.EXPIRED is gone.status


LOOP: dict[str, Any] = {}
LOOP["self"] = LOOP
BAD: list[tuple[str, dict[str, Any]]] = [
    ("start", {"session_id": ""}),
    ("start", {"session_id": None}),
    ("start", {"session_id": "s", "goal": "  "}),
    ("start", {"session_id": "s", "goal": 5}),
    ("start", {"session_id": "s", "goal": "字" * 10_001}),
    ("start", {"session_id": "s", "goal": "半 \ud800"}),
    ("start", {"session_id": "s", "constraints": "one text"}),
    ("start", {"session_id": "s", "constraints": [""]}),
    ("start", {"session_id": "s", "constraints": ["x"] * 10_001}),
    ("start", {"session_id": "s", "slots": ["a"]}),
    ("start", {"session_id": "s", "slots": {"a": {1, 2}}}),
    ("start", {"session_id": "s", "slots": {"a": float("nan")}}),
    ("start", {"session_id": "s", "slots": {1: "a"}}),
    ("start", {"session_id": "s", "slots": {" ": "a"}}),
    ("start", {"session_id": "s", "slots": LOOP}),
    ("start", {"session_id": "s", "slots": {"大": "字" * 400_000}}),
    ("start", {"session_id": "s", "slots": {str(n): n for n in range(10_001)}}),
    ("start", {"session_id": "s", "plan": "text"}),
    ("start", {"session_id": "s", "plan": [{"txt": "a"}]}),
    ("start", {"session_id": "s", "plan": [None]}),
    ("start", {"session_id": "s", "plan": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]}),
    ("update", {}),
    ("update", {"goal": "\x00\x07"}),
    ("update", {"decision": " "}),
    ("update", {"decision": {"text": "a", "why": "b"}}),
    ("update", {"decision": object()}),
    ("insight", {"statement": "", "confidence": 0.5}),
    ("insight", {"statement": None, "confidence": 0.5}),
    ("insight", {"statement": "半 \udfff", "confidence": 0.5}),
    ("insight", {"statement": "a", "confidence": 1.01}),
    ("insight", {"statement": "a", "confidence": -0.1}),
    ("insight", {"statement": "a", "confidence": True}),
    ("insight", {"statement": "a", "confidence": float("nan")}),
    ("insight", {"statement": "a", "confidence": "high"}),
    ("insight", {"statement": "a", "confidence": 0.5, "evidence": "mem_1"}),
    ("insight", {"statement": "a", "confidence": 0.5, "evidence": [3]}),
    ("insight", {"statement": "a", "confidence": 0.5, "evidence": ["x"] * 101}),
    ("insight", {"statement": "a", "confidence": 0.5, "evidence": ["mem_nowhere"]}),
    ("insight", {"statement": "a", "confidence": 0.5, "evidence": ["raw_nowhere"]}),
    ("validate", {}),
    ("validate", {"evidence": ()}),
    ("validate", {"by_user": "yes"}),
    ("validate", {"evidence": ["self"]}),
    ("validate", {"evidence": ["other"]}),
    ("validate", {"evidence": ["01970000-0000-7000-8000-000000000000"]}),
]


@pytest.mark.spec("W1", "W3", "S1")
@pytest.mark.parametrize(("verb", "given"), BAD)
def test_bad_input_is_one_sentence_and_writes_nothing(
    tmp_path: Path, verb: str, given: dict[str, Any]
) -> None:
    """Whatever is wrong is named in one line, and the database stays as it was."""
    database = tmp_path / "tenants" / "t" / "brain.db"
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s", "目标 goal")
        insights = {name: brain.runs.insight(run, name, 0.5) for name in ("self", "other")}
        before = table_rows(database)
        call: dict[str, Any] = dict(given)
        if verb in ("update", "insight"):
            call["run_id"] = run
        if verb == "validate":
            call["insight_id"] = insights["self"]
            named = call.get("evidence", ())
            call["evidence"] = [insights.get(one, one) for one in named]
        with pytest.raises((UsageError, NotFound)) as error:
            getattr(brain.runs, verb)(**call)
        assert before == table_rows(database)
    assert "\n" not in error.value.message
    assert 10 < len(error.value.message) < 400


@pytest.mark.spec("W1", "W3")
def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    """An unknown run or insight is named; a memory of another type is no insight."""
    with fake_brain(tmp_path) as brain:
        fact = brain.memories.put("facts", "fact:a:b", {"value": "c"}).memory_written.items[0].id
        calls = [
            lambda: brain.runs.get("没有"),
            lambda: brain.runs.update("none", goal="x"),
            lambda: brain.runs.insight("none", "x", 0.5),
            lambda: brain.runs.end("none"),
            lambda: brain.runs.validate("mem_none", by_user=True),
        ]
        for call in calls:
            with pytest.raises(NotFound, match="there is no"):
                call()
        with pytest.raises(UsageError, match="one of facts"):
            brain.runs.validate(fact, by_user=True)


@pytest.mark.spec("W1", "N1")
def test_a_run_of_ten_thousand_entries_is_kept_and_a_larger_one_refused(tmp_path: Path) -> None:
    """Slots, constraints and decisions fill a run up; what is too much changes nothing."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s", slots={f"槽{n}": n for n in range(10_000)})
        decision = {"text": "决定 decided", "detail": "细" * 9_000}
        for _ in range(20):
            brain.runs.update(run, decision=decision)
        before = brain.runs.get(run)
        with pytest.raises(UsageError, match="is the limit"):
            brain.runs.update(run, slots={"大 large": ["字" * 9_000] * 20})
        after = brain.runs.get(run)
    working = after.working_memory
    assert before == after
    assert working is not None
    assert 10_000 == len(working.slots)
    assert 20 == len(working.decisions)


@pytest.mark.spec("W1", "W3", "E1")
def test_runs_and_insights_come_out_the_same_when_replayed(tmp_path: Path) -> None:
    """Every write was an event first: run again, the same memories, edges and runs are there."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user("蓝牙又断了。The driver is old.")]).turn_id
        run = brain.runs.start("s", "修好蓝牙", ["不要重启"], {"型号": "T14"}, ["看日志", "fix"])
        brain.runs.update(run, slots={"型号": None, "os": "Win11"}, decision="换驱动")
        made = [brain.runs.insight(run, f"假设 {n}", n / 20, [turn]) for n in range(12)]
        brain.runs.validate(made[11], by_user=True)
        brain.runs.validate(made[10], evidence=[made[11], turn, "https://example.com/日志"])
        other = brain.runs.start("s2", "open end")
        brain.runs.insight(other, "still a guess", 0.3)
        brain.runs.end(run)
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
        statuses = [stored(brain, one).status.value for one in made]
    assert () == report.not_run
    assert () == report.differences
    assert ["expired"] * 10 + ["active"] * 2 == statuses


@pytest.mark.spec("W1")
def test_reading_a_run_is_two_statements(tmp_path: Path) -> None:
    """One for the run, one for its session's plan, whatever there is; insights are two more."""
    asked: list[tuple[str, Any]] = []
    with fake_brain(tmp_path) as brain:
        runs = [brain.runs.start("s", f"目标 {n}") for n in range(30)]
        for n in range(50):
            brain.runs.update(runs[7], decision=f"决定 {n}")
            brain.memories.put("facts", f"fact:thing:n{n}", {"value": n})
        for n in range(10):
            brain.runs.insight(runs[7], f"guess {n}", 0.5)
        with inside(brain) as rows:
            working_rows: Any = rows.working
            connection = working_rows._connection
            connection.exec_trace = lambda _cursor, *one: asked.append(one) or True
            working = read_run(runs[7], transaction=rows)
            reads = len(asked)
            now = brain._root.clock()
            insights = insights_of(open_row(runs[7], transaction=rows), transaction=rows, now=now)
            connection.exec_trace = None
            sql, values = asked[0]
            told = " ".join(
                row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)
            )
    assert working is not None
    assert 50 == len(working.decisions)
    assert 2 == reads
    assert 4 == len(asked)
    assert 10 == len(insights)
    assert "USING INDEX" in told
    assert "SCAN" not in told


@pytest.mark.spec("W1", "C10")
@pytest.mark.parametrize("said", ["打电话 13812345678", "write to anna@example.com"])
def test_personal_data_is_masked_before_it_is_stored(tmp_path: Path, said: str) -> None:
    """With privacy.pii: mask no run and no event holds it; with refuse no insight is made of it."""
    secret = said.split()[-1]
    with fake_brain(tmp_path, **{"privacy.pii": "mask"}) as brain:
        run = brain.runs.start("s", said, [said], {said: [said]}, [said])
        brain.runs.update(run, decision=said)
        brain.runs.insight(run, said, 0.5)
    rows = table_rows(tmp_path / "tenants" / "t" / "brain.db")
    assert not [row for table in rows.values() for row in table if secret in str(row)]
    with fake_brain(tmp_path / "r", **{"privacy.pii": "refuse"}) as brain:
        run = brain.runs.start("s")
        with pytest.raises(SmartBrainError, match=r"privacy\.pii"):
            brain.runs.insight(run, said, 0.5)
