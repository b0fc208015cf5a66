"""Cut a text into raw chunks of some thousand tokens, where a reader would turn the page.

In: any string and the least and most tokens of a chunk. Out: pieces that put together are the text,
character for character. A piece ends at a blank line if one is in reach, else at a line end, else
at a sentence end, else between two words, else anywhere but inside what shows as one character.
The same text always gives the same pieces. Not a parser: it knows nothing of Markdown or code.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Final

from smartbrain.errors import UsageError
from smartbrain.text.pattern import pattern
from smartbrain.text.tokens import MARGIN, estimate_tokens, most_tokens

_BLOCK: Final = 256
# By so much a sum of blocks and the estimate of the whole may differ.
_SLACK: Final = 1.07
_LONGEST_CLUSTER: Final = 32
_ENDS: Final = tuple(
    pattern(source)
    for source in (
        r"\n\s*\n",
        r"[\n\r]",
        r"[。！？；…]+[”’」』）】》]*|(?<![.!?;])[.!?;]++[\"'’”)\]]*+[^\S\n]+",
        r"\s+",
    )
)
_HIGH: Final = pattern("[\ud800-\udbff]")
_LOW: Final = pattern("[\udc00-\udfff]")
_FOLLOWS: Final = pattern(
    "[\u0e33\u0eb3\u200c\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_FLAGS_SEEN: Final = 4096


def split_chunks(text: str, min_tokens: int = 1000, max_tokens: int = 2000) -> list[str]:
    """Return `text` in pieces of `min_tokens` to `max_tokens` estimated tokens.

    A text of at most `max_tokens` is one piece and the empty text none. No piece has more than
    `max_tokens` unless a single visible character does; one has less than `min_tokens` only if the
    limits leave no other choice.

    Raises:
        UsageError: the limits are not 1 ≤ `min_tokens` ≤ `max_tokens`.
    """
    if not 1 <= min_tokens <= max_tokens:
        raise UsageError(
            f"a chunk of {min_tokens} to {max_tokens} tokens cannot be; give 1 <= min <= max"
        )
    if most_tokens(text) <= max_tokens:
        return [text] if text else []
    return list(_split(text, min_tokens, max_tokens))


@lru_cache(maxsize=2)  # a long message is cut to be stored, then told in its episode
def _split(text: str, min_tokens: int, max_tokens: int) -> tuple[str, ...]:
    """Cut a text that may be too long for one piece."""
    meter = _Meter(text)
    pieces = []
    start = 0
    while start < len(text):
        end = _end_of_chunk(meter, start, min_tokens, max_tokens)
        pieces.append(text[start:end])
        start = end
    return tuple(pieces)


def inside_cluster(text: str, index: int) -> bool:
    """Tell whether a cut before `text[index]` would tear one visible character apart."""
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if (before, after) == ("\r", "\n") or (_HIGH.match(before) and _LOW.match(after)):
        return True
    if before == "\u200d" or _FOLLOWS.match(after) or unicodedata.category(after).startswith("M"):
        return True
    if after in _FLAG_LETTERS:
        seen = text[max(0, index - _FLAGS_SEEN) : index]
        return (len(seen) - len(seen.rstrip(_FLAG_LETTERS))) % 2 == 1  # two letters make a flag
    return False


class _Meter:
    """The tokens of a text up to any place, from one estimate a block of characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
        costs = (estimate_tokens(block, margin=1.0) * MARGIN for block in blocks)
        self._sums = list(accumulate(costs, initial=0.0))

    def tokens(self, end: int) -> float:
        """Return the tokens before `end`; inside a block they are taken to be spread evenly."""
        block, rest = divmod(end, _BLOCK)
        return self._sums[block] + (rest / self._size(block) * self._cost(block) if rest else 0)

    def place(self, tokens: float) -> int:
        """Return the place that has about so many tokens before it."""
        block = bisect_right(self._sums, tokens) - 1
        if block == len(self._sums) - 1:
            return len(self.text)
        inside = (tokens - self._sums[block]) / self._cost(block) * self._size(block)
        return block * _BLOCK + round(inside)

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether a piece has at most `limit` tokens; count it only if that is in doubt.

        The blocks it touches bound it, but for what an estimate gains from a wider view.
        """
        touched = self._sums[-(-end // _BLOCK)] - self._sums[start // _BLOCK]
        return touched * _SLACK <= limit or estimate_tokens(self.text[start:end]) <= limit

    def _size(self, block: int) -> int:
        return min(_BLOCK, len(self.text) - block * _BLOCK)

    def _cost(self, block: int) -> float:
        return self._sums[block + 1] - self._sums[block]


def _end_of_chunk(meter: _Meter, start: int, least: int, most: int) -> int:
    """Return where the piece that begins at `start` ends."""
    text = meter.text
    done = meter.tokens(start)
    left = meter.tokens(len(text)) - done
    # Blocks count a little too much, most of all in long blanks; far beyond the limit is beyond it.
    if left <= most * 1.5 and meter.fits(start, len(text), most):
        return len(text)
    fewest, largest = _reach(left, least, most)
    low = max(start + 1, meter.place(done + fewest))
    high = max(low, meter.place(done + largest))
    while True:
        end = _best_end(text, start, min(low, high), high)
        if high == start + 1 or meter.fits(start, end, most):
            return end
        high = max(start + 1, start + (min(end, high) - start) * 9 // 10)


def _reach(left: float, least: int, most: int) -> tuple[float, float]:
    """Return the fewest and most tokens of the next piece, so that what follows fits as well."""
    enough, full = least * _SLACK, most / _SLACK
    low, high = enough, min(most, left - enough)
    # Leave no rest that is too much for one piece and too little to choose where to cut it in two.
    if full < left - low < 2.3 * enough and left - full <= high:
        low = left - full
    if high < low:
        low, high = least, left - least
    return low, high


def _best_end(text: str, start: int, low: int, high: int) -> int:
    """Return the first end of the best kind from `low` to `high`."""
    for ends in _ENDS:
        for found in ends.finditer(text, low, high):
            if not inside_cluster(text, found.end()):
                return found.end()
    return _between_clusters(text, start, (low + high) // 2)


def _between_clusters(text: str, start: int, index: int) -> int:
    """Return a place near `index`, after `start`, that tears nothing apart."""
    index = max(index, start + 1)
    for place in range(index, max(start, index - _LONGEST_CLUSTER), -1):
        if not inside_cluster(text, place):
            return place
    for place in range(index, min(len(text), index + _LONGEST_CLUSTER)):
        if not inside_cluster(text, place):
            return place
    return index
