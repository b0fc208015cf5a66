"""A real embeddings service on 127.0.0.1, which can be told to misbehave.

In: HTTP requests as OpenAI's clients send them. Out: the vectors of the HashEmbedder, or whatever
fault is next in line. Everything it was asked is kept in `requests`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from smartbrain.testing.embedder import HashEmbedder

MODEL = "test-model"
Answer = dict[str, Any]


@dataclass
class Fault:
    """One answer out of the ordinary: a status with headers and body, a changed answer, a delay."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[Answer], Any] | None = None
    until: Event | None = None
    hang_up: bool = False


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class EmbeddingServer(ThreadingHTTPServer):
    """Answers one fault for each entry in `faults`, then well again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults: deque[Fault] = deque()
        self.requests: list[Request] = []
        self.embedder = HashEmbedder()
        self.base64 = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, texts: list[str]) -> Answer:
        vectors = self.embedder.embed_passages(texts)
        items = [
            {
                "object": "embedding",
                "index": place,
                "embedding": b64encode(bytes(vector)).decode() if self.base64 else list(vector),
            }
            for place, vector in enumerate(vectors)
        ]
        return {"object": "list", "data": items, "model": MODEL, "usage": {"total_tokens": 1}}


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet, or every answer takes 40 ms

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.path, headers, asked))
        fault = self.server.faults.popleft() if self.server.faults else Fault()
        if fault.until is not None:
            fault.until.wait(10)
        if fault.hang_up:
            self.close_connection = True
            return
        body = fault.body
        if body is None:
            answer = self.server.answer(asked["input"])
            body = json.dumps(fault.change(answer) if fault.change else answer).encode()
        self.send_response_only(fault.status)
        for name, value in {"Content-Length": str(len(body)), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        """Keep quiet: the tests look at `requests`."""


@contextmanager
def running_server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
