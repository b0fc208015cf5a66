"""Why something was in an answer or was not: every verdict, in Chinese and English.

In: brains on the real database that were told something, and searches whose order and trace are
given. Out: one verdict each, with the way to it and what to do.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from explain_brain import Asked, codes, episode, opened, put, say
from msgspec import structs

from smartbrain import UsageError
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.memory import Status
from smartbrain.domain.packet import LadderStep, PacketExplain
from smartbrain.domain.reason import Reason
from smartbrain.recall.verdicts import HINTS
from smartbrain.testing.clock import START

FACTS = [
    ("fact:测试库:端口", "五四三二", "测试库 端口"),
    ("fact:staging:port", "5432", "staging port"),
]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_what_is_in_the_answer_is_included(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    """By its id, its key or its words; the trail names the arm, the rank and the signals."""
    with opened(tmp_path) as brain:
        other, fact = put(brain, "fact:x:y", "z"), put(brain, key, value)
        asked = Asked(brain, ranked=[other, fact])
        told = [asked.why(one) for one in (fact, key, words, value)]
        operation = brain.memories.get(fact).source_operation_id
    assert {Verdict.INCLUDED} == {one.verdict for one in told}
    assert {(fact, key)} == {(one.id, one.key) for one in told}
    assert "it is in the answer: it came 2nd" == told[0].reason
    assert ["said", "arm", "arm", "arm", "rank"] == codes(told[0])
    assert "text (ok) found it at rank 2" == told[0].trail[1].reason
    assert "no embedder is set" in told[0].trail[2].reason
    assert {"fts_rank": 2, "fts_score": 0.5} == told[0].trail[4].detail["signals"]
    assert operation == told[0].trail[0].detail["operation"]
    assert ("问 q", words) == (told[2].query, told[2].expect)
    assert Explanation.from_dict(told[0].to_dict()) == told[0]


@pytest.mark.spec("S1")
@pytest.mark.parametrize("words", ["量子计算机", "quantum computer", "mem_none", "fact:nobody:x"])
def test_what_nobody_said_was_never_said(tmp_path: Path, words: str) -> None:
    """Something alike, and half of the words, are not it."""
    with opened(tmp_path) as brain:
        say(brain, "我的计算机坏了。My computer is broken.")
        told = Asked(brain).why(words)
        blind = Asked(brain, blind=True).why("量子计算机")
    assert Verdict.NEVER_SAID is told.verdict
    assert HINTS[Verdict.NEVER_SAID] == told.hint
    assert (None, None, ()) == (told.id, told.turn_id, told.steps)
    assert Verdict.NOT_FOUND is blind.verdict
    assert "cannot be asked" in blind.reason


PASSING = [
    ("昨天晚上彩虹特别好看，大家都拍了照。", "彩虹特别好看"),
    ("The rainbow looked lovely over the harbour last night.", "rainbow harbour"),
]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("said", "words"), PASSING)
def test_what_was_said_in_passing_is_not_extracted(tmp_path: Path, said: str, words: str) -> None:
    """The turn holds it, no memory states it, and the search did not bring the turn."""
    with opened(tmp_path) as brain:
        turn = say(brain, said)
        told = Asked(brain).why(words)
        shown = Asked(brain, ranked=[episode(brain, turn)]).why(words)
        cut = Asked(brain, ranked=[episode(brain, turn)], shown=0).why(words)
    assert Verdict.NOT_EXTRACTED is told.verdict
    assert turn == told.turn_id
    assert "said" == codes(told)[0]
    assert Verdict.INCLUDED is shown.verdict
    assert Verdict.OUTRANKED is cut.verdict


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("said", "words"), PASSING)
def test_words_far_into_a_long_turn_were_said(tmp_path: Path, said: str, words: str) -> None:
    """What an episode's text leaves out is read from the original, in a file too."""
    filler = "".join(f"第 {n} 行日志 line {n}\n\n" for n in range(400))
    with opened(tmp_path) as brain:
        turn = say(brain, f"{filler}{said}\n\n{filler}")
        told = Asked(brain).why(words)
    assert (Verdict.NOT_EXTRACTED, turn) == (told.verdict, told.turn_id)


@pytest.mark.spec("S1", "C2")
@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("pref:coding:缩进", "制表符", "我更习惯 制表符"),
        ("pref:coding:indent", "tabs", "prefers tabs"),
    ],
)
def test_what_the_gate_refused_says_why(tmp_path: Path, key: str, value: str, words: str) -> None:
    """A preference that nobody confirmed is refused: the rule is the reason."""
    with opened(tmp_path) as brain:
        events = {
            "messages": [{"role": "assistant", "content": f"I think the user {words}."}],
            "preferences": [{"key": key, "value": value}],
        }
        turn = brain.commit_turn("会话", events).turn_id
        told = [Asked(brain).why(one) for one in (words, value)]
    assert {Verdict.REFUSED} == {one.verdict for one in told}
    assert {turn} == {one.turn_id for one in told}
    assert "confirm" in told[0].reason
    assert key in [one.key for one in told[0].trail]
    assert "refused" in [one.action for step in told[0].steps for one in step.retention]


@pytest.mark.spec("S1", "C2")
@pytest.mark.parametrize("key", ["pref:ui:theme", "pref:ui:主题"])
def test_a_refused_key_that_nobody_said_is_refused(tmp_path: Path, key: str) -> None:
    """A proposal has no words of its own: its key leads to the turn that it came with."""
    with opened(tmp_path) as brain:
        hello = [{"role": "user", "content": "你好 hi"}]
        events = {"messages": hello, "preferences": [{"key": key, "value": "dark"}]}
        turn = brain.commit_turn("s", events).turn_id
        brain.commit_turn("s", {"messages": hello})
        told, other = (Asked(brain).why(one) for one in (key, f"{key}_2"))
    assert (Verdict.REFUSED, turn) == (told.verdict, told.turn_id)
    assert key in [one.key for one in told.trail]
    assert Verdict.NEVER_SAID is other.verdict


@pytest.mark.spec("S1", "M4")
@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("测试库的端口是 5432。", "测试库的端口是 6543。", "5432"),
        ("The staging port is 5432.", "The staging port is 6543.", "5432"),
    ],
)
def test_what_a_later_statement_replaced_is_superseded(
    tmp_path: Path, first: str, then: str, words: str
) -> None:
    """By its words or its id, with what stands now; by its key the one that stands is judged."""
    with opened(tmp_path) as brain:
        brain.commit_turn("a", {"at": "2026-01-05T09:00:00Z", "messages": _user(first)})
        brain.commit_turn("b", {"at": "2026-03-05T09:00:00Z", "messages": _user(then)})
        now = brain.memories.list(type="facts").items[0]
        old, new = brain.memories.history(now.key)
        asked = Asked(brain, ranked=[new.id])
        told = [asked.why(one) for one in (words, old.id)]
        by_key = asked.why(new.key)
    assert Status.SUPERSEDED is old.status
    assert {Verdict.SUPERSEDED} == {one.verdict for one in told}
    assert {old.id} == {one.id for one in told}
    stands = next(one for one in told[0].trail if one.code == "stands")
    assert new.id == stands.id
    assert "include_history" in told[0].hint
    assert (Verdict.INCLUDED, new.id) == (by_key.verdict, by_key.id)


def _user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_what_was_taken_back_is_retracted(tmp_path: Path, key: str, value: str, words: str) -> None:
    """By id, key or words, even where the guard had found and refused it."""
    with opened(tmp_path) as brain:
        fact = put(brain, key, value)
        brain.memories.retract(key, "不对 wrong")
        reason = Reason("retracted", "it was taken back", id=fact, type="facts", key=key)
        told = [Asked(brain).why(one) for one in (fact, key, words)]
        told.append(Asked(brain, omitted=[reason]).why(fact))
    assert {Verdict.RETRACTED} == {one.verdict for one in told}
    assert reason in told[-1].trail


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_a_row_that_is_deleted_is_forgotten(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    """Whatever its words were."""
    with opened(tmp_path) as brain:
        fact = put(brain, key, f"{words} {value}")
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            memory = rows.memories.get([fact])[fact]
            rows.memories.update(structs.replace(memory, status=Status.ARCHIVED, deleted_at=START))
        told = Asked(brain).why(fact)
    assert Verdict.FORGOTTEN is told.verdict


@pytest.mark.spec("S1", "W3")
@pytest.mark.parametrize("said", ["驱动版本太旧", "the cache is stale"])
def test_what_had_its_time_is_expired(tmp_path: Path, said: str) -> None:
    """An insight waits, and is refused; when its run has ended its time is over."""
    with opened(tmp_path) as brain:
        run = brain.runs.start("s")
        insight = brain.runs.insight(run, said, 0.5)
        waiting = Asked(brain).why(said)
        brain.runs.end(run)
        told = [Asked(brain).why(one) for one in (said, insight, f"insight:{run}:1")]
        fact = put(brain, "fact:a:b", said)
        late = Reason("expired", "it held until yesterday", id=fact, type="facts")
        over = Asked(brain, omitted=[late]).why(fact)
    assert (Verdict.REFUSED, insight) == (waiting.verdict, waiting.id)
    assert {Verdict.EXPIRED} == {one.verdict for one in told}
    assert (Verdict.EXPIRED, late.reason) == (over.verdict, over.reason)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_what_no_arm_brought_is_not_found(tmp_path: Path, key: str, value: str, words: str) -> None:
    """It stands and was not among the hits; arms that are off are named as such."""
    with opened(tmp_path) as brain:
        fact, other = put(brain, key, value), put(brain, "fact:x:y", "z")
        told = [Asked(brain, ranked=[other]).why(one) for one in (fact, key, words)]
    assert {Verdict.NOT_FOUND} == {one.verdict for one in told}
    assert told[0].reason.endswith("for these words; vector:m is off")
    assert "text (ok) did not find it among 12 hits" in [one.reason for one in told[0].trail]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_what_came_behind_is_outranked(tmp_path: Path, key: str, value: str, words: str) -> None:
    """With its place and score, whether or not the trace gives a reason."""
    with opened(tmp_path) as brain:
        others = [put(brain, f"fact:x:y{n}", str(n)) for n in range(20)]
        fact = put(brain, key, value)
        reason = Reason("outranked", "it came 21th and 20 were asked for", id=fact)
        asked = Asked(brain, ranked=[*others, fact])
        told = [asked.why(one) for one in (fact, key, words)]
        told.append(replace(asked, omitted=[reason]).why(fact))
    assert {Verdict.OUTRANKED} == {one.verdict for one in told}
    assert "21st" in told[0].reason
    assert (21, 1 / 21) == tuple(told[0].trail[-1].detail[one] for one in ("rank", "score"))
    assert "feedback" in told[0].hint


@pytest.mark.spec("S1", "R8")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
@pytest.mark.parametrize("step", [LadderStep.REDUCE_TOP_K, LadderStep.OMIT_TYPE, "too_old"])
def test_what_a_rule_of_the_packet_left_out_is_over_a_limit(
    tmp_path: Path, key: str, value: str, words: str, step: str
) -> None:
    """The step that was taken is the reason; what entered by rule is included without a rank."""
    with opened(tmp_path) as brain:
        fact, other = put(brain, key, value), put(brain, "fact:x:y", "z")
        left = Reason(step, "at most 1 facts enter a packet", id=fact, type="facts", key=key)
        stands = Reason("standing", "it stands", id=other, type="facts")
        packet = PacketExplain(selected=(stands,), omitted=(left,))
        asked = Asked(brain, ranked=[fact], packet=packet)
        told = [asked.why(one) for one in (fact, key, words)]
        entered = asked.why(other)
    assert {Verdict.OVER_LIMIT} == {one.verdict for one in told}
    assert left.reason == told[0].reason
    assert left in told[0].trail
    assert (Verdict.INCLUDED, "it is in the answer: it stands") == (entered.verdict, entered.reason)


@pytest.mark.spec("S1", "R16")
@pytest.mark.parametrize(("key", "value", "words"), FACTS)
def test_what_did_not_fit_is_over_budget(tmp_path: Path, key: str, value: str, words: str) -> None:
    """The tokens that were left are the reason."""
    with opened(tmp_path) as brain:
        fact = put(brain, key, value)
        left = Reason("over_budget", "it takes 30 tokens and 5 of 60 were left", id=fact)
        asked = Asked(brain, ranked=[fact], shown=0, omitted=[left])
        told = [asked.why(one) for one in (fact, key, words)]
    assert {Verdict.OVER_BUDGET} == {one.verdict for one in told}
    assert left.reason == told[0].reason


@pytest.mark.spec("S1")
def test_every_verdict_has_a_hint_and_nothing_expected_is_refused(tmp_path: Path) -> None:
    """No verdict leaves the reader without a next step; blank words are one clear sentence."""
    assert set(Verdict) == set(HINTS)
    with opened(tmp_path) as brain, pytest.raises(UsageError, match="expect is blank"):
        Asked(brain).why("  ")
