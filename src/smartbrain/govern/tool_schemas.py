"""The tools that a model may call on its memory: names, meanings, arguments (S1).

In: a provider's format, or arguments that a model gave. Out: schemas as that provider takes them;
arguments that can be used, or one sentence on what to change. What a tool does is in
`bootstrap.tooling`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
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


def _text(name: str, meaning: str, *, required: bool = False) -> Argument:
    return Argument(name, "string", meaning, required)


def _number(name: str, meaning: str, least: int, most: int) -> Argument:
    return Argument(name, "integer", meaning, bounds=(least, most))


_IDS: Final = "array"
_RUN: Final = _text(
    "id", "The run or the turn, as shown: tool:<id>, turn:<id> or turn:…<end of id>.", required=True
)
_LARGEST: Final = 10**9

ARTIFACT_GET: Final = ModelTool(
    "artifact_get",
    "Read a part of what a tool printed earlier, or of what was said in a turn. A long output comes"
    " in parts; the last line of the answer says how to go on.",
    (
        _RUN,
        _text("range", "Lines such as '10-40' or '10-', or 'bytes=0-999'. Left out: from the top."),
    ),
)
ARTIFACT_GREP: Final = ModelTool(
    "artifact_grep",
    "Find the lines of an earlier tool output, or of a turn, that match a regular expression.",
    (
        _RUN,
        _text("pattern", "A regular expression, matched line by line.", required=True),
        _number("limit", "How many matches at most, up to 100; 20 if left out.", 1, 100),
        _number("context", "Lines shown around each match, up to 10; 0 if left out.", 0, 10),
        Argument("ignore_case", "boolean", "Whether A and a are the same; false if left out."),
        _number("after", "Only lines after this number, to go on.", 0, _LARGEST),
    ),
)
FILE_SNIPPET: Final = ModelTool(
    "file_snippet",
    "Read some lines of a file in the folders that are open to you.",
    (
        _text("path", "The file; a relative path is looked for in each folder.", required=True),
        _number("start", "The first line; 1 if left out.", 1, _LARGEST),
        _number("len", "How many lines, up to 500; 80 if left out.", 1, 500),
        _text("range", "Instead: 'bytes=0-999', to go on inside a long line, or lines '10-40'."),
    ),
)
PIN: Final = ModelTool(
    "pin",
    "Pin a key fact, so that every later context shows it. Keep it short; pin only what must not"
    " be forgotten.",
    (
        Argument("type", "string", "What kind of fact it is.", True, tuple(PinType)),
        _text("title", "What it is about, in a few words.", required=True),
        _text("summary", "The fact itself, in a sentence or two.", required=True),
        _text(
            "source",
            "Where it comes from: chat:<message or turn id>, tool:<run id> or file:<path>#L<line>."
            " Left out: the latest turn of this conversation.",
        ),
        _text("artifact_ref", "Where the rest is, such as tool:<run id>, if this is a summary."),
        _text("ttl", "How long it lives, such as '7d' or '30 sessions'."),
    ),
)
UNPIN: Final = ModelTool(
    "unpin",
    "Take pins off that no longer matter.",
    (Argument("ids", _IDS, "The numbers of the pins, as shown.", True),),
)
PLAN: Final = ModelTool(
    "plan",
    "Keep the to-do list of this conversation: add a step, check steps off, remove or list them."
    " A long list comes in parts, what is open first.",
    (
        Argument("action", "string", "What to do.", True, ("add", "check", "remove", "list")),
        _text("text", "For add: what is to be done."),
        _text("done_when", "For add: what makes it done."),
        Argument("ids", _IDS, "For check and remove: the numbers of the steps."),
        Argument("done", "boolean", "For check: false opens a step again; true if left out."),
        _number("start", "For list: the line to begin with, to go on; 1 if left out.", 1, _LARGEST),
    ),
)
NOTE: Final = ModelTool(
    "note",
    "Write a line into the notebook of this conversation: what was done or decided, and why.",
    (
        _text("text", "The line.", required=True),
        Argument("milestone", "boolean", "Whether it must outlast compaction; false if left out."),
    ),
)
RECALL: Final = ModelTool(
    "recall",
    "Look into long-term memory: what was said, decided, preferred or planned in any earlier"
    " conversation.",
    (
        _text("query", "What you want to know, in any words and any language.", required=True),
        _number("k", "How many memories at most, up to 20; 8 if left out.", 1, 20),
        _text("since", "Only what was said from then on: a date or time in ISO 8601."),
        _text("until", "Only what was said before then: a date or time in ISO 8601."),
    ),
)
FORGET: Final = ModelTool(
    "forget",
    "Forget something for good, only when the user asks for it. Without confirm it says what would"
    " go; if the user meant just that, call it again with confirm.",
    (
        _text(
            "ids", "Ids of memories, claims or turns, as recall shows them, with commas between."
        ),
        _text("topic", "A person, a company or another thing, with what is only about it."),
        Argument("confirm", "boolean", "True to forget it; left out, nothing changes."),
    ),
)
TOOLS: Final = {
    tool.name: tool
    for tool in (ARTIFACT_GET, ARTIFACT_GREP, FILE_SNIPPET, PIN, UNPIN, PLAN, NOTE, RECALL, FORGET)
}
"""All tools by name, in the order they are offered."""


def openai_tool(tool: ModelTool) -> dict[str, Any]:
    """Return a tool as OpenAI takes it; strict, so what may be left out is null there."""
    function = {
        "name": tool.name,
        "description": tool.meaning,
        "parameters": _schema(tool, strict=True),
        "strict": True,
    }
    return {"type": "function", "function": function}


def anthropic_tool(tool: ModelTool) -> dict[str, Any]:
    """Return a tool as Anthropic takes it."""
    schema = _schema(tool, strict=False)
    return {"name": tool.name, "description": tool.meaning, "input_schema": schema}


def _schema(tool: ModelTool, *, strict: bool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            one.name: _property(one, nullable=strict and not one.required) for one in tool.arguments
        },
        "required": [one.name for one in tool.arguments if strict or one.required],
        "additionalProperties": False,
    }


def _property(argument: Argument, *, nullable: bool) -> dict[str, Any]:
    # Bounds are told in the meaning: not every provider takes them in a strict schema.
    found: dict[str, Any] = {"type": [argument.kind, "null"] if nullable else argument.kind}
    if argument.choices:
        found["enum"] = [str(one) for one in argument.choices]
    if argument.kind == _IDS:
        found["items"] = {"type": "string"}
    return {**found, "description": argument.meaning}


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
    if isinstance(value, str) and not _encodable(value):
        raise UsageError(f"{argument.name} holds half a character; give whole ones")
    least, most = argument.bounds
    if isinstance(value, int) and most and not least <= value <= most:
        raise UsageError(f"{argument.name} is {shown(value)}; it must be {least} to {most}")
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
