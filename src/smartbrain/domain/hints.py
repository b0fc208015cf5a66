"""Pieces of helpful errors: a value on one short line, and the word that was probably meant.

In: what a caller gave. Out: text for a sentence. Small, because much of the domain uses it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def shown(value: object) -> str:
    """Return a value as an error shows it: one short line."""
    return _SHORT.repr(value)


def did_you_mean(word: object, options: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the option nearest to a mistyped word, or nothing."""
    near = get_close_matches(word[:64], list(options), n=1) if isinstance(word, str) else []
    return f" (did you mean {near[0]!r}?)" if near else ""
