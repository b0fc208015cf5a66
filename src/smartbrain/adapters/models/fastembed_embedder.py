"""An embedder on fastembed, which fetches the models that it knows by name.

In: one of fastembed's model names and texts. Out: its vectors, one text at a time on one core, so
that a text's vector does not depend on its company. The model is fetched and loaded at the first
text, not before. fastembed is an extra; without it, making an embedder says how to install it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from math import isfinite
from threading import Lock
from typing import Any, Final

from smartbrain.adapters.models.given import LibraryErrors
from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Vector, embeddable

_LONGEST_TEXT: Final = 100_000
"""Characters that are read; the models see far fewer, but read the whole text to find them."""


class FastembedEmbedder:
    """One model of fastembed; threads may share it."""

    languages: tuple[str, ...] = ()

    def __init__(self, name: str, cache_dir: str | None = None) -> None:
        """Look the model up in fastembed's list; nothing is fetched yet."""
        library = _library()
        known = {one["model"]: one for one in library.TextEmbedding.list_supported_models()}
        if name not in known:
            near = did_you_mean(name, known) or ", for instance BAAI/bge-small-en-v1.5"
            raise UsageError(f"fastembed has no model {name!r:.80}{near}")
        self.name = name
        self.model = f"fastembed/{name}"
        self.dimensions: int = known[name]["dim"]
        self._load: Callable[[], Any] = partial(
            library.TextEmbedding,
            model_name=name,
            cache_dir=cache_dir,
            threads=1,
            providers=["CPUExecutionProvider"],
        )
        self._lock = Lock()
        self._loaded: Any = None
        self._closed = False

    def embed_query(self, text: str) -> Vector:
        return self._embed("query_embed", text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._embed("passage_embed", text) for text in texts]

    def close(self) -> None:
        with self._lock:
            self._closed, self._loaded = True, None

    def _embed(self, method: str, text: str) -> array[float]:
        text = embeddable(text)[:_LONGEST_TEXT]
        embed: Callable[[list[str]], Iterable[Any]] = getattr(self._model(), method)
        with LibraryErrors(f"{self.model} could not embed a text"):
            (values,) = embed([text])
            vector = array("f", values.tolist())
        if len(vector) != self.dimensions or not all(map(isfinite, vector)):
            raise AdapterError(f"{self.model} gave a vector that cannot be used", retryable=False)
        return vector

    def _model(self) -> Any:
        with self._lock:
            if self._closed:
                raise UsageError("the embedder is closed; open it again", code="closed")
            if self._loaded is None:
                with LibraryErrors(f"fastembed could not load {self.name}", retryable=True):
                    self._loaded = self._load()
            return self._loaded


def _library() -> Any:
    try:
        return import_module("fastembed")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install 'smartbrain[fastembed]'"
        ) from None
