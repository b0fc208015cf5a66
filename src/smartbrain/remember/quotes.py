"""From characters of a message to the bytes of its originals, so that a memory can be quoted (E2).

In: a message with its spans, and a place in its text. Out: the spans of just these words.
"""

from __future__ import annotations

from smartbrain.domain.memory import Span
from smartbrain.domain.turn import Message


def spans_at(text: str, stored: Message, offset: int, length: int) -> tuple[Span, ...]:
    """Return the spans that hold `length` characters of a message from `offset` on.

    `text` is the message's text as it was said, `stored` the same message with its spans.
    """
    start = len(text[:offset].encode())
    end = start + len(text[offset : offset + length].encode())
    found, done = [], 0
    for span in stored.spans:
        first, last = max(start, done), min(end, done + span.length)
        if first < last:
            found.append(Span(span.raw_id, span.offset + first - done, last - first))
        done += span.length
    return tuple(found)
