"""What answers retrieval plans with evidence from documents: a store of our own or one outside.

In: a plan. Out: an evidence pack, which names the wishes of the plan it could not follow. Not
memory: what was lived through is recalled, what was written down is retrieved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.plan import RetrievalPlan


class Resources(Protocol):
    """Documents that can be searched; several threads ask at once, none of them the caller's."""

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return the evidence that answers a plan, best first."""
