"""Calls of tools as providers give them, objects of their SDKs and dicts, told apart and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types import ToolUseBlock
from openai.types.chat import ChatCompletionMessageToolCall
from openai.types.responses import ResponseFunctionToolCall

from smartbrain.errors import UsageError
from smartbrain.remember.arguments import ModelCall, read_model_call

ASKED = {"query": "蓝牙 0x8007045D"}
JSON = json.dumps(ASKED, ensure_ascii=False)
OPENAI = {"id": "c1", "type": "function", "function": {"name": "recall", "arguments": JSON}}
ANTHROPIC = {"type": "tool_use", "id": "c1", "name": "recall", "input": ASKED}
RESPONSE = {
    "type": "function_call",
    "id": "fc_9",
    "call_id": "c1",
    "name": "recall",
    "arguments": JSON,
}


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    "call",
    [
        OPENAI,
        ChatCompletionMessageToolCall.model_validate(OPENAI),
        ANTHROPIC,
        ToolUseBlock.model_validate(ANTHROPIC),
        RESPONSE,
        ResponseFunctionToolCall.model_validate(RESPONSE),
        {"id": "c1", "name": "recall", "arguments": ASKED},
        {"id": "c1", "name": "recall", "arguments": JSON},
    ],
    ids=["openai", "openai object", "anthropic", "anthropic object", "response", "r. object"]
    + ["plain", "plain json"],
)
def test_a_call_is_read_whoever_gives_it(call: Any) -> None:
    """Name, arguments and the id that the answer refers to are the same."""
    assert ModelCall("recall", ASKED, "c1") == read_model_call(call)


@pytest.mark.parametrize("arguments", ["", "  ", None])
def test_no_arguments_are_empty_ones(arguments: str | None) -> None:
    """Models leave them out for tools that need none."""
    assert ModelCall("plan", {}) == read_model_call({"name": "plan", "arguments": arguments})


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"query": ', "the arguments are no JSON (Expecting value at character 10)"),
        ("[" * 100_000, "the arguments are no JSON that can be read"),
        ("9" * 5_000, "the arguments are no JSON that can be read"),
        ('["a"]', "the arguments are ['a']; give one JSON object"),
        (3, "the arguments are 3; give one JSON object"),
    ],
)
def test_arguments_that_cannot_be_read_are_the_models_mistake(
    arguments: object, problem: str
) -> None:
    """They are told, not raised."""
    read = read_model_call({"id": "c", "name": "recall", "arguments": arguments})
    assert ({}, "c") == (read.arguments, read.id)
    assert problem in read.problem


@pytest.mark.spec("S1")
@pytest.mark.parametrize("call", [None, "recall", 3, [], [OPENAI], {}, {"name": " "}, object()])
def test_what_is_no_call_is_the_callers_mistake(call: object) -> None:
    """A list of calls, a name alone, and nothing are refused, with what to give."""
    with pytest.raises(UsageError, match="call") as caught:
        read_model_call(call)
    assert "\n" not in caught.value.message
