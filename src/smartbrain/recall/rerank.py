"""The last stage of ranking: a model reads the question together with each of the best hits.

In: ranked memories, best first, the question, a reranker, its rules, and how to wait no longer than
a deadline. Out: the same memories, the first few in a new order, and a report. A reranker that is
late or fails costs its order alone: everything stays as it was, and the report says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from msgspec.structs import replace

from smartbrain.domain.policy_recall import RecallRerankRules
from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.domain.recalled import Ranked
from smartbrain.errors import SmartBrainError
from smartbrain.ports.reranker import Reranker, probability

ARM: Final = "rerank"
_Done = TypeVar("_Done")


class Run(Protocol):
    """How a call is waited for; raises TimeoutError after so many seconds."""

    def __call__(self, work: Callable[[], _Done], seconds: float, /) -> _Done:
        """Return what the work returns, or raise what it raises."""
        ...


def rerank(
    ranked: list[Ranked],
    query: str,
    *,
    reranker: Reranker | None,
    rules: RecallRerankRules,
    run: Run,
) -> tuple[list[Ranked], ArmReport]:
    """Return the memories with the first `top_n` in the order that the reranker has a say in.

    Its score is kept in `signals.rerank_score`. Scores stay on their scale, and no memory that was
    read comes to score below one that was not. Measuring the time is the caller's part.
    """
    if not rules.enabled:
        return ranked, _report(ArmVerdict.OFF, "disabled", "recall.rerank.enabled is false")
    if reranker is None:
        return ranked, _report(ArmVerdict.OFF, "no_reranker", "no reranker was chosen")
    head, tail = ranked[: rules.top_n], ranked[rules.top_n :]
    if len(head) < 2 or not query.strip():
        return ranked, _report(ArmVerdict.SKIPPED, "nothing_to_order", "there is nothing to order")
    texts = [  # a key is never blank
        next(text for text in (one.row.text, one.row.title, one.row.key) if text.strip())
        for one in head
    ]
    try:
        given = run(lambda: reranker.score(query, texts), rules.deadline_ms / 1_000)
    except TimeoutError:
        sentence = f"{reranker.name} did not answer within {rules.deadline_ms} ms"
        return ranked, _report(ArmVerdict.LATE, "late", sentence)
    except SmartBrainError as error:
        return ranked, _report(ArmVerdict.FAILED, error.code, error.message)
    ordered = _reordered(head, calibrated(given), rules.weight)
    floor = max((one.score for one in tail), default=0.0)
    ordered = [one._replace(score=max(one.score, floor)) for one in ordered]
    return ordered + tail, _report(ArmVerdict.OK, "ok", "", hits=len(head))


def calibrated(scores: Sequence[float]) -> list[float]:
    """Return scores as numbers from 0 to 1: as they are, or read as log-odds if one is outside."""
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [probability(score) for score in scores]


def _reordered(head: list[Ranked], scores: list[float], weight: float) -> list[Ranked]:
    """Mix what each memory scored with what the reranker says, 1 being worth the best score."""
    best = max(one.score for one in head)
    scale = best if best > 0 else 1.0
    mixed = [
        Ranked(
            one.row,
            (1 - weight) * max(0.0, one.score) + weight * scale * score,
            replace(one.signals, rerank_score=score),
            one.found_by,
        )
        for one, score in zip(head, scores, strict=True)
    ]
    return sorted(mixed, key=lambda one: -one.score)


def _report(verdict: ArmVerdict, code: str, reason: str, *, hits: int = 0) -> ArmReport:
    return ArmReport(name=ARM, verdict=verdict, code=code, reason=reason, hits=hits)
