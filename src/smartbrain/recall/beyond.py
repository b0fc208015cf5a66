"""What episodes say beyond the few sentences that they are told in (R5, R9).

In: what was found, the words and times of a message. Out: for an episode whose original holds what
its own text leaves out, those words and a quote with its place. One statement reads all originals
that are looked at; they are few, and none is read where the message gives nothing to look for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import Compression
from smartbrain.recall.ages import SHOWN_CHARACTERS, age_class, at_least, covering
from smartbrain.recall.gather import RAW, TEXT
from smartbrain.recall.items import Reader, speakers_of
from smartbrain.recall.quoting import Beyond, best_run, left_out

if TYPE_CHECKING:
    from smartbrain.domain.policy_recall import EpisodeRules
    from smartbrain.domain.recalled import Ranked, RawRef, RecalledRow
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.candidates import Occasion
    from smartbrain.recall.cue_match import CueWords

_TYPE: Final = "episodes"
_EPISODES: Final = 20  # whose originals are read: as many as a packet shows
_BYTES: Final = 200_000  # of all originals that are read, but for those found by their own words
_FILES: Final = 3  # originals that are not in the storage itself but in files
_FIRST: Final = 4_000  # characters of an original in which a sentence is looked for by a time

_Said = tuple["RawRef", str]
"""An original, and what it says."""


def read_beyond(
    found: Sequence[Ranked],
    occasion: Occasion,
    words: CueWords,
    *,
    passages: Mapping[int, int],
    rules: EpisodeRules,
    rows: Transaction,
    blobs: Blobs,
) -> dict[str, Beyond]:
    """Return what episodes say beyond their own text of what a message speaks of, by their ids.

    Args:
        found: what was found, best first.
        occasion: what the packet is made for.
        words: what the message gives to look for.
        passages: originals that were found by their own words, by the number of their episode.
        rules: how much is shown at which age.
        rows: the truth.
        blobs: where larger originals are.
    """
    asked = _asked_of(found, occasion, words, rules)
    if not asked:
        return {}
    refs = _within([row for row, _ in asked], passages)
    nums = {ref.num for some in refs.values() for ref in some}
    chunks = {one.num: one.chunk for one in rows.followed.passages(sorted(nums))}
    said_by = {} if occasion.whole else speakers_of([(row, refs[row.id]) for row, _ in asked], rows)
    reader = _FewFiles(chunks, blobs, said_by=said_by)
    beyond = {}
    for row, by_time in asked:
        texts = [(ref, text) for ref in refs[row.id] if (text := reader.text(ref)) is not None]
        if occasion.whole:
            told = _unquoted(texts, words)
        else:
            told = _by_words(row, texts, words, reader)
            if told is None and by_time:
                told = _by_time(row, texts, reader)
        if told is not None:
            beyond[row.id] = told
    return beyond


def _asked_of(
    found: Iterable[Ranked], occasion: Occasion, words: CueWords, rules: EpisodeRules
) -> list[tuple[RecalledRow, bool]]:
    """Return the episodes whose originals may hold what their own text does not tell.

    With each goes whether a time brings it to mind, and its text has no more to quote for that; it
    never does for who quotes nothing.
    """
    times = (*occasion.cues.times, *occasion.cues.ahead)
    if not words.any_strong and not times:
        return []
    asked: list[tuple[RecalledRow, bool]] = []
    for one in found:
        row = one.row
        if row.type != _TYPE or not _is_short(row):
            continue
        by_words = words.any_strong and (TEXT in one.found_by or RAW in one.found_by)
        by_time = covering(row, times) is not None
        if occasion.whole:  # a strong cue brings it to mind, one is enough
            by_words = by_words and not by_time and not words.strong(row.text)
            by_time = False
        else:
            by_words = by_words and not words.tells_all(row.text)
            by_time = by_time and _shows_all(row, occasion, rules)
        if by_time or by_words:
            asked.append((row, by_time))
            if len(asked) == _EPISODES:
                break
    return asked


def _is_short(row: RecalledRow) -> bool:
    """Tell whether an episode's text is only a part of what was said."""
    return sum(ref.length for ref in row.raw_refs) > len(row.text.encode())


def _shows_all(row: RecalledRow, occasion: Occasion, rules: EpisodeRules) -> bool:
    """Tell whether an old episode's text is shown whole, and has no more to quote."""
    level = at_least(age_class(row.said_at, now=occasion.now, rules=rules), row.compression)
    return level is not Compression.RAW and len(row.text) <= SHOWN_CHARACTERS[level]


def _within(asked: Iterable[RecalledRow], passages: Mapping[int, int]) -> dict[str, list[RawRef]]:
    """Return the originals to read, those first that were found by their own words."""
    room = _BYTES
    chosen: dict[str, list[RawRef]] = {}
    for row in asked:
        found = passages.get(row.num)
        chosen[row.id] = []
        for ref in sorted(row.raw_refs, key=lambda one: one.num != found):
            if ref.length <= room or ref.num == found:
                chosen[row.id].append(ref)
                room -= ref.length
    return chosen


class _FewFiles(Reader):
    """Reads originals, but no more than a few that lie in files."""

    _files: int = 0

    def text(self, ref: RawRef) -> str | None:
        """Return original words; none of a further file."""
        chunk = self.chunks.get(ref.num)
        if chunk is not None and chunk.body is None:
            self._files += 1
            if self._files > _FILES:
                return None
        return super().text(ref)


def _by_words(
    row: RecalledRow, texts: Sequence[_Said], words: CueWords, reader: Reader
) -> Beyond | None:
    """Return what originals hold of the message's words, and the sentence with the most of them."""
    known = words.strong(row.text)
    held: set[str] = set()
    best, most = None, 0
    for ref, text in texts:
        if found := best_run(text, words, known):
            told, (start, end) = found
            held |= told
            count = len(words.strong(text[start:end]) - known)
            if best is None or count > most:
                best, most = (ref, row, text, (start, end)), count
    return Beyond(frozenset(held), reader.part(*best)) if best else None


def _unquoted(texts: Sequence[_Said], words: CueWords) -> Beyond | None:
    """Return what originals hold of the message's words, for who quotes none of it."""
    held = frozenset().union(*[words.strong(text) for _, text in texts])
    return Beyond(held, None) if held else None


def _by_time(row: RecalledRow, texts: Sequence[_Said], reader: Reader) -> Beyond | None:
    """Return the first sentences that an episode leaves out."""
    for ref, text in texts:
        if run := left_out(text[:_FIRST], row.text):
            return Beyond(frozenset(), reader.part(ref, row, text, run))
    return None
