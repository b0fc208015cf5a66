"""The ontology: its file, its lookups by name and by value, and what brain.yml adds.

In: the file of the package, and names and values in Chinese and English. Out: attributes and
values, or the sentence that says what is wrong with a declaration.
"""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.errors import UsageError
from smartbrain.text.ontology import (
    MAX_ATTRIBUTES,
    Attribute,
    Ontology,
    is_han,
    load_ontology,
    read_tables,
)

ATTRIBUTES = load_ontology().attributes
MANY = {
    *("language", "skill", "allergy", "health", "medication", "diet", "pet", "vehicle", "hobby"),
    *("habit", "tool", "food", "drink", "media", "travel", "avoid_topic", "workflow"),
    *("answer_format", "code_style", "ui"),
}
OBSERVED = {"host", "port", "url", "path", "version", "branch", "status", "limit"}

by_name = pytest.mark.parametrize("one", ATTRIBUTES, ids=[one.name for one in ATTRIBUTES])


@pytest.fixture
def ontology() -> Ontology:
    """Return the ontology of the package."""
    return load_ontology()


# --- the file ---------------------------------------------------------------------------------


def test_the_file_is_read_once_and_keeps_to_its_size() -> None:
    """Attributes are merged before another is added."""
    assert load_ontology() is load_ontology()
    assert MAX_ATTRIBUTES >= len(ATTRIBUTES)


def test_names_are_unique() -> None:
    """TOML refuses one table twice; no alias is the name of another attribute of its types."""
    names = [one.name for one in ATTRIBUTES]
    assert len(set(names)) == len(names)


@by_name
def test_every_attribute_speaks_both_languages(one: Attribute) -> None:
    """With titles, cues and words that it is asked for by."""
    assert one.title.en
    assert is_han(one.title.zh)
    for words in (one.cues, one.asked):
        assert min(len(words.en), len(words.zh)) >= 7
        assert any(map(is_han, words.zh))
        assert not any(map(is_han, words.en))


@by_name
def test_words_are_small_plain_and_said_once(one: Attribute) -> None:
    """So that they are found as they stand."""
    lists = [one.cues.en, one.cues.zh, one.asked.en, one.asked.zh, one.aliases, *one.values]
    for words in lists:
        assert [*words] == [word.lower().strip() for word in words]
        assert len(set(words)) == len(words)


@by_name
def test_a_type_is_named_once(one: Attribute) -> None:
    """The further types are others than the first."""
    assert len(set(one.all_types)) == len(one.all_types)


def test_which_attributes_have_many_values_and_which_a_tool_observes() -> None:
    """What the fold relies on."""
    assert {one.name for one in ATTRIBUTES if one.cardinality == "many"} == MANY
    assert {one.name for one in ATTRIBUTES if one.observed} == OBSERVED


def test_relations_speak_both_languages(ontology: Ontology) -> None:
    """One table each, and no word in two of them."""
    names = "self partner child parent sibling relative friend manager colleague landlord pet"
    assert [one.name for one in ontology.relations] == [*names.split(), "thing", "project"]
    assert all(one.words.en and one.words.zh for one in ontology.relations)


TABLES = """
[words.question]
[words.negation]
[words.owner]
[words.qualifier]
[words.unnamed]
[relation.child]
en = ["kid"]
[attribute.diet]
type = "profile"
title = { en = "diet", zh = "饮食" }
"""


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('cardinality = "several"', "attribute.diet.cardinality: one of one, many, log"),
        ("colour = 1", "attribute.diet: Object contains unknown field `colour`"),
        ('aliases = ["food", ""]', "attribute.diet holds an empty word"),
        ('values = [["vegan"], ["Vegan"]]', "'vegan' stands in two lists"),
        ("values = [[]]", "attribute.diet.values holds an empty list"),
        ('cardinality = "many"\nexclusive = [["vegan"]]', "'vegan' starts none of the lists"),
        ('values = [["a"]]\nexclusive = [["a"]]', "exclusive is for the cardinality many"),
        ('[attribute.other]\ntype = "facts"\ntitle = {en = "o", zh = "其"}', "a name is small"),
        (
            '[attribute.a]\ntype = "profile"\naliases = ["diet"]\ntitle = {en = "a", zh = "餐"}',
            "'diet' in profile is diet already",
        ),
        ('[relation.pet]\nen = ["kid"]', "'kid' stands in two lists"),
    ],
)
def test_a_file_that_is_declared_wrong_is_refused(lines: str, told: str) -> None:
    """By one line that says where."""
    read_tables(TABLES)
    with pytest.raises(UsageError) as error:
        read_tables(TABLES + lines)
    assert told in error.value.message
    assert "\n" not in error.value.message


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "memory_type", "expected"),
    [
        ("home", "", "home"),
        ("Location", "", "home"),
        ("location", "profile", "home"),
        ("location", "facts", "place"),
        ("address", "facts", "place"),
        ("occupation", "", "role"),
        ("Job title", "", "role"),
        ("company", "profile", "employer"),
        ("reply_language", "", "answer_language"),
        ("response-language", "preferences", "answer_language"),
        ("name_to_use", "preferences", "address_me"),
        ("DB", "", "database"),
        ("responsible", "facts", "owner"),
        ("password", "facts", "credential"),
        ("phone_model", "profile", "phone"),
        ("experience", "profile", "skill"),
        ("framework", "preferences", "framework"),
        ("music", "preferences", "media"),
        ("height", "profile", "health"),
    ],
)
def test_an_attribute_goes_by_its_name_and_its_aliases(
    ontology: Ontology, name: str, memory_type: str, expected: str
) -> None:
    """In whatever case, and by what a memory type calls it."""
    assert expected == ontology.canonical(name, memory_type)


def test_names_that_mean_no_attribute_stay(ontology: Ontology) -> None:
    """A narrower thing under the name of one with one value would end it."""
    assert ontology.attribute("shoe_size") is None
    assert ontology.canonical("shoe_size") == "shoe_size"
    assert ontology.canonical("comments_language", "preferences") == "comments_language"


# --- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "text", "expected"),
    [
        ("allergy", "allergic to eggs", "egg"),
        ("allergy", "鸡蛋", "egg"),
        ("allergy", "对花生过敏", "peanut"),
        ("allergy", "eggs and milk", None),
        ("allergy", "eggplant", None),
        ("answer_language", "都用中文回答", "chinese"),
        ("reply_language", "English, please.", "english"),
        ("diet", "went vegan last year", "vegan"),
        ("diet", "吃素", "vegetarian"),
        ("database", "PG 15", "postgres"),
        ("editor", "VS Code", "vscode"),
        ("os", "苹果系统", "macos"),
        ("answer_length", "回答简短一点", "short"),
        ("ui", "Dark Mode", "dark"),
        ("home", "Leeds", None),
        ("shoe_size", "42", None),
    ],
)
def test_a_text_tells_one_value_of_the_lexicon(
    ontology: Ontology, attribute: str, text: str, expected: str | None
) -> None:
    """English words whole, Chinese words anywhere; of several none."""
    assert expected == ontology.value_class(attribute, text)


@pytest.mark.parametrize(
    ("attribute", "one", "other"),
    [
        ("home", "Leeds", " leeds. "),
        ("allergy", "allergic to eggs", "鸡蛋"),
        ("db", "PostgreSQL", "pg"),
        ("language", "speaks Mandarin", "普通话"),
        ("food", "不要香菜", "no coriander"),
        ("os", "Ubuntu", "ubuntu 22.04"),
        ("status", "已完成", "done"),
    ],
)
def test_two_texts_tell_the_same_value(
    ontology: Ontology, attribute: str, one: str, other: str
) -> None:
    """By their letters or by the lexicon, across languages, whichever comes first."""
    assert ontology.same_value(attribute, one, other)
    assert ontology.same_value(attribute, other, one)


@pytest.mark.parametrize(
    ("attribute", "one", "other"),
    [
        ("home", "Leeds", "York"),
        ("allergy", "egg", "milk"),
        ("os", "ubuntu 22.04", "ubuntu 24.04"),
        ("food", "cilantro", "no cilantro"),
        ("food", "爱吃香菜", "不吃香菜"),
        ("shoe_size", "42", "43"),
    ],
)
def test_two_texts_tell_different_values(
    ontology: Ontology, attribute: str, one: str, other: str
) -> None:
    """Other numbers and a denial count."""
    assert not ontology.same_value(attribute, one, other)


def test_some_values_exclude_each_other(ontology: Ontology) -> None:
    """Who is vegan now is no vegetarian any more; a halal kitchen is another matter."""
    assert ontology.excludes("diet", "vegan now", "吃素")
    assert not ontology.excludes("diet", "纯素", "vegan")
    assert not ontology.excludes("diet", "halal", "vegetarian")
    assert not ontology.excludes("allergy", "egg", "milk")
    assert not ontology.excludes("shoe_size", "42", "43")


def test_cues_are_found_where_they_stand(ontology: Ontology) -> None:
    """With values of lexicons, in a text of both languages and full-width letters."""
    text = "我搬到沈阳了, and I'm ALLERGIC ＴＯ eggs"
    hits = {
        (hit.attribute, hit.kind): text[hit.start : hit.end] for hit in ontology.find_cues(text)
    }
    assert hits["home", "cue"] == "搬到"
    assert hits["allergy", "value"] == "eggs"
    assert {"ALLERGIC ＴＯ", "ALLERGIC"} >= {hits["allergy", "cue"]}


# --- brain.yml --------------------------------------------------------------------------------

SHOE: dict[str, Any] = {
    "type": "profile",
    "title": {"en": "shoe size", "zh": "鞋码"},
    "cues": {"en": ["shoe size", "size shoes"], "zh": ["鞋码", "穿几码"]},
    "asked": ["shoe size", "鞋码"],
    "aliases": ["Foot size"],
}


def test_brain_yml_adds_attributes(ontology: Ontology) -> None:
    """They are looked up, cued and asked like the others, which stay as they were."""
    larger = ontology.with_attributes({"shoe_size": SHOE, "motto": {"type": "facts"}})
    assert larger.canonical("foot size", "profile") == "shoe_size"
    assert larger.asked("what's my shoe size?") == ("shoe_size",)
    assert larger.asked("我鞋码多少") == ("shoe_size",)
    assert "shoe_size" in [hit.attribute for hit in larger.find_cues("我的鞋码是42")]
    motto = larger.attribute("motto")
    assert motto is not None
    assert (motto.cardinality, motto.title.zh) == ("one", "motto")
    assert ontology.attribute("shoe_size") is None
    assert ontology.with_attributes({}) is ontology


def test_a_name_of_ones_own_comes_before_an_alias(ontology: Ontology) -> None:
    """Who wants the password apart from other credentials may have it so."""
    larger = ontology.with_attributes({"password": {"type": "facts", "cues": ["密码"]}})
    assert larger.canonical("password", "facts") == "password"
    assert larger.canonical("passcode", "facts") == "credential"


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("shoe_size", "profile", "ontology.attributes.shoe_size must be a block"),
        ("shoe_size", {}, "ontology.attributes.shoe_size: Object missing required field `type`"),
        (
            "shoe_size",
            {"type": "episodes"},
            "ontology.attributes.shoe_size.type: one of profile, preferences",
        ),
        ("shoe_size", {**SHOE, "cue": []}, "unknown field `cue`"),
        ("shoe_size", {**SHOE, "cues": [42]}, "ontology.attributes.shoe_size.cues.en[0]: Expected"),
        ("shoe_size", {**SHOE, "cues": [" "]}, "holds an empty word"),
        ("shoe_size", {**SHOE, "cardinality": "two"}, "cardinality: one of one, many, log"),
        ("Shoe Size", SHOE, "a name is small letters"),
        ("other", SHOE, "a name is small letters"),
        ("home", SHOE, "ontology.attributes.home is there already"),
    ],
)
def test_a_wrong_attribute_in_brain_yml_is_refused(
    ontology: Ontology, name: str, table: object, told: str
) -> None:
    """By one line that says where and what."""
    with pytest.raises(UsageError) as error:
        ontology.with_attributes({name: table})
    assert told in error.value.message
    assert "\n" not in error.value.message
