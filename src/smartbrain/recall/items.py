"""What recall and packets show of memories: items, quotes, what fits a budget (R3, R5, R16).

In: memories in order, the originals they rest on, the words of a message. Out: items with quotes
whose bytes were read again, and the path that leads to them; of an episode the sentence that holds
most of what the message speaks of and what is shown does not. Items and quotes that do not fit a
budget of tokens leave a reason; quotes give way before items.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
from smartbrain.recall.ages import SPEAKS
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.guard import reason_about
from smartbrain.recall.views.words import bytes_of
from smartbrain.text.controls import without_controls
from smartbrain.text.sentences import inside_cluster, sentence_spans
from smartbrain.text.tokens import estimate_tokens

LONGEST: Final = 240
"""The most characters of a quote."""
Run = tuple[int, int]
"""Where a run of characters begins and ends."""

_EPISODES: Final = "episodes"
_MAX_EPISODES: Final = 20  # whose originals are read: as many as a packet shows
_MAX_BYTES: Final = 200_000  # of all originals, but for those found by their own words
_MAX_FILES: Final = 3  # originals that are not in the storage itself but in files
_BEFORE_WORD: Final = 80  # characters that are shown before a word, of a sentence that is too long
_AROUND: Final = LONGEST + 20  # characters around a word in which its sentence is looked for
_MAX_PLACES: Final = 16  # words whose sentences are compared
_READ_ORIGINAL: Final = 4_000  # characters of one in which a sentence is looked for by a time
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
            if left := left_out(text[:_READ_ORIGINAL], shown):
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
    begin = max(start, min(place[0] - _BEFORE_WORD, end - LONGEST))
    begin = max(begin, min(place[0], place[1] - LONGEST))
    stop = min(end, begin + LONGEST)
    if begin > start:
        begin = next(_bounds(text, range(begin, place[0])), begin)
    if stop < end:
        stop = next(_bounds(text, range(stop, max(place[1], stop - _BEFORE_WORD), -1)), stop)
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


SaidBy = Mapping[str, Mapping[int, str]]
"""Who said what in turns: by turn, and by the number of the original."""
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
