"""What tantivy has written: immutable segments, and in memory what was removed from them since.

In: entries to write, queries to answer. Out: scored numbers. tantivy scores by statistics of its
own, which cannot be set: all that was ever written. Each term is boosted by as much as the present
rarity differs from tantivy's, and documents that nobody finds hold tantivy's average length at the
typical one, so that the scores are those of `text.bm25` over what is there now. Nothing is deleted
in tantivy, because its merges would then change statistics at times of their own choosing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from math import inf
from pathlib import Path
from typing import Final, NamedTuple, cast

from tantivy import DocAddress, FieldType, Index, Occur, Query, Searcher

from smartbrain.adapters.tantivy.parts import EVERYTHING, Entry, Wanted, from_bytes
from smartbrain.adapters.tantivy.schema import (
    GROUP,
    KEPT,
    NUM,
    ROW,
    WORDS,
    conditions,
    group_query,
    narrowed,
    phrase_query,
    term_query,
)
from smartbrain.domain.record import Record
from smartbrain.domain.search import IndexFilter
from smartbrain.errors import AdapterError
from smartbrain.text.bm25 import K1, TIE, Clause, rarity, tie_end
from smartbrain.text.tokenise import VERSION

FORMAT: Final = 1
_BATCH: Final = 10_000
_REMEMBERED: Final = 100_000
_SLACK: Final = 4
_FILTERS: Final = 64  # whose groups are remembered
# Where a filter admits this share or more, it is faster to drop what it does not admit afterwards.
_BROAD: Final = 0.3
_MOST_FETCHED: Final = 1 << 17


class Hits(NamedTuple):
    """Scores, best first, the numbers that they belong to, and where those stand."""

    scores: list[float]
    nums: list[int]
    addresses: list[DocAddress]


NO_HITS: Final = Hits([], [], [])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class State(Record):
    """What is known of the segments beside themselves; `rows` and `tokens` count removed ones too.

    A group is the type, status, layer and language that documents share. `highest` is the highest
    number that was ever written; segments of before do not know it.
    """

    format: int = FORMAT
    tokeniser: int = VERSION
    rows: int = 0
    tokens: int = 0
    padding_documents: int = 0
    padding_tokens: int = 0
    typical_length: int = 1
    groups: tuple[tuple[str, str, str, str], ...] = ()
    removed: tuple[int, ...] = ()
    removed_tokens: int = 0
    removed_terms: Mapping[str, int] = field(default_factory=dict)
    highest: int | None = None


class Segments:
    """A written index, read-only but for marks on what was removed.

    Searches may run while something is removed: each says how many removals it has seen.
    """

    def __init__(self, index: Index, folder: Path | None, state: State) -> None:
        self.folder = folder
        self.index = index
        self._groups = frozenset(range(len(state.groups)))
        self.removed: dict[int, int] = {row: place for place, row in enumerate(state.removed)}
        self._state = state
        self._removed_tokens = state.removed_tokens
        self._removed_terms = Counter(state.removed_terms)
        self._known: dict[str, tuple[int, float]] = {}
        self._asked: dict[tuple[tuple[str, ...], ...], tuple[frozenset[int], float]] = {}
        self._schema = index.schema
        index.reload()
        self._searcher: Searcher = index.searcher()
        highest = inf if state.highest is None else state.highest
        self._most = {NUM: highest, ROW: state.rows - 1, GROUP: len(state.groups) - 1}
        self._all = state.rows + state.padding_documents
        if self._searcher.num_docs != self._all:
            raise AdapterError(
                f"the text index has {self._searcher.num_docs} documents and should have"
                f" {self._all}; build it again",
                code="corrupt",
            )

    @property
    def documents(self) -> int:
        """How many documents can be found."""
        return self._state.rows - len(self.removed)

    @property
    def tokens(self) -> int:
        """How long they are together."""
        return self._state.tokens - self._removed_tokens

    @property
    def typical_length(self) -> int:
        """What lengths are measured by in these segments."""
        return self._state.typical_length

    @property
    def state(self) -> State:
        """What would be known of these segments if they were opened again now."""
        return replace(
            self._state,
            removed=tuple(self.removed),
            removed_tokens=self._removed_tokens,
            removed_terms=dict(self._removed_terms),
        )

    def holding(self, term: str) -> int:
        """Return how many documents hold a term."""
        written, _ = self._known.get(term) or self._learn(term)
        return written - self._removed_terms.get(term, 0)

    def remove(self, num: int) -> bool:
        """Mark the document of a number as removed; false if there is none."""
        found = self._find(num)
        if found is None:
            return False
        row, address = found
        entry = self._kept(address)
        self.removed[row] = len(self.removed)
        self._removed_tokens += entry.length
        self._removed_terms.update(entry.counts.keys())
        return True

    def entries(self, removed: Container[int]) -> Iterator[Entry]:
        """Read back every document but some rows, in the order of writing."""
        for start in range(0, self._state.rows, _BATCH):
            batch = Query.range_query(
                self._schema, ROW, FieldType.Integer, start, start + _BATCH, include_upper=False
            )
            hits = self._searcher.search(batch, _BATCH, count=False).hits
            addresses = [address for _, address in hits]
            rows = self._numbers(ROW, addresses)
            for row, address in sorted(zip(rows, addresses, strict=True), key=lambda pair: pair[0]):
                if row not in removed:
                    yield self._kept(address)

    def search(
        self, wanted: Wanted, k: int, only: IndexFilter, seen: int, *, broad: bool = True
    ) -> Hits:
        """Return the best `k` that answer and their equals, or some more, best first.

        `seen` is how many removals the search has seen; what was removed later still answers.
        Without `broad` a filter is not taken for one that admits many of the best.
        """
        query = self._query(wanted)
        groups, share = self._admitted(only)
        if (query is None and not wanted.alone) or not groups:
            return NO_HITS
        demands = [] if only is EVERYTHING else conditions(self._schema, only)
        demands += [phrase_query(self._schema, phrase, 0.0) for phrase in wanted.must]
        if len(groups) < len(self._groups):
            if broad and query is not None and not demands and share >= _BROAD:
                limit = int(1.5 * k / share) + _SLACK
                found = self._top(query, k, seen, limit=limit, groups=groups)
                if found is not None:
                    return found
            demands.append(group_query(self._schema, groups))
        asked = narrowed(query, demands) if demands or query is None else query
        limit = k + _SLACK
        while (found := self._top(asked, k, seen, limit=limit)) is None:
            limit *= 4
        return found

    def types(self, hits: Hits) -> list[str]:
        """Return the type of each that was found."""
        types = [group[0] for group in self._state.groups]
        return [*map(types.__getitem__, self._numbers(GROUP, hits.addresses))]

    def _query(self, wanted: Wanted) -> Query | None:
        """Return what scores: each term at its present rarity instead of tantivy's own."""
        parts = self._clauses(wanted.clauses)
        parts += [
            (Occur.Should, phrase_query(self._schema, phrase, gain))
            for phrase, gain in wanted.should
        ]
        if not parts:
            return None
        faint = self._clauses(wanted.faint)
        if faint:
            parts = [(Occur.Must, Query.boolean_query(parts)), *faint]
        return Query.boolean_query(parts)

    def _clauses(self, clauses: list[Clause]) -> list[tuple[Occur, Query]]:
        """Return the queries for terms that were ever written."""
        parts = []
        for term, gain in clauses:
            written, own_gain = self._known.get(term) or self._learn(term)
            if written:
                parts.append((Occur.Should, term_query(self._schema, term, gain / own_gain)))
        return parts

    def _learn(self, term: str) -> tuple[int, float]:
        """Return how many documents with a term were ever written, and what tantivy gives it."""
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        written = self._searcher.doc_freq(WORDS, term)
        known = self._known[term] = (written, (K1 + 1) * rarity(self._all, written))
        return known

    def _top(
        self,
        query: Query,
        k: int,
        seen: int,
        *,
        limit: int,
        groups: frozenset[int] | None = None,
    ) -> Hits | None:
        """Return the best hits that can be found, or None if `limit` is too low to tell them."""
        hits = self._searcher.search(query, limit, count=False).hits
        if not hits:
            return NO_HITS
        scores, addresses = map(list, zip(*hits, strict=True))
        found = Hits(scores, self._numbers(NUM, addresses), addresses)
        if seen:
            removed = self.removed
            rows = self._numbers(ROW, addresses)
            found = _those(found, [removed.get(row, seen) >= seen for row in rows])
        if groups is not None:
            held = self._numbers(GROUP, found.addresses)
            found = _those(found, [group in groups for group in held])
        if len(hits) < limit or limit >= _MOST_FETCHED:
            return found
        if len(found.scores) < k:
            return None
        lowest = found.scores[tie_end(found.scores, k - 1) - 1]
        return found if hits[-1][0] < lowest * (1 - TIE) else None

    def _admitted(self, only: IndexFilter) -> tuple[frozenset[int], float]:
        """Return the groups that a filter admits, and which part of what was written they are.

        What it says of time, source and tags is left out.
        """
        asked = (only.types, only.statuses, only.layers, only.languages)
        known = self._asked.get(asked)
        if known is None:
            groups = frozenset(
                number
                for number, group in enumerate(self._state.groups)
                if all(not names or one in names for one, names in zip(group, asked, strict=True))
            )
            held = sum(self._searcher.doc_freq(GROUP, group) for group in groups)
            if len(self._asked) >= _FILTERS:
                self._asked.clear()
            known = self._asked[asked] = groups, held / max(1, self._state.rows)
        return known

    def _find(self, num: int) -> tuple[int, DocAddress] | None:
        """Return where the document of a number stands, if it was not removed."""
        highest = self._state.highest
        if highest is not None and num > highest:  # as that of every new node is
            return None
        versions = self._searcher.doc_freq(NUM, num)
        if not versions:
            return None
        query = Query.term_query(self._schema, NUM, num, "basic")
        hits = self._searcher.search(query, versions, count=False).hits
        addresses = [address for _, address in hits]
        for row, address in zip(self._numbers(ROW, addresses), addresses, strict=True):
            if row not in self.removed:
                return row, address
        return None

    def _numbers(self, name: str, addresses: list[DocAddress]) -> list[int]:
        """Return a number field of some documents; every document has one.

        Raises:
            ValueError, TypeError: the files are damaged; one has none, or one that cannot be.
        """
        values = cast("list[int]", self._searcher.fast_field_values(name, addresses))
        if values and not 0 <= min(values) <= max(values) <= self._most[name]:
            raise ValueError(f"a document has a {name} that cannot be")
        return values

    def _kept(self, address: DocAddress) -> Entry:
        """Return an entry as it was written."""
        return from_bytes(self._searcher.doc(address)[KEPT][0])


def _those(hits: Hits, kept: list[bool]) -> Hits:
    """Return the hits that are kept."""
    if all(kept):
        return hits
    scores, nums, addresses = hits
    return Hits(
        list(compress(scores, kept)), list(compress(nums, kept)), list(compress(addresses, kept))
    )
