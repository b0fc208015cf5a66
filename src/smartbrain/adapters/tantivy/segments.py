"""What tantivy has written: immutable segments, and in memory what was removed from them since.

In: entries to write, queries to answer. Out: scored numbers. tantivy scores by statistics of its
own, which cannot be set: all that was ever written. Each term is boosted by as much as the present
rarity differs from tantivy's, and documents that nobody finds hold tantivy's average length at the
typical one, so that the scores are those of `text.bm25` over what is there now. Nothing is deleted
in tantivy, because its merges would then change statistics at times of their own choosing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from typing import Final, NamedTuple, cast

from msgspec import field
from msgspec.structs import replace
from tantivy import (
    DocAddress,
    Document,
    FieldType,
    Index,
    IndexWriter,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
)

from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.search import Facets, IndexFilter, TextDocument
from smartbrain.domain.time import to_micros
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.text_index import LONGEST_SOURCE
from smartbrain.text.bm25 import K1, TIE, Clause, rarity, tie_end
from smartbrain.text.query import WeighRules, weigh
from smartbrain.text.tokenise import VERSION

EVERYTHING: Final = IndexFilter()
"""The filter that admits everything."""

COUNT_BITS: Final = 24
"""How many bits a count has; a term that comes more often is counted as often as they can tell."""
_MOST: Final = (1 << COUNT_BITS) - 1


@dataclass(slots=True, eq=False)
class IndexEntry:
    """A document as it is indexed: counted terms, own words between blanks, and facets."""

    num: int
    counts: dict[str, int]
    words: str
    facets: Facets
    length: int


class Wanted(NamedTuple):
    """A query with what each of its parts adds to a score now.

    `alone` says that nothing but `must` was asked for. What is `faint` adds to what answers by
    something else.
    """

    clauses: list[Clause]
    faint: list[Clause]
    must: tuple[tuple[str, ...], ...]
    should: list[tuple[tuple[str, ...], float]]
    alone: bool


def make_entry(document: TextDocument, rules: WeighRules) -> IndexEntry:
    """Return a document as it is indexed."""
    counts, words = weigh(document, rules)
    return _entry(document.num, counts, spaced(words), document.facets)


def spaced(words: list[str] | tuple[str, ...]) -> str:
    """Return words with a blank before and after each, so that a phrase is a part of the text."""
    return f" {' '.join(words)} "


def _entry(num: int, counts: dict[str, int], words: str, facets: Facets) -> IndexEntry:
    length = sum(counts.values())
    if length > _MOST:
        counts = {term: min(count, _MOST) for term, count in counts.items()}
    return IndexEntry(num, counts, words, facets, length)


WORDS: Final = "words"
OWN: Final = "own"
NUM: Final = "num"
ROW: Final = "row"
GROUP: Final = "group"
AT: Final = "at"
SOURCE: Final = "source"
TAGS: Final = "tags"
KEPT: Final = "kept"

_NOBODY: Final = -1
# No term holds a control character, so this one is never looked for.
_PADDING: Final = "\x01"
# A source is matched in blocks: the longest pattern that tantivy takes has a thousand states.
_BLOCK: Final = 100
_LONGEST_VALUE: Final = 1_000
_SPECIAL: Final = frozenset(r"\.+*?()|[]{}^$#&-~")


def build_schema() -> Schema:
    """Return the schema: terms, own words with positions, numbers, conditions, the entry itself."""
    builder = SchemaBuilder()
    builder.add_text_field(WORDS, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(OWN, tokenizer_name="whitespace", index_option="position")
    builder.add_integer_field(NUM, indexed=True, fast=True)
    builder.add_integer_field(ROW, fast=True)
    builder.add_integer_field(GROUP, indexed=True, fast=True)
    builder.add_integer_field(AT, fast=True)
    builder.add_text_field(SOURCE, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(TAGS, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field(KEPT, stored=True)
    return builder.build()


def to_document(entry: IndexEntry, row: int, group: int) -> Document:
    """Return an entry as tantivy takes it."""
    document = _numbered(entry.num, row, group)
    # The counts are written out: a term that counts three times stands there three times.
    words = "".join([f"{term} " * count for term, count in entry.counts.items()])
    document.add_text(WORDS, words)
    document.add_text(OWN, entry.words)
    facets = entry.facets
    if facets.at is not None:
        document.add_integer(AT, to_micros(facets.at))
    for value in _blocks(facets.source[:LONGEST_SOURCE]):
        document.add_text(SOURCE, value)
    for tag in facets.tags:
        document.add_text(TAGS, _value(tag))
    kept = (entry.num, entry.counts, entry.words, facets.to_dict())
    document.add_bytes(KEPT, json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode())
    return document


def padding(tokens: int) -> Document:
    """Return a document that nobody finds and that is so many tokens long."""
    document = _numbered(_NOBODY, _NOBODY, _NOBODY)
    if tokens:
        document.add_text(WORDS, f"{_PADDING} " * tokens)
    return document


def phrase_query(schema: Schema, phrase: tuple[str, ...], gain: float) -> Query:
    """Return the query for own words that stand side by side; it adds `gain`, found or often."""
    if len(phrase) == 1:
        found = Query.term_query(schema, OWN, phrase[0], "position")
    else:
        found = Query.phrase_query(schema, OWN, list(phrase))
    return Query.const_score_query(found, gain)


def conditions(schema: Schema, only: IndexFilter) -> list[Query]:
    """Return what a filter asks of time, source and tags."""
    found = []
    if only.since is not None or only.until is not None:
        since, until = (None if end is None else to_micros(end) for end in (only.since, only.until))
        # tantivy refuses a range without any lower or with an empty one; times begin long after.
        found.append(
            Query.range_query(
                schema, AT, FieldType.Integer, since, until, include_upper=until is None
            )
        )
    if only.source_prefix:
        *whole, last = _blocks(only.source_prefix)
        found += [Query.term_query(schema, SOURCE, block, "basic") for block in whole]
        found.append(Query.regex_query(schema, SOURCE, _escaped(last) + "(.|\n)*"))
    if only.tags:
        tags = sorted({_value(tag) for tag in only.tags})
        found.append(Query.term_set_query(schema, TAGS, tags))
    return found


def narrowed(query: Query | None, demands: list[Query]) -> Query:
    """Return the query for what answers and meets every demand; these add nothing to a score."""
    scored = [] if query is None else [(Occur.Must, query)]
    silent = [(Occur.Must, Query.const_score_query(demand, 0.0)) for demand in demands]
    return Query.boolean_query([*scored, *silent])


def _numbered(num: int, row: int, group: int) -> Document:
    document = Document()
    document.add_integer(NUM, num)
    document.add_integer(ROW, row)
    document.add_integer(GROUP, group)
    return document


def _blocks(source: str) -> list[str]:
    starts = range(0, max(1, len(source)), _BLOCK)
    return [f"{start // _BLOCK}={source[start : start + _BLOCK]}" for start in starts]


def _value(text: str) -> str:
    """Return a facet's value as a term; a very long one as its fingerprint."""
    if len(text) <= _LONGEST_VALUE:
        return f"={text}"
    return f"~{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def _escaped(text: str) -> str:
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)


FORMAT: Final = 2
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


class State(Record, frozen=True, kw_only=True):
    """What is known of the segments beside themselves; `rows` and `tokens` count removed ones too.

    A group is the type, status, layer and language that documents share. `highest` is the highest
    number that was ever written.
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
    highest: int = -1


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
        self._most = {NUM: state.highest, ROW: state.rows - 1, GROUP: len(state.groups) - 1}
        self._all = state.rows + state.padding_documents
        if self._searcher.num_docs != self._all:
            raise AdapterError(
                f"the text index has {self._searcher.num_docs} documents and should have"
                f" {self._all}; build it again",
                code="corrupt",
            )

    @property
    def documents(self) -> int:
        return self._state.rows - len(self.removed)

    @property
    def tokens(self) -> int:
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

    def entries(self, removed: Container[int]) -> Iterator[IndexEntry]:
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
            demands.append(Query.term_set_query(self._schema, GROUP, sorted(groups)))
        asked = narrowed(query, demands) if demands or query is None else query
        limit = k + _SLACK
        while (found := self._top(asked, k, seen, limit=limit)) is None:
            limit *= 4
        return found

    def types(self, hits: Hits) -> list[str]:
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
        parts = []
        for term, gain in clauses:
            written, own_gain = self._known.get(term) or self._learn(term)
            if written:
                found = Query.term_query(self._schema, WORDS, term, "freq")
                parts.append((Occur.Should, Query.boost_query(found, gain / own_gain)))
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
        if num > self._state.highest:  # as that of every new node is
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
        values = cast("list[int]", self._searcher.fast_field_values(name, addresses))
        if values and not 0 <= min(values) <= max(values) <= self._most[name]:
            raise ValueError(f"a document has a {name} that cannot be")
        return values

    def _kept(self, address: DocAddress) -> IndexEntry:
        num, counts, words, facets = json.loads(self._searcher.doc(address)[KEPT][0])
        return _entry(num, counts, words, Facets.from_dict(facets))


def _those(hits: Hits, kept: list[bool]) -> Hits:
    if all(kept):
        return hits
    scores, nums, addresses = hits
    return Hits(
        list(compress(scores, kept)), list(compress(nums, kept)), list(compress(addresses, kept))
    )


STATE: Final = "state.json"
LOCKS: Final = ".lock"
_HEAP_BYTES: Final = 100_000_000


def write_anew(folder: Path | None, entries: Iterable[IndexEntry], typical: int) -> Segments:
    """Write entries as a whole index."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    index = Index(build_schema(), path=None if folder is None else str(folder))
    return _write(index, folder, State(), entries, typical)


def write_more(
    folder: Path | None, before: Segments, state: State, entries: Iterable[IndexEntry], typical: int
) -> Segments:
    """Write entries beside those that are written, which are in a folder if these shall be."""
    if folder is None or before.folder is None:
        return _write(before.index, None, state, entries, typical)
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(before.folder.iterdir()):
        if path.name != STATE and not path.name.endswith(LOCKS):
            _link(path, folder / path.name)
    return _write(Index.open(str(folder)), folder, state, entries, typical)


def open_folder(folder: Path) -> Segments:
    """Open what was written."""
    try:
        state = State.from_dict(json.loads((folder / STATE).read_bytes()))
    except (FileNotFoundError, UsageError, ValueError) as error:
        raise AdapterError(f"{folder} is no saved text index: {error}", code="corrupt") from error
    if (state.format, state.tokeniser) != (FORMAT, VERSION):
        raise AdapterError(f"{folder} is of another format; build it again", code="corrupt")
    return Segments(Index.open(str(folder)), folder, state)


def _write(
    index: Index, folder: Path | None, state: State, entries: Iterable[IndexEntry], typical: int
) -> Segments:
    """Add entries and padding; on error what tantivy has committed before is all that is there."""
    index.config_reader("manual")
    groups = {group: number for number, group in enumerate(state.groups)}
    rows, tokens, highest = state.rows, state.tokens, state.highest
    writer = index.writer(_HEAP_BYTES, 1)
    try:
        for entry in entries:
            facets = entry.facets
            key = (facets.type, facets.status, facets.layer, facets.language)
            writer.add_document(to_document(entry, rows, groups.setdefault(key, len(groups))))
            rows += 1
            tokens += entry.length
            highest = max(highest, entry.num)
        state = replace(
            state,
            rows=rows,
            tokens=tokens,
            groups=tuple(groups),
            typical_length=typical,
            highest=highest,
        )
        state = _pad(writer, state)
        writer.commit()
        writer.wait_merging_threads()
    finally:
        # An exception's traceback would keep the writer alive, and with it the lock on the index.
        del writer
    if folder is not None:
        _write_state(folder / STATE, state)
    return Segments(index, folder, state)


def _pad(writer: IndexWriter, state: State) -> State:
    """Add documents without words, and words without meaning, until the average is the typical.

    tantivy divides all tokens by all documents; with whole numbers both ways that comes out exact.
    """
    documents = state.rows + state.padding_documents
    tokens = state.tokens + state.padding_tokens
    more = max(0, -(-tokens // state.typical_length) - documents)
    missing = (documents + more) * state.typical_length - tokens
    if missing and not more:
        more, missing = 1, missing + state.typical_length
    for number in range(more):
        writer.add_document(padding(0 if number else missing))
    return replace(
        state,
        padding_documents=state.padding_documents + more,
        padding_tokens=state.padding_tokens + (missing if more else 0),
    )


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_state(path: Path, state: State) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(canonical_json(state.to_dict()))
        file.flush()
        os.fsync(file.fileno())
