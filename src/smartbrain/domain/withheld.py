"""What was masked in an event, kept apart from it, and put back for whoever asks for it (C10, E1).

In: a value with marks, and the difference to what was said. Out: what was said. A difference is
`{"cuts": [[place, length of the mark, words], …]}` for a text, `{"was": number}` for a number, and
for a list or an object `{"in": {index or name: difference}, "names": {masked name: name}}`. How one
is made is in `remember.withheld`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Difference = Mapping[str, Any]

CUTS: Final = "cuts"
WAS: Final = "was"
INSIDE: Final = "in"
NAMES: Final = "names"


def restored(value: Any, difference: Difference) -> Any:
    """Return a masked value as it was said."""
    if WAS in difference:
        return difference[WAS]
    if isinstance(value, str):
        return _uncut(value, difference[CUTS])
    inside, names = difference[INSIDE], difference[NAMES]
    if isinstance(value, Mapping):
        return {
            names.get(name, name): _part(item, inside.get(name)) for name, item in value.items()
        }
    return [_part(item, inside.get(str(place))) for place, item in enumerate(value)]


def _part(value: Any, difference: Difference | None) -> Any:
    """Return a part of a value as it was said; most have nothing masked."""
    return value if difference is None else restored(value, difference)


def _uncut(text: str, cuts: list[tuple[int, int, str]]) -> str:
    """Return a text with words in the place of its marks."""
    pieces: list[str] = []
    done = 0
    for place, length, words in cuts:
        pieces += text[done:place], words
        done = place + length
    return "".join(pieces) + text[done:]
