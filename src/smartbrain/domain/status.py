"""What a tenant holds and how it stands, as `status` and `doctor` report it.

Plain figures for people and programs; nothing here is decided by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from smartbrain.domain.health import Finding, Severity
from smartbrain.domain.record import Record
from smartbrain.domain.view import Arm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TenantStatus(Record):
    """One tenant in figures."""

    tenant: str
    path: str
    schema_version: int
    encrypted: bool
    seq: int
    rows: Mapping[str, int] = field(default_factory=dict)
    database_bytes: int = 0
    raw_bytes: int = 0
    arms: tuple[Arm, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PendingUpgrade(Record):
    """The migrations that a tenant's database still needs; none when it is up to date."""

    tenant: str
    version: int
    latest: int
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TenantHealth(Record):
    """What the doctor found in one tenant."""

    tenant: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HealthReport(Record):
    """What the doctor found in a root: around the tenants, and in each of them."""

    path: str
    findings: tuple[Finding, ...] = ()
    tenants: tuple[TenantHealth, ...] = ()

    @property
    def healthy(self) -> bool:
        """True when nothing is damaged or missing; warnings may still be there."""
        return not any(finding.severity is Severity.ERROR for finding in self.all())

    def all(self) -> list[Finding]:
        """Return every finding."""
        return [*self.findings, *(one for tenant in self.tenants for one in tenant.findings)]
