"""The folders of tenants: made durably, listed by name, and looked at before they are opened.

In: paths. Out: names, or an error of ours. A tenant's folder spells its name, or is a fingerprint
of it with the name in a file inside. What lies in the database is nobody's business here.
"""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from typing import Final

from smartbrain.domain.tenant import folder_of, is_fingerprint, name_of
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error, sync_folder

TENANTS: Final = "tenants"
DELETING: Final = ".deleting"
"""The folder, among those of the tenants, of what is being deleted."""
DATABASE: Final = "brain.db"
KEY: Final = "key.json"
NAME: Final = "tenant.txt"
_LONGEST_PATH: Final = 500  # SQLite takes 512 bytes, of which its log needs a few more


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, for their owner alone, so that a power cut keeps them."""
    try:
        new = list(takewhile(lambda path: not path.is_dir(), (folder, *folder.parents)))
        for path in reversed(new):
            path.mkdir(mode=0o700, exist_ok=True)
            sync_folder(path.parent)
    except OSError as error:
        raise disk_error(error, f"create the folder {folder}") from error


def make_tenant_folder(folder: Path, name: str) -> None:
    """Create a tenant's folder, with its name inside where the folder does not spell it."""
    if len(os.fsencode(folder / DATABASE)) > _LONGEST_PATH:
        raise UsageError(
            f"{folder!s:.60}… is longer than the {_LONGEST_PATH} bytes that SQLite can open;"
            " move the brain to a shorter path",
            code="not_a_brain",
        )
    make_folder(folder)
    if is_fingerprint(folder.name):
        _write_name(folder, name)


def list_tenants(root: Path) -> list[str]:
    """Return the names of the tenants that a root holds, sorted."""
    names = [
        _read_name(folder) if is_fingerprint(folder.name) else name_of(folder.name)
        for folder in _folders(root / TENANTS)
        if (folder / DATABASE).exists() or _is_left_behind(folder)
    ]
    return sorted(name for name in names if name is not None)


def refuse_lost_database(folder: Path) -> None:
    """Refuse to begin an empty database beside what only a full one can have left."""
    # Looked at twice: what is left behind may be the first work of another process.
    if is_empty(folder) and _is_left_behind(folder) and is_empty(folder):
        raise AdapterError(
            f"{folder / DATABASE} is empty or gone while raw files or its log are still there;"
            " restore it from a backup, or delete the folder to begin anew",
            code="corrupt",
        )


def is_empty(folder: Path) -> bool:
    """Tell whether a tenant has no database yet, or no longer; SQLite takes one byte for none."""
    return _size(folder / DATABASE) <= 1


def _is_left_behind(folder: Path) -> bool:
    """Tell whether there are raw files or a log, which a tenant gets after its tables."""
    files = (folder / "raw").rglob("*")
    return bool(_size(folder / f"{DATABASE}-wal")) or any(file.is_file() for file in files)


def _size(file: Path) -> int:
    """Return a file's size, 0 if there is none; reading it would let go of SQLite's locks."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise disk_error(error, f"look at {file}") from error


def _write_name(folder: Path, name: str) -> None:
    if _read_name(folder) == name:
        return
    temporary = folder / f"{NAME}.{os.getpid()}.tmp"
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / NAME)
        sync_folder(folder)
    except OSError as error:
        raise disk_error(error, f"write {folder / NAME}") from error


def _read_name(folder: Path) -> str | None:
    """Return the name written in a folder, if it is the one that belongs there."""
    try:
        with (folder / NAME).open(encoding="utf-8", newline="") as file:
            name = file.read()
        return name if folder_of(name) == folder.name else None
    except (FileNotFoundError, UnicodeDecodeError, UsageError):
        return None
    except OSError as error:
        raise disk_error(error, f"read {folder / NAME}") from error


def _folders(path: Path) -> list[Path]:
    try:
        return [entry for entry in path.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(error, f"list {path}") from error
