"""What a source names: something that was said, a tool call, or a ref of this tenant (W5).

In: an id or an address. Out: the session in which it is found, or None. Not the content.
"""

from __future__ import annotations

from typing import Protocol


class Sources(Protocol):
    """Lookups by names that callers write down."""

    def said_in(self, name: str) -> str | None:
        """Return the session of the message or turn of that id."""
        ...

    def turns_ending(self, end: str, *, within: int) -> list[str]:
        """Return turns whose ids end so, two at most, of so many that were stored last."""
        ...

    def called_in(self, name: str) -> str | None:
        """Return the session of the tool call that has that id, ours or its caller's."""
        ...

    def referred_in(self, uri: str) -> str | None:
        """Return the first session that refers to an address."""
        ...
