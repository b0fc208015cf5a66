"""From cues to a plan: what to look for, where, how much of it (R1).

In: cues. Out: a complete `RetrievalPlan`.
"""

from __future__ import annotations

from smartbrain.domain.plan import PlanBudget, PlanQuery, RetrievalPlan
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.domain.recall import Cues


def make_plan(cues: Cues, *, request_id: str, rules: RecallRules, k: int) -> RetrievalPlan:
    """Return the plan of a search."""
    return RetrievalPlan(
        request_id=request_id,
        queries=(PlanQuery(text=cues.text),) if cues.text.strip() else (),
        budget=PlanBudget(top_k=k),
    )
