"""How often an entity is named among some turns in a row, in whatever order these arrived (C2).

In: a turn with its own time, and the turns around it. Out: the most mentions that as many turns in
a row have as the gate looks at. A turn that arrives late can part two that named an entity: where
nothing else made it a memory, it waits at the gate again. The other rules of the gate are in
`link`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import Retention, RetentionAction

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_set import WriteSet

ENTITY_GATE: Final = "policies.retention.entity_gate"
"""The rule by which an entity is a memory or waits."""
BY_FREQUENCY: Final = "entity_frequent"
"""The code of an entity that passes the gate by being named often."""
FREQUENT: Final = "frequent"
"""The tag of an entity that nothing but being named often has made a memory."""
_PARTED: Final = "a turn that came late lies between those that name it; they are too far apart"


def named_around(entity_ids: Sequence[str], writes: WriteSet, turns: int) -> dict[str, list[int]]:
    """Return where around the turn of a writes entities are named: -1 is the turn before it."""
    turn = writes.origin.turn_id
    if not entity_ids or turn is None:
        return {}
    return writes.transaction.mentions.places(entity_ids, turn, turns=turns)


def most_together(places: Sequence[int], turns: int) -> int:
    """Return the most mentions in so many turns in a row, with that of the turn itself, at 0."""
    told = [0, *places]
    return max(
        sum(first <= place < first + turns for place in told) for first in range(1 - turns, 1)
    )


def tags_by(code: str, known: Memory | None) -> tuple[str, ...]:
    """Return the tags of an entity that passes the gate by a rule, or by none."""
    tags = known.tags if known else ()
    if code == BY_FREQUENCY:
        waits = known is None or known.status is not Status.ACTIVE
        return (*tags, FREQUENT) if waits and FREQUENT not in tags else tags
    return tuple(tag for tag in tags if tag != FREQUENT) if code else tags


def part_again(
    late: Recorded, named: Container[str], *, writes: WriteSet, rules: Rules
) -> list[Retention]:
    """Let entities wait that are named often no more, as a turn came late between others.

    Those whose keys are `named` in that turn itself are named as often as before.
    """
    if not late.is_late:
        return []
    gate, stored = rules.policies.retention.entity_gate, writes.transaction.mentions
    told = []
    keys = stored.named_around(late.said.id, turns=gate.window_turns)
    writes.read(keys)
    for key in keys:
        known = writes.standing("entities", key)
        if known is None or known.status is not Status.ACTIVE or FREQUENT not in known.tags:
            continue
        times, turns = gate.freq_threshold, gate.window_turns
        if key in named or stored.is_frequent(known.id, times=times, turns=turns):
            continue
        tags = tuple(tag for tag in known.tags if tag != FREQUENT)
        writes.put(known, status=Status.CANDIDATE, tags=tags)
        told.append(told_of(key, RetentionAction.DEFERRED, "entity_gate", _PARTED))
    return told


def told_of(key: str, action: RetentionAction, code: str, reason: str) -> Retention:
    """Say what became of an entity."""
    reason = by_rule(reason, ENTITY_GATE)
    return Retention(type="entities", key=key, action=action, code=code, reason=reason)
