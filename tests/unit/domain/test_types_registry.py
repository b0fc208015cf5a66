"""Registering types by class and by block, and finding them again."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.domain.types import (
    BUILTIN_TYPES,
    Choice,
    ConflictClass,
    Group,
    Integer,
    ListOf,
    MemoryType,
    NodeKind,
    Object,
    Text,
    TypeRegistry,
    type_from_block,
)
from smartbrain.errors import UsageError


class Recipes(MemoryType):
    """A type as a user writes it."""

    name = "recipes"
    key = "recipe:<cuisine>:<dish>"
    node_kind = NodeKind.PROCEDURE
    group = Group.PROCEDURES
    on_conflict = ConflictClass.VERSIONED
    value = Object(
        {
            "cuisine": Choice(("sichuan", "川菜", "italian")),
            "servings": Integer(1, 20, required=False),
            "steps": ListOf(Text()),
        }
    )


RECIPE_BLOCK: dict[str, Any] = {
    "key": "recipe:<cuisine>:<dish>",
    "node_kind": "Procedure",
    "group": "procedures",
    "on_conflict": "versioned",
    "value": {
        "cuisine": {"choices": ["sichuan", "川菜", "italian"]},
        "servings": {"type": "integer", "required": False, "min": 1, "max": 20},
        "steps": {"type": "list", "of": "text"},
    },
}

BY_CLASS = BUILTIN_TYPES.with_types([Recipes])
BY_BLOCK = BUILTIN_TYPES.with_types([type_from_block("recipes", RECIPE_BLOCK)])
BOTH_WAYS = pytest.mark.parametrize("registry", [BY_CLASS, BY_BLOCK], ids=["class", "block"])


def block(**changes: Any) -> dict[str, Any]:
    """Build a valid block with some settings changed; None takes one away."""
    changed = {"key": "note:<topic>", "node_kind": "Fact", "group": "facts"}
    changed |= {"on_conflict": "overwrite", **changes}
    return {name: setting for name, setting in changed.items() if setting is not None}


def declare(**attributes: Any) -> type[MemoryType]:
    """Declare a type as a class with these attributes changed; None takes one away."""
    return type("Notes", (MemoryType,), block(name="notes", **attributes))


@BOTH_WAYS
@pytest.mark.spec("M1", "M2")
def test_a_registered_type_behaves_as_a_built_in_one(registry: TypeRegistry) -> None:
    """Keys are made and read, values completed, defaults of the language kept, either way."""
    recipes = registry.by_key("recipe:川菜:麻婆豆腐")

    completed = recipes.complete("recipe:川菜:麻婆豆腐", {"steps": ["炒"], "cuisine": "italian"})

    assert completed.value == {"cuisine": "川菜", "dish": "麻婆豆腐", "steps": ["炒"]}
    assert completed.overridden == {"cuisine": "italian"}
    assert recipes.key_of({"cuisine": "italian", "dish": "Pasta al Forno"}) == (
        "recipe:italian:Pasta_al_Forno"
    )
    assert recipes.sentence(completed.value) == "川菜 · 麻婆豆腐: steps: 炒"
    assert (
        recipes.node_kind,
        recipes.group,
        recipes.on_conflict,
    ) == (NodeKind.PROCEDURE, Group.PROCEDURES, ConflictClass.VERSIONED)


@BOTH_WAYS
@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("recipe:thai:curry", "it must be one of sichuan, 川菜, italian"),
        ("recipe:italian", "it must be recipe:<cuisine>:<dish>"),
        ("recipe:italian:pasta al forno", "write it as recipe:italian:pasta_al_forno"),
        ("Recipe:italian:pasta", "it must start with recipe:"),
        ("recipe:italian:" + "x" * 600, "shorten it to 512"),
    ],
)
def test_a_registered_types_keys_are_enforced(registry: TypeRegistry, key: str, said: str) -> None:
    """The key rules hold for registered types, however they were registered."""
    with pytest.raises(UsageError) as caught:
        registry.get("recipes").complete(key, {"steps": []})

    assert caught.value.code == "bad_key"
    assert said in caught.value.message


@BOTH_WAYS
@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "recipes lacks 'steps'"),
        ({"steps": [1]}, "recipes.steps[0] is 1; it must be text"),
        ({"steps": [], "servings": 0}, "recipes.servings is 0; it must be an integer from 1"),
    ],
)
def test_a_registered_types_values_are_validated(
    registry: TypeRegistry, value: dict[str, Any], said: str
) -> None:
    """The value shape holds for registered types, however they were registered."""
    with pytest.raises(UsageError) as caught:
        registry.get("recipes").complete("recipe:italian:pasta", value)

    assert caught.value.code == "bad_value"
    assert said in caught.value.message


def test_registering_leaves_the_registry_it_started_from_alone() -> None:
    """A registry never changes; the new one has the new type last."""
    assert "recipes" not in BUILTIN_TYPES
    assert (*BUILTIN_TYPES.names(), "recipes") == BY_CLASS.names()
    assert len(BY_CLASS) == 16
    assert [kind.name for kind in BY_CLASS] == list(BY_CLASS.names())


def test_a_type_is_found_by_name_and_by_key() -> None:
    """The prefix of a key says its type; the rest is not looked at."""
    assert BUILTIN_TYPES.get("preferences") is BUILTIN_TYPES.by_key("pref:not:checked here")


@pytest.mark.parametrize(
    ("name", "said"), [("preference", "(did you mean 'preferences'?)"), (None, "memory type None")]
)
def test_an_unknown_name_is_answered_with_the_nearest(name: Any, said: str) -> None:
    """The error lists the types and offers the one that was meant."""
    with pytest.raises(UsageError) as caught:
        BUILTIN_TYPES.get(name)

    assert caught.value.code == "usage"
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("key", "said"),
    [("perf:ui:x", "(did you mean 'pref'?)"), ("nothing", "profile:, pref:"), (7, "key 7")],
)
def test_a_key_of_no_type_is_refused(key: Any, said: str) -> None:
    """The error lists the prefixes and offers the one that was meant."""
    with pytest.raises(UsageError) as caught:
        BUILTIN_TYPES.by_key(key)

    assert caught.value.code == "bad_key"
    assert said in caught.value.message


BAD_DECLARATIONS: list[tuple[dict[str, Any], str]] = [
    ({"key": None}, "lacks 'key'"),
    ({"group": None}, "lacks 'group'"),
    ({"key": "note"}, "is no template; write note:<name>"),
    ({"key": "note:topic"}, "is no template"),
    ({"key": "note:<topic>:"}, "is no template"),
    ({"key": "Note:<topic>"}, "lower-case ASCII or CJK word"),
    ({"key": "note:<a>:<a>"}, "uses a name twice"),
    ({"key": 5}, "write a template such as note:<topic>"),
    ({"node_kind": "procedure"}, "node_kind is 'procedure'; it must be one of Fact"),
    ({"node_kind": "Raw"}, "node_kind is 'Raw'"),
    ({"group": "fact"}, "(did you mean 'facts'?)"),
    ({"on_conflict": "overwite"}, "(did you mean 'overwrite'?)"),
    ({"on_conflict": 3}, "on_conflict is 3; it must be one of overwrite, versioned, priority"),
    ({"key": "note:<slug(title)>"}, "key is made from 'title'; declare that field as text"),
]


@pytest.mark.spec("M1", "M2")
@pytest.mark.parametrize(("changes", "said"), BAD_DECLARATIONS)
def test_a_wrong_class_is_refused_where_it_is_written(changes: dict[str, Any], said: str) -> None:
    """Declaring the class fails with one line that says what to write."""
    with pytest.raises(UsageError) as caught:
        declare(**changes)

    assert caught.value.code == "usage"
    assert said in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.spec("M1", "M2")
@pytest.mark.parametrize(("changes", "said"), BAD_DECLARATIONS)
def test_a_wrong_block_is_refused_as_configuration(changes: dict[str, Any], said: str) -> None:
    """The same mistakes in `brain.yml` have the code `config` and name the block."""
    with pytest.raises(UsageError) as caught:
        type_from_block("notes", block(**changes))

    assert caught.value.code == "config"
    assert caught.value.message.startswith("types.notes")
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"value": {"a": Text()}}, "write Object({field: shape})"),
        ({"value": Object({"topic": ListOf(Text())})}, "only text, a choice, a date or an integer"),
        ({"value": Object({"topic": Choice(("two words",))})}, "choices must be without blanks"),
    ],
)
def test_a_key_must_be_writable_with_the_shapes_it_names(
    attributes: dict[str, Any], said: str
) -> None:
    """What cannot be spelled in a key cannot be a segment."""
    with pytest.raises(UsageError, match=said.replace("(", r"\(").replace(")", r"\)")):
        declare(**attributes)


@pytest.mark.parametrize("name", ["messages", "tool_calls", "Notes", "my notes", "", 5])
def test_a_name_that_would_be_mistaken_is_refused(name: Any) -> None:
    """Turn events already use some names; others cannot be typed as a word."""
    with pytest.raises(UsageError, match="a memory type cannot be named"):
        type("Notes", (MemoryType,), block(name=name))


def test_names_and_prefixes_are_unique() -> None:
    """A second type of the same name or prefix is refused, built-in or not."""
    with pytest.raises(UsageError, match="the memory type 'recipes' exists") as twice:
        BY_CLASS.with_types([Recipes])
    with pytest.raises(UsageError, match="keys starting with pref: belong to preferences") as taken:
        BUILTIN_TYPES.with_types([declare(key="pref:<topic>")])

    assert [e.value.code for e in (twice, taken)] == ["usage", "usage"]


@pytest.mark.parametrize("given", [MemoryType, MemoryType(), "recipes", int])
def test_what_is_no_memory_type_is_refused(given: Any) -> None:
    """Only subclasses of MemoryType can be registered."""
    with pytest.raises(UsageError, match="is no memory type; subclass MemoryType"):
        BUILTIN_TYPES.with_types([given])


BAD_BLOCKS: list[tuple[Any, str]] = [
    ("text", "types.notes is 'text'; write a block of settings"),
    (block(grup="facts"), "types.notes has the setting 'grup'; it may have key, node_kind, group"),
    (block(grup="facts"), "(did you mean 'group'?)"),
    (block(value=["a"]), "types.notes.value is ['a']; write one `field: type` a line"),
    (block(value={"a": 5}), "types.notes.value.a is 5; write a type such as text"),
    (block(value={"a": "txt"}), "types.notes.value.a has the type 'txt'; it must be one of text"),
    (block(value={"a": "txt"}), "(did you mean 'text'?)"),
    (block(value={"a": {"requird": True}}), "has the type None"),
    (block(value={"a": {"type": "date", "requird": True}}), "(did you mean 'required'?)"),
    (block(value={"a": {"type": "date", "min": 1}}), "types.notes.value.a has the setting 'min'"),
    (block(value={"a": {"type": "date", "required": "no"}}), "a.required is 'no'; write true or"),
    (block(value={"a": {"type": "list"}}), "types.notes.value.a lacks 'of'; a list needs it"),
    (block(value={"a": {"type": "list", "of": "txt"}}), "types.notes.value.a.of has the type"),
    (block(value={"a": "choice"}), "types.notes.value.a lacks 'choices'; a choice needs it"),
    (block(value={"a": {"choices": "x"}}), "a.choices is 'x'; write a list of words"),
    (block(value={"a": {"choices": [True]}}), "give one or more quoted words"),
    (block(value={"a": {"type": "integer", "min": "1"}}), "a.min is '1'; it must be a number"),
    (block(value={"a": {"type": "integer", "min": 2, "max": 1}}), "minimum 2 is above"),
    (block(value={"a": {"type": "text", "max": 0}}), "a.max is 0; it must be an integer from 1"),
    (block(value={"a": {"type": "integer", "default": "x"}}), "the default of a is 'x'"),
    (block(value={True: "text"}), "a field is named True; name it with quoted text"),
    (block(value={"a": {"type": "object", "fields": {"b": 1}}}), "value.a.fields.b is 1"),
]


@pytest.mark.spec("M1")
@pytest.mark.parametrize(("wrong", "said"), BAD_BLOCKS)
def test_a_wrong_setting_is_named_by_its_path(wrong: Any, said: str) -> None:
    """One line gives the path of the setting, what it was and what it may be."""
    with pytest.raises(UsageError) as caught:
        type_from_block("notes", wrong)

    assert caught.value.code == "config"
    assert said in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.spec("M1")
def test_a_block_can_say_every_shape() -> None:
    """All types and settings of a field reach the shape that checks values."""
    every = type_from_block(
        "笔记",
        block(
            key="笔记:<topic>",
            value={
                "短": {"type": "text", "max": 3},
                "kind": {"type": "text", "choices": ["甲", "乙"], "default": "甲"},
                "n": {"type": "number", "max": 1},
                "flag": "boolean",
                "day": "date",
                "at": "time",
                "due": {"type": "when", "required": False},
                "data": "any",
                "tags": {"type": "list", "of": {"type": "text"}, "max": 2},
                "place": {"type": "object", "fields": {"city": "text"}},
            },
        ),
    )
    good: dict[str, Any] = {
        "短": "三个字",
        "n": 0.5,
        "flag": True,
        "day": "2026-02-20",
        "at": "2026-02-20T00:00:00Z",
        "data": [],
        "tags": ["a"],
        "place": {"city": "北京"},
    }

    assert every.complete("笔记:题", good).value == {**good, "topic": "题", "kind": "甲"}
    for field, wrong in [
        ("短", "四个字了"), ("kind", "丙"), ("n", 2), ("flag", 1), ("day", "x"), ("at", "x"),
        ("due", "x"), ("data", None), ("tags", ["a", "b", "c"]), ("place", {"city": 1}),
    ]:  # fmt: skip
        with pytest.raises(UsageError, match=field):
            every.complete("笔记:题", {**good, field: wrong})


def test_a_type_shows_its_name_and_key_form() -> None:
    """In a debugger a type says what it is."""
    assert repr(BUILTIN_TYPES.get("cases")) == "<memory type cases case:<domain>:<slug>>"
