"""Plain values: what is written, in which spelling, and what is never written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_samples import NOON, Boxes, Kinds, Leaf, Mood, Pair, Rank, Renamed, refusal

from smartbrain.domain.record import canonical_json, to_plain


class Point(NamedTuple):
    x: int
    y: int


class Nowhere(tzinfo):
    """A zone that does not know its own offset."""

    def utcoffset(self, dt: datetime | None) -> None:
        return None


@pytest.mark.parametrize("zone", [None, Nowhere()])
def test_a_naive_time_is_never_written(zone: tzinfo | None) -> None:
    """What could not be read back is refused on the way out."""
    naive = Kinds(at=NOON.replace(tzinfo=zone))
    assert refusal(naive.to_dict).code == "bad_time"


def test_every_kind_of_scalar_has_a_plain_form() -> None:
    """Enums by value, bytes in base64, times in ISO 8601."""
    plain = Kinds(blob="中".encode(), mood=Mood.GLAD, rank=Rank.HIGH, anything=Pair.BOTH).to_dict()
    assert plain == {
        "flag": False,
        "whole": 0,
        "real": 0.0,
        "text": "",
        "blob": "5Lit",
        "mood": "glad",
        "rank": 2,
        "at": "2026-03-01T12:00:00+00:00",
        "anything": [1, 2],
        "thing": None,
    }
    assert (str, int) == (type(plain["mood"]), type(plain["rank"]))


def test_subclasses_of_containers_become_plain_ones() -> None:
    """Named tuples and mappings of any class are written like tuples and dicts."""
    assert to_plain(Point(1, 2)) == [1, 2]
    assert to_plain({"a": _ReadOnly({"x": 1})}) == {"a": {"x": 1}}


class _ReadOnly(Mapping[str, Any]):
    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Any:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


@pytest.mark.parametrize("value", [{1, 2}, object(), 1j, bytearray(b"x"), range(3), Mood, Leaf])
def test_what_json_has_no_form_for_is_refused(value: Any) -> None:
    """A set, a class or an arbitrary object is never stored by accident."""
    assert "cannot be stored as JSON" in refusal(to_plain, {"a": [value]}).message


@pytest.mark.parametrize(
    ("key", "expected"), [("键", "键"), (Mood.GLAD, "glad"), (404, "404"), (Rank.HIGH, "2")]
)
def test_keys_are_written_as_text(key: Any, expected: str) -> None:
    """Text, whole numbers and enums have one spelling as a key."""
    assert {expected: "值"} == to_plain({key: "值"})
    assert {expected: "值"} == Boxes.from_dict({"meta": {key: "值"}}).meta


@pytest.mark.parametrize("key", [None, True, 1.5, (1, 2), b"k"])
def test_keys_without_one_spelling_are_refused(key: Any) -> None:
    """What `json` would spell its own way, or not at all, is not guessed."""
    assert "keys are text" in refusal(to_plain, {key: 1}).message
    assert "keys are text" in refusal(Boxes.from_dict, {"meta": {key: 1}}).message


def test_two_keys_with_one_spelling_are_refused() -> None:
    """No value is dropped in silence."""
    assert "same spelling" in refusal(to_plain, {1: "a", "1": "b"}).message
    assert "same spelling" in refusal(Boxes.from_dict, {"weights": {1: 1.0, "1": 2.0}}).message


def test_a_value_that_holds_itself_is_refused() -> None:
    """Endless data ends in a sentence, not in a stack overflow."""
    loop: list[Any] = []
    loop.append(loop)
    assert "nested too deeply" in refusal(to_plain, loop).message
    assert "nested too deeply" in refusal(canonical_json, {"a": loop}).message


def test_canonical_json_sorts_keys_at_every_level_and_has_no_blanks() -> None:
    """One value has one spelling, whatever order it was built in."""
    assert (
        canonical_json({"zh": "中文", "a": {"é": 1, "b": (1, 2.5, None, True)}})
        == '{"a":{"b":[1,2.5,null,true],"é":1},"zh":"中文"}'
    )
    assert canonical_json(Renamed()) == '{"apple":2,"from":null,"total":3,"zebra":1}'


def test_chinese_and_emoji_stay_themselves_in_canonical_json() -> None:
    """Text is stored as UTF-8, never as escapes."""
    text = "喜欢 Python，偏好深色模式 🌙 e\u0301"
    assert f'"{text}"' == canonical_json(text)


@pytest.mark.parametrize(
    "number",
    [float("nan"), float("inf"), float("-inf"), 10**5000],
    ids=["nan", "inf", "-inf", "5001 digits"],
)
def test_numbers_that_json_cannot_hold_are_refused(number: float) -> None:
    """Neither NaN, nor infinity, nor a number too long to be read again is stored."""
    assert "a number cannot be stored" in refusal(canonical_json, {"score": [number]}).message


@pytest.mark.parametrize("value", ["a\ud83d", {"\udc80": 1}, Leaf("\ud800")])
def test_lone_surrogates_are_refused_by_canonical_json(value: Any) -> None:
    """Half a character is no text: nothing that UTF-8 cannot store is acknowledged."""
    assert "lone surrogate" in refusal(canonical_json, value).message


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_JSON)
def test_plain_json_is_its_own_plain_form(value: Any) -> None:
    """Writing changes nothing in what is JSON already, and free-form fields give it back."""
    assert value == to_plain(value)
    assert value == Kinds.from_dict({"anything": value}).anything


@given(st.dictionaries(st.text(), st.integers() | st.text(), max_size=5), st.randoms())
def test_canonical_json_does_not_depend_on_insertion_order(data: dict[str, Any], rng: Any) -> None:
    """Two equal mappings have one spelling, and it reads back equal."""
    shuffled = list(data.items())
    rng.shuffle(shuffled)
    assert canonical_json(data) == canonical_json(dict(shuffled))
    assert data == json.loads(canonical_json(data))
