"""Recall through an open brain: what an item says of itself, and what a question may ask for.

In: turns and facts in Chinese and English, on the real storage and indexes. Out: items with their
score, signals, path and quotes; versions, times, types, budgets and feedback as they were asked.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, user
from msgspec.structs import replace
from recall_builders import NOW, arm, ids, opened, original, put, say

from smartbrain import SmartBrain
from smartbrain.domain.memory import Status
from smartbrain.domain.recall import Recall
from smartbrain.recall.arms import text
from smartbrain.recall.items import tokens_of
from smartbrain.text.tokens import estimate_tokens

SAID = [
    ("测试库的端口是 5432。", "测试库 端口"),
    ("The staging port is 5432.", "staging port"),
]


def texts(answer: Recall) -> list[str]:
    """Return what was recalled."""
    return [one.text for one in answer]


@pytest.mark.spec("R3", "S1")
@pytest.mark.parametrize(("said", "query"), SAID)
def test_an_item_says_what_speaks_for_it_and_where_it_comes_from(
    tmp_path: Path, said: str, query: str
) -> None:
    """Score and signals, the way to the original, and quotes that are the original's bytes."""
    with opened(tmp_path) as brain:
        turn = say(brain, said)
        for n in range(5):
            say(brain, f"闲聊 {n} small talk", session=f"s{n}")
        answer = brain.recall(query)
        best = {one.type: one for one in answer.items[:2]}
        fact, episode = best["facts"], best["episodes"]
        assert turn == fact.source_turn_id == episode.source_turn_id
        for item in answer:
            for quote in item.quotes:
                assert quote.span is not None
                assert quote.text.encode() == original(brain, quote.span)
    assert fact.score > 0
    assert fact.score == max(one.score for one in answer if one.type == "facts")
    assert sorted((one.score for one in answer), reverse=True) == [one.score for one in answer]
    assert "text" in fact.found_by
    assert "graph" in fact.found_by
    signals = (fact.signals.fts_score, fact.signals.weight_score)
    assert all(one is not None and 0 < one <= 1 for one in signals)
    assert fact.signals.graph_score is not None
    assert 0 <= fact.signals.graph_score <= 1
    assert None is fact.signals.vector_score
    assert [("DERIVED_FROM", episode.id), ("DERIVED_FROM", fact.path[1].id)] == [
        (step.relation, step.id) for step in fact.path
    ]
    assert ["episodes", "raw"] == [step.type for step in fact.path]
    assert fact.quotes[0].span is not None
    assert fact.path[1].id == fact.quotes[0].span.raw_id
    assert said.rstrip("。.") in fact.quotes[0].text
    assert (turn, "s", "user") == (fact.source_turn_id, fact.session_id, fact.speaker)
    assert Recall.from_dict(answer.to_dict()) == answer


@pytest.mark.spec("R3")
def test_without_citations_nothing_is_quoted(tmp_path: Path) -> None:
    """The same memories come, in the same order, without original words."""
    with opened(tmp_path) as brain:
        say(brain, "蓝牙打不开 bluetooth is broken")
        full, bare = brain.recall("蓝牙"), brain.recall("蓝牙", need_citations=False)
    assert ids(full) == ids(bare)
    assert full[0].quotes
    assert [()] * len(bare) == [one.quotes for one in bare]


VERSIONS = [
    ("测试库的端口是 {}。", ("5432", "6543", "7654"), "测试库的端口"),
    ("The staging port is {}.", ("5432", "6543", "7654"), "staging port"),
]
YESTERDAY = NOW - timedelta(days=1)
MONTHS = ("2026-01-05T09:00:00Z", "2026-02-05T09:00:00Z", "2026-03-05T09:00:00Z")


def told_thrice(brain: SmartBrain, said: str, values: tuple[str, ...]) -> None:
    """State a fact three times, with another value each month."""
    for at, value in zip(MONTHS, values, strict=True):
        say(brain, said.format(value), at=at, session=at)


@pytest.mark.spec("R3", "M4")
@pytest.mark.parametrize(("said", "values", "query"), VERSIONS)
def test_only_the_version_that_holds_is_recalled(
    tmp_path: Path, said: str, values: tuple[str, ...], query: str
) -> None:
    """Old ones come with history alone, each with its status, the one that holds before them."""
    with opened(tmp_path) as brain:
        told_thrice(brain, said, values)
        now = brain.recall(query, types="facts")
        past = brain.recall(query, types="facts", include_history=True)
    assert [values[2]] == [one.value["value"] for one in now]
    assert Status.ACTIVE is now[0].status
    assert set(values) == {one.value["value"] for one in past}
    assert [Status.SUPERSEDED] * 2 == sorted(
        one.status for one in past if one.value["value"] != values[2]
    )


@pytest.mark.spec("R3", "M4")
@pytest.mark.parametrize(("said", "values", "query"), VERSIONS)
def test_another_time_is_answered_as_of_then(
    tmp_path: Path, said: str, values: tuple[str, ...], query: str
) -> None:
    """Of three versions the one that held; before the first there is none, and no later episode."""
    with opened(tmp_path) as brain:
        told_thrice(brain, said, values)
        for at, expected in (
            ("2026-01-01T00:00:00Z", []),
            ("2026-01-20T00:00:00Z", [values[0]]),
            (MONTHS[1], [values[1]]),
            ("2026-02-20T00:00:00Z", [values[1]]),
            ("2026-03-06T00:00:00Z", [values[2]]),
            (NOW, [values[2]]),
        ):
            answer = brain.recall(query, types=["facts"], as_of=at)
            assert expected == [one.value["value"] for one in answer], at
        told = brain.recall(query, types="episodes", as_of="2026-01-20T00:00:00Z")
    assert [values[0]] == [value for one in told for value in values if value in one.text]


@pytest.mark.spec("R3", "M4")
@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACTIVE])
def test_what_does_not_stand_is_not_recalled(tmp_path: Path, status: Status) -> None:
    """It comes with history alone and says what it is; what was never confirmed not even so."""
    with opened(tmp_path) as brain:
        fact = put(brain, "fact:仓库:分支", "main 主干")
        assert [fact] == ids(brain.recall("仓库 main"))
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            memory = rows.memories.get([fact])[fact]
            rows.memories.update(replace(memory, status=status))
        for query in ("仓库 主干", "main"):
            answer = brain.recall(query)
            assert [] == ids(answer)
            history = brain.recall(query, include_history=True)
            held = [] if status is Status.CANDIDATE else [(fact, status)]
            assert held == [(one.id, one.status) for one in history]


@pytest.mark.spec("R3", "R7")
def test_what_had_its_time_is_not_recalled(tmp_path: Path) -> None:
    """Its status says nothing yet, its validity does: the reason names the moment."""
    with opened(tmp_path) as brain:
        fact = put(brain, "fact:折扣:code", "春季优惠 spring sale")
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            memory = rows.memories.get([fact])[fact]
            ended = replace(memory, valid_since=NOW - timedelta(days=9), valid_until=YESTERDAY)
            rows.memories.update(ended)
        for query in ("春季优惠", "spring sale"):
            answer = brain.recall(query)
            assert [] == ids(answer)
            (reason,) = [one for one in answer.trace.omitted if one.id == fact]
            assert ("expired", True) == (reason.code, "2026-03-09" in reason.reason)
            assert [fact] == ids(brain.recall(query, as_of=NOW - timedelta(days=2), k=1))


@pytest.mark.spec("R3", "S1")
@pytest.mark.parametrize("query", ["发布 release 蓝牙", "release bluetooth 蓝牙"])
def test_a_question_may_be_limited_to_types_and_times(tmp_path: Path, query: str) -> None:
    """Only what was asked for comes, and the others say why they did not."""
    with opened(tmp_path) as brain:
        for days in (60, 20, 5, 1):
            at = NOW - timedelta(days=days)
            say(brain, f"{days} 天前 release 发布蓝牙 bluetooth", at=at, session=f"s{days}")
        put(brain, "fact:release:date", "发布 蓝牙 bluetooth")

        def days_of(**limits: Any) -> list[int]:
            answer = brain.recall(query, types="episodes", **limits)
            return sorted(round((NOW - one.at) / timedelta(days=1)) for one in answer)

        assert [1, 5, 20, 60] == days_of()
        assert [1, 5] == days_of(timebox_days=7)
        assert [1] == days_of(timebox_days=1.5)
        assert [20, 60] == days_of(until=NOW - timedelta(days=10))
        assert [5, 20] == days_of(
            since=NOW - timedelta(days=20), until=(NOW - timedelta(days=1)).isoformat()
        )
        assert [5] == days_of(timebox_days=10, until=NOW - timedelta(days=2))
        facts = brain.recall(query, types=["facts"])
        both = brain.recall(query, types=["facts", "episodes"])
        late = brain.recall(query, since=NOW - timedelta(days=3))
    assert {"facts"} == {one.type for one in facts}
    assert {"facts", "episodes"} == {one.type for one in both}
    codes = {one.code for one in facts.trace.omitted}
    assert "other_type" in codes
    assert "too_early" in {one.code for one in late.trace.omitted}


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("我们把代码放在 github.com/acme/rocket 了。", "那个仓库在哪里？"),
        ("We moved the code to github.com/acme/rocket.", "where is that repo?"),
    ],
)
def test_that_repo_is_the_one_of_the_session(tmp_path: Path, said: str, query: str) -> None:
    """What the session spoke of last is meant; without a session nothing is guessed."""
    with opened(tmp_path) as brain:
        for n in range(8):
            say(brain, f"仓库 repo number {n} 在哪里 where", session=f"other{n}")
        turn = say(brain, said, session="current")
        meant = brain.recall(query, session_id="current")
        unknown = brain.recall(query)
        nowhere = brain.recall(query, session_id="没有 none")
    assert meant.trace.cues is not None
    assert ("acme/rocket",) == meant.trace.cues.referred
    assert turn in [one.source_turn_id for one in meant.items[:2]]
    for answer in (unknown, nowhere):
        assert answer.trace.cues is not None
        assert () == answer.trace.cues.referred


@pytest.mark.spec("R8")
def test_k_bounds_what_comes(tmp_path: Path) -> None:
    """However much there is, and the best are the same; the next ones are named as outranked."""
    with opened(tmp_path) as brain:
        for n in range(130):
            put(brain, f"fact:蓝牙:n{n}", f"bluetooth 耳机 {n}")
        found = {k: brain.recall("蓝牙 bluetooth", k=k) for k in (1, 7, 100)}
    assert [1, 7, 100] == [len(one) for one in found.values()]
    assert ids(found[100])[:7] == ids(found[7])
    assert ids(found[7])[:1] == ids(found[1])
    (eighth,) = [one for one in found[7].trace.omitted if "at place 8, and 7 were" in one.reason]
    assert ("outranked", ids(found[100])[7]) == (eighth.code, eighth.id)


@pytest.mark.spec("R8", "R16")
@pytest.mark.parametrize("word", ["蓝牙", "bluetooth"])
def test_a_budget_holds_and_is_used(tmp_path: Path, word: str) -> None:
    """The best come first; what is too long is passed over, and says how long it is."""
    with opened(tmp_path) as brain:
        say(brain, f"{word} " + "很长的故事 a long story " * 40, session="long")
        for n in range(10):
            say(brain, f"{word} 短 short {n}", session=f"s{n}")
        everything = brain.recall(word)
        for budget in (1, 40, 100, 300, 10_000):
            answer = brain.recall(word, budget_tokens=budget)
            bare = sum(map(tokens_of, answer))
            quotes = sum(estimate_tokens(quote.text) for one in answer for quote in one.quotes)
            assert bare + quotes == answer.trace.tokens <= budget
            over = [one.id for one in answer.trace.omitted if one.code == "over_budget"]
            assert set(ids(everything)) == {*ids(answer), *over}
            assert all(tokens_of(one) > budget - bare for one in everything if one.id in over)
            in_order = [one for one in ids(everything) if one not in over]
            assert in_order == ids(answer)
    assert len(everything) == len(answer)


@pytest.mark.spec("R6")
@pytest.mark.parametrize("query", ["团队 午餐", "team lunch"])
def test_feedback_moves_the_order(tmp_path: Path, query: str) -> None:
    """Pins and upvotes raise a memory, downvotes lower it; taking a pin off undoes it."""
    with opened(tmp_path) as brain:
        facts = [put(brain, f"fact:lunch:n{n}", "团队 午餐 team lunch") for n in range(4)]

        def order() -> list[str]:
            return ids(brain.recall(query, types="facts"))

        before = order()
        assert set(facts) == set(before)
        brain.feedback(before[3], "pin")
        assert [before[3], *before[:3]] == order()
        brain.feedback(before[3], "unpin")
        assert before == order()
        brain.feedback(before[2], "upvote")
        assert before[2] == order()[0]
        brain.feedback(before[0], "downvote")
        assert before[0] == order()[-1]


@pytest.mark.spec("R3")
def test_what_the_user_said_comes_before_the_same_from_the_assistant(tmp_path: Path) -> None:
    """Unless it is the assistant's words that are asked for."""
    with opened(tmp_path) as brain:
        mine = brain.commit_turn("a", [user("红色按钮 red button")]).turn_id
        yours = brain.commit_turn("b", [assistant("红色按钮 red button")]).turn_id
        plain = brain.recall("红色按钮 red button", types="episodes")
        asked = brain.recall("你说过什么红色按钮 red button", types="episodes")
        english = brain.recall("what did you tell me about the red button", types="episodes")
    assert [mine, yours] == [one.source_turn_id for one in plain]
    assert [yours, mine] == [one.source_turn_id for one in asked]
    assert [yours, mine] == [one.source_turn_id for one in english]


@pytest.mark.spec("R3", "R14")
@pytest.mark.parametrize("query", ["我们昨天说了什么？", "what did we talk about yesterday?"])
def test_a_time_in_the_message_leads_to_what_was_said_then(tmp_path: Path, query: str) -> None:
    """Yesterday's turn comes first though it shares no word with the question."""
    with opened(tmp_path) as brain:
        turns = {
            days: say(brain, said, at=NOW - timedelta(days=days), session=f"s{days}")
            for days, said in ((9, "买了一台打印机 a printer"), (1, "冰箱坏了 the fridge broke"))
        }
        answer = brain.recall(query)
    assert turns[1] == answer[0].source_turn_id
    assert 1.0 == answer[0].signals.time_score
    assert "ok" == arm(answer, "time").verdict
    assert "time" in answer[0].found_by


@pytest.mark.spec("R1", "R12")
@pytest.mark.parametrize(
    "query", ["蓝牙耳机上周为什么打不开", "why did the bluetooth headset fail"]
)
def test_the_plan_is_kept_with_the_answer(tmp_path: Path, query: str) -> None:
    """Queries with their weights, within bounds, under the id of the request."""
    with opened(tmp_path) as brain:
        say(brain, "蓝牙耳机打不开 the bluetooth headset fails")
        trace = brain.recall(query, k=7).trace
    assert trace.plan is not None
    assert trace.request_id == trace.plan.request_id
    first, *others = trace.plan.queries
    assert (query, 1.0) == (first.text, first.weight)
    assert 3 <= len(trace.plan.queries) <= 9
    assert all(0.3 <= one.weight <= 0.8 for one in others)
    assert 7 == trace.plan.budget.top_k
    assert {"cues", "arms", "rows", "rank", "items"} <= set(trace.stages)


@pytest.mark.spec("R3", "M4")
@pytest.mark.parametrize("query", ["测试库 端口", "staging port"])
def test_what_is_replaced_while_the_arms_search_is_answered_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """The index names the old version; the new one is recalled in its place, with its signals."""
    inner = text.search_text
    values = iter(("6543 端口", "6543 端口", "7654 端口", "7654 端口"))  # turns and facts
    with opened(tmp_path) as brain:
        put(brain, "fact:测试库:staging_port", "5432 端口")
        before = brain.recall(query)

        def searching(*given: Any, **more: Any) -> Any:
            found = inner(*given, **more)
            put(brain, "fact:测试库:staging_port", next(values))
            return found

        monkeypatch.setattr(text, "search_text", searching)
        during = brain.recall(query)
        packet = brain.build_memory_packet("s", query)
    assert ["5432 端口"] == [one.value["value"] for one in before]
    assert ["6543 端口"] == [one.value["value"] for one in during]
    assert [Status.ACTIVE] == [one.status for one in during]
    assert before[0].signals.fts_score == during[0].signals.fts_score
    assert ["7654 端口"] == [one.value["value"] for one in packet.facts]
