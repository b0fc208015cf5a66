"""The HTTP embedder against a service that misbehaves: real sockets, injected time.

In: faults queued in a local service. Out: what the embedder asks, how long it waits, what it says.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from embedding_server import MODEL, EmbeddingServer, running_server

from smartbrain.adapters.models.http_models import HttpEmbedder, HttpLimits, Pace, Patience
from smartbrain.errors import AdapterError
from smartbrain.testing.model_service import Fault
from smartbrain.testing.models import HashEmbedder

KEY = "sk-0123456789-very-secret"
TEXTS = ["The build failed.", "用中文回答。", "mixed 文本"]
OVERLOADED = Fault(503, body=b"busy")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def time() -> Time:
    return Time()


Open = Callable[..., HttpEmbedder]


@pytest.fixture
def opened(service: EmbeddingServer, time: Time) -> Iterator[Open]:
    """How a test opens an embedder on the service, or elsewhere; closed after it."""
    made: list[HttpEmbedder] = []

    def make(url: str = service.url, key: str = KEY, **limits: Any) -> HttpEmbedder:
        pace = Pace(jitter=lambda: 1.0, sleep=time.sleep, monotonic=lambda: time.now)
        made.append(HttpEmbedder(url, MODEL, pace=pace, key=key, limits=HttpLimits(**limits)))
        return made[-1]

    yield make
    for embedder in made:
        embedder.close()


def vectors_of(*texts: str) -> list[list[float]]:
    return [list(vector) for vector in HashEmbedder().embed_passages(texts)]


def failure(call: Callable[..., object], *arguments: object) -> AdapterError:
    with pytest.raises(AdapterError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.message
    assert KEY not in caught.value.message
    return caught.value


def test_a_request_is_what_the_service_expects(service: EmbeddingServer, opened: Open) -> None:
    """Model, texts and key go where OpenAI's interface has them."""
    opened().embed_passages(TEXTS)
    (request,) = service.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert {"model": MODEL, "input": TEXTS} == request.body


def test_without_a_key_no_key_is_sent(service: EmbeddingServer, opened: Open) -> None:
    """A local service without authentication gets no header for it."""
    opened(key="").embed_query("x")
    assert "authorization" not in service.requests[0].headers


@pytest.mark.parametrize("garbage", [b"", b"<html>", b"\xff\xfe", b'{"data": [', b"[" * 100_000])
def test_what_is_no_json_may_pass(service: EmbeddingServer, opened: Open, garbage: bytes) -> None:
    """A cut or foreign answer is worth another try, and the next one is read."""
    service.faults += [Fault(body=garbage)] * 3
    error = failure(opened().embed_query, "x")  # which is tried twice
    assert "it answered something else than JSON" in error.message
    assert error.retryable
    assert vectors_of("x") == [list(opened().embed_query("x"))]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/openai/deployments/a/embeddings?api-version=2", None),
        ("/api/v3", "/api/v3/embeddings"),
    ],
)
def test_the_address_may_be_short_or_whole(
    service: EmbeddingServer, opened: Open, given: str, asked: str | None
) -> None:
    """Without a path it is /v1, and /embeddings is added where it is missing."""
    opened(service.url.removesuffix("/v1") + given).embed_query("x")
    assert (asked or given) == service.requests[0].path


def test_texts_are_sent_in_groups_and_come_back_in_order(
    service: EmbeddingServer, opened: Open
) -> None:
    """No request has more texts than allowed; the answers are joined in order."""
    texts = [f"text {n}" for n in range(7)]
    found = opened(batch_texts=3).embed_passages(texts)
    assert [3, 3, 1] == [len(request.body["input"]) for request in service.requests]
    assert vectors_of(*texts) == [list(vector) for vector in found]


def test_long_texts_are_cut_before_they_are_sent(service: EmbeddingServer, opened: Open) -> None:
    """A text over the limit is cut at its end, in Chinese as in English."""
    opened(text_tokens=20).embed_passages(["很长的文本" * 500, "a long text " * 500])
    for sent, start in zip(
        service.requests[0].body["input"], ("很长的文本", "a long"), strict=True
    ):
        assert sent.startswith(start)
        assert 10 < len(sent) < 120


def test_vectors_in_another_order_are_put_right(service: EmbeddingServer, opened: Open) -> None:
    """The index decides which text a vector belongs to, not the place in the answer."""
    service.faults.append(Fault(change=lambda answer: {"data": answer["data"][::-1]}))
    found = opened().embed_passages(TEXTS)
    assert vectors_of(*TEXTS) == [list(vector) for vector in found]


@pytest.mark.spec("R4")
@pytest.mark.parametrize(
    "fault",
    [
        Fault(500),
        Fault(503, body=b"<html>"),
        Fault(429),
        Fault(body=b"<html>proxy</html>"),
        Fault(hang_up=True),
    ],
    ids=["500", "503", "429", "garbage", "hang up"],
)
def test_passing_trouble_is_tried_again(
    service: EmbeddingServer, opened: Open, time: Time, fault: Fault
) -> None:
    """Server errors, overload, garbage and lost connections are overcome with growing pauses."""
    service.faults.extend([fault, fault])
    assert vectors_of("x") == [list(vector) for vector in opened().embed_passages(["x"])]
    assert len(service.requests) == 3
    assert time.slept == [0.5, 1.0]


@pytest.mark.parametrize(
    ("headers", "slept"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
        (
            {
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
                "Retry-After": "Wed, 21 Oct 2026 07:28:09 GMT",
            },
            9.0,
        ),
    ],
    ids=["seconds", "at once", "unreadable", "date"],
)
def test_the_pause_asked_for_is_kept(
    service: EmbeddingServer, opened: Open, time: Time, headers: dict[str, str], slept: float
) -> None:
    """Retry-After lengthens the pause, as seconds or as a date by the service's own clock."""
    service.faults.append(Fault(429, headers))
    opened().embed_passages(["x"])
    assert [slept] == time.slept


@pytest.mark.spec("R4")
def test_a_pause_beyond_patience_is_not_waited_for(
    service: EmbeddingServer, opened: Open, time: Time
) -> None:
    """A queue does not sleep for minutes, and a query not for seconds; both may come back."""
    service.faults.extend([Fault(429, {"Retry-After": "3600"}), Fault(429, {"Retry-After": "2"})])
    embedder = opened()
    assert failure(embedder.embed_passages, ["x"]).retryable
    assert failure(embedder.embed_query, "x").retryable
    assert (time.slept, len(service.requests)) == ([], 2)


@pytest.mark.spec("R4")
def test_patience_ends(service: EmbeddingServer, opened: Open, time: Time) -> None:
    """After the allowed attempts the last error is raised, sooner for a query."""
    service.faults.extend([OVERLOADED] * 6)
    embedder = opened(open_after=99)
    assert failure(embedder.embed_passages, ["x"]).retryable
    assert len(service.requests) == 4
    assert failure(embedder.embed_query, "x").retryable
    assert len(service.requests) == 6


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301])
def test_a_refused_request_is_not_repeated(
    service: EmbeddingServer, opened: Open, status: int
) -> None:
    """What the service will never accept fails at once, with its own words."""
    said = b'{"error": {"message": "no\\nsuch model"}}'
    service.faults.append(Fault(status, body=said))
    error = failure(opened().embed_passages, ["x"])
    assert (error.retryable, len(service.requests)) == (False, 1)
    assert f"it answered {status}, no such model" in error.message


def test_the_key_is_never_repeated(service: EmbeddingServer, opened: Open) -> None:
    """Even a service that echoes the key does not get it into an error, nor does a password."""
    said = f'{{"error": "Incorrect key: {KEY}"}}'.encode()
    service.faults.append(Fault(401, body=said))
    url = service.url.replace("//", "//user:hunter2@") + "?token=hunter2"
    error = failure(opened(url).embed_query, "x")
    assert "Incorrect key: ***" in error.message
    assert "hunter2" not in error.message
    assert KEY not in repr(vars(error))


def test_the_texts_are_not_repeated(service: EmbeddingServer, opened: Open) -> None:
    """An error body in another form may quote what was sent, so it is not shown."""
    service.faults.append(Fault(422, body='{"detail": [{"input": "私密内容"}]}'.encode()))
    error = failure(opened().embed_passages, ["私密内容"])
    assert "私密内容" not in error.message


WRONG: dict[str, Callable[[dict[str, Any]], Any]] = {
    "too few": lambda answer: {"data": answer["data"][:-1]},
    "too many": lambda answer: {"data": answer["data"] * 2},
    "no data": lambda answer: {"embeddings": answer["data"]},
    "a list": lambda answer: answer["data"],
    "same index": lambda answer: {"data": [{**one, "index": 0} for one in answer["data"]]},
    "not a number": lambda answer: {
        "data": [{**one, "embedding": [float("nan")] * 4} for one in answer["data"]]
    },
    "two sizes": lambda answer: {
        "data": [{**one, "embedding": [1.0] * (n + 1)} for n, one in enumerate(answer["data"])]
    },
}


@pytest.mark.spec("R4")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_answer_is_refused(service: EmbeddingServer, opened: Open, wrong: str) -> None:
    """Vectors that cannot be matched to texts or searched never come through."""
    service.faults.append(Fault(change=WRONG[wrong]))
    embedder = opened()
    error = failure(embedder.embed_passages, TEXTS)
    assert (error.retryable, len(service.requests)) == (False, 1)
    assert embedder.dimensions is None


def test_dimensions_are_learnt_once_and_held(service: EmbeddingServer, opened: Open) -> None:
    """A service that changes its model under the same name is found out."""
    embedder = opened()
    assert embedder.dimensions is None
    embedder.embed_query("x")
    assert embedder.dimensions == 256
    service.embedder = HashEmbedder(64)
    error = failure(embedder.embed_passages, ["x"])
    assert "had 256 numbers and now have 64" in error.message
    assert not error.retryable


@pytest.mark.spec("R4")
def test_a_slow_service_is_given_up(service: EmbeddingServer, opened: Open) -> None:
    """A request ends when its time is up, and counts as a failure that may pass."""
    release = Event()
    service.faults.append(Fault(until=release))
    once = Patience(attempts=1, timeout=0.05, first_pause=0.1, longest_pause=0.1)
    error = failure(opened(query=once).embed_query, "x")
    release.set()
    assert error.retryable
    assert "no answer within 0.05 s" in error.message


@pytest.mark.spec("R4")
def test_an_absent_service_is_left_alone_after_a_while(opened: Open, time: Time) -> None:
    """Where nobody listens, a few tries open the breaker; then calls fail without trying."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        embedder = opened(f"http://127.0.0.1:{port}/v1", open_after=3)
        assert failure(embedder.embed_query, "x").retryable
        assert "left alone" not in failure(embedder.embed_query, "x").message
        slept = list(time.slept)
        error = failure(embedder.embed_query, "x")
    assert "failed 3 times in a row and is left alone; the next try is in 30 s" in error.message
    assert (error.retryable, slept) == (True, time.slept)


@pytest.mark.spec("R4")
def test_a_service_that_returns_is_used_again(
    service: EmbeddingServer, opened: Open, time: Time
) -> None:
    """After the pause one call tries; if it fails the pause begins anew, if not all is well."""
    service.faults.extend([OVERLOADED] * 3)
    embedder = opened(open_after=2, open_for=30.0)
    failure(embedder.embed_query, "x")
    failure(embedder.embed_query, "x")
    assert len(service.requests) == 2
    time.now += 31
    failure(embedder.embed_query, "x")
    assert len(service.requests) == 3
    time.now += 29
    failure(embedder.embed_query, "x")
    assert len(service.requests) == 3
    time.now += 2
    assert vectors_of("x") == [list(embedder.embed_query("x"))]
    service.faults.append(OVERLOADED)
    assert vectors_of("y") == [list(embedder.embed_query("y"))]


def test_refusals_do_not_open_the_breaker(service: EmbeddingServer, opened: Open) -> None:
    """A service that refuses bad requests is there, so good ones still reach it."""
    service.faults.extend([Fault(400)] * 4)
    embedder = opened(open_after=2)
    for _ in range(4):
        assert "400" in failure(embedder.embed_query, "x").message
    assert vectors_of("x") == [list(embedder.embed_query("x"))]


@pytest.mark.spec("R4")
def test_a_refusal_shows_that_the_service_is_back(
    service: EmbeddingServer, opened: Open, time: Time
) -> None:
    """A trial that is refused was answered, so the next call need not wait for another pause."""
    service.faults.extend([OVERLOADED, OVERLOADED, Fault(400)])
    embedder = opened(open_after=2)
    failure(embedder.embed_query, "x")
    time.now += 31
    assert not failure(embedder.embed_query, "x").retryable
    assert vectors_of("x") == [list(embedder.embed_query("x"))]


def test_jitter_shortens_a_pause_by_up_to_half() -> None:
    """Pauses double up to their limit; chance takes off at most a half."""
    patience = replace(HttpLimits().passages, first_pause=1.0, longest_pause=5.0)
    assert [1.0, 2.0, 4.0, 5.0] == [patience.pause(n, 1.0) for n in (1, 2, 3, 4)]
    assert [0.5, 1.0, 2.0, 2.5] == [patience.pause(n, 0.0) for n in (1, 2, 3, 4)]
