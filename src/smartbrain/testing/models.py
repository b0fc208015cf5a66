"""Models for tests, without a network: what they answer follows from what they are asked.

In: texts, questions, messages. Out: vectors in which words that are shared bring texts near, scores
by shared words, and answers that were written down before. The same each time.
"""

from __future__ import annotations

import math
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, Generic, TypeVar
from zlib import crc32

from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.embedder import Embedder, Vector, embeddable
from smartbrain.ports.language_model import ModelAnswer, ModelMessage, read_messages
from smartbrain.ports.reranker import readable

_Asked = TypeVar("_Asked")
_Line = TypeVar("_Line")
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


class FailingEmbedder(SlowEmbedder):
    """Fails the first `failures` calls, or all of them, then does what the inner one does."""

    def __init__(
        self, inner: Embedder, failures: int | None = None, *, retryable: bool = True
    ) -> None:
        super().__init__(inner, self._fail)
        self._left = failures
        self._retryable = retryable
        self.calls = 0

    def _fail(self) -> None:
        self.calls += 1
        if self._left is None or self.calls <= self._left:
            raise AdapterError("the embedder fails on purpose", retryable=self._retryable)


class EchoModel:
    """Answers with the last message of the user."""

    model = "echo"

    def __init__(self) -> None:
        self.closed = False

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - an echo keeps to no schema
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what the user said last."""
        if self.closed:
            raise UsageError("the language model is closed; open it again", code="closed")
        read = read_messages(messages, timeout)
        said = [one["content"] for one in read if one["role"] == "user"]
        return ModelAnswer(said[-1] if said else "", self.model, {"total_tokens": len(read)})

    def close(self) -> None:
        """Refuse work from now on."""
        self.closed = True


class _Script(Generic[_Asked, _Line]):
    """Gives one line a call, the last one for ever; an error is raised."""

    def __init__(self, script: Iterable[_Line | SmartBrainError]) -> None:
        self._script = list(script)
        self._lock = Lock()
        self.asked: list[_Asked] = []

    def next_line(self, asked: _Asked) -> _Line:
        """Return or raise what the script says next."""
        with self._lock:
            self.asked.append(asked)
            line = self._script[min(len(self.asked), len(self._script)) - 1]
        if isinstance(line, SmartBrainError):
            raise line
        return line

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


class ScriptedModel(_Script[tuple[ModelMessage, ...], str]):
    """A model that answers by its script."""

    model = "scripted"

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - a script keeps to no schema
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Answer what the script says next."""
        read_messages(messages, timeout)
        line = self.next_line(tuple(messages))
        return ModelAnswer(line, self.model, {"total_tokens": len(line)})


class PieceReranker:
    """Scores by pairs of characters in common: spelling, not meaning."""

    name = "pieces"

    def __init__(self) -> None:
        self.closed = False

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the share of the question's pieces in each text, from 0 to 1."""
        if self.closed:
            raise UsageError("the reranker is closed; open it again", code="closed")
        asked = _pieces(readable(query))
        return [len(asked & _pieces(readable(text))) / len(asked) for text in texts]

    def close(self) -> None:
        """Refuse work from now on."""
        self.closed = True


class ScriptedReranker(_Script[tuple[str, tuple[str, ...]], Sequence[float]]):
    """A reranker that scores by its script."""

    name = "scripted"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return what the script says next."""
        return list(self.next_line((query, tuple(texts))))


def _pieces(text: str) -> set[str]:
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return {words[at : at + 2] for at in range(max(1, len(words) - 1))}
