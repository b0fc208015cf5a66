"""Statements of a turn: who does what in them, and what says the same or the contrary.

In: statements as they were read, and the names of a turn with their keys. Out: a node each that
waits at the gate, with its roles, tied to earlier ones that tell the same event or deny it (C7).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.statement import Modality
from smartbrain.remember.fold.rules import dimension_between, trust_in
from smartbrain.remember.link import BESIDE, MOST_STATEMENTS, holds_mark
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.sameness import numbers_apart, overlap
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.domain.policy import LinkingRules, Rules
    from smartbrain.domain.statement import Statement
    from smartbrain.remember.link import Names
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_set import WriteSet

_DAY: Final = 86_400.0
_ALIKE: Final = 3
_BESIDE: Final = (EdgeType.MANNER, EdgeType.CAUSE)


def link_statements(
    told: Sequence[tuple[int, Statement]],
    recorded: Recorded,
    names: Names,
    *,
    writes: WriteSet,
    rules: Rules,
) -> list[Memory]:
    """Put what a turn says happens in the write set, with the roles that entities play in it."""
    kind, turn_id = writes.types.get("statements"), writes.origin.turn_id or ""
    before: dict[str, list[Memory]] = {}
    first = _already(recorded)
    alike = (
        writes.transaction.remembering.alike({one.predicate for _, one in told}, limit=_ALIKE)
        if told
        else {}
    )
    at: dict[tuple[int, int], list[Memory]] = {}
    for place, (index, one) in enumerate(told[:MOST_STATEMENTS]):
        value = one.value(turn_id, first + place)
        key = kind.key_of(value)
        writes.open(key)
        message = recorded.said.messages[index]
        spans = spans_at(message.content, recorded.spans.messages[index], one.offset, one.length)
        memory = writes.put(
            writes.make(
                kind.name,
                key,
                title=one.text[:80],
                text=one.text,
                value=dict(kind.complete(key, value).value),
                status=Status.CANDIDATE,
                confidence=one.confidence,
                raw_refs=spans,
                entities=_who_and_what(one),
                provenance=Provenance(message.role.value),
            )
        )
        trust = trust_in(message.role.value, rules.policies.conflicts.source_trust)
        weight = writes.weight(one.confidence, trust)
        for role, sort, name in _roles(one):
            key_of_entity = names.keys.get((sort, name), "")
            entity = writes.standing("entities", key_of_entity) if key_of_entity else None
            if entity is not None:
                writes.link(memory.id, role, entity.id, weight, confidence=one.confidence)
        for raw in dict.fromkeys(span.raw_id for span in spans):
            writes.link(memory.id, EdgeType.DERIVED_FROM, raw)
        others, mine = alike.get(one.predicate, ()), before.setdefault(one.predicate, [])
        _unite(memory, others, writes, rules)
        _oppose(memory, [*reversed(others), *mine], writes, rules.policies.linking)
        mine.append(memory)
        at.setdefault((index, one.offset), []).append(memory)
    _explain(told[:MOST_STATEMENTS], at, writes, rules)
    return [memory for found in before.values() for memory in found]


def _roles(one: Statement) -> Iterator[tuple[EdgeType, str, str]]:
    """Yield the roles of a statement with the kind and the name of what plays them."""
    for role in one.roles:
        yield role.role, role.kind, role.name
    if one.time is not None:
        yield EdgeType.TIME, BESIDE, one.time.name


def _who_and_what(one: Statement) -> tuple[str, ...]:
    """Return the names of whom and what a statement is about; how and why is not that."""
    return tuple(
        role.name
        for role in one.roles
        if role.role not in _BESIDE and not holds_mark(role.name, one.text)
    )


def _explain(
    told: Sequence[tuple[int, Statement]],
    at: Mapping[tuple[int, int], list[Memory]],
    writes: WriteSet,
    rules: Rules,
) -> None:
    """Tie statements to those that tell their reason, and back; `at` are those of each clause."""
    for index, offset, because in dict.fromkeys(
        (index, one.offset, one.because) for index, one in told if one.because is not None
    ):
        for effect in at[index, offset]:
            for cause in at.get((index, because), ()):
                trust = trust_in(effect.provenance.creator, rules.policies.conflicts.source_trust)
                sure = effect.confidence
                weight = writes.weight(sure, trust)
                writes.link(effect.id, EdgeType.CAUSE, cause.id, weight, confidence=sure)
                writes.link(cause.id, EdgeType.CAUSES, effect.id, weight, confidence=sure)


def _unite(memory: Memory, others: Sequence[Memory], writes: WriteSet, rules: Rules) -> None:
    """Tie a statement to an earlier one that tells the same event, else to those that are alike."""
    linking = rules.policies.linking
    alike = {}
    for other in others:
        if memory.value.get("negation") != other.value.get("negation") or other.id == memory.id:
            continue
        apart = abs((memory.said_at - other.said_at).total_seconds()) / _DAY
        share = overlap(memory.text, other.text)
        near = apart <= linking.same_event_days and share >= linking.same_event_similarity
        if near and not numbers_apart(memory.text, other.text):
            writes.link(memory.id, EdgeType.SAME_AS, other.id)
            writes.adopt(other)
            writes.put(other, frequency=other.frequency + 1)
            return
        if share >= linking.similar_to_min:
            alike[other.id] = round(share, 6)
    for other_id, share in alike.items():
        writes.link(memory.id, EdgeType.SIMILAR_TO, other_id, share)


def _oppose(
    memory: Memory, others: Sequence[Memory], writes: WriteSet, rules: LinkingRules
) -> None:
    """Tie a statement and those that differ from it only in negation, each to the last before it.

    Histories arrive in any order: what is said in between parts two that were tied.
    """
    denies = memory.value.get("negation")
    if all(one.value.get("negation") == denies for one in others):
        return  # nobody denies anything
    known = sorted(others, key=lambda one: one.said_at)
    place = bisect_right(known, memory.said_at, key=lambda one: one.said_at)
    was = _opposed(known, rules)
    now = _opposed([*known[:place], memory, *known[place:]], rules)
    for one, other in sorted(was.keys() - now.keys()):
        writes.cut(one, EdgeType.CONTRADICTS, other)
        writes.cut(other, EdgeType.CONTRADICTS, one)
    for (one, other), dimension in now.items():
        if (one, other) not in was:
            attrs = {"dimension": dimension}
            writes.link(one, EdgeType.CONTRADICTS, other, attrs=attrs)
            writes.link(other, EdgeType.CONTRADICTS, one, attrs=attrs)


def _opposed(told: Sequence[Memory], rules: LinkingRules) -> dict[tuple[str, str], str]:
    """Return each statement with the last one before it that denies it, and what sets them apart.

    They are given by their ids, and stand in the order of their times.
    """
    found = {}
    for place, one in enumerate(told):
        for other in reversed(told[:place]):
            apart = (one.said_at - other.said_at).total_seconds() / _DAY
            denied = one.value.get("negation") != other.value.get("negation")
            if denied and apart <= rules.same_event_days and _tells(one) == _tells(other) != ():
                found[one.id, other.id] = _dimension(one, other, rules)
                break
    return found


def _dimension(one: Memory, other: Memory, rules: LinkingRules) -> str:
    """Return what sets two statements apart: who said it, when, or only what."""
    who = (one.provenance.creator, other.provenance.creator)
    return dimension_between(who, (one.said_at, other.said_at), rules.same_event_days)


def _tells(memory: Memory) -> tuple[Any, ...]:
    """Return who is said to do something, and when; nothing of what is not asserted.

    What was masked is nobody: two marks that look alike may stand for different people.
    """
    asserted = memory.value.get("modality") == Modality.ASSERTED
    if not asserted or not memory.entities or is_masked(memory.text):
        return ()
    time = memory.value.get("time") or {}
    return (memory.entities, time.get("start"), time.get("end"))


def _already(recorded: Recorded) -> int:
    """Return the first free number for a step's statements: each message has room for so many."""
    return MOST_STATEMENTS * len(recorded.stored.messages) if recorded.stored else 0
