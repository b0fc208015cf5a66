"""What callers hand over, as type checkers and editors see it.

In: nothing. Out: types for arguments. They say what a literal may hold; what comes in is checked
where it is read, so that objects of a provider's library and plain mappings are taken as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

from smartbrain.domain.turn import Marked

AudienceName: TypeAlias = Literal["responder", "planner"]
"""Whom a context is for; what is not validated never reaches a responder."""
ProviderName: TypeAlias = Literal["openai", "anthropic"]
"""Whose form messages and tools have."""
FeedbackName: TypeAlias = Literal["pin", "unpin", "upvote", "downvote", "reject"]
"""What a memory was worth."""
PinTypeName: TypeAlias = Literal["constraint", "path", "command", "code", "conclusion"]
"""What a pin is."""
ChatFormatName: TypeAlias = Literal["auto", "jsonl", "json", "chatgpt", "claude", "transcript"]
"""How a chat history is written."""


class AgentState(TypedDict, total=False):
    """What the agent itself says in a context: it is shown first and never cut."""

    system: str | Sequence[str]
    developer: str | Sequence[str]
    tools: str | Sequence[Any]
    mode: str | Sequence[str]


class MessageInput(TypedDict, total=False):
    """One message, as OpenAI or Anthropic have it; `content` is text, parts, or None."""

    role: str
    content: object
    name: str
    id: str
    model: str
    meta: Mapping[str, Any]
    tool_calls: Sequence[Any]
    tool_call_id: str


class ToolCallInput(TypedDict, total=False):
    """One call of a tool, with how it ended."""

    id: str
    name: str
    args: object
    result: object
    status: str
    stdout: str
    stderr: str
    exit_code: int


class RefInput(TypedDict, total=False):
    """Something that a turn refers to, such as a file or a page."""

    ref_type: str
    ref_uri: str
    ref_meta: Mapping[str, Any]


class TurnInput(TypedDict, total=False):
    """One turn: what was said, what tools did, what was referred to, what is proposed."""

    at: object
    messages: Sequence[Any]
    tool_calls: Sequence[ToolCallInput]
    refs: Sequence[RefInput]
    preferences: Sequence[Mapping[str, Any]]
    tasks: Sequence[Mapping[str, Any]]
    decisions: Sequence[Mapping[str, Any]]
    retractions: Sequence[Mapping[str, Any]]


class ModelObject(Protocol):
    """A message of a provider's library, such as `response.choices[0].message`."""

    def model_dump(self, *, mode: Any = ..., by_alias: Any = ..., exclude_none: Any = ...) -> Any:
        """Return it as a dict."""


GivenMessage: TypeAlias = MessageInput | Mapping[str, Any] | ModelObject
"""A message, as a dict or as an object of a provider's library."""
GivenTurnEvents: TypeAlias = (
    TurnInput | Mapping[str, Any] | Sequence[GivenMessage] | ModelObject | Marked
)
"""What `commit_turn` takes: a list of messages, or a dict with messages, tool calls and refs."""
