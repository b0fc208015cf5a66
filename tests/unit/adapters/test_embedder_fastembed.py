"""The fastembed adapter on a stand-in for the library, and without the library.

In: a module with fastembed's few names in use here. Out: what the adapter asks of it and returns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from smartbrain.adapters.models.fastembed_embedder import FastembedEmbedder
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Embedder
from smartbrain.testing.contracts.models import EmbedderContract
from smartbrain.testing.models import HashEmbedder

NAME = "BAAI/bge-small-zh-v1.5"


class TextEmbedding:
    """What fastembed has under this name, on the testing embedder."""

    made: ClassVar[list[dict[str, Any]]] = []
    trouble: ClassVar[list[Exception]] = []
    asked: ClassVar[list[tuple[str, list[str]]]] = []

    def __init__(self, **options: Any) -> None:
        if self.trouble:
            raise self.trouble.pop()
        self.made.append(options)
        self._inner = HashEmbedder()

    @classmethod
    def list_supported_models(cls) -> list[dict[str, Any]]:
        return [{"model": NAME, "dim": 256}, {"model": "broken/model", "dim": 9}]

    def query_embed(self, texts: list[str]) -> Iterator[NDArray[np.float32]]:
        return self._vectors("query", texts)

    def passage_embed(self, texts: list[str]) -> Iterator[NDArray[np.float32]]:
        return self._vectors("passage", texts)

    def _vectors(self, kind: str, texts: list[str]) -> Iterator[NDArray[np.float32]]:
        self.asked.append((kind, texts))
        if "bad" in texts:
            raise Exception("the runtime\nstumbled")
        for vector in self._inner.embed_passages(texts):
            yield np.asarray(vector, dtype=np.float32)


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(TextEmbedding=TextEmbedding)
    monkeypatch.setitem(sys.modules, "fastembed", stand_in)
    for seen in (TextEmbedding.made, TextEmbedding.trouble, TextEmbedding.asked):
        seen.clear()


class TestFastembedEmbedder(EmbedderContract):
    def make(self, tmp_path: Path) -> Embedder:
        return FastembedEmbedder(NAME)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is the caller's to install, and the command is in the sentence."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(UsageError, match=r"run: pip install 'smartbrain\[fastembed\]'"):
        FastembedEmbedder(NAME)


def test_an_unknown_model_is_answered_with_the_nearest() -> None:
    """A mistyped name is found before anything is fetched."""
    with pytest.raises(UsageError, match=f"did you mean '{NAME}'"):
        FastembedEmbedder("BAAI/bge-smal-zh-v1.5")
    with pytest.raises(UsageError, match="for instance BAAI/bge-small-en"):
        FastembedEmbedder("零")
    assert TextEmbedding.made == []


def test_the_model_is_loaded_once_and_late() -> None:
    """Dimensions are known from the list; the first text loads the model on one core."""
    embedder = FastembedEmbedder(NAME, cache_dir="cache")
    assert (embedder.dimensions, embedder.model) == (256, f"fastembed/{NAME}")
    assert TextEmbedding.made == []
    embedder.embed_query("x")
    embedder.embed_query("y")
    (options,) = TextEmbedding.made
    assert (options["model_name"], options["cache_dir"]) == (NAME, "cache")
    assert (options["threads"], options["providers"]) == (1, ["CPUExecutionProvider"])


def test_texts_are_embedded_one_at_a_time() -> None:
    """Queries and passages go their own way, each text alone, cut before it is read."""
    embedder = FastembedEmbedder(NAME)
    embedder.embed_query("问题")
    embedder.embed_passages(["a", "b" * 1_000_000])
    expected = [("query", ["问题"]), ("passage", ["a"]), ("passage", ["b" * 100_000])]
    assert expected == TextEmbedding.asked


@pytest.mark.spec("R4")
@pytest.mark.parametrize("trouble", [OSError("no\nnetwork"), ValueError("x"), RuntimeError("x")])
def test_a_model_that_cannot_be_fetched_may_come_later(trouble: Exception) -> None:
    """Loading that fails is retryable, and the next text tries again."""
    embedder = FastembedEmbedder(NAME)
    TextEmbedding.trouble.append(trouble)
    with pytest.raises(AdapterError, match="could not load") as caught:
        embedder.embed_query("x")
    assert caught.value.retryable
    assert "\n" not in caught.value.message
    assert len(embedder.embed_query("x")) == 256


def test_a_vector_of_another_size_is_refused() -> None:
    """What the list promises is what must come."""
    with pytest.raises(AdapterError, match="cannot be used") as caught:
        FastembedEmbedder("broken/model").embed_query("x")
    assert not caught.value.retryable


def test_a_text_that_cannot_be_embedded_fails_alone() -> None:
    """Whatever the library raises is one error of ours; the next text works."""
    embedder = FastembedEmbedder(NAME)
    with pytest.raises(AdapterError, match="could not embed a text: the runtime stumbled"):
        embedder.embed_passages(["good", "bad"])
    assert len(embedder.embed_query("good")) == 256
