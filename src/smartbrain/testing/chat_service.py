"""A chat completions service on 127.0.0.1 for tests, which can be told to misbehave.

In: HTTP requests as OpenAI's clients send them. Out: the user's last message, or whatever is next
in `faults`. Everything that it was asked is kept in `requests`. Real sockets, no model.
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

MODEL = "test-chat"


@dataclass
class ChatFault:
    """One answer out of the ordinary: other words, a status with a body, a delay, a hang-up."""

    says: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    until: Event | None = None
    hang_up: bool = False


@dataclass
class ChatRequest:
    """What the service was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChatService(ThreadingHTTPServer):
    """Answers one fault for each entry in `faults`, then well again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults: deque[ChatFault] = deque()
        self.requests: list[ChatRequest] = []

    @property
    def url(self) -> str:
        """The address that requests go under."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatService
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet, or every answer takes 40 ms

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(ChatRequest(self.path, headers, asked))
        fault = self.server.faults.popleft() if self.server.faults else ChatFault()
        if fault.until is not None:
            fault.until.wait(10)
        if fault.hang_up:
            self.close_connection = True
            return
        body = fault.body
        if body is None:
            said = [one["content"] for one in asked["messages"] if one["role"] == "user"]
            body = json.dumps(_answer(said[-1] if fault.says is None else fault.says)).encode()
        self.send_response_only(fault.status)
        for name, value in {"Content-Length": str(len(body)), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        """Keep quiet: tests look at `requests`."""


def _answer(text: str) -> dict[str, Any]:
    return {
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5, "cost": 0.1},
    }


@contextmanager
def running_chat_service() -> Iterator[ChatService]:
    """Serve until the block ends."""
    with ChatService() as service:
        thread = Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()
