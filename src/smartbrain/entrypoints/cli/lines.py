"""Small pieces of a line: names that stay on it, and counts that read well.

In: text from anywhere, a number. Out: text that a terminal shows as it is meant. No colours, no
layout: those are in `show`.
"""

from __future__ import annotations


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
