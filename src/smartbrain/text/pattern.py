"""Regular expressions that are compiled when they are first used.

In: a pattern as `re.compile` takes it. Out: something to use like the compiled one. Compiling those
of the text functions takes tens of milliseconds, which `import smartbrain` must not cost.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

# Chinese characters have no case; not told so, `re` folds each of them to find that out.
_HAN: Final = re.compile(r"\[\\u(?:3400|4e00)-\\u9fff\]")


class _LazyPattern:
    """Stands for a compiled pattern until somebody asks it something."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        source = self._source
        if self._flags & re.IGNORECASE:
            source = _HAN.sub(r"(?-i:\g<0>)", source)
        found = getattr(re.compile(source, self._flags), name)
        self.__dict__[name] = found
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a pattern to be compiled on first use; a wrong one raises `re.error` only then."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


def english(source: str) -> re.Pattern[str]:
    """Returns a pattern for English words in small or capital letters."""
    return pattern(source, re.IGNORECASE | re.ASCII)


def stands_after(found: re.Match[str], words: re.Pattern[str]) -> re.Match[str] | None:
    """Returns the word of a pattern that stands right before what was found, if one does."""
    return words.search(found.string[max(0, found.start() - 12) : found.start()])
