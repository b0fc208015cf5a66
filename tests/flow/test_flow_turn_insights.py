"""Insights that turns propose: their run has them, as if it had noted them itself.

In: turns with hypotheses, of runs that go on, that have ended, or that never were. Out: what waits,
what answers show of it, and what is left when the run ends.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.explanation import Verdict


@pytest.mark.spec("W3", "N3", "E1")
@pytest.mark.parametrize(
    "statement", ["the cache is probably stale", "缓存大概过期了"], ids=["en", "zh"]
)
@pytest.mark.parametrize("keyed", [True, False])
def test_an_insight_that_a_turn_proposes_is_its_runs(
    tmp_path: Path, statement: str, keyed: bool
) -> None:
    """It waits to be validated, no answer shows it, it ends with its run, and runs again so."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s")
        named = {"key": f"insight:{run}:1"} if keyed else {"run": run, "n": 7}
        proposal = {"statement": statement, **named}
        turn = {"messages": [user("Why is the page old? 页面为什么旧？")], "insights": [proposal]}
        result = brain.commit_turn("s", turn, run_id=run)
        (waiting,) = brain.memories.list("insights", status=None).items
        recalled = [[one.id for one in brain.recall(statement)]]
        called = {"name": "recall", "arguments": {"query": statement}}
        told = brain.call_tool("s", called).text
        planned = brain.build_memory_packet("s", statement, run_id=run, audience="planner")
        answered = brain.build_memory_packet("s", statement, run_id=run)
        brain.runs.end(run)
        gone = brain.memories.get(waiting.id)
        recalled.append([one.id for one in brain.recall(statement)])
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert ("candidate", result.turn_id) == (waiting.status, waiting.source_turn_id)
    assert 0 == result.memory_written.count
    assert ("insights", "deferred", "unvalidated") in [
        (one.type, one.action, one.code) for one in result.explain.retention
    ]
    assert all(waiting.id not in ids for ids in recalled)
    assert f"[insights] {statement}" not in told
    assert [waiting.id] == [one.id for one in planned.insights]
    assert () == tuple(answered.insights)
    assert "expired" == gone.status
    assert (0, 0) == (report.failed, report.differing)


@pytest.mark.spec("W3")
def test_turns_propose_no_more_insights_than_a_run_has(tmp_path: Path) -> None:
    """The least sure give way, and it is said which."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s")
        some = [
            {"run": run, "n": n, "statement": f"推测 guess {n}", "confidence": n / 20}
            for n in range(12)
        ]
        result = brain.commit_turn("s", {"insights": some}, run_id=run)
        left = brain.memories.list("insights", status="candidate").items
    assert [f"推测 guess {n}" for n in range(2, 12)] == sorted(
        (one.text for one in left), key=lambda text: int(text.split()[-1])
    )
    assert 2 == [one.code for one in result.explain.retention].count("over_limit")


@pytest.mark.spec("W3")
def test_an_insight_of_no_run_that_goes_on_is_refused(tmp_path: Path) -> None:
    """Without a run it would never end; the turn is kept."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s")
        brain.runs.end(run)
        codes = [
            one.code
            for given in (run, "没有这个")
            for one in brain.commit_turn(
                "s", {"insights": [{"key": f"insight:{given}:1", "statement": "x 大概"}]}
            ).explain.retention
            if one.type == "insights"
        ]
        assert () == brain.memories.list("insights", status=None).items
    assert ["no_run"] * 2 == codes


@pytest.mark.spec("W3", "N3")
def test_an_insight_that_the_user_states_outright_is_validated(tmp_path: Path) -> None:
    """The user's own word is what an insight waits for."""
    with fake_brain(tmp_path) as brain:
        brain.memories.put("insights", "insight:r:1", {"statement": "retries hide 超时"})
        value = brain.memories.get("insight:r:1").value
    assert (True, "user") == (value["validated"], value["validated_by"])


@pytest.mark.spec("W3", "C4")
def test_a_turn_takes_an_insight_back_that_waits(tmp_path: Path) -> None:
    """A retraction is no hypothesis."""
    with fake_brain(tmp_path) as brain:
        run = brain.runs.start("s")
        waiting = brain.runs.insight(run, "缓存大概过期了", 0.7)
        key = brain.memories.get(waiting).key
        back = {"type": "insights", "key": key, "reason": "查过了"}
        brain.commit_turn("s", {"retractions": [back]}, run_id=run)
        assert "retracted" == brain.memories.get(waiting).status


ENDED = [
    (
        "The zebra server is down.",
        "The zebra outage was caused by Bob",
        ("zebra outage", "What used to cause the zebra outage?"),
    ),
    (
        "斑马服务器宕机了。",
        "斑马服务器宕机是老王造成的",
        ("斑马服务器宕机", "斑马服务器宕机以前是谁造成的？"),
    ),
    (
        "The zebra 服务器 is down.",
        "zebra 服务器 outage 是 Bob 造成的",
        ("zebra 服务器 outage", "zebra 服务器 outage 之前是谁造成的, previously?"),
    ),
]


@pytest.mark.spec("W3", "N3", "S1")
@pytest.mark.parametrize(("said", "statement", "queries"), ENDED, ids=["en", "zh", "mixed"])
def test_an_insight_that_ended_with_its_run_is_no_history(
    tmp_path: Path, said: str, statement: str, queries: tuple[str, str]
) -> None:
    """Nobody held it: no asking for the past and no time brings it, and it is said why."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        run = brain.runs.start("s")
        lost = brain.runs.insight(run, statement, 0.2)
        kept = brain.runs.insight(run, f"{statement} (2)", 0.9)
        brain.runs.validate(kept, by_user=True)
        then = brain.memories.get(kept).updated_at
        brain.runs.end(run)
        plain, past = queries
        answers = [
            brain.recall(plain),
            brain.recall(past),
            brain.recall(plain, as_of=then),
            brain.recall(plain, include_history=True),
            brain.recall(plain, include_history=True, as_of=then, types=["insights"]),
        ]
        told = [
            brain.call_tool("s", {"name": "recall", "arguments": {"query": one}}).text
            for one in queries
        ]
        packets = [
            brain.build_memory_packet("s", past, audience=one) for one in ("planner", "responder")
        ]
        why = [brain.explain(query=one, expect=lost) for one in queries]
    for answer in answers:
        assert kept in [one.id for one in answer.items]
        assert lost not in [one.id for one in answer.items]
    reasons = [{one.id: one.code for one in answer.trace.omitted} for answer in answers]
    assert ["not_promoted"] * 4 == [one[lost] for one in reasons[1:]]
    assert not any(f"[insights] {statement}\n" in f"{text}\n" for text in told)
    for packet in packets:
        assert lost not in [one.id for one in packet.insights]
        assert "not_promoted" in [one.code for one in packet.explain.omitted if one.id == lost]
    assert [Verdict.EXPIRED] * 2 == [one.verdict for one in why]
    assert all("nobody had validated it" in one.reason for one in why)
    assert all("include_history" not in one.hint for one in why)
