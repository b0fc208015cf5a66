"""An embedder of the caller's own: whatever it raises arrives as an error of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from smartbrain.adapters.models.given import GivenEmbedder
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Embedder, Vector
from smartbrain.testing.models import HashEmbedder

pytestmark = pytest.mark.spec("R3", "R4")
TEXTS = ["周五发布", "release on Friday"]


class Raising(HashEmbedder):
    """Raises what it is given."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(8)
        self.error = error

    def embed_query(self, text: str) -> Vector:
        """Raise."""
        raise self.error


class Lazy(HashEmbedder):
    """Gives a generator, as not meant by the port, which fails when it is read."""

    def embed_passages(self, texts: Sequence[str]) -> Iterator[Vector]:
        """Yield one, then fail."""
        yield self.embed_query(texts[0])
        raise RuntimeError("out of memory")


def test_it_is_what_the_inner_one_is() -> None:
    """Name, model, size, languages and vectors are those of the caller's."""
    inner = HashEmbedder(8, languages=("zh",))
    given = GivenEmbedder(inner)
    assert isinstance(given, Embedder)
    assert ("hash", "hash-8", 8, ("zh",)) == (
        given.name,
        given.model,
        given.dimensions,
        given.languages,
    )
    assert inner.embed_query(TEXTS[0]) == given.embed_query(TEXTS[0])
    assert inner.embed_passages(TEXTS) == given.embed_passages(TEXTS)
    given.close()
    assert inner.closed


@pytest.mark.parametrize("error", [ValueError("坏了 broken"), RuntimeError("坏了 broken")])
def test_what_it_raises_becomes_an_adapter_error(error: Exception) -> None:
    """For a question and for passages."""
    given = GivenEmbedder(Raising(error))
    for call in (lambda: given.embed_query("x"), lambda: given.embed_passages(TEXTS)):
        with pytest.raises(AdapterError, match="the embedder failed: 坏了 broken") as caught:
            call()
        assert caught.value.__cause__ is error


def test_vectors_are_read_to_the_end_inside() -> None:
    """One that makes them while they are read cannot fail elsewhere."""
    with pytest.raises(AdapterError, match="out of memory"):
        GivenEmbedder(Lazy(8)).embed_passages(TEXTS)


@pytest.mark.parametrize("error", [UsageError("no"), KeyboardInterrupt()])
def test_our_errors_and_interruptions_pass(error: BaseException) -> None:
    """They are not changed."""
    with pytest.raises(type(error)) as caught:
        GivenEmbedder(Raising(error)).embed_query("x")
    assert caught.value is error


def test_one_that_cannot_tell_its_size_does_not_know_it() -> None:
    """Its name has to be told at once, its size only with the first vector."""

    class Shy(HashEmbedder):
        @property
        def dimensions(self) -> int:
            raise OSError("not loaded")

        @dimensions.setter
        def dimensions(self, value: int) -> None:
            pass

    class Nameless(HashEmbedder):
        @property
        def name(self) -> str:
            raise OSError("not loaded")

        @name.setter
        def name(self, value: str) -> None:
            pass

    assert GivenEmbedder(Shy(8)).dimensions is None
    with pytest.raises(AdapterError, match="does not say what it is: not loaded"):
        GivenEmbedder(Nameless(8))


class Untold(HashEmbedder):
    """Says how large its vectors are only where it is told to."""

    told: int | None = None

    @property
    def dimensions(self) -> int | None:
        """As it was told."""
        return self.told

    @dimensions.setter
    def dimensions(self, size: int) -> None:
        self.size = size

    def embed_query(self, text: str) -> Vector:
        """Return some vector."""
        return [float(len(text))] * self.size


@pytest.mark.parametrize("by_query", [False, True])
def test_the_first_vector_tells_its_size(by_query: bool) -> None:
    """Of one that does not say it; what it says itself goes first."""
    inner = Untold(12)
    given = GivenEmbedder(inner)
    assert given.dimensions is None
    given.embed_query("x") if by_query else given.embed_passages(TEXTS)
    assert 12 == given.dimensions
    inner.told = 8
    assert 8 == given.dimensions


@pytest.mark.parametrize("given", ["twelve words", b"", [], None, 7])
def test_what_is_no_vector_tells_no_size(given: object) -> None:
    """Whoever reads it will say so; the next one may be one."""
    inner = Untold(12)
    known = GivenEmbedder(inner)
    inner.embed_query = lambda _: given
    known.embed_query("x")
    assert known.dimensions is None
