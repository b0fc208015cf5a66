"""Services of models on this machine, for tests: embeddings, chat and rerank over HTTP.

In: requests as clients of such services send them. Out: answers in their form, or the faults that a
test asks for. Started on a free port, stopped when the block is left.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeVar

from smartbrain.testing.models import PieceReranker

_WAIT = 10.0  # seconds; a test that forgets its event ends all the same


@dataclass
class Fault:
    """One answer out of the ordinary: a status with a body, a changed one, a delay, a hang-up."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[Any], Any] | None = None
    until: Event | None = None
    hang_up: bool = False


@dataclass
class Request:
    """What a service was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelService(ThreadingHTTPServer):
    """Answers one fault for each entry in `faults`, then well again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults: deque[Fault] = deque()
        self.requests: list[Request] = []

    @property
    def url(self) -> str:
        """The address that requests go under."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and the answer to a request; each kind of service has its own."""
        return 404, {"error": "this service knows no model", "asked": sorted(asked)}


_Service = TypeVar("_Service", bound=ModelService)


@contextmanager
def running(service: _Service) -> Iterator[_Service]:
    """Serve until the block ends."""
    with service:
        thread = Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ModelService
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet, or every answer takes 40 ms

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.path, headers, asked))
        fault = self.server.faults.popleft() if self.server.faults else Fault()
        if fault.until is not None:
            fault.until.wait(_WAIT)
        if fault.hang_up:
            self.close_connection = True
            return
        status, body = fault.status, fault.body
        if body is None:
            usual, answer = self.server.answer(asked)
            status = usual if status == Fault.status else status
            body = json.dumps(fault.change(answer) if fault.change else answer).encode()
        self.send_response_only(status)
        for name, value in {"Content-Length": str(len(body)), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        """Keep quiet: tests look at `requests`."""


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


RERANKER = "test-reranker"


class RerankService(ModelService):
    """Scores by common pieces of words, in either form."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = False

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Return the scores of the texts; a form that it does not know is refused."""
        texts = asked.get("texts" if self.plain else "documents")
        if texts is None:
            return 422, {"error": "missing field", "error_type": "validation"}
        scores = PieceReranker().score(asked["query"], texts)
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        if self.plain:
            return 200, [{"index": place, "score": scores[place]} for place in order]
        results = [{"index": place, "relevance_score": scores[place]} for place in order]
        return 200, {"model": RERANKER, "results": results[: asked["top_n"]]}


def running_rerank_service() -> AbstractContextManager[RerankService]:
    """Serve until the block ends."""
    return running(RerankService())
