"""Memory and documents read together by the reranker, so that one scale holds for both (R13).

In: what both may bring as evidence, the question, and the reranker with its rules. Out: the same
candidates, the best of each source with the number that the reranker gives them in one call, and
why if there is none. A reranker that is late or fails leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from smartbrain.domain.reason import Reason
from smartbrain.errors import SmartBrainError
from smartbrain.recall.rerank import calibrated

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Candidate
    from smartbrain.compose.resources import AskDocuments
    from smartbrain.domain.policy_recall import RecallRerankRules
    from smartbrain.ports.reranker import Reranker
    from smartbrain.recall.rerank import Run


class Judge(NamedTuple):
    """A reranker, when it is asked, and how it is waited for."""

    reranker: Reranker
    rules: RecallRerankRules
    run: Run


class Beyond(NamedTuple):
    """What a context reaches beyond memory: documents, and a model that reads both together."""

    documents: AskDocuments | None = None
    judge: Judge | None = None


class Judged(NamedTuple):
    """Candidates of both sources, and what there is to say about it."""

    memories: Sequence[Candidate]
    documents: Sequence[Candidate]
    why: Reason | None = None


def read_together(
    memories: Sequence[Candidate],
    documents: Sequence[Candidate],
    query: str,
    judge: Judge | None,
) -> Judged:
    """Return both sources with the reranker's numbers; half of what it reads is of each."""
    hits = [one for one in memories if one.hit and one.text.strip()]
    found = [one for one in documents if one.text.strip()]
    if judge is None or not (hits and found and query.strip()):
        return Judged(memories, documents)
    rules, reranker = judge.rules, judge.reranker
    hits.sort(key=lambda one: (-one.score, one.source_uri, one.place, one.id))
    most = max(1, rules.top_n // 2)
    read = [*hits[:most], *found[:most]]
    texts = [one.text for one in read]
    try:
        given = judge.run(lambda: reranker.score(query, texts), rules.deadline_ms / 1_000)
    except TimeoutError:
        sentence = f"{reranker.name} did not answer within {rules.deadline_ms} ms"
        return Judged(memories, documents, Reason("late", sentence, type="rerank"))
    except SmartBrainError as error:
        return Judged(memories, documents, Reason(error.code, error.message, type="rerank"))
    numbers = dict(zip(read, calibrated(given), strict=True))
    sentence = f"{reranker.name} has read {len(read)} texts of memory and documents together"
    return Judged(
        [replace(one, judged=numbers.get(one)) for one in memories],
        [replace(one, judged=numbers.get(one)) for one in documents],
        Reason("together", sentence, type="rerank"),
    )
