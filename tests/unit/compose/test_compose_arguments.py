"""What a tool was given, cut value by value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.compose.shorten import explain_arguments
from smartbrain.domain.record import canonical_json
from smartbrain.govern.call_arguments import shorten_arguments

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=40,
)


@pytest.mark.spec("R16")
@pytest.mark.parametrize("words", ["some words ", "几句话，"])
def test_names_and_short_values_stay(words: str) -> None:
    """A long text keeps its beginning and tells how much is missing; what fits is left alone."""
    args = {"path": "a.py", "mode": 3, "content": words * 200, "lines": list(range(500))}
    shorter = shorten_arguments(args, 300)
    assert ["path", "mode", "content", "lines"] == list(shorter)
    assert ("a.py", 3) == (shorter["path"], shorter["mode"])
    beginning, _, rest = shorter["content"].partition("…")
    assert args["content"].startswith(beginning)
    assert f" ({len(args['content']) - len(beginning):,} more characters)" == rest
    assert [0, 1] == shorter["lines"][:2]
    assert f"… ({502 - len(shorter['lines']) - 1:,} more)" == shorter["lines"][-1]
    assert args is shorten_arguments(args, 10_000)
    why = explain_arguments("c1", args, shorter, "tool_result")
    assert ("shortened", "c1", "args") == (why.code, why.id, why.key)


@pytest.mark.spec("R16")
def test_what_has_no_shorter_form_tells_its_size() -> None:
    """Very many names, or a value within very many others."""
    many = {f"name {n}": n for n in range(1_000)}
    assert {"…": f"{len(canonical_json(many)):,} characters left out"} == shorten_arguments(
        many, 80
    )
    deep: Any = "bottom"
    for level in range(100):
        deep = {"inner": [deep, deep]} if level < 8 else [deep]
    assert len(canonical_json(shorten_arguments({"a": deep}, 200))) <= 200


@pytest.mark.spec("R16")
@given(PLAIN, st.integers(80, 700))
def test_any_arguments_fit_and_stay_plain_data(args: Any, most: int) -> None:
    """They are valid JSON, no longer than asked for, and never nothing."""
    shorter = shorten_arguments(args, most)
    assert len(canonical_json(shorter)) <= most
    assert shorter == json.loads(json.dumps(shorter))
    assert shorter or not args
