"""What an id costs in a context: always the same, whichever it is (R16).

In: a counter of tokens. Out: one that charges each id of ours at the most that one can take. Ids
are random, and so is what a tokenizer makes of them: were they counted as they are, two brains
that have seen the same would show different things wherever the room is tight.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from smartbrain.compose.passages import Count

_WHOLE: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_WHOLE_MARK: Final = "-7"  # a quick look tells that there is none
_END: Final = re.compile(r"(?<=:…)[0-9a-f]{6}\b")
_END_MARK: Final = ":…"
# A whole id, and the end of one. Exactly counted, a token for each sign, which no tokenizer passes.
# An estimate has its margin besides, so it goes by what hardly one in forty passes.
_EXACT: Final = (36, 6)
_ESTIMATED: Final = (30, 5)


@lru_cache(maxsize=8)  # the same for every context of a tokenizer
def with_fixed_ids(count: Count, *, estimated: bool) -> Count:
    """Return a counter for which all ids of turns and runs cost alike, whole or by their ends."""
    of_whole, of_end = _ESTIMATED if estimated else _EXACT

    def counted(text: str) -> int:
        more = 0
        if _WHOLE_MARK in text:
            text, whole = _WHOLE.subn("", text)
            more = whole * of_whole
        if _END_MARK in text:
            text, ends = _END.subn("", text)
            more += ends * of_end
        return count(text) + more

    return counted
