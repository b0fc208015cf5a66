"""Tool calls and their results, said in messages of their own, made one entry each.

In: OpenAI's messages and a caller's list of tool calls. Out: each call once, with its result.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from smartbrain.domain.turn import CallStatus, Role, ToolCall, TurnEvents
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.input import read_turn_events


def read(*messages: Any, **more: Any) -> tuple[TurnEvents, list[tuple[str, str]]]:
    """Read messages; return the turn and what was reported, each with its place."""
    events, ignored = read_turn_events(
        {"messages": list(messages), **more}, zone=UTC, types=BUILTIN_TYPES
    )
    return events, [(reason.code, reason.reason.split(" ")[0]) for reason in ignored]


def calling(*calls: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """Return an assistant's message that calls tools: id, name and arguments of each."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": one, "type": "function", "function": {"name": name, "arguments": arguments}}
            for one, name, arguments in calls
        ],
        **more,
    }


def answer(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return the result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def told(calls: tuple[ToolCall, ...]) -> list[tuple[Any, ...]]:
    """Return what is known of each call."""
    return [(call.call_id, call.name, call.args, call.result, call.status) for call in calls]


@pytest.mark.spec("S1", "E1", "W6")
def test_calls_and_results_are_paired_by_id_in_the_order_of_the_calls() -> None:
    """Results may come in another order; their text is stored with the call alone."""
    events, reported = read(
        {"role": "user", "content": "天气 and time?"},
        calling(("c1", "weather", '{"城市": "北京"}'), ("c2", "time", "{}")),
        answer("c2", "12:30"),
        answer("c1", [{"type": "text", "text": "晴"}, {"type": "text", "text": "25°C"}]),
        {"role": "assistant", "content": "晴，12:30"},
    )
    assert [
        ("c1", "weather", {"城市": "北京"}, "晴\n\n25°C", CallStatus.OK),
        ("c2", "time", {}, "12:30", CallStatus.OK),
    ] == told(events.tool_calls)
    assert ["天气 and time?", "", "晴，12:30"] == [m.content for m in events.messages]
    assert {"tool_calls": ["c1", "c2"]} == events.messages[1].meta
    assert [] == reported


@pytest.mark.spec("S1", "W6")
@pytest.mark.parametrize(
    "arguments",
    ['{"a": ', "", "查询", "NaN", '{"a": 1e999}', '"\\ud83d"', "[" * 100_000, "9" * 5000],
    ids=lambda text: text[:12],
)
def test_arguments_that_are_no_json_are_kept_as_text(arguments: str) -> None:
    """Models write what they like; not one character of it is lost."""
    events, _ = read(calling(("c1", "f", arguments)))
    assert arguments == events.tool_calls[0].args


@pytest.mark.spec("S1", "W6")
def test_a_call_without_a_result_is_open() -> None:
    """Its status is unknown until a later step brings the outcome."""
    events, reported = read(calling(("c1", "跑测试", "{}")))
    assert [("c1", "跑测试", {}, None, CallStatus.UNKNOWN)] == told(events.tool_calls)
    assert [] == reported


@pytest.mark.spec("S1", "W6")
@pytest.mark.parametrize(("more", "name"), [({"name": "搜索"}, "搜索"), ({}, "unknown")])
def test_a_result_without_its_call_is_a_call_too(more: dict[str, str], name: str) -> None:
    """It is named as the message says, and reported."""
    events, reported = read(answer("c9", "无", **more))
    assert [("c9", name, None, "无", CallStatus.OK)] == told(events.tool_calls)
    assert () == events.messages
    assert [("result_without_call", "messages[0]")] == reported


@pytest.mark.spec("S1", "E1")
def test_what_else_a_result_says_is_kept_in_its_message() -> None:
    """The message stays without its text, and leads to the call."""
    events, reported = read(
        calling(("c1", "f", "{}")), answer("c1", "结果", name="other", took_ms=3, id="m1")
    )
    (_, message) = events.messages
    assert (Role.TOOL, "", "other", "m1") == (
        message.role,
        message.content,
        message.name,
        message.external_id,
    )
    assert {"took_ms": 3, "tool_call_id": "c1"} == message.meta
    assert [("kept_in_meta", "messages[1].took_ms")] == reported


@pytest.mark.spec("S1", "W6")
def test_one_id_for_two_calls_keeps_both() -> None:
    """The results are given to them in order."""
    first, second = calling(("c1", "f", '{"n": 1}')), calling(("c1", "f", '{"n": 2}'))
    events, reported = read(first, second, answer("c1", "一"), answer("c1", "二"))
    assert [
        ("c1", "f", {"n": 1}, "一", CallStatus.OK),
        ("c1", "f", {"n": 2}, "二", CallStatus.OK),
    ] == told(events.tool_calls)
    assert [] == reported


@pytest.mark.spec("S1", "W6")
def test_a_second_result_of_one_call_is_kept_and_the_same_one_is_not_repeated() -> None:
    """Nothing that a tool said is lost, nothing is there twice."""
    events, reported = read(
        calling(("c1", "f", "{}")), answer("c1", "甲"), answer("c1", "甲"), answer("c1", "乙")
    )
    assert [("f", "甲"), ("f", "乙")] == [(call.name, call.result) for call in events.tool_calls]
    assert [] == reported


@pytest.mark.spec("S1", "W6")
@pytest.mark.parametrize(
    ("given", "status", "result"),
    [
        ({"id": "c1", "stdout": "日志"}, CallStatus.OK, "看到"),
        ({"id": "c1", "name": "f", "exit_code": 1}, CallStatus.ERROR, "看到"),
        ({"id": "c1", "name": "f", "args": {"a": 1}, "result": "看到"}, CallStatus.OK, "看到"),
        ({"id": "c1", "status": "error"}, CallStatus.ERROR, "看到"),
    ],
)
def test_the_callers_own_list_joins_the_calls_of_the_messages(
    given: dict[str, Any], status: CallStatus, result: str
) -> None:
    """One call of one id: what each side knows of it is together."""
    events, reported = read(
        calling(("c1", "f", '{"a": 1}')), answer("c1", "看到"), tool_calls=[given, {"name": "g"}]
    )
    call, other = events.tool_calls
    assert ("c1", "f", {"a": 1}, result, status) == told((call,))[0]
    assert (given.get("stdout"), given.get("exit_code")) == (call.stdout, call.exit_code)
    assert ("g", []) == (other.name, reported)


@pytest.mark.spec("S1", "W6")
def test_the_callers_list_completes_an_open_call_and_names_an_unknown_one() -> None:
    """A result of the list is as good as one of a message."""
    events, _ = read(
        calling(("c1", "f", "{}")),
        answer("c2", "二"),
        tool_calls=[{"id": "c2", "name": "g", "args": [2]}, {"id": "c1", "result": {"答": 42}}],
    )
    assert [("f", {}, {"答": 42}), ("g", [2], "二")] == [
        (call.name, call.args, call.result) for call in events.tool_calls
    ]


@pytest.mark.spec("S1", "W6")
def test_an_entry_of_the_list_that_contradicts_the_messages_is_another_call() -> None:
    """Both results are kept."""
    events, reported = read(
        calling(("c1", "f", "{}")),
        answer("c1", "甲"),
        tool_calls=[{"id": "c1", "name": "f", "result": "乙"}],
    )
    assert ["甲", "乙"] == [call.result for call in events.tool_calls]
    assert [] == reported
