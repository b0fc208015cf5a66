"""How keys are spelled, made, taken apart and refused."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from smartbrain.domain.keys import (
    KeyRule,
    is_name,
    plain_name,
    read_template,
    segment_text,
    slug,
    spells,
)
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError

UUID = "0197f0f0-aaaa-7bbb-8ccc-1234567890ab"
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
WILD = st.text(max_size=40)


def task_rule() -> KeyRule:
    """Build the rule of task keys."""
    return read_template("task:<project>:<task_id(title)>", {})


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tone of Voice", "tone_of_voice"),
        ("  图数据库　原理？ ", "图数据库_原理"),
        ("Ｆｕｌｌ－width ﬁle", "full-width_file"),
        ("Straße ÅNGSTRÖM", "strasse_ångström"),
        ("Привет, мир!", "привет_мир"),
        ("split: memory—runtime (v2.0).", "split_memory_runtime_v2.0"),
        ("C++ vs C#", "c++_vs_c#"),
        ("zhuangbiaowei/Smart_RAG", "zhuangbiaowei/smart_rag"),
        ("混合 mixed 文本", "混合_mixed_文本"),
        ("🏳️‍🌈 flag", "🏳️‍🌈_flag"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a\x00b\ud800c", "a_b_c"),
        ("？！……", ""),
    ],
)
def test_a_slug_keeps_the_words_and_drops_the_rest(text: str, expected: str) -> None:
    """Case, width and punctuation are folded; letters of every script stay."""
    assert expected == slug(text)


@pytest.mark.parametrize("spelled", ["RAG debug", "rag_debug", "Rag-Debug", "ragdebug "])
def test_a_plain_name_is_the_same_however_it_is_spelled(spelled: str) -> None:
    """Case, blanks and signs do not count; letters of every script do."""
    assert "ragdebug" == plain_name(spelled)
    assert plain_name("部署·上线") == plain_name("部署 上线") != plain_name("部署")


def test_values_that_are_equal_have_plain_names_of_their_own() -> None:
    """A number is called by its digits and a truth value by its word, whichever came first."""
    assert ["1", "true", "10", "1"] == [plain_name(one) for one in (1, True, 1.0, "1")]


@settings(deadline=None)
@given(WILD)
def test_the_slug_of_a_slug_is_itself(text: str) -> None:
    """Slugging twice changes nothing, whatever the text."""
    assert slug(text) == slug(slug(text))


@settings(deadline=None)
@given(st.text(st.characters(categories=("Lo", "Nd")), min_size=1, max_size=12))
def test_a_slug_keeps_every_letter_without_case(text: str) -> None:
    """Chinese and other caseless scripts come through whole, compatibility forms unified."""
    assert len(unicodedata.normalize("NFKC", text).split()) <= len(slug(text))


def test_long_slugs_are_cut_and_stay_apart() -> None:
    """Two long texts that begin alike get different slugs of at most 120 bytes."""
    first, second = slug("记忆" * 200 + "一"), slug("记忆" * 200 + "二")

    assert first != second
    assert first.startswith("记忆记忆")
    assert max(len(first.encode()), len(second.encode())) <= 120
    assert first == slug(first)


@settings(deadline=None)
@given(WILD)
def test_segment_text_settles_at_once(text: str) -> None:
    """A segment's spelling is NFC, without blanks, and is its own spelling."""
    spelled = segment_text(text)

    assert spelled == segment_text(spelled)
    assert unicodedata.is_normalized("NFC", spelled)
    assert not any(char.isspace() for char in spelled)


def test_segment_text_keeps_case_and_script() -> None:
    """A project keeps the name that its people write; blanks become one underscore."""
    assert segment_text(" SmartBot \t 记忆　项目\n") == "SmartBot_记忆_项目"
    assert segment_text("e\u0301") == "é"


@pytest.mark.spec("M2")
@settings(deadline=None)
@given(project=TEXTS, task_id=TEXTS)
def test_making_and_parsing_a_key_round_trips(project: str, task_id: str) -> None:
    """Arbitrary texts come back out of the key they went into, in key spelling."""
    assume(segment_text(project) and segment_text(task_id))
    assume(len(segment_text(project)) < 16)  # two that look like ids are refused
    tasks = BUILTIN_TYPES.get("tasks")

    key = tasks.make_key(project=project, task_id=task_id)
    parsed = tasks.parse_key(key)

    assert {"project": segment_text(project), "task_id": segment_text(task_id)} == parsed
    assert key == tasks.make_key(**parsed)


@pytest.mark.spec("M2")
@settings(deadline=None)
@given(subject=st.text("a:%长 ", min_size=150, max_size=900), attribute=st.text("性x", min_size=1))
def test_a_key_made_from_long_texts_fits_and_still_names_them(subject: str, attribute: str) -> None:
    """A key is cut to 512 bytes, valid, stable, and does not override the whole text."""
    assume(segment_text(subject))
    facts = BUILTIN_TYPES.get("facts")

    key = facts.make_key(subject=subject, attribute=attribute)
    completed = facts.complete(key, {"subject": subject, "attribute": attribute, "value": 1})

    assert len(key.encode()) <= 512
    assert key == facts.make_key(subject=subject, attribute=attribute)
    assert ({}, subject) == (completed.overridden, completed.value["subject"])


def test_long_texts_that_differ_at_the_end_get_different_keys() -> None:
    """The cut carries a fingerprint of the whole."""
    entities = BUILTIN_TYPES.get("entities")
    address = "https://example.com/" + "a" * 900

    assert entities.make_key(kind="url", canonical=address + "1") != entities.make_key(
        kind="url", canonical=address + "2"
    )


@pytest.mark.spec("M2")
def test_the_last_segment_takes_colons_and_the_others_escape_them() -> None:
    """URLs stay readable at the end of a key; elsewhere ':' and '%' are escaped."""
    rule = task_rule()

    assert (
        rule.join(["a:b%50%", "https://x.org:80/%E4"]) == "task:a%3Ab%2550%25:https://x.org:80/%E4"
    )
    assert rule.split("task:a%3Ab%2550%25:https://x.org:80/%E4") == {
        "project": "a:b%50%",
        "task_id": "https://x.org:80/%E4",
    }


BAD_KEYS: list[tuple[str, Any, str]] = [
    ("tasks", "pref:writing:tone", "it must start with task:"),
    ("tasks", "Task:a:b", "it must start with task:"),
    ("tasks", "task:SmartBot", "it must be task:<project>:<task_id> with no part left empty"),
    ("tasks", "task::b", "with no part left empty"),
    ("tasks", "task:a:", "with no part left empty"),
    ("tasks", "task:\u200b:b", "with no part left empty"),
    ("tasks", "", "it must start with task:"),
    ("tasks", None, "it must be text"),
    ("tasks", "task:Smart Bot:修复 登录", "write it as task:Smart_Bot:修复_登录"),
    ("tasks", "task:a:b\n", "write it as task:a:b"),
    ("tasks", "task:a:b\x07c", "write it as task:a:b_c"),
    ("tasks", "task:a:cafe\u0301", "write it as task:a:caf\u00e9"),
    ("tasks", "task:50%:b", "write it as task:50%25:b"),
    ("tasks", "task:a%3ab:c", "write it as task:a%3Ab:c"),
    ("tasks", "task:a:\ud800b", "write it as task:a:b"),
    ("tasks", f"task:{UUID}:{UUID}", "put a readable name in it"),
    ("concepts", f"concept:{UUID.replace('-', '')}", "put a readable name in it"),
    ("concepts", "concept:mem_0123456789abcdef0123456789abcdef", "put a readable name in it"),
    ("facts", f"fact:a:{'长' * 200}", "it has 607 bytes; shorten it to 512"),
    ("preferences", "pref:writng:tone", "one of writing, coding, tools, ui, other (did you mean"),
    ("entities", "entity:Person:小明", "it must be one of person, org"),
    ("events", "event:SmartBrain:2026-2-20:split", "it must be a date such as 2026-02-20"),
    ("events", "event:SmartBrain:split", "it must be event:<scope>:<date>:<slug>"),
    ("statements", "statement:t1:one", "n is 'one'; it must be an integer from 0"),
    ("statements", "statement:t1:01", "n is '01'; it must be an integer"),
    ("insights", "insight:r1:-1", "n is -1; it must be an integer from 0"),
    ("insights", "insight:r1:٣", "n is '٣'; it must be an integer"),
    ("insights", "insight:r1:" + "9" * 30, "it must be an integer"),
]


@pytest.mark.spec("M2")
@pytest.mark.parametrize(("type_name", "key", "said"), BAD_KEYS)
def test_a_key_that_breaks_the_rules_is_refused(type_name: str, key: Any, said: str) -> None:
    """One line says what to change and shows a key that would do."""
    memory_type = BUILTIN_TYPES.get(type_name)

    with pytest.raises(UsageError) as caught:
        memory_type.check_key(key)

    assert caught.value.code == "bad_key"
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert "; write it as " in caught.value.message or caught.value.message.endswith(
        f"a valid key is {memory_type.rule.example}"
    )


@pytest.mark.spec("M2")
@pytest.mark.parametrize("memory_type", BUILTIN_TYPES, ids=lambda found: found.name)
def test_the_example_in_an_error_is_itself_valid(memory_type: Any) -> None:
    """Whoever copies the example gets a key that passes."""
    memory_type.check_key(memory_type.rule.example)


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("type_name", "key", "parsed"),
    [
        ("profile", "profile:agent", {"subject": "agent"}),
        ("preferences", "pref:ui:主题", {"scope": "ui", "name": "主题"}),
        ("tasks", f"task:SmartBot:{UUID}", {"project": "SmartBot", "task_id": UUID}),
        (
            "entities",
            "entity:url:https://a.b/?q=%20",
            {"kind": "url", "canonical": "https://a.b/?q=%20"},
        ),
        (
            "events",
            "event:智脑:2026-02-20:拆分",
            {"scope": "智脑", "date": "2026-02-20", "slug": "拆分"},
        ),
        ("episodes", f"episode:{UUID}:{UUID}", {"session": UUID, "turn": UUID}),
        ("statements", f"statement:{UUID}:12", {"turn": UUID, "n": 12}),
    ],
)
def test_a_key_is_taken_apart_by_name(type_name: str, key: str, parsed: dict[str, Any]) -> None:
    """Segments come back under their field's name and in its type."""
    assert parsed == BUILTIN_TYPES.get(type_name).parse_key(key)


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("type_name", "value", "key"),
    [
        ("events", {"scope": "SmartBrain", "date": "2026-02-20", "title": "Split the runtime!"},
         "event:SmartBrain:2026-02-20:split_the_runtime"),
        ("events", {"scope": "智脑", "date": "2026-02-20", "title": "决定拆分。", "slug": ""},
         "event:智脑:2026-02-20:决定拆分"),
        ("tasks", {"project": "SmartBot", "title": "接入 记忆"}, "task:SmartBot:接入_记忆"),
        ("tasks", {"project": "SmartBot", "task_id": "X-1", "title": "t"}, "task:SmartBot:X-1"),
        ("concepts", {"name": "Graph Memory"}, "concept:graph_memory"),
        ("statements", {"turn": "t1", "n": 0}, "statement:t1:0"),
    ],
)  # fmt: skip
def test_a_value_without_a_key_gets_one(type_name: str, value: dict[str, Any], key: str) -> None:
    """The key is made from the fields it names, or from the title where it may be."""
    assert key == BUILTIN_TYPES.get(type_name).key_of(value)


@pytest.mark.parametrize(
    ("type_name", "value", "said"),
    [
        ("tasks", {"project": "SmartBot"}, "a key of tasks needs task_id or title"),
        ("tasks", {"title": "x"}, "a key of tasks needs project with"),
        ("concepts", {"name": "？？"}, "a key of concepts needs slug or name with a letter"),
        ("statements", {"turn": "t1", "n": True}, "a key of statements needs n"),
        ("facts", {"subject": ["a"], "attribute": "b"}, "a key of facts needs subject"),
        ("preferences", {"scope": "mood", "name": "x"}, "scope is 'mood'"),
    ],
)
def test_a_value_that_cannot_be_named_is_refused(
    type_name: str, value: dict[str, Any], said: str
) -> None:
    """The error says which field is missing, or that the key itself may be given."""
    with pytest.raises(UsageError) as caught:
        BUILTIN_TYPES.get(type_name).key_of(value)

    assert caught.value.code == "bad_key"
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("segment", "text", "expected"),
    [
        ("New_York", "New York", True),
        ("new_york", "New York", True),
        ("NEW_YORK", "New York", False),
        ("图_谱", "图　谱", True),
        ("b", "a", False),
    ],
)
def test_a_segment_spells_a_text_or_not(segment: str, text: str, expected: bool) -> None:
    """The key's spelling or the slug of a text count as the text; another name does not."""
    assert expected is spells(segment, text)


@pytest.mark.parametrize(
    "template",
    [
        None, "", "note", "note:", "note:topic", "note:<>", "note:<a>:", "note:<a>x", "note:<a>:b",
        "Note:<a>", "1note:<a>", "no te:<a>", "naïve:<a>", ":<a>", "note:<a>:<a>", "note:<a b>",
        "note:" + ":".join(f"<s{n}>" for n in range(9)), "n" * 41 + ":<a>",
    ],
)  # fmt: skip
def test_a_template_of_another_form_is_refused(template: Any) -> None:
    """A key template is a prefix and at least one named segment."""
    with pytest.raises(UsageError) as caught:
        read_template(template, {})

    assert caught.value.code == "usage"
    assert "\n" not in caught.value.message


def test_a_template_may_be_chinese() -> None:
    """Prefix and segment names can be words of the user's language."""
    rule = read_template("菜谱:<菜系>:<菜名>", {})

    assert rule.form == "菜谱:<菜系>:<菜名>"
    assert rule.split("菜谱:川菜:麻婆豆腐") == {"菜系": "川菜", "菜名": "麻婆豆腐"}


def test_names_are_lower_case_ascii_or_cjk() -> None:
    """A name is what can start a key without being mistaken for anything else."""
    assert [is_name(text) for text in ("recipes", "菜谱", "メモ2", "Recipes", "_x", 3)] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
