"""As much of an output as is looked at: all of it, or head, telling lines and tail of a large one.

In: a text of any size. Out: `Seen`, some hundred kilobytes at most, and `Told`, what a kind makes
of it. Not a parser: it knows nothing of what the lines mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

WHOLE: Final = 200_000
"""Characters up to which an output is looked at as a whole."""
_END: Final = 60_000  # characters at either end of a larger one
_HITS: Final = 25  # lines around each marker, from the front and from the back
_LONGEST: Final = 2_000  # characters of a line that are looked at
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MARKERS: Final = (
    "Traceback (most",
    "FAILED",
    "FAIL:",
    "--- FAIL",
    " FAIL ",
    "(fail) ",
    "  ● ",
    "✖ ",
    "✘ ",
    "✗ ",
    "not ok ",
    "panic: ",
    "panicked at",
    "Caused by:",
    "Exception",
    "Error: ",
    "error: ",
    "error[",
    "ERROR",
    "FATAL",
    "CRITICAL",
    "fatal: ",
    "Sanitizer: ",
    '"error"',
    "错误",
    "失败",
    "异常",
)
_AROUND: Final = 3  # lines after a marker that are looked at with it


@dataclass(frozen=True, slots=True)
class Seen:
    """The lines that are looked at, how many there are in all, and whether the call failed.

    `whole` tells that all lines are looked at; `cut` that the output was not handed over whole.
    """

    lines: tuple[str, ...]
    text: str
    total: int
    whole: bool = True
    failed: bool = False
    cut: bool = False

    @property
    def length(self) -> str:
        """How many lines there are, at least if the output was cut before."""
        return counted(self.total, "line", whole=not self.cut)


@dataclass(frozen=True, slots=True)
class Told:
    """What a kind of output says: what failed, most telling first, and what the output is."""

    kind: str
    failing: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def look_at(text: str, *, failed: bool = False, cut: bool = False) -> Seen:
    """Return what is looked at of an output."""
    text = _plain(text)
    if len(text) <= WHOLE:
        total = text.count("\n") + (not text.endswith("\n"))
        return Seen(tuple(_lines(text)), text, total, not cut, failed, cut)
    head, tail = text[:_END], text[-_END:]
    middle = _hits(text, _END, len(text) - _END)
    lines = (*_lines(head), *middle, *_lines(tail))
    total = text.count("\n") + (not text.endswith("\n"))
    return Seen(lines, "\n".join(lines), total, False, failed, cut)


def clip(line: str, most: int = 240, at: int = 0) -> str:
    """Return a line, cut around place `at` if it is long."""
    if at:
        at -= len(line) - len(line.lstrip())
    line = line.strip()
    if len(line) <= most:
        return line
    start = max(0, min(at - most // 3, len(line) - most + 1))
    end = min(len(line), start + most - 2)
    if end >= len(line) - 1:
        return "…" + line[start:]
    return ("…" if start else "") + line[start:end] + "…"


def several(items: Iterable[str], most: int = 200) -> str:
    """Return as many names as have room, and how many more there are."""
    names = list(items)
    shown: list[str] = []
    size = 0
    for name in names:
        size += len(name) + 2
        if shown and size > most:
            break
        shown.append(clip(name, most))
    more = len(names) - len(shown)
    return ", ".join(shown) + (f", … {more:,} more" if more else "")


def counted(number: int, name: str, *, whole: bool = True) -> str:
    """Return a number of things in words; of an output seen in part it is a lower bound."""
    return f"{number:,}{'' if whole else '+'} {name}{'' if number == 1 and whole else 's'}"


def _plain(text: str) -> str:
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return text


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield line[:_LONGEST]
        if len(line) > _LONGEST:
            yield line[max(_LONGEST, len(line) - _LONGEST) :]


def _hits(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the lines of the middle that hold a marker, with those after them, in order."""
    places: set[int] = set()
    for marker in _MARKERS:
        places.update(_places(text, marker, start, end))
    done = start
    for place in sorted(places):
        if place < done:
            continue
        begin = max(text.rfind("\n", start, place) + 1, place - _LONGEST // 2, done)
        done = begin
        for _ in range(1 + _AROUND):
            stop = text.find("\n", done, min(end, done + _LONGEST))
            stop = min(end, done + _LONGEST) if stop < 0 else stop
            yield text[done:stop]
            done = stop + 1


def _places(text: str, marker: str, start: int, end: int) -> Iterator[int]:
    """Yield where a marker stands: the first places and the last."""
    place = text.find(marker, start, end)
    for _ in range(_HITS):
        if place < 0:
            return
        yield place
        place = text.find(marker, place + len(marker), end)
    place = text.rfind(marker, start, end)
    for _ in range(_HITS):
        if place < 0:
            return
        yield place
        place = text.rfind(marker, start, place)
