"""Contract suites: one class a port, with the tests that every adapter of it must pass.

Inherit the class under a name that pytest collects, say how to make the adapter (`def make`), and
run pytest, which gives each test a `tmp_path` of its own.
The suites use plain asserts and do not import pytest. What a test works on comes from a fixture of
yours that returns what `request.instance.make` makes: `empty`, and `truth` as `with_source(empty)`;
`blobs`, `index`, `graph`, `embedder`, `reranker`, `model` or `counter`.
"""

from __future__ import annotations

from collections.abc import Callable

from smartbrain.errors import SmartBrainError


def raised(call: Callable[..., object], *arguments: object, **named: object) -> SmartBrainError:
    """Return the error that a call ends with; ending without one is a failure."""
    try:
        result = call(*arguments, **named)
    except SmartBrainError as error:
        return error
    raise AssertionError(f"expected an error, got {result!r}")
