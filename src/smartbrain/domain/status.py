"""How a tenant stands: its figures, the arms of recall, and what a check found (R4).

Made by `status`, `capabilities` and `doctor` for people and programs; nothing is decided by them.
An arm that is off or not ready never fails a call; recall goes on with the others and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import field

from smartbrain.domain.record import Record


class Severity(StrEnum):
    """`error` means data is damaged or missing; `warning` means it may soon be."""

    ERROR = "error"
    WARNING = "warning"


class Finding(Record, frozen=True):
    """One thing that is not as it should be."""

    severity: Severity
    code: str
    sentence: str
    subject: str = ""
    remedy: str = ""


class ArmState(StrEnum):
    """Whether an arm answers."""

    UP = "up"
    BUILDING = "building"
    IDLE = "idle"
    OFF = "off"
    FAILED = "failed"


class Arm(Record, frozen=True, kw_only=True):
    """One arm: its state with a code and a sentence, and its view in figures.

    `behind` counts transactions that the view has not seen yet, `waiting` the memories that this
    arm's embedder has not come to. An arm that is up with another code than `ok` answers, but not
    as well as it could. `bytes` is what its snapshot takes on disk, or its index in memory.
    """

    name: str
    state: ArmState
    code: str
    reason: str
    items: int = 0
    seq: int = 0
    behind: int = 0
    waiting: int = 0
    bytes: int = 0


class Capabilities(Record, frozen=True, kw_only=True):
    """What recall can do now; `rebuilds` counts views that were built anew, by view and reason."""

    arms: tuple[Arm, ...] = ()
    rebuilds: Mapping[str, int] = field(default_factory=dict)

    def arm(self, name: str) -> Arm | None:
        """Return an arm by its name, or the first of its kind: `vector` for `vector:bge`."""
        return next((arm for arm in self.arms if arm.name.split(":")[0] == name), None) or next(
            (arm for arm in self.arms if arm.name == name), None
        )


class TenantStatus(Record, frozen=True, kw_only=True):
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


class PendingUpgrade(Record, frozen=True, kw_only=True):
    """The migrations that a tenant's database still needs; none when it is up to date."""

    tenant: str
    version: int
    latest: int
    steps: tuple[str, ...] = ()


class TenantHealth(Record, frozen=True, kw_only=True):
    """What the doctor found in one tenant."""

    tenant: str
    findings: tuple[Finding, ...] = ()


class HealthReport(Record, frozen=True, kw_only=True):
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


class EmbedFailure(Record, frozen=True, kw_only=True):
    """Why an embedder has not done all its work."""

    embedder: str
    model: str
    code: str
    reason: str


class EmbedReport(Record, frozen=True, kw_only=True):
    """What became of the queue: how many were embedded, how many still wait, and why.

    Of several that failed, the code and the reason are those of the last one.
    """

    embedded: int = 0
    waiting: int = 0
    code: str = "ok"
    reason: str = "nothing waits"
    failures: tuple[EmbedFailure, ...] = ()
