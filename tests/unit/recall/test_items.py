"""What recall shows of a memory: quotes that are the original's bytes, and the way to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from recalled_rows import ranked

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.ids import memory_id
from smartbrain.domain.recall import RecallItem
from smartbrain.domain.recalled import Ranked, RawRef
from smartbrain.domain.turn import RawChunk
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.ports.truth import Transaction
from smartbrain.recall.items import Cited, make_items
from smartbrain.testing import builders
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.clock import FakeClock

LONG = "".join(f"第 {n} 行 line {n}；" for n in range(400))


@contextmanager
def stored(chunks: Sequence[RawChunk]) -> Iterator[tuple[Transaction, list[int]]]:
    """Hold chunks; give a reading transaction and their numbers."""
    truth = SqliteTruth(None, tenant="t", clock=FakeClock())
    try:
        with truth.write() as rows:
            rows.raw.hold(chunks)
        with truth.read() as rows:
            numbers = rows.followed.numbers([one.id for one in chunks])
            yield rows, [numbers[one.id] for one in chunks]
    finally:
        truth.close()


def shown(
    one: Ranked,
    rows: Transaction,
    *,
    cite: bool = True,
    passages: dict[int, int] | None = None,
    words: Sequence[str] = (),
) -> RecallItem:
    """Make an item."""
    (item,) = make_items(
        [one],
        rows=rows,
        blobs=MemoryBlobs(),
        types=BUILTIN_TYPES,
        cited=Cited(passages or {}, words) if cite else None,
    )
    return item


@pytest.mark.spec("R5")
@pytest.mark.parametrize("said", ["我住在杭州。", "I live in Hangzhou 🏞️."])
def test_a_quote_is_the_bytes_of_its_span(said: str) -> None:
    """Also where it is a part of its chunk, counted in bytes."""
    chunk = builders.raw_chunk(f"前言 before {said} 后记 after")
    offset = len("前言 before ".encode())
    with stored([chunk]) as (rows, (num,)):
        ref = RawRef(num, offset, len(said.encode()))
        item = shown(ranked(raw_refs=(ref,)), rows)
    (quote,) = item.quotes
    assert said == quote.text
    assert quote.span is not None
    assert (chunk.id, offset, len(said.encode())) == (
        quote.span.raw_id,
        quote.span.offset,
        quote.span.length,
    )


@pytest.mark.spec("R5")
@pytest.mark.parametrize("word", ["第 300 行", "LINE 300"])
def test_a_long_quote_is_cut_around_what_was_asked(word: str) -> None:
    """Its span is cut with it, so that the bytes still are the original's."""
    chunk = builders.raw_chunk(LONG)
    with stored([chunk]) as (rows, (num,)):
        one = ranked(raw_refs=(RawRef(num, 0, chunk.length),))
        found = shown(one, rows, words=["没有 none", word]).quotes[0]
        plain = shown(one, rows).quotes[0]
        last = shown(one, rows, words=["第 399 行"]).quotes[0]
    assert word.casefold() in found.text.casefold()
    assert LONG.startswith(plain.text)
    assert LONG.endswith(last.text)
    for quote in (found, plain, last):
        assert 600 == len(quote.text)
        assert quote.span is not None
        cut = LONG.encode()[quote.span.offset : quote.span.offset + quote.span.length]
        assert quote.text.encode() == cut


@pytest.mark.spec("R5")
@pytest.mark.parametrize(
    ("offset", "length"), [(0, 999), (4, 3), (1, 3), (0, 4)], ids=["beyond", "late", "in", "out"]
)
def test_a_span_that_is_not_in_its_chunk_is_no_quote(offset: int, length: int) -> None:
    """Beyond its end, or beginning or ending within a character: the memory comes without it."""
    with stored([builders.raw_chunk("杭州")]) as (rows, (num,)):
        item = shown(ranked(raw_refs=(RawRef(num, offset, length),)), rows)
    assert () == item.quotes


@pytest.mark.spec("R5", "E4")
def test_what_is_lost_or_no_text_is_not_quoted() -> None:
    """A file that is gone, an image, a number that nobody has."""
    lost = builders.raw_chunk("in a file", path="raw/2026/gone")
    image = builders.raw_chunk("not a text", mime="image/png")
    with stored([lost, image]) as (rows, nums):
        refs = (*(RawRef(num, 0, 3) for num in nums), RawRef(10_000, 0, 3))
        item = shown(ranked(raw_refs=refs), rows)
    assert () == item.quotes


@pytest.mark.spec("R5")
def test_the_passage_that_was_found_is_quoted_first() -> None:
    """At most three are quoted, and the one that holds the words is among them."""
    chunks = [builders.raw_chunk(f"第 {n} 段 part {n}") for n in range(5)]
    with stored(chunks) as (rows, nums):
        refs = tuple(RawRef(num, 0, chunk.length) for num, chunk in zip(nums, chunks, strict=True))
        one = ranked(raw_refs=refs, num=77)
        first = shown(one, rows, passages={77: nums[4]})
        plain = shown(one, rows)
    assert ["第 4 段 part 4", "第 0 段 part 0", "第 1 段 part 1"] == [q.text for q in first.quotes]
    assert ["第 0 段 part 0", "第 1 段 part 1", "第 2 段 part 2"] == [q.text for q in plain.quotes]


@pytest.mark.spec("R3")
def test_the_path_leads_over_the_episode_to_the_original() -> None:
    """A memory put by hand has none; an episode goes straight to its words."""
    chunk = builders.raw_chunk("原话")
    with stored([chunk]) as (rows, (num,)):
        refs = (RawRef(num, 0, chunk.length),)
        fact = shown(ranked("f", raw_refs=refs), rows)
        told = shown(ranked("e", "episodes", raw_refs=refs), rows)
        by_hand = shown(ranked("h", source_turn_id=None, session_id=None), rows)
        bare = shown(ranked("f", raw_refs=refs), rows, cite=False)
    episode = memory_id("turn-f", "episodes", "episode:s:turn-f", 1)
    assert [(episode, "episodes"), (chunk.id, "raw")] == [(one.id, one.type) for one in fact.path]
    assert {"DERIVED_FROM"} == {one.relation for one in fact.path}
    assert [chunk.id] == [one.id for one in told.path]
    assert () == by_hand.path
    assert ((), episode) == (bare.quotes, bare.path[0].id)


@pytest.mark.spec("R3")
def test_an_item_has_all_that_its_memory_has() -> None:
    """Nothing is lost on the way from the row."""
    one = ranked("x", score=0.123456789, found_by=("text", "graph"), speakers=("张三", "李四"))
    with stored([]) as (rows, _):
        item = shown(one, rows)
    row = one.row
    assert (row.id, row.type, row.key, row.text) == (item.id, item.type, item.key, item.text)
    assert (0.123457, ("text", "graph"), "张三") == (item.score, item.found_by, item.speaker)
    assert (row.said_at, row.created_at, row.status) == (item.at, item.created_at, item.status)
    assert item == RecallItem.from_dict(item.to_dict())
