"""Why something was in a recall, a packet or a context, or was not, by limits and rules (S1).

In: what was said and stored, in Chinese and English. Out: the verdict about each kind of answer,
which arm or rule it comes from, and what to do.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from flow_builders import assistant, user
from recall_builders import NOW, opened, put, say

from smartbrain import AdapterError, NotFound, SmartBrain, UsageError
from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.turn import DOCUMENT, Marked
from smartbrain.recall.verdicts import HINTS
from smartbrain.testing.clock import FakeClock

ROUTERS = ["路由器 网段", "router vlan"]


def routers(brain: SmartBrain, query: str, count: int) -> list[str]:
    """Put as many facts that a question speaks of, and return their ids."""
    return [put(brain, f"fact:device{n}:vlan", f"{query} {n}") for n in range(count)]


def codes(told: Explanation) -> set[str]:
    """Return the codes of an explanation's trail."""
    return {one.code for one in told.trail}


@pytest.mark.spec("S1", "R5")
@pytest.mark.parametrize(
    ("said", "query"),
    [("第{}支钢笔和墨水的闲聊", "钢笔"), ("chatter about ink and pens {}", "pens")],
)
def test_what_an_arm_found_too_far_down_is_outranked(tmp_path: Path, said: str, query: str) -> None:
    """It was never ranked, yet the arm that found it and the place it had there are told."""
    with opened(tmp_path) as brain:
        for n in range(75):
            say(brain, said.format(n))
        answer = brain.recall(query, k=1)
        ranked = {one.id for one in (*answer, *answer.trace.omitted)}
        episodes = brain.memories.list(type="episodes").items
        beyond = [one for one in episodes if one.id not in ranked][:8]
        told = [brain.explain(query=query, expect=one.id, k=1) for one in beyond]
        far = next(one for one in told if "text found it at rank" in one.reason)
        said_so = brain.explain(query=query, expect=far.trail[0].reason.partition("user: ")[2], k=1)
        left = next(one.id or "" for one in answer.trace.omitted if one.code == "outranked")
        near = brain.explain(query=query, expect=left, k=1)
    assert {Verdict.OUTRANKED} == {one.verdict for one in (far, said_so, near)}
    assert "of all that was found were ranked" in far.reason
    assert "rank" not in codes(far)
    found = [any(" found it" in step.reason for step in one.trail) for one in told]
    assert [one.verdict is Verdict.OUTRANKED for one in told] == found
    assert "at place 2, and 1 were asked for" in near.reason


@pytest.mark.spec("S1", "C2")
@pytest.mark.parametrize(
    ("said", "query", "expect"),
    [
        ("maybe I like opera, who knows", "lunch", "opera"),
    ],
)
def test_a_guess_was_refused_as_one(tmp_path: Path, said: str, query: str, expect: str) -> None:
    """The rule is the commit's own; of what only the assistant said it is another."""
    with opened(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(said), assistant("Wagner 瓦格纳")]).turn_id
        told = brain.explain(query=query, expect=expect)
        other = brain.explain(query=query, expect="Wagner")
        shown = brain.explain(query=expect, expect=expect)
    assert (Verdict.REFUSED, turn) == (told.verdict, told.turn_id)
    assert "a guess, a wish or a condition" in told.reason
    assert "guess" in codes(told)
    assert (Verdict.REFUSED, turn) == (other.verdict, other.turn_id)
    assert "assistant's word" in other.reason
    assert Verdict.INCLUDED is shown.verdict


@pytest.mark.spec("S1", "R3")
@pytest.mark.parametrize(
    ("said", "name", "query"),
    [
        ("阿里巴巴是我们的客户。", "阿里巴巴", "阿里巴巴的事"),
        ("Acme Corp is our client. Acme Corp pays well.", "Acme Corp", "tell me about Acme Corp"),
    ],
)
def test_a_name_leads_and_is_not_shown(tmp_path: Path, said: str, name: str, query: str) -> None:
    """It says which arm began from it, and how to see it itself; nobody had asked for types."""
    with opened(tmp_path) as brain:
        for _ in range(3):
            say(brain, said)
        entity = next(one for one in brain.memories.list(type="entities").items if one.text == name)
        told = brain.explain(query=query, expect=entity.key)
        unnamed = brain.explain(query="天气 weather", expect=entity.id)
        brain.configure({"recall.graph.enabled": False})
        off = brain.explain(query=query, expect=entity.key)
        assert entity.id in [one.id for one in brain.recall(query, types="entities")]
    assert {Verdict.NOT_FOUND} == {told.verdict, unnamed.verdict, off.verdict}
    assert told.reason.endswith("the question names it, and graph began from it")
    assert "types='entities'" in told.hint
    assert "other_type" not in codes(told)
    assert unnamed.reason.endswith("the question does not name it")
    assert off.reason.endswith("but graph did not answer")


@pytest.mark.spec("S1", "R8")
@pytest.mark.parametrize("query", ROUTERS)
def test_a_limit_of_the_packet_is_told(tmp_path: Path, query: str) -> None:
    """In the last step: a recall is judged, of which more may be asked for."""
    with opened(tmp_path) as brain:
        routers(brain, query, 40)
        packet = brain.build_memory_packet("x", query)
        left = next(one.id or "" for one in packet.explain.omitted if one.code == "reduce_top_k")
        told = brain.explain(query=query, expect=left)
        few = brain.explain(query=query, expect=left, k=5)
        asked = brain.explain(query=query, expect=left, k=60)
        enters = brain.explain(query=query, expect=packet.facts[-1].id)
    assert Verdict.OUTRANKED is told.verdict
    assert told.reason.startswith("it came at place ")
    assert HINTS[Verdict.OUTRANKED] == told.hint
    assert (Verdict.OUTRANKED, Verdict.INCLUDED) == (few.verdict, asked.verdict)
    for one in (told, few, asked):
        limit = "in a memory packet it is over_limit: at most 30 facts enter a packet"
        assert limit == one.trail[-1].reason
    assert "included" == enters.trail[-1].detail["verdict"]


@pytest.mark.spec("S1", "R16")
@pytest.mark.parametrize("query", ROUTERS)
def test_a_budget_of_a_recall_is_told(tmp_path: Path, query: str) -> None:
    """The same budget that a recall is given is asked about."""
    with opened(tmp_path) as brain:
        routers(brain, query, 6)
        answer = brain.recall(query, budget_tokens=60)
        left = next(one for one in answer.trace.omitted if one.code == "over_budget")
        told = brain.explain(query=query, expect=left.id or "", budget_tokens=60)
        whole = brain.explain(query=query, expect=left.id or "")
        with pytest.raises(UsageError, match="budget_tokens"):
            brain.explain(query=query, expect="x", budget_tokens=0)
    assert (Verdict.OVER_BUDGET, left.reason) == (told.verdict, told.reason)
    assert "budget_tokens" in told.hint
    assert Verdict.INCLUDED is whole.verdict


@pytest.mark.spec("S1", "S6")
@pytest.mark.parametrize("query", ROUTERS)
def test_a_context_tells_what_it_shows(tmp_path: Path, query: str) -> None:
    """As evidence, as a turn, or not for a limit, not found, or stored only later."""
    clock = FakeClock(NOW)
    with opened(tmp_path, clock=clock) as brain:
        facts = routers(brain, query, 40)
        other = put(brain, "fact:cat:名字", "豆豆 Doudou")
        said = "刚才吃了面条 noodles for lunch"
        say(brain, said, session="x")
        context = brain.compose_context("x", query)
        clock.advance(seconds=1)
        later = put(brain, "fact:late:vlan", f"{query} later")
        by_id = {one: brain.explain(context.context_id, expect=one) for one in facts}
        told = [brain.explain(context.context_id, expect=one) for one in (said, other, later)]
        nobody = brain.explain(context.context_id, expect="量子 quantum")
    shown = {one.id for one in context.evidence}
    assert {Verdict.INCLUDED, Verdict.OVER_LIMIT} == {one.verdict for one in by_id.values()}
    assert shown & set(facts) == {
        name for name, one in by_id.items() if one.verdict is Verdict.INCLUDED
    }
    assert [Verdict.INCLUDED, Verdict.NOT_FOUND, Verdict.NOT_FOUND] == [one.verdict for one in told]
    assert "its turn is shown" in told[0].reason
    assert "stored after" in told[2].reason
    assert Verdict.NEVER_SAID is nobody.verdict
    assert {(context.context_id, query)} == {(one.context_id, one.query) for one in told}
    assert all(one.hint for one in (*told, nobody))


@pytest.mark.spec("S1", "S6")
@pytest.mark.parametrize("query", ROUTERS)
def test_a_context_tells_what_had_no_room(tmp_path: Path, query: str) -> None:
    """What the tokens of a small context do not hold is over budget; passages show many turns."""
    with opened(tmp_path) as brain:
        for n in range(12):
            say(brain, f"{query} {n}: {'很长的话 a long story ' * 12}", session=f"s{n}")
        context = brain.compose_context("x", query, token_limit=600)
        episodes = [one.id for one in brain.memories.list(type="episodes").items]
        told = [brain.explain(context.context_id, expect=one) for one in episodes]
    assert {Verdict.INCLUDED, Verdict.OVER_BUDGET} <= {one.verdict for one in told}
    shown = {one.id for one in told if one.verdict is Verdict.INCLUDED}
    assert {one.id for one in context.evidence} <= shown


@pytest.mark.spec("S1", "C5")
@pytest.mark.parametrize(
    ("said", "other", "query"),
    [
        ("The staging owner is Ann Lee.", "Bob Ray", "staging owner"),
        ("测试库的负责人是张伟。", "李雷", "测试库的负责人"),
    ],
)
def test_what_is_disputed_names_what_stands(
    tmp_path: Path, said: str, other: str, query: str
) -> None:
    """It contradicts what the user said, in a recall as in a context."""
    with opened(tmp_path) as brain:
        say(brain, said)
        (fact,) = brain.memories.list(type="facts").items
        result = {"facts": [{**fact.value, "value": other}]}
        brain.commit_turn("s", {"tool_calls": [{"name": "facts", "result": result}]})
        stands, doubted = brain.memories.history(brain.memories.list(type="facts").items[0].key)
        context = brain.compose_context("x", query)
        told = brain.explain(query=query, expect=doubted.id)
        composed = brain.explain(context.context_id, expect=doubted.id)
    assert "disputed" == doubted.status.value
    assert {Verdict.SUPERSEDED} == {told.verdict, composed.verdict}
    assert "it contradicts what stands" in told.reason
    assert stands.id in [one.id for one in told.trail if one.code == "stands"]
    assert HINTS[Verdict.SUPERSEDED] == told.hint


@pytest.mark.spec("S1", "S6")
def test_what_was_not_kept_of_a_context_is_one_sentence(tmp_path: Path) -> None:
    """Where contexts are not kept, nothing is claimed; a question of its own is refused."""
    policies = {"observability": {"store_contexts": False}}
    with opened(tmp_path, policies=policies) as brain:
        say(brain, "你好 hello")
        context = brain.compose_context("x", "你好")
        with pytest.raises(NotFound, match="store_contexts"):
            brain.explain(context.context_id, expect="你好")
        with pytest.raises(UsageError, match="context_id, with expect or alone"):
            brain.explain(context.context_id, query="q", expect="你好")
        with pytest.raises(UsageError, match="explain takes either"):
            brain.explain(turn_id="t", expect="你好")


@pytest.mark.spec("S1", "S6")
def test_what_a_context_visibly_shows_is_in_it(tmp_path: Path) -> None:
    """Whoever said it: the board, the agent itself, the message; in every slot, by its name."""
    expected = {
        **dict.fromkeys(("zebra Fridays only", "周五 发布"), "pins"),
        **dict.fromkeys(("giraffe docs", "长颈鹿"), "plan"),
        **dict.fromkeys(("okapi decided", "决定用霍加狓"), "notebook"),
        **dict.fromkeys(("quokka", "短尾矮袋鼠"), "system_blocks"),
        **dict.fromkeys(("You are numbat", "你是袋食蚁兽"), "system_blocks"),
        **dict.fromkeys(("short answers", "简短作答"), "developer_blocks"),
        **dict.fromkeys(("wombat", "袋熊在哪"), "user_message"),
        **dict.fromkeys(("hello there", "你好啊"), "recent_turns"),
    }
    slots = ["system", "fastmemo", "pins", "plan", "notebook", "recent_turns", "evidence"]
    with opened(tmp_path, recipes={"all": {"slots": slots}}) as brain:
        turn = say(brain, "hello there 你好啊", session="x")
        brain.pins.add("constraint", "deploy", "zebra Fridays only; 周五 发布", f"chat:{turn}")
        brain.plan.add("x", "write giraffe docs 写长颈鹿")
        brain.notebook.add("x", "okapi decided; 决定用霍加狓")
        brain.fastmemo.add("user", "likes quokka; 喜欢短尾矮袋鼠")
        state = {"system": "You are numbat. 你是袋食蚁兽", "developer": "short answers 简短作答"}
        context = brain.compose_context("x", "a wombat? 袋熊在哪", state, recipe="all")
        told = {one: brain.explain(context.context_id, expect=one) for one in expected}
        other = brain.explain(context.context_id, expect="platypus")
        part = brain.explain(context.context_id, expect="omba")
    assert {Verdict.INCLUDED} == {one.verdict for one in told.values()}
    assert expected == {
        name: next(step.type for step in one.trail if step.code == "shown_in")
        for name, one in told.items()
    }
    assert {Verdict.NEVER_SAID} == {other.verdict, part.verdict}


@pytest.mark.spec("S1", "S6")
@pytest.mark.parametrize(
    ("said", "later", "query", "expect"),
    [
        ("I live in Hangzhou.", "I live in Suzhou now.", "Where do I live?", "Hangzhou"),
        ("我住在杭州。", "我现在住在苏州。", "我住在哪里？", "杭州"),
    ],
)
def test_what_was_replaced_is_in_a_context_whose_turns_show_it(
    tmp_path: Path, said: str, later: str, query: str, expect: str
) -> None:
    """That a newer version stands is a further step; another session does not show the words."""
    with opened(tmp_path) as brain:
        for text in (said, later):
            say(brain, text)
        here = brain.compose_context("s", query)
        told = brain.explain(here.context_id, expect=expect)
        old = brain.explain(here.context_id, expect=told.id or "")
    assert (Verdict.INCLUDED, "recent_turns") == (told.verdict, told.trail[0].type)
    assert {"superseded", "stands"} & codes(told)
    assert Verdict.SUPERSEDED is old.verdict


@pytest.mark.spec("S1", "R4")
@pytest.mark.parametrize(
    "error", [AdapterError("kaputt 坏了"), OSError("坏了"), RuntimeError("bad")]
)
@pytest.mark.parametrize(
    ("said", "query", "held", "absent"),
    [
        ("第三份周报在张三那里", "斑马", "周报在张三那里", "长颈鹿的预算"),
        ("report number 3 is with Ann", "zebra", "report number 3", "the giraffe's budget"),
    ],
)
def test_what_cannot_be_searched_is_not_said_to_be_missing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    said: str,
    query: str,
    held: str,
    absent: str,
) -> None:
    """An index that fails costs what it would have found, here as in a recall."""

    def failing(*_: object, **__: object) -> object:
        raise error

    with opened(tmp_path) as brain:
        say(brain, said)
        assert Verdict.NEVER_SAID is brain.explain(query=query, expect=absent).verdict
        with monkeypatch.context() as patched:
            patched.setattr(TantivyTextIndex, "search", failing)
            assert brain.recall(query).trace.degraded
            told = [brain.explain(query=query, expect=one) for one in (held, absent)]
        assert Verdict.NEVER_SAID is brain.explain(query=query, expect=absent).verdict
    for one in told:
        assert Verdict.NOT_FOUND is one.verdict
        assert "the text index cannot be asked" in one.reason


@pytest.mark.spec("S1", "R8")
@pytest.mark.parametrize(
    ("said", "query", "expect"),
    [
        ("Note {}: the coffee machine of floor {} needs descaling", "coffee machine", "Note 3"),
        ("第{}条：{}楼的咖啡机需要除垢", "咖啡机 除垢", "第3条"),
    ],
)
def test_a_turn_too_far_down_is_outranked_however_full_a_packet_is(
    tmp_path: Path, said: str, query: str, expect: str
) -> None:
    """To ask for more brings it; a limit of the packet is told beside that."""
    with opened(tmp_path) as brain:
        for n in range(30):
            turn = {"messages": [user(said.format(n, n)), assistant("ok")]}
            turn |= {"at": NOW - timedelta(hours=30 - n)}
            brain.commit_turn(f"n{n}", Marked(turn, DOCUMENT))
        told = brain.explain(query=query, expect=expect)
        asked = brain.explain(query=query, expect=expect, k=40)
    assert (Verdict.OUTRANKED, HINTS[Verdict.OUTRANKED]) == (told.verdict, told.hint)
    assert "20 were asked for" in told.reason
    assert "over_limit" == told.trail[-1].detail["verdict"]
    assert Verdict.INCLUDED is asked.verdict


@pytest.mark.spec("S1", "C5")
@pytest.mark.parametrize(
    ("said", "key", "other", "query"),
    [
        ("The staging port is 5432.", "fact:staging:port", "6543", "staging port"),
        ("测试库的端口是 5432。", None, "6543", "测试库 端口"),
    ],
)
def test_what_lost_to_an_earlier_statement_is_told_so(
    tmp_path: Path, said: str, key: str | None, other: str, query: str
) -> None:
    """A proposal that is less sure came later, and the statement before it stands."""
    with opened(tmp_path) as brain:
        say(brain, said, at=NOW - timedelta(days=2))
        key = key or brain.memories.list(type="facts").items[0].key
        proposal = {"key": key, "value": other, "confidence": 0.5}
        later = {"messages": [user("hm 嗯")], "facts": [proposal], "at": NOW - timedelta(days=1)}
        brain.commit_turn("s", later)
        stands, lost = sorted(brain.memories.history(key), key=lambda one: one.said_at)
        told = brain.explain(query=query, expect=lost.id)
    assert ("active", "superseded") == (stands.status, lost.status)
    assert Verdict.SUPERSEDED is told.verdict
    assert "an earlier statement, which is held to be surer, stands in its place" == told.reason
    assert stands.id in [one.id for one in told.trail if one.code == "stands"]
