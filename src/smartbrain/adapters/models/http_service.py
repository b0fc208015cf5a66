"""One HTTP service that answers JSON requests: asked with patience, then left alone for a while.

In: a request's body and how to read the JSON of a good answer. Out: what was read, or one
AdapterError after the allowed attempts. The key goes into one header and into nothing else. What a
request says, and what an answer means, is for the adapters that use it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import httpx

from smartbrain.adapters.models.breaker import CircuitBreaker
from smartbrain.adapters.models.http_answer import asked_pause, complaint
from smartbrain.errors import AdapterError, UsageError

_TOO_MANY: Final = 429
_NOT_UNDERSTOOD: Final = (400, 422)
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long one request is tried; seconds throughout."""

    attempts: int
    timeout: float
    first_pause: float
    longest_pause: float

    def pause(self, failures: int, jitter: float) -> float:
        """Return the pause after so many failures: doubled each time, half of it by chance."""
        full = min(self.longest_pause, self.first_pause * 2.0 ** (failures - 1))
        return full * (0.5 + 0.5 * jitter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Where waiting, the monotonic time and the chance in pauses come from."""

    jitter: Callable[[], float]
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a service is for, in the words of its errors, and where its requests go."""

    name: str  # such as "the embedder"
    doing: str  # such as "embedding with"
    path: str
    malformed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """After how many failures in a row a service is left alone, and for how many seconds."""

    after: int
    seconds: float


class HttpService:
    """One model of one service."""

    def __init__(
        self, url: str, model: str, *, kind: Kind, pace: Pace, key: str, rest: Rest
    ) -> None:
        """Take the address that the path is under; nothing is sent yet.

        Raises:
            UsageError: the address or the key cannot be used.
        """
        self._kind = kind
        self._endpoint = _endpoint(url, kind)
        # Without user, password and query, which may be secrets.
        shown = self._endpoint.copy_with(username=None, password=None, query=None)
        self._where = f"{model} at {shown}"
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError(f"the API key for {self._where} has characters that no key has")
        self._pace = pace
        self._rest = rest
        self._breaker = CircuitBreaker(rest.after, rest.seconds, pace.monotonic)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(headers=headers)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        body: Mapping[str, Any],
        patience: Patience,
        read: Callable[[Any], _Read],
        on_retry: Callable[[], object] = lambda: None,
    ) -> _Read:
        """Ask until the service answers well, may not be asked again, or patience ends.

        What `read` raises of an answer that it cannot use is told as the service's failure.
        `on_retry` is called each time before it is asked again.

        Raises:
            AdapterError: it failed; `retryable` says if waiting helps.
            UsageError: code `closed`.
        """
        return self._ask(body, patience, lambda response: self._read(response, read), on_retry)

    def ask_if_understood(
        self,
        body: Mapping[str, Any],
        patience: Patience,
        read: Callable[[Any], _Read],
        on_retry: Callable[[], object] = lambda: None,
    ) -> _Read | None:
        """Ask as `ask` does; return nothing where the service does not know this form of request.

        Raises:
            AdapterError: it failed; `retryable` says if waiting helps.
            UsageError: code `closed`.
        """
        return self._ask(
            body,
            patience,
            lambda response: (
                None if response.status_code in _NOT_UNDERSTOOD else self._read(response, read)
            ),
            on_retry,
        )

    def _ask(
        self,
        body: Mapping[str, Any],
        patience: Patience,
        read: Callable[[httpx.Response], _Read],
        on_retry: Callable[[], object],
    ) -> _Read:
        """Send a request again while that may help."""
        failures = 0
        while True:
            self._admit()
            asked = 0.0
            try:
                response = self._post(body, patience.timeout)
                asked = asked_pause(response.headers)
                answer = read(response)
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
                on_retry()
                self._pace.sleep(max(asked, patience.pause(failures, self._pace.jitter())))
            else:
                self._breaker.succeeded()
                return answer

    def _read(self, response: httpx.Response, read: Callable[[Any], _Read]) -> _Read:
        """Return what a good answer says; something else than JSON may come from a proxy."""
        if not response.is_success:
            raise self._refusal(response)
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError):
            raise self._error("it answered something else than JSON") from None
        try:
            return read(answer)
        except AdapterError as error:
            raise self._error(error.message, retryable=error.retryable) from None

    def _refusal(self, response: httpx.Response) -> AdapterError:
        """Return the error of an answer that is no success."""
        status = response.status_code
        said = complaint(response.content) or response.reason_phrase
        retryable = status == _TOO_MANY or response.is_server_error
        return self._error(f"it answered {status}, {said}", retryable=retryable)

    def _error(self, what: str, *, retryable: bool = True) -> AdapterError:
        """Return an error in one line, without the key whoever repeats it."""
        if self._key:
            what = what.replace(self._key, "***")
        line = " ".join(what.split())[:300]
        return AdapterError(f"{self._kind.doing} {self._where} failed: {line}", retryable=retryable)

    def _admit(self) -> None:
        """Refuse the call while the service is left alone.

        Raises:
            AdapterError: it failed too often in a row; retryable.
        """
        wait = self._breaker.wait()
        if wait:
            raise self._error(
                f"it failed {self._rest.after} times in a row and is left alone;"
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
            raise UsageError(f"{self._kind.name} is closed; open it again", code="closed") from None


def _endpoint(url: str, kind: Kind) -> httpx.URL:
    """Return where requests go: under the path that was given, or `/v1` when none was.

    Raises:
        UsageError: it is no HTTP address.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise UsageError(kind.malformed)
    path = parsed.path.rstrip("/")
    if not path.endswith(kind.path):
        path = f"{path or '/v1'}{kind.path}"
    return parsed.copy_with(path=path, fragment=None)
