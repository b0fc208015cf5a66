"""A service of models on 127.0.0.1 for tests, which can be told to misbehave.

In: HTTP requests with a JSON body. Out: what a kind of service answers, or whatever is next in
`faults`. Everything that it was asked is kept in `requests`. Real sockets, no model.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeVar

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
