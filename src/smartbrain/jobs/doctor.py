"""The doctor: is everything that was stored still there, whole and consistent?

In: a tenant's ports. Out: findings, none when all is well. The database is asked for what it can
check itself; every raw file is read and compared with its hash. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.health import Finding, Severity
from smartbrain.errors import AdapterError

if TYPE_CHECKING:
    from smartbrain.domain.turn import RawChunk
    from smartbrain.ports.bundle import Ports

_PAGE: Final = 1000
_NAMED: Final = 10  # turns of a lost text that are named; a text may be shared by very many

Progress = Callable[[int, int], None]
"""Called with how many raw files have been read, and of how many."""


def examine(*, ports: Ports, on_progress: Progress | None = None) -> list[Finding]:
    """Check one tenant's database and raw files."""
    findings = ports.truth.check()
    if any(finding.code == "corrupt" for finding in findings):
        return findings
    with ports.truth.read() as transaction:
        known = transaction.raw.paths()
    lost = _bodies(ports) | _files(ports, known, on_progress)
    return findings + _with_turns(lost, ports) + _orphans(ports, known)


def _bodies(ports: Ports) -> dict[str, Finding]:
    """Compare the originals that are kept in the database with their hashes; by chunk."""
    findings: dict[str, Finding] = {}
    after = 0
    with ports.truth.read() as transaction:
        while page := transaction.raw.page(after, _PAGE):
            findings |= {
                chunk.id: Finding(
                    Severity.ERROR,
                    "blob_corrupt",
                    "original text in the database does not match its hash",
                    chunk.id,
                    "restore the tenant from a backup",
                )
                for _, chunk in page
                if chunk.body is not None and ports.blobs.address(chunk.body) != chunk.address
            }
            after = page[-1][0]
    return findings


def _files(
    ports: Ports, known: Mapping[str, RawChunk], on_progress: Progress | None
) -> dict[str, Finding]:
    """Compare the raw files of the catalogue with what lies on disk; by chunk."""
    findings = {}
    for number, (path, chunk) in enumerate(known.items(), 1):
        try:
            ports.blobs.get(path, chunk.address)
        except AdapterError as error:
            findings[chunk.id] = Finding(
                Severity.ERROR,
                error.code,
                error.message,
                path,
                "restore this file from a backup; every other turn is intact",
            )
        if on_progress is not None:
            on_progress(number, len(known))
    return findings


def _with_turns(lost: Mapping[str, Finding], ports: Ports) -> list[Finding]:
    """Name in each finding the turns that its chunk belongs to."""
    if not lost:
        return []
    with ports.truth.read() as transaction:
        turns = transaction.raw.turns_with(lost)
    named = []
    for raw_id, finding in lost.items():
        holders = turns.get(raw_id, [])
        parts = [f"turn {seq} of session {session!r}" for session, seq in holders[:_NAMED]]
        if len(holders) > _NAMED:
            parts.append(f"{len(holders) - _NAMED} more")
        text = ", ".join(parts) or "no turn"
        named.append(replace(finding, sentence=f"{finding.sentence}; it belongs to {text}"))
    return named


def _orphans(ports: Ports, known: Mapping[str, RawChunk]) -> list[Finding]:
    """Find the files that the catalogue does not know."""
    orphans = [file for file in ports.blobs.walk() if file.path not in known]
    if not orphans:
        return []
    size = sum(file.bytes for file in orphans)
    return [
        Finding(
            Severity.WARNING,
            "unreferenced_files",
            f"{len(orphans)} raw files ({size:,} bytes) belong to no turn",
            orphans[0].path,
            "run `memctl sweep` to remove them",
        )
    ]
