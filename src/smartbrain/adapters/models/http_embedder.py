"""An embedder behind HTTP: any service that speaks OpenAI's `/embeddings`.

In: texts, cut and grouped to fit a request. Out: checked vectors, or one AdapterError after the
allowed attempts. Failing services are tried again with growing pauses, then left alone for a while.
The key goes into one header and into nothing else. Not a cache, and not a queue.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import httpx

from smartbrain.adapters.models.batches import batches, shortened
from smartbrain.adapters.models.breaker import CircuitBreaker
from smartbrain.adapters.models.http_answer import asked_pause, complaint, read_vectors
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Vector, embeddable

_TOO_MANY: Final = 429


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
class HttpLimits:
    """What one service is sent and how often; a query waits less than the work of a queue."""

    text_tokens: int = 8_000
    batch_texts: int = 64
    batch_tokens: int = 32_000
    query: Patience = Patience(attempts=2, timeout=5.0, first_pause=0.1, longest_pause=0.5)
    passages: Patience = Patience(attempts=4, timeout=60.0, first_pause=0.5, longest_pause=30.0)
    open_after: int = 5
    open_for: float = 30.0


DEFAULT_LIMITS: Final = HttpLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Where waiting, the monotonic time and the chance in pauses come from."""

    jitter: Callable[[], float]
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


class HttpEmbedder:
    """One model of one service; the first answer tells its dimensions."""

    languages: tuple[str, ...] = ()

    def __init__(
        self,
        url: str,
        model: str,
        *,
        pace: Pace,
        key: str = "",
        limits: HttpLimits = DEFAULT_LIMITS,
    ) -> None:
        """Take the address that `/embeddings` is under; nothing is sent yet.

        Raises:
            UsageError: the address or the key cannot be used.
        """
        self._endpoint = _endpoint(url)
        self.name = self.model = model
        self._where = f"{model} at {_shown(self._endpoint)}"
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError(f"the API key for {self._where} has characters that no key has")
        self._pace = pace
        self._limits = limits
        self._breaker = CircuitBreaker(limits.open_after, limits.open_for, pace.monotonic)
        self._lock = Lock()
        self._dimensions: int | None = None
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(headers=headers)

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None before the first answer."""
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, with the patience of somebody who waits."""
        return self._ask([self._prepared(text)], self._limits.query)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of the texts, asked for group by group."""
        prepared = [self._prepared(text) for text in texts]
        vectors: list[Vector] = []
        for batch in batches(prepared, self._limits.batch_texts, self._limits.batch_tokens):
            vectors += self._ask(batch, self._limits.passages)
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _prepared(self, text: str) -> str:
        return shortened(embeddable(text), self._limits.text_tokens)

    def _ask(self, texts: list[str], patience: Patience) -> list[array[float]]:
        """Ask until the service answers well, may not be asked again, or patience ends."""
        failures = 0
        while True:
            self._admit()
            asked = 0.0
            try:
                response = self._post(texts, patience.timeout)
                asked = asked_pause(response.headers)
                vectors = self._read(response, len(texts))
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
                return vectors

    def _admit(self) -> None:
        """Refuse the call while the service is left alone.

        Raises:
            AdapterError: it failed too often in a row; retryable.
        """
        wait = self._breaker.wait()
        if wait:
            raise self._error(
                f"it failed {self._limits.open_after} times in a row and is left alone;"
                f" the next try is in {wait:.0f} s",
                retryable=True,
            )

    def _post(self, texts: list[str], timeout: float) -> httpx.Response:
        """Send one request; whatever status it gets is an answer."""
        body = {"model": self.model, "input": texts}
        try:
            return self._client.post(self._endpoint, json=body, timeout=timeout)
        except httpx.TimeoutException:
            raise self._error(f"no answer within {timeout:g} s", retryable=True) from None
        except httpx.HTTPError as error:
            raise self._error(str(error) or type(error).__name__, retryable=True) from None
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise UsageError("the embedder is closed; open it again", code="closed") from None

    def _read(self, response: httpx.Response, count: int) -> list[array[float]]:
        """Return the vectors of a good answer, all of the size that this service always had."""
        status = response.status_code
        if not response.is_success:
            said = complaint(response.content) or response.reason_phrase
            retryable = status == _TOO_MANY or response.is_server_error
            raise self._error(f"it answered {status}, {said}", retryable=retryable)
        try:
            vectors = read_vectors(response.content, count)
        except AdapterError as error:
            raise self._error(error.message, retryable=error.retryable) from None
        with self._lock:
            size = len(vectors[0])
            self._dimensions = self._dimensions or size
            if size != self._dimensions:
                raise self._error(
                    f"its vectors had {self._dimensions} numbers and now have {size};"
                    " give the new model a name of its own",
                    retryable=False,
                )
        return vectors

    def _error(self, what: str, *, retryable: bool) -> AdapterError:
        """Return an error in one line, without the key whoever repeats it."""
        if self._key:
            what = what.replace(self._key, "***")
        line = " ".join(what.split())[:300]
        return AdapterError(f"embedding with {self._where} failed: {line}", retryable=retryable)


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
        raise UsageError(
            "an embedding service is given by its address, such as http://localhost:11434/v1"
        )
    path = parsed.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path = f"{path or '/v1'}/embeddings"
    return parsed.copy_with(path=path, fragment=None)


def _shown(url: httpx.URL) -> str:
    """Return an address without user, password and query, which may be secrets."""
    return str(url.copy_with(username=None, password=None, query=None))
