"""The text that a memory is searched by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_type import chunk_text
from smartbrain.domain.types import BUILTIN_TYPES

BEIJING = timezone(timedelta(hours=8))
SAID = datetime(2026, 2, 20, 1, 30, tzinfo=BEIJING)


def memory(type_name: str, key: str, **fields: Any) -> Memory:
    """Build a memory said in turn t1 on a Beijing night."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    settings: dict[str, Any] = {"title": "", "text": "", "source_turn_id": "t1", **fields}
    return Memory(
        id="mem_1",
        type=type_name,
        key=key,
        said_at=SAID,
        created_at=now,
        updated_at=now,
        **settings,
    )


def text_of(given: Memory) -> str:
    """Return the chunk text of a memory under its built-in type."""
    return chunk_text(given, BUILTIN_TYPES.get(given.type))


@pytest.mark.spec("M6")
def test_a_chunk_says_where_it_is_what_it_says_and_where_it_came_from() -> None:
    """The first line locates, the second reads, the third gives source, day and project."""
    task = memory(
        "tasks",
        "task:智脑:接入",
        text="我们把接入做完吧",
        value={"project": "智脑", "task_id": "接入", "title": "接入 SmartBot", "status": "doing"},
    )

    assert text_of(task) == (
        "[tasks:task:智脑:接入]\n"
        "智脑 — 接入 SmartBot [doing]\n"
        "Source: turn t1 · 2026-02-20 · Project: 智脑"
    )


@pytest.mark.spec("M6")
def test_a_preference_has_no_project() -> None:
    """The last line leaves out what is not known; a preference's scope is no project."""
    preference = memory(
        "preferences",
        "pref:writing:tone",
        value={"scope": "writing", "name": "tone", "value": "focused and exacting"},
        source_turn_id=None,
        source_operation_id="op9",
    )

    assert text_of(preference) == (
        "[preferences:pref:writing:tone]\n"
        "writing — tone: focused and exacting\n"
        "Source: operation op9 · 2026-02-20"
    )


@pytest.mark.spec("M6")
@pytest.mark.parametrize("type_name", ["episodes", "statements"])
def test_an_episode_and_a_statement_are_told_by_their_text(type_name: str) -> None:
    """Where the text says more than the value, the text is the chunk, all its lines."""
    key = BUILTIN_TYPES.get(type_name).rule.example
    said = memory(type_name, key, text="小明在公园里踢足球。\nThen it rained.", value={"n": 1})

    assert text_of(said) == (
        f"[{type_name}:{key}]\n小明在公园里踢足球。\nThen it rained.\nSource: turn t1 · 2026-02-20"
    )


@pytest.mark.spec("M6")
def test_an_events_scope_is_its_project() -> None:
    """Events belong to the project or scope that their key names."""
    event = memory(
        "events",
        "event:SmartBrain:2026-02-20:split",
        value={"scope": "SmartBrain", "date": "2026-02-20", "title": "Split"},
        source_turn_id=None,
    )

    assert text_of(event).splitlines()[2] == "2026-02-20 · Project: SmartBrain"


@pytest.mark.spec("M6")
def test_a_memory_without_a_value_is_told_by_its_text_or_title() -> None:
    """No chunk has an empty body while there is anything to say."""
    assert text_of(memory("concepts", "concept:x", text=" 图 ")).splitlines()[1] == "图"
    assert text_of(memory("concepts", "concept:x", title="图")).splitlines()[1] == "图"


@pytest.mark.spec("M6")
def test_the_same_memory_always_gives_the_same_text() -> None:
    """A memory read back from its stored form yields the chunk it had."""
    fact = memory(
        "facts",
        "fact:a:b",
        value={"subject": "a", "attribute": "b", "value": {"y": 1, "x": "二"}},
    )

    assert text_of(fact) == text_of(Memory.from_dict(fact.to_dict()))
