"""JSON with its lines: every value is found where it stands, and mistakes on their line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.errors import UsageError
from smartbrain.govern.state_file import line_of, read_json_lines

TEXT = """{
  "a": [1, {
    "键": "值 \\"{[:,]}\\"",
    "b": null}, [],
    -2.5e3],

  "c": {}
}"""


@pytest.mark.spec("W8")
def test_each_value_has_the_line_it_stands_on() -> None:
    """Names in objects, places in lists, nested ones; what is not there has its surroundings'."""
    value, lines = read_json_lines(TEXT)
    assert json.loads(TEXT) == value
    expected = {
        (): 1,
        ("a",): 2,
        ("a", 0): 2,
        ("a", 1): 2,
        ("a", 1, "键"): 3,
        ("a", 1, "b"): 4,
        ("a", 2): 4,
        ("a", 3): 5,
        ("c",): 7,
    }
    assert expected == lines
    assert (7, 4, 1) == (
        line_of(("c", "x", 3), lines),
        line_of(("a", 2, 0), lines),
        line_of(("nowhere",), lines),
    )


@pytest.mark.spec("W8")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n"a": 1,\n"a": 2}', 'line 3: the name "a" is there twice'),
        ('{\n"a": 1\n"b": 2}', "line 3: not JSON"),
        ("[NaN]", "line 1: not JSON that can be read: NaN is no value"),
        ('{\n"a": "NaN",\n"键": [1,\n-Infinity]}', "line 4: not JSON that can be read: -Infinity"),
        (f'{{\n"a": 1,\n"b": {"9" * 5000}}}', "line 3: not JSON that can be read: a number has"),
        ('{\n"a":\n' + "[" * 100_000, "line 3: not JSON that can be read: it is nested"),
        ("", "line 1"),
        ("[" * 100_000, "line 1"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, told: str) -> None:
    """Also what Python's reader would let pass."""
    with pytest.raises(UsageError) as refused:
        read_json_lines(text)
    assert told in refused.value.message


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a{["\\\n茶', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=12,
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Return every path of a value."""
    found = {path}
    if isinstance(value, dict):
        for name, one in value.items():
            found |= paths(one, (*path, name))
    if isinstance(value, list):
        for place, one in enumerate(value):
            found |= paths(one, (*path, place))
    return found


@pytest.mark.spec("W8")
@settings(max_examples=60, deadline=None)
@given(value=values, indent=st.sampled_from([None, 1]))
def test_every_path_of_any_value_has_a_line(value: Any, indent: int | None) -> None:
    """None is missed and none is invented."""
    read, lines = read_json_lines(json.dumps(value, indent=indent))
    assert value == read
    assert paths(value) == set(lines)
