"""What structured tool results propose to remember."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain import SmartBrain
from smartbrain.domain.claim import Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.rules.tool_results import MOST, find_in_results

NAMES = (
    "tasks",
    "title",
    "name",
    "status",
    "state",
    "done",
    "due",
    "subject",
    "attribute",
    "value",
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(("done", "open", "进行中", "2026-03-09", "write the report")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=30,
)


def values(name: str, result: Any) -> list[dict[str, Any]]:
    """Return the values that a result proposes."""
    return [dict(one.value) for one in find_in_results(name, result)]


def task(title: str, status: str, **more: str) -> dict[str, str]:
    """Build the value of a task."""
    return {"project": "general", "title": title, "status": status} | more


@pytest.mark.spec("C3", "C11")
@pytest.mark.parametrize(
    ("state", "status"),
    [
        *(("open", "todo"), ("To Do", "todo"), ("In Progress", "doing"), ("in-progress", "doing")),
        *(("CLOSED", "done"), ("resolved", "done"), ("On hold", "blocked"), ("blocked", "blocked")),
        *(("待办", "todo"), ("进行中", "doing"), ("已完成", "done"), ("阻塞", "blocked")),
    ],
)
def test_states_of_trackers_become_task_states(state: str, status: str) -> None:
    """Each tracker's own word is read as one of the four states."""
    result = {"issues": [{"title": "Replace the filter", "state": state}]}

    assert [task("Replace the filter", status)] == values("list", result)


@pytest.mark.spec("C11")
def test_items_of_different_shapes_are_tasks() -> None:
    """Flags, nested states, deadlines and projects are read; a list may be the whole result."""
    result = [
        {"name": "Buy paint", "done": False},
        {"content": "清理仓库", "completed": True, "due_date": "2026-03-09T10:00:00Z"},
        {
            "fields": {
                "summary": "Fix login",
                "status": {"name": "Done"},
                "project": {"name": "Web"},
            }
        },
    ]

    assert [
        task("Buy paint", "todo"),
        task("清理仓库", "done", due="2026-03-09"),
        task("Fix login", "done") | {"project": "Web"},
    ] == values("todo_list", result)


@pytest.mark.spec("C11")
def test_facts_are_read_where_subject_and_attribute_are_named() -> None:
    """Facts come spelled out, alone or in a list."""
    result = {
        "facts": [{"subject": "heron", "attribute": "version", "value": 3}],
        "本地": {"主体": "网关", "属性": "地址", "值": "10.0.0.1"},
    }

    assert [
        {"subject": "heron", "attribute": "version", "value": 3},
        {"subject": "网关", "attribute": "地址", "value": "10.0.0.1"},
    ] == values("describe", result)


@pytest.mark.spec("C3", "C11")
def test_a_candidate_of_a_tool_has_much_weight() -> None:
    """It comes from the tool, with the confidence of tools."""
    one = next(find_in_results("board", {"title": "Order tiles", "status": "todo"}))

    assert (Source.TOOL, 0.9) == (one.source, one.confidence)
    assert "general — Order tiles [todo]" == one.text


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("weather", {"status": "ok", "summary": "Rain. I need to buy an umbrella."}),
        ("shell", {"status": "done", "name": "run_tests", "stdout": "128 passed"}),
        ("web_search", {"text": "We decided to use Redis. TODO: write tests."}),
        ("notes", "TODO: write the tests"),
        ("list_issues", {"pull_requests": [{"title": "Bump the version", "state": "open"}]}),
        ("tasks", {"tasks": [{"title": "Paint the door", "status": "purple"}]}),
        ("tasks", {"tasks": ["Paint the door"]}),
        ("config", {"key": "port", "value": 5432}),
        ("info", {"subject": "report", "attribute": "summary", "value": "long " * 100}),
        ("none", None),
    ],
)
def test_prose_and_results_about_nothing_propose_nothing(name: str, result: Any) -> None:
    """Text is not read, and an outcome is no task."""
    assert [] == values(name, result)


@pytest.mark.spec("C11")
def test_a_huge_result_gives_a_bounded_number_of_candidates() -> None:
    """Only the first of very many items are taken."""
    items = [{"title": f"Box {number}", "status": "open"} for number in range(1000)]

    assert MOST + 1 == len(values("tasks", items))


@pytest.mark.spec("C11", "M1")
@given(st.text(max_size=20), JSON)
def test_any_result_gives_candidates_that_can_be_kept(name: str, result: Any) -> None:
    """Nothing raises, and every value has a key and is whole."""
    for one in find_in_results(name, result):
        kind = BUILTIN_TYPES.get(one.type)
        kind.complete(kind.key_of(one.value), one.value)
        assert one.text.strip()


@pytest.mark.spec("M1", "C11")
@pytest.mark.parametrize(
    ("item", "task_id"),
    [
        ({"key": "A-1"}, "A-1"),
        ({"task_id": "PROJ-42", "id": 7}, "PROJ-42"),
        ({"issue_key": "运维-3"}, "运维-3"),
        ({"id": 1207345678}, "1207345678"),
        ({"number": 42, "repo": "web", "id": 998877}, "42"),
        ({"iid": 5, "project": "web"}, "5"),
        ({"number": "#42", "id": 998877}, "998877"),
        ({"id": 1}, None),
        ({"id": "task-1"}, None),
        ({"key": "status"}, None),
        ({"id": "two words 2"}, None),
        ({"id": True}, None),
    ],
)
def test_a_task_has_the_id_of_its_tracker(item: dict[str, Any], task_id: str | None) -> None:
    """A short number names one item only within its project; others are its place in a list."""
    (found,) = values("list", {"issues": [{"title": "Fix login", "status": "open", **item}]})

    assert task_id == found.get("task_id")


@pytest.mark.spec("M1", "C11")
def test_fields_of_an_item_have_its_id() -> None:
    """Some trackers keep what they tell of an item apart from its id."""
    fields = {"summary": "Fix login", "status": {"name": "Done"}}

    (found,) = values("jira", [{"key": "A-1", "fields": fields}])

    assert "A-1" == found["task_id"]


@pytest.mark.spec("M1", "C1", "C4")
def test_a_task_keeps_its_id_when_it_is_called_otherwise(tmp_path: Path) -> None:
    """Two of one title are two; one that gets another title and state stays one."""
    at = datetime(2026, 3, 11, 10, tzinfo=UTC)
    first = [
        {"key": "A-1", "title": "Fix login", "status": "open"},
        {"key": "A-2", "title": "Fix login", "status": "done"},
    ]
    later = [{"key": "A-1", "title": "Fix login page", "status": "in progress"}]
    with SmartBrain.open(tmp_path, clock=lambda: at) as brain:
        for issues in (first, later):
            call = {"name": "list_issues", "result": {"issues": issues}}
            said = {"messages": [{"role": "user", "content": "list"}], "tool_calls": [call]}
            brain.commit_turn("s", said)
        assert [("Fix login", "done"), ("Fix login page", "doing")] == states(brain)

        closed = [{"key": "A-1", "title": "Login page works", "status": "done"}]
        call = {"name": "close_issue", "result": {"issues": closed}}
        brain.commit_turn("s", {"tool_calls": [call]})
        assert [("Fix login", "done"), ("Login page works", "done")] == states(brain)


def states(brain: SmartBrain) -> list[tuple[str, str]]:
    """Return the tasks and their states."""
    tasks = brain.memories.list(type="tasks").items
    return sorted((one.value["title"], one.value["status"]) for one in tasks)
