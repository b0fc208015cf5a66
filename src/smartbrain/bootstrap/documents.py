"""The documents of a root, asked beside the call that waits for them, and not for ever.

In: whatever the caller connected. Out: a function that asks it a plan and raises TimeoutError once
it takes too long. A call that is late goes on in a thread of its own kind, so it keeps no other
part of recall waiting.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from smartbrain.adapters.models.given_resources import GivenResources

if TYPE_CHECKING:
    from smartbrain.bootstrap.background import Background
    from smartbrain.compose.resources import AskDocuments
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.ports.resources import Resources


def asking(resources: Resources | None, background: Background) -> AskDocuments | None:
    """Return how documents are asked; None where there are none."""
    if resources is None:
        return None
    given = GivenResources(resources)

    def ask(plan: RetrievalPlan, seconds: float) -> EvidencePack:
        answer = background.outside(partial(given.retrieve, plan))
        try:
            return answer.result(seconds)
        finally:
            answer.cancel()  # one that has not even begun is not wanted any more

    return ask
