"""Stack traces: what was raised and where, in the code that is nearest to the user's own.

In: the output of a program that died of Python, JavaScript, Java, C#, Go, Rust, Ruby, PHP, or of a
sanitizer. Out: the error itself, then the innermost place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip

_PYTHON: Final = "Traceback (most recent call last)"
_GROUP: Final = re.compile(r"^\s*(?:[+|] ?)+(?:-++ ?\d*+ ?-*+$)?")
_SYNTAX: Final = "SyntaxError: "
_FOREIGN: Final = re.compile(
    r"site-packages|dist-packages|/lib/python3|<frozen |node:|node_modules|java\.base/"
    r"|^\s*at (?:javax?|jdk|sun|scala|kotlin|org\.(?:springframework|apache|junit|hibernate)"
    r"|System|Microsoft)\."
)
"""Places in code that is not the user's own."""
_ENDING: Final = 12  # lines behind an error that can be its message
_GOES_ON: Final = re.compile(r"\s*[^\s\d\[]")
_MORE: Final = 3  # further lines of a message that ends the output
_RAISED: Final = re.compile(r"^(?:\s*\|\s*)?[A-Za-z_][\w.]*(?::(?:\s|$)|$)")
_PLACE: Final = re.compile(r'^\s*(?:\|\s*)?File "([^"]+)", line (\d+)(?:, in (.+))?')
_LOCATED: Final = re.compile(r"^\S+\.\w+:\d+$")
_AT: Final = re.compile(r"^\s+at \S|^\s+\.\.\. \d+ more")
_HEAD: Final = re.compile(
    r"^(?:Uncaught |Unhandled exception\. |\[cause\]: |---> "
    r"|Exception in thread \"[^\"]*\" |Caused by: |\[ERROR\] )?"
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
    found = []
    if _PYTHON in seen.text or (_SYNTAX in seen.text and 'File "' in seen.text):
        found = _python(seen.lines)
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
    grouped = any("+ Exception Group Traceback" in line for line in lines)
    if grouped:
        lines = [_GROUP.sub("", line) for line in lines]
    place = ""
    inside = not any(_PYTHON in line for line in lines)
    for number, line in enumerate(lines):
        if _PYTHON in line or (grouped and not line):
            inside, place = True, ""
        elif inside and (match := _PLACE.match(line)):
            if place and _FOREIGN.search(line):
                continue
            place = f"at {match[1]}:{match[2]}" + (f" in {match[3]}" if match[3] else "")
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if after and not _PLACE.match(after) and not after.startswith("[Previous"):
                place += f": {after}"
        elif inside and line and line[0] not in " \t|" and _RAISED.match(line):
            if len(lines) - number <= _ENDING:
                rest = takewhile(_GOES_ON.match, lines[number + 1 : number + 1 + _MORE])
                line = " ".join((line, *(one.strip() for one in rest)))
            errors.append((clip(line, 400), clip(place)))
            inside = False
    if not errors:
        return []
    if grouped:
        return [f"{error} ({place})" if place else error for error, place in errors]
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
            if lines[head].strip().startswith("---> "):  # C# tells the outer error right before
                found.append((clip(lines[head - 1], 400), ""))
            found.append((clip(lines[head], 400), _own(lines, number + 1, head)))
    if not found:
        return []
    cause = [found[-1][0]] if len(found) > 1 else []
    return [found[0][0], *cause, *[place for _, place in found if place][:1]]


def _own(lines: Sequence[str], first: int, head: int) -> str:
    """Return the first place of an error in the user's own code, else the first at all."""
    places = list(takewhile(_AT.match, lines[first : first + 60]))
    own = [line for line in places if not _FOREIGN.search(line)]
    named = [line for line in lines[max(0, head - 5) : head] if _LOCATED.match(line)]
    return clip((own or named or places)[0])
