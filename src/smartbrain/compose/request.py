"""What one compose is asked for: whom it is for, the message, the agent's own words, the limit.

In: what a caller hands over. Out: a `ComposeRequest`, read and checked, or a `UsageError` that says
what to change. Nothing is looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from smartbrain.domain.audience import Audience
from smartbrain.domain.context import Block
from smartbrain.domain.context_media import lacking
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.recipe import Recipe
from smartbrain.domain.record import canonical_json
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import LONGEST_ID, as_mapping, read_text

_STATE: Final = ("system", "developer", "tools", "mode")
_TEXTS: Final = ("text", "input_text")
_CALLS: Final = ("tool_result", "tool_use")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeRequest:
    """One compose."""

    session_id: str
    message: Mapping[str, Any] | None
    recipe: Recipe
    audience: Audience
    limit: int
    now: datetime
    turn_id: str | None = None
    run_id: str | None = None
    system: tuple[Block, ...] = ()
    developer: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        """The words of the message."""
        return message_text(self.message)


def message_text(message: Mapping[str, Any] | None) -> str:
    """Return the words of a message, without its images."""
    content = message.get("content") if message else None
    if content is None or isinstance(content, str):
        return content or ""
    return "\n\n".join(part["text"] for part in content if part["type"] in _TEXTS)


def read_message(given: object) -> Mapping[str, Any] | None:
    """Return what the user says as a message; a text becomes one."""
    if given is None:
        return None
    if isinstance(given, str):
        return {"role": "user", "content": read_text(given, "user_message", empty=True)}
    message = as_mapping(given, "user_message")
    if message is None or "content" not in message:
        raise UsageError(f"user_message is text or a message with content, not {shown(given)}")
    if message.get("role", "user") != "user":
        raise UsageError(f"user_message is a message of the user, not of {shown(message['role'])}")
    if message.get("name") is not None:
        read_text(message["name"], "user_message.name", longest=LONGEST_ID, empty=True)
    content = message["content"]
    if isinstance(content, str):
        read_text(content, "user_message", empty=True)
        return {**message, "role": "user"}
    parts = content if isinstance(content, list | tuple) else None
    if content is not None and parts is None:
        raise UsageError(f"the content of user_message is text or parts, not {shown(content)}")
    read = [_read_part(part, place) for place, part in enumerate(parts or ())]
    return {**message, "role": "user", "content": read}


def read_agent_state(
    given: object,
) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return an agent's system and developer blocks."""
    if given is None:
        return (), ()
    if not isinstance(given, Mapping):
        raise UsageError(f"agent_state is a dict of {', '.join(_STATE)}, not {shown(given)}")
    for key in given:
        if key not in _STATE:
            near = did_you_mean(key, _STATE)
            raise UsageError(f"agent_state has no {key!r:.60}; it has {', '.join(_STATE)}{near}")
    system = _read_blocks("system", given.get("system"))
    developer = _read_blocks("developer", given.get("developer"))
    if tools := given.get("tools"):
        developer += (Block(type="tools", text=_read_tools(tools)),)
    developer += _read_blocks("mode", given.get("mode"))
    return system, developer


def _read_part(given: object, place: int) -> Mapping[str, Any]:
    where = f"user_message.content[{place}]"
    part = as_mapping(given, where)
    if part is None or not isinstance(part.get("type"), str):
        raise UsageError(f"{where} is a part with a type, not {shown(given)}")
    if part["type"] in _TEXTS:
        read_text(part.get("text"), f"{where}.text", empty=True)
    if part["type"] in _CALLS:
        raise UsageError(
            f"{where} is a {part['type']}: give calls and their results to commit_turn, which"
            " stores them for every later context, and leave them out of user_message"
        )
    if (needed := lacking(part)) is not None:
        raise UsageError(f"{where} shows nothing: its type is {part['type']}; give {needed}")
    return part


def _read_blocks(kind: str, given: object) -> tuple[Block, ...]:
    texts = [given] if isinstance(given, str) else given
    if texts is None:
        return ()
    if not isinstance(texts, Sequence) or isinstance(texts, bytes):
        raise UsageError(f"agent_state.{kind} is text or a list of texts, not {shown(given)}")
    read = [read_text(text, f"agent_state.{kind}", empty=True) for text in texts]
    return tuple(Block(type=kind, text=text) for text in read if text.strip())


def _read_tools(given: object) -> str:
    if isinstance(given, str):
        return read_text(given, "agent_state.tools")
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        raise UsageError(f"agent_state.tools is text or a list, not {shown(given)}")
    try:
        return "\n".join(tool if isinstance(tool, str) else canonical_json(tool) for tool in given)
    except (TypeError, ValueError):
        raise UsageError("agent_state.tools holds something else than plain data") from None
