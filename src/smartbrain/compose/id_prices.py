"""What an id costs in a context: always the same, whichever it is (R16).

In: a counter of tokens. Out: one that charges each id of ours at the most that one can take. Ids
are random, and so is what a tokenizer makes of them: were they counted as they are, two brains
that have seen the same would show different things wherever the room is tight.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from smartbrain.domain.rendered import disarmed

Count = Callable[[str], int]
"""Counts the tokens of a text."""
_WHOLE: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_WHOLE_MARK: Final = "-7"  # a quick look tells that there is none
_END: Final = re.compile(r"(?<=:…)[0-9a-f]{6}\b")
_END_MARK: Final = ":…"
# A whole id, and the end of one. Exactly counted, a token for each sign, which no tokenizer passes.
# An estimate has its margin besides, so it goes by what hardly one in forty passes.
_EXACT: Final = (36, 6)
_ESTIMATED: Final = (30, 5)


class Priced:
    """A counter for which all ids of turns and runs cost alike, whole or by their ends.

    `plain` is the one it is made of. Lines that come again are counted once.
    """

    def __init__(self, plain: Count, *, estimated: bool) -> None:
        self.plain = plain
        self._of_whole, self._of_end = _ESTIMATED if estimated else _EXACT
        self.line = lru_cache(maxsize=8_192)(self._line)

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        more = 0
        if _WHOLE_MARK in text:
            text, whole = _WHOLE.subn("", text)
            more = whole * self._of_whole
        if _END_MARK in text:
            text, ends = _END.subn("", text)
            more += ends * self._of_end
        return self.plain(text) + more

    def _line(self, text: str) -> int:
        """Return the tokens of a line as it is shown."""
        return self(disarmed(text))


def priced(count: Count, *, estimated: bool) -> Priced:
    """Return a counter that is priced, as it is if it is one."""
    return count if isinstance(count, Priced) else Priced(count, estimated=estimated)
