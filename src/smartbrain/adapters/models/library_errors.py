"""Turns what model libraries raise into errors of ours.

In: a block of calls into `onnxruntime`, `tokenizers` or `fastembed`. Out: an AdapterError in one
line for whatever they raise; our own errors and interruptions pass. These libraries raise bare
Exceptions, or classes without a parent that could be caught, so the class is looked at instead.
"""

from __future__ import annotations

from types import TracebackType

from smartbrain.errors import AdapterError, SmartBrainError


class LibraryErrors:
    """A `with` block; `sentence` says what could not be done, `retryable` whether waiting helps."""

    def __init__(self, sentence: str, *, retryable: bool = False) -> None:
        self._sentence = sentence
        self._retryable = retryable

    def __enter__(self) -> None:
        """Do nothing: only the way out matters."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Replace a library's error."""
        if kind is None or not issubclass(kind, Exception) or issubclass(kind, SmartBrainError):
            return
        said = " ".join(str(error).split())[:200] or kind.__name__
        raise AdapterError(f"{self._sentence}: {said}", retryable=self._retryable) from error
