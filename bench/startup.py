"""How long a fresh interpreter takes to import SmartBrain and to answer at the prompt.

Each command is a process of its own, started in turns with a bare `python -c pass`. The limits
hold for the whole process; nothing is subtracted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.corpus import spoken
from bench.measure import Preparation, Times, interleave, milliseconds, ratio
from bench.report import Result, Setting
from smartbrain import SmartBrain

IMPORT_LIMIT = 0.150
HELP_LIMIT = 0.250
_MEMCTL = "from smartbrain.entrypoints.cli.main import main; main()"


def run(setting: Setting) -> list[Result]:
    """Measure importing, `memctl --help` and `memctl status`."""
    root = setting.folder / "brain"
    with SmartBrain.open(root) as brain:
        brain.commit_turn("session", spoken(0))
    commands = {
        "bare": ["-c", "pass"],
        "import": ["-c", "import smartbrain"],
        "help": ["-c", _MEMCTL, "--help"],
        "status": ["-c", _MEMCTL, "status", "--root", str(root)],
    }
    times = interleave(
        {
            name: _starting(arguments, setting.folder / "compiled")
            for name, arguments in commands.items()
        },
        rounds=setting.pick(15, 60),
        warmup=2,
    )
    return [
        _result("import smartbrain", times["import"], times["bare"], IMPORT_LIMIT),
        _result("memctl --help", times["help"], times["bare"], HELP_LIMIT),
        _result("memctl status", times["status"], times["bare"], None),
    ]


def _starting(arguments: list[str], compiled: Path) -> Preparation:
    """Return the contender that runs an interpreter to its end, with modules compiled ahead."""
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start() -> object:
        return subprocess.run(command, check=True, capture_output=True, env=environment)

    return lambda: start


def _result(name: str, ours: Times, peer: Times, limit: float | None) -> Result:
    """Hold a command against its limit, beside a bare interpreter."""
    found = ratio(ours, peer)
    return Result(
        name=f"{name}, fresh process",
        measured=str(ours),
        against=f"bare interpreter {milliseconds(peer.p50)}",
        ratio=str(found),
        limit="" if limit is None else f"< {milliseconds(limit)}",
        passed=None if limit is None else ours.p50 < limit,
        numbers={"ours_p50": ours.p50, "bare_p50": peer.p50, "ratio": found.value},
    )
