"""Anthropic's messages read as a turn.

In: dicts and the SDK's own objects. Out: text, paired tool calls and refs; thoughts, the provider's
own tools and blocks nobody knows yet are kept in the meta.
"""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC
from hashlib import sha256
from typing import Any

import pytest
from anthropic.types import Message, MessageParam, TextBlock, ToolUseBlock

from smartbrain.domain.turn import CallStatus, RefType, ToolCall, TurnEvents
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.input import read_turn_events

PDF = b"%PDF-1.7 \xe6\x8a\xa5\xe5\x91\x8a"


def read(*messages: Any, **more: Any) -> tuple[TurnEvents, list[tuple[str, str]]]:
    """Read messages; return the turn and what was reported, each with its place."""
    events, ignored = read_turn_events(
        {"messages": list(messages), **more}, zone=UTC, types=BUILTIN_TYPES
    )
    return events, [(reason.code, reason.reason.split(" ")[0]) for reason in ignored]


def user(*blocks: Any) -> dict[str, Any]:
    """Return a user's message of those blocks."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    """Return an assistant's message of those blocks."""
    return {"role": "assistant", "content": list(blocks)}


def text(words: str, **more: Any) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words, **more}


def use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """Return a block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, **more: Any) -> dict[str, Any]:
    """Return a block with the result of a call."""
    return {"type": "tool_result", "tool_use_id": call_id, **more}


def answered(*blocks: dict[str, Any], **more: Any) -> Message:
    """Return a message of the SDK, as a client gets it from the service."""
    fields = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", **more}
    return Message.construct(**fields, content=list(blocks))


def told(calls: tuple[ToolCall, ...]) -> list[tuple[Any, ...]]:
    """Return what is known of each call."""
    return [(call.call_id, call.name, call.args, call.result, call.status) for call in calls]


@pytest.mark.spec("S1", "E1", "W6")
def test_a_tool_loop_is_paired_by_id() -> None:
    """A message that only carries results is not stored beside them."""
    events, reported = read(
        user(text("北京和上海的天气"), text("in one line")),
        assistant(text("查一下"), use("t1", "w", 城市="北京"), use("t2", "w")),
        user(result("t2", content=[text("雨"), text("20°C")]), result("t1", content="晴")),
        {"role": "assistant", "content": "晴和雨"},
    )
    assert [
        ("t1", "w", {"城市": "北京"}, "晴", CallStatus.OK),
        ("t2", "w", {}, "雨\n\n20°C", CallStatus.OK),
    ] == told(events.tool_calls)
    assert ["北京和上海的天气\n\nin one line", "查一下", "晴和雨"] == [
        message.content for message in events.messages
    ]
    assert {"tool_calls": ["t1", "t2"]} == events.messages[1].meta
    assert [] == reported


@pytest.mark.spec("S1", "W6")
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"content": "没有这个文件", "is_error": True}, ("没有这个文件", CallStatus.ERROR)),
        ({"content": "ok", "is_error": False}, ("ok", CallStatus.OK)),
        ({"content": []}, ("", CallStatus.OK)),
        ({"content": ""}, ("", CallStatus.OK)),
        ({}, (None, CallStatus.OK)),
    ],
)
def test_a_result_says_how_its_call_ended(more: dict[str, Any], expected: tuple[Any, ...]) -> None:
    """An error is one only where it is said; a call that gave nothing has ended too."""
    events, _ = read(assistant(use("t1", "cat")), user(result("t1", **more)))
    assert [expected] == [(call.result, call.status) for call in events.tool_calls]


@pytest.mark.spec("S1", "E1")
def test_words_beside_a_result_stay_a_message() -> None:
    """The result goes to its call, the words stay the user's."""
    events, _ = read(
        assistant(use("t1", "f")),
        user(result("t1", content="结果 42"), text("继续 please")),
    )
    assert "继续 please" == events.messages[1].content
    assert "结果 42" == events.tool_calls[0].result


@pytest.mark.spec("S1", "E1")
@pytest.mark.parametrize("kind", ["image", "document"])
@pytest.mark.parametrize(
    ("source", "ref_type", "uri", "meta"),
    [
        (
            {"type": "base64", "media_type": "application/pdf", "data": b64encode(PDF).decode()},
            RefType.ARTIFACT,
            f"sha256:{sha256(PDF).hexdigest()[:32]}",
            {"mime": "application/pdf", "bytes": len(PDF)},
        ),
        (
            {"type": "url", "url": "https://example.com/报告"},
            RefType.URL,
            "https://example.com/报告",
            {},
        ),
        ({"type": "file", "file_id": "file_1"}, RefType.ARTIFACT, "file_1", {}),
    ],
)
def test_images_and_documents_become_refs(
    kind: str, source: dict[str, str], ref_type: RefType, uri: str, meta: dict[str, Any]
) -> None:
    """Their bytes are named by a hash, and what else is said of them stays with the ref."""
    events, _ = read(user({"type": kind, "source": source, "title": "季报"}, text("总结")))
    (ref,) = events.refs
    shown = {"kind": "image" if kind == "image" else "file", "title": "季报", **meta}
    assert (ref_type, uri, shown) == (ref.ref_type, ref.ref_uri, ref.ref_meta)
    assert ("总结", {"refs": [uri]}) == (events.messages[0].content, events.messages[0].meta)


@pytest.mark.spec("S1", "E1")
def test_images_of_a_result_are_refs_of_their_call() -> None:
    """The message that brought them is still not stored a second time."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/屏.png"}}
    events, _ = read(
        assistant(use("t1", "screenshot")),
        user(result("t1", content=[text("截图"), image])),
    )
    assert {"kind": "image", "call_id": "t1"} == events.refs[0].ref_meta
    assert (1, "截图") == (len(events.messages), events.tool_calls[0].result)


@pytest.mark.spec("S1", "C11")
def test_a_document_of_plain_text_is_not_the_users_own_words() -> None:
    """It is kept whole in the meta, out of the text that is said to be the user's."""
    source = {"type": "text", "media_type": "text/plain", "data": "我喜欢咖啡"}
    events, reported = read(user({"type": "document", "source": source}, text("总结一下")))
    assert "总结一下" == events.messages[0].content
    assert [{"type": "document", "source": source}] == events.messages[0].meta["parts"]
    assert [("kept_in_meta", "messages[0].content[0]")] == reported


@pytest.mark.spec("S1", "E1")
def test_thoughts_are_kept_out_of_the_text() -> None:
    """They lie in the meta with their signatures, for they must be given back unaltered."""
    thought = {"type": "thinking", "thinking": "用户想要…", "signature": "sig"}
    hidden = {"type": "redacted_thinking", "data": "xyz"}
    events, reported = read(answered(thought, hidden, text("好的")))
    (message,) = events.messages
    assert ("好的", {"thinking": [thought, hidden]}) == (message.content, message.meta)
    assert [] == reported


@pytest.mark.spec("S1", "E1")
def test_blocks_of_the_providers_own_tools_and_unknown_ones_are_kept_in_the_meta() -> None:
    """Each is reported with its place; none of them is a call of ours."""
    search = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_search",
        "input": {"query": "天气"},
    }
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    newer = {"type": "hologram", "frames": ["甲", "b"]}
    events, reported = read(assistant(search, found, newer, text("晴")))
    assert ("晴", {"parts": [search, found, newer]}) == (
        events.messages[0].content,
        events.messages[0].meta,
    )
    assert () == events.tool_calls
    assert [("kept_in_meta", f"messages[0].content[{n}]") for n in range(3)] == reported


@pytest.mark.spec("S1", "E1")
def test_a_message_of_the_sdk_is_read_as_it_comes() -> None:
    """Id and model are the message's own, the rest of the reply is in its meta."""
    reply = answered(
        text("查一下 now"),
        use("t1", "天气", 城市="北京", 单位=None),
        stop_reason="tool_use",
        usage={"input_tokens": 3, "output_tokens": 5},
    )
    assert isinstance(reply.content[1], ToolUseBlock)
    events, reported = read(reply, user(result("t1", content="晴")))
    (message,) = events.messages
    assert ("查一下 now", "msg_1", "claude-x") == (
        message.content,
        message.external_id,
        message.model,
    )
    assert [
        ("t1", "天气", {"城市": "北京", "单位": None}, "晴", CallStatus.OK)
    ] == told(events.tool_calls)  # fmt: skip
    assert ("tool_use", 5) == (message.meta["stop_reason"], message.meta["usage"]["output_tokens"])
    assert {("kept_in_meta", f"messages[0].{n}") for n in ("stop_reason", "usage")} == {*reported}


@pytest.mark.spec("S1", "E1")
def test_blocks_of_the_sdk_may_lie_in_a_message_of_ones_own() -> None:
    """This is how an agent gives a reply back to the service."""
    reply = answered(text("好"), use("t1", "f", a=1))
    param: MessageParam = {"role": "assistant", "content": reply.content}
    events, reported = read(param, user(TextBlock(type="text", text="谢谢 thanks")))
    assert ["好", "谢谢 thanks"] == [message.content for message in events.messages]
    assert [("t1", "f", {"a": 1}, None, CallStatus.UNKNOWN)] == told(events.tool_calls)
    assert [] == reported


@pytest.mark.spec("S1", "E1")
def test_a_reply_without_any_block_is_still_a_message() -> None:
    """The service may end a turn with nothing to say; that it did is kept."""
    events, _ = read(answered(stop_reason="end_turn"))
    assert ("", "end_turn") == (events.messages[0].content, events.messages[0].meta["stop_reason"])
