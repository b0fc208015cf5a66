"""What became of the candidates of a commit, as its result tells it.

In: decisions, one after the other. Out: a retention a candidate and an outcome a conflict.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import ConflictOutcome, ConflictRule, Retention, RetentionAction
from smartbrain.remember.gate import Judged


@dataclass(slots=True)
class Outcome:
    """What became of the candidates of a commit."""

    retention: list[Retention] = field(default_factory=list)
    conflicts: list[ConflictOutcome] = field(default_factory=list)
    written: dict[str, None] = field(default_factory=dict)
    repeated: dict[str, None] = field(default_factory=dict)
    disputed: list[tuple[str, str]] = field(default_factory=list)

    def kept(self, memory: Memory, action: RetentionAction, code: str, reason: str) -> None:
        """Note what became of a candidate that is a memory now."""
        self.retention.append(_retention(memory.type, memory.key, action, code, reason))

    def refused(self, judged: Judged, code: str, reason: str) -> None:
        """Note that a candidate became no memory."""
        one = judged.candidate
        self.retention.append(
            _retention(one.type, judged.key, RetentionAction.REFUSED, code, reason)
        )


def conflict(
    rule: ConflictRule,
    met: tuple[Memory | None, Memory, Status],
    code: str,
    reason: str,
    fields: tuple[str, ...],
) -> ConflictOutcome:
    """Return how a conflict ended: who stands, who gave way, and in which status."""
    winner, loser, status = met
    return ConflictOutcome(
        rule=rule,
        type=loser.type,
        key=loser.key,
        code=code,
        reason=reason,
        active_id=winner.id if winner else None,
        other_id=loser.id,
        other_status=status,
        fields=fields,
    )


def _retention(
    type_name: str, key: str, action: RetentionAction, code: str, reason: str
) -> Retention:
    return Retention(type=type_name, key=key, action=action, code=code, reason=reason)
