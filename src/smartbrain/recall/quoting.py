"""Which words of an episode are quoted beside what is shown of it (R5, R9).

In: the text of an episode or of its original, what is shown, the words of the message. Out: the
sentence that holds what the message speaks of, or the first that is left out. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.packet import Quote
from smartbrain.recall.ages import SPEAKS
from smartbrain.text.sentences import inside_cluster, sentence_spans

if TYPE_CHECKING:
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.recall.cue_match import CueWords

LONGEST: Final = 240
"""The most characters of a quote."""

Run = tuple[int, int]
"""Where a run of characters begins and ends."""

_BEFORE: Final = 80  # characters that are shown before a word, of a sentence that is too long
_AROUND: Final = LONGEST + 20  # characters around a word in which its sentence is looked for
_PLACES: Final = 16  # words whose sentences are compared
_BULLETS: Final = "-*+>#•·●◦‣▪ \t"


class Beyond(NamedTuple):
    """What the original of an episode holds of a message, and the sentence to quote for it.

    There is none for who quotes nothing.
    """

    words: frozenset[str]
    quote: Quote | None


def quoted(row: RecalledRow, shown: str, *, words: CueWords) -> tuple[Quote, ...]:
    """Return the sentence that holds a strong cue, unless it is shown already."""
    for start, end in _sentences(row.text):
        sentence = row.text[start:end]
        if words.strong(sentence):
            return (
                () if sentence in shown else (_quote(row, _around(row.text, (start, end), words)),)
            )
    return ()


def quoted_rest(row: RecalledRow, shown: str) -> tuple[Quote, ...]:
    """Return the first sentences of a memory's text that are not shown, as far as they are short.

    For who asks by a time alone, no sentence is better than another.
    """
    run = left_out(row.text, shown)
    return (_quote(row, run),) if run else ()


def best_run(text: str, words: CueWords, known: Collection[str]) -> tuple[set[str], Run] | None:
    """Return the sentence of a text that holds the most of a message that is not known yet.

    Args:
        text: what was said, however long.
        words: what the message gives to look for.
        known: what is shown of it elsewhere.

    Returns:
        All strong words of the text that are not known, and the run; None if there are none.
    """
    places = {word: at for word, at in words.places(text).items() if word not in known}
    if not places:
        return None
    runs: list[Run] = []
    start = end = -1
    for at in sorted(places.values())[:_PLACES]:
        if not (start <= at[0] and at[1] <= end <= start + LONGEST):  # of the same sentence
            start, end = _sentence(text, at)
            runs.append(_within(text, (start, end), at))
    best = max(runs, key=lambda run: len(words.strong(text[run[0] : run[1]]).intersection(places)))
    return set(places), best


def sentence_at(text: str, place: Run) -> Run:
    """Return the sentence around a place of a text; one that is too long is cut around it."""
    return _within(text, _sentence(text, place), place)


def _within(text: str, run: Run, place: Run) -> Run:
    """Return a run that may be quoted whole, or the part of it around a place."""
    return run if run[1] - run[0] <= LONGEST else _cut(text, run, place)


def _sentence(text: str, place: Run) -> Run:
    """Return where the sentence around a place begins and ends, as far as a quote may reach."""
    start, end = place
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    inside = [(low + one, low + other) for one, other in sentence_spans(text[low:high])]
    first = next((one for one, other in inside if one <= start < other), start)
    last = next((other for _, other in inside if other >= end), high)
    return first, last


def left_out(text: str, shown: str) -> Run | None:
    """Return where the first sentences of a text stand that are not shown; None if all are."""
    flat = " ".join(shown.split())
    begin = end = -1
    for start, stop in _sentences(text):
        told = " ".join(text[start:stop].split())
        if told in flat or told.lstrip(_BULLETS) in flat or not any(map(str.isalnum, told)):
            if begin >= 0:
                break
        elif begin < 0:
            begin, end = start, stop
        elif stop - begin > LONGEST or SPEAKS.match(text, start):
            break
        else:
            end = stop
    if begin < 0:
        return None
    return _within(text, (begin, end), (begin, begin))


def _around(text: str, run: Run, words: CueWords) -> Run:
    """Return a sentence, or of one that is too long the part around its first strong word."""
    start, end = run
    if end - start <= LONGEST:
        return run
    found = words.places(text[start:end])
    first = min(found.values(), default=(0, 0))
    return _cut(text, run, (start + first[0], start + first[1]))


def _cut(text: str, run: Run, place: Run) -> Run:
    """Return as much of a run as may be quoted, with a place in it; words stay whole."""
    start, end = run
    begin = max(start, min(place[0] - _BEFORE, end - LONGEST))
    begin = max(begin, min(place[0], place[1] - LONGEST))
    stop = min(end, begin + LONGEST)
    if begin > start:
        begin = next(_bounds(text, range(begin, place[0])), begin)
    if stop < end:
        stop = next(_bounds(text, range(stop, max(place[1], stop - _BEFORE), -1)), stop)
    while begin < place[0] and inside_cluster(text, begin):
        begin += 1
    while stop > max(place[1], begin + 1) and inside_cluster(text, stop):
        stop -= 1
    cut = text[begin:stop]
    return begin + len(cut) - len(cut.lstrip()), begin + len(cut.rstrip())


def _bounds(text: str, places: range) -> Iterator[int]:
    """Yield the places between words, where words have blanks between them."""
    return (at for at in places if text[at - 1].isspace() != text[at].isspace())


def _quote(row: RecalledRow, run: Run) -> Quote:
    """Return a run of a memory's text as a quote: who speaks is no part of the words."""
    text = row.text[run[0] : run[1]]
    speaker = row.speakers[0] if len(row.speakers) == 1 else None
    named = SPEAKS.match(text)
    if named and named[1] in row.speakers:
        speaker, text = named[1], text[named.end() :]
    return Quote(text=text, source_turn_id=row.source_turn_id, speaker=speaker, at=row.said_at)


def _sentences(text: str) -> tuple[Run, ...]:
    """Return the sentences of a text; those of what episodes are told in come again and again."""
    return _known(text) if len(text) <= 2 * LONGEST else tuple(sentence_spans(text))


@lru_cache(maxsize=2_048)
def _known(text: str) -> tuple[Run, ...]:
    return tuple(sentence_spans(text))
