"""Statements of a turn: who does what in them, and what says the same or the contrary.

In: statements as they were read, and the names of a turn with their keys. Out: a node each that
waits at the gate, with its roles, tied to what tells its reason or shows it, and to earlier ones
that tell the same event or deny it (C7).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.statement import Modality
from smartbrain.domain.time import TimeKind
from smartbrain.remember.entities import BESIDE, holds_mark
from smartbrain.remember.fold.rules import trust_in
from smartbrain.remember.match import numbers_apart, overlap
from smartbrain.remember.quotes import spans_at
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.domain.policy import LinkingRules, Rules
    from smartbrain.domain.statement import Statement
    from smartbrain.remember.entities import Names
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_set import WriteSet

MAX_STATEMENTS: Final = 20
"""The most statements of one step of a turn; the first are kept."""
_DAY: Final = 86_400.0
_MAX_ALIKE: Final = 3
_TOLD_BESIDE: Final = (EdgeType.MANNER, EdgeType.CAUSE)
_Clauses = Mapping[tuple[int, int], Sequence[Memory]]
"""The statements of each clause, by its message and its offset."""


def link_statements(
    told: Sequence[tuple[int, Statement]],
    recorded: Recorded,
    names: Names,
    *,
    writes: WriteSet,
    rules: Rules,
) -> list[Memory]:
    """Put what a turn says happens in the write set, with the roles that entities play in it."""
    if not told:
        return []
    predicates = {one.predicate for _, one in told}
    alike = writes.transaction.remembering.alike(predicates, limit=_MAX_ALIKE)
    # Each message of the earlier steps has room for so many.
    first = MAX_STATEMENTS * len(recorded.stored.messages) if recorded.stored else 0
    before: dict[str, list[Memory]] = {}
    clauses: dict[tuple[int, int], list[Memory]] = {}
    for number, (index, statement) in enumerate(told[:MAX_STATEMENTS], first):
        memory = _put_statement(statement, index, number, recorded, writes)
        _link_roles(memory, statement, names, writes, rules)
        others = alike.get(statement.predicate, ())
        mine = before.setdefault(statement.predicate, [])
        _link_same(memory, others, writes, rules)
        _link_contrary(memory, [*reversed(others), *mine], writes, rules.policies.linking)
        mine.append(memory)
        clauses.setdefault((index, statement.offset), []).append(memory)
    _link_clauses(told[:MAX_STATEMENTS], clauses, writes, rules)
    return [memory for found in before.values() for memory in found]


def _put_statement(
    statement: Statement, index: int, number: int, recorded: Recorded, writes: WriteSet
) -> Memory:
    kind = writes.types.get("statements")
    value = statement.value(writes.origin.turn_id or "", number)
    key = kind.key_of(value)
    writes.open(key)
    message, stored = recorded.said.messages[index], recorded.spans.messages[index]
    spans = spans_at(message.content, stored, statement.offset, statement.length)
    # How and why something happens is not whom and what it is about.
    about = (role.name for role in statement.roles if role.role not in _TOLD_BESIDE)
    memory = writes.make(
        kind.name,
        key,
        title=statement.text[:80],
        text=statement.text,
        value=dict(kind.complete(key, value).value),
        status=Status.CANDIDATE,
        confidence=statement.confidence,
        raw_refs=spans,
        entities=tuple(name for name in about if not holds_mark(name, statement.text)),
        provenance=Provenance(message.role.value),
    )
    for raw in dict.fromkeys(span.raw_id for span in spans):
        writes.link(memory.id, EdgeType.DERIVED_FROM, raw)
    return writes.put(memory)


def _link_roles(
    memory: Memory, statement: Statement, names: Names, writes: WriteSet, rules: Rules
) -> None:
    """Tie a statement to who and what plays a part in it, for as long as its words say."""
    sure, time = statement.confidence, statement.time
    trust = trust_in(memory.provenance.creator, rules.policies.conflicts.source_trust)
    lasts = time is not None and time.kind is TimeKind.RANGE
    during = {"since": time.start, "until": time.end} if time and lasts else {}
    for role, kind, name in _roles(statement):
        key = names.keys.get((kind, name), "")
        entity = writes.standing("entities", key) if key else None
        if entity is not None:
            weight = writes.weight(sure, trust)
            writes.link(memory.id, role, entity.id, weight, confidence=sure, **during)


def _roles(statement: Statement) -> Iterator[tuple[EdgeType, str, str]]:
    """Yield the roles of a statement with the kind and the name of what plays them."""
    for role in statement.roles:
        yield role.role, role.kind, role.name
    if statement.time is not None:
        yield EdgeType.TIME, BESIDE, statement.time.name


def _link_clauses(
    told: Sequence[tuple[int, Statement]], clauses: _Clauses, writes: WriteSet, rules: Rules
) -> None:
    """Tie statements to those that tell their reason, and to those that show that they are so."""
    ties = (
        ("because", (EdgeType.CAUSE, EdgeType.CAUSED_BY), (EdgeType.CAUSES,)),
        ("shown_by", (), (EdgeType.SUPPORTS,)),
    )
    for field, there, back in ties:
        for index, offset, other in dict.fromkeys(
            (index, one.offset, getattr(one, field)) for index, one in told
        ):
            for effect in clauses[index, offset]:
                for cause in clauses.get((index, other), ()):
                    trust = rules.policies.conflicts.source_trust
                    sure = effect.confidence
                    weight = writes.weight(sure, trust_in(effect.provenance.creator, trust))
                    for kind in there:
                        writes.link(effect.id, kind, cause.id, weight, confidence=sure)
                    for kind in back:
                        writes.link(cause.id, kind, effect.id, weight, confidence=sure)


def _link_same(memory: Memory, others: Sequence[Memory], writes: WriteSet, rules: Rules) -> None:
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


def _link_contrary(
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
    was = _pair_contrary(known, rules)
    now = _pair_contrary([*known[:place], memory, *known[place:]], rules)
    for one, other in sorted(was.keys() - now.keys()):
        writes.cut(one, EdgeType.CONTRADICTS, other)
        writes.cut(other, EdgeType.CONTRADICTS, one)
    for (one, other), dimension in now.items():
        if (one, other) not in was:
            attrs = {"dimension": dimension}
            writes.link(one, EdgeType.CONTRADICTS, other, attrs=attrs)
            writes.link(other, EdgeType.CONTRADICTS, one, attrs=attrs)


def _pair_contrary(told: Sequence[Memory], rules: LinkingRules) -> dict[tuple[str, str], str]:
    """Return each statement with the last one before it that denies it, and what sets them apart.

    They are given by their ids, and stand in the order of their times.
    """
    found = {}
    for place, one in enumerate(told):
        for other in reversed(told[:place]):
            apart = (one.said_at - other.said_at).total_seconds() / _DAY
            denied = one.value.get("negation") != other.value.get("negation")
            if denied and apart <= rules.same_event_days and _says(one) == _says(other) != ():
                alike = one.provenance.creator == other.provenance.creator
                found[one.id, other.id] = "value" if alike else "source"
                break
    return found


def _says(memory: Memory) -> tuple[Any, ...]:
    """Return who is said to do something, and when; nothing of what is not asserted.

    What was masked is nobody: two marks that look alike may stand for different people.
    """
    asserted = memory.value.get("modality") == Modality.ASSERTED
    if not asserted or not memory.entities or is_masked(memory.text):
        return ()
    time = memory.value.get("time") or {}
    return (memory.entities, time.get("start"), time.get("end"))
