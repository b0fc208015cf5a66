"""The HTTP reranker against a service that misbehaves: real sockets, injected time.

In: faults queued in a local service. Out: what the reranker asks, how long it waits, what it says.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from smartbrain.adapters.models.http_models import HttpReranker, Pace, Patience, RerankLimits
from smartbrain.errors import AdapterError, UsageError
from smartbrain.testing.model_service import RERANKER, Fault, RerankService, running_rerank_service

pytestmark = pytest.mark.spec("R3")

KEY = "sk-0123456789-very-secret"
QUERY = "柜位有几个？How many?"
TEXTS = ["柜位有十二个。", "There are twelve.", "发票"]
BUSY = Fault(status=503, body=b"busy")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Open = Callable[..., HttpReranker]


@pytest.fixture
def service() -> Iterator[RerankService]:
    with running_rerank_service() as running:
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def opened(service: RerankService, time: Time) -> Iterator[Open]:
    """How a test opens a reranker on the service, or elsewhere; closed after it."""
    made: list[HttpReranker] = []

    def make(url: str = service.url, key: str = KEY, **limits: Any) -> HttpReranker:
        pace = Pace(jitter=lambda: 1.0, sleep=time.sleep, monotonic=lambda: time.now)
        given = RerankLimits(**limits)
        made.append(HttpReranker(url, RERANKER, pace=pace, key=key, limits=given))
        return made[-1]

    yield make
    for one in made:
        one.close()


def failure(reranker: HttpReranker) -> AdapterError:
    """Return how a call fails: in one line, without the key."""
    with pytest.raises(AdapterError) as caught:
        reranker.score(QUERY, TEXTS)
    assert "\n" not in caught.value.message
    assert KEY not in caught.value.message
    return caught.value


def test_a_request_is_what_the_service_expects(service: RerankService, opened: Open) -> None:
    """Model, question, documents and how many to rank; all of them, so each has its score."""
    opened().score(QUERY, TEXTS)
    (request,) = service.requests
    assert ("/v1/rerank", f"Bearer {KEY}") == (request.path, request.headers["authorization"])
    assert {"model": RERANKER, "query": QUERY, "documents": TEXTS, "top_n": 3} == request.body


@pytest.mark.parametrize(
    ("given", "asked"),
    [("", "/v1/rerank"), ("/v2/", "/v2/rerank"), ("/rerank", "/rerank"), ("/a/rerank?v=2", None)],
)
def test_the_address_may_be_short_or_whole(
    service: RerankService, opened: Open, given: str, asked: str | None
) -> None:
    """Without a path it is /v1, and what is missing is added."""
    opened(service.url.removesuffix("/v1") + given, key="").score(QUERY, TEXTS)
    (request,) = service.requests
    assert (asked or given) == request.path
    assert "authorization" not in request.headers


def test_a_plain_service_is_asked_in_its_own_form(service: RerankService, opened: Open) -> None:
    """Once it has refused the usual form, it is asked in the other at once."""
    service.plain = True
    reranker = opened()
    first = reranker.score(QUERY, TEXTS)
    assert first == reranker.score(QUERY, TEXTS)
    assert ["documents", "texts", "texts"] == [
        "documents" if "documents" in request.body else "texts" for request in service.requests
    ]
    assert {"query": QUERY, "texts": TEXTS, "truncate": True} == service.requests[1].body


def test_a_refusal_in_both_forms_is_final(service: RerankService, opened: Open) -> None:
    """A service that refuses the request itself is not taken for a plain one."""
    refused = Fault(status=422, body=b'{"detail": "too many"}')
    service.faults.extend([refused, refused])
    reranker = opened()
    failed = failure(reranker)
    assert not failed.retryable
    assert "too many" in failed.message
    reranker.score(QUERY, TEXTS)
    assert "documents" in service.requests[-1].body


def test_scores_come_back_in_the_order_of_the_texts(service: RerankService, opened: Open) -> None:
    """The service answers best first; negative numbers are taken as they are."""
    results = [{"index": 2, "relevance_score": 3}, {"index": 0, "score": -1.5}]
    results.append({"index": 1, "relevance_score": 0.25})
    service.faults.append(Fault(body=json.dumps({"results": results}).encode()))
    assert [-1.5, 0.25, 3.0] == opened().score(QUERY, TEXTS)


def test_many_and_long_texts_are_cut_and_grouped(service: RerankService, opened: Open) -> None:
    """Each group is asked about on its own; scores stay in order."""
    texts = ["柜位" * 5_000, *TEXTS]
    reranker = opened(batch_texts=2, text_tokens=50, query_tokens=4)
    scores = reranker.score(QUERY * 100, texts)
    assert 4 == len(scores)
    first, second = (request.body["documents"] for request in service.requests)
    assert TEXTS == [first[1], *second]
    assert 0 < len(first[0]) <= 100
    assert len(service.requests[0].body["query"]) < len(QUERY)


def test_a_busy_service_is_asked_again(service: RerankService, opened: Open, time: Time) -> None:
    """After a short pause, since somebody waits."""
    service.faults.append(BUSY)
    assert 3 == len(opened().score(QUERY, TEXTS))
    assert [0.05] == time.slept


def test_a_service_that_keeps_failing_is_left_alone(
    service: RerankService, opened: Open, time: Time
) -> None:
    """After so many failures in a row nothing is sent for a while; then one call tries."""
    service.faults.extend([BUSY] * 2)
    reranker = opened(open_after=2, open_for=30.0)
    failure(reranker)
    assert "left alone" in failure(reranker).message
    assert 2 == len(service.requests)
    time.now += 31
    assert 3 == len(reranker.score(QUERY, TEXTS))


@pytest.mark.parametrize(
    ("fault", "retryable", "told"),
    [
        (Fault(body=b"<html>"), True, "else than JSON"),
        (Fault(body=b'"hi"'), False, "no list of `results`"),
        (Fault(body=b'{"results": [1, 2, 3]}'), False, "no list of `results`"),
        (Fault(body=b'{"results": []}'), False, "indexes"),
        (Fault(body=b'[{"index": 0, "score": 1}]'), False, "indexes"),
        (
            Fault(body=b'[{"index":0,"score":1},{"index":1,"score":1},{"index":1,"score":1}]'),
            False,
            "indexes",
        ),
        (
            Fault(body=b'[{"index":0,"score":"1"},{"index":1},{"index":2,"score":1}]'),
            False,
            "no finite number",
        ),
        (
            Fault(body=b'[{"index":0,"score":NaN},{"index":1,"score":1},{"index":2,"score":1}]'),
            False,
            "no finite number",
        ),
        (Fault(status=401, body=f'{{"error": "bad {KEY}"}}'.encode()), False, "bad ***"),
        (Fault(status=500, body=b'{"detail": "a\\nb"}'), True, "a b"),
        (Fault(hang_up=True), True, "failed"),
    ],
)
def test_answers_are_read_with_suspicion(
    service: RerankService, opened: Open, fault: Fault, retryable: bool, told: str
) -> None:
    """Whatever comes back, it is scores or one error that says if waiting helps."""
    service.faults.extend([fault] * 2)
    failed = failure(opened())
    assert retryable is failed.retryable
    assert told in failed.message


def test_a_service_that_does_not_answer_in_time(service: RerankService, opened: Open) -> None:
    """Each attempt waits as long as the patience says."""
    release = Event()
    service.faults.append(Fault(until=release))
    patience = Patience(attempts=1, timeout=0.1, first_pause=0.0, longest_pause=0.0)
    failed = failure(opened(patience=patience))
    release.set()
    assert failed.retryable
    assert "no answer within 0.1 s" in failed.message


def test_nobody_at_the_address(opened: Open) -> None:
    """A refused connection is worth waiting for; the address is told without its secrets."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    failed = failure(opened(f"http://me:secret@127.0.0.1:{port}/v1?token=hush"))
    assert failed.retryable
    assert f"{RERANKER} at http://127.0.0.1:{port}/v1/rerank" in failed.message
    assert "secret" not in failed.message
    assert "hush" not in failed.message


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "http://", "localhost:8080", "http://[::1"])
def test_what_is_no_address_is_refused(opened: Open, url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(UsageError, match="address"):
        opened(url)
