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


def node_weight(
    row: RecalledRow, now: datetime, *, types: TypeRegistry, rules: NodeWeightRules
) -> float:
    """Return the weight of a memory at a moment."""
    kind = types.get(row.type).node_kind if row.type in types else None
    age = max(0.0, (now - row.said_at).total_seconds() / _DAY)
    tau = rules.tau_days.get(kind, 90.0) if kind is not None else 90.0
    stale = 1.0 if row.valid_until is not None and row.valid_until <= now else 0.0
    total = (
        rules.importance * row.importance
        + rules.frequency * min(1.0, math.log(1 + row.frequency) / _OFTEN)
        + rules.recency * math.exp(-age / tau)
        + rules.emotion * row.arousal
        + rules.feedback * row.feedback
        - rules.staleness * stale
    )
    return max(0.0, min(1.0, total))
