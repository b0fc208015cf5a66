"""The built-in types: their table, their values in Chinese and English, and how they read."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from type_examples import EXAMPLES

from smartbrain.domain.types import BUILTIN_TYPES, Choice
from smartbrain.errors import UsageError

TABLE = """
profile     profile:<subject>            Fact       facts      versioned
preferences pref:<scope>:<name>          Preference facts      overwrite
goals       goal:<project>:<name>        Task       facts      overwrite
tasks       task:<project>:<task_id>     Task       facts      overwrite
decisions   decision:<project>:<topic>   Fact       facts      versioned
facts       fact:<subject>:<attribute>   Fact       facts      priority
entities    entity:<kind>:<canonical>    Entity     cues       merge
concepts    concept:<slug>               Concept    cues       merge
episodes    episode:<session>:<turn>     Episode    episodes   append
events      event:<scope>:<date>:<slug>  Episode    episodes   versioned
statements  statement:<turn>:<n>         Fact       episodes   append
cases       case:<domain>:<slug>         Procedure  procedures versioned
patterns    pattern:<domain>:<name>      Procedure  procedures versioned
insights    insight:<run>:<n>            Insight    insights   expire
meta        meta:<name>                  Meta       none       overwrite
"""


@pytest.mark.spec("M1")
def test_the_types_are_those_of_the_table() -> None:
    """Name, key, node kind, packet group and conflict rule of all fifteen, in order."""
    rows = [
        [kind.name, kind.rule.form, kind.node_kind, kind.group, kind.on_conflict]
        for kind in BUILTIN_TYPES
    ]

    assert [line.split() for line in TABLE.strip().splitlines()] == rows


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("type_name", "field", "options"),
    [
        ("preferences", "scope", "writing coding tools ui other"),
        ("entities", "kind", "person org repo file url topic place object other"),
        ("tasks", "status", "todo doing done blocked"),
    ],
)
def test_choices_are_exactly_these(type_name: str, field: str, options: str) -> None:
    """The words that a choice allows are fixed, since keys are made of them."""
    shape = BUILTIN_TYPES.get(type_name).value.fields[field]

    assert isinstance(shape, Choice)
    assert tuple(options.split()) == shape.options


@pytest.mark.spec("M1")
def test_each_rule_has_a_name_in_a_commit_result() -> None:
    """The rules that callers see are overwrite, versioned, merge and append."""
    assert {
        name: BUILTIN_TYPES.get(name).on_conflict.reported
        for name in ("facts", "insights", "entities", "tasks", "profile", "episodes")
    } == {
        "facts": "versioned",
        "insights": "append",
        "entities": "merge",
        "tasks": "overwrite",
        "profile": "versioned",
        "episodes": "append",
    }


def test_every_type_has_an_example() -> None:
    """No built-in type is left out of the examples below."""
    assert set(BUILTIN_TYPES.names()) == {example[0] for example in EXAMPLES}


@pytest.mark.spec("M1", "M2")
@pytest.mark.parametrize(("type_name", "key", "value", "_line"), EXAMPLES)
def test_an_example_value_is_kept_whole(
    type_name: str, key: str, value: dict[str, Any], _line: str
) -> None:
    """A value of the documented shape passes, nothing overridden and nothing lost."""
    completed = BUILTIN_TYPES.get(type_name).complete(key, value)

    assert completed.overridden == {}
    assert value == {name: completed.value[name] for name in value}


@pytest.mark.spec("M2")
@pytest.mark.parametrize(("type_name", "key", "value", "_line"), EXAMPLES)
def test_the_key_gives_the_fields_it_names(
    type_name: str, key: str, value: dict[str, Any], _line: str
) -> None:
    """Leaving out what the key says changes nothing about the completed value."""
    memory_type = BUILTIN_TYPES.get(type_name)
    named = memory_type.parse_key(key)
    shorter = {name: item for name, item in value.items() if name not in named}

    assert memory_type.complete(key, value).value == memory_type.complete(key, shorter).value


@pytest.mark.spec("M6")
@pytest.mark.parametrize(("type_name", "key", "value", "line"), EXAMPLES)
def test_a_value_reads_as_one_line_in_its_own_language(
    type_name: str, key: str, value: dict[str, Any], line: str
) -> None:
    """The sentence shows the value's own words, on one line."""
    memory_type = BUILTIN_TYPES.get(type_name)

    assert line == memory_type.sentence(memory_type.complete(key, value).value)


@pytest.mark.spec("M6")
@pytest.mark.parametrize("memory_type", BUILTIN_TYPES, ids=lambda found: found.name)
def test_a_value_with_nothing_in_it_still_reads(memory_type: Any) -> None:
    """An empty value gives no labels that dangle."""
    assert memory_type.sentence({}) == ""


BAD_VALUES: list[tuple[str, str, Any, str]] = [
    ("profile", "profile:user", {"facts": [{"k": "role"}]}, "profile.facts[0] lacks 'v'"),
    ("profile", "profile:user", {}, "profile lacks 'facts'; it must be a list"),
    ("profile", "profile:user", {"facts": {"role": "x"}}, "profile.facts is {'role': 'x'}"),
    ("preferences", "pref:ui:x", {}, "preferences lacks 'value'; it must be any JSON but null"),
    ("preferences", "pref:ui:x", {"value": 1, "priority": 8}, "preferences.priority is 8"),
    ("tasks", "task:a:b", {"status": "已完成"}, "tasks.status is '已完成'; it must be one of todo"),
    ("tasks", "task:a:b", {"status": "dome"}, "(did you mean 'done'?)"),
    ("tasks", "task:a:b", {"due": "明天"}, "tasks.due is '明天'; it must be a date such as"),
    ("tasks", "task:a:b", {"notes": "one"}, "tasks.notes is 'one'; it must be a list"),
    ("decisions", "decision:a:b", {"rationale": "x"}, "decisions lacks 'decision'"),
    ("facts", "fact:a:b", {}, "facts lacks 'value'; it must be any JSON"),
    ("entities", "entity:org:a", {"aliases": ["ok", 3]}, "entities.aliases[1] is 3"),
    ("entities", "entity:org:a", {"attrs": ["x"]}, "entities.attrs is ['x']; it must be an object"),
    ("statements", "statement:t:0", {}, "statements lacks 'predicate'"),
    (
        "statements",
        "statement:t:0",
        {"predicate": {"normalized": "go"}, "time": {"start": "2026-01-01", "end": "x"}},
        "statements.time.start is '2026-01-01'; it must be a time with its UTC offset",
    ),
    ("cases", "case:a:b", {"problem": "x"}, "cases lacks 'solution'"),
    ("patterns", "pattern:a:b", {"rule": "x", "confidence": 2}, "patterns.confidence is 2"),
    ("insights", "insight:r:0", {"statement": "x", "validated": "yes"}, "insights.validated is"),
    ("meta", "meta:x", {"value": float("nan")}, "meta.value is nan; a number must be finite"),
    ("meta", "meta:x", {"value": "字" * 30_000}, "bytes as JSON; at most 65536"),
    ("meta", "meta:x", ["not", "an", "object"], "meta is ['not', 'an', 'object']"),
    ("meta", "meta:x", {"more": {1: 2}}, "meta.more has the field name 1; names must be text"),
]


@pytest.mark.spec("M1")
@pytest.mark.parametrize(("type_name", "key", "value", "said"), BAD_VALUES)
def test_a_value_of_another_shape_is_refused(
    type_name: str, key: str, value: Any, said: str
) -> None:
    """One line names the type, the field, what it was and what it must be."""
    with pytest.raises(UsageError) as caught:
        BUILTIN_TYPES.get(type_name).complete(key, value)

    assert caught.value.code == "bad_value"
    assert said in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.spec("M2")
def test_the_key_wins_over_the_value_and_says_what_it_replaced() -> None:
    """A contradicting field is set to what the key says; the caller can explain it."""
    completed = BUILTIN_TYPES.get("tasks").complete(
        "task:SmartBot:修复", {"project": "Other", "task_id": 7, "title": "修复登录"}
    )

    assert completed.overridden == {"project": "Other", "task_id": 7}
    assert (completed.value["project"], completed.value["task_id"]) == ("SmartBot", "修复")


@pytest.mark.spec("M2")
def test_integers_and_choices_of_the_key_win_too() -> None:
    """A segment is read as its field's type before it is compared."""
    insight = BUILTIN_TYPES.get("insights").complete("insight:r1:2", {"n": True, "statement": "x"})
    preference = BUILTIN_TYPES.get("preferences").complete("pref:ui:x", {"scope": "UI", "value": 1})

    assert (insight.value["n"], insight.overridden) == (2, {"n": True})
    assert (preference.value["scope"], preference.overridden) == ("ui", {"scope": "UI"})


@pytest.mark.spec("M2")
def test_a_fuller_spelling_of_the_key_is_no_contradiction() -> None:
    """Blanks, and the text behind a slug, stay as the value writes them."""
    completed = BUILTIN_TYPES.get("facts").complete(
        "fact:New_York:时_区", {"subject": "New York", "attribute": "时 区", "value": -5}
    )

    assert (
        completed.overridden,
        completed.value["subject"],
        completed.value["attribute"],
    ) == ({}, "New York", "时 区")


@pytest.mark.spec("M2")
def test_a_title_that_is_missing_is_read_off_the_key() -> None:
    """A status change alone makes a whole task, and a bare event key a whole event."""
    task = BUILTIN_TYPES.get("tasks").complete("task:SmartBot:fix_login", {"status": "done"})
    event = BUILTIN_TYPES.get("events").complete("event:智脑:2026-02-20:发布_上线", {"title": ""})

    assert task.value == {
        "project": "SmartBot",
        "task_id": "fix_login",
        "title": "fix login",
        "status": "done",
    }
    assert event.value == {"scope": "智脑", "date": "2026-02-20", "title": "发布 上线"}


@pytest.mark.spec("M1")
def test_unknown_fields_are_kept() -> None:
    """A newer writer's fields survive."""
    completed = BUILTIN_TYPES.get("meta").complete("meta:x", {"将来": {"a": [1]}})

    assert completed.value == {"name": "x", "将来": {"a": [1]}}


@pytest.mark.spec("M1")
def test_a_statement_takes_an_interval_as_it_is_written() -> None:
    """The time of a statement is the stored form of an interval."""
    day = datetime(2026, 2, 20, tzinfo=timezone(timedelta(hours=8)))
    interval = {"start": day.isoformat(), "end": day.isoformat(), "granularity": "day"}

    completed = BUILTIN_TYPES.get("statements").complete(
        "statement:t:0", {"predicate": {"normalized": "go"}, "time": interval}
    )

    assert interval == completed.value["time"]


@pytest.mark.spec("M1")
def test_completing_twice_changes_nothing() -> None:
    """A stored value is already complete."""
    for type_name, key, value, _ in EXAMPLES:
        memory_type = BUILTIN_TYPES.get(type_name)
        once = memory_type.complete(key, value)

        assert once == memory_type.complete(key, once.value)
