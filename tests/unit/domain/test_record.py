"""Records: how their JSON form is read back, and what is refused on the way.

Writing is proved in `test_plain`, the contracts in their own files.
"""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from record_samples import (
    NOON,
    SHANGHAI,
    Boxes,
    Chain,
    Kinds,
    Leaf,
    Mood,
    Rank,
    Renamed,
    Tree,
    refusal,
)

from smartbrain.domain.memory import Span
from smartbrain.domain.plan import TimeRange
from smartbrain.domain.record import Record, canonical_json


def test_fields_come_out_in_their_own_order_under_their_json_name() -> None:
    """`to_dict` follows the class, with the name that a field's metadata gives."""
    plain = Renamed(since=NOON).to_dict()
    assert list(plain) == ["from", "zebra", "apple", "total"]
    assert plain["from"] == "2026-03-01T12:00:00+00:00"


def test_a_json_name_is_read_back_and_the_python_name_is_not() -> None:
    """Only the JSON name is part of the contract."""
    assert Renamed(since=NOON) == Renamed.from_dict({"from": NOON.isoformat()})
    assert Renamed() == Renamed.from_dict({"since": NOON.isoformat()})


def test_a_computed_field_is_written_and_not_read() -> None:
    """A field outside the constructor is ignored like an unknown one."""
    assert Renamed().to_dict()["total"] == 3
    assert Renamed.from_dict({"total": 9}).total == 3


def test_nested_records_survive_the_round_trip() -> None:
    """Records inside records, tuples and mappings come back as records."""
    tree = Tree(
        leaf=Leaf("根", 1),
        leaves=(Leaf("a"), Leaf("叶", 2)),
        by_name={"叶": Leaf("叶", 3)},
        maybe=Leaf("b"),
    )
    assert tree == Tree.from_dict(json.loads(json.dumps(tree.to_dict())))


def test_a_record_may_hold_itself_by_type() -> None:
    """A recursive class is read to whatever depth its data has."""
    chain = Chain("一", Chain("two", Chain("三")))
    assert chain == Chain.from_dict(chain.to_dict())


def test_ready_made_records_are_taken_as_they_are() -> None:
    """`from_dict` accepts Python values where JSON ones would stand."""
    leaf = Leaf("a")
    tree = Tree.from_dict({"leaf": leaf, "leaves": [leaf]})
    assert leaf == tree.leaf
    assert (leaf,) == tree.leaves


@pytest.mark.spec("R1")
def test_unknown_fields_are_ignored_at_every_level() -> None:
    """What a newer writer adds does not trouble this reader."""
    plain = {"leaf": {"name": "a", "colour": "绿"}, "leaves": [{"name": "b", "x": 1}], "y": {}}
    assert Tree(leaf=Leaf("a"), leaves=(Leaf("b"),)) == Tree.from_dict(plain)


def test_missing_fields_take_their_default() -> None:
    """An older writer's data is read with what it has."""
    assert Kinds() == Kinds.from_dict({})


def test_defaults_are_never_shared_between_records() -> None:
    """Changing the mapping of one record leaves every other alone."""
    first, second = Boxes(), Boxes.from_dict({})
    assert isinstance(first.meta, dict)
    first.meta["x"] = 1
    assert second.meta == {}
    assert Boxes().meta == {}


def test_a_record_keeps_no_hold_on_the_data_it_was_read_from() -> None:
    """Free-form values are copied in, and copied out again."""
    source = {"meta": {"tags": ["甲"]}}
    record = Boxes.from_dict(source)
    source["meta"]["tags"].append("乙")
    record.to_dict()["meta"]["tags"].append("丙")
    assert record.meta == {"tags": ["甲"]}


@pytest.mark.parametrize(
    ("cls", "plain", "place"),
    [
        (Leaf, {}, "`name`"),
        (Leaf, ["name"], "got `array`"),
        (Tree, {"leaf": {}}, "$.leaf"),
        (
            Tree,
            {"leaf": {"name": "a"}, "leaves": [{"name": "a"}, {"name": None}]},
            "leaves[1].name",
        ),
        (Kinds, {"flag": 1}, "$.flag"),
        (Kinds, {"whole": True}, "$.whole"),
        (Kinds, {"real": "1"}, "$.real"),
        (Kinds, {"blob": "not base64!"}, "$.blob"),
        (Kinds, {"mood": "sad"}, "'sad' - at `$.mood`"),
        (Kinds, {"mood": []}, "$.mood"),
        (Kinds, {"at": "2026-03-01"}, "$.at"),
        (Kinds, {"at": "昨天"}, "$.at"),
        (Boxes, {"many": "123"}, "$.many"),
        (Boxes, {"fixed": ["a"]}, "$.fixed"),
        (Boxes, {"meta": []}, "$.meta"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(
    cls: type[Record], plain: Any, place: str
) -> None:
    """The sentence names the class, and the field or its place from the root."""
    message = refusal(cls.from_dict, plain).message
    assert message.startswith(cls.__name__)
    assert place in message


def test_a_refusal_stays_short_whatever_came_in() -> None:
    """A page of text in a wrong place is not repeated in full."""
    assert len(refusal(Kinds.from_dict, {"mood": "长" * 10_000}).message) <= 200


@pytest.mark.parametrize(
    ("name", "given_value", "expected"),
    [
        ("flag", True, True),
        ("whole", -3, -3),
        ("real", 0.25, 0.25),
        ("real", 2, 2.0),
        ("text", "偏好 dark mode 🌙", "偏好 dark mode 🌙"),
        ("blob", "5Lit", "中".encode()),
        ("blob", b"raw", b"raw"),
        ("mood", "glad", Mood.GLAD),
        ("mood", Mood.GLAD, Mood.GLAD),
        ("rank", 2, Rank.HIGH),
        ("anything", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        ("anything", (1, (2,)), [1, [2]]),
    ],
)
def test_scalars_are_read_as_their_type(name: str, given_value: Any, expected: Any) -> None:
    """Each scalar type takes its JSON form and its Python form."""
    actual = getattr(Kinds.from_dict({name: given_value}), name)
    assert expected == actual
    assert type(expected) is type(actual)


def test_containers_are_read_as_declared() -> None:
    """Arrays become tuples unless a list is declared; keys become what the mapping says."""
    boxes = Boxes.from_dict(
        {
            "many": [1, 2],
            "one": [7],
            "fixed": ["甲", 1],
            "listed": [1],
            "weights": {"混合": 1},
            "moods": {"glad": 1},
        }
    )
    assert boxes.many == (1, 2)
    assert boxes.one == (7,)
    assert boxes.fixed == ("甲", 1)
    assert boxes.listed == [1]
    assert list(boxes.weights.items()) == [("混合", 1.0)]
    assert isinstance(boxes.weights["混合"], float)
    assert list(boxes.moods) == [Mood.GLAD]
    assert isinstance(next(iter(boxes.moods)), Mood)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T20:00:00+08:00",
        "2026-03-01T12:00:00.000001+00:00",
    ],
)
def test_times_keep_their_offset_and_precision(text: str) -> None:
    """An ISO time comes back in the very spelling it went in with."""
    assert text == Kinds.from_dict({"at": text}).to_dict()["at"]


def test_zulu_times_are_read() -> None:
    """`Z` is UTC."""
    assert Kinds.from_dict({"at": "2026-03-01T12:00:00Z"}).at == NOON


def test_a_time_that_a_caller_gives_has_its_offset() -> None:
    """Words and naive times are read elsewhere."""
    assert "timezone" in refusal(TimeRange.from_dict, {"from": "2026-03-01T12:00:00"}).message


@given(
    st.builds(
        Kinds,
        flag=st.booleans(),
        whole=st.integers(),
        real=st.floats(allow_nan=False, allow_infinity=False),
        text=st.text(),
        blob=st.binary(),
        mood=st.sampled_from(Mood),
        rank=st.sampled_from(Rank),
        at=st.datetimes(timezones=st.sampled_from([UTC, SHANGHAI])),
    )
)
def test_every_scalar_survives_the_round_trip_through_text(kinds: Kinds) -> None:
    """JSON text and back gives an equal record with the same canonical spelling."""
    back = Kinds.from_dict(json.loads(canonical_json(kinds)))
    assert kinds == back
    assert canonical_json(kinds) == canonical_json(back)


def test_a_record_equals_its_twin_and_shows_its_fields() -> None:
    """Equal fields of the same class, and no other class; shown as it would be written."""
    span, twin = Span("raw_一", 0, 3), Span("raw_一", 0, 3)
    assert (True, False) == (span == twin, span == replace(twin, offset=1))
    assert span != ("raw_一", 0, 3)
    assert {span} == {twin}
    assert "Span(raw_id='raw_一', offset=0, length=3)" == repr(span)
