"""A stand-in for the APIs of OpenAI and Anthropic, so that the examples of the pages run.

In: requests for chat completions or messages. Out: the same short answer, in the provider's form.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn

ANSWER = "A model has answered."
OPENAI = {
    "id": "c1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": ANSWER},
        }
    ],
}
ANTHROPIC = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": ANSWER}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["messages"][-1]["role"] == "user", asked
        told = ANTHROPIC if self.path.endswith("/messages") else OPENAI
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        pass


@contextmanager
def answering() -> Iterator[dict[str, str]]:
    """Serve both, and yield the variables of the environment that lead their clients here."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
        }
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def served_here(app: Any) -> Iterator[str]:
    """Serve an application from a thread of this process, and yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
