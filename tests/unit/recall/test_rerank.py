"""Reranking: the order of the first few changes, or everything stays and the report says why.

In: ranked memories in Chinese and English, and rerankers that follow a script, are late or fail.
Out: order, scores, signals and reports.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Compression, Status
from smartbrain.domain.policy_recall import RecallRerankRules
from smartbrain.domain.recall import ArmVerdict
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.errors import AdapterError, UsageError
from smartbrain.recall.rerank import calibrated, rerank
from smartbrain.testing.models import PieceReranker, ScriptedReranker

pytestmark = pytest.mark.spec("R3")

T = TypeVar("T")
AT = datetime(2026, 3, 9, tzinfo=UTC)
TEXTS = (
    "我养了一只猫。",
    "The invoice is due in May.",
    "We bought a grey sofa.",
    "发票在五月到期。",
)


def at_once(work: Callable[[], T], seconds: float) -> T:
    return work()


def hit(name: str, score: float, text: str = "text", title: str = "") -> Ranked:
    row = RecalledRow(
        num=1,
        id=name,
        type="facts",
        key=f"facts:{name}",
        title=title,
        text=text,
        value={},
        entities=(),
        confidence=1.0,
        status=Status.ACTIVE,
        version=1,
        valid_since=None,
        valid_until=None,
        source_turn_id=None,
        session_id=None,
        seq=None,
        speakers=(),
        importance=0.5,
        frequency=1,
        arousal=0.0,
        compression=Compression.RAW,
        said_at=AT,
        created_at=AT,
        raw_refs=(),
    )
    return Ranked(row, score, Signals(fts_score=score, fts_rank=1), ("text",))


RANKED = [hit(f"m{place}", 0.8 - 0.1 * place, text) for place, text in enumerate(TEXTS)]


def order(ranked: list[Ranked]) -> list[str]:
    return [one.row.id for one in ranked]


def ranked_by(scores: Any, ranked: list[Ranked] = RANKED, **rules: Any) -> list[Ranked]:
    reranker = ScriptedReranker([scores])
    found, report = rerank(
        ranked, "发票 invoice", reranker=reranker, rules=RecallRerankRules(**rules), run=at_once
    )
    assert ArmVerdict.OK is report.verdict
    return found


@pytest.mark.parametrize(
    ("query", "first"),
    [("When is the invoice due?", "m1"), ("发票什么时候到期？", "m3"), ("猫", "m0")],
)
def test_what_answers_the_question_comes_first(query: str, first: str) -> None:
    """In both languages, by what is read of the texts."""
    found, report = rerank(
        RANKED, query, reranker=PieceReranker(), rules=RecallRerankRules(), run=at_once
    )
    assert first == found[0].row.id
    assert ("rerank", "ok", 4) == (report.name, report.code, report.hits)


def test_its_score_is_kept_beside_the_others() -> None:
    """Signals, finders and rows stay, and the new score is on the scale of the old ones."""
    found = ranked_by([0.0, 0.5, 1.0, 0.25], weight=1.0)
    assert ["m2", "m1", "m3", "m0"] == order(found)
    assert [1.0, 0.5, 0.25, 0.0] == [one.signals.rerank_score for one in found]
    assert pytest.approx([0.8, 0.4, 0.2, 0.0]) == [one.score for one in found]
    by_id = {one.row.id: one for one in RANKED}
    for one in found:
        before = by_id[one.row.id]
        assert (before.row, before.signals.fts_score, before.found_by) == (
            one.row,
            one.signals.fts_score,
            one.found_by,
        )


def test_its_say_is_weighted() -> None:
    """Without a say the order and the scores stay; with half of it, both count."""
    scores = [0.0, 0.0, 0.0, 1.0]
    assert [(one.row.id, one.score) for one in RANKED] == [
        (one.row.id, one.score) for one in ranked_by(scores, weight=0.0)
    ]
    half = ranked_by(scores, weight=0.5)
    assert ["m3", "m0", "m1", "m2"] == order(half)
    assert pytest.approx(0.5 * 0.5 + 0.5 * 0.8) == half[0].score


def test_log_odds_become_probabilities() -> None:
    """One number outside 0 and 1 tells that all of them are log-odds."""
    assert [0.0, 0.5, 1.0] == calibrated([0.0, 0.5, 1.0])
    assert pytest.approx([0.5, 0.62246, 0.04743], abs=1e-5) == calibrated([0.0, 0.5, -3.0])
    assert [0.0, 1.0] == calibrated([-1e9, 1e9])


def test_only_the_first_few_are_read() -> None:
    """The others stay behind them, as they were, and never score above them."""
    reranker = ScriptedReranker([[0.0, 1.0]])
    rules = RecallRerankRules(top_n=2, weight=1.0)
    found, report = rerank(RANKED, "发票", reranker=reranker, rules=rules, run=at_once)
    assert [("发票", TEXTS[:2])] == reranker.asked
    assert 2 == report.hits
    assert ["m1", "m0", "m2", "m3"] == order(found)
    assert RANKED[2:] == found[2:]
    assert found[1].score == RANKED[2].score
    assert sorted((one.score for one in found), reverse=True) == [one.score for one in found]


def test_ties_stay_in_the_order_they_came_in() -> None:
    """That of the search."""
    equal = [hit(name, 0.5) for name in ("c", "a", "b")]
    assert ["c", "a", "b"] == order(ranked_by([0.5, 0.5, 0.5], equal))


def test_what_has_no_text_is_read_by_its_title_or_key() -> None:
    """A reranker is never given a blank text."""
    reranker = ScriptedReranker([[0.1, 0.2, 0.3]])
    ranked = [hit("a", 0.9, " "), hit("b", 0.8, "", "标题"), hit("c", 0.7, "文")]
    rerank(ranked, "q", reranker=reranker, rules=RecallRerankRules(), run=at_once)
    assert [("q", ("facts:a", "标题", "文"))] == reranker.asked


@pytest.mark.parametrize(
    ("more", "verdict", "code"),
    [
        ({"reranker": None}, ArmVerdict.OFF, "no_reranker"),
        ({"rules": RecallRerankRules(enabled=False)}, ArmVerdict.OFF, "disabled"),
        ({"rules": RecallRerankRules(top_n=1)}, ArmVerdict.SKIPPED, "nothing_to_order"),
        (
            {"reranker": ScriptedReranker([AdapterError("挂了", retryable=True)])},
            ArmVerdict.FAILED,
            "adapter",
        ),
        (
            {"reranker": ScriptedReranker([UsageError("closed", code="closed")])},
            ArmVerdict.FAILED,
            "closed",
        ),
    ],
)
def test_without_an_answer_the_order_stays(
    more: dict[str, Any], verdict: ArmVerdict, code: str
) -> None:
    """The same list comes back, and the report says why."""
    asked = {"reranker": PieceReranker(), "rules": RecallRerankRules(), "run": at_once, **more}
    found, report = rerank(RANKED, "发票", **asked)
    assert found is RANKED
    assert (verdict, code, 0) == (report.verdict, report.code, report.hits)
    assert report.reason != ""


def test_a_blank_question_asks_nothing() -> None:
    """Nor does a single hit, or none."""
    reranker = ScriptedReranker([[1.0]])
    for ranked, query in ((RANKED, " "), (RANKED[:1], "发票"), ([], "发票")):
        found, report = rerank(
            ranked, query, reranker=reranker, rules=RecallRerankRules(), run=at_once
        )
        assert (ranked, ArmVerdict.SKIPPED) == (found, report.verdict)
    assert [] == reranker.asked


def test_a_late_reranker_is_not_waited_for() -> None:
    """After the deadline the order stays; what still runs disturbs nobody."""
    release = Event()

    class Slow(PieceReranker):
        def score(self, query: str, texts: Any) -> list[float]:
            release.wait(10)
            return super().score(query, texts)

    with ThreadPoolExecutor(1) as pool:

        def run(work: Callable[[], T], seconds: float) -> T:
            assert 0.02 == seconds
            return pool.submit(work).result(seconds)

        found, report = rerank(
            RANKED, "发票", reranker=Slow(), rules=RecallRerankRules(deadline_ms=20), run=run
        )
        release.set()
    assert found is RANKED
    assert (ArmVerdict.LATE, "late") == (report.verdict, report.code)
    assert "within 20 ms" in report.reason


@given(
    st.lists(
        st.tuples(st.floats(0, 2), st.floats(-20, 20)),
        min_size=2,
        max_size=12,
    ),
    st.integers(1, 12),
    st.floats(0, 1),
)
def test_no_hit_is_lost_and_scores_fall(
    pairs: list[tuple[float, float]], top_n: int, weight: float
) -> None:
    """Whatever is said: the same memories, falling scores, and the same order again."""
    before = sorted((score for score, _ in pairs), reverse=True)
    ranked = [hit(f"m{place:02}", score) for place, score in enumerate(before)]
    rules = RecallRerankRules(top_n=top_n, weight=weight)
    script = ScriptedReranker([[said for _, said in pairs][:top_n]])
    found, _ = rerank(ranked, "q", reranker=script, rules=rules, run=at_once)
    assert sorted(order(ranked)) == sorted(order(found))
    scores = [one.score for one in found]
    assert sorted(scores, reverse=True) == scores
    again, _ = rerank(ranked, "q", reranker=script, rules=rules, run=at_once)
    assert order(found) == order(again)
