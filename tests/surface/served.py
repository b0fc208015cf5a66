"""Servers for tests: `memctl` as a process on a free port, waited for until it answers.

In: arguments of memctl, a folder. Out: the address, for as long as the block lasts.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from cli_runs import COMMAND, environment

PATIENCE = 60.0


def free_port() -> int:
    """Return a port that nobody listens on just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


@contextmanager
def served(*arguments: object, folder: Path, **more: str) -> Iterator[str]:
    """Run a server of memctl, which takes `--port`, and yield its address; it ends in order."""
    port = free_port()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--port", str(port)],
        cwd=folder,
        env={**environment(folder), **more},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.communicate()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until somebody listens on a port, or say why nobody does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read().decode())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on {port}")


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
