"""A real embeddings service on 127.0.0.1, by the vectors of the HashEmbedder.

In: HTTP requests as OpenAI's clients send them. Out: vectors, as numbers or packed. See
`smartbrain.testing.model_service` for how it can be told to misbehave.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import AbstractContextManager
from typing import Any

from smartbrain.testing.model_service import ModelService, running
from smartbrain.testing.models import HashEmbedder

MODEL = "test-model"


class EmbeddingServer(ModelService):
    """Embeds by hashing words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedder = HashEmbedder()
        self.base64 = False

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        vectors = self.embedder.embed_passages(asked["input"])
        items = [
            {
                "object": "embedding",
                "index": place,
                "embedding": b64encode(bytes(vector)).decode() if self.base64 else list(vector),
            }
            for place, vector in enumerate(vectors)
        ]
        return 200, {"object": "list", "data": items, "model": MODEL, "usage": {"total_tokens": 1}}


def running_server() -> AbstractContextManager[EmbeddingServer]:
    return running(EmbeddingServer())
