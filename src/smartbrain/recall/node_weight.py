"""How easily a memory comes to mind, whatever is asked (R6).

In: a memory's row and the present. Out: a number from 0 to 1, from its importance, how often it was
said, how long ago, how strongly it was felt, what users made of it, and whether it is out of date.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from smartbrain.domain.policy_recall import NodeWeightRules
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.domain.types import TypeRegistry

_DAY: Final = 86_400.0
_OFTEN: Final = math.log(1 + 100)
_TAU: Final = 90.0  # days, of a type whose kind is not known


def days_since(time: datetime, now: datetime) -> float:
    """Return how many days ago something was; none if it is still to come."""
    days = (now - time).total_seconds() / _DAY
    return days if days > 0.0 else 0.0


class NodeWeights:
    """The weights of many memories at one moment."""

    def __init__(self, now: datetime, *, types: TypeRegistry, rules: NodeWeightRules) -> None:
        self._now = now
        self._rules = rules
        self._types = types
        self._tau: dict[str, float] = {}
        self._often: dict[int, float] = {}  # most were said as often as others

    def of(self, row: RecalledRow, age: float) -> float:
        """Return the weight of a memory that was said so many days ago."""
        rules = self._rules
        tau = self._tau.get(row.type)
        if tau is None:
            tau = self._tau[row.type] = self._tau_of(row.type)
        often = self._often.get(row.frequency)
        if often is None:
            often = min(1.0, math.log(1 + row.frequency) / _OFTEN)
            self._often[row.frequency] = often = rules.frequency * often
        total = (
            rules.importance * row.importance
            + often
            + rules.recency * math.exp(-age / tau)
            + rules.emotion * row.arousal
            + rules.feedback * row.feedback
        )
        if row.valid_until is not None and row.valid_until <= self._now:
            total -= rules.staleness
        return 0.0 if total < 0.0 else min(total, 1.0)

    def _tau_of(self, name: str) -> float:
        """Return how many days memories of a type stay fresh."""
        kind = self._types.get(name).node_kind if name in self._types else None
        return self._rules.tau_days.get(kind, _TAU) if kind is not None else _TAU
