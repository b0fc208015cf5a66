"""How somebody feels who says something: glad or sad, calm or stirred (GRA 2.3, R6).

In: the text of a memory. Out: its sentiment, by the words for feelings in it; a text without any is
neutral. A negation before a word turns it round, and marks and words of degree stir it.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.domain.memory import Sentiment
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_pattern

_FEELINGS: Final = {
    "THRILLED": (0.9, 0.8),
    "GLAD": (0.6, 0.4),
    "SAD": (-0.6, 0.4),
    "UPSET": (-0.8, 0.9),
}
"""The valence and the arousal of the words of each list."""
_FEELING: Final = pattern(
    rf"(?P<no>{word_pattern(__file__, 'NOT')})?(?P<very>{word_pattern(__file__, 'VERY')})?(?:"
    + "|".join(f"(?P<{name}>{word_pattern(__file__, name)})" for name in _FEELINGS)
    + ")",
    re.IGNORECASE,
)
_STIRRED: Final = pattern(r"[!！]")
_DEGREE: Final = 0.1  # what a mark or a word of degree adds


def read_sentiment(text: str) -> Sentiment:
    """Returns how the words of a text feel."""
    found = [_score(one) for one in _FEELING.finditer(text)]
    if not found:
        return Sentiment()
    stirred = _DEGREE if _STIRRED.search(text) else 0.0
    valence = sum(one for one, _ in found) / len(found)
    arousal = min(1.0, max(one for _, one in found) + stirred)
    return Sentiment(round(valence, 3), round(arousal, 3))


def _score(found: re.Match[str]) -> tuple[float, float]:
    valence, arousal = _FEELINGS[str(found.lastgroup)]
    arousal += _DEGREE if found["very"] else 0.0
    return (-valence / 2, arousal / 2) if found["no"] else (valence, arousal)
