"""An embedder behind HTTP: any service that speaks OpenAI's `/embeddings`.

In: texts, cut and grouped to fit a request. Out: checked vectors, or one AdapterError after the
allowed attempts. Failing services are tried again with growing pauses, then left alone for a while.
The key goes into one header and into nothing else. Not a cache, and not a queue.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from smartbrain.adapters.models.batches import batches, shortened
from smartbrain.adapters.models.http_answer import read_vectors
from smartbrain.adapters.models.http_service import HttpService, Kind, Pace, Patience, Rest
from smartbrain.errors import AdapterError
from smartbrain.ports.embedder import Vector, embeddable


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What one service is sent and how often; a query waits less than the work of a queue."""

    text_tokens: int = 8_000
    batch_texts: int = 64
    batch_tokens: int = 32_000
    query: Patience = Patience(attempts=2, timeout=5.0, first_pause=0.1, longest_pause=0.5)
    passages: Patience = Patience(attempts=4, timeout=60.0, first_pause=0.5, longest_pause=30.0)
    open_after: int = 5
    open_for: float = 30.0


DEFAULT_LIMITS: Final = HttpLimits()


_KIND: Final = Kind(
    name="the embedder",
    doing="embedding with",
    path="/embeddings",
    malformed="an embedding service is given by its address, such as http://localhost:11434/v1",
)


class HttpEmbedder:
    """One model of one service; the first answer tells its dimensions."""

    languages: tuple[str, ...] = ()

    def __init__(
        self,
        url: str,
        model: str,
        *,
        pace: Pace,
        key: str = "",
        limits: HttpLimits = DEFAULT_LIMITS,
    ) -> None:
        """Take the address that `/embeddings` is under; nothing is sent yet.

        Raises:
            UsageError: the address or the key cannot be used.
        """
        rest = Rest(after=limits.open_after, seconds=limits.open_for)
        self._service = HttpService(url, model, kind=_KIND, pace=pace, key=key, rest=rest)
        self.name = self.model = model
        self._limits = limits
        self._lock = Lock()
        self._dimensions: int | None = None

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None before the first answer."""
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, with the patience of somebody who waits."""
        return self._ask([self._prepared(text)], self._limits.query)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of the texts, asked for group by group."""
        prepared = [self._prepared(text) for text in texts]
        vectors: list[Vector] = []
        for batch in batches(prepared, self._limits.batch_texts, self._limits.batch_tokens):
            vectors += self._ask(batch, self._limits.passages)
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _prepared(self, text: str) -> str:
        return shortened(embeddable(text), self._limits.text_tokens)

    def _ask(self, texts: list[str], patience: Patience) -> list[array[float]]:
        """Ask for the vectors of one group."""
        body = {"model": self.model, "input": texts}
        return self._service.ask(body, patience, lambda answer: self._read(answer, len(texts)))

    def _read(self, answer: Any, count: int) -> list[array[float]]:
        """Return the vectors of an answer, all of the size that this service always had."""
        vectors = read_vectors(answer, count)
        with self._lock:
            size = len(vectors[0])
            self._dimensions = self._dimensions or size
            if size != self._dimensions:
                raise AdapterError(
                    f"its vectors had {self._dimensions} numbers and now have {size};"
                    " give the new model a name of its own",
                    retryable=False,
                )
        return vectors
