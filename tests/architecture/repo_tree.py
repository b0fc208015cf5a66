"""The repository as the gates see it: its root, its files and its own interpreter.

In: folder names and command arguments. Out: relative paths with their text, and finished processes.
Not a rule: what may stand in a file is decided in the `rules_*` modules.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "src/smartbrain"
IGNORED_FOLDERS = frozenset({"build", "dist", "node_modules", "results", "__pycache__"})


def python_sources(*folders: str) -> Iterator[tuple[str, str]]:
    """Yield (path relative to the root, source) of every Python file under the folders."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def text_files() -> Iterator[tuple[str, str]]:
    """Yield (relative path, text) of every file of the repository that is not ignored or binary."""
    for name in sorted(_tracked_or_new() or _walked()):
        path = ROOT / name
        try:
            yield name, path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue


def run_python(
    *arguments: str, cwd: Path = ROOT, import_from: Path = ROOT / "src"
) -> subprocess.CompletedProcess[str]:
    """Run this interpreter with `import_from` first on its path; never raises on a bad exit."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(import_from)},
        capture_output=True,
        text=True,
        check=False,
    )


def assert_none(found: list[str]) -> None:
    """Fail with every violation on a line of its own; pytest would show the first only."""
    assert found == [], "\n" + "\n".join(found)


def _tracked_or_new() -> list[str]:
    """What git tracks or would add; empty where git or its folder is absent."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return []
    return [name for name in listed.stdout.split("\0") if name]


def _walked() -> list[str]:
    """Every file outside hidden and build folders, for a checkout without git."""
    return [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*")
        if path.is_file() and not _is_ignored(path.relative_to(ROOT).parts[:-1])
    ]


def _is_ignored(folders: tuple[str, ...]) -> bool:
    return any(
        name in IGNORED_FOLDERS
        or name.endswith(".egg-info")
        or (name.startswith(".") and name != ".ci")
        for name in folders
    )
