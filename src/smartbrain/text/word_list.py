"""Word lists: words with blanks between them, in the code or in a `words.txt` beside it.

In: a text, or the name of a list and the module it belongs to. Out: its words. A `words.txt` has a
heading such as `[stop_words._WORDS]` before each list; lines that start with `#` say nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def stored_words(module: str, name: str) -> str:
    """Return the text of a list in the `words.txt` beside a module, which is given by its file."""
    file = Path(module)
    return _lists(file.with_name("words.txt"))[f"{file.stem}.{name}"]


@cache
def _lists(file: Path) -> dict[str, str]:
    """Read all lists of a file; an alternation may go over several lines."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            lines = found.setdefault(line[1:-1], [])
        elif not line.startswith("#"):
            lines.append(line)
    return {name: _joined(lines) for name, lines in found.items()}


def _joined(lines: list[str]) -> str:
    text = "\n".join(lines).strip()
    return text.replace("|\n", "|") if text.count("|\n") == text.count("\n") else text
