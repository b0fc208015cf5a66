"""The HTTP server process, or several: listening, TLS, patience with connections that say nothing.

In: an ASGI application, an address. Out: a server that runs until a signal stops it; calls that run
are let end. The library behind it waits for ever for the rest of a request's headers, so a
connection that sends them drop by drop is closed here. Several processes answer what waits in the
one queue of a socket, so one that dies takes only the calls with it that it was answering.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from pathlib import Path

GRACE_SECONDS: Final = 30
_FRESH_SECONDS: Final = 1.0
"""A worker that dies this early is not followed at once, so that a fault cannot eat the machine."""
_TOO_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def serve_app(
    app: Any,
    listening: socket.socket,
    *,
    header_seconds: float,
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve an application until a signal stops it; `tls` is a certificate chain and its key."""
    config = uvicorn.Config(
        app,
        http=patient_protocol(header_seconds),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )
    with suppress(KeyboardInterrupt):
        _Server(config, app).run(sockets=[listening])


def serve_workers(count: int, work: Callable[..., None], *arguments: Any) -> None:
    """Have so many processes do some work until a signal stops them; each lets its calls end."""
    workers: list[BaseProcess] = []
    is_stopping = False

    def stop(*_: object) -> None:
        nonlocal is_stopping
        is_stopping = True
        for worker in list(workers):
            worker.terminate()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    while not is_stopping:
        started = time.monotonic()
        while len(workers) < count and not is_stopping:
            # A fresh interpreter: what this process has opened is not for two.
            worker: BaseProcess = get_context("spawn").Process(
                target=_work, args=(work, *arguments)
            )
            worker.start()
            workers.append(worker)
        if not is_stopping:
            wait([worker.sentinel for worker in workers])
        dead = [worker for worker in workers if not worker.is_alive()]
        workers = [worker for worker in workers if worker not in dead]
        if dead and not is_stopping:
            told = ", ".join(f"{worker.pid} ({worker.exitcode})" for worker in dead)
            sys.stderr.write(f"memctl: a worker ended: {told}; another one is started\n")
            time.sleep(max(0.0, started + _FRESH_SECONDS - time.monotonic()))
    stop()  # whoever was being started when the signal came
    for worker in workers:
        worker.join()


def _work(work: Callable[..., None], *arguments: Any) -> None:
    """Work, and stop in order when the process that started this one is gone."""
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
    work(*arguments)


def check_tls(cert: Path, key: Path) -> None:
    """Refuse a certificate and a key that do not belong together, or have a password."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            cert, key, password=lambda: b""
        )
    except ssl.SSLError as error:
        why = error.reason or "it is no PEM file, or has a password"
        raise UsageError(
            f"--tls-cert {cert} and --tls-key {key} cannot be used together: {why}"
        ) from None


class _Server(uvicorn.Server):
    """Ends streams first: they never end by themselves."""

    def __init__(self, config: uvicorn.Config, app: Any) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let running calls end."""
        self._app.state.is_stopping = True
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address, for connections that send an answer's body right behind its head.

    Without that the body waits for the client's next word, which is 40 ms on a kept connection.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{host}:{port} cannot be served ({why}); change the options") from None
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def announce(listening: socket.socket, host: str) -> None:
    """Say where clients find a server; the port may have been any."""
    sys.stderr.write(f"memctl: listening at {host}:{listening.getsockname()[1]}\n")


def patient_protocol(seconds: float) -> type[H11Protocol]:
    """Return a protocol that waits so long for the headers of a request, and no longer."""

    class PatientProtocol(H11Protocol):
        """HTTP/1.1 with an end to waiting for headers."""

        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Begin to wait for the first request."""
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            """Take what came; while headers are not whole, the clock runs on."""
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop_waiting()
            elif self._waiting is None:
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            """Forget the clock."""
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._waiting = self.loop.call_later(seconds, self._give_up)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
                self.transport.write(_TOO_SLOW)
                self.transport.close()

    return PatientProtocol
