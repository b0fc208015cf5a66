"""The text index: segments that tantivy wrote, a tail in memory, and one answer from both.

In: documents and queries. Out: scored numbers. A small tenant lives in the tail alone and has no
files; `stats().due` says when it would be good to save or compact. Searches never wait for a save:
it writes beside what is being read, and takes a moment to switch over.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress
from operator import itemgetter
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from smartbrain.adapters.tantivy.segments import (
    COUNT_BITS,
    EVERYTHING,
    LOCKS,
    NO_HITS,
    IndexEntry,
    Segments,
    Wanted,
    make_entry,
    open_folder,
    spaced,
    write_anew,
    write_more,
)
from smartbrain.domain.search import Apart, IndexFilter, Scored, TextDocument, TextQuery, TextStats
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.text_index import check_documents, check_search
from smartbrain.text.bm25 import (
    K1,
    TIE,
    B,
    Clause,
    clauses,
    crowded,
    phrase_gain,
    ranked,
    rounded_length,
    settled,
    tie_end,
    typical_length,
)
from smartbrain.text.query import WeighRules

_SYSTEM_ERROR: Final = re.compile(r"os error (\d+)|\bcode: (\d+)")
_PANIC: Final = "PanicException"
_DAMAGE: Final = (OSError, ValueError, LookupError, TypeError, AttributeError)


class Failing:
    """Turns what goes wrong inside a `with` into an AdapterError; `doing` ends "could not ..."."""

    def __init__(self, doing: str, code: Literal["corrupt", "io_error"]) -> None:
        self._doing = doing
        self._code = code

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None or error is None or issubclass(kind, SmartBrainError):
            return
        # The class of a panic cannot be imported; it stands beside Exception, not below it.
        if issubclass(kind, _DAMAGE) or kind.__name__ == _PANIC:
            raise self._meaning(error) from error

    def _meaning(self, error: BaseException) -> AdapterError:
        if isinstance(error, OSError):
            return disk_error(error, self._doing)
        told = _SYSTEM_ERROR.search(str(error))
        if told:
            number = int(told.group(1) or told.group(2))
            return disk_error(OSError(number, os.strerror(number)), self._doing)
        reason = " ".join(str(error).split())[:200]
        if "LockBusy" in reason:
            return AdapterError(f"could not {self._doing}: another writer is at it", code="busy")
        advice = "build the index again" if self._code == "corrupt" else "try again"
        return AdapterError(f"could not {self._doing}: {reason}; {advice}", code=self._code)


_PURGE_FROM: Final = 1_000
_COUNT: Final = (1 << COUNT_BITS) - 1
_NOWHERE: Final[npt.NDArray[np.int64]] = np.empty(0, np.int64)


class Tail:
    """Entries by number, each in a slot, found by their terms.

    A posting is a slot and a count in one number.
    """

    def __init__(self, entries: Iterable[IndexEntry] = ()) -> None:
        self.tokens = 0
        self._slots: dict[int, int] = {}
        self._entries: list[IndexEntry | None] = []
        self._nums = array("q")
        self._here = array("b")
        self._lengths = array("d")
        self._postings: defaultdict[str, array[int]] = defaultdict(partial(array, "q"))
        for entry in entries:
            self.put(entry)

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[IndexEntry]:
        return (entry for entry in self._entries if entry is not None)

    def get(self, num: int) -> IndexEntry | None:
        slot = self._slots.get(num)
        return None if slot is None else self._entries[slot]

    def put(self, entry: IndexEntry) -> None:
        self.drop(entry.num)
        slot = len(self._entries)
        self._slots[entry.num] = slot
        self._entries.append(entry)
        self._nums.append(entry.num)
        self._here.append(True)
        self._lengths.append(rounded_length(entry.length))
        self.tokens += entry.length
        place = slot << COUNT_BITS
        for term, count in entry.counts.items():
            self._postings[term].append(place | count)

    def drop(self, num: int) -> None:
        slot = self._slots.pop(num, None)
        if slot is None:
            return
        entry = self._entries[slot]
        assert entry is not None, "a slot in use has its entry"
        self._entries[slot] = None
        self._here[slot] = False
        self.tokens -= entry.length
        if len(self._entries) > max(_PURGE_FROM, 2 * len(self._slots)):
            vars(self).update(vars(Tail(self)))

    def holding(self, term: str) -> int:
        slots, _ = self._where(term)
        return int(np.count_nonzero(np.frombuffer(self._here, np.bool_)[slots]))

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
        for term, gain in clauses:
            slots, counts = self._where(term)
            scores[slots] += gain * counts / (counts + norms[slots])

    def types(self, nums: Iterable[int]) -> dict[int, str]:
        entries = [(num, self.get(num)) for num in nums]
        return {num: entry.facets.type for num, entry in entries if entry is not None}

    def _where(self, term: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the slots that have postings of a term, also dropped ones, and its counts."""
        postings = self._postings.get(term)
        if postings is None:
            return _NOWHERE, _NOWHERE
        found = np.frombuffer(postings, np.int64)
        return found >> COUNT_BITS, found & _COUNT

    def _with_phrase(self, phrase: tuple[str, ...]) -> list[int]:
        # Whatever is no stop word is among the counted terms, so the rarest one narrows it down.
        held = {term: len(self._where(term)[0]) for term in phrase}
        rarest = min(filter(held.get, held), key=held.__getitem__, default=None)
        slots = range(len(self._entries)) if rarest is None else self._where(rarest)[0].tolist()
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
            there = [(slot, self._entries[slot]) for slot in order.tolist()]
            admitted = [slot for slot, entry in there if entry and only.admits(entry.facets)]
            order = np.array(admitted, np.intp)
        if len(order) > k:
            lowest = scores[order[k - 1]] * (1 - 2 * TIE)
            order = order[: k + np.count_nonzero(scores[order[k:]] >= lowest)]
        nums = np.frombuffer(self._nums, np.int64)[order]
        return list(zip(scores[order].tolist(), nums.tolist(), strict=True))


_READING: Final = "read the text index"
_WRITING: Final = "write the text index"
_TIMES: Final = 4  # as many as are wanted, where kinds have places of their own
_SCORE: Final = itemgetter(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRules:
    """When saving or compacting does good.

    Up to `tail` documents stay in memory, so an index of fewer has no files. Of what is written at
    most `removed_share` should be removed, once that are `removed` documents.
    """

    tail: int = 2_000
    removed: int = 1_000
    removed_share: float = 0.1


class TantivyTextIndex:
    """The port on tantivy; also for a second index, over raw passages."""

    def __init__(self, rules: IndexRules | None = None, weighing: WeighRules | None = None) -> None:
        self._rules = rules or IndexRules()
        self._weighing = weighing or WeighRules()
        self._tail = Tail()
        self._segments: Segments | None = None
        self._bytes = 0  # others may delete the files while they are still read from
        self._lock = Lock()
        # One save, load or clear at a time; while one writes, what was changed meanwhile.
        self._switching = Lock()
        self._changed: set[int] | None = None

    def upsert(self, documents: Sequence[TextDocument]) -> None:
        check_documents(documents)
        entries = [make_entry(document, self._weighing) for document in documents]
        with self._lock, Failing(_READING, "corrupt"):
            for entry in entries:
                self._take_out_written(entry.num)
                self._tail.put(entry)

    def remove(self, nums: Sequence[int]) -> None:
        with self._lock, Failing(_READING, "corrupt"):
            for num in nums:
                self._take_out_written(num)
                self._tail.drop(num)

    def search(
        self,
        query: TextQuery,
        *,
        k: int,
        only: IndexFilter | None = None,
        apart: Apart | None = None,
    ) -> list[Scored]:
        check_search(query, k, only)
        only = only or EVERYTHING
        with Failing(_READING, "corrupt"):
            if apart is None:
                return _best(self._answers(query, k, only), k)
            return self._search_apart(query, k, only, apart)

    def _search_apart(
        self, query: TextQuery, k: int, only: IndexFilter, apart: Apart
    ) -> list[Scored]:
        """Return the best, and those of kinds that they leave out.

        The latter mostly come soon after the best: to find some more at once costs a third of what
        it costs to ask again.
        """
        most = _TIMES * k
        found = self._answers(query, most, only)
        best = _best(found, k)
        if not crowded(best, k, apart.least):
            return best
        hits = {hit.num: hit for hit in best}
        types = found.types()
        for kind in apart.kinds:
            own = found.those([*map(frozenset(kind).__contains__, types)])
            if len(own.nums) < apart.each and len(found.nums) >= most:
                own = self._answers(query, apart.each, replace(only, types=kind), broad=False)
            hits = {hit.num: hit for hit in _best(own, apart.each)} | hits
        return ranked([(score, num) for num, score in hits.values()], len(hits))

    def _answers(
        self, query: TextQuery, k: int, only: IndexFilter, *, broad: bool = True
    ) -> _Answers:
        """Return the best `k` that answer and their equals, or some more, best first."""
        with self._lock:
            wanted = self._wanted(query)
            segments = self._segments
            seen = len(segments.removed) if segments else 0
            hits = self._tail.search(wanted, k, only, self._typical_length())
            types = self._tail.types([num for _, num in hits])
        written = segments.search(wanted, k, only, seen, broad=broad) if segments else NO_HITS
        scores, nums = written.scores, written.nums
        if not hits:
            return _Answers(scores, nums, lambda: segments.types(written) if segments else [])
        both = sorted([*hits, *zip(scores, nums, strict=True)], key=_SCORE, reverse=True)
        scores, nums = map(list, zip(*both, strict=True))
        if len(scores) > k:  # further down either of the two may have left some out
            end = tie_end(scores, k - 1)
            scores, nums = scores[:end], nums[:end]

        def types_of() -> list[str]:
            if segments:
                types.update(zip(written.nums, segments.types(written), strict=True))
            return [types[num] for num in nums]

        return _Answers(scores, nums, types_of)

    def save(self, folder: Path | None) -> None:
        self._write(folder, anew=False)

    def compact(self, folder: Path | None) -> None:
        self._write(folder, anew=True)

    def load(self, folder: Path) -> None:
        with self._switching:
            with Failing(_READING, "corrupt"):
                segments, size = open_folder(folder), _size(folder)
            with self._lock:
                self._segments, self._tail, self._bytes = segments, Tail(), size

    def holding(self, terms: Sequence[str]) -> list[int]:
        with self._lock, Failing(_READING, "corrupt"):
            return [self._holding(term) for term in terms]

    def stats(self) -> TextStats:
        with self._lock, Failing(_READING, "io_error"):
            segments = self._segments
            return TextStats(
                documents=self._documents(),
                unsaved=len(self._tail),
                removed=len(segments.removed) if segments else 0,
                typical_length=self._typical_length(),
                bytes=self._bytes,
                due=self._due(),
            )

    def _write(self, folder: Path | None, *, anew: bool) -> None:
        """Write what is here now, then switch over to it, keeping what changed meanwhile."""
        with self._switching:
            with self._lock:
                before, written = self._segments, list(self._tail)
                state = before.state if before else None
                typical = typical_length(self._tokens(), self._documents())
                self._changed = set()
            try:
                with Failing(_WRITING, "io_error"):
                    if before is None or state is None:
                        segments = write_anew(folder, written, typical)
                    elif anew or (before.folder is None) != (folder is None):
                        kept = before.entries(set(state.removed))
                        segments = write_anew(folder, chain(kept, written), typical)
                    else:
                        segments = write_more(folder, before, state, written, typical)
                    size = _size(folder) if folder else 0
                with self._lock, Failing(_READING, "corrupt"):
                    changed = self._changed
                    for num in changed:
                        segments.remove(num)
                    tail = Tail(entry for entry in self._tail if entry.num in changed)
                    self._segments, self._tail, self._bytes = segments, tail, size
            finally:
                self._changed = None

    def _take_out_written(self, num: int) -> None:
        """Mark a document as removed from the segments, also those being written.

        One in the tail was removed from the segments when it came there.
        """
        if self._changed is not None:
            self._changed.add(num)
        if self._segments and self._tail.get(num) is None:
            self._segments.remove(num)

    def _wanted(self, query: TextQuery) -> Wanted:
        """Return a query with what its parts add by the present statistics."""
        documents = self._documents()
        holding = self._holding
        if self._segments and not len(self._tail):
            holding = self._segments.holding
        found, faint = clauses(query.terms, documents, holding), query.faint
        return Wanted(
            [one for one in found if one[0] not in faint] if faint else found,
            [one for one in found if one[0] in faint] if faint else [],
            query.must,
            [
                (phrase.terms, phrase_gain(phrase.terms, phrase.weight, documents, holding))
                for phrase in query.should
            ],
            alone=not query.terms and not query.should and bool(query.must),
        )

    def _holding(self, term: str) -> int:
        written = self._segments.holding(term) if self._segments else 0
        return written + self._tail.holding(term)

    def _documents(self) -> int:
        return len(self._tail) + (self._segments.documents if self._segments else 0)

    def _tokens(self) -> int:
        return self._tail.tokens + (self._segments.tokens if self._segments else 0)

    def _typical_length(self) -> int:
        """Return what lengths are measured by: fixed by what is written, as tantivy cannot turn."""
        if self._segments:
            return self._segments.typical_length
        return typical_length(self._tokens(), self._documents())

    def _due(self) -> str:
        segments = self._segments
        if segments:
            removed = len(segments.removed)
            share = removed / max(1, removed + segments.documents)
            if removed >= self._rules.removed and share > self._rules.removed_share:
                return "compact"
        return "save" if len(self._tail) >= self._rules.tail else ""


class _Answers(NamedTuple):
    """Scores, best first, the numbers that they belong to, and what tells the type of each."""

    scores: list[float]
    nums: list[int]
    types: Callable[[], list[str]]

    def those(self, kept: list[bool]) -> _Answers:
        scores, nums = list(compress(self.scores, kept)), list(compress(self.nums, kept))
        return _Answers(scores, nums, self.types)


def _best(found: _Answers, k: int) -> list[Scored]:
    scores, nums, _ = found
    end = tie_end(scores, k - 1) if len(scores) > k else len(scores)
    return settled(scores[:end], nums[:end], k)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if not path.name.endswith(LOCKS))
