"""The read path of a root, put together: what a recall reaches in an open tenant.

In: a tenant and the rules of a handle. Out: answers. Loaded by the first call that recalls; it
brings the libraries for search with it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.errors import SmartBrainError
from smartbrain.recall.asked import Asked, Reach, VectorArm
from smartbrain.recall.pipeline import recall

if TYPE_CHECKING:
    from smartbrain.bootstrap.background import Background
    from smartbrain.bootstrap.models import Models
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.recall import Recall
    from smartbrain.recall.views.follow import Follower

_VECTOR: Final = "vector"


class Recalling:
    """Recall with the models and threads of one root."""

    def __init__(self, models: Models, background: Background) -> None:
        self._models = models
        self._background = background

    def recall(
        self,
        asked: Asked,
        tenant: OpenTenant,
        rules: Rules,
        *,
        budget_tokens: int | None = None,
        cite: bool = True,
    ) -> Recall:
        """Return what memory has on a question."""
        return recall(
            asked,
            reach=self.reach(tenant, rules.recall),
            ports=tenant.ports,
            rules=rules.recall,
            budget_tokens=budget_tokens,
            cite=cite,
        )

    def reach(self, tenant: OpenTenant, rules: RecallRules) -> Reach:
        """Return what a recall can use, the views caught up as far as the deadline allows."""
        follower, behind = tenant.views.caught_up(rules)
        vectors, off = self._vectors(tenant, rules, follower)
        return Reach(
            follower=follower,
            run=self._background.now,
            timer=time.monotonic,
            vectors=vectors,
            off=off,
            behind=behind,
        )

    def _vectors(
        self, tenant: OpenTenant, rules: RecallRules, follower: Follower
    ) -> tuple[Sequence[VectorArm], Sequence[tuple[str, str, str]]]:
        """Return the arms that search by meaning, and why there are none."""
        if not rules.vector.enabled:
            return (), [(_VECTOR, "disabled", "recall.vector.enabled is false")]
        if not self._models.chosen:
            return (), [(_VECTOR, "no_embedder", "no embedder was chosen; recall goes by words")]
        try:
            embedders = self._models.embedders().embedders
        except SmartBrainError as error:
            return (), [(_VECTOR, error.code, error.message)]
        arms, off = [], []
        for one in embedders:
            view = tenant.views.vector_view(one)
            if view is None:
                sentence = "nothing has been embedded so far"
                off.append((f"{_VECTOR}:{one.name}", "no_vectors", sentence))
            elif follower.get(view) is not None or view in follower.names():
                arms.append(VectorArm(embedder=one, view=view))
        return arms, off
