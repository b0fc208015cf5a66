"""Models behind HTTP: services that speak `/embeddings`, `/rerank` or `/chat/completions`.

In: texts cut and grouped to fit a request, or a conversation. Out: checked vectors, scores or
words, or one AdapterError after the allowed attempts. A failing service is tried again with growing
pauses, then left alone for a while. Answers are read with suspicion. The key goes into one header
and into nothing else. Not a cache, and not a queue.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import partial
from math import isfinite
from threading import Lock
from typing import Any, ClassVar, Final, Generic, TypeVar

import httpx

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Vector, embeddable
from smartbrain.ports.language_model import RETRIES, ModelAnswer, ModelMessage, read_messages
from smartbrain.ports.reranker import read_scores, readable
from smartbrain.text.tokens import estimate_tokens


class CircuitBreaker:
    """Counts failures in a row; threads may share it."""

    def __init__(self, failures: int, pause: float, clock: Callable[[], float]) -> None:
        self._limit = failures
        self._pause = pause
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._last = 0.0

    @property
    def is_open(self) -> bool:
        return self._failures >= self._limit

    def wait(self) -> float:
        """Return 0 if the caller may call now, else the seconds until somebody may."""
        with self._lock:
            if not self.is_open:
                return 0.0
            now = self._clock()
            left = self._last + self._pause - now
            if left > 0:
                return left
            # This caller is the trial. The next one is due a whole pause later, so a trial that
            # never comes back blocks nobody for longer than that.
            self._last = now
            return 0.0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._last = self._clock()

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0


def read_vectors(answer: Any, count: int) -> list[array[float]]:
    """Return the vectors of a successful answer, ordered by their index."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _wrong("its answer has no list of vectors in `data`")
    if len(items) != count:
        raise _wrong(f"it answered {len(items)} vectors for {count} texts")
    order = [item.get("index", place) for place, item in enumerate(items)]
    if any(type(index) is not int for index in order) or sorted(order) != list(range(count)):
        raise _wrong("the indexes in its answer are not those of the texts")
    by_index = dict(zip(order, items, strict=True))
    vectors = [_vector(by_index[place].get("embedding")) for place in range(count)]
    if len({len(vector) for vector in vectors}) > 1:
        raise _wrong("it answered vectors of different sizes")
    return vectors


def asked_pause(headers: Mapping[str, str]) -> float:
    """Return the seconds that `Retry-After` asks to wait; 0 when it is absent or unreadable.

    A date is measured against the service's own `Date`, so neither clock needs to be right.
    """
    asked = headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked)
    try:
        until = parsedate_to_datetime(asked)
        return max(0.0, (until - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def complaint(body: bytes) -> str:
    """Return what a service says about an error in the usual places of its answer, or nothing.

    Anything else in the body is left out: it may repeat the texts that were sent.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    found: Any = answer if isinstance(answer, dict) else {}
    if isinstance(found.get("error"), dict):
        found = found["error"]
    for place in ("message", "error", "detail"):
        if isinstance(found.get(place), str):
            return str(found[place])
    return ""


def _vector(embedding: object) -> array[float]:
    """Read one vector: a list of numbers, or base64 of little-endian single-precision floats."""
    vector = array("f")
    try:
        if isinstance(embedding, str):
            vector.frombytes(b64decode(embedding, validate=True))
            if sys.byteorder == "big":
                vector.byteswap()
        elif isinstance(embedding, list):
            vector.extend(embedding)
    except (ValueError, TypeError, OverflowError):
        raise _wrong("a vector in its answer is not made of numbers") from None
    if not vector:
        raise _wrong("a vector in its answer is empty")
    if not all(map(isfinite, vector)):
        raise _wrong("a vector in its answer has a number that is not finite")
    return vector


def _wrong(what: str) -> AdapterError:
    return AdapterError(what, retryable=False)


_LONGEST_TOKEN: Final = 16
"""Characters after which a token is taken to end, so that a huge text is not counted whole."""


def shortened(text: str, tokens: int) -> str:
    """Return the beginning of a text that costs at most so many tokens, by estimate."""
    text = text[: tokens * _LONGEST_TOKEN]
    while (cost := estimate_tokens(text)) > tokens and len(text) > 1:
        text = text[: min(len(text) - 1, len(text) * tokens // cost)] or text[:1]
    return text


def batches(texts: Sequence[str], most: int, tokens: int) -> Iterator[list[str]]:
    """Yield the texts in groups of at most `most` texts and `tokens` tokens; one always fits."""
    group: list[str] = []
    used = 0
    for text in texts:
        cost = estimate_tokens(text)
        if group and (len(group) == most or used + cost > tokens):
            yield group
            group, used = [], 0
        group.append(text)
        used += cost
    if group:
        yield group


_TOO_MANY: Final = 429
_NOT_UNDERSTOOD: Final = (400, 422)
_Read = TypeVar("_Read")
_Limits = TypeVar("_Limits", bound="ServiceLimits")


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
class ServiceLimits:
    """After how many failures in a row a service is left alone, and for how many seconds."""

    open_after: int = 5
    open_for: float = 30.0


class _NotUnderstoodError(Exception):
    """The service does not know such a request; `refusal` is what is said of it otherwise."""

    def __init__(self, refusal: AdapterError) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class _HttpModel(Generic[_Limits]):
    """One model of one service; a kind says what it is in its errors, and where requests go."""

    kind: ClassVar[str]  # such as "the embedder"
    doing: ClassVar[str]  # such as "embedding with"
    endpoint: ClassVar[str]
    malformed: ClassVar[str]
    limits: ClassVar[Any]

    def __init__(
        self, url: str, model: str, *, pace: Pace, key: str = "", limits: _Limits | None = None
    ) -> None:
        """Take the address that the path of its kind is under; nothing is sent yet."""
        self.name = self.model = model
        self._lock = Lock()
        self._limits: _Limits = limits or self.limits
        self._endpoint = self._address(url)
        # Without user, password and query, which may be secrets.
        shown = self._endpoint.copy_with(username=None, password=None, query=None)
        self._where = f"{model} at {shown}"
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError(f"the API key for {self._where} has characters that no key has")
        self._pace = pace
        self._breaker = CircuitBreaker(
            self._limits.open_after, self._limits.open_for, pace.monotonic
        )
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(headers=headers)

    def close(self) -> None:
        self._client.close()

    def _request(
        self,
        body: Mapping[str, Any],
        patience: Patience,
        read: Callable[[Any], _Read],
        on_retry: Callable[[], object] = lambda: None,
        *,
        maybe: bool = False,
    ) -> _Read:
        """Ask until the service answers well, may not be asked again, or patience ends.

        What `read` raises of an answer that it cannot use is told as the service's failure.
        `on_retry` is called each time before it is asked again. What `maybe` is not understood
        raises _NotUnderstoodError.
        """
        failures = 0
        while True:
            self._admit()
            asked = 0.0
            try:
                response = self._post(body, patience.timeout)
                asked = asked_pause(response.headers)
                answer = self._answer(response, read)
            except _NotUnderstoodError as error:
                self._breaker.succeeded()
                if maybe:
                    raise
                raise error.refusal from None
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

    def _answer(self, response: httpx.Response, read: Callable[[Any], _Read]) -> _Read:
        """Return what a good answer says; something else than JSON may come from a proxy."""
        if not response.is_success:
            refusal = self._refusal(response)
            if response.status_code in _NOT_UNDERSTOOD:
                raise _NotUnderstoodError(refusal)
            raise refusal
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError):
            raise self._error("it answered something else than JSON") from None
        try:
            return read(answer)
        except AdapterError as error:
            raise self._error(error.message, retryable=error.retryable) from None

    def _refusal(self, response: httpx.Response) -> AdapterError:
        status = response.status_code
        said = complaint(response.content) or response.reason_phrase
        retryable = status == _TOO_MANY or response.is_server_error
        return self._error(f"it answered {status}, {said}", retryable=retryable)

    def _error(self, what: str, *, retryable: bool = True) -> AdapterError:
        """Return an error in one line, without the key whoever repeats it."""
        if self._key:
            what = what.replace(self._key, "***")
        line = " ".join(what.split())[:300]
        return AdapterError(f"{self.doing} {self._where} failed: {line}", retryable=retryable)

    def _admit(self) -> None:
        wait = self._breaker.wait()
        if wait:
            raise self._error(
                f"it failed {self._limits.open_after} times in a row and is left alone;"
                f" the next try is in {wait:.0f} s"
            )

    def _post(self, body: Mapping[str, Any], timeout: float) -> httpx.Response:
        try:
            return self._client.post(self._endpoint, json=body, timeout=timeout)
        except httpx.TimeoutException:
            raise self._error(f"no answer within {timeout:g} s") from None
        except httpx.HTTPError as error:
            raise self._error(str(error) or type(error).__name__) from None
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise UsageError(f"{self.kind} is closed; open it again", code="closed") from None

    def _address(self, url: str) -> httpx.URL:
        """Return where requests go: under the path that was given, or `/v1` when none was."""
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL:
            parsed = httpx.URL("")
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise UsageError(self.malformed)
        path = parsed.path.rstrip("/")
        if not path.endswith(self.endpoint):
            path = f"{path or '/v1'}{self.endpoint}"
        return parsed.copy_with(path=path, fragment=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits(ServiceLimits):
    """What one service is sent and how often; a query waits less than the work of a queue."""

    text_tokens: int = 8_000
    batch_texts: int = 64
    batch_tokens: int = 32_000
    query: Patience = Patience(attempts=2, timeout=5.0, first_pause=0.1, longest_pause=0.5)
    passages: Patience = Patience(attempts=4, timeout=60.0, first_pause=0.5, longest_pause=30.0)


class HttpEmbedder(_HttpModel[HttpLimits]):
    """One model of one service; the first answer tells its dimensions."""

    kind = "the embedder"
    doing = "embedding with"
    endpoint = "/embeddings"
    malformed = "an embedding service is given by its address, such as http://localhost:11434/v1"
    limits = HttpLimits()
    languages: tuple[str, ...] = ()
    _dimensions: int | None = None

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        return self._ask([self._prepared(text)], self._limits.query)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        prepared = [self._prepared(text) for text in texts]
        vectors: list[Vector] = []
        for batch in batches(prepared, self._limits.batch_texts, self._limits.batch_tokens):
            vectors += self._ask(batch, self._limits.passages)
        return vectors

    def _prepared(self, text: str) -> str:
        return shortened(embeddable(text), self._limits.text_tokens)

    def _ask(self, texts: list[str], patience: Patience) -> list[array[float]]:
        body = {"model": self.model, "input": texts}
        return self._request(body, patience, lambda answer: self._read(answer, len(texts)))

    def _read(self, answer: Any, count: int) -> list[array[float]]:
        vectors = read_vectors(answer, count)
        with self._lock:
            size = len(vectors[0])
            self._dimensions = self._dimensions or size
            if size != self._dimensions:
                raise AdapterError(
                    f"its vectors had {self._dimensions} numbers and now have {size};"
                    " give the new model a name of its own",
                    retryable=False,
                )
        return vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankLimits(ServiceLimits):
    """What one service is sent and how often; somebody waits, so not for long."""

    query_tokens: int = 512
    text_tokens: int = 2_000
    batch_texts: int = 100
    batch_tokens: int = 64_000
    patience: Patience = Patience(attempts=2, timeout=5.0, first_pause=0.05, longest_pause=0.5)


class HttpReranker(_HttpModel[RerankLimits]):
    """One model of one service; it notes which form of requests that reads."""

    kind = "the reranker"
    doing = "reranking with"
    endpoint = "/rerank"
    malformed = "a reranking service is given by its address, such as http://localhost:8080/v1"
    limits = RerankLimits()
    _reads_documents = True

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        limits = self._limits
        question = shortened(readable(query), limits.query_tokens)
        cut = [shortened(readable(text), limits.text_tokens) for text in texts]
        scores: list[float] = []
        for batch in batches(cut, limits.batch_texts, limits.batch_tokens):
            scores += self._ask(question, batch)
        return scores

    def _ask(self, query: str, texts: list[str]) -> list[float]:
        count, patience = len(texts), self._limits.patience
        read = partial(_scores, count=count)
        if self._reads_documents:
            body = {"model": self.name, "query": query, "documents": texts, "top_n": count}
            with suppress(_NotUnderstoodError):
                return self._request(body, patience, read, maybe=True)
        plain = {"query": query, "texts": texts, "truncate": True}
        scores = self._request(plain, patience, read)
        self._reads_documents = False
        return scores


def _scores(answer: Any, count: int) -> list[float]:
    """Read `{"results": [{"index", "relevance_score"}]}` or `[{"index", "score"}]`."""
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise AdapterError("its answer has no list of `results`", retryable=False)
    by_index = {
        one["index"]: one.get("relevance_score", one.get("score"))
        for one in results
        if type(one.get("index")) is int
    }
    if len(results) != count or by_index.keys() != set(range(count)):
        raise AdapterError("the indexes in its answer are not those of the texts", retryable=False)
    return read_scores([by_index[place] for place in range(count)], count)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLimits(ServiceLimits):
    """How often one service is asked; the timeout is the caller's."""

    patience: Patience = Patience(attempts=3, timeout=0.0, first_pause=0.5, longest_pause=30.0)


class HttpLanguageModel(_HttpModel[ModelLimits]):
    """One model of one service."""

    kind = "the language model"
    doing = "asking"
    endpoint = "/chat/completions"
    malformed = "a language model is given by its address, such as http://localhost:1/v1"
    limits = ModelLimits()

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
    ) -> ModelAnswer:
        body: dict[str, Any] = {"model": self.model, "messages": read_messages(messages, timeout)}
        patience = replace(self._limits.patience, timeout=timeout)
        retries: list[bool] = []
        again = partial(retries.append, True)
        if schema is not None:
            asked = {"name": "answer", "schema": dict(schema)}
            form = {"type": "json_schema", "json_schema": asked}
            strict = {"temperature": 0, "response_format": form}
            with suppress(_NotUnderstoodError):
                answer = self._request(body | strict, patience, self._read, again, maybe=True)
                return _add_retries(answer, len(retries))
        answer = self._request(body, patience, self._read, again)
        return _add_retries(answer, len(retries))

    def _read(self, answer: Any) -> ModelAnswer:
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
    return replace(answer, usage={**answer.usage, RETRIES: retries}) if retries else answer


def _text(answer: Any) -> str | None:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else None
