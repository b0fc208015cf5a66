"""How the arms of recall stand, for `brain.capabilities()` and `memctl status` (R4).

In: a tenant's views and the rules of a handle. Out: an arm each with state, code and sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.status import Arm, ArmState, Capabilities
from smartbrain.errors import SmartBrainError

if TYPE_CHECKING:
    from smartbrain.bootstrap.models import Models
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.views import TenantViews
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.status import EmbedReport
    from smartbrain.ports.embedder import Embedder

_VECTOR: Final = "vector"


def capabilities_of(tenant: OpenTenant, models: Models, rules: RecallRules) -> Capabilities:
    """Return how each arm stands; nothing is loaded to find out."""
    views = tenant.on_demand.made
    arms = [
        _arm(name, name, views) if on else _off(name, "disabled", f"{key} is false")
        for name, (key, on) in rules.switches().items()
    ]
    arms += _vector_arms(tenant, models, rules)
    follower = views.loaded if views else None
    rebuilds = dict(follower.rebuilds) if follower else {}
    return Capabilities(arms=tuple(arms), rebuilds=rebuilds)


def _arm(name: str, view: str, views: TenantViews | None) -> Arm:
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
    if not rules.vector.enabled:
        return [_off(_VECTOR, "disabled", "recall.vector.enabled is false")]
    if not models.chosen:
        return [_off(_VECTOR, "no_embedder", "no embedder was chosen; recall goes by words")]
    try:
        embedders = models.model()
    except SmartBrainError as error:
        return [_off(_VECTOR, error.code, error.message)]
    lacking = [tenant.views.waiting(one, embedders) for one in embedders.embedders]
    return [
        replace(_vector_arm(one, tenant.views, bool(left)), waiting=left)
        for one, left in zip(embedders.embedders, lacking, strict=True)
    ]


def _vector_arm(embedder: Embedder, views: TenantViews, waits: bool) -> Arm:
    """Return how one embedder's arm stands; with vectors it answers though its embedder fails."""
    name = f"{_VECTOR}:{embedder.name}"
    view = views.vector_view(embedder)
    failure = _failure_of(embedder, views.report)
    if view is None and failure is not None:
        return Arm(name=name, state=ArmState.FAILED, code=failure[0], reason=failure[1])
    if view is None and not waits:
        reason = "there is nothing yet that this embedder is for"
        return Arm(name=name, state=ArmState.IDLE, code="nothing_to_embed", reason=reason)
    if view is None:
        return Arm(
            name=name,
            state=ArmState.BUILDING,
            code="embedding",
            reason="no vector has been made yet",
        )
    arm = _arm(name, view, views)
    exact = views.exact_reason()
    if arm.state not in (ArmState.UP, ArmState.IDLE) or not (failure or exact):
        return arm
    code, reason = failure or ("exact", exact)
    return replace(arm, code=code, reason=reason)


def _failure_of(embedder: Embedder, report: EmbedReport) -> tuple[str, str] | None:
    """Return code and reason if an embedder failed in the last run, or that run as a whole."""
    for one in report.failures:
        if (one.embedder, one.model) == (embedder.name, embedder.model):
            return one.code, f"{one.embedder}: {one.reason}"
    if report.failures or report.code in ("ok", "stopped"):
        return None
    return report.code, report.reason


def _off(name: str, code: str, reason: str) -> Arm:
    return Arm(name=name, state=ArmState.OFF, code=code, reason=reason)
