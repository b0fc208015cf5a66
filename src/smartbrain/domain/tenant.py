"""Tenant names and the folders they live in (S8).

Any text of 1 to 200 characters names a tenant. Its folder is the same name with everything but
`a-z 0-9 . _ -` escaped as `%xx` of its UTF-8 bytes, so that it can be read back, stays inside the
root, and never meets another one where the file system ignores case. A name that grows too long
for one folder gets a fingerprint, `%-` and 32 digits, and is written down in a file inside.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from smartbrain.errors import UsageError

MAX_CHARACTERS: Final = 200
_LONGEST_FOLDER: Final = 240  # file systems allow 255 bytes, SQLite 512 for the whole path
_FINGERPRINT: Final = "%-"  # escaping never makes a `%` that is not followed by two digits
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
_ESCAPE: Final = re.compile(r"%([0-9a-f]{2})")


def folder_of(name: object) -> str:
    """Return the folder of a tenant below `tenants/`."""
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
    folder = "".join(units)
    if len(folder) <= _LONGEST_FOLDER:
        return folder
    return _FINGERPRINT + blake2b(data, digest_size=16).hexdigest()


def is_fingerprint(folder: str) -> bool:
    """Tell whether a folder's tenant has to be read from the file inside."""
    return folder.startswith(_FINGERPRINT)


def name_of(folder: str) -> str | None:
    """Return the tenant that a folder's name spells, or None if it spells none."""
    data = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), folder).encode("latin-1", "replace")
    try:
        name = data.decode("utf-8")
        return name if folder_of(name) == folder else None
    except (UnicodeDecodeError, UsageError):
        return None
