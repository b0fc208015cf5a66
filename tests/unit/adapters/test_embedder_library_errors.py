"""Errors of libraries become ours; ours, and interruptions, stay what they are."""

from __future__ import annotations

import pytest

from smartbrain.adapters.models.given import LibraryErrors
from smartbrain.errors import AdapterError, UsageError


def run(error: BaseException | None, *, retryable: bool = False) -> None:
    with LibraryErrors("could not load x", retryable=retryable):
        if error is not None:
            raise error


@pytest.mark.parametrize("error", [Exception("a\nb"), ValueError("a b"), OSError("a b")])
@pytest.mark.parametrize("retryable", [True, False])
def test_an_error_of_a_library_is_replaced(error: Exception, retryable: bool) -> None:
    """One line, with the library's words, its cause kept and the given hope."""
    with pytest.raises(AdapterError) as caught:
        run(error, retryable=retryable)
    assert caught.value.message == "could not load x: a b"
    assert (caught.value.retryable, caught.value.__cause__) == (retryable, error)


def test_an_error_without_words_is_named_by_its_class() -> None:
    """An empty message would say nothing."""
    with pytest.raises(AdapterError, match="could not load x: ZeroDivisionError"):
        run(ZeroDivisionError())


@pytest.mark.parametrize("error", [UsageError("ours"), KeyboardInterrupt(), SystemExit(3)])
def test_what_is_not_a_library_s_passes(error: BaseException) -> None:
    """Our own errors and interruptions are not touched."""
    with pytest.raises(type(error)) as caught:
        run(error)
    assert error is caught.value


def test_nothing_happens_where_nothing_is_raised() -> None:
    """The block ends as it would without us."""
    run(None)
