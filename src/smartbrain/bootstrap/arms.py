"""How the arms of recall stand, for `brain.capabilities()` and `memctl status` (R4).

In: a tenant's views and the rules of a handle. Out: an arm each with state, code and sentence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.view import Arm, ArmState, Capabilities
from smartbrain.errors import SmartBrainError
from smartbrain.jobs.embed import waiting

if TYPE_CHECKING:
    from smartbrain.bootstrap.models import Models
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.views import TenantViews
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.ports.embedder import Embedder

_VECTOR: Final = "vector"


def capabilities_of(tenant: OpenTenant, models: Models, rules: RecallRules) -> Capabilities:
    """Return how each arm stands; nothing is loaded to find out.

    Raises:
        AdapterError: the truth failed.
    """
    switches = (
        ("text", rules.use_node_index, "recall.use_node_index"),
        ("passages", rules.raw.enabled, "recall.raw.enabled"),
        ("graph", rules.graph.enabled, "recall.graph.enabled"),
    )
    views = tenant.on_demand.made
    arms = [
        _arm(name, name, views) if on else _off(name, "disabled", f"{key} is false")
        for name, on, key in switches
    ]
    arms += _vector_arms(tenant, models, rules)
    follower = views.loaded if views else None
    rebuilds = dict(follower.rebuilds) if follower else {}
    return Capabilities(arms=tuple(arms), rebuilds=rebuilds)


def _arm(name: str, view: str, views: TenantViews | None) -> Arm:
    """Return how the arm of a view stands."""
    follower = views.loaded if views else None
    if views is None or follower is None:
        return Arm(
            name=name,
            state=ArmState.IDLE,
            code="not_loaded",
            reason="it is loaded by the first recall",
        )
    place = follower.place(view)
    arm = Arm(name=name, state=place.state, code=place.code, reason=place.reason)
    if not place.ready:
        return arm
    items, size = place.view.figures()
    behind = max(0, views.ports.truth.seq() - place.seq)
    return replace(arm, items=items, bytes=size, seq=place.seq, behind=behind)


def _vector_arms(tenant: OpenTenant, models: Models, rules: RecallRules) -> list[Arm]:
    """Return how the search by meaning stands, an arm for each embedder."""
    if not rules.vector.enabled:
        return [_off(_VECTOR, "disabled", "recall.vector.enabled is false")]
    if not models.chosen:
        return [_off(_VECTOR, "no_embedder", "no embedder was chosen; recall goes by words")]
    try:
        embedders = models.embedders()
    except SmartBrainError as error:
        return [_off(_VECTOR, error.code, error.message)]
    left = waiting(embedders, ports=tenant.ports)
    return [replace(_vector_arm(one, tenant.views), waiting=left) for one in embedders.embedders]


def _vector_arm(embedder: Embedder, views: TenantViews) -> Arm:
    """Return how one embedder's arm stands."""
    name = f"{_VECTOR}:{embedder.name}"
    view = views.vector_view(embedder)
    if view is not None:
        return _arm(name, view, views)
    report = views.report
    if report.code == "ok":
        return Arm(
            name=name,
            state=ArmState.BUILDING,
            code="embedding",
            reason="no vector has been made yet",
        )
    return Arm(name=name, state=ArmState.FAILED, code=report.code, reason=report.reason)


def _off(name: str, code: str, reason: str) -> Arm:
    """Return an arm that is switched off."""
    return Arm(name=name, state=ArmState.OFF, code=code, reason=reason)
