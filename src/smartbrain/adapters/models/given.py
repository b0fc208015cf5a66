"""Models and documents that the caller wrote, held to what their ports promise.

In: any Embedder, LanguageModel, Reranker or Resources. Out: the same one, whose failures are all
errors of ours and whose answers have the promised form, so that whatever its author lets out costs
a report and never a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from smartbrain.domain.evidence import Evidence, EvidencePack
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.embedder import Embedder, Vector
from smartbrain.ports.language_model import LanguageModel, ModelAnswer, ModelMessage
from smartbrain.ports.reranker import Reranker, read_scores, readable

if TYPE_CHECKING:
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.ports.resources import Resources


class LibraryErrors:
    """A `with` block; `sentence` says what could not be done, `retryable` whether waiting helps.

    Of our own errors those that are `spoken` of pass, all of them by default.
    """

    def __init__(
        self,
        sentence: str,
        *,
        retryable: bool = False,
        spoken: tuple[type[SmartBrainError], ...] = (SmartBrainError,),
    ) -> None:
        self._sentence = sentence
        self._retryable = retryable
        self._spoken = spoken

    def __enter__(self) -> None:
        """Do nothing: only the way out matters."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if kind is None or not issubclass(kind, Exception) or issubclass(kind, self._spoken):
            return
        said = " ".join(str(error).split())[:200] or kind.__name__
        retryable = error.retryable if isinstance(error, AdapterError) else self._retryable
        raise AdapterError(f"{self._sentence}: {said}", retryable=retryable) from error


_Inner = TypeVar("_Inner", bound=Embedder | LanguageModel | Reranker)


class _Given(Generic[_Inner]):
    """A model of the caller's; what it raises that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: _Inner) -> None:
        self._inner = inner

    def close(self) -> None:
        self._inner.close()


_EMBEDDER_FAILED: Final = "the embedder failed"


class GivenEmbedder(_Given[Embedder]):
    """The caller's embedder."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._seen: int | None = None
        with LibraryErrors("the embedder does not say what it is"):
            self.name, self.model = inner.name, inner.model
            self.languages = tuple(inner.languages)

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None where it cannot say and has made none yet."""
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

    def _see(self, *vectors: object) -> None:
        for one in vectors:
            if self._seen is None and isinstance(one, Sized) and not isinstance(one, str | bytes):
                self._seen = len(one) or None


_MODEL_FAILED: Final = "the language model failed"


class GivenLanguageModel(_Given[LanguageModel]):
    """The caller's language model."""

    def __init__(self, inner: LanguageModel) -> None:
        super().__init__(inner)
        with LibraryErrors("the language model does not say what it is"):
            self.model = inner.model

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        answer: ModelAnswer
        with LibraryErrors(_MODEL_FAILED, spoken=(AdapterError, UsageError)):
            answer = self._inner.complete(messages, schema=schema, timeout=timeout)
        if not isinstance(getattr(answer, "text", None), str):
            raise AdapterError(f"{_MODEL_FAILED}: its answer has no text", retryable=False)
        return answer


class GivenReranker(_Given[Reranker]):
    """The caller's reranker."""

    def __init__(self, inner: Reranker) -> None:
        super().__init__(inner)
        with LibraryErrors("the reranker does not say what it is"):
            self.name = str(inner.name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        question, read = readable(query), [readable(text) for text in texts]
        if not read:
            return []
        with LibraryErrors("the reranker failed", spoken=(UsageError,)):
            given = self._inner.score(question, read)
            return read_scores([float(one) for one in given], len(read))


_NO_DOCUMENTS: Final = "the documents failed"


class GivenResources:
    """The caller's documents; what they raise that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Resources) -> None:
        self._inner = inner

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        with LibraryErrors(_NO_DOCUMENTS, spoken=(AdapterError,)):
            pack: object = self._inner.retrieve(plan)
            held = list(pack.evidences) if isinstance(pack, EvidencePack) else []
        if not isinstance(pack, EvidencePack):
            raise AdapterError(f"{_NO_DOCUMENTS}: they answered {pack!r:.60}, not an EvidencePack")
        if not all(isinstance(one, Evidence) for one in held):
            raise AdapterError(f"{_NO_DOCUMENTS}: what their pack holds is not all Evidence")
        return pack
