"""Word lists as they read best: words with blanks between them, over as many lines as it takes.

In: a text. Out: its words as a set. Nothing else.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
