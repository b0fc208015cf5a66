"""The embedder port: text in, vectors out, so that recall can also search by meaning (R3).

In: one query, or passages in any number. Out: a vector each, as plain sequences of numbers that
numpy reads without help. Nothing depends on an embedder being there: when it fails the work waits
and recall goes on without vectors (R4). Not an index, and not a queue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeAlias, runtime_checkable

from smartbrain.errors import UsageError

Vector: TypeAlias = Sequence[float]
"""Finite numbers of one text, in single precision; numpy makes an array of it without copying."""

_LANGUAGE: Final = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*")


@runtime_checkable
class Embedder(Protocol):
    """One model that places texts in one space; threads may share it.

    The same text always gets the same vector, alone or among others. What is too long for the
    model is cut at its end, never refused; a blank text is. Of an error `retryable` says if waiting
    helps; a closed one says `closed`, as every model does.
    """

    @property
    def name(self) -> str:
        """The short name that people know the embedder by."""

    @property
    def model(self) -> str:
        """What made the vectors, exactly: two vectors compare if name and model are equal."""

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None until a service has given its first one."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages served, as lower-case codes such as `zh` and `en`; empty means all."""

    def embed_query(self, text: str) -> Vector:
        """Return the vector that a question is searched by; made to fail soon rather than wait."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found, one each, in their order."""

    def close(self) -> None:
        """Let go of the model or the connections; closing again does nothing."""


def embeddable(text: str) -> str:
    """Return a text as every model can read it: halves of characters are joined or replaced."""
    if not text.strip():
        raise UsageError("a blank text has no vector; leave it out")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def language_codes(tags: Iterable[str]) -> tuple[str, ...]:
    """Return language tags as the codes to route by: `zh-CN` is `zh`, each named once."""
    codes: dict[str, None] = {}
    for tag in tags:
        match = _LANGUAGE.fullmatch(tag.strip().lower())
        if match is None:
            raise UsageError(f"{tag!r:.60} is no language; write codes such as 'zh' and 'en'")
        codes[match[1]] = None
    return tuple(codes)


class Embedders(Protocol):
    """All embedders of a brain, each for the languages that it serves."""

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        """All of them, in order."""

    def for_text(self, text: str) -> tuple[Embedder, ...]:
        """Return the embedders for a text, in order; none if nobody serves its language."""

    def languages_of(self, embedder: Embedder) -> tuple[str, ...]:
        """Return the languages that one of them is used for; empty means all."""

    def close(self) -> None:
        """Close every embedder that is ours to close."""
