"""How a root, its tenants and the arms of recall stand: `status`, `doctor`, `capabilities` (R4).

In: a root, or an open tenant and the rules of a handle. Out: records. A tenant is looked at as it
lies there: one that cannot be opened, or needs an upgrade, is reported and left as it is.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.bootstrap.folders import KEY, list_tenants, refuse_lost_database
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.domain.status import (
    Arm,
    ArmState,
    Capabilities,
    Finding,
    HealthReport,
    PendingUpgrade,
    Severity,
    TenantHealth,
    TenantStatus,
)
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.jobs.doctor import Progress, examine

if TYPE_CHECKING:
    from smartbrain.bootstrap.models import Models
    from smartbrain.bootstrap.root import Root
    from smartbrain.bootstrap.views import TenantViews
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.status import EmbedReport
    from smartbrain.ports.embedder import Embedder

_LITTLE_SPACE: Final = 256 * 1024 * 1024

OnTenant = Callable[[str], Progress]
"""Called when a tenant's turn comes; returns what is told about its raw files."""
_VECTOR: Final = "vector"


def status_of(tenant: OpenTenant, root: Root, rules: RecallRules) -> TenantStatus:
    """Return a tenant in figures, and how its arms of recall stand."""
    from smartbrain.adapters.sqlite.migrate import latest

    truth = tenant.ports.truth
    return TenantStatus(
        tenant=tenant.name,
        path=str(tenant.folder),
        schema_version=latest(),
        encrypted=tenant.encrypted,
        seq=truth.seq(),
        rows=truth.counts(),
        database_bytes=sum(_size(path) for path in tenant.folder.glob("brain.db*")),
        raw_bytes=sum(file.bytes for file in tenant.ports.blobs.walk()),
        arms=capabilities_of(tenant, root.models, rules).arms,
    )


def pending_upgrades(
    root: Root,
) -> tuple[list[PendingUpgrade], dict[str, SmartBrainError]]:
    """Return what opening each tenant would change in its database; nothing is changed now.

    A tenant whose database cannot be read, or is of a newer SmartBrain, is named with its error.
    """
    from smartbrain.adapters.sqlite.migrate import latest, pending
    from smartbrain.adapters.sqlite.truth import schema_version

    found: list[PendingUpgrade] = []
    errors: dict[str, SmartBrainError] = {}
    for name in list_tenants(root.path):
        folder = root.folder(name)
        try:
            refuse_lost_database(folder)
            version = schema_version(folder, root.tenant_key(name, folder))
        except SmartBrainError as error:
            errors[name] = error
            continue
        steps = tuple(f"{step.number:04d} {step.name}" for step in pending(version))
        found.append(PendingUpgrade(tenant=name, version=version, latest=latest(), steps=steps))
    return found, errors


def examine_root(root: Root, on_tenant: OnTenant | None = None) -> HealthReport:
    """Check the folder and every tenant in it; nothing is changed."""
    if not root.path.is_dir():
        raise UsageError(
            f"{root.path}: there is no brain here; `memctl init` makes one", code="not_a_brain"
        )
    tenants = [
        TenantHealth(tenant=name, findings=tuple(_examine_tenant(root, name, on_tenant)))
        for name in list_tenants(root.path)
    ]
    return HealthReport(
        path=str(root.path), findings=tuple(_around(root.path)), tenants=tuple(tenants)
    )


def _examine_tenant(root: Root, name: str, on_tenant: OnTenant | None) -> list[Finding]:
    """Check one tenant; what keeps it from opening is itself a finding."""
    from smartbrain.adapters.sqlite.migrate import latest
    from smartbrain.adapters.sqlite.truth import schema_version

    folder = root.folder(name)
    findings = _permissions(folder)
    try:
        refuse_lost_database(folder)
        version = schema_version(folder, root.tenant_key(name, folder))
        if version < latest():
            sentence = f"the database has schema {version} of {latest()}; it was not looked into"
            remedy = "open the tenant once, or run `memctl migrate --apply`"
            return [*findings, _warning("old_schema", sentence, name, remedy)]
        tenant = root.open_tenant(name, create=False)
        try:
            return findings + examine(
                ports=tenant.ports, on_progress=on_tenant(name) if on_tenant else None
            )
        finally:
            tenant.ports.truth.close()
    except SmartBrainError as error:
        remedy, variable = "", root.settings.rules.encryption.master_key_env
        if error.code in ("key_missing", "key_wrong"):
            remedy = f"put the key into {variable}, or its file into encryption.master_key_file"
        return [*findings, Finding(Severity.ERROR, error.code, error.message, name, remedy)]


def _warning(code: str, sentence: str, subject: object, remedy: str) -> Finding:
    return Finding(Severity.WARNING, code, sentence, str(subject), remedy)


def _around(path: Path) -> list[Finding]:
    free = shutil.disk_usage(path).free
    if free >= _LITTLE_SPACE:
        return []
    left = f"{free // 1024 // 1024} MiB are left on the disk"
    return [_warning("little_space", left, path, "free some space before commits begin to fail")]


def _permissions(folder: Path) -> list[Finding]:
    """Check that we may write a tenant's folder, and that only we may read its key."""
    sentence = "it cannot be read and written by this user"
    remedy = "give this user the folder and its files"
    findings = [
        Finding(Severity.ERROR, "read_only", sentence, str(path), remedy)
        for path in (folder, *folder.glob("brain.db*"))
        if not os.access(path, os.R_OK | os.W_OK)
    ]
    key = folder / KEY
    if os.name == "posix" and key.exists() and stat.S_IMODE(key.stat().st_mode) & 0o077:
        told = "other users of this machine may read the wrapped key"
        findings.append(_warning("key_readable", told, key, "run chmod 600 on it"))
    return findings


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def capabilities_of(tenant: OpenTenant, models: Models, rules: RecallRules) -> Capabilities:
    """Return how each arm stands; nothing is loaded to find out."""
    views = tenant.made_views
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
