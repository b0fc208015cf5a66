"""A language model behind HTTP: any service that speaks OpenAI's `/chat/completions`.

In: a conversation. Out: the text of the first choice, or one AdapterError after the allowed
attempts. Failing services are tried again with growing pauses, then left alone for a while. A
service that does not know how to keep to a schema is asked again without it. The key goes into one
header and into nothing else. Not a reader of answers: what they say is for the caller to check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from smartbrain.adapters.models.http_service import HttpService, Kind, Pace, Patience, Rest
from smartbrain.errors import AdapterError
from smartbrain.ports.language_model import RETRIES, ModelAnswer, ModelMessage, read_messages

_KIND: Final = Kind(
    name="the language model",
    doing="asking",
    path="/chat/completions",
    malformed="a language model is given by its address, such as http://localhost:1/v1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLimits:
    """How often one service is asked; the timeout is the caller's."""

    patience: Patience = Patience(attempts=3, timeout=0.0, first_pause=0.5, longest_pause=30.0)
    open_after: int = 5
    open_for: float = 30.0


DEFAULT_LIMITS: Final = ModelLimits()


class HttpLanguageModel:
    """One model of one service."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        pace: Pace,
        key: str = "",
        limits: ModelLimits = DEFAULT_LIMITS,
    ) -> None:
        """Take the address that `/chat/completions` is under; nothing is sent yet.

        Raises:
            UsageError: the address or the key cannot be used.
        """
        rest = Rest(after=limits.open_after, seconds=limits.open_for)
        self._service = HttpService(url, model, kind=_KIND, pace=pace, key=key, rest=rest)
        self.model = model
        self._limits = limits

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what the model answers, asked again while that may help."""
        body: dict[str, Any] = {"model": self.model, "messages": read_messages(messages, timeout)}
        patience = replace(self._limits.patience, timeout=timeout)
        retries: list[bool] = []
        again = partial(retries.append, True)
        if schema is not None:
            asked = {"name": "answer", "schema": dict(schema)}
            form = {"type": "json_schema", "json_schema": asked}
            strict = {"temperature": 0, "response_format": form}
            answer = self._service.ask_if_understood(body | strict, patience, self._read, again)
            if answer is not None:
                return _add_retries(answer, len(retries))
        answer = self._service.ask(body, patience, self._read, again)
        return _add_retries(answer, len(retries))

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _read(self, answer: Any) -> ModelAnswer:
        """Return what an answer says."""
        text = _text(answer)
        if text is None:
            raise AdapterError("its answer has no text in `choices`", retryable=False)
        counted = answer.get("usage")
        usage = {
            str(name): count
            for name, count in (counted.items() if isinstance(counted, dict) else ())
            if type(count) is int
        }
        named = answer.get("model")
        return ModelAnswer(text, named if isinstance(named, str) and named else self.model, usage)


def _add_retries(answer: ModelAnswer, retries: int) -> ModelAnswer:
    """Return an answer that says how often it was asked for again."""
    return replace(answer, usage={**answer.usage, RETRIES: retries}) if retries else answer


def _text(answer: Any) -> str | None:
    """Return the words of the first choice, if there are any."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else None
