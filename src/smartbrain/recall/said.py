"""Where something was said: the memories, and the turns, whose words hold other words (S1).

In: words, and a way to search for them. Out: memories that say them in their value, and those that
tell them in their text or in the originals they rest on. Every word has to be there, or mean the
same: a search that finds something alike is only where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_type import Group
from smartbrain.domain.result import CommitExplain
from smartbrain.errors import AdapterError
from smartbrain.recall.meant import TELLING, Alike, closest, is_close, means
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.memory import Span
    from smartbrain.domain.turn import RawChunk, Role
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

SearchWords = Callable[[str], tuple[Sequence[str], bool]]
"""Returns the ids of the memories and raw chunks that may hold some words, best first, and whether
everything could be searched for them."""
_LOOKED_AT: Final = 200
_TOLD: Final = 10  # episodes that are looked at of words that were said again and again
_LOST: Final = frozenset({"blob_missing", "blob_corrupt"})


@dataclass(frozen=True, slots=True)
class Holders:
    """The memories that hold some words: `stating` in their value, `telling` in their text.

    Where no value holds them all, `stating` are those that mean the same. `raw` are originals that
    may hold them, whether or not a memory rests on them. `searched` says that they were looked for
    everywhere, so that nobody else holds them; `closest` is who holds the most of them, if nobody
    holds them all.
    """

    stating: tuple[Memory, ...] = ()
    telling: tuple[Memory, ...] = ()
    raw: tuple[str, ...] = ()
    searched: bool = False
    closest: Alike | None = None


def find_holders(
    words: str,
    known: Sequence[str],
    search: SearchWords | None,
    *,
    transaction: Transaction,
    types: TypeRegistry,
    blobs: Blobs,
) -> Holders:
    """Return who holds some words among what a search for them and an answer brought.

    Args:
        words: the words, all of which have to be there.
        known: ids of memories to look at beside what is found.
        search: finds where the words may be.
        transaction: the truth.
        types: how values read.
        blobs: where larger originals are.
    """
    ids, searched = search(words) if search else ((), False)
    found = ids[:_LOOKED_AT]
    raw = tuple(one for one in found if one.startswith("raw_"))
    episodes = _episodes_of(raw, transaction)
    wanted = [one for one in (*found, *episodes, *known) if one.startswith("mem_")]
    memories = _by_id(wanted, transaction)
    originals = _originals(memories, transaction, blobs)
    telling = [
        one
        for one in memories
        if holds(words, f"{one.title} {one.text}") or holds(words, originals.get(one.id, ""))
    ]
    memories += _made_of(telling, {one.id for one in memories}, transaction)
    stating = [one for one in memories if _states(words, one, types)]
    alike: list[Alike] = []
    if not stating:
        alike = closest(words, [(one, _told(one, originals)) for one in memories])
        near = [one.memory for one in alike[:_TOLD]]
        memories += _made_of(near, {one.id for one in memories}, transaction)
        stating = [one for one in memories if _means(words, one, types)]
    stated = {one.id for one in stating}
    told = tuple(one for one in telling if one.id not in stated)
    near_by = None if stating or told else next(filter(is_close, alike), None)
    return Holders(tuple(stating), told, raw, searched, near_by)


def decisions_of(turn_id: str, transaction: Transaction) -> tuple[CommitExplain, ...]:
    """Return what was decided about a turn or an operation, step by step."""
    return tuple(map(CommitExplain.from_dict, transaction.remembering.explanations(turn_id)))


def who_said(
    words: str, teller: Memory, *, transaction: Transaction, blobs: Blobs
) -> frozenset[Role]:
    """Return the roles of those who said some words in the turn that a memory tells."""
    if teller.source_turn_id is None:
        return frozenset()
    messages = transaction.events.turn(teller.source_turn_id).messages
    wanted = {span.raw_id for one in messages for span in one.spans}
    bodies = {one.id: body_of(one, blobs) for one in transaction.raw.get(wanted).values()}
    return frozenset(one.role for one in messages if holds(words, _text(one.spans, bodies)))


def holds(words: str, text: str) -> bool:
    """Tell whether all of some words are in a text; where they are only marks, as they stand."""
    wanted = set(index_terms(words))
    if not wanted:
        return bool(words.strip()) and words.strip().casefold() in text.casefold()
    return wanted <= set(index_terms(text))


def shares(words: str, text: str) -> bool:
    """Tell whether any of some words is in a text."""
    return not set(index_terms(words)).isdisjoint(index_terms(text))


def only_tells(type_name: str, types: TypeRegistry) -> bool:
    """Tell whether memories of a type tell what was said, or name something, and state nothing."""
    kind = types.get(type_name) if type_name in types else None
    return type_name in TELLING or (kind is not None and kind.group is Group.CUES)


def _by_id(ids: Sequence[str], transaction: Transaction) -> list[Memory]:
    """Return memories in the order of their ids, without those that were deleted."""
    found = transaction.memories.get(dict.fromkeys(ids))
    memories = [found[one] for one in dict.fromkeys(ids) if one in found]
    return [one for one in memories if one.deleted_at is None]


def _episodes_of(raw_ids: Sequence[str], transaction: Transaction) -> list[str]:
    """Return the ids of the episodes that rest on raw chunks."""
    nums = transaction.followed.numbers(raw_ids) if raw_ids else {}
    told = transaction.recalled.told_by(sorted(nums.values()), most=_TOLD) if nums else {}
    episodes = {one for found in told.values() for one in found}
    ids = transaction.followed.ids(sorted(episodes)) if episodes else {}
    return [ids[one] for one in sorted(ids)]


def _made_of(telling: Iterable[Memory], known: set[str], transaction: Transaction) -> list[Memory]:
    """Return what else was made of the turns in which something was told, every version of it."""
    turns = dict.fromkeys(one.source_turn_id for one in telling if one.source_turn_id)
    keys = [
        kept.key
        for turn in turns
        for step in decisions_of(turn, transaction)
        for kept in step.retention
        if kept.key
    ]
    versions = transaction.recalled.versions(list(dict.fromkeys(keys))) if keys else []
    return _by_id([one.id for one in versions if one.id not in known], transaction)


def _states(words: str, memory: Memory, types: TypeRegistry) -> bool:
    """Tell whether a memory's value says some words; a name alone leads to what is said."""
    if only_tells(memory.type, types):
        return False
    kind = types.get(memory.type) if memory.type in types else None
    said = kind.sentence(memory.value) if kind else flat(memory.value)
    return holds(words, f"{said} {memory.key.replace(':', ' ')} {memory.text}")


def _means(words: str, memory: Memory, types: TypeRegistry) -> bool:
    """Tell whether a memory says what some words mean; what only tells states nothing."""
    kind = types.get(memory.type) if memory.type in types else None
    return not only_tells(memory.type, types) and means(words, memory, kind)


def _told(memory: Memory, originals: Mapping[str, str]) -> str:
    """Return all words of a memory, of one that tells what was said the original ones too."""
    return f"{memory.title} {memory.text} {originals.get(memory.id, '')}"


def _originals(
    memories: Iterable[Memory], transaction: Transaction, blobs: Blobs
) -> dict[str, str]:
    """Return the original words of what tells what was said, as far as they are not lost."""
    telling = {one.id: one.raw_refs for one in memories if one.type in TELLING}
    wanted = {span.raw_id for spans in telling.values() for span in spans}
    bodies = {one.id: body_of(one, blobs) for one in transaction.raw.get(wanted).values()}
    return {name: _text(spans, bodies) for name, spans in telling.items()}


def _text(spans: Sequence[Span], bodies: Mapping[str, bytes]) -> str:
    """Return the text that spans lead to."""
    parts = [
        bodies.get(span.raw_id, b"")[span.offset : span.offset + span.length] for span in spans
    ]
    return b"\n".join(parts).decode("utf-8", "replace")


def body_of(chunk: RawChunk, blobs: Blobs) -> bytes:
    """Return the bytes of an original; none where its file is lost."""
    if chunk.body is not None or not chunk.path:
        return chunk.body or b""
    try:
        return blobs.get(chunk.path, chunk.address)
    except AdapterError as error:
        if error.code not in _LOST:
            raise
        return b""


def flat(value: Mapping[str, Any]) -> str:
    """Return all that a value says, in a line."""
    return " ".join(map(str, value.values()))
