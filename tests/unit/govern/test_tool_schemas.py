"""The tools of a model as providers take them: valid for their own types, strict, and checked."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import ToolParam
from openai.types.chat import ChatCompletionToolParam
from pydantic import TypeAdapter

from smartbrain.errors import UsageError
from smartbrain.govern.tool_schemas import (
    TOOLS,
    ModelTool,
    anthropic_tool,
    find_tool,
    openai_tool,
    read_arguments,
)

OPENAI: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolParam)
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(ToolParam)
EACH = pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
TYPES = {
    "string": "text",
    "integer": 1,
    "boolean": True,
    "array": ["1"],
}


def sample(schema: dict[str, Any]) -> Any:
    """Return a value that a property's schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    return TYPES[kind] if isinstance(kind, str) else None


@pytest.mark.spec("S1")
@EACH
def test_each_tool_has_the_providers_own_shape(tool: ModelTool) -> None:
    """Both accept it and nothing is dropped."""
    for adapter, given in ((OPENAI, openai_tool(tool)), (ANTHROPIC, anthropic_tool(tool))):
        checked = adapter.validate_python(given, strict=True)
        assert given == checked
    assert 10 < len(tool.meaning) <= 80


@pytest.mark.spec("S1")
@EACH
def test_null_stands_for_what_is_left_out(tool: ModelTool) -> None:
    """Some models send every argument."""
    schema = anthropic_tool(tool)["input_schema"]
    given = {
        name: sample(one) if name in schema["required"] else None
        for name, one in schema["properties"].items()
    }
    assert schema["required"] == list(read_arguments(tool, given))


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("recall", {}, "recall needs 'query'"),
        ("recall", {"query": None}, "recall needs 'query'"),
        ("recall", {"query": 7}, "query is 7; it must be text"),
        ("recall", {"query": "蓝牙", "k": "8"}, "k is '8'; it must be a whole number"),
        ("recall", {"query": "蓝牙", "k": True}, "k is True; it must be a whole number"),
        ("recall", {"query": "蓝牙", "k": 21}, "k is 21; it must be 1 to 20"),
        ("recall", {"query": "x", "querry": "y"}, "no argument 'querry' (did you mean 'query'?)"),
        ("note", {"text": "好", "milestone": "yes"}, "milestone is 'yes'; it must be true or"),
        ("plan", {"action": "tick"}, "action is 'tick'"),
        ("unpin", {"ids": []}, "ids has 0 entries"),
        ("unpin", {"ids": [{}]}, "ids holds {}"),
    ],
)
def test_a_wrong_argument_is_told_in_one_sentence(name: str, given: Any, sentence: str) -> None:
    """It names the argument, what was given, and what is wanted."""
    with pytest.raises(UsageError) as caught:
        read_arguments(TOOLS[name], given)
    assert sentence in caught.value.message
    assert "\n" not in caught.value.message


def test_a_choice_that_was_mistyped_is_suggested_by_its_plain_name() -> None:
    """The hint is a word that can be given, not a name of ours."""
    given = {"type": "constrain", "title": "t", "summary": "s"}
    with pytest.raises(UsageError, match=r"\(did you mean 'constraint'\?\)"):
        read_arguments(TOOLS["pin"], given)


def test_ids_may_be_given_in_any_usual_form() -> None:
    """As numbers, as texts, with a sign before them, or a single one."""
    assert {"ids": ["1", "3"]} == read_arguments(TOOLS["unpin"], {"ids": [1, "#3", "1"]})
    assert {"ids": ["2"]} == read_arguments(TOOLS["unpin"], {"ids": 2})


def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    """The nearest is suggested, and all are named."""
    every = ", ".join(TOOLS)
    with pytest.raises(UsageError, match=rf"no tool 'plans' \(did you mean 'plan'\?\).* {every}$"):
        find_tool("plans")
