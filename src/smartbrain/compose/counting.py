"""How the tokens of a context are counted (R16).

In: a counter of tokens. Out: one that charges each id of ours at the most that one can take, and
what it costs to put two texts together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from smartbrain.domain.rendered import disarmed

Count = Callable[[str], int]
"""Counts the tokens of a text."""
JOINT: Final = 1.2
"""The tokens that it takes at most to put two texts together with line breaks."""
_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_ID_MARK: Final = "-7"  # a quick look tells that there is none
_ID_END: Final = re.compile(r"(?<=:…)[0-9a-f]{6}\b")
_ID_END_MARK: Final = ":…"
# A whole id, and the end of one. Exactly counted, a token for each sign, which no tokenizer passes.
# An estimate has its margin besides, so it goes by what hardly one in forty passes.
_EXACT_PRICES: Final = (36, 6)
_ESTIMATED_PRICES: Final = (30, 5)


class PricedCounter:
    """A counter of tokens for which all ids of turns and runs cost alike, whole or by their ends.

    Ids are random, and so is what a tokenizer makes of them: were they counted as they are, two
    brains that have seen the same would show different things wherever the room is tight. `plain`
    is the counter it is made of. Lines that come again are counted once.
    """

    def __init__(self, plain: Count, *, estimated: bool) -> None:
        self.plain = plain
        self._of_id, self._of_end = _ESTIMATED_PRICES if estimated else _EXACT_PRICES
        self.line = lru_cache(maxsize=8_192)(self._count_line)

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        more = 0
        if _ID_MARK in text:
            text, whole = _ID.subn("", text)
            more = whole * self._of_id
        if _ID_END_MARK in text:
            text, ends = _ID_END.subn("", text)
            more += ends * self._of_end
        return self.plain(text) + more

    def _count_line(self, text: str) -> int:
        return self(disarmed(text))
