"""Personal data found in a text: of which kind it is, and where it stands (C10).

In: nothing. Out: values alone; how personal data is found and masked is in `text.pii`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
