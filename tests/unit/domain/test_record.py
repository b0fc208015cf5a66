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
    Choices,
    Kinds,
    Leaf,
    Mood,
    Opaque,
    Rank,
    Renamed,
    Tree,
    Unreadable,
    refusal,
)

from smartbrain.domain.memory import Span
from smartbrain.domain.record import Record, canonical_json
from smartbrain.errors import InternalError


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
    assert leaf is tree.leaf
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
    ("cls", "plain", "message"),
    [
        (Leaf, {}, "Leaf lacks the field 'name'"),
        (Tree, {"leaf": {}}, "Tree.leaf lacks the field 'name'"),
        (Tree, {"leaf": {"name": 1}}, "Tree.leaf.name must be str, not int"),
        (Tree, {"leaf": "a"}, "Tree.leaf must be an object, not str"),
        (
            Tree,
            {"leaf": {"name": "a"}, "leaves": [{"name": "a"}, {"name": None}]},
            "Tree.leaves[1].name must be str, not NoneType",
        ),
        (
            Tree,
            {"leaf": {"name": "a"}, "by_name": {"键": {"name": 2}}},
            "Tree.by_name.键.name must be str, not int",
        ),
        (
            Tree,
            {"leaf": {"name": "a"}, "by_name": {"两\n行": 2}},
            "Tree.by_name['两\\n行'] must be an object, not int",
        ),
        (Tree, {"leaf": None}, "Tree.leaf must be an object, not NoneType"),
        (Leaf, ["name"], "Leaf must be an object, not list"),
        (Kinds, {"flag": 1}, "Kinds.flag must be bool, not int"),
        (Kinds, {"whole": True}, "Kinds.whole must be int, not bool"),
        (Kinds, {"whole": 1.0}, "Kinds.whole must be int, not float"),
        (Kinds, {"real": True}, "Kinds.real must be float, not bool"),
        (Kinds, {"real": "1"}, "Kinds.real must be float, not str"),
        (Kinds, {"real": 10**400}, "Kinds.real must be float, not int"),
        (Kinds, {"text": b"x"}, "Kinds.text must be str, not bytes"),
        (Kinds, {"blob": "not base64!"}, "Kinds.blob must be bytes in base64, not str"),
        (Kinds, {"mood": "sad"}, "Kinds.mood is 'sad'; it must be one of calm, glad"),
        (Kinds, {"mood": []}, "Kinds.mood is []; it must be one of calm, glad"),
        (Boxes, {"many": "123"}, "Boxes.many must be an array, not str"),
        (Boxes, {"many": b"123"}, "Boxes.many must be an array, not bytes"),
        (Boxes, {"many": {"0": 1}}, "Boxes.many must be an array, not dict"),
        (Boxes, {"one": [1, 2]}, "Boxes.one must have 1 items, not 2"),
        (Boxes, {"fixed": ["a"]}, "Boxes.fixed must have 2 items, not 1"),
        (Boxes, {"fixed": "ab"}, "Boxes.fixed must be an array, not str"),
        (Boxes, {"fixed": ["a", "b"]}, "Boxes.fixed[1] must be int, not str"),
        (Boxes, {"meta": []}, "Boxes.meta must be an object, not list"),
        (Boxes, {"weights": {"a": "b"}}, "Boxes.weights.a must be float, not str"),
        (Boxes, {"moods": {"sad": 1}}, "Boxes.moods.sad is 'sad'; it must be one of calm, glad"),
        (Choices, {"strict": None}, "Choices.strict must be int, not NoneType"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(
    cls: type[Record], plain: Any, message: str
) -> None:
    """The sentence names the field from the root and what was expected there."""
    assert message == refusal(cls.from_dict, plain).message


def test_a_refusal_stays_short_whatever_came_in() -> None:
    """A page of text in a wrong place is not repeated in full."""
    assert len(refusal(Kinds.from_dict, {"mood": "长" * 10_000}).message) < 200


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
        ("thing", [1, "二"], [1, "二"]),
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
            "ordered": ["b", "a"],
            "weights": {"混合": 1},
            "moods": {"glad": 1},
        }
    )
    assert boxes.many == (1, 2)
    assert boxes.one == (7,)
    assert boxes.fixed == ("甲", 1)
    assert boxes.listed == [1]
    assert boxes.ordered == ("b", "a")
    assert list(boxes.weights.items()) == [("混合", 1.0)]
    assert isinstance(boxes.weights["混合"], float)
    assert list(boxes.moods) == [Mood.GLAD]
    assert isinstance(next(iter(boxes.moods)), Mood)


@pytest.mark.parametrize(
    ("name", "given_value", "expected"),
    [
        ("number", 1, 1),
        ("number", 1.5, 1.5),
        ("word", "calm", Mood.CALM),
        ("word", "平静", "平静"),
        ("when", None, None),
        ("when", "2026-03-01T12:00:00+00:00", NOON),
        ("when", "昨天", "昨天"),
        ("strict", "一", "一"),
    ],
)
def test_a_union_takes_the_first_option_that_fits(
    name: str, given_value: Any, expected: Any
) -> None:
    """Order decides, except that a whole number stays whole where it may."""
    actual = getattr(Choices.from_dict({name: given_value}), name)
    assert expected == actual
    assert type(expected) is type(actual)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T20:00:00+08:00",
        "2026-03-01T12:00:00.000001+00:00",
        "1900-01-01T00:00:00+08:05:43",
    ],
)
def test_times_keep_their_offset_and_precision(text: str) -> None:
    """An ISO time comes back in the very spelling it went in with."""
    assert text == Kinds.from_dict({"at": text}).to_dict()["at"]


def test_zulu_times_are_read() -> None:
    """`Z` is UTC."""
    assert Kinds.from_dict({"at": "2026-03-01T12:00:00Z"}).at == NOON


@pytest.mark.parametrize("value", ["2026-03-01T12:00:00", "2026-03-01", "昨天", 1767225600, None])
def test_a_time_without_offset_or_form_is_refused(value: Any) -> None:
    """Records hold instants; words and naive times are read elsewhere."""
    assert refusal(Kinds.from_dict, {"at": value}).code == "bad_time"


def test_a_type_without_json_form_is_a_fault_of_the_class() -> None:
    """A record that could never be read is reported as ours, not as the caller's."""
    with pytest.raises(InternalError, match="frozenset"):
        Unreadable.from_dict({})
    with pytest.raises(InternalError, match="complex"):
        Opaque.from_dict({})


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
