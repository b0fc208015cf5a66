"""What became of the candidates of a commit, as its result tells it.

In: decisions, one after the other. Out: a retention a candidate and an outcome a conflict. Every
sentence ends with the rule that found its candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import ConflictOutcome, ConflictRule, Retention, RetentionAction
from smartbrain.remember.gate import Judged

_NOTHING: Final = Candidate(type="", text="", rule="")


@dataclass(slots=True)
class Outcome:
    """What became of the candidates of a commit."""

    retention: list[Retention] = field(default_factory=list)
    conflicts: list[ConflictOutcome] = field(default_factory=list)
    written: dict[str, Judged] = field(default_factory=dict)
    """The versions that were made, each with what was said as the gate let it through."""
    repeated: dict[str, Judged] = field(default_factory=dict)
    """The versions that were said again."""
    disputed: list[tuple[str, str]] = field(default_factory=list)
    saying: Judged = field(default_factory=lambda: Judged(candidate=_NOTHING))
    """What is decided about."""

    def wrote(self, memory: Memory) -> None:
        """Note the version that a saying begins."""
        self.written[memory.id] = self.saying

    def heard(self, memory: Memory) -> None:
        """Note the version that a saying repeats."""
        self.repeated[memory.id] = self.saying

    def kept(
        self, judged: Judged, memory: Memory, action: RetentionAction, code: str, reason: str
    ) -> None:
        """Note what became of a candidate that is a memory now, or of a memory by a candidate."""
        self._tell(judged, (memory.type, memory.key), action, code, reason)

    def refused(self, judged: Judged, code: str, reason: str) -> None:
        """Note that a candidate became no memory."""
        named = judged.candidate.type, judged.key
        self._tell(judged, named, RetentionAction.REFUSED, code, reason)

    def _tell(
        self,
        judged: Judged,
        named: tuple[str, str],
        action: RetentionAction,
        code: str,
        reason: str,
    ) -> None:
        """Note what became of the memory of a type and a key, in a sentence that names the rule."""
        told = by_rule(reason, judged.candidate.rule)
        self.retention.append(
            Retention(type=named[0], key=named[1], action=action, code=code, reason=told)
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
