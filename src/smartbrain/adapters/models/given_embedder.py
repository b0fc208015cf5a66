"""An embedder that the caller wrote, held to what the port promises about errors.

In: any Embedder. Out: the same one, whose failures are all errors of ours, so that whatever its
author lets out costs a report and never a call. Of its vectors only the first one's size is looked
at, where it does not tell that itself.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.errors import SmartBrainError
from smartbrain.ports.embedder import Embedder, Vector

_FAILED: Final = "the embedder failed"


class GivenEmbedder:
    """The caller's embedder; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Embedder) -> None:
        """Ask it for what never changes.

        Raises:
            AdapterError: it cannot even say that.
        """
        self._inner = inner
        self._seen: int | None = None
        with LibraryErrors("the embedder does not say what it is"):
            self.name, self.model = inner.name, inner.model
            self.languages = tuple(inner.languages)

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None where it cannot say and has made none yet."""
        try:
            with LibraryErrors(_FAILED):
                return self._inner.dimensions or self._seen
        except SmartBrainError:
            return self._seen

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        with LibraryErrors(_FAILED):
            vector = self._inner.embed_query(text)
        self._see(vector)
        return vector

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        with LibraryErrors(_FAILED):
            vectors = list(self._inner.embed_passages(texts))
        self._see(*vectors[:1])
        return vectors

    def close(self) -> None:
        """Close it."""
        self._inner.close()

    def _see(self, *vectors: object) -> None:
        """Note the size of the first vector that it makes."""
        for one in vectors:
            if self._seen is None and isinstance(one, Sized) and not isinstance(one, str | bytes):
                self._seen = len(one) or None
