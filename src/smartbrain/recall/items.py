"""What recall shows of memories, and what of it fits a budget of tokens (R3, R16).

In: memories in order. Out: items with quotes whose bytes were read again, and the path that leads
to them; what says the same again further down; those that fit, with a reason for each that does
not. All words of an item are counted, and its quotes give way before it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Span
from smartbrain.domain.packet import Quote
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import PathStep, RecallItem
from smartbrain.domain.recalled import Ranked, RawRef, RecalledRow
from smartbrain.domain.turn import RawChunk
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.guard import reason_about
from smartbrain.recall.views.documents import bytes_of
from smartbrain.text.controls import without_controls
from smartbrain.text.tokens import estimate_tokens

SaidBy = Mapping[str, Mapping[int, str]]
"""Who said what in turns: by turn, and by the number of the original."""
_EPISODES: Final = "episodes"
_RAW: Final = "raw"
_QUOTES: Final = 3
_OF_ROW: Final = (
    *("id", "type", "key", "title", "text", "value", "confidence", "status", "version"),
    *("compression", "source_turn_id", "session_id", "created_at"),
)
_LONGEST: Final = 600
_PART: Final = 3  # letters from which on a word is looked for in longer ones too
_BEFORE: Final = 200


class Cited(NamedTuple):
    """What is known of originals: those that were found by their own words, and what is asked."""

    passages: Mapping[int, int]
    words: Sequence[str] = ()


def make_items(
    ranked: Sequence[Ranked],
    *,
    rows: Transaction,
    blobs: Blobs,
    types: TypeRegistry,
    cited: Cited | None,
) -> list[RecallItem]:
    """Return memories as items, with quotes if they are to be `cited`."""
    if cited is None:
        reader = Reader({}, blobs)
        return [_make_item(one, (), reader, types) for one in ranked]
    shown = []
    for one in ranked:  # first the original that was found by its own words
        found = cited.passages.get(one.row.num)
        shown.append(sorted(one.row.raw_refs, key=lambda ref: ref.num != found)[:_QUOTES])
    wanted = {ref.num for some in shown for ref in some}
    chunks = {one.num: one.chunk for one in rows.followed.passages(sorted(wanted))}
    said_by = speakers_of(zip([one.row for one in ranked], shown, strict=True), rows)
    reader = Reader(chunks, blobs, cited.words, said_by)
    return [_make_item(one, refs, reader, types) for one, refs in zip(ranked, shown, strict=True)]


def speakers_of(
    quoted: Iterable[tuple[RecalledRow, Sequence[RawRef]]], rows: Transaction
) -> SaidBy:
    """Return who said the originals that are quoted of episodes, where there is more than one."""
    turns = [
        row.source_turn_id
        for row, refs in quoted
        if row.type == _EPISODES and row.source_turn_id and (len(refs) > 1 or len(row.speakers) > 1)
    ]
    return rows.recalled.said_by(turns)


def _make_item(
    ranked: Ranked, refs: Sequence[RawRef], reader: Reader, types: TypeRegistry
) -> RecallItem:
    row = ranked.row
    read = [(ref, reader.quote(ref, row)) for ref in refs]
    quotes = [(ref, quote) for ref, quote in read if quote is not None]
    first = next((ref for ref, _ in quotes or read), None)
    return RecallItem(
        **{name: getattr(row, name) for name in _OF_ROW},
        score=round(ranked.score, 6),
        signals=ranked.signals,
        found_by=ranked.found_by,
        path=_path(row, first, reader.chunks, types),
        quotes=tuple(quote for _, quote in quotes),
        speaker=row.speakers[0] if row.speakers else None,
        at=row.said_at,
    )


def _path(
    row: RecalledRow, first: RawRef | None, chunks: Mapping[int, RawChunk], types: TypeRegistry
) -> tuple[PathStep, ...]:
    """Return the way from a memory to the words that are quoted first, over their episode."""
    steps = []
    if row.type != _EPISODES and row.source_turn_id and row.session_id:
        key = types.get(_EPISODES).make_key(session=row.session_id, turn=row.source_turn_id)
        episode = memory_id(row.source_turn_id, _EPISODES, key, 1)
        steps.append(PathStep(relation=EdgeType.DERIVED_FROM, id=episode, type=_EPISODES))
    chunk = chunks.get(first.num) if first else None
    if chunk is not None:
        steps.append(PathStep(relation=EdgeType.DERIVED_FROM, id=chunk.id, type=_RAW))
    return tuple(steps)


class Reader:
    """Reads runs of bytes out of raw chunks, each file once."""

    def __init__(
        self,
        chunks: Mapping[int, RawChunk],
        blobs: Blobs,
        words: Sequence[str] = (),
        said_by: SaidBy | None = None,
    ) -> None:
        self.chunks = chunks
        self._blobs = blobs
        self._words = words
        self._said_by = said_by or {}
        self._bodies: dict[int, bytes | None] = {}

    def text(self, ref: RawRef) -> str | None:
        """Return original words, checked: a run that is not in its chunk is none."""
        if ref.num not in self._bodies:
            chunk = self.chunks.get(ref.num)
            self._bodies[ref.num] = None if chunk is None else bytes_of(chunk, self._blobs)
        body = self._bodies[ref.num]
        if body is None or ref.offset + ref.length > len(body):
            return None
        try:
            return body[ref.offset : ref.offset + ref.length].decode()
        except UnicodeDecodeError:  # it begins or ends within a character
            return None

    def quote(self, ref: RawRef, row: RecalledRow) -> Quote | None:
        """Return original words as a quote; of a long run the part around what was asked."""
        text = self.text(ref)
        if text is None:
            return None
        start = 0
        for word in self._words if len(text) > _LONGEST else ():
            end = r"\b" if word.isascii() and len(word) < _PART else ""  # CI is in no decision
            if found := re.search(f"{end}{re.escape(word)}{end}", text, re.IGNORECASE):
                start = max(0, min(found.start() - _BEFORE, len(text) - _LONGEST))
                break
        return self.part(ref, row, text, (start, min(len(text), start + _LONGEST)))

    def part(self, ref: RawRef, row: RecalledRow, text: str, run: tuple[int, int]) -> Quote:
        """Return a run of characters of an original text as a quote that leads to its bytes."""
        start, end = run
        said = text[start:end]
        return Quote(
            text=said,
            source_turn_id=row.source_turn_id,
            speaker=self._speaker(ref, row),
            at=row.said_at,
            span=Span(
                self.chunks[ref.num].id,
                ref.offset + len(text[:start].encode()),
                len(said.encode()),
            ),
        )

    def _speaker(self, ref: RawRef, row: RecalledRow) -> str | None:
        said_by = self._said_by.get(row.source_turn_id or "")
        if row.type == _EPISODES and said_by is not None:
            speaker = said_by.get(ref.num)
            return speaker and without_controls(speaker)
        return row.speakers[0] if len(row.speakers) == 1 else None


_READ: Final = 2_000
_TOKEN: Final = 8  # characters of a token, at most, in any prose
_FRAME: Final = 12  # tokens around an item: its type, date and speaker
_AGAIN: Final = 1 / 3  # as far moves what another turn said again


def vary(ranked: Sequence[Ranked], relevance: float) -> list[Ranked]:
    """Return memories in order, one that has the words of a better one further down.

    How far down is `relevance`'s to say: at 1 nothing moves. What was said again in another turn
    moves a third as far: it tells one thing more, that it was said again.
    """
    turns_with: dict[frozenset[str], set[str | None]] = {}
    order = []
    for one in ranked:
        words = frozenset(one.row.text[:_READ].casefold().split())
        turns = turns_with.setdefault(words, set())
        share = 0.0 if not turns else 1.0 if one.row.source_turn_id in turns else _AGAIN
        turns.add(one.row.source_turn_id)
        order.append((one.score * (1 - (1 - relevance) * share), one))
    return [one for _, one in sorted(order, key=lambda scored: -scored[0])]


def tokens_of(item: RecallItem) -> int:
    """Return what an item costs when it is shown without its quotes."""
    return estimate_tokens(item.text) + _FRAME


def pack(
    items: Sequence[RecallItem], budget: int | None
) -> tuple[list[RecallItem], int, list[Reason]]:
    """Return the items that fit a budget, what they cost, and why others are left out.

    Items are chosen by what they say themselves; their quotes have what is left, first those that
    say more than the item. Without a budget quotes are not counted.
    """
    costs = list(map(tokens_of, items))
    if budget is None:
        return list(items), sum(costs), []
    chosen = _choose([max(0.0, one.score) for one in items], costs, budget)
    fitting = [one for place, one in enumerate(items) if place in chosen]
    used = sum(costs[place] for place in chosen)
    kept, quoted = _fit_quotes(fitting, budget - used)
    omitted = [
        reason_about(
            one, "over_budget", f"it takes {cost} of {budget} tokens; others bring more in them"
        )
        for place, (one, cost) in enumerate(zip(items, costs, strict=True))
        if place not in chosen
    ]
    for before, one in zip(fitting, kept, strict=True):
        if left := len(before.quotes) - len(one.quotes):
            sentence = f"{left} of {len(before.quotes)} quotes have no room in {budget} tokens"
            omitted.append(reason_about(one, "quotes_over_budget", sentence))
    return kept, used + quoted, omitted


def _choose(scores: Sequence[float], costs: Sequence[int], budget: int) -> set[int]:
    """Return the places of the items that bring most within a budget.

    They are taken in their order, and what has no room is passed over. A long one may so keep out
    shorter ones that bring more together: where a smaller budget does better, what fits that one is
    taken.
    """
    places = range(len(scores))
    if sum(costs) <= budget:
        return set(places)
    densest = sorted(places, key=lambda one: -scores[one] / costs[one])
    best: list[int] = []
    most, size = -1.0, budget
    while size > 0:
        bound, left = 0.0, size  # no choice brings more than the densest, and a part of the next
        for place in densest:
            share = min(1.0, left / costs[place])
            bound, left = bound + scores[place] * share, left - costs[place]
            if left <= 0:
                break
        if bound <= most:
            break
        taken, left = [], size
        for place in places:
            if costs[place] <= left:
                left -= costs[place]
                taken.append(place)
        total = fsum([scores[one] for one in taken])
        if total > most:
            best, most = taken, total
        size -= left + 1  # down to there it would be the same ones
    return set(best)


def _fit_quotes(items: Sequence[RecallItem], room: int) -> tuple[list[RecallItem], int]:
    quotes = [(place, n) for place, one in enumerate(items) for n in range(len(one.quotes))]

    def text_of(at: tuple[int, int]) -> str:
        return items[at[0]].quotes[at[1]].text

    shown: set[tuple[int, int]] = set()
    used = 0
    for at in sorted(quotes, key=lambda at: text_of(at).strip() in items[at[0]].text):
        if len(text_of(at)) > (room - used) * _TOKEN:
            continue  # to count it takes longer than all else here
        cost = estimate_tokens(text_of(at))
        if used + cost <= room:
            used += cost
            shown.add(at)
    kept = [
        replace(one, quotes=tuple(q for n, q in enumerate(one.quotes) if (place, n) in shown))
        for place, one in enumerate(items)
    ]
    return kept, used
