"""Embedders for tests: one that needs no model, one that fails, and one that keeps you waiting.

In: texts in any language. Out: vectors in which texts that share pieces of words are close, the
same in every process and on every machine. Not for production: it knows spelling, not meaning.
"""

from __future__ import annotations

import math
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from typing import Final
from zlib import crc32

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Embedder, Vector, embeddable

_CHARACTERS: Final = 2_000
"""What is read of a text, as a model reads its beginning only."""


class HashEmbedder:
    """Counts pieces of two and three characters, hashed into a fixed number of places."""

    def __init__(
        self, dimensions: int = 256, *, name: str = "hash", languages: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.model = f"{name}-{dimensions}"
        self.dimensions = dimensions
        self.languages = languages
        self.closed = False

    def embed_query(self, text: str) -> Vector:
        """Return the same vector as for a passage."""
        if self.closed:
            raise UsageError("the embedder is closed; open it again", code="closed")
        start = embeddable(text)[:_CHARACTERS]
        words = " ".join(unicodedata.normalize("NFKC", start).casefold().split())
        padded = f" {words} "
        counts = [0.0] * self.dimensions
        for size in (2, 3):
            for at in range(len(padded) - size + 1):
                counts[crc32(padded[at : at + size].encode()) % self.dimensions] += 1.0
        length = math.hypot(*counts)
        return array("f", [count / length for count in counts])

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text."""
        return [self.embed_query(text) for text in texts]

    def close(self) -> None:
        """Refuse work from now on."""
        self.closed = True


class FailingEmbedder:
    """Fails the first `failures` calls, or all of them, then does what the inner one does."""

    def __init__(
        self, inner: Embedder, failures: int | None = None, *, retryable: bool = True
    ) -> None:
        self._inner = inner
        self._left = failures
        self._retryable = retryable
        self.calls = 0
        self.name, self.model = inner.name, inner.model
        self.dimensions, self.languages = inner.dimensions, inner.languages

    def embed_query(self, text: str) -> Vector:
        """Fail, or return the inner one's vector."""
        self._fail()
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Fail, or return the inner one's vectors."""
        self._fail()
        return self._inner.embed_passages(texts)

    def close(self) -> None:
        """Close the inner one."""
        self._inner.close()

    def _fail(self) -> None:
        self.calls += 1
        if self._left is None or self.calls <= self._left:
            raise AdapterError("the embedder fails on purpose", retryable=self._retryable)


class SlowEmbedder:
    """Calls `wait` before each answer: a test hands in an event's `wait` and decides when to go."""

    def __init__(self, inner: Embedder, wait: Callable[[], object]) -> None:
        self._inner = inner
        self._wait = wait
        self.name, self.model = inner.name, inner.model
        self.dimensions, self.languages = inner.dimensions, inner.languages

    def embed_query(self, text: str) -> Vector:
        """Wait, then return the inner one's vector."""
        self._wait()
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Wait, then return the inner one's vectors."""
        self._wait()
        return self._inner.embed_passages(texts)

    def close(self) -> None:
        """Close the inner one."""
        self._inner.close()
