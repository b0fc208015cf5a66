"""A part of a text: by lines or by bytes, never more than may be shown at once (W6).

In: a text, which part is wanted, how many characters may be shown. Out: the part, its name, how
many lines there are in all, and how to go on. Lines count from 1, bytes of UTF-8 from 0; both ends
belong to the part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from smartbrain.errors import UsageError

Range = str | tuple[int, int] | list[int] | None
"""Lines as "10-40", "10-", "10" or (10, 40); bytes as "bytes=0-999"; None for the beginning."""
_LINES: Final = re.compile(
    r"\s*+(?:lines?[ =:]?\s*+)?(\d{1,15})\s*+(?:(-)\s*+(?:(\d{1,15})\s*+)?)?"
)
_BYTES: Final = re.compile(
    r"\s*+bytes?(?:(?=\s* )\s++|\s*+[=:]\s*+)(\d{1,15})\s*+-\s*+(?:(\d{1,15})\s*+)?"
)
_HELP: Final = "give lines such as '10-40' or (10, 40), or bytes such as 'bytes=0-999'"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text with its first and last line or byte, and what comes next.

    `first` and `last` are the lines that it is of, whole or not.
    """

    text: str
    shown: str
    lines: int
    more: str | None
    first: int
    last: int


def part_of(text: str, wanted: object, *, most: int) -> Part:
    """Return a part of a text, at most so many characters of it.

    Raises:
        UsageError: the range is none, or begins after the end; the sentence names the size.
    """
    by_bytes, first, last = _read(wanted)
    total = line_count(text)
    if by_bytes:
        return _bytes(text, first, last, total, most)
    if first > max(total, 1):
        raise UsageError(f"line {first:,} is outside: the output has {total:,} lines")
    start = _start_of(text, first)
    last = min(last or total, total)
    end = _start_of(text, last + 1, (first, start))
    if end - start <= most:
        return _lines(text, (start, end), (first, last), total)
    cut = text.rfind("\n", start, start + most) + 1
    if cut <= start:  # one line is more than may be shown: go on inside it
        at = len(text[:start].encode())
        return _bytes(text, at, None, total, most)
    last = first + text.count("\n", start, cut) - 1
    return _lines(text, (start, cut), (first, last), total)


def line_count(text: str) -> int:
    """Return how many lines a text has; the last one need not end."""
    return text.count("\n") + bool(text and not text.endswith("\n"))


def _lines(text: str, place: tuple[int, int], numbers: tuple[int, int], total: int) -> Part:
    """Return whole lines, and which ones come next."""
    first, last = numbers
    more = None
    if last < total:
        more = f"go on with range='{last + 1}-{min(total, last + 1 + last - first)}'"
    shown = f"lines {first:,}-{last:,} of {total:,}" if total else "no lines"
    return Part(text[slice(*place)], shown, total, more, first, last)


def _bytes(text: str, first: int, last: int | None, total: int, most: int) -> Part:
    """Return the characters that lie within some bytes."""
    data = text.encode()
    if first >= max(len(data), 1):
        raise UsageError(f"byte {first:,} is outside: the output has {len(data):,} bytes")
    while first and data[first] & 0xC0 == 0x80:  # inside a character: begin with it
        first -= 1
    end = len(data) if last is None else min(last + 1, len(data))
    while first < end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    cut = data[first : min(end, first + 4 * most)].decode(errors="ignore")[:most]
    end = first + len(cut.encode())
    more = None
    if end < len(data):
        more = f"go on with range='bytes={end}-{min(len(data), end + end - first) - 1}'"
    shown = f"bytes {first:,}-{max(first, end - 1):,} of {len(data):,}"
    line = data.count(b"\n", 0, first) + 1
    return Part(cut, shown, total, more, line, line + cut.count("\n", 0, max(0, len(cut) - 1)))


def _read(wanted: object) -> tuple[bool, int, int | None]:
    """Read a range: whether it is one of bytes, its beginning, its end if it has one."""
    if wanted is None:
        return False, 1, None
    if isinstance(wanted, tuple | list) and len(wanted) == 2:
        if all(type(one) is int for one in wanted):
            return _checked(False, wanted[0], wanted[1], wanted)
    elif isinstance(wanted, str):
        if match := _BYTES.fullmatch(wanted):
            return _checked(True, int(match[1]), int(match[2]) if match[2] else None, wanted)
        if match := _LINES.fullmatch(wanted):
            end = int(match[3]) if match[3] else None if match[2] else int(match[1])
            return _checked(False, int(match[1]), end, wanted)
    raise UsageError(f"the range {wanted!r:.60} is none; {_HELP}")


def _checked(
    by_bytes: bool, first: int, last: int | None, wanted: object
) -> tuple[bool, int, int | None]:
    """Return a range whose end is not before its beginning."""
    least = 0 if by_bytes else 1
    if first < least or (last is not None and last < first):
        raise UsageError(
            f"the range {wanted!r:.60} is empty; lines count from 1, bytes from 0, and the end"
            " is not before the beginning"
        )
    return by_bytes, first, last


def _start_of(text: str, line: int, known: tuple[int, int] = (1, 0)) -> int:
    """Return where a line begins, from one whose beginning is known; the end if there is none."""
    number, place = known
    while number < line:
        found = text.find("\n", place)
        if found < 0:
            return len(text)
        number, place = number + 1, found + 1
    return place
