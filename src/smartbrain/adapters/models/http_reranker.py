"""A reranker behind HTTP: services with a `/rerank` as Cohere, Jina, vLLM or TEI have it.

In: a question and texts, cut and grouped to fit a request. Out: checked scores, or one AdapterError
after the allowed attempts. The question is put in the form that most services read; one that does
not know it is asked in the form of Text Embeddings Inference, from then on at once. The key goes
into one header and into nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from smartbrain.adapters.models.batches import batches, shortened
from smartbrain.adapters.models.http_service import HttpService, Kind, Pace, Patience, Rest
from smartbrain.errors import AdapterError
from smartbrain.ports.reranker import read_scores, readable

_KIND: Final = Kind(
    name="the reranker",
    doing="reranking with",
    path="/rerank",
    malformed="a reranking service is given by its address, such as http://localhost:8080/v1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankLimits:
    """What one service is sent and how often; somebody waits, so not for long."""

    query_tokens: int = 512
    text_tokens: int = 2_000
    batch_texts: int = 100
    batch_tokens: int = 64_000
    patience: Patience = Patience(attempts=2, timeout=5.0, first_pause=0.05, longest_pause=0.5)
    open_after: int = 5
    open_for: float = 30.0


DEFAULT_LIMITS: Final = RerankLimits()


class HttpReranker:
    """One model of one service."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        pace: Pace,
        key: str = "",
        limits: RerankLimits = DEFAULT_LIMITS,
    ) -> None:
        """Take the address that `/rerank` is under; nothing is sent yet.

        Raises:
            UsageError: the address or the key cannot be used.
        """
        rest = Rest(after=limits.open_after, seconds=limits.open_for)
        self._service = HttpService(url, model, kind=_KIND, pace=pace, key=key, rest=rest)
        self.name = model
        self._limits = limits
        self._reads_documents = True

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, asked for group by group."""
        limits = self._limits
        question = shortened(readable(query), limits.query_tokens)
        cut = [shortened(readable(text), limits.text_tokens) for text in texts]
        scores: list[float] = []
        for batch in batches(cut, limits.batch_texts, limits.batch_tokens):
            scores += self._ask(question, batch)
        return scores

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _ask(self, query: str, texts: list[str]) -> list[float]:
        """Ask for the scores of one group, in the form that the service reads."""
        count, patience = len(texts), self._limits.patience
        if self._reads_documents:
            body = {"model": self.name, "query": query, "documents": texts, "top_n": count}
            scores = self._service.ask_if_understood(body, patience, partial(_scores, count=count))
            if scores is not None:
                return scores
        plain = {"query": query, "texts": texts, "truncate": True}
        scores = self._service.ask(plain, patience, partial(_scores, count=count))
        self._reads_documents = False
        return scores


def _scores(answer: Any, count: int) -> list[float]:
    """Read `{"results": [{"index", "relevance_score"}]}` or `[{"index", "score"}]`.

    Raises:
        AdapterError: it is neither, or not about exactly these texts.
    """
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise AdapterError("its answer has no list of `results`", retryable=False)
    by_index = {
        one["index"]: one.get("relevance_score", one.get("score"))
        for one in results
        if type(one.get("index")) is int
    }
    if len(results) != count or by_index.keys() != set(range(count)):
        raise AdapterError("the indexes in its answer are not those of the texts", retryable=False)
    return read_scores([by_index[place] for place in range(count)], count)
