"""Small pieces of a line: names that stay on it, and counts that read well.

In: text from anywhere, a number. Out: text that a terminal shows as it is meant, also on stdout. No
colours, no layout: those are in `show`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from smartbrain.domain.record import to_plain


def one_line(text: str) -> str:
    """Return a text with whatever cannot be printed escaped: line ends, control codes, halves."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def counted(number: int, noun: str) -> str:
    """Return such as `1 tenant` or `2 tenants`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shortened(text: str, longest: int = 160) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, each on one line whatever is in it."""
    sys.stdout.writelines(f"{one_line(line)}\n" for line in lines)


def first_of(lines: Iterable[str], most: int, rest: str = "more; --json has them all") -> list[str]:
    """Return the first lines, and one that says how many more there are."""
    found = list(lines)
    more = len(found) - most
    return [*found[:most], f"  … and {more:,} {rest}"] if more > 0 else found


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(to_plain(value), ensure_ascii=False, indent=2) + "\n")
