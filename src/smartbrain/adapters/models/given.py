"""Models and documents that the caller wrote, held to what their ports promise.

In: any Embedder, LanguageModel, Reranker or Resources. Out: the same one, whose failures are all
errors of ours and whose answers have the promised form, so that whatever its author lets out costs
a report and never a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.evidence import Evidence, EvidencePack
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.embedder import Embedder, Vector
from smartbrain.ports.language_model import LanguageModel, ModelAnswer, ModelMessage
from smartbrain.ports.reranker import Reranker, read_scores, readable

if TYPE_CHECKING:
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.ports.resources import Resources


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


_EMBEDDER_FAILED: Final = "the embedder failed"


class GivenEmbedder:
    """The caller's embedder; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Embedder) -> None:
        """Ask it for what never changes."""
        self._inner = inner
        self._seen: int | None = None
        with LibraryErrors("the embedder does not say what it is"):
            self.name, self.model = inner.name, inner.model
            self.languages = tuple(inner.languages)

    @property
    def dimensions(self) -> int | None:
        try:
            with LibraryErrors(_EMBEDDER_FAILED):
                return self._inner.dimensions or self._seen
        except SmartBrainError:
            return self._seen

    def embed_query(self, text: str) -> Vector:
        with LibraryErrors(_EMBEDDER_FAILED):
            vector = self._inner.embed_query(text)
        self._see(vector)
        return vector

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        with LibraryErrors(_EMBEDDER_FAILED):
            vectors = list(self._inner.embed_passages(texts))
        self._see(*vectors[:1])
        return vectors

    def close(self) -> None:
        self._inner.close()

    def _see(self, *vectors: object) -> None:
        for one in vectors:
            if self._seen is None and isinstance(one, Sized) and not isinstance(one, str | bytes):
                self._seen = len(one) or None


_MODEL_FAILED: Final = "the language model failed"


class GivenLanguageModel:
    """The caller's model; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: LanguageModel) -> None:
        """Ask it for what never changes."""
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
        try:
            with LibraryErrors(_MODEL_FAILED):
                answer = self._inner.complete(messages, schema=schema, timeout=timeout)
        except (AdapterError, UsageError):
            raise
        except SmartBrainError as error:  # one of ours that the port does not speak of
            raise AdapterError(f"{_MODEL_FAILED}: {error.message}", retryable=False) from error
        if not isinstance(getattr(answer, "text", None), str):
            raise AdapterError(f"{_MODEL_FAILED}: its answer has no text", retryable=False)
        return answer

    def close(self) -> None:
        self._inner.close()


_RERANKER_FAILED: Final = "the reranker failed"


class GivenReranker:
    """The caller's reranker; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Reranker) -> None:
        """Ask it for what never changes."""
        self._inner = inner
        with LibraryErrors("the reranker does not say what it is"):
            self.name = str(inner.name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        question, read = readable(query), [readable(text) for text in texts]
        if not read:
            return []
        try:
            with LibraryErrors(_RERANKER_FAILED):
                given = self._inner.score(question, read)
                numbers = [float(one) for one in given]
            return read_scores(numbers, len(read))
        except UsageError:
            raise
        except SmartBrainError as error:  # the port speaks of no other than an AdapterError
            retryable = isinstance(error, AdapterError) and error.retryable
            said = error.message.removeprefix(f"{_RERANKER_FAILED}: ")
            raise AdapterError(f"{_RERANKER_FAILED}: {said}", retryable=retryable) from error

    def close(self) -> None:
        self._inner.close()


_NO_DOCUMENTS: Final = "the documents failed"


class GivenResources:
    """The caller's documents; what they raise that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Resources) -> None:
        self._inner = inner

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        try:
            with LibraryErrors(_NO_DOCUMENTS):
                pack: object = self._inner.retrieve(plan)
                held = list(pack.evidences) if isinstance(pack, EvidencePack) else []
        except AdapterError:
            raise
        except SmartBrainError as error:  # one of ours that the port does not speak of
            raise AdapterError(f"{_NO_DOCUMENTS}: {error.message}", retryable=False) from error
        if not isinstance(pack, EvidencePack):
            raise AdapterError(f"{_NO_DOCUMENTS}: they answered {pack!r:.60}, not an EvidencePack")
        if not all(isinstance(one, Evidence) for one in held):
            raise AdapterError(f"{_NO_DOCUMENTS}: what their pack holds is not all Evidence")
        return pack
