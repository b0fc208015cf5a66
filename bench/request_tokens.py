"""What a whole request costs, as its provider is sent it: to hold against the limit of a context.

In: a request in the form of OpenAI or Anthropic, and a counter. Out: a whole number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from smartbrain.ports.token_counter import MEDIA_TOKENS, MESSAGE_TOKENS, TokenCounter


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
