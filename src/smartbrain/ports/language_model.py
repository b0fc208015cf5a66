"""The language model port: messages in, an answer in words out (C6, C9).

In: a short conversation, and the JSON schema that the answer should follow, if any. Out: the text
as the model gave it, which may still not follow the schema: whoever asked reads it with suspicion.
Nothing depends on a model being there; what it would propose waits in the queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from smartbrain.errors import UsageError

ROLES: Final = ("system", "user", "assistant")
"""Who may speak in a conversation with a model."""
LONGEST_TIMEOUT: Final = 3_600.0
RETRIES: Final = "retries"
"""What `usage` counts beside tokens: how often a service was asked again for one answer."""


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message to a model."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said, which model it was, and what it counted, such as tokens."""

    text: str
    model: str
    usage: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class LanguageModel(Protocol):
    """One model that completes conversations; threads may share it."""

    @property
    def model(self) -> str:
        """The name of the model, as the service knows it."""

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what the model answers within so many seconds an attempt."""

    def close(self) -> None:
        """Let go of the connections; closing again does nothing."""


def read_messages(messages: Sequence[ModelMessage], timeout: float) -> list[dict[str, str]]:
    """Return a conversation as services take it; halves of characters are joined or replaced."""
    if not messages:
        raise UsageError("a model needs at least one message to answer")
    if not 0 < timeout <= LONGEST_TIMEOUT:
        raise UsageError(f"timeout is {timeout!r:.60}; give seconds up to {LONGEST_TIMEOUT:g}")
    for message in messages:
        if message.role not in ROLES:
            raise UsageError(f"role is {message.role!r:.60}; use one of {', '.join(ROLES)}")
        if not message.content.strip():
            raise UsageError(f"the message of the {message.role} is blank; leave it out")
    return [
        {
            "role": one.role,
            "content": one.content.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        }
        for one in messages
    ]
