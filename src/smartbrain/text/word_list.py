"""Word lists: words with blanks between them, in the code or in a `words.txt` beside it.

In: a text, or the name of a list and the module it belongs to. Out: its words. A `words.txt` has a
heading such as `[stop_words._WORDS]` before each list; lines that start with `#` say nothing. A
list may be an alternation of a regular expression, in which `<NAME>` stands for another list.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"<([A-Z_]+)>")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def character_set(module: str, name: str) -> frozenset[str]:
    """Return the single characters of a list that has nothing else."""
    return frozenset("".join(stored_words(module, name).split()))


def stored_words(module: str, name: str) -> str:
    """Return the text of a list in the `words.txt` beside a module, which is given by its file."""
    file = Path(module)
    return _lists(file.with_name("words.txt"))[f"{file.stem}.{name}"]


def stored_meanings(module: str, name: str) -> dict[str, str]:
    """Return the words of a list that has what they mean, and a colon, before those of a line."""
    found = {}
    for line in stored_words(module, name).splitlines():
        meaning, _, words = line.partition(": ")
        found.update(dict.fromkeys(words.split(", "), meaning))
    return found


def word_pattern(module: str, name: str) -> str:
    """Returns an alternation in the `words.txt` beside a module, with the lists that it names."""
    words = stored_words(module, name)
    return f"(?:{_NAME.sub(lambda found: word_pattern(module, found[1]), words)})"


@cache
def _lists(file: Path) -> dict[str, str]:
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


_STOPPED: Final = stored_words(__file__, "_STOPPED")

STOP_WORDS: Final = frozenset(_STOPPED.split())
