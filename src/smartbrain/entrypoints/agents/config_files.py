"""Settings files of other programs: read, merged and written, with the old file kept beside.

In: a path and what is to stand in it. Out: the text as it would be, or the file changed. A file
that cannot be understood is never written; whatever else stands in it stays.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smartbrain.errors import UsageError
from smartbrain.ports.blobs import disk_error


def merged_json(path: Path, changes: Mapping[str, Any]) -> str:
    """Return a JSON file's text with objects merged into it; a list gets what it does not have."""
    text = _read(path)
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise _unreadable(path, error) from None
    if not isinstance(found, dict):
        raise _unreadable(path, "it is no object")
    return json.dumps(_merged(found, changes), ensure_ascii=False, indent=2) + "\n"


def appended_toml(path: Path, table: str, block: str) -> str:
    """Return a TOML file's text with a table at its end, unless it is there already."""
    text = _read(path)
    try:
        found: Any = tomllib.loads(text)
        wanted: Any = tomllib.loads(block)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, error) from None
    for part in table.split("."):
        found, wanted = found.get(part, {}), wanted[part]
    if found == wanted:
        return text
    if found:
        raise UsageError(f"{path} has a table [{table}] already; put the snippet in its place")
    return f"{text.rstrip()}\n\n{block}" if text.strip() else block


def write_beside(path: Path, text: str) -> Path | None:
    """Write a file whole or not at all, and return where the old one was kept, if there was one."""
    real = Path(os.path.realpath(path))  # a link stays a link
    kept: Path | None = None
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        if real.exists():
            if real.read_text(encoding="utf-8") == text:
                return None
            kept = _free_name(real)
            shutil.copy2(real, kept)
        fresh = real.with_name(f"{real.name}.{os.getpid()}.new")
        fresh.write_text(text, encoding="utf-8")
        if kept is not None:
            shutil.copymode(kept, fresh)
        fresh.replace(real)
    except OSError as error:
        raise disk_error(error, f"write {path}") from error
    return kept


def _free_name(path: Path) -> Path:
    """Return a name for the old file that no earlier one has."""
    number = 0
    while (kept := path.with_name(f"{path.name}.old{number or ''}")).exists():
        number += 1
    return kept


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *(one for one in new if one not in old)]
    return new


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _unreadable(path, error) from None
    except OSError as error:
        raise disk_error(error, f"read {path}") from error


def _unreadable(path: Path, why: object) -> UsageError:
    return UsageError(f"{path} cannot be changed safely ({why}); add the snippet by hand")
