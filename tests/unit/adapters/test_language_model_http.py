"""The HTTP language model against a service that misbehaves: real sockets, injected time.

In: faults queued in a local service. Out: what the model asks, how long it waits, what it says.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from smartbrain.adapters.models.http_models import HttpLanguageModel, ModelLimits, Pace, Patience
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.language_model import ModelMessage
from smartbrain.testing.model_service import MODEL, ChatService, Fault, running_chat_service

pytestmark = pytest.mark.spec("C6")

KEY = "sk-0123456789-very-secret"
SAID = [
    ModelMessage("system", "简短回答。Be brief."),
    ModelMessage("user", "柜位有几个？How many?"),
]
SCHEMA = {"type": "object"}
BUSY = Fault(status=503, body=b"busy")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Open = Callable[..., HttpLanguageModel]


@pytest.fixture
def service() -> Iterator[ChatService]:
    with running_chat_service() as running:
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def opened(service: ChatService, time: Time) -> Iterator[Open]:
    """How a test opens a model on the service, or elsewhere; closed after it."""
    made: list[HttpLanguageModel] = []

    def make(url: str = service.url, key: str = KEY, **limits: Any) -> HttpLanguageModel:
        pace = Pace(jitter=lambda: 1.0, sleep=time.sleep, monotonic=lambda: time.now)
        given = ModelLimits(**limits)
        made.append(HttpLanguageModel(url, MODEL, pace=pace, key=key, limits=given))
        return made[-1]

    yield make
    for model in made:
        model.close()


def failure(model: HttpLanguageModel, **more: Any) -> AdapterError:
    """Return how a call fails: in one line, without the key."""
    with pytest.raises(AdapterError) as caught:
        model.complete(SAID, **more)
    assert "\n" not in caught.value.message
    assert KEY not in caught.value.message
    return caught.value


def test_a_request_is_what_the_service_expects(service: ChatService, opened: Open) -> None:
    """Model, messages and key go where OpenAI's interface has them; a schema makes it strict."""
    answer = opened().complete(SAID)
    opened().complete(SAID, schema=SCHEMA)
    plain, strict = service.requests
    said = [{"role": one.role, "content": one.content} for one in SAID]
    assert ("/v1/chat/completions", f"Bearer {KEY}") == (
        plain.path,
        plain.headers["authorization"],
    )
    assert {"model": MODEL, "messages": said} == plain.body
    assert {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}} == (
        strict.body["response_format"]
    )
    assert 0 == strict.body["temperature"]
    assert (SAID[1].content, MODEL) == (answer.text, answer.model)
    assert {"prompt_tokens": 3, "completion_tokens": 5} == answer.usage


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/api/v3", "/api/v3/chat/completions"),
        ("/deployments/a/chat/completions?api-version=2", None),
    ],
)
def test_the_address_may_be_short_or_whole(
    service: ChatService, opened: Open, given: str, asked: str | None
) -> None:
    """Without a path it is /v1, and what is missing is added."""
    opened(service.url.removesuffix("/v1") + given, key="").complete(SAID)
    (request,) = service.requests
    assert (asked or given) == request.path
    assert "authorization" not in request.headers


@pytest.mark.parametrize("status", [400, 422])
def test_a_service_that_knows_no_schema_is_asked_without(
    service: ChatService, opened: Open, status: int
) -> None:
    """Once again in plain words; without a schema a refusal is final."""
    service.faults.append(Fault(status=status, body=b'{"error": "response_format?"}'))
    assert SAID[1].content == opened().complete(SAID, schema=SCHEMA).text
    assert ["response_format" in request.body for request in service.requests] == [True, False]
    service.faults.append(Fault(status=status, body=b'{"error": "too long"}'))
    refused = failure(opened())
    assert not refused.retryable
    assert "too long" in refused.message
    assert 3 == len(service.requests)


def test_a_busy_service_is_asked_again_after_growing_pauses(
    service: ChatService, opened: Open, time: Time
) -> None:
    """Or after the pause that it asks for; a pause that is too long is left to the caller."""
    service.faults.extend([BUSY, Fault(status=429, headers={"Retry-After": "7"})])
    assert SAID[1].content == opened().complete(SAID).text
    assert [0.5, 7.0] == time.slept
    service.faults.append(Fault(status=429, headers={"Retry-After": "600"}))
    assert failure(opened()).retryable
    assert [0.5, 7.0] == time.slept


def test_patience_ends(service: ChatService, opened: Open, time: Time) -> None:
    """After the allowed attempts the last failure is told."""
    service.faults.extend([BUSY] * 3)
    failed = failure(opened())
    assert failed.retryable
    assert "503" in failed.message
    assert [0.5, 1.0] == time.slept
    assert 3 == len(service.requests)


def test_a_failing_service_is_left_alone_for_a_while(
    service: ChatService, opened: Open, time: Time
) -> None:
    """Then one call tries, and its success lets the others through."""
    once = Patience(attempts=1, timeout=0.0, first_pause=0.1, longest_pause=1.0)
    model = opened(patience=once, open_after=2, open_for=30.0)
    service.faults.extend([BUSY] * 2)
    failure(model)
    failure(model)
    left = failure(model)
    assert left.retryable
    assert "left alone" in left.message
    assert 2 == len(service.requests)
    time.now += 30
    assert SAID[1].content == model.complete(SAID).text


@pytest.mark.parametrize(
    ("fault", "retryable", "told"),
    [
        (Fault(body=b"<html>"), True, "something else than JSON"),
        (Fault(body=b"[]"), False, "no text in `choices`"),
        (Fault(body=b'{"choices": []}'), False, "no text in `choices`"),
        (Fault(body=b'{"choices": [{"message": {"content": null}}]}'), False, "no text"),
        (Fault(body=b'{"choices": [{"message": "hi"}]}'), False, "no text"),
        (Fault(status=401, body=f'{{"error": "bad {KEY}"}}'.encode()), False, "bad ***"),
        (Fault(status=500, body=b'{"detail": "a\\nb"}'), True, "a b"),
        (Fault(hang_up=True), True, "failed"),
    ],
)
def test_answers_are_read_with_suspicion(
    service: ChatService, opened: Open, fault: Fault, retryable: bool, told: str
) -> None:
    """Whatever comes back, it is an answer or one error that says if waiting helps."""
    service.faults.extend([fault] * 3)
    failed = failure(opened())
    assert retryable is failed.retryable
    assert told in failed.message


def test_a_service_that_does_not_answer_in_time(service: ChatService, opened: Open) -> None:
    """The caller's timeout is that of each attempt."""
    release = Event()
    service.faults.extend([Fault(until=release)] * 3)
    failed = failure(opened(), timeout=0.1)
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
    assert f"{MODEL} at http://127.0.0.1:{port}/v1/chat/completions" in failed.message
    assert "secret" not in failed.message
    assert "hush" not in failed.message


def test_a_strange_model_name_and_usage_do_no_harm(service: ChatService, opened: Open) -> None:
    """What is not as it should be beside the text is left out."""
    body = {"model": 3, "usage": [1], "choices": [{"message": {"content": "好"}}]}
    service.faults.append(Fault(body=json.dumps(body).encode()))
    answer = opened().complete(SAID)
    assert ("好", MODEL, {}) == (answer.text, answer.model, answer.usage)


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "http://", "localhost:11434", "http://[::1"])
def test_what_is_no_address_is_refused(opened: Open, url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(UsageError, match="address"):
        opened(url)


def test_what_is_no_key_is_refused_without_repeating_it(opened: Open) -> None:
    """A key with a line break would end in a header."""
    with pytest.raises(UsageError) as caught:
        opened(key="密钥\nkey")
    assert "密钥" not in caught.value.message
