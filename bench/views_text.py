"""The text index: against tantivy called directly, against SQLite's FTS5, and on public data.

In: how large a run is. Out: results. The corpus for speed is made up, its words as unevenly used as
those of a language, and queries hold very common ones; quality is measured on the data sets that
SMARTBRAIN_DATA names, and left out with a word where they are absent.
"""

from __future__ import annotations

import gzip
import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate, cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import apsw
from tantivy import Index, Occur, Query

from bench.measure import Action, ratio, resident, timed
from bench.report import Result, Setting
from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.search import Facets, IndexFilter, Nearby, TextDocument
from smartbrain.text.query import text_query
from smartbrain.text.tokenise import index_terms

DIRECT_LIMIT = 1.5
FTS5_LIMIT = 20.0
FTS5_FROM = 1_000_000
SCIFACT_LIMIT = 0.68
CMRC_LIMIT = 0.995
TOP = 200
UNSAVED = 1_000
COMMON = 100
_VOCABULARY = 100_000
_BATCH = 20_000
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def run(setting: Setting) -> Iterator[Result]:
    """Measure speed at each size, then quality on each data set."""
    sizes = (10_000, 100_000, *((1_000_000,) if setting.full else ()))
    for size in sizes:
        yield from speed(setting.folder / f"text{size}", size, setting.pick(300, 1_000))
    yield from quality(setting.folder / "text_quality")


def speed(folder: Path, size: int, rounds: int) -> list[Result]:
    """Build one index of `size` documents and measure searches on it."""
    before, start = resident(), perf_counter()
    index = build(folder / "index", size)
    built = perf_counter() - start
    memory = max(0, resident() - before)
    asked = queries(200)
    stats = index.stats()
    results = [
        _against_tantivy(folder / "index" / "last", size, asked, index, rounds),
        _against_fts5(folder / "fts5.db", size, asked, index),
        Result(
            name=f"text index, {size:,} documents",
            measured=f"built in {built:,.0f} s, {stats.bytes / 2**20:,.0f} MB of files",
            against=f"{size / built:,.0f} documents a second, {memory / 2**20:,.0f} MB in memory",
        ),
    ]
    return results + _in_other_states(size, asked, index, rounds)


def build(folder: Path, size: int) -> TantivyTextIndex:
    """Build an index in several saves, the last of them named `last`."""
    index = TantivyTextIndex()
    waiting = documents(size)
    written = 0
    while batch := list(islice(waiting, _BATCH)):
        index.upsert(batch)
        written += len(batch)
        index.save(folder / ("last" if written == size else f"part{written}"))
    return index


def documents(count: int, seed: int = 1) -> Iterator[TextDocument]:
    """Yield made-up documents of 3 to some 300 words, one in twenty of them not active."""
    random = Random(seed)
    words = vocabulary()
    shares = list(accumulate(1 / (rank + 2.7) ** 1.07 for rank in range(len(words))))
    for num in range(count):
        length = max(3, min(300, int(random.lognormvariate(3.4, 0.8))))
        text = " ".join(random.choices(words, cum_weights=shares, k=length))
        yield TextDocument(
            num=num,
            text=text,
            facets=Facets(type="episodes", status="superseded" if num % 20 == 0 else "active"),
        )


def queries(count: int, seed: int = 2) -> list[str]:
    """Return queries of 3 to 12 words, two in five of them among the most common ones."""
    random = Random(seed)
    words = vocabulary()
    shares = list(accumulate(1 / (rank + 2.7) ** 1.07 for rank in range(len(words))))
    found = []
    for _ in range(count):
        length = random.randint(3, 12)
        common = max(1, length * 2 // 5)
        rest = random.choices(words, cum_weights=shares, k=length - common)
        found.append(" ".join(random.sample(words[:COMMON], common) + rest))
    return found


def vocabulary() -> list[str]:
    """Return made-up words that can be spoken, the most common first."""
    words = []
    for number in range(_VOCABULARY):
        word, rest = "", number + 5_000
        while rest:
            rest, syllable = divmod(rest, len(_SYLLABLES))
            word += _SYLLABLES[syllable]
        words.append(word)
    return words


def _each(asked: Sequence[str], search: Callable[[str], object]) -> Action:
    """Return an action that asks the next query at each call."""
    waiting = cycle(asked)
    return lambda: search(next(waiting))


def _against_tantivy(
    folder: Path, size: int, asked: Sequence[str], index: TantivyTextIndex, rounds: int
) -> Result:
    """Measure queries beside the same terms given to tantivy itself, on the same files."""
    times = timed(
        {"ours": _ours(asked, index), "direct": _direct(folder, asked)}, rounds=rounds, warmup=50
    )
    found = ratio(times["ours"], times["direct"])
    return Result(
        name=f"text search, {size:,} documents, top {TOP}",
        measured=str(times["ours"]),
        against=f"tantivy itself {times['direct']}",
        ratio=str(found),
        limit=f"≤ {DIRECT_LIMIT}",
        passed=found.value <= DIRECT_LIMIT,
        numbers={
            "ours_p50": times["ours"].p50,
            "ours_p99": times["ours"].p99,
            "direct_p50": times["direct"].p50,
            "ratio": found.value,
        },
    )


def _in_other_states(
    size: int, asked: Sequence[str], index: TantivyTextIndex, rounds: int
) -> list[Result]:
    """Measure queries with a filter, and with documents that are not saved yet."""
    active = IndexFilter(statuses=("active",))
    times = timed(
        {"all": _ours(asked, index), "active": _ours(asked, index, active)}, rounds=rounds
    )
    index.upsert([one._replace(num=size + one.num) for one in documents(UNSAVED, seed=3)])
    times |= timed({"unsaved": _ours(asked, index)}, rounds=rounds)
    return [
        Result(
            name=f"text search, {size:,} documents, {what}",
            measured=str(times[name]),
            against=f"plain {times['all']}",
            ratio=f"{times[name].p50 / times['all'].p50:.2f}",
        )
        for name, what in (("active", "active only"), ("unsaved", f"{UNSAVED:,} more unsaved"))
    ]


def _ours(asked: Sequence[str], index: TantivyTextIndex, only: IndexFilter | None = None) -> Action:
    return _each(asked, lambda text: index.search(text_query(text), k=TOP, only=only))


def _direct(folder: Path, asked: Sequence[str]) -> Action:
    """Return a search through tantivy alone on the same files: the same terms, the same top."""
    index = Index.open(str(folder))
    index.config_reader("manual")
    searcher, schema = index.searcher(), index.schema

    def search(text: str) -> list[Any]:
        query = Query.boolean_query(
            [
                (Occur.Should, Query.term_query(schema, "words", term, "freq"))
                for term in dict.fromkeys(index_terms(text))
            ]
        )
        hits = searcher.search(query, TOP, count=False).hits
        nums = searcher.fast_field_values("num", [address for _, address in hits])
        return [(num, score) for num, (score, _) in zip(nums, hits, strict=True)]

    return _each(asked, search)


def _against_fts5(path: Path, size: int, asked: Sequence[str], index: TantivyTextIndex) -> Result:
    """Measure the same queries on SQLite's full-text search over the same terms."""
    with closing(apsw.Connection(str(path))) as database:
        database.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY")
        database.execute("CREATE VIRTUAL TABLE texts USING fts5(words, content='', detail=column)")
        with database:
            database.executemany(
                "INSERT INTO texts (rowid, words) VALUES (?, ?)",
                ((one.num, " ".join(index_terms(one.text))) for one in documents(size)),
            )

        def search(text: str) -> list[Any]:
            wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(index_terms(text)))
            sql = "SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
            return list(database.execute(sql, (wanted, TOP)))

        times = timed(
            {
                "fts5": _each(asked, search),
                "ours": _ours(asked, index),
            },
            rounds=30,
            warmup=2,
        )
    found = ratio(times["fts5"], times["ours"])
    held = size >= FTS5_FROM
    return Result(
        name=f"text search, {size:,} documents, beside FTS5",
        measured=str(times["ours"]),
        against=f"FTS5 {times['fts5']}",
        ratio=str(found),
        limit=f"≥ {FTS5_LIMIT:.0f}" if held else "",
        passed=found.value >= FTS5_LIMIT if held else None,
        numbers={"fts5_p50": times["fts5"].p50, "ours_p50": times["ours"].p50},
    )


def quality(folder: Path) -> list[Result]:
    """Measure how often the right document is found, on the data sets that are there."""
    data = Path(os.environ.get("SMARTBRAIN_DATA", "../shared/data"))
    if not data.is_dir():
        return [Result(name="text quality", measured="left out", against=f"{data} is not there")]
    scifact = _scores(data / "scifact_beir_test", folder / "scifact", ndcg)
    cmrc = _scores(data / "cmrc2018_dev_zh", folder / "cmrc", _any_at(5))
    results = [
        _quality("SciFact nDCG@10", scifact, SCIFACT_LIMIT),
        _quality("CMRC (Chinese) any@5", cmrc, CMRC_LIMIT),
    ]
    for name, title in (("locomo", "LoCoMo"), ("longmemeval_turns", "LongMemEval")):
        found = _scores(data / name, folder / name, _any_at(10))
        results.append(_quality(f"{title} any@10, turns with their neighbours", found, None))
    return results


def ndcg(found: Sequence[str], right: set[str]) -> float:
    """Return the normalised discounted gain of the first ten."""
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(found[:10]) if one in right)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(10, len(right))))


def _any_at(count: int) -> Callable[[Sequence[str], set[str]], float]:
    return lambda found, right: float(not right.isdisjoint(found[:count]))


def _quality(name: str, found: float, limit: float | None) -> Result:
    return Result(
        name=name,
        measured=f"{found:.4f}",
        against="BM25 over the data set",
        limit="" if limit is None else f"≥ {limit}",
        passed=None if limit is None else found >= limit,
        numbers={"score": found},
    )


def _scores(data: Path, folder: Path, score: Callable[[Sequence[str], set[str]], float]) -> float:
    """Return the mean score of a data set's queries; a query sees its own scope alone."""
    scopes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(data / "corpus.jsonl.gz"):
        scopes[row.get("scope", "")].append(row)
    right: dict[str, set[str]] = defaultdict(set)
    for row in _rows(data / "qrels.jsonl.gz"):
        right[row["query_id"]].add(row["doc_id"])
    indexes = {}
    for number, (scope, rows) in enumerate(scopes.items()):
        indexes[scope] = TantivyTextIndex()
        indexes[scope].upsert([_turn(rows, place) for place in range(len(rows))])
        indexes[scope].save(folder / str(number))
    scores = []
    for row in _rows(data / "queries.jsonl.gz"):
        scope = row.get("scope", "")
        if row["id"] in right:
            hits = indexes[scope].search(text_query(row["text"]), k=10)
            found = [scopes[scope][hit.num]["id"] for hit in hits]
            scores.append(score(found, right[row["id"]]))
    return sum(scores) / len(scores)


def _turn(rows: Sequence[dict[str, Any]], place: int) -> TextDocument:
    """Return a row as a document, with its neighbours where it belongs to a conversation."""
    row = rows[place]
    nearby = [
        Nearby(rows[other]["text"], distance)
        for distance in (1, 2)
        for other in (place - distance, place + distance)
        if "session" in row and 0 <= other < len(rows) and rows[other]["session"] == row["session"]
    ]
    return TextDocument(num=place, text=row["text"], nearby=tuple(nearby), date=row.get("ts", ""))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
