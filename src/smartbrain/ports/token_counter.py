"""The token counter port: how many tokens a text costs a model.

In: a text. Out: a whole number. A counter may estimate; one that does errs on the high side, so
that a budget kept by it holds. What stands around a message and what an image costs differ from
model to model; one figure each serves here.
"""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

MESSAGE_TOKENS: Final = 4
"""What a message costs besides its words: its role and the marks around it."""
MEDIA_TOKENS: Final = 1_000
"""What an image, a sound or a file is taken to cost; what it truly does depends on its size."""


@runtime_checkable
class TokenCounter(Protocol):
    """One way to count tokens; threads may share it."""

    @property
    def name(self) -> str:
        """What it is called in settings and reports."""

    def count(self, text: str) -> int:
        """Return how many tokens a text costs; nothing for the empty one, the same each time."""
