"""A reranking service on 127.0.0.1 for tests, by the scores of the PieceReranker.

In: HTTP requests in the form of Cohere and Jina, or of Text Embeddings Inference when `plain` is
set. Out: scores, best first. See `model_service` for how it can be told to misbehave.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from smartbrain.testing.model_service import ModelService, running
from smartbrain.testing.reranker import PieceReranker

MODEL = "test-reranker"


class RerankService(ModelService):
    """Scores by common pieces of words, in either form."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = False

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Return the scores of the texts; a form that it does not know is refused."""
        texts = asked.get("texts" if self.plain else "documents")
        if texts is None:
            return 422, {"error": "missing field", "error_type": "validation"}
        scores = PieceReranker().score(asked["query"], texts)
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        if self.plain:
            return 200, [{"index": place, "score": scores[place]} for place in order]
        results = [{"index": place, "relevance_score": scores[place]} for place in order]
        return 200, {"model": MODEL, "results": results[: asked["top_n"]]}


def running_rerank_service() -> AbstractContextManager[RerankService]:
    """Serve until the block ends."""
    return running(RerankService())
