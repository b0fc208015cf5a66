"""A language model behind HTTP: any service that speaks OpenAI's `/chat/completions`.

In: a conversation. Out: the text of the first choice, or one AdapterError after the allowed
attempts. Failing services are tried again with growing pauses, then left alone for a while. A
service that does not know how to keep to a schema is asked again without it. The key goes into one
header and into nothing else. Not a reader of answers: what they say is for the caller to check.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx

from smartbrain.adapters.models.breaker import CircuitBreaker
from smartbrain.adapters.models.http_answer import asked_pause, complaint
from smartbrain.adapters.models.http_embedder import Pace, Patience
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.language_model import ModelAnswer, ModelMessage, read_messages

_TOO_MANY: Final = 429
_NOT_UNDERSTOOD: Final = (400, 422)
_PATH: Final = "/chat/completions"


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
        self._endpoint = _endpoint(url)
        self.model = model
        shown = self._endpoint.copy_with(username=None, password=None, query=None)
        self._where = f"{model} at {shown}"
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError(f"the API key for {self._where} has characters that no key has")
        self._pace = pace
        self._limits = limits
        self._breaker = CircuitBreaker(limits.open_after, limits.open_for, pace.monotonic)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(headers=headers)
        self._refused = _Refused()

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        """Return what the model answers, asked again while that may help."""
        body: dict[str, Any] = {"model": self.model, "messages": read_messages(messages, timeout)}
        if schema is None:
            return self._ask(body, timeout)
        asked = {"name": "answer", "schema": dict(schema)}
        strict = {
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": asked},
        }
        self._refused.form = False
        try:
            return self._ask(body | strict, timeout)
        except AdapterError:
            if not self._refused.form:
                raise
            return self._ask(body, timeout)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, body: Mapping[str, Any], timeout: float) -> ModelAnswer:
        """Ask until the service answers well, may not be asked again, or patience ends."""
        failures, patience = 0, self._limits.patience
        while True:
            self._admit()
            asked = 0.0
            try:
                response = self._post(body, timeout)
                asked = asked_pause(response.headers)
                answer = self._read(response)
            except AdapterError as error:
                if not error.retryable:
                    self._breaker.succeeded()  # it is there, it only refuses this request
                    raise
                self._breaker.failed()
                failures += 1
                if failures >= patience.attempts or self._breaker.is_open:
                    raise
                if asked > patience.longest_pause:
                    raise
                self._pace.sleep(max(asked, patience.pause(failures, self._pace.jitter())))
            else:
                self._breaker.succeeded()
                return answer

    def _admit(self) -> None:
        """Refuse the call while the service is left alone.

        Raises:
            AdapterError: it failed too often in a row; retryable.
        """
        wait = self._breaker.wait()
        if wait:
            raise self._error(
                f"it failed {self._limits.open_after} times in a row and is left alone;"
                f" the next try is in {wait:.0f} s"
            )

    def _post(self, body: Mapping[str, Any], timeout: float) -> httpx.Response:
        """Send one request; whatever status it gets is an answer."""
        try:
            return self._client.post(self._endpoint, json=body, timeout=timeout)
        except httpx.TimeoutException:
            raise self._error(f"no answer within {timeout:g} s") from None
        except httpx.HTTPError as error:
            raise self._error(str(error) or type(error).__name__) from None
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise UsageError("the language model is closed; open it again", code="closed") from None

    def _read(self, response: httpx.Response) -> ModelAnswer:
        """Return what a good answer says."""
        status = response.status_code
        if not response.is_success:
            said = f"it answered {status}, {complaint(response.content) or response.reason_phrase}"
            if status in _NOT_UNDERSTOOD:
                self._refused.form = True
                raise self._error(said, retryable=False)
            raise self._error(said, retryable=status == _TOO_MANY or response.is_server_error)
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError):
            raise self._error("it answered something else than JSON") from None
        text = _text(answer)
        if text is None:
            raise self._error("its answer has no text in `choices`", retryable=False)
        counted = answer.get("usage")
        usage = {
            str(name): count
            for name, count in (counted.items() if isinstance(counted, dict) else ())
            if type(count) is int
        }
        named = answer.get("model")
        return ModelAnswer(text, named if isinstance(named, str) and named else self.model, usage)

    def _error(self, what: str, *, retryable: bool = True) -> AdapterError:
        return AdapterError(self._sentence(what), retryable=retryable)

    def _sentence(self, what: str) -> str:
        """Return an error in one line, without the key whoever repeats it."""
        if self._key:
            what = what.replace(self._key, "***")
        return f"asking {self._where} failed: {' '.join(what.split())[:300]}"


class _Refused(threading.local):
    """Whether the service refused the form of the request that this thread made last."""

    form = False


def _text(answer: Any) -> str | None:
    """Return the words of the first choice, if there are any."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else None


def _endpoint(url: str) -> httpx.URL:
    """Return where requests go: under the path that was given, or `/v1` when none was.

    Raises:
        UsageError: it is no HTTP address.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise UsageError("a language model is given by its address, such as http://localhost:1/v1")
    path = parsed.path.rstrip("/")
    if not path.endswith(_PATH):
        path = f"{path or '/v1'}{_PATH}"
    return parsed.copy_with(path=path, fragment=None)
