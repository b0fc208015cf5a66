"""Searching lines with Python's own regular expressions, in a process that can be stopped.

Implements `ports.line_search.LineSearch`. Words without any special character are searched for
here; anything else might try for ever, so a child process does it and is killed at the deadline.
The text goes to it through a pipe and never touches the disk.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from smartbrain.errors import AdapterError, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.line_search import LineQuery

LONGEST: Final = 1000
"""The most characters of a pattern."""
_SPECIAL: Final = frozenset(r".^$*+?{}[]\|()")
_CHILD: Final = """
import json, re, sys
asked = json.loads(sys.stdin.buffer.readline())
search = re.compile(asked["pattern"], asked["flags"]).search
found = []
for number, line in enumerate(sys.stdin.buffer.read().decode().split("\\n")):
    match = search(line) if number >= asked["after"] else None
    if match:
        found.append((number, match.start()))
        if len(found) >= asked["limit"]:
            break
sys.stdout.write(json.dumps(found))
"""


class ProcessLineSearch:
    """Searches in a process of its own, which ends with the search."""

    def find(self, text: str, query: LineQuery) -> list[tuple[int, int]]:
        flags = re.IGNORECASE if query.ignore_case else re.NOFLAG
        compiled = _compiled(query.pattern, flags)
        if _SPECIAL.isdisjoint(query.pattern):
            return _search(text, compiled, query)
        return self._outside(text, query, int(flags))

    def _outside(self, text: str, query: LineQuery, flags: int) -> list[tuple[int, int]]:
        if not sys.executable or getattr(sys, "frozen", False):
            raise AdapterError(
                "regular expressions need a Python to run in, and this program has none; search"
                " for plain words"
            )
        asked = {
            "pattern": query.pattern,
            "flags": flags,
            "after": query.after,
            "limit": query.limit,
        }
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _CHILD]
        try:
            done = subprocess.run(  # nosec B603 - this Python, our own constant code
                command,
                input=json.dumps(asked).encode() + b"\n" + text.encode(),
                capture_output=True,
                timeout=query.seconds,
                check=True,
            )
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"the pattern {query.pattern!r:.80} was stopped after {query.seconds:g} seconds;"
                " write it without repetitions inside repetitions, or search for plain words"
            ) from None
        except (OSError, subprocess.CalledProcessError) as error:
            raise AdapterError(f"the search could not be run: {error}") from error
        return [(number, place) for number, place in json.loads(done.stdout)]


def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    if len(pattern) > LONGEST:
        raise UsageError(f"the pattern has {len(pattern)} characters; {LONGEST} is the limit")
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(
            f"the pattern {pattern!r:.80} is no regular expression: {error.msg}{place};"
            " put a backslash before what is meant literally"
        ) from None
    except (RecursionError, OverflowError):
        raise UsageError("the pattern is nested too deeply or counts too far") from None


def _search(text: str, compiled: re.Pattern[str], query: LineQuery) -> list[tuple[int, int]]:
    found = []
    for number, line in enumerate(text.split("\n")):
        match = compiled.search(line) if number >= query.after else None
        if match:
            found.append((number, match.start()))
            if len(found) >= query.limit:
                break
    return found
