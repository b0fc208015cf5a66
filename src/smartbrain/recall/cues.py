"""What a message gives to look for: words, names, times, codes, and what it is after (R2).

In: a message and its moment. Out: cues.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from smartbrain.domain.recall import Cues, CueTime
from smartbrain.domain.recalled import Recent
from smartbrain.domain.time_span import TimeKind
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.language import detect_language
from smartbrain.text.times import find_times


def read_cues(text: str, *, now: datetime, recent: Sequence[Recent] = ()) -> Cues:
    """Return the cues of a message."""
    text = text[:20_000]
    times = [
        CueTime(words=one.words, since=one.start, until=one.end)
        for one in find_times(text, now)
        if one.kind is not TimeKind.RECURRING and one.start <= now
    ]
    return Cues(
        text=text,
        language=detect_language(text),
        keywords=keywords_of(text),
        entities=tuple(dict.fromkeys(one.name for one in find_entities(text))),
        times=tuple(times),
    )
