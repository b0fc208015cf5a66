"""Which brain a command means.

In: `--root`, the environment, the working folder. Out: a path. The order is: `--root`, then
SMARTBRAIN_ROOT, then the nearest `.smartbrain` folder upward, else the one in the user's home.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

FOLDER: Final = ".smartbrain"
VARIABLE: Final = "SMARTBRAIN_ROOT"


def find_root(given: Path | None) -> Path:
    """Return the folder of the brain that a command is about."""
    if given is not None:
        return given
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    return Path.home() / FOLDER


def new_root(given: Path | None) -> Path:
    """Return where `memctl init` makes a brain: as told, else in the working folder."""
    if given is not None or os.environ.get(VARIABLE):
        return find_root(given)
    return Path.cwd() / FOLDER
