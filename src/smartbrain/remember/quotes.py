"""From characters of a message to the bytes of its originals, so that a memory can be quoted (E2).

In: a message with its spans, and a place in its text. Out: the spans of just these words.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import Span
from smartbrain.domain.quick import replace
from smartbrain.domain.turn import Message

if TYPE_CHECKING:
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.record import Recorded

_BLOCK: Final = 1_000  # characters


def spans_at(text: str, stored: Message, offset: int, length: int) -> tuple[Span, ...]:
    """Return the spans that hold `length` characters of a message from `offset` on.

    `text` is the message's text as it was said, `stored` the same message with its spans.
    """
    start = offset if text.isascii() else _bytes_before(text, offset)
    end = start + len(text[offset : offset + length].encode())
    found, done = [], 0
    for span in stored.spans:
        first, last = max(start, done), min(end, done + span.length)
        if first < last:
            found.append(Span(span.raw_id, span.offset + first - done, last - first))
        done += span.length
    return tuple(found)


def quoted(judged: Judged, recorded: Recorded) -> Judged:
    """Return a candidate with the spans of the very words that say it."""
    one = judged.candidate
    if one.message is None:
        return judged
    said, stored = recorded.said.messages[one.message], recorded.spans.messages[one.message]
    refs = spans_at(said.content, stored, one.offset, one.length)
    return replace(judged, raw_refs=refs, message_id=said.id)


def _bytes_before(text: str, offset: int) -> int:
    """Return how many bytes a text has before a place."""
    block = offset // _BLOCK
    return _bytes_by_block(text)[block] + len(text[block * _BLOCK : offset].encode())


@lru_cache(maxsize=2)  # many places of one message are asked for in a row
def _bytes_by_block(text: str) -> tuple[int, ...]:
    """Return the bytes before each block of a text."""
    sizes = (len(text[at : at + _BLOCK].encode()) for at in range(0, len(text), _BLOCK))
    return tuple(accumulate(sizes, initial=0))
