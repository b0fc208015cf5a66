"""A chat completions service on 127.0.0.1 for tests: it says what the user said last.

In: HTTP requests as OpenAI's clients send them. Out: the user's last message, or what a fault says
in its place. See `model_service` for how it can be told to misbehave.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from smartbrain.testing.model_service import Fault, ModelService, running

MODEL = "test-chat"


class ChatService(ModelService):
    """Repeats what it is told."""

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Return the last message of the user."""
        said = [one["content"] for one in asked["messages"] if one["role"] == "user"]
        return 200, completion(said[-1])


def saying(text: str) -> Fault:
    """Return an answer in other words."""
    return Fault(change=lambda _: completion(text))


def completion(text: str) -> dict[str, Any]:
    """Return a text as a service of OpenAI's kind answers it."""
    return {
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5, "cost": 0.1},
    }


def running_chat_service() -> AbstractContextManager[ChatService]:
    """Serve until the block ends."""
    return running(ChatService())
