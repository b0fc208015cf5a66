"""What each shape takes and refuses, and how it says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.domain.shapes import (
    Anything,
    Boolean,
    Choice,
    Date,
    Integer,
    ListOf,
    Number,
    Object,
    Shape,
    Text,
    Time,
    When,
    json_problem,
    size_problem,
)
from smartbrain.errors import UsageError

STATUS = Choice(("todo", "doing", "done"))

ACCEPTED: list[tuple[Shape, Any]] = [
    (Text(), "tone"),
    (Text(), "语气"),
    (Text(max_length=2), "语气"),
    (Integer(), -3),
    (Integer(0, 5), 5),
    (Number(0, 1), 0.5),
    (Number(), 7),
    (Boolean(), False),
    (Date(), "2024-02-29"),
    (Time(), "2026-02-20T09:30:00+08:00"),
    (Time(), "2026-02-20T09:30:00Z"),
    (When(), "2026-02-20"),
    (When(), "2026-02-20T09:30:00Z"),
    (Anything(), {"深": [1, None]}),
    (Anything(), ""),
    (Anything(null=True), None),
    (STATUS, "done"),
    (ListOf(Text()), ["a", "乙"]),
    (ListOf(Text()), []),
    (Object({"k": Text()}), {"k": "v", "unknown": [1]}),
]

REFUSED: list[tuple[Shape, Any, str]] = [
    (Text(), "  \n", "text of 1 to 10000 characters"),
    (Text(max_length=2), "语气词", "text of 1 to 2 characters"),
    (Text(), 3, "text of 1 to 10000 characters"),
    (Integer(), 3.0, "an integer"),
    (Integer(), True, "an integer"),
    (Integer(0), -1, "an integer from 0"),
    (Number(0, 1), 1.2, "a number from 0 up to 1"),
    (Number(maximum=1), "0.5", "a number up to 1"),
    (Number(), float("nan"), "a number"),
    (Boolean(), 1, "true or false"),
    (Date(), "2026-02-30", "a date such as 2026-02-20"),
    (Date(), "20260220", "a date such as 2026-02-20"),
    (Date(), "２０２６-02-20", "a date such as 2026-02-20"),
    (Time(), "2026-02-20T09:30:00", "a time with its UTC offset"),
    (Time(), "明天", "a time with its UTC offset"),
    (Time(), 1771551000, "a time with its UTC offset"),
    (When(), "soon", "a date such as 2026-02-20 or a time with its UTC offset"),
    (Anything(), None, "any JSON but null"),
    (STATUS, "Done", "one of todo, doing, done"),
    (STATUS, ["done"], "one of todo, doing, done"),
    (ListOf(Text()), "abc", "a list of up to 1000 items, each text"),
    (ListOf(Text(), max_items=1), ["a", "b"], "a list of up to 1 items"),
    (Object({"k": Text()}), [], "an object with k"),
]


@pytest.mark.spec("M1")
@pytest.mark.parametrize(("shape", "value"), ACCEPTED)
def test_a_shape_takes_what_it_describes(shape: Shape, value: Any) -> None:
    """Valid values of every shape, Chinese among them, have no problem."""
    assert shape.problem(value, "field") is None


@pytest.mark.spec("M1")
@pytest.mark.parametrize(("shape", "value", "allowed"), REFUSED)
def test_a_shape_refuses_the_rest_and_says_what_is_allowed(
    shape: Shape, value: Any, allowed: str
) -> None:
    """The sentence names the field, what it was and what it must be, in one line."""
    problem = shape.problem(value, "field") or ""

    assert problem.startswith("field is ")
    assert f"; it must be {allowed}" in problem
    assert "\n" not in problem


def test_a_wrong_choice_is_told_the_nearest() -> None:
    """A typo is answered with the word that was meant."""
    problem = STATUS.problem("dnoe", "tasks.status")

    assert (
        problem
        == "tasks.status is 'dnoe'; it must be one of todo, doing, done (did you mean 'done'?)"
    )


def test_a_problem_names_the_path_to_the_field() -> None:
    """Lists and objects hand on where they are."""
    shape = Object({"facts": ListOf(Object({"k": Text(), "v": Anything()}))})

    problem = shape.problem({"facts": [{"k": "role", "v": 1}, {"k": 5, "v": 1}]}, "profile")

    assert problem == "profile.facts[1].k is 5; it must be text of 1 to 10000 characters"


def test_a_missing_field_is_named_with_the_one_meant_instead() -> None:
    """A misspelled field name is found among the unknown ones."""
    problem = Object({"decision": Text()}).problem({"decison": "x"}, "decisions")

    assert (
        problem == "decisions lacks 'decision'; it must be text of 1 to 10000 characters,"
        " or did you mean it by 'decison'?"
    )


@pytest.mark.parametrize("left_out", [{}, {"due": None}, {"due": ""}, {"due": "  "}])
def test_null_and_blank_count_as_left_out(left_out: dict[str, Any]) -> None:
    """An optional field may be null or blank and is then not stored; a required one may not."""
    assert Object({"due": Date(required=False)}).problem(left_out, "tasks") is None
    assert Object({"due": Date(required=False)}).stored(left_out) == {}
    assert "tasks lacks 'due'" in (Object({"due": Date()}).problem(left_out, "tasks") or "")


def test_the_stored_form_fills_defaults_keeps_unknown_fields_and_copies() -> None:
    """What is stored is plain JSON of its own, at every depth."""
    shape = Object(
        {
            "status": Choice(("todo", "done"), default="todo"),
            "steps": ListOf(Object({"done": Boolean(default=False)})),
        }
    )
    given_value: dict[str, Any] = {"steps": ({"额外": (1,)},), "later": {"field": None}}

    stored = shape.stored(given_value)
    given_value["later"]["field"] = "changed"

    assert stored == {
        "status": "todo",
        "steps": [{"额外": [1], "done": False}],
        "later": {"field": None},
    }


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Choice(()),
        lambda: Choice(("yes", True)),
        lambda: Number(2, 1),
        lambda: Object({"": Text()}),
        lambda: Object({"a": "text"}),
        lambda: Object({"a": Integer(default="three")}),
        lambda: Object({"a": Number(default=float("inf"))}),
    ],
)
def test_a_shape_that_makes_no_sense_is_refused_where_it_is_written(declare: Any) -> None:
    """Wrong choices, limits, names and defaults fail at declaration."""
    with pytest.raises(UsageError) as caught:
        declare()

    assert caught.value.code == "usage"


def nested(levels: int) -> Any:
    """Build a list inside a list, so many levels deep."""
    value: Any = "底"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "v is nan; a number must be finite"),
        ({"a": float("inf")}, "v.a is inf; a number must be finite"),
        ("\ud83d", "v holds half a character (a lone surrogate) at position 0; remove it"),
        (
            {"好\udc00": 1},
            "a field name in v holds half a character (a lone surrogate) at position 1; remove it",
        ),
        ({"a": {1: "x"}}, "v.a has the field name 1; names must be text"),
        ({"a b": [b"x"]}, "v['a b'][0] is a bytes; it must be plain JSON"),
        ({1, 2}, "v is a set; it must be plain JSON"),
        (2**63, "v is an integer of over 64 bits; write it as text"),
    ],
)
def test_what_is_not_json_is_refused_with_its_path(value: Any, said: str) -> None:
    """Numbers without end, half characters, odd names and Python objects cannot be stored."""
    assert said == json_problem(value, "v")


def test_nesting_has_a_limit() -> None:
    """32 levels pass, 33 do not, and a value that holds itself is no exception."""
    loop: list[Any] = []
    loop.append(loop)

    assert json_problem(nested(32), "v") is None
    assert "nested over 32 levels deep; flatten it" in (json_problem(nested(33), "v") or "")
    assert "nested over 32 levels deep" in (json_problem(loop, "v") or "")


def test_size_is_counted_in_bytes_of_canonical_json() -> None:
    """64 KB of JSON fit, one byte more does not; a Chinese character counts as three."""
    assert size_problem("x" * (64 * 1024 - 2), "v") is None
    assert size_problem("x" * (64 * 1024 - 1), "v") is not None
    assert size_problem("字" * 21_846, "v") is not None


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_json_passes_and_is_stored_unchanged(value: Any) -> None:
    """Whatever JSON can carry goes through the check and the stored form as it is."""
    shape = Object({"value": Anything(null=True)})

    assert json_problem(value, "v") is None
    assert {"value": value} == shape.stored({"value": value})
    assert value == json.loads(json.dumps(shape.stored({"value": value})["value"]))
