"""Why something was in an answer or was not, asked of an open brain (S1).

In: what was said, and questions about it, in Chinese and English. Out: the verdict that recall
itself led to, with the arms, the rank and what to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, user
from recall_builders import opened, put, say

from smartbrain.domain.explanation import Verdict
from smartbrain.recall.verdicts import MAKE_GRAPH


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("said", "query", "expect"),
    [
        ("测试库的端口是5432。", "测试库的端口是多少", "5432"),
        ("The staging port is 5432.", "what is the staging port", "5432"),
    ],
)
def test_what_is_recalled_is_included(tmp_path: Path, said: str, query: str, expect: str) -> None:
    """By words, by key and by id; the trail names the arm that found it and the rank it took."""
    with opened(tmp_path) as brain:
        say(brain, said)
        fact = brain.memories.list(type="facts").items[0]
        answer = brain.recall(query)
        told = [brain.explain(query=query, expect=one) for one in (expect, fact.key, fact.id)]
    assert [Verdict.INCLUDED] * 3 == [one.verdict for one in told]
    rank = [one.id for one in answer].index(fact.id) + 1
    (step,) = [one for one in told[2].trail if one.code == "rank"]
    assert rank == step.detail["rank"]
    assert answer[rank - 1].score == pytest.approx(step.detail["score"], abs=1e-6)
    assert any("text (ok) found it" in one.reason for one in told[2].trail)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("expect", "query"), [("量子计算机", "计算机"), ("quantum computer", "computer")]
)
def test_what_nobody_said_was_never_said(tmp_path: Path, expect: str, query: str) -> None:
    """Though something alike was."""
    with opened(tmp_path) as brain:
        say(brain, "我的计算机坏了。My computer is broken.")
        told = brain.explain(query=query, expect=expect)
    assert Verdict.NEVER_SAID is told.verdict
    assert "remember()" in told.hint


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("said", "query", "expect"),
    [
        ("昨天晚上彩虹特别好看，大家都拍了照。", "木琴", "彩虹特别好看"),
        ("The rainbow looked lovely over the harbour.", "xylophone", "rainbow harbour"),
    ],
)
def test_what_was_only_said_is_not_extracted(
    tmp_path: Path, said: str, query: str, expect: str
) -> None:
    """The turn holds it, no memory states it, and the question does not lead there."""
    with opened(tmp_path) as brain:
        turn = say(brain, said)
        told = brain.explain(query=query, expect=expect)
        found = brain.explain(query=expect, expect=expect)
    assert (Verdict.NOT_EXTRACTED, turn) == (told.verdict, told.turn_id)
    assert Verdict.INCLUDED is found.verdict


FORGOTTEN = [
    ("我的手机号是13800138000。", "13800138000", "我的手机号"),
    ("My employer is Qualtronix.", "Qualtronix", "my employer"),
    ("The staging port is 5432.", "5432", "the staging port"),
    ("测试库的端口是5432。", "5432", "测试库的端口"),
]


@pytest.mark.spec("S1", "J7")
@pytest.mark.parametrize(("said", "value", "query"), FORGOTTEN)
def test_what_was_forgotten_is_not_said_to_be_never_said(
    tmp_path: Path, said: str, value: str, query: str
) -> None:
    """By its words, its key and its id; what nobody said stays so, and no word of it is told."""
    with opened(tmp_path) as brain:
        say(brain, "茶凉了。The tea is cold.")
        before = brain.explain(query=query, expect=value)
        say(brain, said)
        kinds = ("facts", "profile")
        (fact,) = (one for kind in kinds for one in brain.memories.list(type=kind).items)
        receipt = brain.forget(fact.id)
        expected = [value, said, fact.key, fact.id]
        told = [brain.explain(query="茶 tea", expect=one) for one in expected]
        never = brain.explain(query="茶 tea", expect="鹦鹉 parrot")
        say(brain, said)
        again = brain.explain(query=query, expect=value)
    assert [Verdict.NEVER_SAID] * 2 == [before.verdict, never.verdict]
    assert [Verdict.FORGOTTEN] * 4 == [one.verdict for one in told]
    assert {"it was forgotten on 2026-03-10"} == {one.reason for one in told}
    assert {receipt.id} == {one.trail[-1].id for one in told}
    assert [] == [one for one in told if value in str(one.trail)]
    assert Verdict.INCLUDED is again.verdict


@pytest.mark.spec("S1", "J7")
@pytest.mark.parametrize(
    ("forgotten", "kept", "asked", "partly"),
    [
        (
            "My sister lives in Bergen.",
            "My brother moved to Bergen. My sister has a boat and lives well.",
            "sister lives in Bergen",
            "My sister lives in Bergen",
        ),
        ("我姐姐住在卑尔根。", "我弟弟去了卑尔根。我姐姐有船。他住在山里。", "卑尔根", "姐姐住在"),
    ],
)
def test_words_that_others_hold_too_are_not_said_to_be_never_said(
    tmp_path: Path, forgotten: str, kept: str, asked: str, partly: str
) -> None:
    """Nothing of the forgotten sentence is told, and nothing is claimed that cannot be known."""
    with opened(tmp_path) as brain:
        turn = say(brain, forgotten, session="a")
        say(brain, kept, session="b")
        brain.forget(turn)
        told = [brain.explain(query="船 boat", expect=one) for one in (asked, partly)]
    assert Verdict.NEVER_SAID not in [one.verdict for one in told]
    assert [] == [one.reason for one in told if forgotten in str(one.to_dict()["trail"])]


@pytest.mark.spec("S1", "J7")
@pytest.mark.parametrize(
    ("said", "asked", "words"),
    [
        ("我住在沈阳。", "忘掉我住在哪里", "沈阳"),
        ("My email is lin@acme.io.", "forget my email", "lin@acme.io"),
    ],
)
def test_what_is_only_hidden_is_forgotten_until_it_is_taken_back(
    tmp_path: Path, said: str, asked: str, words: str
) -> None:
    """A request in words waits a day before it is erased."""
    with opened(tmp_path) as brain:
        say(brain, said)
        say(brain, asked)
        (receipt,) = brain.receipts()
        hidden = brain.explain(query=words, expect=words)
        brain.take_back(receipt.id)
        back = brain.explain(query=words, expect=words)
    assert (Verdict.FORGOTTEN, Verdict.INCLUDED) == (hidden.verdict, back.verdict)


@pytest.mark.spec("S1", "M4")
@pytest.mark.parametrize(
    ("first", "then", "query", "expect"),
    [
        ("测试库的端口是 5432。", "测试库的端口是 6543。", "测试库的端口", "5432"),
        ("The staging port is 5432.", "The staging port is 6543.", "staging port", "5432"),
    ],
)
def test_what_was_replaced_or_taken_back_says_so(
    tmp_path: Path, first: str, then: str, query: str, expect: str
) -> None:
    """The old version is superseded; once the key is retracted, what stood is."""
    with opened(tmp_path) as brain:
        say(brain, first, at="2026-01-05T09:00:00Z", session="a")
        say(brain, then, at="2026-02-05T09:00:00Z", session="b")
        now = brain.memories.list(type="facts").items[0]
        old = brain.memories.history(now.key)[0]
        replaced = brain.explain(query=query, expect=old.id)
        words = brain.explain(query=query, expect=expect)
        stands = brain.explain(query=query, expect=now.key)
        brain.memories.retract(now.key)
        gone = brain.explain(query=query, expect=now.id)
    assert Verdict.SUPERSEDED is replaced.verdict
    assert now.id in [one.id for one in replaced.trail]
    assert (Verdict.INCLUDED, "episodes") == (words.verdict, words.key and words.key[:7] + "s")
    assert Verdict.INCLUDED is stands.verdict
    assert Verdict.RETRACTED is gone.verdict


@pytest.mark.spec("S1", "C2")
@pytest.mark.parametrize(
    ("key", "value"), [("pref:coding:缩进", "制表符"), ("pref:coding:indent", "tabs")]
)
def test_what_was_refused_says_why(tmp_path: Path, key: str, value: str) -> None:
    """A guess about the user that nobody confirmed is held back."""
    with opened(tmp_path) as brain:
        events: dict[str, Any] = {
            "messages": [assistant(f"I think you prefer {value}.")],
            "preferences": [{"key": key, "value": value}],
        }
        turn = brain.commit_turn("s", events).turn_id
        told = brain.explain(query="缩进 indent", expect=value)
    assert (Verdict.REFUSED, turn) == (told.verdict, told.turn_id)
    assert "confirm" in told.reason


@pytest.mark.spec("S1")
@pytest.mark.parametrize("query", ["水果 颜色", "fruit colour"])
def test_what_came_behind_is_outranked_and_feedback_lifts_it(tmp_path: Path, query: str) -> None:
    """Its place and score are told; pinned, as the hint says, it comes further up."""
    with opened(tmp_path) as brain:
        for n in range(24):
            put(brain, f"fact:水果:n{n}", f"fruit colour 颜色 水果 {n}")
        answer = brain.recall(query, k=24)
        last = answer[-1]
        told = brain.explain(query=query, expect=last.id)
        brain.feedback(last.id, "pin")
        lifted = brain.explain(query=query, expect=last.id)
        (before,), (after,) = (
            [step.detail["rank"] for step in one.trail if step.code == "rank"]
            for one in (told, lifted)
        )
    assert Verdict.OUTRANKED is told.verdict
    assert "at place 24" in told.reason
    assert "feedback()" in told.hint
    assert 24 == before > after


@pytest.mark.spec("S1", "W3")
@pytest.mark.parametrize("said", ["驱动版本太旧", "the cache is stale"])
def test_an_insight_is_refused_then_expired(tmp_path: Path, said: str) -> None:
    """While its run goes on it waits; after that its time is over."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s")
        guess = brain.runs.insight(run, said, 0.5)
        waiting = brain.explain(query=said, expect=guess)
        brain.runs.end(run)
        over = brain.explain(query=said, expect=said)
    assert Verdict.REFUSED is waiting.verdict
    assert Verdict.EXPIRED is over.verdict


@pytest.mark.spec("S1", "R4")
@pytest.mark.parametrize(
    ("key", "value", "query"),
    [("fact:测试库:端口", "五四三二", "发票"), ("fact:staging:port", "5432", "invoice")],
)
def test_what_no_arm_found_names_the_arms_that_were_off(
    tmp_path: Path, key: str, value: str, query: str
) -> None:
    """Not found, and told which arms did not answer; also where no text may be searched at all."""
    with opened(tmp_path) as brain:
        fact = put(brain, key, value)
        for switches in (
            {"recall.graph.enabled": False},
            {"recall.use_node_index": False},
            {"recall.raw.enabled": False},
        ):
            brain.configure(switches)
            told = brain.explain(query=query, expect=fact)
            assert Verdict.NOT_FOUND is told.verdict
            assert "vector" in told.reason
    assert "graph" in told.reason
    assert "text" in told.reason


@pytest.mark.spec("S1", "R4")
@pytest.mark.parametrize("expect", ["没人说过的话", "words nobody said"])
def test_without_a_text_index_it_is_not_said_that_nobody_said_it(
    tmp_path: Path, expect: str
) -> None:
    """Opened without one from the start: who cannot look does not claim."""
    off = {"use_node_index": False, "raw": {"enabled": False}}
    with opened(tmp_path, recall=off) as brain:
        say(brain, "你好 hello")
        told = brain.explain(query="你好", expect=expect)
    assert Verdict.NOT_FOUND is told.verdict
    assert "cannot be asked" in told.reason


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("told", "other", "query"),
    [
        ("I live in {} now.", "The weather is fine.", "Where do I live?"),
        ("我现在住在{}。", "今天的天气很好。", "我住在哪里？"),
    ],
)
def test_places_are_those_of_the_answer(tmp_path: Path, told: str, other: str, query: str) -> None:
    """Whatever was left out before: versions that were replaced, and what has no room."""
    with opened(tmp_path) as brain:
        for town in ("Berlin 柏林", "Munich 慕尼黑", "Hamburg 汉堡", "Cologne 科隆"):
            say(brain, told.format(town), reply="")
        say(brain, other, reply="")
        answer = brain.recall(query)
        budget = answer.trace.tokens // 3
        for limits in ({}, {"k": len(answer) - 1}, {"budget_tokens": budget}):
            asked: dict[str, Any] = {**limits}
            given = brain.recall(query, **asked)
            for place, item in enumerate(given, 1):
                why = brain.explain(query=query, expect=item.id, **asked)
                (step,) = [one for one in why.trail if one.code == "rank"]
                assert why.reason.endswith(f"it came {place}{_ending(place)}")
                assert (place, len(given)) == (step.detail["rank"], step.detail["of"])
        last = answer[-1].id
        why = brain.explain(query=query, expect=last, k=len(answer) - 1)
        (step,) = [one for one in why.trail if one.code == "rank"]
        replaced = brain.memories.history("profile:user")[0]
        gone = brain.explain(query=query, expect=replaced.id)
    assert f"at place {len(answer)}," in why.reason
    assert (len(answer), len(answer)) == (step.detail["rank"], step.detail["of"])
    assert "it is in the answer: " in why.trail[-1].reason
    assert "it came" not in why.trail[-1].reason
    assert [None] == [one.detail["rank"] for one in gone.trail if one.code == "rank"]


def _ending(place: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(place, "th")


@pytest.mark.spec("S1", "W3")
@pytest.mark.parametrize(
    ("said", "words"),
    [("The zebra cache is stale", "zebra cache"), ("斑马缓存已经过期", "斑马缓存")],
)
def test_an_insight_is_known_by_its_words(tmp_path: Path, said: str, words: str) -> None:
    """While it waits it is in no index, yet it was stored, and it is refused."""
    with opened(tmp_path) as brain:
        say(brain, "你好 hello")
        run = brain.runs.start("s")
        guess = brain.runs.insight(run, said, 0.5)
        told = [brain.explain(query=words, expect=one) for one in (guess, said, words)]
    assert [(Verdict.REFUSED, guess)] * 3 == [(one.verdict, one.id) for one in told]


@pytest.mark.spec("S1", "C2")
@pytest.mark.parametrize(
    ("key", "value", "words"),
    [("pref:ui:theme", "solarized", "solarized"), ("pref:ui:主题", "深海蓝配色", "深海蓝")],
)
def test_a_refused_proposal_is_known_by_its_words(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    """Nobody said them: they are in the proposal alone."""
    with opened(tmp_path) as brain:
        events: dict[str, Any] = {
            "messages": [user("你好 hello")],
            "preferences": [{"key": key, "value": value}],
        }
        turn = brain.commit_turn("s", events).turn_id
        told = [brain.explain(query="主题 theme", expect=one) for one in (key, words)]
        never = brain.explain(query="主题 theme", expect="从没说过 unheard")
    assert [(Verdict.REFUSED, turn)] * 2 == [(one.verdict, one.turn_id) for one in told]
    assert "confirm" in told[1].reason
    assert Verdict.NEVER_SAID is never.verdict


@pytest.mark.spec("S1", "E2")
@pytest.mark.parametrize(
    ("text", "words"),
    [("The ostrich manual says press F7.", "press F7"), ("鸵鸟手册说要按复位键。", "复位键")],
)
def test_what_was_only_ingested_is_not_extracted(tmp_path: Path, text: str, words: str) -> None:
    """It waits for the graph, as the hint says; after that it is judged like anything else."""
    with opened(tmp_path) as brain:
        say(brain, "你好 hello")
        brain.ingest(text)
        told = brain.explain(query=text, expect=words)
        never = brain.explain(query=text, expect="从没说过 unheard")
        brain.r2g()
        after = brain.explain(query=text, expect=words)
    assert (Verdict.NOT_EXTRACTED, MAKE_GRAPH) == (told.verdict, told.hint)
    assert "ingested" == told.trail[0].code
    assert Verdict.NEVER_SAID is never.verdict
    assert Verdict.INCLUDED is after.verdict


@pytest.mark.spec("S1", "R4")
@pytest.mark.parametrize("query", ["数据库端口", "database port"])
def test_an_arm_that_is_off_is_not_said_to_fail(tmp_path: Path, query: str) -> None:
    """Nor is a reranker, which finds nothing by itself."""
    with opened(tmp_path) as brain:
        fact = put(brain, "fact:茶:颜色", "green 绿")
        told = brain.explain(query=query, expect=fact)
    assert Verdict.NOT_FOUND is told.verdict
    assert "no arm found it for these words; vector is off" == told.reason
