"""The tools that a model may call on its memory: names, meanings, arguments (S1).

In: a provider's format, or arguments that a model gave. Out: schemas as that provider takes them;
arguments that can be used, or one sentence on what to change. What a tool does is in
`bootstrap.writing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.shapes import json_problem
from smartbrain.domain.working import PinType
from smartbrain.errors import UsageError
from smartbrain.govern.pins import read_choice, read_ids

_KINDS: Final[Mapping[str, tuple[type, str]]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool; a number is within `bounds`, a text is one of `choices` if any."""

    name: str
    kind: str
    meaning: str
    required: bool = False
    choices: tuple[str, ...] = ()
    bounds: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A tool as a model is told of it."""

    name: str
    meaning: str
    arguments: tuple[Argument, ...]


def _text(name: str, meaning: str = "", *, required: bool = False) -> Argument:
    return Argument(name, "string", meaning, required)


def _number(name: str, least: int, most: int, meaning: str = "") -> Argument:
    return Argument(name, "integer", meaning, bounds=(least, most))


_IDS: Final = "array"
_RUN: Final = _text("id", "tool:<id> or turn:<id>", required=True)
_LARGEST: Final = 10**9

# Every request carries these, so each word has to tell something that its name does not.
ARTIFACT_GET: Final = ModelTool(
    "artifact_get",
    "Read earlier tool output or a turn, part by part.",
    (_RUN, _text("range", "'10-40' or 'bytes=0-999'")),
)
ARTIFACT_GREP: Final = ModelTool(
    "artifact_grep",
    "Find matching lines in earlier tool output or a turn.",
    (
        _RUN,
        _text("pattern", "regular expression", required=True),
        _number("limit", 1, 100),
        _number("context", 0, 10),
        Argument("ignore_case", "boolean", ""),
        _number("after", 0, _LARGEST),
    ),
)
ARTIFACT_LIST: Final = ModelTool(
    "artifact_list",
    "List this conversation's tool runs, newest first.",
    (_number("limit", 1, 50),),
)
FILE_SNIPPET: Final = ModelTool(
    "file_snippet",
    "Read lines of a file in the open folders.",
    (
        _text("path", required=True),
        _number("start", 1, _LARGEST),
        _number("len", 1, 500),
        _text("range", "'10-40' or 'bytes=0-999'"),
    ),
)
PIN: Final = ModelTool(
    "pin",
    "Show a key fact in every later context.",
    (
        Argument("type", "string", "", True, tuple(PinType)),
        _text("title", required=True),
        _text("summary", required=True),
        _text("source", "chat:<id>, tool:<id>, file:<path>#L<n>"),
        _text("ttl", "'7d' or '30 sessions'"),
    ),
)
UNPIN: Final = ModelTool("unpin", "Remove pins.", (Argument("ids", _IDS, "", True),))
PLAN: Final = ModelTool(
    "plan",
    "Keep the to-do list.",
    (
        Argument("action", "string", "", True, ("add", "check", "remove", "list")),
        _text("text", "for add"),
        _text("done_when", "for add"),
        Argument("ids", _IDS, "for check, remove"),
        Argument("done", "boolean", "false reopens"),
        _number("start", 1, _LARGEST),
    ),
)
NOTE: Final = ModelTool(
    "note",
    "Note what was done or decided.",
    (_text("text", required=True), Argument("milestone", "boolean", "")),
)
RECALL: Final = ModelTool(
    "recall",
    "Search long-term memory of all conversations.",
    (
        _text("query", required=True),
        _number("k", 1, 20),
        _text("since", "ISO 8601"),
        _text("until", "ISO 8601"),
    ),
)
REMEMBER: Final = ModelTool(
    "remember", "Keep what the user states or asks to keep.", (_text("text", required=True),)
)
CORRECT: Final = ModelTool(
    "correct",
    "Put a right value in place of a wrong one.",
    (
        _text("id", "id or key", required=True),
        _text("field", "attribute or field", required=True),
        _text("value", required=True),
    ),
)
FORGET: Final = ModelTool(
    "forget",
    "Only if the user asks: preview; with confirm, delete.",
    (
        _text("ids"),
        _text("topic"),
        Argument("confirm", "boolean", ""),
    ),
)
TOOLS: Final = {
    tool.name: tool
    for tool in (
        *(ARTIFACT_GET, ARTIFACT_GREP, ARTIFACT_LIST, FILE_SNIPPET),
        *(PIN, UNPIN, PLAN, NOTE, RECALL, REMEMBER, CORRECT, FORGET),
    )
}
"""All tools by name, in the order they are offered."""


def openai_tool(tool: ModelTool) -> dict[str, Any]:
    """Return a tool as OpenAI takes it."""
    function = {"name": tool.name, "description": tool.meaning, "parameters": _schema(tool)}
    return {"type": "function", "function": function}


def anthropic_tool(tool: ModelTool) -> dict[str, Any]:
    """Return a tool as Anthropic takes it."""
    return {"name": tool.name, "description": tool.meaning, "input_schema": _schema(tool)}


def _schema(tool: ModelTool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in tool.arguments},
        "required": [argument.name for argument in tool.arguments if argument.required],
    }


def _property(argument: Argument) -> dict[str, Any]:
    # Bounds are not told: who passes them is told what to change.
    found: dict[str, Any] = {"type": argument.kind}
    if argument.choices:
        found["enum"] = [str(choice) for choice in argument.choices]
    if argument.kind == _IDS:
        found["items"] = {"type": "string"}
    return {**found, "description": argument.meaning} if argument.meaning else found


def find_tool(name: str) -> ModelTool:
    """Return a tool by its name."""
    if name in TOOLS:
        return TOOLS[name]
    near = did_you_mean(name, list(TOOLS))
    raise UsageError(f"there is no tool {shown(name)}{near}; the tools are {', '.join(TOOLS)}")


def read_arguments(tool: ModelTool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a model gave, checked; null is the same as left out."""
    known = {one.name: one for one in tool.arguments}
    for name in given:
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(
                f"{tool.name} has no argument {shown(name)}{near}; it takes {', '.join(known)}"
            )
    present = {name: one for name, one in given.items() if one is not None}
    for one in tool.arguments:
        if one.required and one.name not in present:
            raise UsageError(f"{tool.name} needs {one.name!r}: {one.meaning}")
    return {name: _read(known[name], value) for name, value in present.items()}


def _read(argument: Argument, value: object) -> Any:
    if argument.kind == _IDS:
        return read_ids(value, argument.name)
    if argument.choices:
        return read_choice(value, argument.name, argument.choices)
    kind, words = _KINDS[argument.kind]
    if type(value) is not kind:
        raise UsageError(f"{argument.name} is {shown(value)}; it must be {words}")
    if problem := json_problem(value, argument.name):
        raise UsageError(problem)
    least, most = argument.bounds
    if isinstance(value, int) and most and not least <= value <= most:
        raise UsageError(f"{argument.name} is {shown(value)}; it must be {least} to {most}")
    return value
