"""Searching the lines of a text with a regular expression that anybody may have written.

In: a text, a pattern, a deadline. Out: the lines that match. An expression that would try for ever
is stopped: no thread of ours waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LineQuery:
    """What is searched for: the pattern, from which line on (0 is the first), how many matches."""

    pattern: str
    ignore_case: bool = False
    after: int = 0
    limit: int = 20
    seconds: float = 2.0


class LineSearch(Protocol):
    """Finds lines."""

    def find(self, text: str, query: LineQuery) -> list[tuple[int, int]]:
        """Return the number of each line that matches, 0 for the first, and where in the line.

        Lines end with a line feed. A match never goes over one.
        """
