"""A reranking service on 127.0.0.1 for tests, which can be told to misbehave.

In: HTTP requests in the form of Cohere and Jina, or of Text Embeddings Inference when `plain` is
set. Out: the scores of the PieceReranker, best first, or whatever is next in `faults`. Everything
that it was asked is kept in `requests`. Real sockets, no model.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from smartbrain.testing.reranker import PieceReranker

MODEL = "test-reranker"


@dataclass
class RerankFault:
    """One answer out of the ordinary: a status with a body, a delay, a hang-up."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    until: Event | None = None
    hang_up: bool = False


@dataclass
class RerankRequest:
    """What the service was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class RerankService(ThreadingHTTPServer):
    """Answers one fault for each entry in `faults`, then well again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plain = False
        self.faults: deque[RerankFault] = deque()
        self.requests: list[RerankRequest] = []

    @property
    def url(self) -> str:
        """The address that requests go under."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and the answer to a request."""
        texts = asked.get("texts" if self.plain else "documents")
        if texts is None:
            return 422, {"error": "missing field", "error_type": "validation"}
        scores = PieceReranker().score(asked["query"], texts)
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        if self.plain:
            return 200, [{"index": place, "score": scores[place]} for place in order]
        results = [{"index": place, "relevance_score": scores[place]} for place in order]
        return 200, {"model": MODEL, "results": results[: asked["top_n"]]}


class _Handler(BaseHTTPRequestHandler):
    server: RerankService
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet, or every answer takes 40 ms

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(RerankRequest(self.path, headers, asked))
        fault = self.server.faults.popleft() if self.server.faults else RerankFault()
        if fault.until is not None:
            fault.until.wait(10)
        if fault.hang_up:
            self.close_connection = True
            return
        status, body = fault.status, fault.body
        if body is None:
            status, answer = self.server.answer(asked)
            body = json.dumps(answer).encode()
        self.send_response_only(status)
        for name, value in {"Content-Length": str(len(body)), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        """Keep quiet: tests look at `requests`."""


@contextmanager
def running_rerank_service() -> Iterator[RerankService]:
    """Serve until the block ends."""
    with RerankService() as service:
        thread = Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()
