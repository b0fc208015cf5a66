"""OpenAI's messages, of both its interfaces, read as a turn.

In: dicts and the SDK's own objects. Out: text, paired tool calls and refs, with nothing lost.
"""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseFunctionWebSearch,
    ResponseOutputMessage,
    ResponseReasoningItem,
)

from smartbrain.domain.turn import CallStatus, Message, RefType, Role, ToolCall, TurnEvents
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.input import read_turn_events

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
PNG_URL = f"data:image/png;base64,{b64encode(PNG).decode()}"


def read(*messages: Any, **more: Any) -> tuple[TurnEvents, list[tuple[str, str]]]:
    """Read messages; return the turn and what was reported, each with its place."""
    events, ignored = read_turn_events(
        {"messages": list(messages), **more}, zone=UTC, types=BUILTIN_TYPES
    )
    return events, [(reason.code, reason.reason.split(" ")[0]) for reason in ignored]


def user(*parts: Any) -> dict[str, Any]:
    """Return a user's message of those parts."""
    return {"role": "user", "content": list(parts)}


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


@pytest.mark.spec("S1", "E1")
def test_text_parts_are_joined_by_an_empty_line() -> None:
    """Both interfaces name their text parts differently; the text is the same."""
    parts = [
        {"type": "text", "text": "看这张图"},
        {"type": "input_text", "text": "what is it?"},
        {"type": "output_text", "text": ""},
        {"type": "refusal", "refusal": "不行"},
    ]
    events, reported = read(user(*parts))
    assert "看这张图\n\nwhat is it?\n\n不行" == events.messages[0].content
    assert {"refusal": True} == events.messages[0].meta
    assert [] == reported


@pytest.mark.spec("S1", "E1")
@pytest.mark.parametrize(
    ("part", "uri", "meta"),
    [
        (
            {"type": "image_url", "image_url": {"url": "https://例.cn/图.png", "detail": "low"}},
            "https://例.cn/图.png",
            {"kind": "image", "detail": "low"},
        ),
        (
            {"type": "input_image", "image_url": "HTTP://example.com/a.png"},
            "HTTP://example.com/a.png",
            {"kind": "image"},
        ),
        (
            {"type": "input_file", "file_url": "https://example.com/报告.pdf"},
            "https://example.com/报告.pdf",
            {"kind": "file"},
        ),
    ],
)
def test_a_linked_image_or_file_is_a_ref_to_its_url(
    part: dict[str, Any], uri: str, meta: dict[str, Any]
) -> None:
    """The message keeps which ref was its own, and stands without any text."""
    events, reported = read(user(part))
    assert [(RefType.URL, uri, meta)] == [(r.ref_type, r.ref_uri, r.ref_meta) for r in events.refs]
    assert ("", {"refs": [uri]}) == (events.messages[0].content, events.messages[0].meta)
    assert [] == reported


@pytest.mark.spec("S1", "E1")
@pytest.mark.parametrize(
    ("part", "data", "meta"),
    [
        (
            {"type": "image_url", "image_url": {"url": PNG_URL}},
            PNG,
            {"kind": "image", "mime": "image/png"},
        ),
        (
            {"type": "input_image", "image_url": PNG_URL.replace("data:", "DATA:", 1)},
            PNG,
            {"kind": "image", "mime": "image/png"},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AAEC\nAw==", "format": "wav"}},
            b"\0\1\2\3",
            {"kind": "audio", "mime": "audio/wav", "format": "wav"},
        ),
        (
            {"type": "file", "file": {"file_data": "AAEC", "filename": "报告.pdf"}},
            b"\0\1\2",
            {"kind": "file", "mime": "application/octet-stream", "filename": "报告.pdf"},
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:,%E4%BD%A0hi"}},
            "你hi".encode(),
            {"kind": "image", "mime": "text/plain"},
        ),
    ],
)
def test_data_becomes_a_ref_named_by_its_hash(
    part: dict[str, Any], data: bytes, meta: dict[str, Any]
) -> None:
    """Type and length are kept with it, the bytes are not, and that is said."""
    events, reported = read(user({"type": "text", "text": "图"}, part))
    (ref,) = events.refs
    uri = f"sha256:{sha256(data).hexdigest()[:32]}"
    assert (RefType.ARTIFACT, uri) == (ref.ref_type, ref.ref_uri)
    assert {**meta, "bytes": len(data)} == ref.ref_meta
    assert "图" == events.messages[0].content
    assert [("bytes_not_kept", "messages[0].content[1]")] == reported


@pytest.mark.spec("S1", "E1")
def test_an_uploaded_file_is_a_ref_to_its_id() -> None:
    """Nothing of it is here but the id that the provider gave."""
    events, _ = read(user({"type": "file", "file": {"file_id": "file-1"}}))
    (ref,) = events.refs
    assert (RefType.ARTIFACT, "file-1") == (ref.ref_type, ref.ref_uri)


@pytest.mark.spec("S1", "E1")
def test_a_message_of_the_sdk_is_read_as_it_comes() -> None:
    """What it does not have is not kept as nothing."""
    message = ChatCompletionMessage.model_validate(calling(("c1", "f", '{"a": null}')))
    plain = ChatCompletionMessage(role="assistant", content="好的 done")
    events, reported = read(message, answer("c1", "ok"), plain)
    assert [("c1", "f", {"a": None}, "ok", CallStatus.OK)] == told(events.tool_calls)
    assert [("", {"tool_calls": ["c1"]}), ("好的 done", {})] == [
        (one.content, one.meta) for one in events.messages
    ]
    assert [] == reported


@pytest.mark.spec("S1", "E1")
def test_a_dict_may_hold_objects_of_the_sdk() -> None:
    """Agents put the calls of an answer into a message of their own."""
    message = ChatCompletionMessage.model_validate(calling(("c1", "f", "{}")))
    events, _ = read({"role": "assistant", "tool_calls": message.tool_calls})
    assert [("c1", "f", {}, None, CallStatus.UNKNOWN)] == told(events.tool_calls)


@pytest.mark.spec("S1", "E1")
def test_items_of_a_response_are_read_as_they_come() -> None:
    """Messages, calls, their results and thoughts stand side by side in a list."""
    text = {"type": "output_text", "text": "北京晴", "annotations": []}
    events, reported = read(
        ResponseReasoningItem(id="rs_1", type="reasoning", summary=[]),
        ResponseFunctionToolCall(
            type="function_call", call_id="c1", name="weather", arguments='{"城市": "北京"}'
        ),
        {"type": "function_call_output", "call_id": "c1", "output": "晴"},
        ResponseFunctionWebSearch.model_validate(
            {"id": "ws_1", "type": "web_search_call", "status": "completed",
             "action": {"type": "search", "query": "天气"}}
        ),
        ResponseOutputMessage.model_validate(
            {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
             "content": [text, {"type": "refusal", "refusal": "no more"}]}
        ),
    )  # fmt: skip
    assert [("c1", "weather", {"城市": "北京"}, "晴", CallStatus.OK)] == told(events.tool_calls)
    thought, call, search, said = events.messages
    assert {Role.ASSISTANT} == {message.role for message in events.messages}
    assert "rs_1" == thought.meta["thinking"][0]["id"]
    assert {"tool_calls": ["c1"]} == call.meta
    assert "web_search_call" == search.meta["parts"][0]["type"]
    assert ("北京晴\n\nno more", "msg_1") == (said.content, said.external_id)
    assert {"status": "completed", "refusal": True} == said.meta
    places = ["messages[3].content[0]", "messages[4].status"]
    assert [("kept_in_meta", place) for place in sorted(places)] == sorted(reported)


@pytest.mark.spec("S1")
def test_the_free_text_of_a_custom_tool_is_not_read_as_json() -> None:
    """What it was given stays the text it was."""
    call = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "42"}}
    events, _ = read({"role": "assistant", "tool_calls": [call]})
    assert ("sql", "42") == (events.tool_calls[0].name, events.tool_calls[0].args)


@pytest.mark.spec("S1")
def test_objects_of_other_makers_are_read_by_their_fields() -> None:
    """A namespace with the fields of a message, and our own message, are messages."""
    call = SimpleNamespace(id="c1", function=SimpleNamespace(name="f", arguments="[1]"))
    events, _ = read(
        SimpleNamespace(role="assistant", content="看 here", tool_calls=[call], _private=1),
        Message(id="", role=Role.USER, content="typed 消息", external_id="m1"),
    )
    assert ["看 here", "typed 消息"] == [message.content for message in events.messages]
    assert ("m1", {}) == (events.messages[1].external_id, events.messages[1].meta)
    assert [("c1", "f", [1], None, CallStatus.UNKNOWN)] == told(events.tool_calls)


@pytest.mark.spec("S1")
def test_a_name_that_the_meta_has_taken_is_not_overwritten() -> None:
    """What the caller keeps and what we keep are both there."""
    events, _ = read(calling(("c1", "f", "{}"), meta={"tool_calls": "mine", "备注": 1}))
    assert {"tool_calls": "mine", "备注": 1, "tool_calls_": ["c1"]} == events.messages[0].meta


@pytest.mark.spec("S1")
def test_the_callers_dicts_are_left_as_they_were() -> None:
    """Reading takes nothing out of what was given."""
    given = [calling(("c1", "f", "{}")), answer("c1", [{"type": "text", "text": "好"}])]
    before = json.dumps(given)
    read(*given)
    assert before == json.dumps(given)
