"""What a tool was given, shortened value by value so that it can still be read (R16).

In: plain data and how many characters its JSON may have. Out: plain data of the same shape. Names
and short values stay; a long text, list or object keeps its beginning and says how much was cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json

LONGEST_ARGUMENTS: Final = 600
"""Characters that past calls show of what they were given, and the current one if room is short."""
_CAPS: Final = (2, 4, 8, 16, 32, 64)  # a long value has one of so many parts of the room
_DEEPEST: Final = 6
_MARK: Final = "…"


def shorter_arguments(given: Any, most: int) -> Any:
    """Return what a tool was given in at most so many characters, if there is any such form.

    The last form says only how long it was.
    """
    size = len(canonical_json(given))
    if size <= most:
        return given
    for parts in _CAPS:
        shorter = _cut(given, most // parts)
        if len(canonical_json(shorter)) <= most:
            return shorter
    return {_MARK: f"{size:,} characters left out"}


def short_arguments(call_id: str, whole: Any, shown: Any, slot: str) -> Reason:
    """Return why not all is shown of what a call was given."""
    before, after = len(canonical_json(whole)), len(canonical_json(shown))
    sentence = f"{after:,} of {before:,} characters of what it was given are shown"
    return Reason("shortened", sentence, id=call_id, type=slot, key="args")


def _cut(value: Any, most: int, depth: int = 0) -> Any:
    """Return a value none of whose texts and lists is much longer than that."""
    if isinstance(value, str):
        rest = f"{_MARK} ({len(value) - most:,} more characters)"
        return value if len(value) <= most + len(rest) else value[:most] + rest
    if not isinstance(value, Mapping | list | tuple):
        return value
    if depth > _DEEPEST:
        return f"{_MARK} ({len(canonical_json(value)):,} more characters)"
    # The names at the top are what a tool takes: they stay as long as there is room for them all.
    room = most // 8 if depth or not isinstance(value, Mapping) else len(value)
    gone = len(value) - room
    if isinstance(value, Mapping):
        kept = {name: _cut(one, most, depth + 1) for name, one in list(value.items())[:room]}
        return {**kept, _MARK: f"{gone:,} more"} if gone > 0 else kept
    items = [_cut(one, most, depth + 1) for one in value[:room]]
    return [*items, f"{_MARK} ({gone:,} more)"] if gone > 0 else items
