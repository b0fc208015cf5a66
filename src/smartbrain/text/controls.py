"""Control characters: kept in the originals, blanked in whatever is read out of them.

In: a text, or a value with texts in it. Out: the same with a blank for each control character and
for each character of an ANSI sequence, such as a terminal's colours, so that every place in a text
stays what it was. Tabs and line breaks are no control characters here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from smartbrain.text.pattern import pattern

_CONTROL: Final = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_ESCAPE: Final = "\x1b"
_ANSI: Final = pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Z])")


def without_controls(text: str) -> str:
    """Return a text of the same length, blank where it has control characters or sequences."""
    return text if text.isprintable() else _blanked(text)


def holds_controls(text: str) -> bool:
    """Tell whether a text has control characters or sequences."""
    return not text.isprintable() and _CONTROL.search(text) is not None


@lru_cache(maxsize=8)  # every reader of a message asks, and a long one has line breaks
def _blanked(text: str) -> str:
    if _ESCAPE in text:
        text = _ANSI.sub(lambda found: " " * len(found[0]), text)
    return _CONTROL.sub(" ", text)


def value_without_controls(value: Any) -> Any:
    """Return a value with blanks in place of the control characters of every text in it."""
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, dict):
        pairs = value.items()
        return {value_without_controls(name): value_without_controls(one) for name, one in pairs}
    if isinstance(value, list | tuple):
        return [value_without_controls(one) for one in value]
    return value
