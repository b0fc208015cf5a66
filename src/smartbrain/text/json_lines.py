"""JSON that people edit: its values, and the line on which each of them stands.

In: the text of a file. Out: the value and the line of every place in it, or the line and the reason
why it is no JSON. A name that an object has twice is an error here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from smartbrain.errors import UsageError
from smartbrain.text.pattern import pattern

Path = tuple[str | int, ...]
_DEEPEST: Final = 100  # levels that are told of; Python's reader gives up somewhere above
_MOST_DIGITS: Final = 4_300  # of a whole number, for Python's reader
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")
_TOKEN: Final = pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')


def read_json_lines(text: str) -> tuple[Any, dict[Path, int]]:
    """Return what a text says and on which line each value begins, by its path.

    Raises:
        UsageError: it is no JSON; the sentence begins with the line.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        line, reason = _unreadable(text) or (1, str(error))
        raise UsageError(f"line {line}: not JSON that can be read: {reason}") from None
    return value, _places(text)


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """Return the line of a place, or of what is around it."""
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


def _unreadable(text: str) -> tuple[int, str] | None:
    """Return the line of the first value that is no JSON, or is too deep or too long to be read."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        reason = ""
        if depth > _DEEPEST:
            reason = f"it is nested more than {_DEEPEST} levels deep"
        elif mark in _CONSTANTS:
            reason = f"{mark} is no value"
        elif mark.lstrip("-").isdigit() and len(mark) > _MOST_DIGITS:
            reason = f"a number has {len(mark)} digits, {_MOST_DIGITS} is the limit"
        if reason:
            return text.count("\n", 0, token.start()) + 1, reason
    return None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no value")


def _places(text: str) -> dict[Path, int]:
    """Walk through the tokens of a text that is known to be JSON."""
    lines: dict[Path, int] = {}
    path: list[str | int] = []
    inside: list[str] = []
    named = False  # whether the name of the value that comes has been read
    line, reached = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", reached, token.start())
        reached = token.start()
        mark = token.group()
        if mark == ":":
            named = True
        elif mark == ",":
            named = False
            if inside[-1] == "[":
                path[-1] = int(path[-1]) + 1
        elif mark in "}]":
            inside.pop()
            path.pop()
        elif inside and inside[-1] == "{" and not named:
            path[-1] = json.loads(mark)
            if tuple(path) in lines:
                raise UsageError(f"line {line}: the name {mark:.60} is there twice")
            lines[tuple(path)] = line
        else:
            lines.setdefault(tuple(path), line)
            if mark in "{[":
                inside.append(mark)
                path.append(0 if mark == "[" else "")
                named = False
    return lines
