"""Personal data found in a text: where it stands, and how what was masked is put back (C10, E1).

How it is found is in `text.pii`, how a difference is made in `remember.withheld`. A difference is
`{"cuts": [[place, length of the mark, words], …]}` for a text, `{"was": number}` for a number, and
for a list or an object `{"in": {index or name: difference}, "names": {masked name: name}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class PiiKind(StrEnum):
    """What a stretch of text gives away."""

    EMAIL = "email"
    PHONE = "phone"
    ID_CARD = "id_card"
    BANK_CARD = "bank_card"
    IP = "ip"
    ADDRESS = "address"
    API_KEY = "api_key"
    PRIVATE_KEY = "private_key"


@dataclass(frozen=True, slots=True)
class PiiSpan:
    """A stretch of a text; offset and length count characters of the string."""

    kind: PiiKind
    offset: int
    length: int

    @property
    def end(self) -> int:
        """Return the place after its last character."""
        return self.offset + self.length


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
