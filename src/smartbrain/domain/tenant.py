"""Tenant names and the folders they live in (S8).

Any text of 1 to 200 characters names a tenant. Its folder is the same name with everything but
`a-z 0-9 . _ -` escaped as `%xx` of its UTF-8 bytes, so that it can be read back, stays inside the
root, and never meets another one where the file system ignores case. A folder name longer than file
systems allow goes on in a folder inside: each part but the last ends with a bare `%`.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.errors import UsageError

MAX_CHARACTERS: Final = 200
_PART: Final = 240  # characters of one folder; file systems allow 255 bytes
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
_ESCAPE: Final = re.compile(r"%([0-9a-f]{2})")


def folder_of(name: object) -> tuple[str, ...]:
    """Return the folder of a tenant below `tenants/`, as path parts.

    Raises:
        UsageError: code `bad_tenant`, when the name is empty, too long or not valid text.
    """
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_CHARACTERS:
        raise UsageError(
            f"a tenant name is text of 1 to {MAX_CHARACTERS} characters, not {name!r:.60}",
            code="bad_tenant",
        )
    try:
        data = name.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(
            f"the tenant name {name!r:.60} holds half a character (a lone surrogate)",
            code="bad_tenant",
        ) from None
    units = [chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in data]
    for place in (0, -1):
        if units[place] == ".":
            units[place] = "%2e"
    if _DEVICE.match("".join(units)):
        units[0] = f"%{ord(units[0]):02x}"
    return _parts(units)


def name_of(parts: tuple[str, ...]) -> str | None:
    """Return the tenant whose folder this is, or None if no tenant has such a folder."""
    joined = "".join(part.removesuffix("%") for part in parts)
    data = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), joined).encode("latin-1", "replace")
    try:
        name = data.decode("utf-8")
        return name if folder_of(name) == parts else None
    except (UnicodeDecodeError, UsageError):
        return None


def _parts(units: list[str]) -> tuple[str, ...]:
    """Cut escaped characters into folder names that file systems can hold."""
    parts = [""]
    for unit in units:
        if len(parts[-1]) + len(unit) > _PART:
            parts[-1] += "%"
            parts.append("")
        parts[-1] += unit
    return tuple(parts)
