"""How a root and its tenants stand: figures for `status`, findings for `doctor`.

In: a root. Out: records. A tenant is looked at as it lies there: one that cannot be opened, or
needs an upgrade, is reported and left as it is.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.bootstrap.arms import capabilities_of
from smartbrain.bootstrap.folders import KEY, list_tenants, refuse_lost_database
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.domain.status import (
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
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.policy_recall import RecallRules

_LITTLE_SPACE: Final = 256 * 1024 * 1024

OnTenant = Callable[[str], Progress]
"""Called when a tenant's turn comes; returns what is told about its raw files."""


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
        remedy = _key_remedy(root) if error.code in ("key_missing", "key_wrong") else ""
        return [*findings, Finding(Severity.ERROR, error.code, error.message, name, remedy)]


def _key_remedy(root: Root) -> str:
    variable = root.settings.rules.encryption.master_key_env
    return f"put the key into {variable}, or its file into encryption.master_key_file"


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
