"""A language model that the caller wrote, held to what the port promises about errors.

In: any LanguageModel. Out: the same one, whose failures are all errors of ours and whose answers
have text, so that whatever its author lets out costs a report and never a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.language_model import LanguageModel, ModelAnswer, ModelMessage

_FAILED: Final = "the language model failed"


class GivenLanguageModel:
    """The caller's model; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: LanguageModel) -> None:
        """Ask it for what never changes.

        Raises:
            AdapterError: it cannot even say that.
        """
        self._inner = inner
        with LibraryErrors("the language model does not say what it is"):
            self.model = inner.model

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what it answers."""
        try:
            with LibraryErrors(_FAILED):
                answer = self._inner.complete(messages, schema=schema, timeout=timeout)
        except (AdapterError, UsageError):
            raise
        except SmartBrainError as error:  # one of ours that the port does not speak of
            raise AdapterError(f"{_FAILED}: {error.message}", retryable=False) from error
        if not isinstance(getattr(answer, "text", None), str):
            raise AdapterError(f"{_FAILED}: its answer has no text", retryable=False)
        return answer

    def close(self) -> None:
        """Close it."""
        self._inner.close()
