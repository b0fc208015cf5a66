"""Servers for tests: `memctl` as a process on any port, or an application in a thread.

In: arguments of memctl, a folder. Out: the address, for as long as the block lasts.
"""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from cli_runs import COMMAND, environment

PATIENCE = 600.0


def start_server(
    *arguments: object, folder: Path, **more: str
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server of memctl on any port, and return its process and its address.

    With `--grpc` the address of that follows behind a blank.
    """
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--port", "0"],
        cwd=folder,
        env={**environment(folder), **more},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = b""
    scheme = "https" if "--tls-cert" in arguments else "http"
    for line in process.stderr:
        said += line
        if b"listening at" in line:
            places = [one.split()[-1].decode() for one in said.splitlines() if b" at " in one]
            return process, " ".join([f"{scheme}://{places.pop()}", *places])
    process.communicate()
    raise AssertionError(said.decode())


@contextmanager
def served(*arguments: object, folder: Path, **more: str) -> Iterator[str]:
    """Run a server of memctl and yield its address; it ends in order."""
    process, address = start_server(*arguments, folder=folder, **more)
    try:
        yield address
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def served_here(app: Any) -> Iterator[str]:
    """Serve an application from a thread of this process, and yield its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    assert server.started
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
