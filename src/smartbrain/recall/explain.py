"""Why something was in an answer, or was not: from what was said to what was shown (S1).

In: an id, a key or words that somebody expected, and what a search did. Out: one verdict with the
way to it. Everything is read from the truth and the trace; nothing is searched a second time but
the expected words themselves, and a search that finds something alike only says where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from msgspec import structs

from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.domain.job import INGESTED
from smartbrain.domain.memory import Memory, Span, Status
from smartbrain.domain.memory_type import Group
from smartbrain.domain.packet import LadderStep, PacketExplain
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import ArmReport, ArmVerdict, Recall, RecallTrace
from smartbrain.domain.recalled import Ranked
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.search import Scored
from smartbrain.domain.turn import RawChunk, Role
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.candidates import STANDING_TYPES, closed
from smartbrain.recall.forgotten import find_receipt, holds, trace_words
from smartbrain.recall.gather import GRAPH
from smartbrain.recall.guard import is_unpromoted, reason_about
from smartbrain.recall.pipeline import Found
from smartbrain.recall.rerank import ARM as RERANK
from smartbrain.recall.verdicts import (
    HINTS,
    MAKE_GRAPH,
    NOTE_AGAIN,
    REFUSED_MESSAGES,
    SAY_AGAIN,
    ordinal,
    unanswered,
    verdict_of,
    verdict_of_status,
)
from smartbrain.recall.views.words import bytes_of
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


def _text(spans: Sequence[Span], bodies: Mapping[str, bytes]) -> str:
    parts = [
        bodies.get(span.raw_id, b"")[span.offset : span.offset + span.length] for span in spans
    ]
    return b"\n".join(parts).decode("utf-8", "replace")


def _flat(value: Mapping[str, Any]) -> str:
    return " ".join(map(str, value.values()))


_STANDING: Final = (Status.ACTIVE, Status.CANDIDATE)
_SHOWN: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one search did: its order, its trace, what ended in the answer and what did not.

    `ranked` is all that was given a score, `order` what was left of it in the order that the answer
    was made of, and `places` where something stands in the answer, if it has one order. `hits` are
    what each arm found, ranked or not, and `seeds` what the question names; both by number. `turns`
    are shown as they were said. What was stored after `made_at` could not be in it. `unread` says
    by type of what more stands than was looked at.
    """

    query: str
    shown: Mapping[str, Reason | None]
    omitted: Mapping[str, Reason]
    unread: Mapping[str, Reason] = field(default_factory=dict)
    ranked: Sequence[Ranked] = ()
    order: Sequence[str] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    trace: RecallTrace = field(default_factory=RecallTrace)
    hits: Mapping[str, Sequence[Scored]] = field(default_factory=dict)
    seeds: Collection[int] = ()
    turns: Collection[str] = ()
    made_at: datetime | None = None

    @classmethod
    def by_recall(cls, found: Found, recall: Recall, seeds: Collection[int] = ()) -> Answered:
        """Return what `recall` did with what its search had found."""
        return replace(
            cls.by_packet(found, PacketExplain(), seeds),
            places={item.id: place for place, item in enumerate(recall.items, 1)},
            trace=recall.trace,
            shown=dict.fromkeys(item.id for item in recall.items),
            omitted=by_id(recall.trace.omitted),
        )

    @classmethod
    def by_packet(
        cls, found: Found, explain: PacketExplain, seeds: Collection[int] = ()
    ) -> Answered:
        """Return what a memory packet took of what its search had found."""
        return cls(
            query=found.cues.text,
            ranked=found.considered,
            order=[one.row.id for one in found.ranked],
            trace=found.trace,
            shown=by_id(explain.selected),
            omitted=by_id((*found.trace.omitted, *explain.omitted)),
            unread=unread_by_type(explain.omitted),
            hits=found.hits,
            seeds=seeds,
        )

    def left_out(self, memory: Memory) -> Reason | None:
        """Return why a memory that is not shown is not, if a rule of the answer says so."""
        why = self.omitted.get(memory.id)
        if why is None and memory.valid_until is None and memory.type in self.unread:
            return closed(memory) or self.unread[memory.type]
        return why

    @property
    def known(self) -> list[str]:
        """The ids of the memories that it has to do with."""
        return [*(one.row.id for one in self.ranked), *self.shown, *self.omitted]

    @property
    def arms(self) -> list[ArmReport]:
        """The arms that look for memories, of those asked."""
        return [arm for arm in self.trace.arms if arm.name != RERANK]

    def find(self, memory_id: str) -> tuple[int, Ranked | None]:
        """Return a memory as it was ranked, before any was left out, with its place there."""
        places = enumerate(self.ranked, 1)
        return next(((at, one) for at, one in places if one.row.id == memory_id), (0, None))


def by_id(reasons: Iterable[Reason]) -> dict[str, Reason]:
    """Return reasons by what they are about; of several the last one decided."""
    return {one.id: one for one in reasons if one.id is not None}


def unread_by_type(reasons: Iterable[Reason]) -> dict[str, Reason]:
    """Return of which types a packet left some that stand, and why; which ones it cannot say."""
    return {
        one.type: one
        for one in reasons
        if one.code == LadderStep.REDUCE_TOP_K and one.id is None and one.type in STANDING_TYPES
    }


def explain_expected(
    expect: str,
    *,
    answered: Answered,
    transaction: Transaction,
    types: TypeRegistry,
    blobs: Blobs,
    search_words: SearchWords | None = None,
) -> Explanation:
    """Say why what somebody expected is in an answer, or is not: an id, a key, or words."""
    if not expect.strip():
        raise UsageError("expect is blank; give the id of a memory, a key, or words")
    search = WordSearch(transaction, types, blobs)
    case = _Case(expect, answered, search, search_words)
    if expect.startswith("mem_"):
        found = transaction.memories.get([expect]).get(expect)
        if found:
            return case.judge_memory(found)
    versions = transaction.memories.history(expect)
    if versions:
        shown = [one for one in versions if one.id in answered.shown]
        standing = [one for one in versions if one.status in _STANDING]
        return case.judge_memory((shown or standing or versions)[-1])
    if receipt := find_receipt(expect, transaction, types):
        return case.judge_forgotten(receipt)
    if expect.startswith("mem_"):
        return case.judge_unknown_id()
    if ":" in expect:
        for kept, episode in search.refusals():
            if kept.key == expect:
                return case.judge_refusal(kept, episode)
    words = _words_expected(expect, types)
    return case.judge_words(words, case.find_holders(words))


@dataclass(slots=True)
class _Case:
    """One expectation, and the steps that lead to its verdict."""

    expect: str
    answered: Answered
    search: WordSearch
    search_words: SearchWords | None = None
    trail: list[Reason] = field(default_factory=list)
    hint: str = ""
    known: list[str] = field(default_factory=list)

    def find_holders(self, words: str) -> Holders:
        """Return who holds some words."""
        if not self.known:
            self.known = [*self.answered.known, *self.search.candidates()]
        return self.search.find_holders(words, self.known, self.search_words)

    def judge_memory(self, memory: Memory) -> Explanation:
        """Judge one version."""
        self._note_source(memory)
        verdict, reason = self._judge(memory)
        return self._conclude(verdict, reason, memory)

    def judge_words(self, words: str, holders: Holders) -> Explanation:
        """Judge words by who states them, else by who only tells them."""
        everyone = (*holders.stating, *holders.telling)
        shown = [one for one in everyone if one.id in self.answered.shown]
        if shown:
            return self.judge_memory(min(shown, key=self._order))
        if holders.stating:
            standing = [one for one in holders.stating if one.status in _STANDING]
            return self.judge_memory(min(standing or holders.stating, key=self._order))
        if holders.telling:
            return self._judge_turns(words, holders.telling)
        if refused := self.search.refused_words(words):
            return self.judge_refusal(*refused)
        if chunk := self.search.ingested_text(words, holders.raw):
            self.hint = MAKE_GRAPH
            self.trail.append(Reason("ingested", f"the text {chunk.id} holds it", id=chunk.id))
            reason = "it was ingested, but no memory has been made of the text"
            return self._conclude(Verdict.NOT_EXTRACTED, reason)
        if not holders.searched:
            reason = "the text index cannot be asked, so it is not known whether it was ever said"
            return self._conclude(Verdict.NOT_FOUND, reason)
        return self._judge_absent(words)

    def judge_refusal(self, kept: Retention, teller: Memory) -> Explanation:
        """Tell why the gate refused what was proposed in a turn."""
        self._note_source(teller)
        self.trail.append(Reason(kept.code, kept.reason, type=kept.type, key=kept.key))
        return self._conclude(Verdict.REFUSED, kept.reason, teller)

    def judge_forgotten(self, receipt: ForgetReceipt, what: str = "it was") -> Explanation:
        """Tell when something was forgotten, and by which receipt that can be checked."""
        reason = f"{what} forgotten on {receipt.asked_at.date().isoformat()}"
        told = f"{reason}, as the receipt {receipt.id} says"
        self.trail.append(Reason("forgotten", told, id=receipt.id))
        return self._conclude(Verdict.FORGOTTEN, reason)

    def judge_unknown_id(self) -> Explanation:
        """Judge an id that is in no row and on no receipt."""
        return self._conclude(Verdict.NEVER_SAID, "no memory has this id")

    def _judge_absent(self, words: str) -> Explanation:
        """Judge words that nothing holds: forgotten, not stored now, or never said."""
        trace = trace_words(words, self.search.transaction, self._is_held)
        if trace.receipt is not None:
            what = "words of it were" if trace.is_partial else "it was"
            return self.judge_forgotten(trace.receipt, what)
        if trace.is_certain:
            reason = "none of what was said holds these words"
            return self._conclude(Verdict.NEVER_SAID, reason)
        self.hint = SAY_AGAIN
        reason = "nothing that is stored now says it; whether it was among what was forgotten"
        return self._conclude(Verdict.NOT_FOUND, f"{reason} cannot be told")

    def _is_held(self, term: str) -> bool:
        holders = self.find_holders(term)
        return bool(holders.stating or holders.telling or holders.raw)

    def _judge_turns(self, words: str, telling: Sequence[Memory]) -> Explanation:
        """Judge words that were said, but are no value of any memory."""
        for one in telling:
            kept_of_turn = self._retention(one)
            refused = [kept for kept in kept_of_turn if kept.action is RetentionAction.REFUSED]
            wanted = set(index_terms(words))
            is_only = len(refused) == len(kept_of_turn)
            for kept in refused:
                named = kept.key == self.expect or not wanted.isdisjoint(
                    index_terms(kept.key.replace(":", " "))
                )
                if named or is_only:
                    return self.judge_refusal(kept, one)
        best = min(telling, key=lambda one: (one.type != _EPISODES, *self._order(one)))
        self._note_source(best)
        verdict, reason = self._judge(best)
        if verdict is Verdict.INCLUDED or not best.source_turn_id:
            return self._conclude(verdict, reason, best)
        if rule := self._refused_message(words, best):
            self.trail.append(Reason(rule.code, rule.reason, type=rule.type))
            return self._conclude(Verdict.REFUSED, f"{rule.reason}; of its turn: {reason}", best)
        if verdict is Verdict.NOT_FOUND:
            verdict = Verdict.NOT_EXTRACTED
            reason = "it was said, but no rule made a memory of it, and its turn was not found"
        return self._conclude(verdict, reason, best)

    def _refused_message(self, words: str, teller: Memory) -> Retention | None:
        said = self.search.roles_saying(words, teller)
        for step in self._decisions(teller):
            for kept in step.retention:
                if (
                    kept.action is RetentionAction.REFUSED
                    and REFUSED_MESSAGES.get(kept.code) in said
                ):
                    return kept
        return None

    def _retention(self, memory: Memory) -> list[Retention]:
        decided = [one for step in self._decisions(memory) for one in step.retention]
        return [one for one in decided if not self.search.states_nothing(one.type)]

    def _decisions(self, memory: Memory | None) -> tuple[CommitExplain, ...]:
        source = memory and (memory.source_turn_id or memory.source_operation_id)
        return self.search.decisions(source) if source else ()

    def _judge(self, memory: Memory) -> tuple[Verdict, str]:
        """Return what became of one memory, and note what was seen on the way."""
        if memory.deleted_at is not None:
            return Verdict.FORGOTTEN, "it was forgotten and is gone from every index"
        found = self._note_arms(memory)
        answered = self.answered
        shown = memory.id in answered.shown
        leads = self._only_leads(memory)
        why = answered.shown.get(memory.id) if shown else answered.left_out(memory)
        if why is not None and (shown or not leads):
            self.trail.append(why)
        place = self._place(memory)
        if shown:
            told = f"it came {ordinal(place)}" if place else (why.reason if why else "by rule")
            return Verdict.INCLUDED, f"it is in the answer: {told}"
        if memory.type == _EPISODES and memory.source_turn_id in answered.turns:
            return Verdict.INCLUDED, "it is in the answer: its turn is shown as it was said"
        if answered.made_at is not None and memory.created_at > answered.made_at:
            return Verdict.NOT_FOUND, "it was stored after the answer was made"
        active = self.search.transaction.memories.active(memory.type, memory.key)
        if active is not None and active.id != memory.id:
            said = f"version {active.version} stands since {active.said_at.date().isoformat()}"
            self.trail.append(reason_about(active, "stands", f"{said}: {active.text[:_SHOWN]}"))
        if fallen := verdict_of_status(memory, active):
            if fallen[0] is Verdict.EXPIRED and is_unpromoted(memory):
                self.hint = NOTE_AGAIN
                return fallen[0], f"{fallen[1]}, and nobody had validated it"
            return fallen
        if leads:
            return Verdict.NOT_FOUND, self._explain_leading(memory)
        if why is not None:
            return verdict_of(why.code), why.reason
        if place:
            return Verdict.OUTRANKED, f"it came {ordinal(place)}, behind what is in the answer"
        if found:
            read = f"only the best {answered.trace.candidates} of all that was found were ranked"
            return Verdict.OUTRANKED, f"{' and '.join(found)}, but {read}"
        return Verdict.NOT_FOUND, f"no arm found it for these words{unanswered(answered.arms)}"

    def _only_leads(self, memory: Memory) -> bool:
        """Tell whether memories of a type lead to others, and answer only who asks for them."""
        kind = self.search.types.get(memory.type) if memory.type in self.search.types else None
        return kind is not None and kind.group in (Group.CUES, Group.NONE)

    def _explain_leading(self, memory: Memory) -> str:
        """Say how something took part that is not shown itself, and how to see it."""
        self.hint = f"ask for what was said of it; recall(types={memory.type!r}) shows it itself"
        end = "does not name it"
        if self.search.number(memory) in self.answered.seeds:
            graph = (arm for arm in self.answered.trace.arms if arm.name == GRAPH)
            is_there = any(arm.verdict is ArmVerdict.OK for arm in graph)
            end = "names it, and graph began from it"
            end = end if is_there else "names it, but graph did not answer"
        return f"{memory.type} lead to memories and are not shown themselves; the question {end}"

    def _note_source(self, memory: Memory) -> None:
        source = memory.source_turn_id or memory.source_operation_id
        kind = "turn" if memory.source_turn_id else "operation"
        day = memory.said_at.date().isoformat()
        status, version = memory.status.value, memory.version
        told = f"{memory.type} {memory.key} v{version} ({status}) was said on {day} in {kind}"
        reason = reason_about(memory, "said", f"{told} {source}: {memory.text[:_SHOWN]}")
        detail = {kind: source, "status": status, "version": version}
        self.trail.append(structs.replace(reason, detail=detail))

    def _note_arms(self, memory: Memory) -> list[str]:
        """Note which arm found a memory at which rank, and where it came; return who found it."""
        answered, number = self.answered, self.search.number(memory)
        ranked = answered.find(memory.id)[1]
        found_by = ranked.found_by if ranked else ()
        finders = []
        for arm in answered.arms:
            places = enumerate(answered.hits.get(arm.name, ()), 1)
            rank = next((place for place, hit in places if hit.num == number), None)
            told = arm.reason or f"had {arm.hits} hits"
            if rank is not None or not {arm.name, arm.name.partition(":")[0]}.isdisjoint(found_by):
                told = "found it" if rank is None else f"found it at rank {rank}"
                finders.append(f"{arm.name} {told}")
            elif arm.verdict is ArmVerdict.OK:
                told = f"did not find it among {arm.hits} hits"
            detail = {"arm": arm.name, "verdict": arm.verdict.value, "hits": arm.hits, "rank": rank}
            sentence = f"{arm.name} ({arm.verdict.value}) {told}"
            self.trail.append(Reason("arm", sentence, id=memory.id, detail=detail))
        if ranked is not None:
            place, total, among = self._place(memory) or None, len(answered.order), ""
            if memory.id in answered.shown:
                total, among = len(answered.shown), " in the answer"
            told = f"it came {ordinal(place)} of {total}{among}," if place else "it was ranked"
            signals = {
                name: score for name, score in ranked.signals.to_dict().items() if score is not None
            }
            at = {"rank": place, "of": total, "score": ranked.score, "signals": signals}
            sentence = f"{told} with a score of {ranked.score:.4g}"
            self.trail.append(Reason("rank", sentence, id=memory.id, detail=at))
        return finders

    def _place(self, memory: Memory) -> int:
        """Return the place of a memory in the answer, else in what it was made of, 0 for none."""
        answered = self.answered
        if memory.id in answered.shown:
            return answered.places.get(memory.id, 0)
        return answered.order.index(memory.id) + 1 if memory.id in answered.order else 0

    def _order(self, memory: Memory) -> tuple[bool, bool, int, float, str]:
        """Return which of several memories is judged: one that stands, the best ranked, new."""
        place, _ = self.answered.find(memory.id)
        omitted = memory.id in self.answered.omitted
        fallen = memory.status is not Status.ACTIVE
        said = -memory.said_at.timestamp()
        return fallen, not (place or omitted), place, said, memory.id

    def _conclude(self, verdict: Verdict, reason: str, memory: Memory | None = None) -> Explanation:
        return Explanation(
            turn_id=memory.source_turn_id if memory else None,
            steps=self._decisions(memory),
            query=self.answered.query,
            expect=self.expect,
            verdict=verdict,
            reason=reason,
            hint=self.hint or HINTS[verdict],
            id=memory.id if memory else None,
            key=memory.key if memory else None,
            trail=tuple(self.trail),
        )


def _words_expected(expect: str, types: TypeRegistry) -> str:
    """Return the words of an expectation: of a key those after its type."""
    try:
        types.by_key(expect)
    except UsageError:
        return expect
    words = expect.partition(":")[2].replace(":", " ").replace("_", " ")
    return words if words.strip() else expect
