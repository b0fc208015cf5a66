"""Stack traces: what was raised and where, in the code that is nearest to the user's own.

In: the output of a program that died of Python, JavaScript, Java, C#, Go, Rust, Ruby, PHP, or of a
sanitizer. Out: the error itself, then the innermost place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip

_PYTHON: Final = "Traceback (most recent call last)"
_RAISED: Final = re.compile(r"^(?:\s*\|\s*)?[A-Za-z_][\w.]*(?::(?:\s|$)|$)")
_PLACE: Final = re.compile(r'^\s*(?:\|\s*)?File "([^"]+)", line (\d+)(?:, in (.+))?')
_AT: Final = re.compile(r"^\s+at \S|^\s+\.\.\. \d+ more")
_HEAD: Final = re.compile(
    r"^(?:Uncaught |Unhandled exception\. |Exception in thread \"[^\"]*\" |Caused by: |\[ERROR\] )?"
    r"(?:[A-Za-z_$][\w$.]*\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault|Throwable)?\b"
    r"(?: \[\w+\])?(?::|$)"
)
_NATIVE: Final = re.compile(
    r"^panic: |^fatal error: (?:all goroutines|concurrent|runtime|stack)"
    r"|^thread '.*' (?:\(\d+\) )?panicked at"
    r"|ERROR: \w+Sanitizer|^SUMMARY: \w+Sanitizer|: runtime error: "
    r"|^PHP Fatal error:|^Fatal error: Uncaught"
    r"|^\S+\.rb:\d+:in .+: .+\(\w+\)|^Segmentation fault|^\*\*\* stack smashing"
)
_NATIVE_WORDS: Final = (
    "anic",
    "Sanitizer",
    "runtime error",
    "atal error",
    ".rb:",
    "Segm",
    "smashing",
)


def tell_trace(seen: Seen) -> Told | None:
    """Return what a stack trace says, or None if there is none."""
    found = _python(seen.lines) if _PYTHON in seen.text else []
    if any(word in seen.text for word in _NATIVE_WORDS):
        found += _native(seen.lines)
    if " at " in seen.text or "\tat " in seen.text:
        found += _called(seen.lines)
    if not found:
        return None
    lines = list(dict.fromkeys(found))
    kept = lines if len(lines) <= 4 else [*lines[:2], *lines[-2:]]
    return Told("stack trace", failing=tuple(kept))


def _python(lines: Sequence[str]) -> list[str]:
    """Return the last error of the tracebacks with its place, then the first one."""
    errors: list[tuple[str, str]] = []
    place = code = ""
    inside = False
    for number, line in enumerate(lines):
        if _PYTHON in line:
            inside, place, code = True, "", ""
        elif inside and (match := _PLACE.match(line)):
            place = f"at {match[1]}:{match[2]}" + (f" in {match[3]}" if match[3] else "")
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            code = "" if _PLACE.match(after) else after
        elif inside and line and line[0] not in " \t|" and _RAISED.match(line):
            errors.append((clip(line, 400), clip(f"{place}: {code}" if code else place)))
            inside = False
    if not errors:
        return []
    last = list(errors[-1])
    if len(errors) > 1 and errors[0][0] != last[0]:
        last.append(f"first: {errors[0][0]}")
    return [part for part in last if part]


def _native(lines: Sequence[str]) -> list[str]:
    """Return panics and what sanitizers report, with the first place of the program's own."""
    found = []
    for number, line in enumerate(lines):
        if not _NATIVE.search(line):
            continue
        found.append(clip(line, 400))
        after = lines[number + 1] if number + 1 < len(lines) else ""
        if "panicked at" in line and after.strip() and not after.startswith(("note:", "stack")):
            found.append(clip(after))
        elif line.startswith(("panic: ", "fatal error: ")):
            found += _go_place(lines[number + 1 :])
        if len(found) >= 4:
            break
    return found


def _go_place(lines: Sequence[str]) -> list[str]:
    """Return the first place that is not in Go's own runtime."""
    for line in lines[:40]:
        if re.match(r"^\t\S+\.go:\d+", line) and "/runtime/" not in line:
            return ["at " + clip(line).partition(" +0x")[0]]
    return []


def _called(lines: Sequence[str]) -> list[str]:
    """Return errors that are followed by `at …` lines: the first, its place, the last cause."""
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines[:-1]):
        if not _AT.match(lines[number + 1]) or _AT.match(line):
            continue
        head = number
        # The message of an error may go over a few lines before the first place.
        while head > 0 and number - head < 4 and not _HEAD.match(lines[head].strip()):
            head -= 1
        if _HEAD.match(lines[head].strip()):
            found.append((clip(lines[head], 400), clip(lines[number + 1])))
    if not found:
        return []
    cause = [found[-1][0]] if len(found) > 1 else []
    return [found[0][0], *cause, found[0][1]]
