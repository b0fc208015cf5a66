"""Which original words are quoted beside what a packet shows of an episode (R5, R9).

In: episodes, the originals they rest on, the words of a message. Out: the sentence that holds most
of what the message speaks of and what is shown does not; where only a time brought the episode, the
first sentences that are left out. All originals are read with one statement, few files among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from smartbrain.domain.packet import Quote
from smartbrain.domain.recalled import Ranked, RawRef, RecalledRow
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.ages import SPEAKS
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.items import Reader, speakers_of
from smartbrain.text.sentences import inside_cluster, sentence_spans

LONGEST: Final = 240
"""The most characters of a quote."""
Run = tuple[int, int]
"""Where a run of characters begins and ends."""

_EPISODES: Final = "episodes"
_MAX_EPISODES: Final = 20  # whose originals are read: as many as a packet shows
_MAX_BYTES: Final = 200_000  # of all originals, but for those found by their own words
_MAX_FILES: Final = 3  # originals that are not in the storage itself but in files
_BEFORE: Final = 80  # characters that are shown before a word, of a sentence that is too long
_AROUND: Final = LONGEST + 20  # characters around a word in which its sentence is looked for
_MAX_PLACES: Final = 16  # words whose sentences are compared
_READ: Final = 4_000  # characters of an original in which a sentence is looked for by a time
_BULLETS: Final = "-*+>#•·●◦‣▪ \t"


@dataclass(frozen=True, slots=True)
class Originals:
    """The original words of episodes, by the id of the episode, and what makes quotes of them."""

    texts: Mapping[str, Sequence[tuple[RawRef, str]]] = field(default_factory=dict)
    reader: Reader | None = None


def read_originals(
    found: Sequence[Ranked], *, passages: Mapping[int, int], rows: Transaction, blobs: Blobs
) -> Originals:
    """Return the originals of the episodes that are told in fewer words than were said."""
    episodes = [one.row for one in found if one.row.type == _EPISODES and _is_short(one.row)]
    refs = dict(_refs_within_limits(episodes[:_MAX_EPISODES], passages))
    wanted = {ref.num for some in refs.values() for ref in some}
    if not wanted:
        return Originals()
    chunks = {one.num: one.chunk for one in rows.followed.passages(sorted(wanted))}
    files = [num for num, chunk in chunks.items() if chunk.body is None][_MAX_FILES:]
    chunks = {num: chunk for num, chunk in chunks.items() if num not in files}
    by_id = {row.id: row for row in episodes}
    said_by = speakers_of([(by_id[name], some) for name, some in refs.items()], rows)
    reader = Reader(chunks, blobs, said_by=said_by)
    texts = {
        name: [(ref, text) for ref in some if (text := reader.text(ref)) is not None]
        for name, some in refs.items()
    }
    return Originals(texts, reader)


def quote_episode(
    row: RecalledRow, shown: str, *, words: CueWords, originals: Originals, cued: bool
) -> tuple[Quote, ...]:
    """Return the sentence to quote of an episode, if one tells more than what is shown of it.

    That a strong cue brought it (`cued`) is told by a sentence, where any is left out.
    """
    known = words.strong(shown)
    texts: list[tuple[RawRef | None, str]] = list(originals.texts.get(row.id, ()))
    texts = texts or [(None, row.text)]
    runs = [(ref, text, best_run(text, words, known)) for ref, text in texts]
    cuts = [(len(run[0]), ref, text, run[1]) for ref, text, run in runs if run is not None]
    if cuts:
        _, ref, text, cut = max(cuts, key=lambda one: one[0])
        return (_quote(row, ref, text, cut, originals),)
    if cued and not known:
        for ref, text in texts:
            if left := left_out(text[:_READ], shown):
                return (_quote(row, ref, text, left, originals),)
    return ()


def best_run(text: str, words: CueWords, known: Collection[str]) -> tuple[set[str], Run] | None:
    """Return the strong words of a text that are not `known`, and the sentence with most of them.

    None where it holds no other.
    """
    places = {word: at for word, at in words.places(text).items() if word not in known}
    if not places:
        return None
    runs: list[Run] = []
    start = end = -1
    for at in sorted(places.values())[:_MAX_PLACES]:
        if not (start <= at[0] and at[1] <= end <= start + LONGEST):  # of the same sentence
            start, end = _sentence(text, at)
            runs.append(_cut(text, (start, end), at))
    best = max(runs, key=lambda run: len(words.strong(text[run[0] : run[1]]).intersection(places)))
    return set(places), best


def left_out(text: str, shown: str) -> Run | None:
    """Return where the first sentences of a text stand that are not shown; None if all are."""
    flat = " ".join(shown.split())
    begin = end = -1
    for start, stop in sentence_spans(text):
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
    return None if begin < 0 else _cut(text, (begin, end), (begin, begin))


def _is_short(row: RecalledRow) -> bool:
    return sum(ref.length for ref in row.raw_refs) > len(row.text.encode())


def _refs_within_limits(
    episodes: Sequence[RecalledRow], passages: Mapping[int, int]
) -> Iterator[tuple[str, list[RawRef]]]:
    """Yield the originals to read by episode, those first that were found by their own words."""
    room = _MAX_BYTES
    for row in episodes:
        found = passages.get(row.num)
        chosen = []
        for ref in sorted(row.raw_refs, key=lambda one: one.num != found):
            if ref.length <= room or ref.num == found:
                chosen.append(ref)
                room -= ref.length
        yield row.id, chosen


def _sentence(text: str, place: Run) -> Run:
    start, end = place
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    inside = [(low + one, low + other) for one, other in sentence_spans(text[low:high])]
    first = next((one for one, other in inside if one <= start < other), start)
    last = next((other for _, other in inside if other >= end), high)
    return first, last


def _cut(text: str, run: Run, place: Run) -> Run:
    """Return as much of a run as may be quoted, with a place in it; words stay whole."""
    start, end = run
    if end - start <= LONGEST:
        return run
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
    return (at for at in places if text[at - 1].isspace() != text[at].isspace())


def _quote(
    row: RecalledRow, ref: RawRef | None, text: str, run: Run, originals: Originals
) -> Quote:
    """Return a run of an original, or of a memory's own text: who speaks is no part of it."""
    if ref is not None and originals.reader is not None:
        return originals.reader.part(ref, row, text, run)
    said = text[run[0] : run[1]]
    speaker = row.speakers[0] if len(row.speakers) == 1 else None
    named = SPEAKS.match(said)
    if named and named[1] in row.speakers:
        speaker, said = named[1], said[named.end() :]
    return Quote(text=said, source_turn_id=row.source_turn_id, speaker=speaker, at=row.said_at)
