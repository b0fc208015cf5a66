"""Where expected words were said: the memories, turns and texts that hold them (S1).

In: words, and a way to search for them. Out: memories that state them in their value, those that
tell them in their text or originals, and what was handed over of which no memory was made. Every
word has to be there: a search that finds something alike is only where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from smartbrain.domain.job import INGESTED
from smartbrain.domain.memory import Memory, Span, Status
from smartbrain.domain.memory_type import Group
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.turn import RawChunk, Role
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.views.documents import bytes_of
from smartbrain.text.tokenise import index_terms

SearchWords = Callable[[str], tuple[Sequence[str], bool]]
"""Returns the ids of the memories and raw chunks that may hold some words, best first, and whether
everything could be searched for them."""
_EPISODES: Final = "episodes"
_TELLING_TYPES: Final = frozenset({_EPISODES, "statements"})
_MAX_FOUND: Final = 200
_MAX_EPISODES: Final = 10  # of words that were said again and again
_NEWEST: Final = 200  # turns, and memories of a type


@dataclass(frozen=True, slots=True)
class Holders:
    """The memories that hold some words: `stating` in their value, `telling` in their text.

    `raw` are originals that may hold them. `searched` says that nobody else can hold them.
    """

    stating: tuple[Memory, ...] = ()
    telling: tuple[Memory, ...] = ()
    raw: tuple[str, ...] = ()
    searched: bool = False


@dataclass(frozen=True, slots=True)
class WordSearch:
    """Looks for expected words in the truth of one tenant."""

    transaction: Transaction
    types: TypeRegistry
    blobs: Blobs

    def find_holders(self, words: str, known: Sequence[str], search: SearchWords | None) -> Holders:
        """Return who holds some words among what a search finds and the `known` memories."""
        ids, searched = search(words) if search else ((), False)
        found = ids[:_MAX_FOUND]
        raw = tuple(one for one in found if one.startswith("raw_"))
        wanted = [*found, *self._episode_ids(raw), *known]
        memories = self._memories([one for one in wanted if one.startswith("mem_")])
        # Of episodes and statements also the original words, as far as they are not lost.
        spans = {one.id: one.raw_refs for one in memories if one.type in _TELLING_TYPES}
        bodies = self._bodies(span for some in spans.values() for span in some)
        telling = [
            memory
            for memory in memories
            if holds(words, f"{memory.title} {memory.text}")
            or holds(words, _text(spans.get(memory.id, ()), bodies))
        ]
        memories += self._memories_of_turns(telling, {memory.id for memory in memories})
        stating = [memory for memory in memories if self._states(words, memory)]
        stated = {memory.id for memory in stating}
        told = tuple(memory for memory in telling if memory.id not in stated)
        return Holders(tuple(stating), told, raw, searched)

    def number(self, memory: Memory) -> int | None:
        """Return the number that a memory has in the indexes."""
        return self.transaction.followed.numbers([memory.id]).get(memory.id)

    def roles_saying(self, words: str, episode: Memory) -> frozenset[Role]:
        """Return the roles of those who said some words in the turn of an episode."""
        if episode.source_turn_id is None:
            return frozenset()
        messages = self.transaction.events.turn(episode.source_turn_id).messages
        bodies = self._bodies(span for message in messages for span in message.spans)
        return frozenset(
            message.role for message in messages if holds(words, _text(message.spans, bodies))
        )

    def decisions(self, source: str) -> tuple[CommitExplain, ...]:
        """Return what was decided about a turn or an operation, step by step."""
        return tuple(
            map(CommitExplain.from_dict, self.transaction.remembering.explanations(source))
        )

    def states_nothing(self, type_name: str) -> bool:
        """Tell whether memories of a type only tell what was said, or name something."""
        kind = self.types.get(type_name) if type_name in self.types else None
        return type_name in _TELLING_TYPES or (kind is not None and kind.group is Group.CUES)

    def candidates(self) -> list[str]:
        """Return the ids of what was noted lately and waits, such as an insight of a run."""
        return [
            memory.id
            for kind in self.types
            if not self.states_nothing(kind.name)
            for memory in self.transaction.remembering.newest(kind.name, limit=_NEWEST)
            if memory.status is Status.CANDIDATE
        ]

    def refused_words(self, words: str) -> tuple[Retention, Memory] | None:
        """Return how a proposal in some words was refused lately, and the episode of its turn.

        Nobody said a proposal: its words are in the turn's own record of it alone.
        """
        for refusal, episode in self.refusals():
            if not refusal.key or not episode.source_turn_id:
                continue
            turn = self.transaction.events.turn(episode.source_turn_id)
            for proposal in turn.proposals.get(refusal.type, ()):
                key = str(proposal.get("key", refusal.key))
                said = f"{_flat(proposal)} {key.replace(':', ' ')}"
                if key == refusal.key and holds(words, said):
                    return refusal, episode
        return None

    def ingested_text(self, words: str, raw_ids: Sequence[str]) -> RawChunk | None:
        """Return an ingested text that holds some words and waits to be made a graph."""
        state = self.transaction.working.state("tenant", INGESTED)
        sessions = {entry.body.get("session") for entry in state}
        if not sessions or not raw_ids:
            return None
        turns = self.transaction.raw.turns_with(raw_ids)
        chunks = self.transaction.raw.get(raw_ids)
        for name in raw_ids:
            if any(session in sessions for session, _ in turns.get(name, ())):
                text = (bytes_of(chunks[name], self.blobs) or b"").decode("utf-8", "replace")
                if holds(words, text):
                    return chunks[name]
        return None

    def refusals(self) -> Iterator[tuple[Retention, Memory]]:
        """Yield what was refused lately, with the episode of its turn."""
        for episode in self.transaction.remembering.newest(_EPISODES, limit=_NEWEST):
            source = episode.source_turn_id or episode.source_operation_id
            for step in self.decisions(source) if source else ():
                for kept in step.retention:
                    refused = kept.action is RetentionAction.REFUSED
                    if refused and not self.states_nothing(kept.type):
                        yield kept, episode

    def _memories(self, ids: Sequence[str]) -> list[Memory]:
        found = self.transaction.memories.get(dict.fromkeys(ids))
        memories = [found[one] for one in dict.fromkeys(ids) if one in found]
        return [memory for memory in memories if memory.deleted_at is None]

    def _episode_ids(self, raw_ids: Sequence[str]) -> list[str]:
        rows = self.transaction
        nums = rows.followed.numbers(raw_ids) if raw_ids else {}
        told = rows.recalled.told_by(sorted(nums.values()), most=_MAX_EPISODES) if nums else {}
        episodes = {num for found in told.values() for num in found}
        ids = rows.followed.ids(sorted(episodes)) if episodes else {}
        return [ids[num] for num in sorted(ids)]

    def _memories_of_turns(self, telling: Iterable[Memory], known: set[str]) -> list[Memory]:
        """Return what else was made of the turns that told something, in every version."""
        turns = dict.fromkeys(one.source_turn_id for one in telling if one.source_turn_id)
        keys = [
            kept.key
            for turn in turns
            for step in self.decisions(turn)
            for kept in step.retention
            if kept.key
        ]
        versions = self.transaction.recalled.versions(list(dict.fromkeys(keys))) if keys else []
        return self._memories([row.id for row in versions if row.id not in known])

    def _states(self, words: str, memory: Memory) -> bool:
        if self.states_nothing(memory.type):
            return False
        kind = self.types.get(memory.type) if memory.type in self.types else None
        said = kind.sentence(memory.value) if kind else _flat(memory.value)
        return holds(words, f"{said} {memory.key.replace(':', ' ')} {memory.text}")

    def _bodies(self, spans: Iterable[Span]) -> dict[str, bytes]:
        chunks = self.transaction.raw.get({span.raw_id for span in spans})
        return {chunk.id: bytes_of(chunk, self.blobs) or b"" for chunk in chunks.values()}


def holds(words: str, text: str) -> bool:
    """Tell whether all of some words are in a text; where they are only marks, as they stand."""
    wanted = set(index_terms(words))
    if not wanted:
        return bool(words.strip()) and words.strip().casefold() in text.casefold()
    return wanted <= set(index_terms(text))


def _text(spans: Sequence[Span], bodies: Mapping[str, bytes]) -> str:
    parts = [
        bodies.get(span.raw_id, b"")[span.offset : span.offset + span.length] for span in spans
    ]
    return b"\n".join(parts).decode("utf-8", "replace")


def _flat(value: Mapping[str, Any]) -> str:
    return " ".join(map(str, value.values()))
