"""A reranker that the caller wrote, held to what the port promises.

In: any Reranker. Out: the same one, whose failures are all errors of ours and whose scores are one
finite number a text, so that whatever its author lets out costs a report and never a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.reranker import Reranker, read_scores, readable

_FAILED: Final = "the reranker failed"


class GivenReranker:
    """The caller's reranker; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Reranker) -> None:
        """Ask it for what never changes.

        Raises:
            AdapterError: it cannot even say that.
        """
        self._inner = inner
        with LibraryErrors("the reranker does not say what it is"):
            self.name = str(inner.name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return its scores as plain numbers, those of arrays among them."""
        question, read = readable(query), [readable(text) for text in texts]
        if not read:
            return []
        try:
            with LibraryErrors(_FAILED):
                given = self._inner.score(question, read)
                numbers = [float(one) for one in given]
            return read_scores(numbers, len(read))
        except UsageError:
            raise
        except SmartBrainError as error:  # the port speaks of no other than an AdapterError
            retryable = isinstance(error, AdapterError) and error.retryable
            said = error.message.removeprefix(f"{_FAILED}: ")
            raise AdapterError(f"{_FAILED}: {said}", retryable=retryable) from error

    def close(self) -> None:
        """Close it."""
        self._inner.close()
