"""Directory listings: how many entries, which ones; and searches, how many lines of which files.

In: the output of `ls`, `ls -l`, `tree`, `find`, `dir`, of a search for files, or of `grep -n`. Out:
the figures and the first names; what could not be looked at comes before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from smartbrain.govern.outputs.complaints import surely
from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several

_LONG: Final = re.compile(
    r"^([-dlbcps])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\S+\s+"
    r"(?:\d{4}-\d{2}-\d{2}|\S+\s+\d{1,2})\s+(?:\d{2}:\d{2}\S*(?: [+-]\d{4})?|\d{4})\s+(.+)$"
)
_DOS: Final = re.compile(
    r"^(?:\d{1,4}/\d{1,2}/\d{1,4}\s+\d{1,2}:\d{2}(?: [AP]M)?\s+(<\w+>|[\d,]+)"
    r"|([d-])[a-z-]{4,5}\s+\d{1,4}/\d{1,2}/\d{1,4}\s+\d{1,2}:\d{2}(?: [AP]M)?(?:\s+\d+)?)\s+(\S.*)$"
)
_TREE: Final = re.compile(r"[├└]── (.+)$|^[|`\s]+-- (.+)$")
_TOTAL: Final = re.compile(r"^\d+ director(?:y|ies), \d+ files?|^总(?:计|用量) \d|^total \d+")
_PATH: Final = re.compile(r"^(?:[.~]?/|[A-Za-z]:\\|[\w.@+-]+/)\S*$")
_NAME: Final = re.compile(r"^\.{0,2}[\w@+-][\w.@+-]*[/*@]?$|^\.{1,2}/?$")
_FOUND: Final = re.compile(r"^Found \d+ match")
_HIT: Final = re.compile(r"^((?:[A-Za-z]:)?[^\s:]{1,300}):\d+:")
_HITS: Final = 0.8  # of the lines that a search prints
_FEWEST: Final = 3
_TRIED: Final = 8  # lines among which there is an entry, if it is a listing


def tell_listing(seen: Seen) -> Told | None:
    """Return what a listing says, or None if it is none."""
    lines = [line.rstrip() for line in seen.lines if line.strip()]
    if any(map(_HIT.match, lines[:_TRIED])):
        return _search(lines, seen)
    if not any(map(_is_entry, lines[:_TRIED])):
        return None
    bad = [line for line in lines if not _is_entry(line) and surely(line)]
    rest = [line for line in lines if line not in bad] if bad else lines
    names = _long(rest) or _dos(rest) or _tree(rest) or _paths(rest)
    if not names:
        return None
    failing = tuple(clip(line) for line in bad[:2])
    said = [clip(line) for line in rest if _TOTAL.match(line) or _FOUND.match(line)]
    about = [f"listing of {counted(len(names), 'name', whole=seen.whole)}: {several(names, 400)}"]
    return Told("listing", failing=failing, about=(*said[-1:], *about))


def _search(lines: Sequence[str], seen: Seen) -> Told | None:
    """Tell lines of files with their numbers."""
    hits = [match for line in lines if (match := _HIT.match(line))]
    if len(hits) < max(_FEWEST, _HITS * len(lines)):
        return None
    files = Counter(match[1] for match in hits)
    bad = [clip(line) for line in lines if not _HIT.match(line) and surely(line)]
    head = (
        f"search: {counted(len(hits), 'line', whole=seen.whole)} of {counted(len(files), 'file')}"
    )
    named = several(f"{name} {number}" for name, number in files.items())
    shown = (clip(hits[0].string, 160), clip(hits[-1].string, 160))
    return Told("search", failing=tuple(bad[:2]), about=(f"{head}: {named}", *shown))


def _is_entry(line: str) -> bool:
    """Tell whether a line can be that of an entry."""
    return any(one.search(line) for one in (_NAME, _PATH, _LONG, _TREE, _DOS))


def _long(lines: Sequence[str]) -> list[str]:
    """Return the names of `ls -l`."""
    found = [match for line in lines if (match := _LONG.match(line))]
    if not found or len(found) < len(lines) - 3 - sum(line.endswith(":") for line in lines):
        return []
    return [match[2] + ("/" if match[1] == "d" else "") for match in found]


def _dos(lines: Sequence[str]) -> list[str]:
    """Return the names of `dir`, on Windows or in PowerShell."""
    found = [match for line in lines if (match := _DOS.match(line))]
    names = [(m[3], m[1] == "<DIR>" or m[2] == "d") for m in found if m[3] not in (".", "..")]
    return [name + ("/" if folder else "") for name, folder in names]


def _tree(lines: Sequence[str]) -> list[str]:
    """Return the names of `tree`."""
    found = [match for line in lines if (match := _TREE.search(line))]
    if len(found) < _FEWEST - 1 or len(found) < len(lines) // 2:
        return []
    return [match[1] or match[2] for match in found]


def _paths(lines: Sequence[str]) -> list[str]:
    """Return paths or bare names, one a line and nothing else, maybe after a line that says so."""
    if lines and _FOUND.match(lines[0]):
        return [line.strip() for line in lines[1:] if _PATH.match(line.strip())]
    if len(lines) < _FEWEST:
        return []
    if all(map(_PATH.match, lines)):
        return list(lines)
    named = [line for line in lines if _NAME.match(line) or _PATH.match(line)]
    marked = [line for line in lines if "." in line or line.endswith("/")]
    return list(lines) if len(named) == len(lines) and 2 * len(marked) >= len(lines) else []
