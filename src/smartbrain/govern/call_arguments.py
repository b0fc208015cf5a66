"""What a tool was given, shortened value by value so that it can still be read (R16).

In: plain data and how many characters its JSON may have. Out: plain data of the same shape. Names
and short values stay; a long text, list or object keeps its beginning and says how much was cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smartbrain.domain.record import canonical_json

MAX_PAST_ARGUMENTS: Final = 200
"""Characters that a call of the past shows of what it was given."""
_MARK: Final = "…"
_VALUE_SHARES: Final = (2, 4, 8, 16, 32, 64)  # a long value has one of so many parts of the room
_MAX_DEPTH: Final = 6


def shorten_arguments(given: Any, most: int) -> Any:
    """Return what a tool was given in at most so many characters of JSON, if there is such a form.

    Names and short values stay; long ones keep their beginning. The last form is only the size.
    """
    size = len(canonical_json(given))
    if size <= most:
        return given
    for parts in _VALUE_SHARES:
        shorter = _shorten_value(given, most // parts)
        if len(canonical_json(shorter)) <= most:
            return shorter
    return {_MARK: f"{size:,} characters left out"}


def _shorten_value(value: Any, most: int, depth: int = 0) -> Any:
    """Return a value none of whose texts and lists is much longer than that."""
    if isinstance(value, str):
        rest = f"{_MARK} ({len(value) - most:,} more characters)"
        return value if len(value) <= most + len(rest) else value[:most] + rest
    if not isinstance(value, Mapping | list | tuple):
        return value
    if depth > _MAX_DEPTH:
        return f"{_MARK} ({len(canonical_json(value)):,} more characters)"
    # The names at the top are what a tool takes: they stay as long as there is room for them all.
    room = most // 8 if depth or not isinstance(value, Mapping) else len(value)
    gone = len(value) - room
    if isinstance(value, Mapping):
        first = list(value.items())[:room]
        kept = {name: _shorten_value(item, most, depth + 1) for name, item in first}
        return {**kept, _MARK: f"{gone:,} more"} if gone > 0 else kept
    items = [_shorten_value(item, most, depth + 1) for item in value[:room]]
    return [*items, f"{_MARK} ({gone:,} more)"] if gone > 0 else items
