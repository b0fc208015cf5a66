"""Other processes for the tests of the SQLite adapter: started, talked to, gone with the block.

In: a script and its arguments. Out: its lines. Every script finds a tenant's folder in `FOLDER` and
says and hears lines with `say` and `hear`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Self

_OPENING = """
import sys
from pathlib import Path
from smartbrain.adapters.sqlite import lock
from smartbrain.adapters.sqlite.truth import LOCK, SqliteTruth
from smartbrain.errors import SmartBrainError
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock

FOLDER = Path(sys.argv[1])

def say(line):
    print(line, flush=True)

def hear():
    return sys.stdin.readline().strip()

def tell_before_waiting():
    real = lock._lock
    def noisy(file):
        say("waiting")
        real(file)
    lock._lock = noisy

"""


class Child:
    """A running script."""

    def __init__(self, script: str, folder: Path, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OPENING + script, str(folder), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            encoding="utf-8",
        )

    def hear(self) -> str:
        """Return the next line that the child says; empty when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def say(self, line: str = "go on") -> None:
        """Hand the child a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Wait for the child to end well."""
        assert 0 == self.process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        with self.process:
            pass
