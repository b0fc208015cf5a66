"""Running `memctl` as a user does: arguments in, outputs and an exit code back.

In: arguments, a folder, an environment. Out: what came back. Every run gets a home of its own, so
that nothing of the machine's is seen or touched.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import apsw

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.migrate import BASELINE
from smartbrain.domain.tenant import folder_of
from smartbrain.entrypoints.cli.main import main

SRC = Path(__file__).resolve().parents[2] / "src"
COMMAND = [sys.executable, "-m", "smartbrain.entrypoints.cli.main"]


class Run(NamedTuple):
    """What a run of memctl left: its exit code and its two outputs."""

    code: Any
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as a program reads it."""
        return json.loads(self.out)


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment without any of our variables but those given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SMARTBRAIN_")}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(SRC), **more}


def spawned(*arguments: object, folder: Path, **more: str) -> Run:
    """Run memctl as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        env={**environment(folder), **more},
        capture_output=True,
        check=False,
        timeout=600,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def called(*arguments: object, folder: Path, **more: str) -> Run:
    """Run memctl inside this process, with its own arguments, environment, folder and outputs."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object = 0
    with (
        chdir(folder),
        patch.dict(os.environ, {**environment(folder), **more}, clear=True),
        patch.object(sys, "argv", ["memctl", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Run(code or 0, *texts)


memctl = spawned if os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full" else called
"""Runs memctl in a folder that is also its home unless HOME is given; the quick profile saves the
half second that starting a process takes."""


def filled_brain(place: Path, *tenants: str, turns: int = 2, **config: Any) -> Path:
    """Make a brain whose tenants have some turns, one of them with a raw file."""
    with SmartBrain.open(place, tenant=tenants[0], config=config or None) as brain:
        for name in tenants:
            handle = brain.tenant(name)
            for n in range(turns):
                text = f"第 {n} 轮 of {name!r}\n" * (500 if n == 0 else 1)
                handle.commit_turn("s", [{"role": "user", "content": text}])
    return place


def encrypted_brain(place: Path, *tenants: str, key: str, turns: int = 1) -> Path:
    """Make encrypted tenants under a master key."""
    with patch.dict(os.environ, {"SMARTBRAIN_MASTER_KEY": key}):
        return filled_brain(place, *tenants, turns=turns, **{"encryption.enabled": True})


def make_older(place: Path, name: str, version: int = BASELINE - 1) -> None:
    """Turn a tenant into one that a SmartBrain without claims has left."""
    connection = apsw.Connection(str(place / "tenants" / folder_of(name) / "brain.db"))
    connection.execute("DROP TABLE claims")
    connection.pragma("user_version", version)
    connection.close()
