"""Language models for tests: one that repeats what it is told, and one that follows a script.

In: conversations. Out: the user's last words, or the next line of the script, be it an answer or an
error. Everything the scripted one was asked is kept in `asked`. Not for production.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.language_model import ModelAnswer, ModelMessage, read_messages


class EchoModel:
    """Answers with the last message of the user."""

    model = "echo"

    def __init__(self) -> None:
        self.closed = False

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - an echo keeps to no schema
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what the user said last."""
        if self.closed:
            raise UsageError("the language model is closed; open it again", code="closed")
        read = read_messages(messages, timeout)
        said = [one["content"] for one in read if one["role"] == "user"]
        return ModelAnswer(said[-1] if said else "", self.model, {"total_tokens": len(read)})

    def close(self) -> None:
        """Refuse work from now on."""
        self.closed = True


class ScriptedModel:
    """Gives one line of its script a call, the last one for ever; an error is raised."""

    model = "scripted"

    def __init__(self, script: Iterable[str | SmartBrainError]) -> None:
        self._script = list(script)
        self._lock = Lock()
        self.asked: list[tuple[ModelMessage, ...]] = []

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - a script keeps to no schema
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return or raise what the script says next."""
        read_messages(messages, timeout)
        with self._lock:
            self.asked.append(tuple(messages))
            line = self._script[min(len(self.asked), len(self._script)) - 1]
        if isinstance(line, SmartBrainError):
            raise line
        return ModelAnswer(line, self.model, {"total_tokens": len(line)})

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
