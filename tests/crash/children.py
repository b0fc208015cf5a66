"""Child processes of the crash tests, as the parent sees them: started, listened to, killed.

In: the name of a program, mostly one in `crash_programs.py`, and its arguments. Out: the lines it
printed. A child imports everything first and says "loaded"; what it is tested for begins with
`go()`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FULL = os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"
PATIENCE = 600.0
_PROGRAMS = Path(__file__).with_name("crash_programs.py")


def profile(quick: int, full: int) -> int:
    """Return a count or a duration for the profile that runs."""
    return full if FULL else quick


def remark(text: str) -> None:
    """Print something that is shown when the test fails."""
    sys.stdout.write(text + "\n")


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment in which a child finds what this process found."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path, **(more or {})}


class Child:
    """A running child; leave the `with` block and it is gone, whatever happened."""

    def __init__(self, program: str, *arguments: object, programs: Path = _PROGRAMS) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        self.process = subprocess.Popen(
            [sys.executable, str(programs), program, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment(),
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def go(self, word: str = "go") -> None:
        """Tell the child to begin, or to stop what it does until told."""
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def expect(self, word: str, count: int = 1) -> list[str]:
        """Wait until the child has printed lines that begin with a word, and return them."""

        def found() -> list[str]:
            return [line for line in self.lines if line.split(" ")[0] == word]

        with self._news:
            self._news.wait_for(lambda: len(found()) >= count or self._ended, PATIENCE)
            lines = found()
        assert len(lines) >= count, f"no {word!r} from the child:\n{self.complaints()}"
        return lines

    def kill_after(self, seconds: float) -> list[str]:
        """SIGKILL the child after a moment, in which it must not end, and return its lines."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        else:
            raise AssertionError(f"the child ended by itself ({code}):\n{self.complaints()}")
        self.process.wait()
        self._listener.join()
        return self.lines

    def finish(self) -> list[str]:
        """Wait for a child that ends by itself and well, and return its lines."""
        code = self.process.wait(PATIENCE)
        self._listener.join()
        assert code == 0, f"the child failed ({code}):\n{self.complaints()}"
        return self.lines

    def complaints(self) -> str:
        """Return what the child wrote to its stderr."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._listener.join()
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            if pipe is not None:
                pipe.close()


@contextmanager
def children(count: int, program: str, *arguments: object) -> Iterator[list[Child]]:
    """Start several children with their number as last argument, all loaded and waiting."""
    started: list[Child] = []
    try:
        started += [Child(program, *arguments, number) for number in range(count)]
        for child in started:
            child.expect("loaded")
        yield started
    finally:
        for child in started:
            child.__exit__(None, None, None)


def memctl(root: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a memctl command on a root."""
    program = "from smartbrain.entrypoints.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments, "--root", str(root)],
        env=environment(environ),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )


def encryption(key_file: Path, *, enabled: bool = False) -> dict[str, Any]:
    """Return the configuration of a root whose master key lies in a file."""
    return {"encryption": {"enabled": enabled, "master_key_file": str(key_file)}}
