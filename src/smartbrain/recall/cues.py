"""What a message gives to look for: the first step of recall.

In: a message, the moment it was sent, and the turns before it. Out: `Cues`. By words and forms
alone, in Chinese, English and both together; no model, no clock, no memory is asked. Of a long
message only its beginning and its end are read. Any text gives cues, and none can ask for more
than the limits of a recall allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import Recent
from smartbrain.recall.cue_references import referred_to, refers_back
from smartbrain.recall.cue_times import times_of
from smartbrain.recall.cue_words import (
    ASSISTANT,
    HISTORY,
    ORIGINAL,
    find_scopes,
    intent_of,
    simplified,
    without_asking,
)
from smartbrain.text.codes import ERROR_CODE, Code, find_codes, find_phrases
from smartbrain.text.controls import without_controls
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.language import detect_language
from smartbrain.text.pattern import pattern
from smartbrain.text.query import without_courtesies
from smartbrain.text.word_list import STOP_WORDS

BEGINNING: Final = 1_500
"""How many characters of a long message are read from its beginning."""
END: Final = 499
"""How many are read from its end, where the question often is."""
MOST_NAMES: Final = 16
"""The most entities of one message."""

_HALVES: Final = pattern("[\ud800-\udfff]")


def read_cues(text: str, *, now: datetime, recent: Sequence[Recent] = ()) -> Cues:
    """Return what a message gives to look for.

    `now` is the aware moment it was sent; its days are those of its UTC offset. `recent` are the
    turns before it, the latest last.
    """
    text = readable(text)
    plain = simplified(text)
    entities = find_entities(text)
    codes = find_codes(text, entities)
    times = times_of(plain, now)
    told = text  # without the words that tell a time
    for start, end in times.places:
        told = f"{told[:start]}{' ' * (end - start)}{told[end:]}"
    names = dict.fromkeys(one.canonical for one in entities)
    referred = (readable(name) for name in referred_to(plain, entities, recent))
    return Cues(
        text=text,
        language=detect_language(text),
        intent=intent_of(plain, faults=any(one.kind == ERROR_CODE for one in codes)),
        keywords=_keywords(without_courtesies(told), codes),
        entities=tuple(names)[:MOST_NAMES],
        referred=tuple(name for name in referred if name not in names),
        codes=tuple(one.text for one in codes),
        phrases=find_phrases(text),
        times=times.past,
        ahead=times.ahead,
        scopes=find_scopes(text, entities),
        recent=times.recent,
        history=HISTORY.found(plain),
        original=ORIGINAL.found(plain),
        assistant=ASSISTANT.found(plain),
    )


def needs_recent(text: str) -> bool:
    """Tell whether what a message gives to look for may depend on the turns before it."""
    return refers_back(simplified(readable(text)))


def _keywords(text: str, codes: Sequence[Code]) -> tuple[str, ...]:
    """Return the content words of a message: none that only asks, no end of one of its codes."""
    found = (
        word
        for word in keywords_of(text)
        if word not in STOP_WORDS and without_asking(word) == word
    )
    known = [one.text.lower() for one in codes if one.text[0].isdigit()]
    return tuple(
        word for word in found if not any(code != word and code.endswith(word) for code in known)
    )


def readable(text: str) -> str:
    """Return what is read of a message: its beginning and end, without what no text may hold."""
    if len(text) > BEGINNING + END + 1:
        text = f"{text[:BEGINNING]}\n{text[-END:]}"
    if not text.isprintable():
        text = _HALVES.sub("\ufffd", without_controls(text))
    return text.strip()
