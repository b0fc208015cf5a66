"""What was indexed since the files were written: a small inverted index in memory.

In: entries one by one. Out: scored numbers, by the same formulas and the same statistics as the
files. It costs microseconds to add to and stays fast up to some ten thousand entries. Not safe to
use from several threads: the index holds a lock around it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.tantivy.parts import COUNT_BITS, EVERYTHING, Entry, Wanted, spaced
from smartbrain.domain.search import IndexFilter
from smartbrain.text.bm25 import K1, TIE, B, Clause, rounded_length

_MOST_LOOSE: Final = 32
_PURGE_FROM: Final = 1_000
_COUNT: Final = (1 << COUNT_BITS) - 1
_NOWHERE: Final[npt.NDArray[np.int64]] = np.empty(0, np.int64)


class Tail:
    """Entries by number, each in a slot, found by their terms.

    A posting is a slot and a count in one number. The newest entries are loose: they have no
    postings yet, and a search looks into each of them. A turn is put again for each of its
    neighbours, which mostly happens while it is loose and costs next to nothing.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.tokens = 0
        self._slots: dict[int, int] = {}
        self._entries: list[Entry | None] = []
        self._nums = array("q")
        self._here = array("b")
        self._lengths = array("d")
        self._postings: defaultdict[str, array[int]] = defaultdict(partial(array, "q"))
        self._loose: dict[int, Mapping[str, int]] = {}  # counts by slot
        for entry in entries:
            self.put(entry)

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for entry in self._entries if entry is not None)

    def get(self, num: int) -> Entry | None:
        """Return the entry of a number."""
        slot = self._slots.get(num)
        return None if slot is None else self._entries[slot]

    def put(self, entry: Entry) -> None:
        """Add an entry, in place of the one of the same number."""
        self.drop(entry.num)
        slot = len(self._entries)
        self._slots[entry.num] = slot
        self._entries.append(entry)
        self._nums.append(entry.num)
        self._here.append(True)
        self._lengths.append(rounded_length(entry.length))
        self.tokens += entry.length
        self._loose[slot] = entry.counts
        if len(self._loose) > _MOST_LOOSE:
            self._tie_up()

    def drop(self, num: int) -> None:
        """Take an entry out, if it is here."""
        slot = self._slots.pop(num, None)
        if slot is None:
            return
        entry = self._entries[slot]
        assert entry is not None, "a slot in use has its entry"
        self._entries[slot] = None
        self._here[slot] = False
        self.tokens -= entry.length
        self._loose.pop(slot, None)
        if len(self._entries) > max(_PURGE_FROM, 2 * len(self._slots)):
            vars(self).update(vars(Tail(self)))

    def holding(self, term: str) -> int:
        """Return how many entries hold a term."""
        slots, _ = self._where(term)
        tied = np.count_nonzero(np.frombuffer(self._here, np.bool_)[slots])
        return int(tied) + len(self._loose_with(term))

    def search(
        self, wanted: Wanted, k: int, only: IndexFilter, typical: int
    ) -> list[tuple[float, int]]:
        """Return (score, number) of the best `k` entries that answer, and of their equals."""
        if not self._slots:
            return []
        scores = np.zeros(len(self._entries))
        norms = K1 * (1 - B + B * np.frombuffer(self._lengths) / typical)
        self._add(scores, norms, wanted.clauses)
        matched = scores > 0
        self._add(scores, norms, wanted.faint)
        for phrase, gain in wanted.should:
            found = self._with_phrase(phrase)
            scores[found] += gain
            matched[found] = True
        if wanted.alone:
            matched[:] = True
        for phrase in wanted.must:
            held = np.zeros_like(matched)
            held[self._with_phrase(phrase)] = True
            matched &= held
        matched &= np.frombuffer(self._here, np.bool_)
        return self._best(np.flatnonzero(matched), scores, k, only)

    def _add(
        self,
        scores: npt.NDArray[np.float64],
        norms: npt.NDArray[np.float64],
        clauses: Iterable[Clause],
    ) -> None:
        """Add what terms say for the entries that hold them."""
        for term, gain in clauses:
            slots, counts = self._where(term)
            scores[slots] += gain * counts / (counts + norms[slots])
            for slot in self._loose_with(term):
                count = self._loose[slot][term]
                scores[slot] += gain * count / (count + norms[slot])

    def types(self, nums: Iterable[int]) -> dict[int, str]:
        """Return the types of entries by their numbers."""
        entries = [(num, self.get(num)) for num in nums]
        return {num: entry.facets.type for num, entry in entries if entry is not None}

    def _tie_up(self) -> None:
        """Write the postings of the loose entries."""
        postings = self._postings
        for slot, counts in self._loose.items():
            place = slot << COUNT_BITS
            for term, count in counts.items():
                postings[term].append(place | count)
        self._loose.clear()

    def _where(self, term: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the slots that have postings of a term, also dropped ones, and its counts."""
        postings = self._postings.get(term)
        if postings is None:
            return _NOWHERE, _NOWHERE
        found = np.frombuffer(postings, np.int64)
        return found >> COUNT_BITS, found & _COUNT

    def _loose_with(self, term: str) -> list[int]:
        """Return the slots of loose entries that hold a term."""
        return [slot for slot, counts in self._loose.items() if term in counts]

    def _with_phrase(self, phrase: tuple[str, ...]) -> list[int]:
        """Return the slots whose own words hold a phrase."""
        # Whatever is no stop word is among the counted terms, so the rarest one narrows it down.
        held = {term: len(self._where(term)[0]) + len(self._loose_with(term)) for term in phrase}
        rarest = min(filter(held.get, held), key=held.__getitem__, default=None)
        if rarest is None:
            slots = list(range(len(self._entries)))
        else:
            slots = self._where(rarest)[0].tolist() + self._loose_with(rarest)
        text = spaced(phrase)
        return [slot for slot in slots if (entry := self._entries[slot]) and text in entry.words]

    def _best(
        self,
        slots: npt.NDArray[np.intp],
        scores: npt.NDArray[np.float64],
        k: int,
        only: IndexFilter,
    ) -> list[tuple[float, int]]:
        """Return the best of some slots, and what may be equal to the last of them."""
        order = slots[np.argsort(-scores[slots], kind="stable")]
        if only != EVERYTHING:
            admitted = [slot for slot in order.tolist() if self._admits(only, slot)]
            order = np.array(admitted, np.intp)
        if len(order) > k:
            lowest = scores[order[k - 1]] * (1 - 2 * TIE)
            order = order[: k + np.count_nonzero(scores[order[k:]] >= lowest)]
        nums = np.frombuffer(self._nums, np.int64)[order]
        return list(zip(scores[order].tolist(), nums.tolist(), strict=True))

    def _admits(self, only: IndexFilter, slot: int) -> bool:
        entry = self._entries[slot]
        return entry is not None and only.admits(entry.facets)
