"""The doctor: is everything that was stored still there, whole and consistent?

In: a tenant's ports. Out: findings, none when all is well. The database is asked for what it can
check itself; every raw file is read and compared with its hash. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from smartbrain.domain.health import Finding, Severity
from smartbrain.errors import AdapterError

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports

_PAGE: Final = 1000

Progress = Callable[[int, int], None]
"""Called with how many raw files have been read, and of how many."""


def examine(*, ports: Ports, on_progress: Progress | None = None) -> list[Finding]:
    """Check one tenant's database and raw files."""
    findings = ports.truth.check()
    if any(finding.code == "corrupt" for finding in findings):
        return findings
    return findings + _bodies(ports) + _files(ports, on_progress)


def _bodies(ports: Ports) -> list[Finding]:
    """Compare the originals that are kept in the database with their hashes."""
    findings: list[Finding] = []
    after = 0
    with ports.truth.read() as transaction:
        while page := transaction.raw.page(after, _PAGE):
            findings += [
                Finding(
                    Severity.ERROR,
                    "blob_corrupt",
                    "original text in the database does not match its hash",
                    chunk.id,
                    "restore the tenant from a backup",
                )
                for _, chunk in page
                if chunk.body is not None and ports.blobs.address(chunk.body) != chunk.address
            ]
            after = page[-1][0]
    return findings


def _files(ports: Ports, on_progress: Progress | None) -> list[Finding]:
    """Compare the catalogue of raw files with what lies on disk."""
    findings = []
    with ports.truth.read() as transaction:
        known = transaction.raw.paths()
    for number, (path, chunk) in enumerate(known.items(), 1):
        try:
            ports.blobs.get(path, chunk.address)
        except AdapterError as error:
            findings.append(
                Finding(
                    Severity.ERROR,
                    error.code,
                    error.message,
                    path,
                    "restore this file from a backup; every other turn is intact",
                )
            )
        if on_progress is not None:
            on_progress(number, len(known))
    orphans = [file for file in ports.blobs.walk() if file.path not in known]
    if orphans:
        size = sum(file.bytes for file in orphans)
        findings.append(
            Finding(
                Severity.WARNING,
                "unreferenced_files",
                f"{len(orphans)} raw files ({size:,} bytes) belong to no turn",
                orphans[0].path,
                "run `memctl sweep` to remove them",
            )
        )
    return findings
