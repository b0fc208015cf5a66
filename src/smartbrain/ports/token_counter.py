"""The token counter port: how many tokens a text costs a model, and a whole request.

In: a text, or a request in the form of OpenAI or Anthropic. Out: a whole number. A counter may
estimate; one that does errs on the high side, so that a budget kept by it holds. What stands around
a message and what an image costs differ from model to model; one figure each serves here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol, runtime_checkable

MESSAGE_TOKENS: Final = 4
"""What a message costs besides its words: its role and the marks around it."""
MEDIA_TOKENS: Final = 1_000
"""What an image, a sound or a file is taken to cost; what it truly does depends on its size."""


@runtime_checkable
class TokenCounter(Protocol):
    """One way to count tokens; threads may share it."""

    @property
    def name(self) -> str:
        """What it is called in settings and reports."""

    def count(self, text: str) -> int:
        """Return how many tokens a text costs; nothing for the empty one, the same each time."""


def count_request(request: Mapping[str, Any], counter: TokenCounter) -> int:
    """Return what a request costs: system text, messages, calls, results and media."""
    messages = request["messages"]
    system = [{"content": request["system"]}] if request.get("system") else []
    return sum(
        MESSAGE_TOKENS
        + sum(MEDIA_TOKENS if text is None else counter.count(text) for text in _texts(message))
        for message in (*system, *messages)
    )


def _texts(message: Mapping[str, Any]) -> Iterator[str | None]:
    """Yield the texts of a message, and None for each medium in it."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        yield from _part_texts(part)
    for call in message.get("tool_calls") or ():
        yield from _values(call["function"].values())


def _part_texts(part: Mapping[str, Any]) -> Iterator[str | None]:
    match part["type"]:
        case "text":
            yield part["text"]
        case "tool_use":
            yield from _values((part["name"], part["input"]))
        case "tool_result":
            yield from _texts(part)
        case _:
            yield None


def _values(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
