"""The fields of the tantivy index, and how entries and conditions are put into them.

In: entries and filters. Out: tantivy documents and queries. Each field is given the one type it
takes, as a wrong one would fail a whole commit. Scores come from `words` and phrases; conditions
score nothing.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from tantivy import Document, FieldType, Occur, Query, Schema, SchemaBuilder

from smartbrain.adapters.tantivy.parts import Entry, to_bytes
from smartbrain.domain.search import IndexFilter
from smartbrain.domain.time import to_micros
from smartbrain.ports.text_index import LONGEST_SOURCE

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


def to_document(entry: Entry, row: int, group: int) -> Document:
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
    document.add_bytes(KEPT, to_bytes(entry))
    return document


def padding(tokens: int) -> Document:
    """Return a document that nobody finds and that is so many tokens long."""
    document = _numbered(_NOBODY, _NOBODY, _NOBODY)
    if tokens:
        document.add_text(WORDS, f"{_PADDING} " * tokens)
    return document


def term_query(schema: Schema, term: str, boost: float) -> Query:
    """Return the query for a counted term."""
    return Query.boost_query(Query.term_query(schema, WORDS, term, "freq"), boost)


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


def group_query(schema: Schema, groups: frozenset[int]) -> Query:
    """Return the query for documents of some groups."""
    return Query.term_set_query(schema, GROUP, sorted(groups))


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
    """Return a source in blocks that say where they stand; an empty one is one empty block."""
    starts = range(0, max(1, len(source)), _BLOCK)
    return [f"{start // _BLOCK}={source[start : start + _BLOCK]}" for start in starts]


def _value(text: str) -> str:
    """Return a facet's value as a term; a very long one as its fingerprint."""
    if len(text) <= _LONGEST_VALUE:
        return f"={text}"
    return f"~{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def _escaped(text: str) -> str:
    """Return a pattern that matches a text and nothing else."""
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)
