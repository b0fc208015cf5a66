"""Diffs and patches: which files changed, by how many lines, and what did not apply.

In: the output of `git diff`, `git show`, `diff -u` or `patch`. Out: rejected parts, then the files.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several

_FILE: Final = re.compile(r"^\+\+\+ (?:b/)?(\S+)")
_OLD: Final = re.compile(r"^--- (?:a/)?(\S+)")
_NAMED: Final = re.compile(r"^diff --git a/.+ b/(.+)$")
_REJECTED: Final = re.compile(
    r"^(?:error: |CONFLICT |Hunk #\d+ FAILED|\d+ out of \d+ hunks? FAILED|patch: \*{4}|<{7} )"
)


def tell_diff(seen: Seen) -> Told | None:
    """Return what a diff says, or None if it is none."""
    head = [line[:4] for line in seen.lines[:60]]
    marked = any(line.startswith("diff --git ") for line in seen.lines[:60]) or (
        "@@ -" in head and "+++ " in head
    )
    rejected = [clip(line) for line in seen.lines if _REJECTED.match(line)]
    if not marked and not (rejected and "patching file" in seen.text):
        return None
    files: dict[str, list[int]] = {}
    now = ""
    removed = False
    for line in seen.lines:
        if match := _NAMED.match(line) or _FILE.match(line):
            now = now if match[1] == "/dev/null" else match[1]
            files.setdefault(now, [0, 0])
        elif line.startswith("--- ") and (match := _OLD.match(line)):
            removed = match[1] == "/dev/null"
        elif now and line[:1] == "+":
            files[now][0] += 1
        elif now and line[:1] == "-":
            files[now][1] += 1
    if not files:
        return Told("diff", failing=tuple(rejected[:4]))
    added = sum(one[0] for one in files.values())
    gone = sum(one[1] for one in files.values())
    about = [
        f"diff of {counted(len(files), 'file', whole=seen.whole)}: +{added:,} -{gone:,} lines"
        + (", new" if removed and len(files) == 1 else ""),
        several(f"{name} +{plus} -{minus}" for name, (plus, minus) in files.items()),
    ]
    changed = [line for line in seen.lines if _changed(line)]
    about += [clip(line, 160) for line in changed[:2]]
    return Told("diff", failing=tuple(rejected[:3]), about=tuple(one for one in about if one))


def _changed(line: str) -> bool:
    """Tell whether a line is one that was added or removed, with something on it."""
    return line[:1] in ("+", "-") and not line.startswith(("+++", "---")) and len(line.strip()) > 3
